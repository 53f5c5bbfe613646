// The surface of the water as pictures show it: smooth, and with each drop that flies alone. The
// physics does not see it.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "42_water/surface.hpp"
#include "common/draw/surface.hpp"
#include "common/parallel.hpp"
#include "window/counts.hpp"

/// Erosion: keeps the marked cells around which all cells, diagonal ones too, are marked. Beyond
/// the box the nearest cells count.
template <class Fluid>
std::vector<char> eroded(const Fluid& fluid, const std::vector<char>& cells) {
    std::vector<char> found = cells;
    for (const Direction step : {Direction{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
        const std::vector<char> before = found;
        for_each_point(fluid.phi, [&](int i, int j, int k) {
            for (const int sign : {-1, 1}) {
                const int a = i + sign * step.i, b = j + sign * step.j, c = k + sign * step.k;
                if (fluid.phi.has(a, b, c) && !before[fluid.phi.IX(a, b, c)]) {
                    found[fluid.phi.IX(i, j, k)] = 0;
                }
            }
        });
    }
    return found;
}

/// Makes the surface of the water smooth. At each point x it finds the weighted mean of the places
/// of the particles near x. phi is the distance of x from this mean, less the radius of a particle
/// (Zhu and Bridson 2005, section 5). The weight of a particle is (1 - s^2)^3, where s is its
/// distance from x in cells, and 0 from s = 1 on. Then phi is averaged over neighbouring points.
template <class Fluid>
class SmoothSurface {
  public:
    SmoothSurface(const Fluid& fluid, parallel::ThreadPool& pool)
        : fluid_(fluid), per_cell_(fluid.nz > 1 ? 2 : 4),
          radius_(static_cast<float>(per_cell_) * (fluid.nz > 1 ? 0.33f : 0.28f)) {
        found_.nx = per_cell_ * fluid.nx;
        found_.ny = per_cell_ * fluid.ny;
        found_.nz = fluid.nz > 1 ? per_cell_ * fluid.nz : 1;
        found_.phi.assign(found_.count(), static_cast<float>(per_cell_));
        sums_.assign(found_.count(), {});
        find_needed_particles();
        parallel::parallel_for(pool, found_.nz, pool.threads(), [this](int begin, int end) {
            add_up_particles(begin, end);
            set_phi(begin, end);
        });
        mark_solids();
        blur(found_.phi, fluid.nz > 1 ? 2 : 1, pool);
        if (!found_.solid.empty()) {
            blur(found_.solid, 4, pool);
        }
    }

    /// phi at `per_cell` points along each side of a cell, in widths from one point to the next.
    workbook::LevelSet take() { return std::move(found_); }

  private:
    int cell_of_point(int i, int j, int k) const {
        return fluid_.phi.IX(i / per_cell_, j / per_cell_, fluid_.nz > 1 ? k / per_cell_ : 0);
    }

    /// Finds the particles that are needed: deep in the water none is.
    void find_needed_particles() {
        std::vector<char> water(fluid_.phi.values.size());
        for_each_point(fluid_.phi, [&](int i, int j, int k) {
            water[fluid_.phi.IX(i, j, k)] = phi_beside(fluid_, i, j, k) < 0.0;
        });
        deep_ = eroded(fluid_, water);
        const std::vector<char> needless = eroded(fluid_, deep_);
        const double scale = per_cell_ / fluid_.h;
        for (const auto& particle : fluid_.particles) {
            const PlaceInGrid cell = cell_of(fluid_, particle);
            const int n = fluid_.phi.IX(cell.i, cell.j, cell.k);
            if (!needless[n] && fluid_.solid.values[n] == 0.0) {
                needed_.push_back(
                    {static_cast<float>(scale * particle.place.x),
                     static_cast<float>(scale * particle.place.y),
                     fluid_.nz > 1 ? static_cast<float>(scale * particle.place.z) : 0.5f});
            }
        }
    }

    /// Adds up weights and weighted steps to the particles, at the points of some layers.
    void add_up_particles(int begin, int end) {
        const auto reach = static_cast<float>(per_cell_);
        const auto first = [reach](float at, int least) {
            return std::max(least, static_cast<int>(std::ceil(at - 0.5f - reach)));
        };
        const auto last = [reach](float at, int count) {
            return std::min(count - 1, static_cast<int>(std::floor(at - 0.5f + reach)));
        };
        for (const auto& [x, y, z] : needed_) {
            for (int k = first(z, begin); k <= last(z, end); ++k) {
                for (int j = first(y, 0); j <= last(y, found_.ny); ++j) {
                    for (int i = first(x, 0); i <= last(x, found_.nx); ++i) {
                        const float dx = x - 0.5f - static_cast<float>(i);
                        const float dy = y - 0.5f - static_cast<float>(j);
                        const float dz = z - 0.5f - static_cast<float>(k);
                        const float s2 = (dx * dx + dy * dy + dz * dz) / (reach * reach);
                        const float left = std::max(0.0f, 1.0f - s2);
                        const float weight = left * left * left;
                        auto& [sum, sum_x, sum_y, sum_z] = sums_[found_.index(i, j, k)];
                        sum += weight;
                        sum_x += weight * dx;
                        sum_y += weight * dy;
                        sum_z += weight * dz;
                    }
                }
            }
        }
    }

    void set_phi(int begin, int end) {
        for (int k = begin; k < end; ++k) {
            for (int j = 0; j < found_.ny; ++j) {
                for (int i = 0; i < found_.nx; ++i) {
                    float& phi = found_.phi[found_.index(i, j, k)];
                    const auto& [sum, x, y, z] = sums_[found_.index(i, j, k)];
                    if (deep_[cell_of_point(i, j, k)]) {
                        phi = -radius_;
                    } else if (sum > 0.0f) {
                        phi = std::sqrt(x * x + y * y + z * z) / sum - radius_;
                    }
                }
            }
        }
    }

    /// Replaces values, so many times, by means of those at a point and its neighbours along each
    /// axis, with the weights 1/4, 1/2 and 1/4. At the box's faces the values go on.
    void blur(std::vector<float>& values, int times, parallel::ThreadPool& pool) {
        for (int n = 0; n < times; ++n) {
            for (const Direction step : {Direction{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
                blur_along(step, values, pool);
            }
        }
    }

    /// Blurs along one axis.
    void blur_along(Direction step, std::vector<float>& values, parallel::ThreadPool& pool) {
        const std::vector<float> before = values;
        parallel::parallel_for(pool, found_.nz, pool.threads(), [&](int begin, int end) {
            for (int k = begin; k < end; ++k) {
                for (int j = 0; j < found_.ny; ++j) {
                    blur_row(before, step, j, k, values);
                }
            }
        });
    }

    void blur_row(const std::vector<float>& before, Direction step, int j, int k,
                  std::vector<float>& values) {
        const auto row = [&](int sign) {
            return before.data() + found_.index(0, std::clamp(j + sign * step.j, 0, found_.ny - 1),
                                                std::clamp(k + sign * step.k, 0, found_.nz - 1));
        };
        const float* const here = row(0);
        const float* const previous = row(-1);
        const float* const next = row(1);
        float* const result = values.data() + found_.index(0, j, k);
        const int last = found_.nx - 1;
        for (int i = step.i; i <= last - step.i; ++i) {
            const float sum = previous[i - step.i] + next[i + step.i];
            result[i] = 0.25f * sum + 0.5f * here[i];
        }
        if (step.i == 1) {
            result[0] = 0.75f * here[0] + 0.25f * here[1];
            result[last] = 0.75f * here[last] + 0.25f * here[last - 1];
        }
    }

    /// Marks the points in solids. The water goes on into a solid, so that it touches it.
    void mark_solids() {
        if (std::none_of(fluid_.solid.values.begin(), fluid_.solid.values.end(),
                         [](double solid) { return solid == 1.0; })) {
            return;
        }
        found_.solid.assign(found_.count(), 0.0f);
        for (int k = 0; k < found_.nz; ++k) {
            for (int j = 0; j < found_.ny; ++j) {
                for (int i = 0; i < found_.nx; ++i) {
                    const std::size_t n = found_.index(i, j, k);
                    const int a = i / per_cell_, b = j / per_cell_;
                    const int c = fluid_.nz > 1 ? k / per_cell_ : 0;
                    if (fluid_.solid(a, b, c) == 1.0) {
                        found_.solid[n] = 1.0f;
                        found_.phi[n] = phi_beside(fluid_, a, b, c) < 0.0 ? -radius_ : 1.0f;
                    }
                }
            }
        }
    }

    const Fluid& fluid_;
    int per_cell_;  ///< points along each side of a cell
    float radius_;  ///< of a particle, in widths from one point to the next
    workbook::LevelSet found_;
    std::vector<std::array<float, 4>> sums_;  ///< of weights, and of weighted steps to particles
    std::vector<std::array<float, 3>> needed_;  ///< places of particles
    std::vector<char> deep_;  ///< cells amid water
};

/// Returns the smooth surface of the water.
template <class Fluid>
workbook::LevelSet smooth_surface(const Fluid& fluid, parallel::ThreadPool& pool) {
    return SmoothSurface<Fluid>(fluid, pool).take();
}
