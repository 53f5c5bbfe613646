// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/colour.hpp"

using namespace workbook;

bool numbers(const Program&) {
    const Field field(16);
    const Cell clicked = cell_from_mouse(250.0f, 140.0f, 32.0f);
    Fluid fluid(16);
    for (int click = 0; click < 3; ++click) {
        add_density(fluid, 7, 4, 1.0f);
    }
    const bool full = sequential_colour(fluid.density(7, 4)) == sequential_colour(1.0f);

    Numbers numbers("01_grid: the tutorial's numbers beside ours");
    const std::string grid = "Skupnik, The journey begins with a grid";
    numbers.setting("N", 16, field.N, grid);
    const Size size = natural_size(18, 18);
    const View view = view_in(area_above_text(size.width, size.height), 18, 18, true);
    numbers.setting("cell_size", 32, view.cell, grid);
    numbers.checked("cells, walls included", 324, static_cast<double>(field.cells.size()), 0,
                    "by hand: 18 * 18");
    numbers.checked("IX(7, 4)", 79, field.IX(7, 4), 0, "by hand: 7 + 18 * 4");
    numbers.checked("IX(4, 7)", 130, field.IX(4, 7), 0, "by hand: 4 + 18 * 7");
    numbers.checked("IX(17, 17), the last", 323, field.IX(17, 17), 0, "by hand: 17 + 18 * 17");
    numbers.checked("the mouse at (250, 140): i", 7, clicked.i, 0, "by hand: 250 / 32 = 7.8");
    numbers.checked("the mouse at (250, 140): j", 4, clicked.j, 0, "by hand: 140 / 32 = 4.4");
    numbers.checked("density after three clicks", 3, fluid.density(7, 4), 0, "1 a click");
    numbers.checked("shown like density 1 (yes: 1)", 1, full ? 1 : 0, 0, "the display clamps");
    return numbers.print();
}
