// The window of this chapter: what its fluid can do, in the words that common/app/program.hpp asks
// for.
#include "solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <locale>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/paint.hpp"
#include "library/src/fast.hpp"

bool numbers(const workbook::Program& window);  // numbers.cpp: the table behind --numbers

namespace {

using namespace workbook;

constexpr double least_residual = 1e-12;  // the lower end of the plot; no lane runs beyond it
constexpr double most_cells_for_factors = 70000;  // beyond, 11_mac's direct solver takes too long

float velocity_add_scale = 0.2f;  // velocity for each pixel that the mouse moves, as in 07_project
float velocity_draw_scale = 20.0f;  // pixels of arrow for a velocity of 1

constexpr Colour words_colour = {235, 235, 235};
constexpr Colour dim_colour = {130, 135, 145};

/// The fast multigrid under way, on as many threads as it is given.
struct FastAttempt {
    Method method = Method::REFINED;
    ::Box<double> exact_b, p;
    std::shared_ptr<fast::Solver> solver;
    std::vector<double> residuals, work;
};

FastAttempt start_fast(const ::Box<double>& b, int threads) {
    FastAttempt attempt = {Method::REFINED, b, ::Box<double>(b.nx, b.ny, b.nz), nullptr, {}, {}};
    take_out_average(attempt.exact_b);
    attempt.solver = std::make_shared<fast::Solver>(b.nx, b.ny, b.nz, threads);
    attempt.residuals = {
        fast::begin(*attempt.solver, attempt.p.values.data(), attempt.exact_b.values.data())};
    attempt.work = {0.0};
    return attempt;
}

/// Two cycles in float, and a look at the residual in double.
void advance(FastAttempt& attempt) {
    fast::improve(*attempt.solver, attempt.p.values.data(), attempt.exact_b.values.data(),
                  attempt.residuals.back(), 0.0, 1);
    attempt.work.push_back(attempt.solver->work);
    attempt.residuals.push_back(true_residual(attempt.p, attempt.exact_b));
}

/// One solver in the race.
struct Lane {
    std::string name;
    std::variant<Attempt<double>, Attempt<float>, FastAttempt> attempt;
    std::vector<double> seconds = {0.0};  ///< used up to each of its residuals
    bool done = false;

