// The same flow twice, side by side: the left one is carried linearly.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/box.hpp"
#include "common/draw/faces.hpp"
#include "window/fields.hpp"
#include "window/window.hpp"

/// A fluid's twin, which is shown to its left. Whatever is done to the fluid is done to the twin as
/// well, but its advection is linear.
template <class Fluid>
class Twin {
  public:
    explicit Twin(Window<Fluid>& window)
        : window_(window),
          fields_(fields_of([this]() -> const Fluid& { return *twin_; }, window.box.layer)) {
        window.add({"linear: dye", [this] { return total(twin_->density); }, false});
        window.add({"linear: energy",
                    [this] { return workbook::without_rounding(kinetic_energy(*twin_)); }, false});
        window.add_key('l', "linear advection beside this one", [this] { toggle(); });
        window.at_reset.add([this](workbook::Box) { begin(); });
        window.at_begin.add([this] { begin_alike(); });
        window.apply.add([this] { name_fluid(); });
        window.before_step.add([this](double dt) {
            if (twin_) {
                take_parameters();
                step(*twin_, dt);
            }
        });
        window.on_stroke.add([this](const workbook::Stroke& stroke) {
            if (twin_) {
                take_parameters();
                window_.draw(stroke, *twin_);
            }
        });
    }

  private:
    void toggle() {
        is_wanted_ = !twin_;
        if (is_wanted_) {
            show();
        } else {
            hide();
        }
    }

    /// A new fluid is there.
    void begin() {
        name_fluid();
        if (is_wanted_ && !window_.box.is_small()) {
            show();
        } else {
            hide();
        }
    }

    void hide() {
        twin_.reset();
        window_.box.other.reset();
        show_readouts(false);
    }

    /// Puts a twin beside the fluid that is like it in everything.
    void show() {
        twin_ = window_.fluid;
        window_.box.other =
            workbook::OtherGrid{"staggered, linear",
                                [this](const std::string& name, int i, int j) {
                                    for (const workbook::ShownField& field : fields_) {
                                        if (field.name == name) {
                                            return field.value(i, j);
                                        }
                                    }
                                    return 0.0f;
                                },
                                [this](int i, int j) { return window_.arrow(*twin_, i, j); }};
        show_readouts(true);
    }

    void show_readouts(bool shown) {
        for (workbook::Readout& readout : window_.program.description.readouts) {
            if (readout.name.starts_with("linear: ")) {
                readout.shown = shown;
            }
        }
    }

    /// Makes the twin like the fluid again, which has begun anew.
    void begin_alike() {
        if (twin_) {
            twin_ = window_.fluid;
        }
    }

    /// The twin has the fluid's parameters, but for its advection.
    void take_parameters() {
        const Fluid& fluid = window_.fluid;
        twin_->rho = fluid.rho;
        twin_->h = fluid.h;
        twin_->force_x = fluid.force_x;
        twin_->force_y = fluid.force_y;
        twin_->force_z = fluid.force_z;
        twin_->tolerance = fluid.tolerance;
        twin_->iterations = fluid.iterations;
        twin_->solver = fluid.solver;
        twin_->advection = decltype(Fluid::advection)::LINEAR;
    }

    /// Names the fluid itself after what the reader has chosen.
    void name_fluid() { window_.box.name = "staggered, " + window_.chosen("advection"); }

    Window<Fluid>& window_;
    std::vector<workbook::ShownField> fields_;  ///< the twin's
    std::optional<Fluid> twin_;
    bool is_wanted_ = true;  ///< from now on, whenever a fluid begins
};
