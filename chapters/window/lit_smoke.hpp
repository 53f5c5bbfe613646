// Smoke and dye in a picture: light falls through them, and they cast shadows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/app/occasions.hpp"
#include "common/app/program.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/raymarch.hpp"
#include "common/draw/sheets.hpp"
#include "common/parallel.hpp"
#include "window/window.hpp"

/// Draws the field "smoke" as smoke in the light of the evening: one layer, or the whole box from
/// outside. It is drawn in place of cells and arrows where there is no other fluid beside, and the
/// box is not so small that its numbers are shown.
template <class Fluid>
class LitSmoke {
  public:
    /// What a chapter does to what light meets, in the layers from `first` on: it may glow.
    workbook::Actions<workbook::Volume&, int> change;
    /// Whether it glows so brightly that a screen cannot show it. Then a film does, and what is too
    /// bright for a screen is spread around it.
    bool shines = false;

    explicit LitSmoke(Window<Fluid>& window) : window_(window) {
        window.add({"light_x", &light_x_, "where the light comes from", 10.0, -10.0});
        window.add_key('i', "the whole box, or one layer of it",
                       [this] { shows_box_ = !shows_box_; });
        window.program.look.turn = [this](float dx, float dy) {
            camera_.drag(dx, dy);
            is_turning_ = true;
        };
        window.draws.add([this](workbook::Picture& picture, workbook::Rectangle area) {
            if (!shows_smoke()) {
                return false;
            }
            if (window_.fluid.nz > 1 && shows_box_) {
                draw_box(picture, area);
            } else {
                draw_layer(picture, area);
            }
            return true;
        });
    }

  private:
    static constexpr float extinction_at_1 = 16.0f;  ///< of a full cell, for a width of the box
    static constexpr workbook::Rgb smoke_colour = {0.92f, 0.92f, 0.92f};
    static constexpr workbook::Rgb dye_colour = {0.95f, 0.42f, 0.10f};

    bool shows_smoke() const {
        return window_.program.shown_field().name == "smoke" && !window_.box.other &&
               !window_.box.is_small();
    }

    /// The colour of smoke and dye that are mixed, of which this share is smoke.
    static workbook::Rgb mixed(float share) {
        const auto part = [share](float smoke, float dye) {
            return share * smoke + (1.0f - share) * dye;
        };
        return {part(smoke_colour.red, dye_colour.red), part(smoke_colour.green, dye_colour.green),
                part(smoke_colour.blue, dye_colour.blue)};
    }

    /// What light meets in layer `first` and those behind it.
    workbook::Volume volume(int first, int layers) const {
        const Fluid& fluid = window_.fluid;
        workbook::Volume found;
        found.nx = fluid.nx;
        found.ny = fluid.ny;
        found.nz = layers;
        found.cell_size = 1.0f / static_cast<float>(fluid.nx);
        found.extinction.resize(found.count());
        found.colour.resize(found.count());
        found.solid.resize(found.count());
        for (std::size_t cell = 0; cell < found.count(); ++cell) {
            const std::size_t here = found.index(0, 0, first) + cell;
            const auto smoke = static_cast<float>(std::max(0.0, fluid.smoke.values[here]));
            const auto dye = static_cast<float>(std::max(0.0, fluid.density.values[here]));
            found.extinction[cell] = extinction_at_1 * (smoke + dye);
            found.colour[cell] = mixed(smoke + dye > 0.0f ? smoke / (smoke + dye) : 1.0f);
            found.solid[cell] = static_cast<float>(fluid.solid.values[here]);
        }
        change(found, first);
        return found;
    }

    workbook::Light light() const {
        workbook::Light found;
        found.towards = {static_cast<float>(light_x_), -1.0f, -0.5f};
        found.colour = {1.25f, 1.15f, 1.0f};
        found.ambient = {0.20f, 0.23f, 0.30f};
        return found;
    }

