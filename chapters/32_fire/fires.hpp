// The scenes that burn: a fire, an explosion, a rocket and a torch.
#pragma once

#include "32_fire/burners.hpp"
#include "32_fire/combustion.hpp"
#include "32_fire/rocket.hpp"
#include "common/app/program.hpp"
#include "window/smoke_sources.hpp"
#include "window/still_air.hpp"
#include "window/window.hpp"

/// The scenes, and what they need.
template <class Fluid>
class Fires {
  public:
    Fires(Window<Fluid>& window, SmokeSources<Fluid>& sources, Rocket<Fluid>& rocket)
        : window_(window), sources_(sources), rocket_(rocket) {
        window.add({"burner", &burner_, "width of each flame's foot", 1.0},
                   [this] { return has_burner_; });
        window.add({"patches", &patches_, "of fuel that explode", 1000},
                   [this] { return has_patches_; });
        window.at_reset.add([this](workbook::Box) {
            has_burner_ = false;
            has_patches_ = false;
            scale_temperature(window_);
        });
        window.at_begin.add([this] { scale_temperature(window_); });
        window.add_scene("fire", "fuel that burns as it rises", [this] { begin_fire(); });
        window.add_scene("explosion", "patches of hot fuel, all at once",
                         [this] { begin_explosion(); });
        window.add_scene("rocket", "a nozzle that the mouse steers", [this] { begin_rocket(); });
        window.add_scene("torch", "a flame that the left button moves", [this] { begin_torch(); });
    }

  private:
    /// Air in which fuel can burn, in metres, kelvin and seconds.
    void begin_burning(bool is_open) {
        set_air_size(window_, {96, 144, 1}, {40, 60, 40});
        begin_air(window_, is_open);
        window_.set({
            {"source_temperature", 500.0},
            {"source_smoke", 0.0},
            {"source_fuel", 1.0},
            {"beta", 0.0},
            {"cooling", 0.0},
            {"gravity", 9.81},
            {"burning", 6.0},
            {"radiation", 3000.0},
            {"expands", 0.2},
            {"soot", 0.6},
            {"epsilon", window_.fluid.nz == 1 ? 6.0 : 4.0},
            {"albedo", 0.1},
            {"exposure", 10.0},
            {"mouse_heat", 1200.0},
        });
    }

    /// Flames side by side, in a deep box a single round one that is twice as wide.
    void begin_fire() {
        const bool is_flat = window_.fluid.nz == 1;
        begin_burning(true);
        window_.set({
            {"below", 1},
            {"inflow", 0.3},
            {"sources", is_flat ? 5 : 1},
            {"source_apart", 0.1},
            {"sway", 0.03},
        });
        window_.apply();
        place_burner(window_.fluid, burner_ + 0.2, 0.4);
        sources_.move({0.5, 0.0, 0.5, (is_flat ? 0.5 : 1.0) * burner_});
        has_burner_ = true;
    }

    void begin_explosion() {
        begin_burning(true);
        window_.set({
            {"sources", 0},
            {"burning", 12.0},
            {"exposure", 4.0},
            {"radiation", 1300.0},
            {"expands", 1.0},
            {"soot", window_.fluid.nz == 1 ? 1.5 : 0.8},
            {"epsilon", 8.0},
        });
        set_step(window_, 0.01);
        window_.apply();
        place_patches(window_.fluid, patches_, 0.2, 0.3, 500.0);
        has_patches_ = true;
    }

    void begin_rocket() {
        begin_burning(false);
        window_.set({
            {"left", 2},
            {"right", 2},
            {"above", 1},
            {"inflow", 0.0},
            {"source_temperature", 1200.0},
            {"radiation", 2000.0},
            {"burning", 10.0},
            {"exposure", 6.0},
        });
        set_step(window_, 0.004);  // some three cells of the jet
        window_.apply();
        rocket_.light();
    }

    void begin_torch() {
        begin_burning(true);
        window_.set("sway", 0.0);
        window_.apply();
        sources_.move({0.5, 0.3, 0.5, 0.09});
        sources_.let_mouse_move();
    }

    Window<Fluid>& window_;
    SmokeSources<Fluid>& sources_;
    Rocket<Fluid>& rocket_;
    double burner_ = 0.2;
    int patches_ = 40;
    bool has_burner_ = false;
    bool has_patches_ = false;
};
