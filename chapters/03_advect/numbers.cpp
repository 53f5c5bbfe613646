// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <algorithm>
#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

bool numbers(const Program&) {
    const Source source = source_at(7.3f, 4.8f, 16);
    Numbers numbers("03_advect: the tutorial's numbers beside ours");
    const std::string flow = "Skupnik, Let's get the flow going";
    numbers.printed("(7.3, 4.8): s0", 0.7, source.s0, flow);
    numbers.printed("(7.3, 4.8): s1", 0.3, source.s1, flow);
    numbers.printed("(7.3, 4.8): t0", 0.2, source.t0, flow);
    numbers.printed("(7.3, 4.8): t1", 0.8, source.t1, flow);
    numbers.printed("i0", 7, source.i0, flow);
    numbers.printed("j0", 4, source.j0, flow);
    numbers.checked("weight of (7, 4)", 0.14, source.s0 * source.t0, 1e-6, "0.7 * 0.2");
    numbers.checked("weight of (8, 4)", 0.06, source.s1 * source.t0, 1e-6, "0.3 * 0.2");
    numbers.checked("weight of (7, 5)", 0.56, source.s0 * source.t1, 1e-6, "0.7 * 0.8");
    numbers.checked("weight of (8, 5)", 0.24, source.s1 * source.t1, 1e-6, "0.3 * 0.8");

    Fluid fluid(16);
    fluid.density(5, 9) = 1.0f;
    std::fill(fluid.u.cells.begin(), fluid.u.cells.end(), 3.0f);
    std::fill(fluid.v.cells.begin(), fluid.v.cells.end(), -2.0f);
    const Field before = fluid.density;
    advect(fluid.density, before, fluid.u, fluid.v, 1.0f / 16.0f);
    numbers.checked("u 3, v -2, dt 1/16: all dye at (8, 7)", 1, fluid.density(8, 7), 0,
                    "dt * N * u = 3 cells");
    return numbers.print();
}
