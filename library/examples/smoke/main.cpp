// A window in which smoke rises past a sphere, drawn by rays of light that are marched through it.
// Drag the sphere to move it, and anything else to turn the view.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/app/window.hpp"
#include "common/draw/camera.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/picture.hpp"
#include "common/draw/png.hpp"
#include "common/draw/raymarch.hpp"
#include "common/draw/sheets.hpp"
#include "common/io/output.hpp"
#include "common/parallel.hpp"
#include "smoke.hpp"

namespace {

using namespace workbook;

struct Flags {
    int n = 96;
    int frames = 0;  ///< 0: until the window is closed
    bool headless = false;
    std::string save;
};

double seconds_now() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
}

std::string short_number(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", number);
    return text;
}

// ---- The picture -------------------------------------------------------------------------------

Light light() {
    Light found;
    found.towards = {-0.5f, -1.0f, -0.5f};
    found.colour = {1.30f, 1.20f, 1.05f};
    found.ambient = {0.16f, 0.20f, 0.28f};
    found.solid = {0.75f, 0.28f, 0.16f};
    return found;
}

/// What the light meets: the smoke, and the sphere.
Volume volume_of(const Smoke& fluid) {
    const float thick = 14.0f;  // how much light is lost in a metre where there is 1 of smoke
    Volume volume = {fluid.n(), fluid.n(), fluid.n(), fluid.h()};
    volume.solid.resize(volume.count());
    std::size_t cell = 0;
    for (int k = 0; k < fluid.n(); ++k) {
        for (int j = 0; j < fluid.n(); ++j) {
            for (int i = 0; i < fluid.n(); ++i, ++cell) {
                const float distance = fluid.sphere().distance(fluid.centre(i, j, k));
                volume.extinction[cell] = thick * fluid.smoke()[cell];
                // Half solid at the surface, and less so over a cell, so that it looks smooth.
                volume.solid[cell] = std::clamp(0.5f - 0.6f * distance / fluid.h(), 0.0f, 1.0f);
            }
        }
    }
    return volume;
}

void draw_sky(Picture& picture) {
    for (int y = 0; y < picture.height(); ++y) {
        const float down = static_cast<float>(y) / static_cast<float>(picture.height());
        const auto mixed = [down](float above, float below) {
            return static_cast<std::uint8_t>(above + down * (below - above));
        };
        picture.rectangle(0, y, picture.width(), 1, {mixed(16, 44), mixed(22, 54), mixed(38, 72)});
    }
}

// ---- The window --------------------------------------------------------------------------------

