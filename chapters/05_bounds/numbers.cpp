// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

namespace {

/// The sum over the fluid cells.
double total(const Field& field) {
    double sum = 0.0;
    for (int j = 1; j <= field.N; ++j) {
        for (int i = 1; i <= field.N; ++i) {
            sum += field(i, j);
        }
    }
    return sum;
}

}  // namespace

bool numbers(const Program&) {
    Fluid fluid(16);
    const float dt = 1.0f / 60.0f;
    const auto dye_one_at = [&](int i, int j) {
        Field x(16);
        x(i, j) = 1.0f;
        const Field x0 = x;
        diffuse(BoundaryType::SCALAR, x, x0, fluid.density_diffuse_rate, dt,
                fluid.density_diffuse_iterations);
        return x;
    };
    const Field middle = dye_one_at(8, 8);
    const Field corner = dye_one_at(1, 1);

    Numbers numbers("05_bounds: the tutorial's numbers beside ours");
    const std::string in_double = "in double precision";
    numbers.checked("dye 1 at (8, 8): stays there", 0.909078001, middle(8, 8), 1e-6, in_double);
    numbers.checked("  in each neighbour", 0.021167858, middle(9, 8), 1e-6, in_double);
    numbers.checked("  in each diagonal one", 0.000984720, middle(9, 9), 1e-6, in_double);
    numbers.checked("  in all cells", 1, total(middle), 1e-6, in_double);
    numbers.checked("dye 1 at (1, 1): stays there", 0.952398, corner(1, 1), 1e-6, in_double);
    numbers.checked("  in all cells: nothing is lost", 1, total(corner), 1e-6, in_double);

    Field x(16);
    x(1, 1) = 3.0f;
    set_bnd(BoundaryType::SCALAR, x);
    numbers.checked("3 in cell (1, 1): wall (0, 1), dye", 3, x(0, 1), 0, "copied");
    numbers.checked("  corner (0, 0), dye", 3, x(0, 0), 0, "(3 + 3) / 2");
    set_bnd(BoundaryType::VELOCITY_HORIZONTAL, x);
    numbers.checked("  wall (0, 1), u", -3, x(0, 1), 0, "mirrored");
    numbers.checked("  wall (1, 0), u", 3, x(1, 0), 0, "copied: free slip");
    numbers.checked("  corner (0, 0), u", 0, x(0, 0), 0, "(3 - 3) / 2");
    return numbers.print();
}
