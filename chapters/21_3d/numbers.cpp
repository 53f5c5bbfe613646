// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "window/slips.hpp"

namespace {

using namespace workbook;

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 1; k < fluid.u.N - 1; ++k) {
        for (int j = 1; j < fluid.u.N - 1; ++j) {
            for (int i = 1; i < fluid.u.N - 1; ++i) {
                const double here =
                    std::abs(double{divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k)});
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
    return largest;
}

double rms_divergence(const Fluid& fluid) {
    const int N = fluid.u.N;
    double sum = 0.0;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                sum += std::pow(divergence_at({fluid.u, fluid.v, fluid.w}, i, j, k), 2);
            }
        }
    }
    return std::sqrt(sum / std::pow(N - 2.0, 3));
}

/// u = sin(pi x) cos(pi y) in a cube whose walls are counted in N.
FluidWithSlips wave(int N) {
    FluidWithSlips fluid(N);
    const double pi = std::acos(-1.0);
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                const double x = (i - 0.5) / (N - 2);
                const double y = (j - 0.5) / (N - 2);
                fluid.u(i, j, k) = static_cast<float>(std::sin(pi * x) * std::cos(pi * y));
            }
        }
    }
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, fluid.u);
    return fluid;
}

void add_projection_numbers(Numbers& numbers) {
    const std::string in_double = "in double precision";
    const double before = rms_divergence(wave(18));
    const double h = 1.0 / 16.0;
    numbers.checked("N = 18, a wave: largest h div", 0.1932, h * largest_divergence(wave(18)), 1e-4,
                    in_double);
    for (const auto& [sweeps, kept] :
         {std::pair(4, 0.9147), {20, 0.6390}, {100, 0.1084}, {400, 0.0097}}) {
        FluidWithSlips fluid = wave(18);
        project(fluid.u, fluid.v, fluid.w, fluid.pressure, fluid.divergence, sweeps);
        numbers.checked("  keeps of its divergence, " + std::to_string(sweeps) + " sweeps", kept,
                        rms_divergence(fluid) / before, 1e-4, in_double);
        if (sweeps == 4) {
            numbers.checked("  its largest h div then", 0.2123, h * largest_divergence(fluid), 1e-4,
                            in_double);
        }
    }
    FluidWithSlips fluid = wave(18);
    fluid.slips.divergence = true;
    project_with_slips(fluid);
    numbers.checked("slip divergence: its largest h div", 10.57, h * largest_divergence(fluid),
                    0.01, in_double);
}

/// What four sweeps of diffusion leave of error at a = 1, over the largest value.
double diffusion_error(bool slip) {
    FluidWithSlips fluid = wave(18);
    fluid.visc = 10.0f / 256.0f;  // a = 1 in a tenth of a second
    fluid.project_velocity = false;
    fluid.advect_velocity = false;
    FluidWithSlips exact = fluid;
    exact.iterations = 400;
    fluid.slips.first_guess = slip;
    velocity_step(fluid, 0.1f);
    velocity_step(exact, 0.1f);
    double error = 0.0;
    double largest = 0.0;
    for (std::size_t cell = 0; cell < fluid.u.cells.size(); ++cell) {
        error = std::max(error, std::abs(double{fluid.u.cells[cell]} - exact.u.cells[cell]));
        largest = std::max(largest, std::abs(double{exact.u.cells[cell]}));
    }
    return error / largest;
}

/// What a cell reads where dye is 1 everywhere and a gale blows out of an edge, or out of a corner.
double read_in_gale(Slips slips, float w) {
    FluidWithSlips fluid(8);
    fluid.slips = slips;
    fluid.diff = 0.0f;
    fluid.diffuse_velocity = fluid.advect_velocity = fluid.project_velocity = false;
    std::fill(fluid.density.cells.begin(), fluid.density.cells.end(), 1.0f);
    std::fill(fluid.u.cells.begin(), fluid.u.cells.end(), 100.0f);
    std::fill(fluid.v.cells.begin(), fluid.v.cells.end(), 100.0f);
    std::fill(fluid.w.cells.begin(), fluid.w.cells.end(), w);
    step(fluid, 0.1f);
    return fluid.density(4, 4, 4);
}