    const std::vector<double>& residuals() const {
        return std::visit(
            [](const auto& one) -> const auto& { return one.residuals; }, attempt);
    }
    const std::vector<double>& work() const {
        return std::visit(
            [](const auto& one) -> const auto& { return one.work; }, attempt);
    }
};

/// Who runs, and in which precision.
struct Entry {
    const char* name;
    Method method;
    bool in_float;
};

const std::vector<Entry> entries = {
    {"Jacobi", Method::JACOBI, false},
    {"Gauss-Seidel", Method::GAUSS_SEIDEL, false},
    {"red-black", Method::RED_BLACK, false},
    {"over-relaxation", Method::OVER_RELAXATION, false},
    {"conjugate gradients", Method::CONJUGATE_GRADIENTS, false},
    {"SSOR-PCG", Method::RELAXED_GRADIENTS, false},
    {"multigrid", Method::MULTIGRID, false},
    {"MG-PCG", Method::MULTIGRID_GRADIENTS, false},
    {"multigrid in float", Method::MULTIGRID, true},
    {"float inside double", Method::REFINED, false},
    {"cosines", Method::COSINES, false},
    {"factors", Method::FACTORS, false},
};

/// All that the window shows.
struct Stand {
    Fluid fluid{64, 64, 1};
    Choice view{0, {"race", "fluid"}};
    Choice solver{3, {"direct", "conjugate-gradients", "gauss-seidel", "multigrid"}};
    Choice right_side{0, {"random", "smooth", "fluid"}};
    Choice measure{0, {"work", "time"}};
    int threads = 1;  ///< of the fast multigrid
    double sweeps = 2.0;  ///< the work that each lane may do in a step
    double allowed = 0.0;  ///< and in all
    std::vector<Lane> lanes;
};

// ---- The race ----------------------------------------------------------------------------------

/// Numbers without any pattern, from -1 to 1, the same on every machine.
::Box<double> random_side(int nx, int ny, int nz) {
    ::Box<double> b(nx, ny, nz);
    std::uint32_t seed = 11;
    for (double& value : b.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
    return b;
}

/// Half a wave across each axis that has more than one cell.
::Box<double> smooth_side(int nx, int ny, int nz) {
    ::Box<double> b(nx, ny, nz);
    const auto wave = [](int i, int n) { return std::cos(std::acos(-1.0) * (i + 0.5) / n); };
    for_each_cell(b, [&](int i, int j, int k) {
        b(i, j, k) =
            wave(i, nx) + (ny > 1 ? 0.7 * wave(j, ny) : 0.0) + (nz > 1 ? 0.4 * wave(k, nz) : 0.0);
    });
    return b;
}

/// What the fluid's next projection would have to undo.
::Box<double> fluid_side(Fluid fluid, double dt) {
    advect_velocity(fluid, dt);
    add_force(fluid, dt);
    Field b = fluid.pressure;
    right_hand_side(fluid, b, dt);
    ::Box<double> side(fluid.nx, fluid.ny, fluid.nz);
    side.values = b.values;
    return side;
}

/// Puts all lanes to the start. Answers whether there is anything to solve for.
bool line_up(Stand& stand, double dt) {
    const Fluid& fluid = stand.fluid;
    const ::Box<double> b = stand.right_side.chosen == 0 ? random_side(fluid.nx, fluid.ny, fluid.nz)
                            : stand.right_side.chosen == 1
                                ? smooth_side(fluid.nx, fluid.ny, fluid.nz)
                                : fluid_side(fluid, dt);
    stand.lanes.clear();
    stand.allowed = 0.0;
    for (const Entry& entry : entries) {
        if (entry.method == Method::FACTORS &&
            static_cast<double>(b.values.size()) * (fluid.nz > 1 ? 8.0 : 1.0) >
                most_cells_for_factors) {
            continue;
        }
        Lane lane = {entry.name, start<double>(entry.method, b)};
        if (entry.in_float) {
            lane.attempt = start<float>(entry.method, b);
        }
        stand.lanes.push_back(std::move(lane));
    }
    stand.lanes.push_back({"fast multigrid", start_fast(b, stand.threads)});
    return sum_of_products(b, b) > 0.0;
}

double seconds_now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Says whether a lane has arrived, or gets no further: where ten iterations have won nothing.
bool has_ended(const std::vector<double>& residuals) {
    const std::size_t count = residuals.size();
    return residuals.back() <= least_residual || !std::isfinite(residuals.back()) ||
           (count > 10 && residuals.back() > 0.999 * residuals[count - 11] &&
            residuals.back() < 1e-3);
}

/// How many of a lane's residuals may be seen: those that it would have by now. A solver that is
/// done in one go has to wait until the others have worked as long.
std::size_t seen_of(const Stand& stand, const Lane& lane) {
    const std::vector<double>& work = lane.work();
    return static_cast<std::size_t>(std::upper_bound(work.begin(), work.end(), stand.allowed) -
                                    work.begin());
}

/// Lets each lane work until it has used up what it is allowed.
void run_on(Stand& stand) {
    stand.allowed += stand.sweeps;
    for (Lane& lane : stand.lanes) {
        while (!lane.done && lane.work().back() < stand.allowed) {
            const double before = seconds_now();
            std::visit([](auto& attempt) { advance(attempt); }, lane.attempt);
            lane.seconds.push_back(lane.seconds.back() + seconds_now() - before);
            const Method method =
                std::visit([](const auto& attempt) { return attempt.method; }, lane.attempt);
            lane.done = has_ended(lane.residuals()) || method == Method::COSINES ||
                        method == Method::FACTORS;
        }
    }
}

/// Everything that the race has measured so far, a line an iteration.
void write_csv(const Stand& stand, const OutputFile& output) {
    std::ofstream file(output.temporary(), std::ios::binary);
    file.imbue(std::locale::classic());
    file.precision(17);
    file << "solver,iteration,work,seconds,residual\n";
    for (const Lane& lane : stand.lanes) {
        for (std::size_t k = 0; k < lane.residuals().size(); ++k) {
            file << lane.name << ',' << k << ',' << lane.work()[k] << ',' << lane.seconds[k] << ','
                 << lane.residuals()[k] << '\n';
        }
    }
    file.close();
    if (!file) {
        throw output.write_error("is the disk full?");
    }
}

// ---- Drawing -----------------------------------------------------------------------------------

/// A colour for each lane, told apart by colour-blind eyes: Okabe and Ito's, and lighter ones.
Colour colour_of(std::size_t lane) {
    static const Colour colours[] = {
        {230, 159, 0},   {86, 180, 233},  {0, 158, 115},   {240, 228, 66},  {0, 114, 178},
        {213, 94, 0},    {204, 121, 167}, {235, 235, 235}, {150, 150, 150}, {160, 220, 190},
        {250, 190, 160}, {150, 190, 250}, {255, 120, 120}};
    return colours[lane % std::size(colours)];
}

/// What a lane has still to do in its middle layer, by powers of ten: white is as much as b, black
/// 1e-8 of it.
ShownField residual_field(const Lane& lane) {
    return std::visit(
        [](const auto& attempt) {
            double most = 1e-300;
            for (const double value : attempt.exact_b.values) {
                most = std::max(most, std::abs(value));
            }
            const auto value = [&attempt, most](int i, int j) {
                const int k = attempt.p.nz / 2;
                const auto row = row_of(attempt.p, {}, i, j, k);
                const double r = attempt.exact_b(i, j, k) -
                                 (static_cast<double>(row.diagonal) * attempt.p(i, j, k) - row.sum);
                return static_cast<float>(1.0 + std::log10(std::abs(r) / most + 1e-9) / 8.0);
            };
            return ShownField{"residual", value};
        },
        lane.attempt);
}

void draw_lane(Picture& picture, const Stand& stand, std::size_t number, Rectangle area) {
    const Lane& lane = stand.lanes[number];
    const std::size_t seen = seen_of(stand, lane);
    const Rectangle room = {area.x + 4, area.y + 28, area.width - 8, area.height - 32};
    if (seen > 1 || lane.residuals().size() == 1) {
        draw_cells(picture, view_in(room, stand.fluid.nx, stand.fluid.ny, false),
                   residual_field(lane));
    } else {
        picture.text(room.x + 8, room.y + 8, "at work", dim_colour, 1);
    }
    picture.text(area.x + 4, area.y + 4, lane.name, colour_of(number), 1);
    picture.text(area.x + 4, area.y + 16,
                 short_number(lane.residuals()[seen - 1]) + " after " + std::to_string(seen - 1),
                 words_colour, 1);
}

/// All residuals against work or time, on a logarithmic scale. What is larger than 10, or not a
/// number, is at the top.
void draw_plot_of_race(Picture& picture, const Stand& stand, Rectangle area) {
    const bool by_time = stand.measure.chosen == 1;
    const auto measure = [&](const Lane& lane, std::size_t k) {
        return by_time ? 1e3 * lane.seconds[k] : lane.work()[k];
    };
    double most = by_time ? 1e-3 : 10.0;
    for (const Lane& lane : stand.lanes) {
        most = std::max(most, measure(lane, seen_of(stand, lane) - 1));
    }
    const float left = static_cast<float>(area.x + 44);
    const float right = static_cast<float>(area.x + area.width - 12);
    const float top = static_cast<float>(area.y + 18);
    const float bottom = static_cast<float>(area.y + area.height - 18);
    const auto x_of = [&](double value) {
        return left + (right - left) * static_cast<float>(value / most);
    };
    const auto y_of = [&](double residual) {
        const double size = residual < 10.0 ? std::max(residual, least_residual) : 10.0;
        return top + (bottom - top) * static_cast<float>((1.0 - std::log10(size)) / 13.0);
    };
    picture.outline(area.x, area.y, area.width, area.height, dim_colour);
    for (int power = 0; power >= -12; power -= 2) {
        const float y = y_of(std::pow(10.0, power));
        picture.line(left, y, right, y, {45, 48, 55});
        picture.text(area.x + 4, static_cast<int>(y) - 4, "1e" + std::to_string(power), dim_colour,
                     1);
    }
    picture.text(
        static_cast<int>(right) - 200, static_cast<int>(bottom) + 6,
        std::string(by_time ? "milliseconds" : "work in sweeps") + ", up to " + short_number(most),
        dim_colour, 1);
    for (std::size_t number = 0; number < stand.lanes.size(); ++number) {
        const Lane& lane = stand.lanes[number];
        const std::size_t seen = seen_of(stand, lane);
        float x0 = 0.0f;
        float y0 = 0.0f;
        for (std::size_t k = 0; k < seen; ++k) {
            const float x = x_of(measure(lane, k));
            const float y = y_of(lane.residuals()[k]);
            if (k > 0) {
                picture.line(x0, y0, x, y, colour_of(number));
                picture.line(x0, y0 + 1.0f, x, y + 1.0f, colour_of(number));
            }
            x0 = x;
            y0 = y;
        }
        picture.disc(x0, y0, 3.0f, colour_of(number));
    }
}

bool draw(Picture& picture, const Stand& stand, Rectangle area) {
    if (stand.view.chosen != 0 || stand.lanes.empty()) {
        return false;
    }
    const int columns = 7;
    const int width = area.width / columns;
    const int height = std::max(40, std::min(width + 28, area.height / 3));
    for (std::size_t number = 0; number < stand.lanes.size(); ++number) {
        const int place = static_cast<int>(number);
        draw_lane(
            picture, stand, number,
            {area.x + place % columns * width, area.y + place / columns * height, width, height});
    }
    const int below = area.y + 2 * height + 4;
    draw_plot_of_race(picture, stand,
                      {area.x + 4, below, area.width - 8, area.y + area.height - below - 4});
    return true;
}

// ---- The fluid ---------------------------------------------------------------------------------

double total(const Field& field) {
    double sum = 0.0;
    for (const double value : field.values) {
        sum += value;
    }
    return sum;
}

/// The largest divergence of any cell. If one is not a finite number it is that one: std::max would
/// pass over a NaN, since a comparison with it is false.
double largest_divergence(const Fluid& fluid) {
    double largest = 0.0;
    for (int k = 0; k < fluid.nz; ++k) {
        for (int j = 0; j < fluid.ny; ++j) {
            for (int i = 0; i < fluid.nx; ++i) {
                const double here = std::abs(divergence_at(fluid, i, j, k));
                if (!std::isfinite(here)) {
                    return here;
                }
                largest = std::max(largest, here);
            }
        }
    }
    return largest;
}

/// 11_mac's step, with this chapter's solver in it or one of that chapter's.
void step_with(const Choice& solver, Fluid& fluid, double dt) {
    if (solver.names[static_cast<std::size_t>(solver.chosen)] != "multigrid") {
        fluid.solver = static_cast<Solver>(solver.chosen);
        step(fluid, dt);
        return;
    }
    advect_velocity(fluid, dt);
    add_force(fluid, dt);
    project_by_multigrid(fluid, dt);
    advect_density(fluid, dt);
}

void apply(Fluid& fluid, const Stroke& stroke) {
    const int k = fluid.nz / 2;
    if (stroke.dye) {
        add_density(fluid, stroke.i, stroke.j, k, 1.0);
    }
    add_velocity(fluid, stroke.i, stroke.j, k,
                 {velocity_add_scale * stroke.dx * fluid.h * fluid.nx,
                  velocity_add_scale * stroke.dy * fluid.h * fluid.ny, 0.0});
}

/// Where the field has a number (i, j, k), or null: a state file's rows run beyond some fields.
double* value_in(Field& field, int i, int j, int k) {
    return i < field.nx && j < field.ny && k < field.nz ? &field(i, j, k) : nullptr;
}

Vector velocity_of_cell(const Fluid& fluid, int i, int j, int k) {
    return velocity_at(fluid, {fluid.h * (i + 0.5), fluid.h * (j + 0.5), fluid.h * (k + 0.5)});
}

// ---- The program -------------------------------------------------------------------------------

void add_fields_and_state(Program& program, Fluid& fluid) {
    const auto middle = [&] { return fluid.nz / 2; };
    program.fields = {
        {"dye",
         [&, middle](int i, int j) { return static_cast<float>(fluid.density(i, j, middle())); }},
        {"divergence",
         [&, middle](int i, int j) {
             return static_cast<float>(divergence_at(fluid, i, j, middle()));
         },
         0.0f, true},
        {"pressure",
         [&, middle](int i, int j) { return static_cast<float>(fluid.pressure(i, j, middle())); },
         0.0f, true},
    };
    program.velocity = [&, middle](int i, int j) {
        const Vector velocity = velocity_of_cell(fluid, i, j, middle());
        return std::pair(static_cast<float>(velocity.x / (fluid.h * fluid.nx)),
                         static_cast<float>(velocity.y / (fluid.h * fluid.nx)));
    };
    program.arrow_scale = &velocity_draw_scale;
    const std::pair<const char*, Field*> columns[] = {{"density", &fluid.density},
                                                      {"u", &fluid.u},
                                                      {"v", &fluid.v},
                                                      {"w", &fluid.w},
                                                      {"p", &fluid.pressure}};
    for (const auto& [name, field] : columns) {
        Field& of = *field;
        const auto value = [&of](int i, int j, int k) { return value_in(of, i, j, k); };
        program.state.push_back({name, std::function<double*(int, int, int)>(value)});
    }
}

void add_keys_and_parameters(Program& program, Stand& stand) {
    Fluid& fluid = stand.fluid;
    program.parameters = {
        {"view", &stand.view, "what is shown, and what a step does"},
        {"solver", &stand.solver, "how the fluid's A p = b is solved"},
        {"right_side", &stand.right_side, "what the race solves for"},
        {"measure", &stand.measure, "what the plot counts to the right"},
        {"sweeps", &stand.sweeps, "work that each lane may do in a step", 1000.0, 0.01},
        {"tolerance", &fluid.tolerance, "where the fluid's solvers stop", 1.0},
        {"iterations", &fluid.iterations, "the most cycles that it takes", 1e6},
        {"force_y", &fluid.force_y, "the fluid's weight", 1000.0, -1000.0},
        {"velocity_add_scale", &velocity_add_scale, "velocity for each pixel of the drag"},
        {"velocity_draw_scale", &velocity_draw_scale, "pixels of arrow for a velocity of 1"},
    };
    program.keys = {
        {'g', "the race, or the fluid", [&] { stand.view.chosen = 1 - stand.view.chosen; }},
        {'b', "another right-hand side: random, smooth, the fluid's",
         [&] {
             stand.right_side.chosen = (stand.right_side.chosen + 1) % 3;
             const bool flows = line_up(stand, program.dt);
             program.say("right-hand side: " + stand.right_side.names[stand.right_side.chosen] +
                         (flows ? "" : ", but nothing flows (G, then drag)"));
         }},
        {'t', "plot against work or time",
         [&] { stand.measure.chosen = 1 - stand.measure.chosen; }},
        {'a', "all lanes back to the start", [&] { line_up(stand, program.dt); }},
        {'o', "one thread more for the fast multigrid, up to four",
         [&] {
             stand.threads = stand.threads % 4 + 1;
             program.say("threads: " + std::to_string(stand.threads));
             line_up(stand, program.dt);
         }},
        {'n', "the next larger box",
         [&] {
             const int n = fluid.nx >= 512 ? 16 : 2 * fluid.nx;
             program.box = {n, n, 1};
             program.N = n;
             program.reset_box(program.box);
         }},
    };
}

Program make_program(Stand& stand) {
    Program program("33_fast", "The race");
    Fluid& fluid = stand.fluid;
    program.shape = Shape::box;
    program.box = {64, 64, 1};
    program.threads = &stand.threads;
    program.reset_box = [&](workbook::Box box) {
        fluid = Fluid(box.nx, box.ny, box.nz);
        stand.lanes.clear();
    };
    program.stroke = [&](const Stroke& stroke) { apply(fluid, stroke); };
    program.readouts = {
        {"dye", [&] { return total(fluid.density); }},
        {"max div", [&] { return largest_divergence(fluid); }},
        {"cycles", [&] { return std::max(0.0, fluid.solved.residuals.size() - 1.0); }},
        {"work", [&] { return stand.allowed; }}};
    program.bytes = [](workbook::Box box) {
        // Twelve lanes, with some ten boxes each.
        return 1.0 * box.nx * box.ny * box.nz * 120 * sizeof(double);
    };
    program.outputs = {{"--csv", "write what the race has measured",
                        [&](const OutputFile& output) { write_csv(stand, output); }}};
    program.draw = [&](Picture& picture, Rectangle area) { return draw(picture, stand, area); };
    program.picture_size = [&](bool) {
        return stand.view.chosen == 0 ? Size{960, 800} : natural_size(fluid.nx, fluid.ny);
    };
    add_fields_and_state(program, fluid);
    return program;
}

}  // namespace

int main(int argc, char** argv) {
    Stand stand;
    Program program = make_program(stand);
    add_keys_and_parameters(program, stand);
    program.step = [&](double dt) {
        if (stand.view.chosen == 0) {
            if (stand.lanes.empty()) {
                line_up(stand, dt);
            }
            run_on(stand);
        }
        step_with(stand.solver, stand.fluid, dt);  // the fluid runs on behind the race
    };
    program.numbers = numbers;

    return program.run(argc, argv);
}
