// The table behind --numbers: what searches leave of J, and what they find.
#include "solver.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "62_control/letters.hpp"
#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "window/flows.hpp"

namespace {

const std::string recorded = "as recorded";
const std::string made_with = "with which they were made";

/// A disk of dye in the middle of n x n cells is to be an S after a second.
Task letter_task(int n, int steps, Control control) {
    Fluid start(n, n, 1);
    start.h = 1.0 / n;
    start.tolerance = 1e-6;
    const Field letter = soft_letter(start, 'S');
    fill_disk(start.density, letter);
    return {start, {{steps, letter}}, steps, 1.0 / steps, control};
}

/// Whether a search has made fewer evaluations than it may.
bool goes_on(const Search& search, int evaluations) {
    return !search.is_done && static_cast<int>(search.history.size()) < evaluations;
}

/// The search after so many evaluations.
Search searched(const Task& task, Method method, int evaluations) {
    const Fluid& start = task.start;
    const std::size_t faces = start.u.values.size() + start.v.values.size() + start.w.values.size();
    const auto function = [&task](const Numbers& numbers) { return evaluate(task, numbers); };
    Search search = begin_search(function, Numbers(faces, 0.0), method, 0.3);
    for (int steps = 0; steps < evaluations && goes_on(search, evaluations); ++steps) {
        search_step(search, function);
    }
    return search;
}

/// J after so many evaluations.
double J_after(const Search& search, std::size_t evaluations) {
    const std::vector<double>& history = search.history;
    return history[std::min(evaluations, history.size()) - 1];
}

double mean_square(const Numbers& numbers) {
    return dot(numbers, numbers) / static_cast<double>(numbers.size());
}

/// How many evaluations a search takes down a valley that bends (Rosenbrock 1960).
int evaluations_in_valley(Method method) {
    const auto valley = [](const std::vector<double>& x) {
        const double a = 1.0 - x[0];
        const double b = x[1] - x[0] * x[0];
        return Value{a * a + 100.0 * b * b, {-2.0 * a - 400.0 * x[0] * b, 200.0 * b}};
    };
    Search search = begin_search(valley, {-1.2, 1.0}, method, 0.1);
    for (int steps = 0; steps < 20000 && search.value.J > 1e-8 && !search.is_done; ++steps) {
        search_step(search, valley);
    }
    return static_cast<int>(search.history.size());
}

void add_small_letter(workbook::Numbers& numbers) {
    const Task task = letter_task(24, 20, Control::FIRST_VELOCITY);
    const Search descent = searched(task, Method::DESCENT, 60);
    const Search bfgs = searched(task, Method::BFGS, 60);
    numbers.checked("24 x 24 cells, 20 steps: J after 20 evaluations, descent", 0.1640,
                    J_after(descent, 20), 0.003, recorded);
    numbers.checked("  after 60", 0.0894, J_after(descent, 60), 0.003, recorded);
    numbers.checked("  L-BFGS, after 20", 0.0627, J_after(bfgs, 20), 0.003, recorded);
    numbers.checked("  after 60", 0.0445, J_after(bfgs, 60), 0.003, recorded);
    numbers.checked("  its push, mean square", 0.0643, mean_square(bfgs.x), 0.003, recorded);
    Task dear = task;
    dear.price = 0.5;
    const Search thrifty = searched(dear, Method::BFGS, 60);
    const double paid = 0.5 * dear.price * mean_square(thrifty.x);
    numbers.checked("  with a price of 0.5: mismatch", 0.0462, thrifty.value.J - paid, 0.003,
                    recorded);
    numbers.checked("  its push, mean square", 0.0364, mean_square(thrifty.x), 0.003, recorded);
}

/// Four vortices without any dye.
Fluid four_vortices() {
    Fluid fluid(24, 24, 1);
    fluid.h = 1.0 / 24;
    set_vortices(fluid, 2);
    return fluid;
}

/// What is unknown about `fluid` is to be found from ten pictures of its dye, after each second
/// step. All else is as in `start`.
Task task_of_pictures(const Fluid& start, Fluid fluid, Control control) {
    Task task = {start, {}, 20, 0.05, control};
    for (int n = 1; n <= task.steps; ++n) {
        step(fluid, task.dt);
        if (n % 2 == 0) {
            task.targets.push_back({n, fluid.density});
        }
    }
    return task;
}

/// The viscosity that a search finds from ten pictures of the dye in four vortices.
double found_viscosity(double nu) {
    Fluid start = four_vortices();
    set_dye(start, [](double x, double y) { return std::hypot(x - 0.4, y - 0.45) < 0.2; });
    Fluid fluid = start;
    fluid.nu = nu;
    const Task task = task_of_pictures(start, fluid, Control::VISCOSITY);
    const auto function = [&task](const std::vector<double>& x) { return evaluate(task, x); };
    Search search = begin_search(function, {std::log(0.01)}, Method::BFGS, 0.5);
    for (int steps = 0; steps < 30 && search.value.J > 1e-14 && !search.is_done; ++steps) {
        search_step(search, function);
    }
    return std::exp(search.x[0]);
}

/// How much dye some sources give in a second, and the place of their middle, in box widths.
struct Source {
    double strength, x, y;
};

Source as_one(const Field& sources) {
    Source one = {0.0, 0.0, 0.0};
    for_each_point(sources, [&](int i, int j, int k) {
        one.strength += sources(i, j, k);
        one.x += sources(i, j, k) * (i + 0.5) / sources.nx;
        one.y += sources(i, j, k) * (j + 0.5) / sources.ny;
    });
    return {one.strength, one.x / one.strength, one.y / one.strength};
}

/// A cell of four vortices has a source. A search finds it from ten pictures of the dye, where each
/// of the 576 cells may have one.
void add_found_source(workbook::Numbers& numbers) {
    const Fluid start = four_vortices();
    Fluid fluid = start;
    fluid.source(7, 15, 0) = 40.0;
    const Task task = task_of_pictures(start, fluid, Control::SOURCE);
    const auto function = [&task](const std::vector<double>& x) { return evaluate(task, x); };
    Search search =
        begin_search(function, Numbers(start.source.values.size(), 0.0), Method::BFGS, 1.0);
    for (int steps = 0; steps < 200 && search.value.J > 1e-12 && !search.is_done; ++steps) {
        search_step(search, function);
    }
    const Source made = as_one(fluid.source);
    const Source found = as_one(fluid_with(task, search.x).source);
    numbers.checked("source of dye, found from ten pictures: dye in a second", made.strength,
                    found.strength, 0.001, made_with);
    numbers.checked("  its place, from left to right", made.x, found.x, 1e-5, made_with);
    numbers.checked("  from top to bottom", made.y, found.y, 1e-5, made_with);
    numbers.checked("  evaluations", 131, static_cast<double>(search.history.size()), 20, recorded);
}

void add_long_letters(workbook::Numbers& numbers) {
    const Search descent =
        searched(letter_task(48, 40, Control::FIRST_VELOCITY), Method::DESCENT, 100);
    const Search bfgs = searched(letter_task(48, 40, Control::FIRST_VELOCITY), Method::BFGS, 100);
    const Search held = searched(letter_task(48, 40, Control::HELD_FORCE), Method::BFGS, 50);
    numbers.checked("48 x 48 cells, 40 steps: J after 50 evaluations, descent", 0.0731,
                    J_after(descent, 50), 0.003, recorded);
    numbers.checked("  after 100", 0.0568, J_after(descent, 100), 0.003, recorded);
    numbers.checked("  L-BFGS, after 50", 0.0371, J_after(bfgs, 50), 0.003, recorded);
    numbers.checked("  after 100", 0.0302, J_after(bfgs, 100), 0.003, recorded);
    numbers.checked("  a held force, after 50", 0.0306, J_after(held, 50), 0.003, recorded);
}

}  // namespace

bool numbers(const workbook::Program& window) {
    workbook::Numbers numbers("62_control: what searches leave of J, and what they find");
    numbers.checked("Rosenbrock's valley to 1e-8: evaluations, descent", 17754,
                    evaluations_in_valley(Method::DESCENT), 10, recorded);
    numbers.checked("  L-BFGS", 46, evaluations_in_valley(Method::BFGS), 3, recorded);
    add_small_letter(numbers);
    for (const double nu : {0.03, 0.003, 0.0003}) {
        numbers.checked("viscosity, found from ten pictures", nu, found_viscosity(nu), 1e-4 * nu,
                        made_with);
    }
    add_found_source(numbers);
    if (window.session.long_numbers) {
        add_long_letters(numbers);
    }
    return numbers.print();
}