/// What one step makes of a checkerboard of 1 and -1 at a = 1/4, in a cell of the middle.
double checkerboard_after(bool explicit_update) {
    FluidWithSlips fluid(12);
    fluid.slips.explicit_update = explicit_update;
    fluid.diff = 0.25f;  // a = dt diff 10 10
    fluid.iterations = 100;
    fluid.diffuse_velocity = fluid.advect_velocity = fluid.project_velocity = false;
    for (int k = 1; k < 11; ++k) {
        for (int j = 1; j < 11; ++j) {
            for (int i = 1; i < 11; ++i) {
                fluid.density(i, j, k) = (i + j + k) % 2 == 0 ? 1.0f : -1.0f;
            }
        }
    }
    set_bnd(BoundaryType::SCALAR, fluid.density);
    step(fluid, 0.01f);
    return fluid.density(6, 6, 6);
}

void add_slip_numbers(Numbers& numbers) {
    numbers.checked("a constant 1, read at an edge and at a corner", {1, 1},
                    {read_in_gale({}, 0.0f), read_in_gale({}, 100.0f)}, 1e-6, "a constant");
    Slips slips;
    slips.edges = true;
    numbers.checked("  slip edges", {0.75, 0.5},
                    {read_in_gale(slips, 0.0f), read_in_gale(slips, 100.0f)}, 1e-6,
                    "2 and 4 of 8 cells are edges");
    slips = {};
    slips.corners = true;
    numbers.checked("  slip corners", 0.99875, read_in_gale(slips, 100.0f), 1e-6, "(7 + 0.99) / 8");
    slips = {};
    slips.corner_index = true;
    numbers.checked("  slip corner index", 23.0 / 24.0, read_in_gale(slips, -100.0f), 1e-6,
                    "(7 + 2/3) / 8");
    numbers.checked("diffusion at a = 1, four sweeps err by", 0.0325, diffusion_error(false), 1e-4,
                    "400 sweeps");
    numbers.checked("  slip first guess", 0.4227, diffusion_error(true), 1e-4, "400 sweeps");
    const int N = 64;
    const Source far = source_at(1e9f, 1e9f, 1e9f, N + 2);
    numbers.checked("slip clamp, N = 64: numbers behind the end", 8322,
                    far.i0 + 1 + N * (far.j0 + 1 + N * (far.k0 + 1)) - (N * N * N - 1), 0.0,
                    "2 N N + 2 N + 2");
    numbers.checked("a checkerboard at a = 1/4, one step", 0.25, checkerboard_after(false), 1e-3,
                    "1 / (1 + 12 a), inside");
    numbers.checked("  slip explicit update", -2.0, checkerboard_after(true), 1e-5, "1 - 12 a");
    numbers.checked("GB for 1000 x 1000 x 1000: his eight arrays", 32,
                    8 * 1e9 * sizeof(float) / 1e9, 0.0, "8 x 4 bytes x 1000^3");
    numbers.checked("  our ten", 40, 10 * 1e9 * sizeof(float) / 1e9, 0.0, "10 x 4 bytes x 1000^3");
}

}  // namespace

bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("21_3d: the article's numbers beside ours");
    const Fluid fluid(18);
    numbers.setting("sweeps", 4, fluid.iterations, "Ash, FluidCubeStep");
    Field x(18);
    Field x0(18);
    x0(8, 8, 8) = 1.0f;
    diffuse(BoundaryType::SCALAR, x, x0, 1.0f / 256.0f, 1.0f, 1);
    numbers.printed("a = dt diff (N-2)(N-2) = 1: c = 1 + 6 a", 7, 1.0 / x(8, 8, 8), "Ash, diffuse");
    numbers.checked("  a neighbour gets a / c of it", 1.0 / 49.0, x(9, 8, 8), 1e-7, "by hand");
    add_projection_numbers(numbers);
    add_slip_numbers(numbers);
    return numbers.print();
}
