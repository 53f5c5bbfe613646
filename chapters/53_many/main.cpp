// The window of this chapter: a fluid that several ranks share, and what each of them does.
#include "many.hpp"

#include "53_many/ranks_window.hpp"
#include "window/direct.hpp"
#include "window/grids.hpp"
#include "window/residuals.hpp"
#include "window/sweeps.hpp"
#include "window/window.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

int main(int argc, char** argv) {
    const many::Session session(argc, argv);  // beyond this there is only the first rank
    Window<Fluid> window("53_many", "Past one machine", {64, 64, 1});
    add_residual(window);
    add_residual_field(window);
    add_noise(window);
    show_grids(window);
    window.new_in_this_chapter();
    many::RanksWindow ranks(window);
    limit_direct(window);
    show_residuals(window);  // above the ranks' borders
    window.bring_forward("tolerance");
    window.bring_forward("iterations");
    return window.run(argc, argv, numbers);
}
