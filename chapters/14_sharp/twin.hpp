// The same flow twice, side by side, for the windows of this chapter and of those that follow.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "11_mac/measures.hpp"
#include "common/app/box.hpp"
#include "common/app/program.hpp"

/// A fluid's twin, which is shown to its left. Whatever is done to the fluid is done to the twin as
/// well, but the twin is carried with the first of the chapter's advections.
template <class Fluid>
class Twin {
  public:
    Twin(Fluid& fluid, workbook::Choice& advection, workbook::BoxWindow& window,
         bool is_wanted = true)
        : fluid_(fluid), advection_(advection), window_(window), is_wanted_(is_wanted) {
        add_fields(
            shown_, [this]() -> const Fluid& { return *twin_; }, window_.layer);
    }

    /// Makes all that the program does to its fluid happen to the twin, too, and adds the key L.
    /// The program must stay where it is, and have its scenes and keys already.
    void connect(workbook::Program& program) {
        program_ = &program;
        const std::string name = advection_.names[0];
        program.description.readouts.push_back(
            {name + ": dye", [this] { return total(twin_->density); }, false});
        program.description.readouts.push_back(
            {name + ": energy",
             [this] { return workbook::without_rounding(kinetic_energy(*twin_)); }, false});
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            hide();
            name_fluid();
            if (is_wanted_ && !window_.is_small()) {
                show();
            }
        };
        program.simulation.refuse_state = [this, refuse = program.simulation.refuse_state] {
            std::string reason = refuse();
            begin_alike();
            return reason;
        };
        program.simulation.step = [this, step = program.simulation.step](double dt) {
            with_both([&] { step(dt); });
        };
        program.simulation.stroke =
            [this, apply = program.simulation.stroke](const workbook::Stroke& stroke) {
                with_both([&] { apply(stroke); });
            };
        for (workbook::OwnScene& scene : program.description.scenes) {
            scene.play = [this, play = scene.play] {
                play();
                begin_alike();
            };
        }
        for (workbook::Key& key : program.description.keys) {
            if (key.key == 'x' || key.key == 'p') {  // these change the fluid
                key.press = [this, press = key.press] { with_both(press); };
            } else if (key.key == 'c') {  // puts another grid in the twin's place
                key.press = [this, press = key.press] {
                    hide();
                    press();
                };
            }
        }
        program.description.keys.push_back(
            {'l', advection_.names[0] + " advection beside this one", [this] { toggle(); }});
    }

  private:
    /// Shows the twin, or takes it away, from now on.
    void toggle() {
        is_wanted_ = !twin_;
        for (workbook::Key& key : program_->description.keys) {
            if (key.key == 'c' && window_.other && !twin_) {
                key.press();  // takes the other grid away
            }
        }
        is_wanted_ ? show() : hide();
    }

    /// Takes the twin away, so that something else can stand in its place.
    void hide() {
        if (twin_) {
            twin_.reset();
            window_.other.reset();
        }
        show_readouts(false);
    }

    /// Puts a twin beside the fluid that is like it in everything.
    void show() {
        twin_ = fluid_;
        window_.other = workbook::OtherGrid{
            "staggered, " + advection_.names[0],
            [this](const std::string& name, int i, int j) {
                for (const workbook::ShownField& field : shown_.description.fields) {
                    if (field.name == name) {
                        return field.value(i, j);
                    }
                }
                return 0.0f;
            },
            [this](int i, int j) {
                const auto velocity = velocity_of_cell(*twin_, i, j, window_.layer);
                const double width = twin_->h * twin_->nx;
                return std::pair(static_cast<float>(velocity.x / width),
                                 static_cast<float>(velocity.y / width));
            }};
        show_readouts(true);
    }

    void show_readouts(bool shown) {
        for (workbook::Readout& readout : program_->description.readouts) {
            if (readout.name.starts_with(advection_.names[0] + ": ")) {
                readout.shown = shown;
            }
        }
    }

    /// Makes the twin like the fluid again, which has begun anew.
    void begin_alike() {
        if (twin_) {
            twin_ = fluid_;
        }
    }

    /// Does something to the twin, in the fluid's place, and then to the fluid. The twin has the
    /// fluid's parameters, but for its advection.
    void with_both(const std::function<void()>& action) {
        if (twin_) {
            std::vector<double> kept;
            for (const workbook::Parameter& parameter : program_->description.parameters) {
                kept.push_back(number_in(parameter));
            }
            const auto set_parameters = [&] {
                for (std::size_t k = 0; k < kept.size(); ++k) {
                    set_number(program_->description.parameters[k], kept[k]);
                }
            };
            std::swap(fluid_, *twin_);
            set_parameters();
            advection_.chosen = 0;
            action();
            std::swap(fluid_, *twin_);
            set_parameters();
        }
        action();
        name_fluid();
    }

    /// Names the fluid itself after what the reader has chosen.
    void name_fluid() { window_.name = "staggered, " + advection_.names[advection_.chosen]; }

    Fluid& fluid_;
    workbook::Choice& advection_;
    workbook::BoxWindow& window_;
    workbook::Program* program_ = nullptr;
    workbook::Program shown_{"", ""};  ///< whose fields are the twin's
    std::optional<Fluid> twin_;
    bool is_wanted_;  ///< from the first, or once its key was pressed
};
