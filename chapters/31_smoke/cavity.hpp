// The heated cavity and what others have found in it, for the window, the numbers and the tests of
// this chapter. These are templates, so that every later chapter can fill its own Fluid.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// What a paper prints for one Rayleigh number: the mean Nusselt number, and the largest velocities
/// across the vertical and along the horizontal centreline, in kappa over the width of the box.
struct HeatedCavity {
    double rayleigh, nusselt, u_max, v_max;
};

/// De Vahl Davis 1983, table I and its companions: air between a warm wall and a cold one.
inline constexpr std::array<HeatedCavity, 4> de_vahl_davis = {{
    {1e3, 1.118, 3.649, 3.697},
    {1e4, 2.243, 16.178, 19.617},
    {1e5, 4.519, 34.73, 68.59},
    {1e6, 8.800, 64.63, 219.36},
}};

inline constexpr double prandtl = 0.71;  ///< of air: nu / kappa

/// Makes the left wall warm, at 0.5, and the right one cold, at -0.5, and the fluid as viscous and
/// as conducting as the Rayleigh number says: beta width^3 / (nu kappa), with nu / kappa = 0.71.
/// Where the fluid is one degree warmer it is pushed up with one width of the box a second squared.
template <class Fluid>
void begin_heated_cavity(Fluid& fluid, double rayleigh) {
    const double width = fluid.h * fluid.nx;
    fluid.alpha = fluid.cooling = fluid.epsilon = 0.0;
    fluid.beta = width;
    fluid.kappa = width * width / std::sqrt(prandtl * rayleigh);
    fluid.nu = prandtl * fluid.kappa;
    for (const int side : {0, 1}) {
        fluid.sides[side].heats = true;
        fluid.sides[side].temperature = side == 0 ? 0.5 : -0.5;
    }
}

/// The length of a step, such that the flow settles in 3000 of them: a thousandth of the time in
/// which heat crosses the layers along the walls, width^2 / (kappa Ra^(1/4)).
template <class Fluid>
double heated_cavity_dt(const Fluid& fluid, double rayleigh) {
    const double width = fluid.h * fluid.nx;
    return 0.001 * width * width / (fluid.kappa * std::sqrt(std::sqrt(rayleigh)));
}

/// The heat that crosses X face (i, j, k) to the right, for each area of it and each second: what
/// the flow carries, and what spreads. Half a cell lies between a wall and the middle of its cell.
template <class Fluid>
double heat_flux(const Fluid& fluid, int i, int j, int k) {
    const auto& t = fluid.temperature;
    if (i == 0 || i == fluid.nx) {
        const auto& wall = fluid.sides[i == 0 ? 0 : 1];
        const double inside = t(i == 0 ? 0 : fluid.nx - 1, j, k);
        const double difference = i == 0 ? inside - wall.temperature : wall.temperature - inside;
        return wall.heats ? -2.0 * fluid.kappa * difference / fluid.h : 0.0;
    }
    return 0.5 * fluid.u(i, j, k) * (t(i - 1, j, k) + t(i, j, k)) -
           fluid.kappa * (t(i, j, k) - t(i - 1, j, k)) / fluid.h;
}

/// The heat that crosses all X faces of column i, over what would cross by conduction alone: the
/// Nusselt number there. 0 if both walls are equally warm, or heat does not spread.
template <class Fluid>
double nusselt_of_column(const Fluid& fluid, int i) {
    const double apart = fluid.sides[0].temperature - fluid.sides[1].temperature;
    const double alone = fluid.kappa * apart / (fluid.h * fluid.nx);
    if (!fluid.sides[0].heats || !fluid.sides[1].heats || alone == 0.0) {
        return 0.0;
    }
    double sum = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            sum += heat_flux(fluid, i, j, k);
        }
    }
    return sum / (alone * fluid.ny * fluid.nz);
}

/// The mean Nusselt number of the whole volume. The walls count half: only half a cell lies there.
template <class Fluid>
double mean_nusselt(const Fluid& fluid) {
    double sum = 0.5 * (nusselt_of_column(fluid, 0) + nusselt_of_column(fluid, fluid.nx));
    for (int i = 1; i < fluid.nx; ++i) {
        sum += nusselt_of_column(fluid, i);
    }
    return sum / fluid.nx;
}

/// What the fluid has of the table: its mean Nusselt number and largest velocities.
template <class Fluid>
HeatedCavity heated_cavity_of(const Fluid& fluid, double rayleigh) {
    const double width = fluid.h * fluid.nx;
    HeatedCavity found = {rayleigh, mean_nusselt(fluid), 0.0, 0.0};
    const double unit = fluid.kappa / width;
    for (int n = 0; n < fluid.nx; ++n) {
        const double along = fluid.h * (n + 0.5), middle = 0.5 * width,
                     z = 0.5 * fluid.h * fluid.nz;
        found.u_max =
            std::max(found.u_max, interpolate(fluid.u, fluid.h, {middle, along, z}) / unit);
        found.v_max =
            std::max(found.v_max, interpolate(fluid.v, fluid.h, {along, middle, z}) / unit);
    }
    return found;
}
