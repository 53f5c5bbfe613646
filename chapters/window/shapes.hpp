// Bodies in the flow: their shapes, and which cells they make solid.
// These are templates, so that each chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

/// What a body is, seen from the front. It is as deep as the box, but for a sphere, whose middle
/// lies in the middle of the box's depth.
enum class BodyShape { CIRCLE, SQUARE, AEROFOIL, PAINTED, SPHERE };

/// A body. Lengths are in the unit of the width h of a cell, from the corner of the box.
struct Body {
    BodyShape shape = BodyShape::CIRCLE;
    double x = 0.0, y = 0.0;  ///< its middle: for an aerofoil the middle of its chord
    double size = 0.0;  ///< a circle's or sphere's diameter, a square's side, an aerofoil's chord
    double angle =
        0.0;  ///< turned so far against the clock, in radians: an aerofoil's nose goes down
    double velocity_x = 0.0, velocity_y = 0.0;
    std::vector<bool> painted = {};  ///< of a painted body: which cells of a layer, row after row
};

/// Half the thickness of a symmetric aerofoil at the place x behind its nose, both in chords
/// (Jacobs, Ward and Pinkerton 1933, NACA report 460; 0015 is 15 % thick). It is closed at its end.
inline double half_thickness(double x) {
    constexpr double thickness = 0.15;
    return 5.0 * thickness *
           (0.2969 * std::sqrt(x) - 0.1260 * x - 0.3516 * x * x + 0.2843 * x * x * x -
            0.1036 * x * x * x * x);
}

/// Returns whether a place lies in the outline of the body. (A painted body knows cells only: see
/// covers.)
inline bool is_inside(const Body& body, double x, double y) {
    const double c = std::cos(body.angle), s = std::sin(body.angle);
    const double along = (c * (x - body.x) - s * (y - body.y)) / body.size;  // y points down
    const double across = (s * (x - body.x) + c * (y - body.y)) / body.size;
    if (!(body.size > 0.0)) {
        return false;
    }
    if (body.shape == BodyShape::CIRCLE || body.shape == BodyShape::SPHERE) {
        return along * along + across * across < 0.25;
    }
    if (body.shape == BodyShape::SQUARE) {
        return std::abs(along) < 0.5 && std::abs(across) < 0.5;
    }
    return std::abs(along) < 0.5 && std::abs(across) < half_thickness(along + 0.5);
}

/// Returns whether the outline of the body covers cell (i, j): whether the middle of the cell lies
/// in it.
template <class Fluid>
bool covers(const Body& body, const Fluid& fluid, int i, int j) {
    if (body.shape == BodyShape::PAINTED) {
        const auto cell = static_cast<std::size_t>(i + fluid.nx * j);
        return cell < body.painted.size() && body.painted[cell];
    }
    return is_inside(body, fluid.h * (i + 0.5), fluid.h * (j + 0.5));
}

/// Returns whether the body covers cell (i, j, k).
template <class Fluid>
bool covers(const Body& body, const Fluid& fluid, int i, int j, int k) {
    if (body.shape != BodyShape::SPHERE) {
        return covers(body, fluid, i, j);
    }
    const double depth = fluid.h * (k + 0.5 - 0.5 * fluid.nz);
    Body circle = body;  // what this layer cuts out of the sphere
    circle.size = std::sqrt(std::max(0.0, body.size * body.size - 4.0 * depth * depth));
    return covers(circle, fluid, i, j);
}

/// The velocity that the bodies give to a face between two cells: that of the last body that covers
/// one of them, or 0. `part` names the part of it.
template <class Fluid>
double velocity_between(const std::vector<Body>& bodies, const Fluid& fluid, int i, int j, int k,
                        double Body::*part) {
    const int di = part == &Body::velocity_x, dj = part == &Body::velocity_y;
    double velocity = 0.0;
    for (const Body& body : bodies) {
        if (covers(body, fluid, i, j, k) || covers(body, fluid, i - di, j - dj, k)) {
            velocity = body.*part;
        }
    }
    return velocity;
}

/// Puts bodies into the fluid instead of those that were there: makes the cells solid that they
/// cover, takes their dye, and gives their faces the velocity of the body. The outermost faces of
/// the box stay what they are, since an inflow may use them. Returns how many cells are solid: 0 if
/// the bodies are outside of the box, or smaller than a cell and between the middles of cells.
template <class Fluid>
int place_bodies(Fluid& fluid, const std::vector<Body>& bodies) {
    int count = 0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const bool is_solid =
                    std::any_of(bodies.begin(), bodies.end(),
                                [&](const Body& body) { return covers(body, fluid, i, j, k); });
                fluid.solid(i, j, k) = is_solid ? 1.0 : 0.0;
                count += is_solid;
                if (is_solid) {
                    fluid.density(i, j, k) = 0.0;
                }
                if (i > 0) {
                    fluid.u_given(i, j, k) =
                        velocity_between(bodies, fluid, i, j, k, &Body::velocity_x);
                }
                if (j > 0) {
                    fluid.v_given(i, j, k) =
                        velocity_between(bodies, fluid, i, j, k, &Body::velocity_y);
                }
                if (k > 0) {
                    fluid.w_given(i, j, k) = 0.0;
                }
            }
        }
    }
    set_bnd(fluid);
    return count;
}
