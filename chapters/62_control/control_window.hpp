// The search in the window: a picture of what is wanted, the search for it, and then the film.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "62_control/letters.hpp"
#include "62_control/target.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/plot.hpp"
#include "common/io/output.hpp"
#include "window/window.hpp"

/// Searches for the push that turns a disk of dye into a picture, and lets the fluid flow. It must
/// stay where it is.
class ControlWindow {
  public:
    explicit ControlWindow(Window<Fluid>& window) : window_(window) {
        add_parameters();
        add_keys_and_scenes();
        add_mouse_and_pictures();
        add_files();
        window.at_reset.add([this](workbook::Box) { forget(); });
        window.advance = [this](double dt) { advance(dt); };
        window.shown = [this]() -> const Fluid& {
            return mode_ == Mode::SEARCH ? *found_ : window_.fluid;
        };
        window.count_memory([this](workbook::Box box) {
            // A cell has the dye and three faces. The film keeps the dye of each step, too.
            const double of_states = (steps_ + 1) * (4.0 + 1.0);
            // L-BFGS remembers ten changes of x and of the gradient. Besides there are three each:
            // those of the search, of the try, and the direction and a copy of it.
            const double of_search = 3.0 * (2.0 * 10.0 + 6.0);
            return sizeof(double) * box.nx * box.ny * box.nz * (of_states + of_search);
        });
    }
    ControlWindow(const ControlWindow&) = delete;  // the window refers to it
    ControlWindow& operator=(const ControlWindow&) = delete;

  private:
    /// What a step of the window is: one of the fluid, one of the search, one of the film; or none,
    /// when the film has ended, or when the reader draws.
    enum class Mode { FLUID, SEARCH, FILM, STILL };

    void add_parameters() {
        for (char letter = 'A'; letter <= 'Z'; ++letter) {
            letter_.names.emplace_back(1, letter);
        }
        letter_.chosen = 'S' - 'A';
        window_.add({"evaluations", &evaluations_, "how often the search may run", 1000.0, 1.0});
        window_.add({"letter", &letter_, "of the scene letter"}, [this] { return !picture_; });
        window_.add({"control", &control_, "what the search may choose"});
        window_.add({"method", &method_, "how it searches"});
        window_.add({"film_steps", &steps_, "how many steps the dye has", 200.0, 1.0});
        window_.add({"smoothing", &smoothing_, "how often the push is smoothed", 100.0});
        window_.add(
            {"price", &price_, "J has half of it, times the mean square of the push", 10.0});
        const auto has_search = [this] { return search_.has_value(); };
        window_.add({"J", [this] { return search_->value.J; }, true, has_search});
        window_.add(
            {"evaluated", [this] { return 1.0 * search_->history.size(); }, true, has_search});
    }

    void add_keys_and_scenes() {
        window_.add_key('l', "look for a push that draws the picture", [this] { search(); });
        window_.add_key('p', "play the film again", [this] { play(); });
        window_.add_key('o', "the whole film at once", [this] { shows_strip_ = !shows_strip_; });
        window_.add_scene("letter", "a disk of dye is to become a letter, or --target", [this] {
            wanted_ = picture_ ? soft_picture(window_.fluid, *picture_)
                               : soft_letter(window_.fluid, letter_.names[letter_.chosen][0]);
            search();
        });
        window_.add_scene("drawing", "draw what it is to become, and press L", [this] {
            wanted_ = Fluid(window_.fluid.nx, window_.fluid.ny, window_.fluid.nz).density;
            window_.program.screen.say("draw a picture, and press L");
        });
    }

    void add_mouse_and_pictures() {
        window_.drags.add([this](workbook::Place from, workbook::Place to, bool left_button) {
            return wanted_ && paint(from, to, left_button);
        });
        window_.program.look.drag_meaning.add([this](bool left_button) -> std::string {
            if (!wanted_) {
                return "";
            }
            return left_button ? "draw what the dye is to become" : "remove what was drawn";
        });
        window_.draws.add([this](workbook::Picture& picture, workbook::Rectangle area) {
            return draw_strip(picture, area);
        });
        window_.draw_over.add([this](workbook::Picture& picture, const workbook::View& view) {
            draw(picture, view);
        });
    }

