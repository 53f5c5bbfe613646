// Fire, for the windows of this chapter and of those that follow: scenes burn, the mouse steers a
// rocket, hot soot glows, and what expands is measured.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "11_mac/measures.hpp"
#include "18_smoke/smoke.hpp"
#include "19_fire/burners.hpp"
#include "19_fire/glow.hpp"
#include "common/app/box.hpp"
#include "common/app/program.hpp"
#include "common/draw/raymarch.hpp"

/// What a window can do with fire: parameters, columns of the state file and of --history, scenes,
/// readouts, fields, the mouse, and smoke that glows.
template <class Fluid>
class Fire : public Smoke<Fluid> {
  public:
    Fire(Fluid& fluid, workbook::BoxWindow& window, workbook::History& history)
        : Smoke<Fluid>(fluid, window, history), fluid_(fluid), window_(window) {}

    /// Adds all this to the program, and what smoke can do, as Smoke's function does.
    void connect(workbook::Program& program, std::function<void()> apply) {
        Smoke<Fluid>::connect(program, apply);
        program_ = &program;
        apply_ = std::move(apply);
        add_parameters();
        add_state();
        add_scenes();
        add_readouts();
        add_fields();
        this->add_glow = [this](workbook::Volume& volume, int first) { glow(volume, first); };
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            const bool is_usual = box.nx == 96 && box.ny == 144;  // with --nz alone, too
            return is_usual ? workbook::Start{"fire", 0.01, true} : start(box);
        };
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            is_rocket_ = false;
            scale_temperature();
            if (!program_->session.was_given("nozzle_angle")) {
                nozzle_.angle = 0.0;
            }
        };
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            if (is_rocket_) {
                place_nozzle(fluid_, nozzle_);
            }
            step(dt);
        };
    }

    /// Adds the mouse, which steers the rocket, to what Smoke's function adds.
    void connect_view() {
        Smoke<Fluid>::connect_view();
        program_->simulation.drag = [this, drag = program_->simulation.drag](
                                        workbook::Place from, workbook::Place to, bool dye) {
            return is_rocket_ ? steer(to, dye) : drag(from, to, dye);
        };
    }

    /// Draws the rocket's nozzle.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        if (is_rocket_) {
            draw_nozzle(picture, view);
        }
    }

    /// The columns of --history.
    std::vector<workbook::Readout> columns() const {
        return {{"fuel", [this] { return total(fluid_.fuel); }},
                {"expansion", [this] { return balance_of(fluid_).expansion; }},
                {"outflow", [this] { return balance_of(fluid_).outflow; }},
                {"pressure_rise", [this] { return pressure_rise(fluid_); }},
                {"thrust", [this] { return is_rocket_ ? thrust(fluid_)[1] : 0.0; }}};
    }

  private:
    // ---- The rocket ----------------------------------------------------------------------------

    /// The left button points the jet at the mouse, and the right one moves the nozzle.
    bool steer(workbook::Place to, bool dye) {
        if (dye) {
            const double right = to.x - nozzle_.x;
            const double down = std::max(0.05, static_cast<double>(to.y) * fluid_.ny / fluid_.nx);
            nozzle_.angle =
                std::clamp(std::atan2(right, down) * 180.0 / std::numbers::pi, -45.0, 45.0);
        } else {
            nozzle_.x = std::clamp(static_cast<double>(to.x), 0.1, 0.9);
        }
        fuel_nozzle();
        return true;
    }

    /// Puts the fuel into the mouth of the nozzle.
    void fuel_nozzle() {
        this->move_source({nozzle_.x, static_cast<double>(fluid_.ny) / fluid_.nx,
                           0.5 * fluid_.nz / fluid_.nx, 0.75 * nozzle_.width},
                          false);
    }

    void draw_nozzle(workbook::Picture& picture, const workbook::View& view) const {
        const float width = view.cell * static_cast<float>(fluid_.nx);
        const float x = view.left + width * static_cast<float>(nozzle_.x);
        const float half = 0.5f * width * static_cast<float>(nozzle_.width);
        const float tilt = static_cast<float>(std::tan(nozzle_.angle * std::numbers::pi / 180.0));
        const int rows = static_cast<int>(0.035f * width);
        for (int row = 0; row < rows; ++row) {
            const float share = static_cast<float>(row) / static_cast<float>(rows);
            const float wide = half * (0.7f + 0.45f * share);
            const float middle = x + tilt * static_cast<float>(row);
            picture.rectangle(static_cast<int>(middle - wide), static_cast<int>(view.top) + row,
                              static_cast<int>(2.0f * wide), 1, {96, 100, 112});
        }
    }

    // ---- What is shown -------------------------------------------------------------------------

    /// Soot is dark, and glows as hot as it is: it sends out as much of a black body's light as it
    /// would hold back of another's (Kirchhoff).
    void glow(workbook::Volume& volume, int first) {
        if (table_.exposure() != exposure_) {
            table_ = GlowTable(exposure_);
        }
        volume.glow.resize(volume.count());
        for (std::size_t cell = 0; cell < volume.count(); ++cell) {
            const std::size_t here = volume.index(0, 0, first) + cell;
            const Light3 light = table_.at(kelvin(fluid_, fluid_.temperature.values[here]));
            const float extinction = volume.extinction[cell];
            volume.glow[cell] = {extinction * static_cast<float>(light[0]),
                                 extinction * static_cast<float>(light[1]),
                                 extinction * static_cast<float>(light[2])};
            auto& colour = volume.colour[cell];
            const auto albedo = static_cast<float>(albedo_);
            colour = {albedo * colour.red, albedo * colour.green, albedo * colour.blue};
        }
    }

    void add_fields() {
        const auto field = [this](const std::string& name, const auto& of, float most,
                                  bool is_signed) {
            return workbook::ShownField{name,
                                        [this, &of](int i, int j) {
                                            return is_fluid(fluid_.density, i, j, window_.layer)
                                                       ? static_cast<float>(of(i, j, window_.layer))
                                                       : 0.0f;
                                        },
                                        most, is_signed};
        };
        auto& fields = program_->description.fields;
        fields.insert(fields.begin() + 2, field("expansion", fluid_.expansion, 3.0f, true));
        fields.insert(fields.begin() + 2, field("fuel", fluid_.fuel, 1.0f, false));
    }

    /// Shows temperatures of the right size: up to 1 in the scenes of smoke, up to 2000 in those of
    /// fire.
    void scale_temperature() {
        for (workbook::ShownField& field : program_->description.fields) {
            if (field.name == "temperature") {
                const bool is_fire = fluid_.source_temperature > 10.0;
                field.full_at = is_fire ? 2000.0f : 1.0f;
                field.unit = is_fire ? "K" : "";
            }
        }
    }

    // ---- What is measured ----------------------------------------------------------------------

    void add_readouts() {
        auto& readouts = program_->description.readouts;
        readouts.push_back({"fuel", [this] { return total(fluid_.fuel); }});
        readouts.push_back({"expands", [this] {
                                return workbook::without_rounding(balance_of(fluid_).expansion);
                            }});
        readouts.push_back({"p0'/p0", [this] { return pressure_rise(fluid_); }, true,
                            [this] { return fluid_.rhs.is_closed(); }});
        readouts.push_back(
            {"thrust", [this] { return thrust(fluid_)[1]; }, true, [this] { return is_rocket_; }});
    }

    // ---- Parameters and scenes -----------------------------------------------------------------

    void add_parameters() {
        auto& parameters = program_->description.parameters;
        parameters.push_back({"ambient", &fluid_.ambient, "kelvin outside", 1e5, 1.0});
        parameters.push_back({"gravity", &fluid_.gravity, "how light gas rises", 1e6, -1e6});
        parameters.push_back({"burning", &fluid_.burning, "how fast fuel burns, 1 / s", 1e6});
        parameters.push_back({"ignition", &fluid_.ignition, "of fuel, from that outside", 1e5});
        parameters.push_back({"heat", &fluid_.heat, "of all the fuel in a cell, kelvin", 1e5});
        parameters.push_back({"soot", &fluid_.soot, "smoke that it leaves", 1e3});
        parameters.push_back({"hottest", &fluid_.hottest, "flame, from that outside", 1e5, 1.0});
        parameters.push_back({"radiation", &fluid_.radiation, "of the hottest, kelvin / s", 1e6});
        parameters.push_back({"expands", &fluid_.expands, "1: as an ideal gas", 10.0});
        parameters.push_back({"source_fuel", &fluid_.source_fuel, "as source_smoke", 1.0});
        parameters.push_back({"burner", &burner_, "width of each flame's foot", 1.0});
        parameters.push_back({"patches", &patches_, "of fuel that explode", 1000});
        parameters.push_back({"nozzle_width", &nozzle_.width, "of the rocket", 1.0, 0.01});
        parameters.push_back({"nozzle_angle", &nozzle_.angle, "in degrees", 45.0, -45.0});
        parameters.push_back({"nozzle_speed", &nozzle_.speed, "of the jet", 100.0});
        parameters.push_back({"exposure", &exposure_, "how bright 2000 kelvin is", 1e3});
        parameters.push_back({"albedo", &albedo_, "of smoke: 0 is black", 1.0});
    }

    /// Air in which fire can burn, in metres, kelvin and seconds.
    void begin_fire(bool is_open) {
        this->choose_box({96, 144, 1}, {40, 60, 40});
        this->choose("source_temperature", 500.0);
        this->choose("source_smoke", 0.0);
        this->choose("source_fuel", 1.0);
        this->begin_air(is_open);
        scale_temperature();
        this->choose("beta", 0.0);
        this->choose("cooling", 0.0);
        this->choose("gravity", 9.81);
        this->choose("burning", 6.0);
        this->choose("radiation", 3000.0);
        this->choose("expands", 0.2);
        this->choose("soot", 0.6);
        this->choose("epsilon", fluid_.nz == 1 ? 6.0 : 4.0);
        this->choose("albedo", 0.12);
        this->choose("mouse_heat", 1200.0);
    }

    void begin_flame() {
        begin_fire(true);
        this->choose("below", 1);
        this->choose("inflow", 0.3);
        this->choose("sources", 5);
        this->choose("source_apart", 0.1);
        this->choose("sway", 0.03);
        apply_();
        place_burner(fluid_, burner_ + 0.2, 0.4);
        this->move_source({0.5, 0.0, 0.5, 0.5 * burner_}, false);
    }

    void begin_explosion() {
        begin_fire(true);
        this->choose("sources", 0);
        this->choose("burning", 12.0);
        this->choose("radiation", 1300.0);
        this->choose("expands", 1.0);
        this->choose("soot", fluid_.nz == 1 ? 1.5 : 0.8);
        if (!program_->session.was_given("dt")) {
            program_->simulation.dt = 0.01;
        }
        this->choose("epsilon", 8.0);
        apply_();
        this->move_source({}, false);
        place_patches(fluid_, patches_, 0.2, 0.3, 500.0);
    }

    void begin_rocket() {
        begin_fire(false);
        for (const std::string side : {"left", "right"}) {
            this->choose(side, 2);
        }
        this->choose("above", 1);
        this->choose("inflow", 0.0);
        this->choose("source_temperature", 1200.0);
        this->choose("radiation", 2000.0);
        this->choose("burning", 10.0);
        if (!program_->session.was_given("dt")) {
            program_->simulation.dt = 0.004;  // some three cells of the jet
        }
        apply_();
        is_rocket_ = true;
        place_nozzle(fluid_, nozzle_);
        fuel_nozzle();
    }

    void begin_torch() {
        begin_fire(true);
        this->choose("sway", 0.0);
        apply_();
        this->move_source({0.5, 0.3, 0.5, 0.09}, true);
    }

    void add_scenes() {
        const auto add = [&](const std::string& name, const std::string& meaning, auto begin) {
            program_->description.scenes.push_back({name, meaning, begin});
        };
        add("fire", "fuel that burns as it rises", [this] { begin_flame(); });
        add("explosion", "patches of hot fuel, all at once", [this] { begin_explosion(); });
        add("rocket", "a nozzle that the mouse steers", [this] { begin_rocket(); });
        add("torch", "a flame that the left button moves", [this] { begin_torch(); });
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
        cells("fuel", fluid_.fuel);
        cells("expansion", fluid_.expansion);
        const auto rows_of = [this](const std::string& name, auto value_of, int rows) {
            program_->description.state.push_back(
                {name, [this, value_of, rows](int i, int j, int k) -> double* {
                     const int row = i + (fluid_.nx + 1) * (j + (fluid_.ny + 1) * k);
                     return row < rows ? value_of(row) : nullptr;
                 }});
        };
        rows_of(
            "fire",
            [this](int n) {
                const std::array<double*, 10> values = {
                    &fluid_.ambient, &fluid_.gravity,    &fluid_.burning, &fluid_.ignition,
                    &fluid_.heat,    &fluid_.soot,       &fluid_.hottest, &fluid_.radiation,
                    &fluid_.expands, &fluid_.source_fuel};
                return values[n];
            },
            10);
        rows_of(
            "rocket",
            [this](int n) {
                if (n == 0) {  // only in its own row: a file is read through these, too
                    saved_rocket_ = is_rocket_ ? 1.0 : 0.0;
                }
                const std::array<double*, 5> values = {&saved_rocket_, &nozzle_.x, &nozzle_.width,
                                                       &nozzle_.angle, &nozzle_.speed};
                return values[n];
            },
            5);
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            const std::string reason = restore();
            return reason.empty() ? refuse() : reason;
        };
    }

    /// Takes over what a state file says. Returns a reason why it will not do, or "".
    std::string restore() {
        if (!(fluid_.ambient >= 1.0 && fluid_.hottest >= 1.0)) {
            return "the first and seventh row of fire, in kelvin, must be at least 1";
        }
        if (!(fluid_.burning >= 0.0 && fluid_.radiation >= 0.0 && fluid_.heat >= 0.0 &&
              fluid_.soot >= 0.0 && fluid_.expands >= 0.0)) {
            return "no row of fire may be negative, but for the second";
        }
        if (saved_rocket_ != 0.0 && saved_rocket_ != 1.0) {
            return "the first row of rocket must be 1 for a rocket, else 0";
        }
        if (!(nozzle_.width > 0.0)) {
            return "the third row of rocket, its width, must be more than 0";
        }
        is_rocket_ = saved_rocket_ == 1.0;
        scale_temperature();
        return "";
    }

    Fluid& fluid_;
    workbook::BoxWindow& window_;
    std::function<void()> apply_;
    workbook::Program* program_ = nullptr;
    GlowTable table_{3.0};
    double exposure_ = 3.0, albedo_ = 1.0, burner_ = 0.2;
    int patches_ = 40;
    Nozzle nozzle_;
    bool is_rocket_ = false;
    double saved_rocket_ = 0.0;
};
