// Two flows that stay as they are for ever, and what they carry, for the window, the numbers and
// the tests of this chapter. These are templates, so that every later chapter can fill its own
// Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

/// Sets the velocity in every layer from a stream function: psi(x, y), with x and y from 0 to 1
/// across the box. Velocities are in widths of the box a second. Whatever psi is, no cell has any
/// divergence; and where psi is constant along the walls, nothing crosses them.
template <class Fluid, class Stream>
void set_stream(Fluid& fluid, Stream psi) {
    const double scale = fluid.h * fluid.nx * fluid.nx;
    const auto at = [&](int i, int j) {
        return scale * psi(1.0 * i / fluid.nx, 1.0 * j / fluid.ny);
    };
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                fluid.u(i, j, k) = at(i, j + 1) - at(i, j);
                fluid.v(i, j, k) = at(i, j) - at(i + 1, j);
            }
        }
    }
    set_bnd(fluid);
}

/// Sets the dye in every layer to 1 where is_dyed(x, y), and to 0 elsewhere.
template <class Fluid, class IsDyed>
void set_dye(Fluid& fluid, IsDyed is_dyed) {
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                fluid.density(i, j, k) =
                    is_dyed((i + 0.5) / fluid.nx, (j + 0.5) / fluid.ny) ? 1.0 : 0.0;
            }
        }
    }
}

/// Sets the velocity to n x n vortices that turn in opposite directions, each as fast as one width
/// of the box a second at most. Without friction they would turn like that for ever.
template <class Fluid>
void set_vortices(Fluid& fluid, int n) {
    const double k = n * std::numbers::pi;
    set_stream(fluid, [k](double x, double y) { return std::sin(k * x) * std::sin(k * y) / k; });
}

/// Sets the velocity to a wheel: what is nearer to the middle than 0.42 widths of the box turns
/// like a solid, once in `seconds`. From there the velocity falls to 0 at the walls.
template <class Fluid>
void set_wheel(Fluid& fluid, double seconds) {
    set_stream(fluid, [seconds](double x, double y) {
        const double r = std::min(0.5, std::hypot(x - 0.5, y - 0.5));
        const double rim = 0.42;
        const double beyond = std::max(0.0, r - rim);
        const double inside = std::min(r, rim);
        // The speed is r up to the rim and rim (0.5 - r) / (0.5 - rim) beyond it; psi its integral.
        const double psi =
            0.5 * inside * inside + rim * beyond - 0.5 * rim * beyond * beyond / (0.5 - rim);
        return 2.0 * std::numbers::pi / seconds * psi;
    });
}

/// Zalesak's disk (1979): radius 0.15, a quarter of the box from its middle, with a slot of the
/// width 0.05 and the length 0.25.
inline bool in_zalesaks_disk(double x, double y) {
    return std::hypot(x - 0.5, y - 0.75) < 0.15 && !(std::abs(x - 0.5) < 0.025 && y < 0.85);
}

/// What the dye differs from `before` by, summed over the cells and divided by the sum of `before`.
template <class Field>
double share_displaced(const Field& dye, const Field& before) {
    double apart = 0.0;
    double sum = 0.0;
    for (std::size_t cell = 0; cell < dye.values.size(); ++cell) {
        apart += std::abs(dye.values[cell] - before.values[cell]);
        sum += before.values[cell];
    }
    return apart / sum;
}

/// Adds the scenes "vortices" and "disk". A box of 64 x 64 cells, which is what the window begins
/// with, begins with the vortices.
template <class Program, class Fluid>
void add_flow_scenes(Program& program, Fluid& fluid) {
    const auto vortices = [&fluid] {
        set_vortices(fluid, 2);
        set_dye(fluid, [](double x, double) { return static_cast<int>(7.0 * x) % 2 == 0; });
    };
    const auto disk = [&fluid] {
        set_wheel(fluid, 6.0);
        set_dye(fluid, in_zalesaks_disk);
    };
    program.description.scenes.push_back(
        {"vortices", "four that never end, and dye in stripes", vortices});
    program.description.scenes.push_back({"disk", "Zalesak's disk, on a wheel that turns", disk});
    program.simulation.start = [start = program.simulation.start](auto box) {
        auto begun = start(box);
        if (box.nx == 64 && box.ny == 64 && box.nz == 1) {
            begun.scene = "vortices";
            begun.dt = 0.03;
            begun.in_window = true;
        }
        return begun;
    };
}