    void add_files() {
        window_.program.description.inputs.push_back(
            {"--target",
             "what the dye is to become instead of a letter: dark on white, or bright on black, as "
             "PNG",
             [this](const std::string& path) { picture_ = load_target(path); }});
        window_.begin_with([this](workbook::Box) { return picture_.has_value(); },
                           {"letter", 0.025, true});
        window_.program.description.outputs.push_back(
            {"--searched", "write J after each evaluation",
             [this](const workbook::OutputFile& output) { write(output); }});
    }

    void forget() {
        mode_ = Mode::FLUID;
        wanted_.reset();
        search_.reset();
        found_.reset();
        film_.clear();
    }

    /// Begins a search for the picture.
    void search() {
        if (!wanted_ || largest_of(*wanted_) == 0.0) {
            window_.program.screen.say("begin the scene \"drawing\", and draw a picture first");
            return;
        }
        window_.apply();
        Fluid start = window_.fluid;
        set_velocity(start, zero_derivative(start).velocity);
        fill_disk(start.density, *wanted_);
        task_ = Task{start,
                     {{steps_, *wanted_}},
                     steps_,
                     window_.program.simulation.dt,
                     static_cast<Control>(control_.chosen),
                     smoothing_,
                     price_};
        const std::size_t faces =
            start.u.values.size() + start.v.values.size() + start.w.values.size();
        // At first no push moves the dye by more than three tenths of the box.
        const double fastest = 0.3 * start.h * start.nx / (steps_ * task_->dt);
        search_ = begin_search([this](const Numbers& numbers) { return evaluate(*task_, numbers); },
                               Numbers(faces, 0.0), static_cast<Method>(method_.chosen), fastest);
        mode_ = Mode::SEARCH;
        window_.program.session.paused = false;
        film_.clear();
        window_.fluid = start;
        look_at_the_end();
    }

    static double largest_of(const Field& field) {
        return *std::max_element(field.values.begin(), field.values.end());
    }

    /// Where the dye ends with the best push so far.
    void look_at_the_end() {
        found_ = fluid_with(*task_, search_->x);
        for (int n = 0; n < task_->steps; ++n) {
            step(*found_, task_->dt);
        }
    }

    void advance(double dt) {
        if (mode_ == Mode::FLUID) {
            step(window_.fluid, dt);
        } else if (mode_ == Mode::SEARCH && window_.program.session.has_window) {
            search_on();
            look_at_the_end();
        } else if (mode_ == Mode::SEARCH) {  // nobody watches it
            while (mode_ == Mode::SEARCH) {
                search_on();
            }
        } else if (mode_ == Mode::FILM) {
            ++pictures_;
            if (!window_.program.session.has_window || pictures_ % 3 == 0) {
                play_on();
            }
        }
    }

    /// Makes a step of the film. At its end a window stands still.
    void play_on() {
        step(window_.fluid, task_->dt);
        film_.push_back(window_.fluid.density);
        if (static_cast<int>(film_.size()) > task_->steps) {
            mode_ = Mode::STILL;
            window_.program.session.paused = window_.program.session.has_window;
        }
    }

    void search_on() {
        const std::size_t before = search_->history.size();
        search_step(*search_, [this](const Numbers& numbers) { return evaluate(*task_, numbers); });
        const std::size_t after = search_->history.size();
        const bool is_over = after == before || static_cast<int>(after) >= evaluations_;
        if (search_->is_done || is_over) {
            play();
        }
    }

    /// Begins the film.
    void play() {
        if (search_) {
            window_.fluid = fluid_with(*task_, search_->x);
            film_ = {window_.fluid.density};
            mode_ = Mode::FILM;
            window_.program.session.paused = false;
            window_.program.screen.say("L: search on from the start, P: the film again");
        }
    }

    /// Writes a row for each evaluation; none without a search.
    void write(const workbook::OutputFile& output) const {
        std::string text = "evaluation,J\n";
        const std::vector<double> history = search_ ? search_->history : std::vector<double>();
        for (std::size_t n = 0; n < history.size(); ++n) {
            text += std::to_string(n + 1) + ',';
            workbook::append_digits(text, history[n]);
            text += '\n';
        }
        output.write(text);
    }

