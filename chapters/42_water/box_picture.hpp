// A deep box of water in the picture of a window: seen from outside, and the mouse turns or tilts
// it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "42_water/smooth_surface.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/sheets.hpp"
#include "common/draw/surface.hpp"
#include "common/parallel.hpp"
#include "window/window.hpp"

/// Water, as the pictures show it: it absorbs red light first. Its refractive index is measured,
/// and the other numbers are chosen for the eye.
inline constexpr workbook::Liquid clear_water = {.refractive_index = 1.33f,
                                                 .absorption = {3.2f, 1.2f, 0.80f},
                                                 .absorption_of_sunlight = 0.4f,
                                                 .colour = {0.02f, 0.20f, 0.30f}};

/// Draws a deep box of water: its surface, or all particles. It is drawn in place of cells and
/// arrows where dye is shown, unless a layer is asked for.
template <class Fluid>
class BoxPicture {
  public:
    /// Is called with a turning drag, in pixels. Returns true if it has tilted the box, which then
    /// does not turn.
    std::function<bool(float dx, float dy)> tilts = [](float, float) { return false; };

    BoxPicture(Window<Fluid>& window, parallel::ThreadPool& pool) : window_(window), pool_(pool) {
        window.add_key('i', "the whole box, or one layer of it",
                       [this] { shows_box_ = !shows_box_; });
        window.add_key('e', "the box as particles, or as water",
                       [this] { shows_particles_ = !shows_particles_; });
        window.program.look.turn = [this](float dx, float dy) {
            if (!tilts(dx, dy)) {
                camera_.drag(dx, dy);
                is_turning_ = true;
            }
        };
        window.draws.add([this](workbook::Picture& picture, workbook::Rectangle area) {
            const bool shows = window_.fluid.nz > 1 && window_.fluid.has_air && shows_box_ &&
                               window_.program.shown_field().name == "dye";
            if (shows) {
                draw(picture, area);
            }
            return shows;
        });
    }
    BoxPicture(const BoxPicture&) = delete;  // the window refers to it
    BoxPicture& operator=(const BoxPicture&) = delete;

  private:
    void draw(workbook::Picture& picture, workbook::Rectangle area) {
        const Fluid& fluid = window_.fluid;
        draw_room(picture, area);
        const workbook::Place3 sides = {static_cast<float>(fluid.nx), static_cast<float>(fluid.ny),
                                        static_cast<float>(fluid.nz)};
        const workbook::CubeView view(area, camera_, sides);
        constexpr workbook::Colour edges = {120, 132, 150};
        workbook::draw_cube_edges(picture, view, false, edges);
        if (shows_particles_) {
            draw_particles(picture, view);
        } else {
            const bool is_coarse = is_turning_ || window_.program.screen.in_motion;
            const workbook::LitSurface lit(smooth_surface(fluid, pool_), clear_water, pool_);
            workbook::draw_surface(picture, view, lit, pool_, is_coarse ? 2 : 1);
        }
        workbook::draw_cube_edges(picture, view, true, edges);
        is_turning_ = false;
    }

    /// Fills an area with the light of a room.
    static void draw_room(workbook::Picture& picture, workbook::Rectangle area) {
        for (int y = 0; y < area.height; ++y) {
            const auto down = static_cast<float>(y) / static_cast<float>(area.height);
            const auto part = [down](float above, float below) {
                return static_cast<std::uint8_t>(above + down * (below - above));
            };
            picture.rectangle(area.x, area.y + y, area.width, 1,
                              {part(30, 70), part(38, 84), part(52, 104)});
        }
    }

    /// Draws each particle as a dot, brighter the faster it is. The nearest is in front.
    void draw_particles(workbook::Picture& picture, const workbook::CubeView& view) const {
        const Fluid& fluid = window_.fluid;
        const int size = picture.scaled(2);
        const int columns = picture.width() / size + 1;
        const int rows = picture.height() / size + 1;
        std::vector<float> nearest(static_cast<std::size_t>(columns * rows),
                                   std::numeric_limits<float>::infinity());
        const double fastest = std::sqrt(
            2.0 * std::hypot(fluid.force_x, fluid.force_y, fluid.force_z) * fluid.h * fluid.ny);
        for (const auto& particle : fluid.particles) {
            const workbook::Place3 place = {
                static_cast<float>(particle.place.x / (fluid.h * fluid.nx)),
                static_cast<float>(particle.place.y / (fluid.h * fluid.ny)),
                static_cast<float>(particle.place.z / (fluid.h * fluid.nz))};
            const auto at = view.point(place);
            const int column = static_cast<int>(at.x) / size, row = static_cast<int>(at.y) / size;
            if (at.x < 0.0f || at.y < 0.0f || column >= columns || row >= rows) {
                continue;
            }
            float& before = nearest[static_cast<std::size_t>(column + columns * row)];
            if (view.distance(place) < before) {
                before = view.distance(place);
                const auto& [u, v, w, dye] = particle.values;
                const double share = std::hypot(u, v, w) / std::max(fastest, 1e-9);
                picture.rectangle(
                    column * size, row * size, size, size,
                    workbook::sequential_colour(0.3f + 0.7f * static_cast<float>(share)));
            }
        }
    }

    Window<Fluid>& window_;
    parallel::ThreadPool& pool_;
    bool shows_box_ = true;  ///< where the box is deep: the whole of it, not a layer
    bool shows_particles_ = false;
    bool is_turning_ = false;
    workbook::Camera camera_;
};
