// Particles that carry the fluid of a window: they fill its box, and the reader chooses the
// transfer between them and the grid.
//
//     Transfers transfers(window);      // after Openings: flags, the key T, what it refuses
#pragma once

#include <string>

#include "common/app/flags.hpp"
#include "common/app/program.hpp"
#include "window/seed.hpp"
#include "window/sides.hpp"
#include "window/window.hpp"

/// Offers PIC, FLIP and APIC beside the advections of the grid, and begins with APIC. It must stay
/// where it is.
template <class Fluid>
class Transfers {
    using Advection = decltype(Fluid::advection);
    using Particle = typename decltype(Fluid::particles)::value_type;

  public:
    explicit Transfers(Window<Fluid>& window) : window_(window) {
        window.fluid.advection = Advection::APIC;
        window.choose("advection", &Fluid::advection,
                      {"linear", "sharp", "reflected", "pic", "flip", "apic"},
                      "how the fields are carried");
        window.add(
            {"flip_share", &window.fluid.flip_share, "of FLIP in FLIP: the rest is PIC", 1.0},
            [this] { return chosen() == Advection::FLIP; });
        window.add({"particles",
                    [&window] { return static_cast<double>(window.fluid.particles.size()); }});
        window.add_key('t', "the next transfer", [this] { choose_next(); });
        window.before_step.add([this](double) { seed(); });
        window.refuse.add([this](workbook::Box) { return why_not_open(); });
        window.refuse_state.add([this] { return take_state(); });
        window.count_memory([this](workbook::Box box) {
            const double in_a_cell = box.nz == 1 ? 4.0 : 8.0;
            const double cells = 1.0 * box.nx * box.ny * box.nz;
            return has_particles() ? in_a_cell * cells * sizeof(Particle) : 0.0;
        });
    }
    Transfers(const Transfers&) = delete;  // the window refers to it
    Transfers& operator=(const Transfers&) = delete;

    /// Whether particles are to carry the fluid.
    bool has_particles() const { return chosen() >= Advection::PIC; }

  private:
    Advection chosen() const {
        return static_cast<Advection>(
            static_cast<int>(window_.program.description.parameter("advection")));
    }

    void choose(Advection advection) {
        for (const workbook::Parameter& parameter : window_.program.description.parameters) {
            if (parameter.name == "advection") {
                set_number(parameter, static_cast<double>(advection));
            }
        }
    }

    void choose_next() {
        if (is_open()) {
            window_.program.screen.say(needs_closed_box);
            return;
        }
        const bool has_next = has_particles() && chosen() != Advection::APIC;
        const int next = static_cast<int>(chosen()) + 1;
        choose(has_next ? static_cast<Advection>(next) : Advection::PIC);
        window_.program.screen.say(window_.chosen("advection"));
    }

    /// Fills the box with particles, if they are to carry the fluid and there are none. They know
    /// at once what the grid holds.
    void seed() {
        Fluid& fluid = window_.fluid;
        if (has_particles() && fluid.particles.empty()) {
            seed_particles(fluid);
            grid_to_particles(fluid);
            fluid.brought = {fluid.u, fluid.v, fluid.w, fluid.density};
        }
    }

    bool is_open() const {
        for (const char* side : side_names) {
            if (window_.program.description.parameter(side) != 0.0) {
                return true;
            }
        }
        return false;
    }

    std::string why_not_open() const {
        return has_particles() && is_open() ? needs_closed_box : "";
    }

    /// The grid carries a loaded fluid whose box is open, unless the reader asks for particles.
    std::string take_state() {
        if (has_particles() && is_open() && !window_.program.session.was_given("advection")) {
            choose(Advection::REFLECTED);
        }
        return why_not_open();
    }

    static constexpr const char* needs_closed_box =
        "particles need a closed box: close its sides, or choose --advection reflected";

    Window<Fluid>& window_;
};