    /// Draws into the picture that is wanted, or removes from it.
    bool paint(workbook::Place from, workbook::Place to, bool left_button) {
        search_.reset();
        mode_ = Mode::STILL;
        Field& wanted = *wanted_;
        const double radius = std::min(wanted.nx, wanted.ny) / 16.0;
        const double dx = wanted.nx * (to.x - from.x);
        const double dy = wanted.ny * (to.y - from.y);
        const double length = dx * dx + dy * dy;
        for_each_point(wanted, [&](int i, int j, int k) {
            const double x = i + 0.5 - wanted.nx * from.x;
            const double y = j + 0.5 - wanted.ny * from.y;
            const double share =
                length > 0.0 ? std::clamp((x * dx + y * dy) / length, 0.0, 1.0) : 0.0;
            if (std::hypot(x - share * dx, y - share * dy) < radius) {
                wanted(i, j, k) = left_button ? 1.0 : 0.0;
            }
        });
        if (largest_of(wanted) > 0.0) {
            fill_disk(window_.fluid.density, wanted);
        }
        return true;
    }

    void draw(workbook::Picture& picture, const workbook::View& view) const {
        if (!wanted_) {
            return;
        }
        draw_outline(picture, view);
        if (mode_ == Mode::SEARCH && search_->history.size() > 1) {
            const std::vector<double>& values = search_->history;
            const int right =
                static_cast<int>(view.left + view.cell * static_cast<float>(view.columns));
            const int bottom =
                static_cast<int>(view.top + view.cell * static_cast<float>(view.rows));
            workbook::draw_plot(picture, right - picture.scaled(215), bottom - picture.scaled(125),
                                picture.scaled(205), picture.scaled(115),
                                {values.begin(), values.end()}, "J, by evaluations");
        }
    }

    /// A line around what is wanted.
    void draw_outline(workbook::Picture& picture, const workbook::View& view) const {
        const Field& wanted = *wanted_;
        const int k = std::min(window_.box.layer, wanted.nz - 1);
        const auto is_wanted = [&](int i, int j) {
            return wanted.has(i, j, k) && wanted(i, j, k) > 0.5;
        };
        const auto line = [&](int i0, int j0, int i1, int j1) {
            picture.line(view.x(static_cast<float>(i0) - 0.5f),
                         view.y(static_cast<float>(j0) - 0.5f),
                         view.x(static_cast<float>(i1) - 0.5f),
                         view.y(static_cast<float>(j1) - 0.5f), {242, 193, 78});
        };
        for (int j = 0; j <= wanted.ny; ++j) {
            for (int i = 0; i <= wanted.nx; ++i) {
                if (is_wanted(i, j) != is_wanted(i - 1, j)) {
                    line(i, j, i, j + 1);
                }
                if (is_wanted(i, j) != is_wanted(i, j - 1)) {
                    line(i, j, i + 1, j);
                }
            }
        }
    }

    /// Nine moments of the film, in three rows.
    bool draw_strip(workbook::Picture& picture, workbook::Rectangle area) const {
        if (!shows_strip_ || film_.empty()) {
            return false;
        }
        constexpr int columns = 3, rows = 3;
        const int last = static_cast<int>(film_.size()) - 1;
        for (int n = 0; n < columns * rows; ++n) {
            const Field& dye = film_[last * n / (columns * rows - 1)];
            const workbook::Rectangle part = {area.x + n % columns * area.width / columns,
                                              area.y + n / columns * area.height / rows,
                                              area.width / columns, area.height / rows};
            const workbook::View view = workbook::view_in(part, dye.nx, dye.ny, false);
            const int k = std::min(window_.box.layer, dye.nz - 1);
            const auto value = [&dye, k](int i, int j) { return static_cast<float>(dye(i, j, k)); };
            workbook::draw_cells(picture, view, {"dye", value, 1.0f, false, "in a cell"});
            picture.outline(part.x, part.y, part.width, part.height, {60, 60, 60});
        }
        const auto first_scale = picture.scales.begin();
        picture.scales.erase(first_scale + 1, picture.scales.end());
        return true;
    }

    Window<Fluid>& window_;
    int evaluations_ = 100, steps_ = 40, smoothing_ = 6;
    double price_ = 0.0;
    workbook::Choice letter_;
    workbook::Choice control_ = {0, {"first-velocity", "held-force"}};
    workbook::Choice method_ = {1, {"descent", "l-bfgs"}};
    Mode mode_ = Mode::FLUID;
    std::optional<workbook::GreyPicture> picture_;  ///< that of --target
    std::optional<Field> wanted_;  ///< the dye that is wanted at the end
    std::optional<Task> task_;
    std::optional<Search> search_;
    std::optional<Fluid> found_;  ///< the end with the best push so far
    std::vector<Field> film_;  ///< the dye at the start of the film and after each step
    int pictures_ = 0;  ///< that a window has shown of films: three of each step
    bool shows_strip_ = false;
};
