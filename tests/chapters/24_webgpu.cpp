// What the functions of 22_cells make of random cells, as JSON on standard output. The tests of
// 24_webgpu compare its kernels with that.
//
// usage: cells_of_22 N SEED
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "22_cells/solver.hpp"

namespace {

constexpr BoundaryType all_types[] = {BoundaryType::SCALAR, BoundaryType::VELOCITY_HORIZONTAL,
                                      BoundaryType::VELOCITY_VERTICAL,
                                      BoundaryType::VELOCITY_DEPTH};
constexpr float dt =
    0.3f;  // at a velocity of 1 a step crosses 3.6 cells of N = 14: some leave the cube
constexpr float a = 0.3f;
constexpr float c = 1.0f + 6.0f * a;

std::mt19937 random_bits;

/// Random numbers from -1 to 1 in the fluid, and walls as a field of that type has them.
Field random_field(int N, BoundaryType boundary) {
    Field field(N);
    for_each_cell(N, [&](int i, int j, int k) {
        field(i, j, k) = static_cast<float>(random_bits() % 20001) / 10000.0f - 1.0f;
    });
    set_bnd(boundary, field);
    return field;
}

void print(const std::string& name, const Field& field) {
    std::printf(",\n\"%s\": [", name.c_str());
    const char* before = "";
    for (const float cell : field.cells) {
        std::printf("%s%.9g", before, double{cell});
        before = ",";
    }
    std::printf("]");
}

/// What a function returns for each fluid cell; 0 in the walls.
template <class Function>
void print_of_cells(const std::string& name, int N, const Function& function) {
    Field result(N);
    for_each_cell(N, [&](int i, int j, int k) { result(i, j, k) = function(i, j, k); });
    print(name, result);
}

struct Inputs {
    Field x0, u, v, w, pressure;

    explicit Inputs(int N)
        : x0(random_field(N, BoundaryType::SCALAR)),
          u(random_field(N, BoundaryType::VELOCITY_HORIZONTAL)),
          v(random_field(N, BoundaryType::VELOCITY_VERTICAL)),
          w(random_field(N, BoundaryType::VELOCITY_DEPTH)),
          pressure(random_field(N, BoundaryType::SCALAR)) {}
};

void print_functions(const Inputs& in, const Field& x) {
    const int N = x.N;
    const Flow flow = {in.u, in.v, in.w};
    const float dt0 = dt * static_cast<float>(N - 2);
    print_of_cells("neighbours_at", N,
                   [&](int i, int j, int k) { return neighbours_at(x, i, j, k); });
    print_of_cells("relaxed_at", N, [&](int i, int j, int k) {
        return (in.x0(i, j, k) + a * neighbours_at(x, i, j, k)) * (1.0f / c);
    });
    print_of_cells("interpolate", N, [&](int i, int j, int k) {
        return interpolate(in.x0, departure_at(flow, dt0, i, j, k));
    });
    print_of_cells("divergence_at", N,
                   [&](int i, int j, int k) { return divergence_at(flow, i, j, k); });
    print_of_cells("gradient_x", N,
                   [&](int i, int j, int k) { return gradient_at(in.pressure, i, j, k).x; });
    print_of_cells("gradient_y", N,
                   [&](int i, int j, int k) { return gradient_at(in.pressure, i, j, k).y; });
    print_of_cells("gradient_z", N,
                   [&](int i, int j, int k) { return gradient_at(in.pressure, i, j, k).z; });
    print_of_cells("colour_of", N, [&](int i, int j, int k) {
        return colour_of(i, j, k) == Colour::RED ? 0.0f : 1.0f;
    });
}

/// The loops, walls included, for each type of field.
void print_loops(const Inputs& in) {
    const int N = in.x0.N;
    for (const BoundaryType boundary : all_types) {
        const std::string type = std::to_string(static_cast<int>(boundary));
        Field x = random_field(N, boundary);
        print("x_" + type, x);
        lin_solve(boundary, x, in.x0, a, c, 2);
        print("lin_solve_" + type, x);
        advect(boundary, x, in.x0, {in.u, in.v, in.w}, dt);
        print("advect_" + type, x);
    }
    Field u = in.u, v = in.v, w = in.w, pressure(N), divergence(N);
    project(u, v, w, pressure, divergence, 3);
    print("divergence", divergence);
    print("projected_pressure", pressure);
    print("projected_u", u);
    print("projected_v", v);
    print("projected_w", w);
}

}  // namespace

int main(int count, char** words) {
    const int N = count == 3 ? std::atoi(words[1]) : 0;
    if (N < 3 || N > 64) {
        std::fprintf(stderr, "usage: cells_of_22 N SEED, where N is from 3 to 64\n");
        return 2;
    }
    random_bits.seed(static_cast<std::uint32_t>(std::atoi(words[2])));
    const Inputs in(N);
    std::printf("{\"N\": %d, \"dt\": %.9g, \"a\": %.9g, \"c\": %.9g", N, double{dt}, double{a},
                double{c});
    print("x0", in.x0);
    print("u", in.u);
    print("v", in.v);
    print("w", in.w);
    print("pressure", in.pressure);
    const Field x = random_field(N, BoundaryType::SCALAR);
    print("x", x);
    print_functions(in, x);
    print_loops(in);
    std::printf("}\n");
    return 0;
}
