// A nozzle in the bottom of the box, out of which water comes.
// This is a template, so that a later chapter can use it with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "42_water/fill.hpp"
#include "42_water/surface.hpp"
#include "window/counts.hpp"

/// The middle of the bottom is solid, and water comes out of it as if this solid moved up. New
/// particles fill the cells above it, until the box is half full.
template <class Fluid>
class Fountain {
    using Particle = typename decltype(Fluid::particles)::value_type;

  public:
    double speed = 0.0;  ///< of what comes out of the nozzle; 0: there is none

    explicit Fountain(Fluid& fluid) : fluid_(fluid) {}
    Fountain(const Fountain&) = delete;  // who shows it refers to it
    Fountain& operator=(const Fountain&) = delete;

    /// Fills a tenth of the box with water, and opens the nozzle. Against the weight of the fluid
    /// its water rises to 0.64 of the height of the box.
    void begin() {
        const double bottom = fluid_.h * fluid_.ny;
        fill_with_water(
            fluid_, [&](double, double y, double) { return y > 0.9 * bottom; }, 0.5);
        speed = 0.8 * std::sqrt(2.0 * fluid_.force_y * bottom);
    }

    /// Lets water come out of the nozzle, before the fluid makes a step.
    void flow() {
        if (speed == 0.0) {
            return;
        }
        const bool is_full = 2.0 * water_volume(fluid_) > volume_of_box();
        set_nozzle(is_full ? 0.0 : -speed);
        const int above_nozzle = fluid_.ny - 2;
        if (!is_full && above_nozzle >= 0) {
            fill_up(above_nozzle);
        }
    }

  private:
    int first_column() const { return std::max(0, fluid_.nx / 2 - half_width()); }
    int end_column() const { return std::min(fluid_.nx, fluid_.nx / 2 + half_width()); }
    int half_width() const { return std::max(1, fluid_.nx / 32); }

    double volume_of_box() const {
        const double area = fluid_.h * fluid_.h * fluid_.nx * fluid_.ny;
        return area * (fluid_.nz > 1 ? fluid_.h * fluid_.nz : 1.0);
    }

    /// Makes the cells of the nozzle solid, gives them that velocity, and removes the particles
    /// that they cover: those would count as water beside the nozzle.
    void set_nozzle(double v) {
        const int bottom = fluid_.ny - 1;
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = first_column(); i < end_column(); ++i) {
                fluid_.solid(i, bottom, k) = 1.0;
                fluid_.v_given(i, bottom, k) = v;
            }
        }
        std::erase_if(fluid_.particles, [this, bottom](const Particle& particle) {
            const PlaceInGrid cell = cell_of(fluid_, particle);
            return cell.j == bottom && first_column() <= cell.i && cell.i < end_column();
        });
        set_bnd(fluid_);
    }

    /// Adds particles to the cells of row j above the nozzle that hold fewer than they can.
    void fill_up(int j) {
        const int full = fluid_.nz == 1 ? 4 : 8;
        const std::vector<int> counts = particles_in_cells(fluid_);
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = first_column(); i < end_column(); ++i) {
                const int there = counts[static_cast<std::size_t>(fluid_.density.IX(i, j, k))];
                for (int n = there; n < full; ++n) {
                    add_particle(i, j, k, n);
                }
            }
        }
    }

    /// Adds a particle in the middle of the n-th part of a cell: four in a flat box, else eight.
    void add_particle(int i, int j, int k, int n) {
        const int right = n % 2, below = n / 2 % 2, behind = n / 4;  // each 0 or 1
        const double depth = fluid_.nz == 1 ? 0.5 : 0.25 + 0.5 * behind;
        Particle particle = {};
        particle.place = {fluid_.h * (i + 0.25 + 0.5 * right), fluid_.h * (j + 0.25 + 0.5 * below),
                          fluid_.h * (k + depth)};
        particle.values[1] = -speed;
        fluid_.particles.push_back(particle);
    }

    Fluid& fluid_;
};