    /// Fills an area with evening sky.
    static void draw_sky(workbook::Picture& picture, workbook::Rectangle area) {
        for (int y = 0; y < area.height; ++y) {
            const auto down = static_cast<float>(y) / static_cast<float>(area.height);
            const auto part = [down](float above, float below) {
                return static_cast<std::uint8_t>(above + down * (below - above));
            };
            picture.rectangle(area.x, area.y + y, area.width, 1,
                              {part(14, 34), part(19, 40), part(33, 54)});
        }
    }

    /// The volume from finer cells, so that its flames are smooth. The light that reaches them is
    /// found among the coarse ones, which are far fewer.
    workbook::Volume refined(workbook::Volume seen) {
        seen.reached = workbook::light_reaching(seen, light().towards, pool_);
        return workbook::refined(seen);
    }

    /// Draws over an area as light, with a glow around what is brighter than a screen: some of that
    /// is spread, nearby and far, and most stays.
    template <class Draw>
    void shine(workbook::Picture& picture, workbook::Rectangle area, const Draw& draw) {
        workbook::LightPicture light(picture, area);
        draw(light);
        const auto height = static_cast<float>(light.area().height);
        light.spread(0.12f, 0.05f * height, pool_);
        light.spread(0.12f, 0.012f * height, pool_);
        light.develop(picture, pool_);
    }

    /// The shown layer, with its shadows in the plane.
    void draw_layer(workbook::Picture& picture, workbook::Rectangle area) {
        const Fluid& fluid = window_.fluid;
        const workbook::Program& program = window_.program;
        const workbook::View view = workbook::view_in(area, fluid.nx, fluid.ny, false);
        const workbook::Rectangle whole = {
            static_cast<int>(view.left), static_cast<int>(view.top),
            static_cast<int>(view.cell * static_cast<float>(fluid.nx)),
            static_cast<int>(view.cell * static_cast<float>(fluid.ny))};
        draw_sky(picture, whole);
        const auto put = [&](auto& target, const workbook::Volume& seen) {
            const workbook::LitVolume lit(seen, light(), pool_);
            const float cell = view.cell * static_cast<float>(fluid.nx) / lit.sides().x;
            workbook::draw_layer(target, view.left, view.top, cell, lit, 0, 0.15f * lit.sides().x,
                                 pool_);
        };
        if (shines) {
            shine(picture, whole, [&](workbook::LightPicture& target) {
                put(target, refined(volume(window_.box.layer, 1)));
            });
        } else {
            put(picture, volume(window_.box.layer, 1));
        }
        if (program.screen.shows_arrows) {
            workbook::draw_arrows(picture, view, program.look.velocity, *program.look.arrow_scale);
        }
        window_.draw_over(picture, view);
    }

    /// The whole box from outside.
    void draw_box(workbook::Picture& picture, workbook::Rectangle area) {
        draw_sky(picture, area);
        const workbook::Volume seen = volume(0, window_.fluid.nz);
        const workbook::CubeView view(area, camera_, seen.sides());
        const workbook::Colour edge_colour = {90, 100, 120};
        workbook::draw_cube_edges(picture, view, false, edge_colour);
        const bool is_coarse =
            is_turning_ || window_.program.screen.in_motion;  // fine when all is at rest
        if (shines) {
            const workbook::LitVolume lit(refined(seen), light(), pool_);
            shine(picture, area, [&](workbook::LightPicture& target) {
                workbook::draw_volume_smoothly(target, view, lit, pool_, is_coarse ? 4 : 2);
            });
        } else {
            const workbook::LitVolume lit(seen, light(), pool_);
            workbook::draw_volume(picture, view, lit, pool_, is_coarse ? 2 : 1);
        }
        workbook::draw_cube_edges(picture, view, true, edge_colour);
        is_turning_ = false;
    }

    Window<Fluid>& window_;
    parallel::ThreadPool pool_{1};
    double light_x_ = -0.6;
    bool shows_box_ = true;  ///< where the box is deep: the whole of it, not a layer
    bool is_turning_ = false;
    workbook::Camera camera_;
};
