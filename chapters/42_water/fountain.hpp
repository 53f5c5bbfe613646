// A nozzle in the bottom of the box, out of which water comes.
// This is a template, so that a later chapter can use it with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>

#include "42_water/fill.hpp"
#include "window/counts.hpp"

/// The middle of the bottom is solid, and water comes out of it as if this solid moved up, until
/// the particles would fill half of the box. New particles begin within the solid, no deeper than
/// they rise in the step. So each step ends with a full row above the nozzle.
template <class Fluid>
class Fountain {
    using Particle = typename decltype(Fluid::particles)::value_type;

  public:
    double speed = 0.0;  ///< of what comes out of the nozzle; 0: there is none
    double next_row = 0.0;  ///< how deep in the nozzle the next row of particles begins, in cells

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
        next_row = 0.0;
    }

    /// Gives the nozzle its velocity. Call it before longest_step, which needs the largest
    /// velocity.
    void open() {
        if (speed > 0.0) {
            set_nozzle(is_full() ? 0.0 : -speed);
        }
    }

    /// Lets water come out of the nozzle, before the fluid makes a step of `dt`.
    void flow(double dt) {
        open();
        if (speed > 0.0 && !is_full()) {
            const double way = std::min(speed * dt / fluid_.h, 0.999);  // in cells
            while (next_row < way) {
                add_row(next_row);
                next_row += 0.5;
            }
            next_row -= way;
        }
    }

  private:
    /// Whether the particles would fill half of the box.
    bool is_full() const {
        const double cells = 1.0 * fluid_.nx * fluid_.ny * fluid_.nz;
        return 2.0 * static_cast<double>(fluid_.particles.size()) >
               particles_in_full_cell(fluid_) * cells;
    }

    int first_column() const { return std::max(0, fluid_.nx / 2 - half_width()); }
    int end_column() const { return std::min(fluid_.nx, fluid_.nx / 2 + half_width()); }
    int half_width() const { return std::max(1, fluid_.nx / 32); }

    /// Whether the nozzle is in column i and layer k. In a deep box it is a square in the middle.
    bool is_in_nozzle(int i, int k) const {
        const bool is_in_layers =
            fluid_.nz == 1 || std::abs(k + 0.5 - 0.5 * fluid_.nz) < half_width();
        return first_column() <= i && i < end_column() && is_in_layers;
    }

    /// Makes the cells of the nozzle solid, gives them that velocity, and removes the particles
    /// that they cover.
    void set_nozzle(double v) {
        const int bottom = fluid_.ny - 1;
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = 0; i < fluid_.nx; ++i) {
                if (!is_in_nozzle(i, k)) {
                    continue;
                }
                fluid_.solid(i, bottom, k) = 1.0;
                fluid_.v_given(i, bottom, k) = v;
                fluid_.v_given(i, bottom + 1, k) = v;  // the same within the solid
            }
        }
        std::erase_if(fluid_.particles, [this, bottom](const Particle& particle) {
            const PlaceInGrid cell = cell_of(fluid_, particle);
            return cell.j == bottom && is_in_nozzle(cell.i, cell.k);
        });
        set_bnd(fluid_);
    }

    /// Adds particles that lie `deep` cells below the upper side of the nozzle, as many as a full
    /// cell has in one of its two rows.
    void add_row(double deep) {
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = 0; i < fluid_.nx; ++i) {
                if (!is_in_nozzle(i, k)) {
                    continue;
                }
                for (int n = 0; n < (fluid_.nz == 1 ? 2 : 4); ++n) {
                    const int right = n % 2, behind = n / 2;  // each 0 or 1
                    const double z = fluid_.nz == 1 ? 0.5 : 0.25 + 0.5 * behind;
                    Particle particle = {};
                    particle.place = {fluid_.h * (i + 0.25 + 0.5 * right),
                                      fluid_.h * (fluid_.ny - 1 + deep), fluid_.h * (k + z)};
                    particle.values[1] = -speed;
                    fluid_.particles.push_back(particle);
                }
            }
        }
    }

    Fluid& fluid_;
};
