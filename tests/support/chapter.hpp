// The chapter under test: its solver, and one way to call what a later chapter gave another
// argument. (In 05 the operators begin to ask what a field holds; `{}` stands for the first answer,
// a scalar.)
#pragma once

#include <cstdint>
#include <string>

#include "solver.hpp"

template <class Field>
void call_advect(Field& d, const Field& d0, const Field& u, const Field& v, float dt) {
    if constexpr (requires { advect(d, d0, u, v, dt); }) {
        advect(d, d0, u, v, dt);
    } else {
        advect({}, d, d0, u, v, dt);
    }
}

template <class Field>
void call_lin_solve(Field& x, const Field& x0, float a, float c, int iterations) {
    if constexpr (requires { lin_solve(x, x0, a, c, iterations); }) {
        lin_solve(x, x0, a, c, iterations);
    } else {
        lin_solve({}, x, x0, a, c, iterations);
    }
}

template <class Field>
void call_diffuse(Field& x, const Field& x0, float rate, float dt, int iterations) {
    if constexpr (requires { diffuse(x, x0, rate, dt, iterations); }) {
        diffuse(x, x0, rate, dt, iterations);
    } else {
        diffuse({}, x, x0, rate, dt, iterations);
    }
}

/// Switches projection off, in chapters that have it.
template <class Fluid>
void without_projection(Fluid& fluid) {
    if constexpr (requires { fluid.project_velocity; }) {
        fluid.project_velocity = false;
    }
}

/// Switches off whatever the chapter's step does beyond moving and fading the dye.
template <class Fluid>
void only_move_and_fade(Fluid& fluid) {
    if constexpr (requires { fluid.density_diffuse_rate; }) {
        fluid.density_diffuse_rate = 0.0f;
    }
    if constexpr (requires { fluid.diffuse_velocity; }) {
        fluid.diffuse_velocity = false;
        fluid.advect_velocity = false;
    }
    without_projection(fluid);
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine. Walls too.
template <class Field = ::Field>
Field bumpy(int N, std::uint32_t seed) {
    Field field(N);
    for (float& cell : field.cells) {
        seed = seed * 1664525u + 1013904223u;
        cell = static_cast<float>(seed >> 8) / 8388608.0f - 1.0f;
    }
    return field;
}

/// The sum over the fluid cells.
template <class Field>
double total(const Field& field) {
    double sum = 0.0;
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            sum += field(i, j);
        }
    }
    return sum;
}

/// The largest difference of two fields in a fluid cell.
template <class Field>
double distance(const Field& a, const Field& b) {
    double largest = 0.0;
    for (int j = 1; j <= a.N; ++j) {
        for (int i = 1; i <= a.N; ++i) {
            const double difference = static_cast<double>(a(i, j)) - b(i, j);
            largest = difference > largest    ? difference
                      : -difference > largest ? -difference
                                              : largest;
        }
    }
    return largest;
}

inline std::string cell_name(int i, int j) {
    return "cell (" + std::to_string(i) + ", " + std::to_string(j) + ")";
}
