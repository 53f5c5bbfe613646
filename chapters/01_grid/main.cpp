// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include "common/app/program.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

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

/// What the window shows of `fluid`, and what the mouse and the keys do to it.
Program make_program(Fluid& fluid) {
    Program program("01_grid", "The journey begins with a grid");
    program.simulation.reset = [&](int N) { fluid = Fluid(N); };
    program.simulation.step = [](float) {};  // nothing moves yet
    program.look.cell_from_mouse = [](float x, float y, float cell_size) -> GridCell {
        const Cell cell = cell_from_mouse(x, y, cell_size);
        return {cell.i, cell.j};
    };
    program.look.index = [&](int i, int j) { return fluid.density.IX(i, j); };
    program.simulation.stroke = [&](const Stroke& stroke) {
        add_density(fluid, stroke.i, stroke.j, 1.0f);
    };
    program.description.state = {
        {"density", [&](int i, int j) -> float& { return fluid.density(i, j); }},
    };
    program.simulation.arrays = 1;
    program.description.fields = {
        {"dye", [&](int i, int j) { return fluid.density(i, j); }, 1.0f, false, "in a cell"},
    };
    program.description.readouts = {{"dye", [&] { return total(fluid.density); }}};
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Fluid fluid(16);
    Program program = make_program(fluid);
    program.numbers = numbers;

    return program.run(argc, argv);
}
