// Heat and smoke, for the windows of this chapter and of those that follow: the mouse warms and
// cools, sources smoke, scenes begin, light falls through it all, and what heat does is measured.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "11_mac/measures.hpp"
#include "14_sharp/flows.hpp"
#include "18_smoke/cavity.hpp"
#include "18_smoke/sources.hpp"
#include "common/app/box.hpp"
#include "common/app/history.hpp"
#include "common/app/program.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/raymarch.hpp"
#include "common/draw/sheets.hpp"
#include "common/parallel.hpp"

/// What a window can do with warm fluid and smoke: parameters, columns of the state file and of
/// --history, scenes, readouts, fields, the mouse, and a picture with light and shadows.
template <class Fluid>
class Smoke {
  public:
    Smoke(Fluid& fluid, workbook::BoxWindow& window, workbook::History& history)
        : fluid_(fluid), window_(window), history_(history) {}

    /// Adds all this to the program, but for what is below. It must have its own parameters, keys,
    /// scenes, fields and readouts already. All must stay where they are. `apply` must tell the
    /// fluid what the reader has chosen: solver, walls, openings.
    void connect(workbook::Program& program, std::function<void()> apply) {
        program_ = &program;
        apply_ = std::move(apply);
        add_parameters();
        add_state();
        add_scenes();
        add_readouts();
        add_fields();
        window_.size = [this, size = window_.size](workbook::Size natural) {
            return picture_size(size(natural));
        };
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            const bool is_usual = box.nx == 128 && box.ny == 256;  // with --nz alone, too
            return is_usual ? workbook::Start{"plume", 0.01, true} : start(box);
        };
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            sources_ = program_->session.was_given("sources") ? sources_ : 0;
            source_ = {};
            follows_mouse_ = false;
        };
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            place();
            step(dt);
            colour_sources(dt);
        };
        program.simulation.stroke =
            [this, apply_stroke = program.simulation.stroke](const workbook::Stroke& stroke) {
                warm(stroke);
                apply_stroke(stroke);
            };
    }

    /// Adds what comes after the mouse and the window have been connected: the source that follows
    /// the mouse, and the picture with its light.
    void connect_view() {
        program_->simulation.drag = [this, drag = program_->simulation.drag](
                                        workbook::Place from, workbook::Place to, bool dye) {
            if (follows_mouse_ && dye) {
                source_.x = to.x;
                source_.y = (1.0 - to.y) * fluid_.ny / fluid_.nx;
                return true;
            }
            return drag(from, to, dye);
        };
        program_->look.draw = [this, draw = program_->look.draw](workbook::Picture& picture,
                                                                 workbook::Rectangle area) {
            if (program_->shown_field().name != "smoke" || window_.other || window_.is_small()) {
                return draw(picture, area);
            }
            fluid_.nz > 1 && shows_box_ ? draw_box(picture, area) : draw_lit_layer(picture, area);
            return true;
        };
        program_->look.turn = [this](float dx, float dy) {
            camera_.drag(dx, dy);
            is_turning_ = true;
        };
        program_->description.keys.push_back(
            {'i', "the whole box, or one layer of it", [this] { shows_box_ = !shows_box_; }});
    }

    /// The columns of --history.
    std::vector<workbook::Readout> columns() const {
        return {{"nusselt", [this] { return mean_nusselt(fluid_); }},
                {"smoke", [this] { return total(fluid_.smoke); }},
                {"kinetic_energy", [this] { return kinetic_energy(fluid_); }}};
    }

    /// What a later chapter does to what light meets, the layers from `first` on: it may glow.
    std::function<void(workbook::Volume&, int first)> add_glow;

    /// Makes cells solid, for the scene `stairs`. Set before connect, or there is no such scene.
    std::function<void(const std::function<bool(int i, int j)>& is_solid)> paint_cells;

    /// Moves the source, or the middle of several; the left button does the same, if it may.
    void move_source(const SmokeSource& source, bool follows_mouse) {
        source_ = source;
        follows_mouse_ = follows_mouse;
        place();
    }

  private:
    static constexpr float extinction_at_1 = 16.0f;  ///< of a full cell, for a width of the box
    static constexpr workbook::Rgb smoke_colour = {0.92f, 0.92f, 0.92f};
    static constexpr workbook::Rgb dye_colour = {0.95f, 0.42f, 0.10f};

    // ---- Sources and the mouse -----------------------------------------------------------------

    /// The sources as they are now: side by side, each swaying.
    std::vector<SmokeSource> sources() const {
        std::vector<SmokeSource> found;
        const double swayed = sway_at(history_.time, sway_, 1.3);
        for (int n = 0; n < sources_; ++n) {
            found.push_back(source_);
            found.back().x += swayed + (n - 0.5 * (sources_ - 1)) * apart_;
            found.back().z = 0.5 * fluid_.nz / fluid_.nx + 0.7 * sway_at(history_.time, sway_, 0.9);
        }
        return found;
    }

    void place() { place_sources(fluid_, sources()); }

    /// Makes what the sources on the right have added to the smoke dye, which has another colour.
    void colour_sources(double dt) {
        for (int cell = 0; two_colours_ && cell < static_cast<int>(fluid_.source.values.size());
             ++cell) {
            if (cell % fluid_.nx >= source_.x * fluid_.nx) {
                const double share = 1.0 - std::exp(-fluid_.source.values[cell] * dt);
                fluid_.smoke.values[cell] *= 1.0 - share;
                fluid_.density.values[cell] +=
                    share * (fluid_.source_smoke - fluid_.density.values[cell]);
            }
        }
    }

    /// Warms the cells around a stroke of the left button, and cools those around one of the right.
    void warm(const workbook::Stroke& stroke) {
        const int radius = fluid_.nx / 48;
        for (int j = stroke.j - radius; j <= stroke.j + radius; ++j) {
            for (int i = stroke.i - radius; i <= stroke.i + radius; ++i) {
                if (std::hypot(i - stroke.i, j - stroke.j) <= radius &&
                    is_fluid(fluid_.density, i, j, window_.layer)) {
                    fluid_.temperature(i, j, window_.layer) =
                        stroke.dye ? mouse_heat_ : -mouse_heat_;
                    fluid_.smoke(i, j, window_.layer) =
                        std::max(fluid_.smoke(i, j, window_.layer), stroke.dye ? 0.8 : 0.4);
                }
            }
        }
    }

    // ---- What is shown -------------------------------------------------------------------------

    void add_fields() {
        const auto field = [this](const std::string& name, const auto& of, bool is_signed) {
            return workbook::ShownField{name,
                                        [this, &of](int i, int j) {
                                            return is_fluid(fluid_.density, i, j, window_.layer)
                                                       ? static_cast<float>(of(i, j, window_.layer))
                                                       : 0.0f;
                                        },
                                        1.0f, is_signed};
        };
        auto& fields = program_->description.fields;
        fields.insert(fields.begin(), field("temperature", fluid_.temperature, true));
        fields.insert(fields.begin(), field("smoke", fluid_.smoke, false));
    }

    /// What light meets in layer `first` and those behind it.
    workbook::Volume volume(int first, int layers) const {
        workbook::Volume found;
        found.nx = fluid_.nx;
        found.ny = fluid_.ny;
        found.nz = layers;
        found.cell_size = 1.0f / static_cast<float>(fluid_.nx);
        found.extinction.resize(found.count());
        found.colour.resize(found.count());
        found.solid.resize(found.count());
        for (std::size_t cell = 0; cell < found.count(); ++cell) {
            const std::size_t here = found.index(0, 0, first) + cell;
            const auto smoke = static_cast<float>(std::max(0.0, fluid_.smoke.values[here]));
            const auto dye = static_cast<float>(std::max(0.0, fluid_.density.values[here]));
            const float share = smoke + dye > 0.0f ? smoke / (smoke + dye) : 1.0f;
            const auto mixed = [share](float one, float other) {
                return share * one + (1.0f - share) * other;
            };
            found.extinction[cell] = extinction_at_1 * (smoke + dye);
            found.colour[cell] = {mixed(smoke_colour.red, dye_colour.red),
                                  mixed(smoke_colour.green, dye_colour.green),
                                  mixed(smoke_colour.blue, dye_colour.blue)};
            found.solid[cell] = static_cast<float>(fluid_.solid.values[here]);
        }
        if (add_glow) {
            add_glow(found, first);
        }
        return found;
    }

    /// High boxes get a higher picture than others: cells of a whole number of pixels.
    workbook::Size picture_size(workbook::Size natural) const {
        const bool is_high = fluid_.ny > fluid_.nx && fluid_.ny >= 100 && !window_.other;
        const int text = natural.height - natural.width;
        const int cell = std::max(1, 780 / std::max(1, fluid_.ny));
        return is_high && text > 0 ? workbook::Size{natural.width, cell * fluid_.ny + text}
                                   : natural;
    }

    /// Fills an area with evening sky.
    static void draw_sky(workbook::Picture& picture, workbook::Rectangle area) {
        for (int y = 0; y < area.height; ++y) {
            const auto down = static_cast<float>(y) / static_cast<float>(area.height);
            const auto mixed = [down](float above, float below) {
                return static_cast<std::uint8_t>(above + down * (below - above));
            };
            picture.rectangle(area.x, area.y + y, area.width, 1,
                              {mixed(14, 34), mixed(19, 40), mixed(33, 54)});
        }
    }

    /// The shown layer, with its shadows in the plane.
    void draw_lit_layer(workbook::Picture& picture, workbook::Rectangle area) {
        const workbook::View view = workbook::view_in(area, fluid_.nx, fluid_.ny, false);
        draw_sky(picture, {static_cast<int>(view.left), static_cast<int>(view.top),
                           static_cast<int>(view.cell * static_cast<float>(fluid_.nx)),
                           static_cast<int>(view.cell * static_cast<float>(fluid_.ny))});
        const workbook::LitVolume lit(volume(window_.layer, 1), light(), *pool_);
        workbook::draw_layer(picture, view.left, view.top, view.cell, lit, 0,
                             0.15f * static_cast<float>(fluid_.nx), *pool_);
        if (program_->screen.shows_arrows) {
            workbook::draw_arrows(picture, view, program_->look.velocity,
                                  *program_->look.arrow_scale);
        }
        if (program_->look.draw_over) {
            program_->look.draw_over(picture, view);
        }
    }

    /// The whole box from outside.
    void draw_box(workbook::Picture& picture, workbook::Rectangle area) {
        draw_sky(picture, area);
        const workbook::Volume seen = volume(0, fluid_.nz);
        const workbook::LitVolume lit(seen, light(), *pool_);
        const workbook::CubeView view(area, camera_, seen.sides());
        const workbook::Colour edge_colour = {90, 100, 120};
        workbook::draw_cube_edges(picture, view, false, edge_colour);
        const bool is_coarse =
            is_turning_ || program_->screen.in_motion;  // fine when all is at rest
        workbook::draw_volume(picture, view, lit, *pool_, is_coarse ? 2 : 1);
        workbook::draw_cube_edges(picture, view, true, edge_colour);
        is_turning_ = false;
    }

    workbook::Light light() const {
        workbook::Light found;
        found.towards = {static_cast<float>(light_x_), -1.0f, -0.5f};
        found.colour = {1.25f, 1.15f, 1.0f};
        found.ambient = {0.20f, 0.23f, 0.30f};
        return found;
    }

    // ---- What is measured ----------------------------------------------------------------------

    void add_readouts() {
        program_->description.readouts.push_back({"smoke", [this] { return total(fluid_.smoke); }});
        program_->description.readouts.push_back(
            {"heat", [this] { return workbook::without_rounding(total(fluid_.temperature)); }});
        program_->description.readouts.push_back(
            {"nusselt", [this] { return mean_nusselt(fluid_); }, true,
             [this] { return fluid_.sides[0].heats && fluid_.sides[1].heats; }});
        for (workbook::Readout& readout : program_->description.readouts) {
            if (readout.name == "viscous residual") {  // heat spreads by the same equations
                readout.applies = [this] { return fluid_.nu > 0.0 || fluid_.kappa > 0.0; };
            }
        }
    }

    // ---- Parameters and scenes -----------------------------------------------------------------

    void add_parameters() {
        auto& parameters = program_->description.parameters;
        parameters.push_back({"alpha", &fluid_.alpha, "how smoke sinks", 1e6, -1e6});
        parameters.push_back({"beta", &fluid_.beta, "how warmth rises", 1e6, -1e6});
        parameters.push_back({"kappa", &fluid_.kappa, "how heat spreads, an area a second", 1e9});
        parameters.push_back({"cooling", &fluid_.cooling, "how fast it cools, 1 / seconds", 1e6});
        parameters.push_back(
            {"epsilon", &fluid_.epsilon, "strength of the vorticity confinement", 1e6, -1e6});
        parameters.push_back({"source_temperature", &fluid_.source_temperature,
                              "what a source keeps, from that outside", 1e6, -1e6});
        parameters.push_back({"source_smoke", &fluid_.source_smoke, "likewise", 1e6});
        parameters.push_back({"sources", &sources_, "of smoke, side by side", 10});
        parameters.push_back({"source_apart", &apart_, "how far, in widths of the box", 10.0});
        parameters.push_back({"sway", &sway_, "of the sources, in widths of the box", 1.0});
        parameters.push_back({"two_colours", &two_colours_, "sources on the right give dye"});
        parameters.push_back({"mouse_heat", &mouse_heat_, "of the left button", 1e6, -1e6});
        parameters.push_back({"rayleigh", &rayleigh_, "of the scene heated-cavity", 1e9, 1.0});
        parameters.push_back({"light_x", &light_x_, "where the light comes from", 10.0, -10.0});
    }

  public:  // what the scenes of later chapters use, too
    /// Sets a parameter, unless a flag has.
    void choose(const std::string& name, double number) {
        for (const workbook::Parameter& parameter : program_->description.parameters) {
            if (parameter.name == name && !program_->session.was_given(name)) {
                set_number(parameter, number);
            }
        }
    }

    /// Takes a box of that size, unless a flag asks for another one. With --nz alone it is a deep
    /// one with fewer cells.
    void choose_box(workbook::Box flat, workbook::Box deep) {
        if (!program_->session.was_given("n") && !program_->session.was_given("nx") &&
            !program_->session.was_given("ny")) {
            const int nz = program_->simulation.box.nz;
            program_->resize(nz == 1 ? flat : workbook::Box{deep.nx, deep.ny, nz});
        }
    }

    /// Still air in a box one wide: nothing is viscous, the upper side may be open, and the walls
    /// are insulated.
    void begin_air(bool is_open) {
        const bool is_flat = fluid_.nz == 1;
        choose("cell_size", 1.0 / fluid_.nx);
        const double width = fluid_.h * fluid_.nx;
        choose("nu", 0.0);
        choose("advection", 1);
        choose("solver", is_flat ? 1 : 3);
        choose("tolerance", is_flat ? 1e-8 : 3e-2);
        choose("above", is_open ? 2 : 0);
        for (const std::string side : {"left", "right", "below", "before", "behind"}) {
            choose(side, 0);
        }
        choose("alpha", 0.0);
        choose("beta", 4.0 * width);
        choose("kappa", 0.0);
        choose("cooling", 0.3);
        choose("epsilon", is_flat ? 0.3 : 0.5);
        choose("velocity_draw_scale", 8.0);
        choose("sources", 1);
        choose("two_colours", 0);
        choose("body_size", 0.0);
        choose("stripes", 0);
        choose("rake", 0);
        if (!program_->session.was_given("dt")) {
            program_->simulation.dt = is_flat ? 0.01 : 0.02;
        }
        apply_();
        place();
    }

  private:
    void begin_cavity() {
        const std::array<double, 6> kept = {fluid_.alpha, fluid_.beta,    fluid_.kappa,
                                            fluid_.nu,    fluid_.cooling, fluid_.epsilon};
        choose("cell_size", 1.0 / fluid_.nx);
        begin_heated_cavity(fluid_, rayleigh_);
        const std::array<std::pair<const char*, double*>, 6> numbers = {
            {{"alpha", &fluid_.alpha},
             {"beta", &fluid_.beta},
             {"kappa", &fluid_.kappa},
             {"nu", &fluid_.nu},
             {"cooling", &fluid_.cooling},
             {"epsilon", &fluid_.epsilon}}};
        for (std::size_t n = 0; n < numbers.size(); ++n) {
            *numbers[n].second =
                program_->session.was_given(numbers[n].first) ? kept[n] : *numbers[n].second;
        }
        choose("advection", 1);
        choose("solver", fluid_.nz == 1 ? 1 : 3);
        choose("tolerance", 1e-8);
        choose("stripes", 0);
        choose("rake", 0);
        if (!program_->session.was_given("dt")) {
            program_->simulation.dt = heated_cavity_dt(fluid_, rayleigh_);
        }
        apply_();
        const auto stripes = [](double, double y) { return static_cast<int>(8.0 * y) % 2 == 1; };
        set_dye(fluid_, stripes);
    }

    /// Four stairs, and a cold source above the uppermost, which stands at the left wall.
    void begin_stairs() {
        choose_box({128, 96, 1}, {48, 36, 48});
        begin_air(false);
        choose("source_temperature", -1.0);
        source_.x = 0.12;
        source_.y = 0.46 * fluid_.ny / fluid_.nx;
        paint_cells([this](int i, int j) {
            const int below = 3 - 4 * i / fluid_.nx;  // how many stairs are lower than this one
            return fluid_.ny - j <= fluid_.ny * below / 8;
        });
        place();
    }

    void add_scenes() {
        const auto add = [&](const std::string& name, const std::string& meaning, auto begin) {
            program_->description.scenes.push_back({name, meaning, begin});
        };
        const workbook::Box flat = {128, 256, 1}, deep = {40, 60, 40};
        add("plume", "warm smoke that rises, and leaves above", [this, flat, deep] {
            choose_box(flat, deep);
            begin_air(true);
        });
        add("plume-and-sphere", "a round body in its way", [this, flat, deep] {
            choose_box(flat, deep);
            begin_air(true);
            const double width = fluid_.h * fluid_.nx, height = fluid_.h * fluid_.ny;
            choose("body_x", 0.52 * width);
            choose("body_y", height - 0.75 * width);
            choose("body_size", 0.3 * width);
            choose("shape", fluid_.nz > 1 ? 4 : 0);
            choose("probe_x", program_->description.parameter("body_x"));
            choose("probe_y", 0.25 * height);
        });
        add("heated-cavity", "air between a warm wall and a cold one (de Vahl Davis)", [this] {
            choose_box({64, 64, 1}, {32, 32, 32});
            begin_cavity();
        });
        add("ring", "a ball of warm smoke, which becomes a ring", [this, flat, deep] {
            choose_box(flat, deep);
            begin_air(true);
            choose("sources", 0);
            choose("cooling", 0.0);
            source_.y = 0.2;
            source_.radius = 0.2;
            sources_ += 1;
            place();
            for (std::size_t cell = 0; cell < fluid_.smoke.values.size(); ++cell) {
                const double inside = std::min(1.0, fluid_.source.values[cell] / 400.0);
                fluid_.smoke.values[cell] = fluid_.temperature.values[cell] = inside;
            }
            sources_ -= 1;
            source_ = {};
            place();
        });
        add("two-colours", "two plumes, of smoke and of dye", [this, flat, deep] {
            choose_box(flat, deep);
            begin_air(true);
            choose("sources", 2);
            choose("two_colours", 1);
        });
        add("cursor", "a source that the left button moves", [this, flat, deep] {
            choose_box(flat, deep);
            begin_air(true);
            choose("source_temperature", 0.6);
            source_.radius = 0.05;
            source_.y = 0.4;
            follows_mouse_ = true;
        });
        if (paint_cells) {
            add("stairs", "cold smoke that pours down them", [this] { begin_stairs(); });
        }
    }

    // ---- The state file ------------------------------------------------------------------------

    void add_state() {
        using Value = std::function<double*(int, int, int)>;
        const auto cells = [this](const std::string& name, auto& field) {
            program_->description.state.push_back({name, Value([&field](int i, int j, int k) {
                                                       return field.has(i, j, k) ? &field(i, j, k)
                                                                                 : nullptr;
                                                   })});
        };
        cells("temperature", fluid_.temperature);
        cells("smoke", fluid_.smoke);
        const auto rows_of = [this](const std::string& name, auto value_of, int rows) {
            program_->description.state.push_back(
                {name, [this, value_of, rows](int i, int j, int k) -> double* {
                     const int row = i + (fluid_.nx + 1) * (j + (fluid_.ny + 1) * k);
                     return row < rows ? value_of(row) : nullptr;
                 }});
        };
        rows_of(
            "air",
            [this](int n) {
                const std::array<double*, 8> values = {
                    &fluid_.alpha,        &fluid_.beta,    &fluid_.kappa,
                    &fluid_.cooling,      &fluid_.epsilon, &fluid_.source_temperature,
                    &fluid_.source_smoke, &fluid_.h};
                return values[n];
            },
            8);
        rows_of(
            "sources",
            [this](int n) {
                if (n == 0) {  // each only in its own row: a file is read through these, too
                    saved_sources_ = sources_;
                } else if (n == 6) {
                    saved_colours_ = two_colours_ ? 1.0 : 0.0;
                } else if (n == 7) {
                    saved_follows_ = follows_mouse_ ? 1.0 : 0.0;
                }
                const std::array<double*, 8> values = {&saved_sources_, &source_.x,     &source_.y,
                                                       &source_.radius, &sway_,         &apart_,
                                                       &saved_colours_, &saved_follows_};
                return values[n];
            },
            8);
        rows_of(
            "heats",
            [this](int side) {
                saved_heats_[side] = fluid_.sides[side].heats ? 1.0 : 0.0;
                return &saved_heats_[side];
            },
            6);
        rows_of(
            "wall_temperature", [this](int side) { return &fluid_.sides[side].temperature; }, 6);
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            const std::string reason = restore();
            return reason.empty() ? refuse() : reason;
        };
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        const auto is_switch = [](double value) { return value == 0.0 || value == 1.0; };
        if (!std::all_of(saved_heats_.begin(), saved_heats_.end(), is_switch)) {
            return "heats must be 1 for a wall that keeps its temperature, else 0";
        }
        if (!(fluid_.kappa >= 0.0 && fluid_.cooling >= 0.0)) {
            return "the third and fourth row of air, kappa and cooling, must not be negative";
        }
        if (!(fluid_.h > 0.0)) {
            return "the eighth row of air, the width of a cell, must be more than 0";
        }
        if (saved_sources_ != std::floor(saved_sources_) || saved_sources_ < 0.0 ||
            saved_sources_ > 10.0) {
            return "the first row of sources, how many, must be a whole number from 0 to 10";
        }
        if (!(source_.radius > 0.0)) {
            return "the fourth row of sources, their radius, must be more than 0";
        }
        if (!is_switch(saved_colours_) || !is_switch(saved_follows_)) {
            return "the seventh and eighth row of sources must be 0 or 1";
        }
        for (int side = 0; side < 6; ++side) {
            fluid_.sides[side].heats = saved_heats_[side] == 1.0;
        }
        sources_ = static_cast<int>(saved_sources_);
        two_colours_ = saved_colours_ == 1.0;
        follows_mouse_ = saved_follows_ == 1.0;
        return "";
    }

    Fluid& fluid_;
    workbook::BoxWindow& window_;
    workbook::History& history_;
    std::function<void()> apply_;
    workbook::Program* program_ = nullptr;
    std::unique_ptr<parallel::ThreadPool> pool_ = std::make_unique<parallel::ThreadPool>(1);
    SmokeSource source_;
    int sources_ = 0;
    double apart_ = 0.36, sway_ = 0.01, mouse_heat_ = 1.0, rayleigh_ = 1e5, light_x_ = -0.6;
    bool two_colours_ = false, follows_mouse_ = false;
    bool shows_box_ = true, is_turning_ = false;
    workbook::Camera camera_;
    double saved_sources_ = 0.0, saved_colours_ = 0.0, saved_follows_ = 0.0;
    std::array<double, 6> saved_heats_ = {};
};