/// The fluid, how it is looked at, and what the mouse does with both.
class Scene {
  public:
    explicit Scene(int n)
        : fluid(n), pool_(static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

    void step() {
        fluid.step();
        lit_.reset();
    }

    void restart() {
        fluid.restart();
        lit_.reset();
    }

    /// Draws everything; `coarse` is four times as fast.
    Picture draw(bool coarse) {
        if (!lit_) {
            lit_.emplace(volume_of(fluid), light(), pool_);
        }
        const Colour edges = {96, 108, 132};
        Picture picture(size.width, size.height);
        draw_sky(picture);
        const CubeView box = view();
        draw_cube_edges(picture, box, false, edges);
        draw_volume(picture, box, *lit_, pool_, coarse ? 2 : 1);
        draw_cube_edges(picture, box, true, edges);
        return picture;
    }

    void press(int x, int y) {
        grabbed_ = at_sphere(x, y);
        dragging_ = true;
        x_ = x;
        y_ = y;
    }

    void release() { dragging_ = false; }

    /// The sphere follows the mouse in the plane that faces the viewer most; or the view turns.
    void drag(int x, int y) {
        if (!dragging_) {
            return;
        }
        if (grabbed_) {
            const std::optional<Vector> from = in_sphere_plane(x_, y_);
            const std::optional<Vector> to = in_sphere_plane(x, y);
            if (from && to) {
                Vector& middle = fluid.wanted.middle;
                middle = {middle.x + to->x - from->x, middle.y + to->y - from->y,
                          middle.z + to->z - from->z};
            }
        } else {
            camera_.drag(static_cast<float>(x - x_), static_cast<float>(y - y_));
        }
        x_ = x;
        y_ = y;
    }

    void turn_wheel(int steps) {
        float& radius = fluid.wanted.radius;
        radius = std::clamp(radius + 0.01f * static_cast<float>(steps), 0.04f, 0.3f);
    }

    Smoke fluid;
    Size size = {720, 720};

  private:
    /// Nearer than where the box would fit in whichever way it is turned.
    CubeView view() const {
        const int more_x = size.width / 8, more_y = size.height / 8;
        return CubeView({-more_x, -more_y, size.width + 2 * more_x, size.height + 2 * more_y},
                        camera_);
    }

    /// The place under the mouse in the plane through the sphere's middle that faces the viewer.
    std::optional<Vector> in_sphere_plane(int x, int y) const {
        const CubeView box = view();
        const Vector middle = fluid.sphere().middle;
        const int axis = box.facing_axis();
        const float at = axis == 0 ? middle.x : axis == 1 ? middle.y : middle.z;
        const std::optional<Place3> place =
            box.place_on(axis, at, static_cast<float>(x), static_cast<float>(y));
        return place ? std::optional(Vector{place->x, place->y, place->z}) : std::nullopt;
    }

    /// Whether the sphere is under the mouse: whether one looks along a line that comes nearer to
    /// its middle than its radius.
    bool at_sphere(int x, int y) const {
        const std::optional<Vector> place = in_sphere_plane(x, y);
        if (!place) {
            return false;
        }
        const Sphere& sphere = fluid.sphere();
        const Place3 along = view().away();
        const Vector to = {sphere.middle.x - place->x, sphere.middle.y - place->y,
                           sphere.middle.z - place->z};
        const float t = to.x * along.x + to.y * along.y + to.z * along.z;
        return sphere.distance(
                   {place->x + t * along.x, place->y + t * along.y, place->z + t * along.z}) < 0.0f;
    }

    parallel::ThreadPool pool_;
    std::optional<LitVolume> lit_;  ///< the light in the smoke as it is now
    Camera camera_ = {0.5f, 0.22f};
    bool dragging_ = false, grabbed_ = false;
    int x_ = 0, y_ = 0;  ///< where the mouse was
};

void write_words(Picture& picture, const Scene& scene, double pictures_a_second) {
    const Colour words = {225, 228, 235};
    const int n = scene.fluid.n();
    const std::string size = std::to_string(n) + " x " + std::to_string(n) + " x " +
                             std::to_string(n) + " cells, " + short_number(pictures_a_second) +
                             " pictures a second";
    picture.text(10, 8, size, words, 1);
    picture.text(10, picture.height() - 2 * letter_height - 8,
                 "Drag the sphere, or the view. The wheel makes the sphere larger or smaller.",
                 words, 1);
    picture.text(10, picture.height() - letter_height - 8,
                 "Space: pause   N: one step   R: begin anew   S: save a picture   Escape: end",
                 words, 1);
}

void run_window(Scene& scene, const Flags& flags) {
    Window window("smoke", scene.size.width, scene.size.height);
    bool paused = false;
    int frames = 0, saved = 0;
    double then = seconds_now(), seconds_a_picture = 0.1;
    window.run([&] {
        bool open = true, save = false;
        for (const Event& event : window.events()) {
            switch (event.kind) {
                case Event::Kind::close:
                    open = false;
                    break;
                case Event::Kind::resize:
                    scene.size = {event.x, event.y};
                    break;
                case Event::Kind::press:
                    scene.press(event.x, event.y);
                    break;
                case Event::Kind::release:
                    scene.release();
                    break;
                case Event::Kind::move:
                    scene.drag(event.x, event.y);
                    break;
                case Event::Kind::wheel:
                    scene.turn_wheel(event.steps);
                    break;
                case Event::Kind::key:
                    open = open && event.key != '\x1b';
                    save = save || event.key == 's';
                    paused = event.key == ' ' ? !paused : paused || event.key == 'n';
                    if (event.key == 'n') {
                        scene.step();
                    } else if (event.key == 'r') {
                        scene.restart();
                    }
                    break;
                case Event::Kind::leave:
                    break;
            }
        }
        if (!paused) {
            scene.step();
        }
        if (save) {
            try {
                write_png("S", "smoke-" + std::to_string(++saved) + ".png", scene.draw(false));
            } catch (const InputError& error) {  // no reason to close the window
                std::cerr << "smoke: " << error.what() << "\n";
            }
        }
        Picture picture = scene.draw(!paused);
        const double now = seconds_now();
        seconds_a_picture += 0.1 * (now - then - seconds_a_picture);
        then = now;
        write_words(picture, scene, 1.0 / std::max(seconds_a_picture, 1e-3));
        window.show(picture);
        return open && ++frames != flags.frames;
    });
}

/// Draws each picture as the window does, shows none, and says what has become of the smoke.
void run_headless(Scene& scene, int frames) {
    const double begin = seconds_now();
    for (int frame = 0; frame < frames; ++frame) {
        scene.step();
        scene.draw(true);
    }
    const double seconds = seconds_now() - begin;
    std::printf(
        "%d pictures of %d x %d x %d cells, %.1f a second; the smoke is %.3f m high, and there "
        "is %.3g of it in the sphere\n",
        frames, scene.fluid.n(), scene.fluid.n(), scene.fluid.n(), frames / seconds,
        static_cast<double>(scene.fluid.height()),
        static_cast<double>(scene.fluid.most_in_sphere()));
}

struct NoDisplay : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// ---- The command line --------------------------------------------------------------------------

/// The flags, or nothing if all that was asked for is the list of them.
std::optional<Flags> flags_of(int argc, char** argv) {
    Flags flags;
    CLI::App app("Smoke rises past a sphere in three dimensions.");
    app.add_option("--n", flags.n, "cells along each side of the box (96)")
        ->check(CLI::Range(8, 512));
    app.add_option("--frames", flags.frames, "end after so many pictures (headless: 120)")
        ->check(CLI::Range(1, 1000000));
    app.add_option("--save", flags.save, "write the last picture to this file, as PNG")
        ->type_name("FILE");
    app.add_flag("--headless", flags.headless, "no window: compute, save, and say what there is");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::cout << app.help();
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        std::string cause = error.what();
        std::replace(cause.begin(), cause.end(), '\n', ' ');
        throw InputError(cause + " (--help lists the flags)");
    }
    if (app.count("--save") > 0) {
        check_writable("--save", flags.save);
        if (std::filesystem::path(flags.save).extension() != ".png") {
            throw InputError("--save " + flags.save + ": the file's name must end in .png");
        }
    }
    if (!flags.headless && !have_display()) {
        throw NoDisplay("no display to open a window on; --headless --save FILE draws without one");
    }
    return flags;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const std::optional<Flags> flags = flags_of(argc, argv);
        if (!flags) {
            return 0;
        }
        Scene scene(flags->n);
        if (flags->headless) {
            run_headless(scene, flags->frames > 0 ? flags->frames : 120);
        } else {
            run_window(scene, *flags);
        }
        if (!flags->save.empty()) {
            write_png("--save", flags->save, scene.draw(false));
        }
        return 0;
    } catch (const NoDisplay& error) {
        std::cerr << "smoke: " << error.what() << "\n";
        return 3;  // as the chapters' programs do
    } catch (const std::bad_alloc&) {
        std::cerr << "smoke: not enough memory; choose a smaller --n\n";
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "smoke: " << error.what() << "\n";
        return 2;
    }
}
