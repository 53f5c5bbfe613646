#include "common/app/cube.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "common/draw/caption.hpp"
#include "common/draw/cells.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/sheets.hpp"
#include "common/draw/threads.hpp"

namespace workbook {

namespace {

constexpr Colour edge_colour = {90, 100, 120};
constexpr Colour slice_colour = {200, 170, 90};
constexpr Colour words_colour = {235, 235, 235};

// Of a cloud.
constexpr Colour faint_edge_colour = {52, 58, 72};
constexpr Colour faint_slice_colour = {110, 95, 55};
constexpr float extinction_at_full = 32.0f;  // for a width of the cube
constexpr Light lamp = {{-0.45f, -1.0f, -0.75f}, {1.8f, 1.65f, 1.45f}, {0.11f, 0.14f, 0.24f}};

/// The light that a cloud throws back: blue where it is thin, red and then yellow towards 1.
Rgb ember_colour(float value) {
    constexpr Rgb thin = {0.05f, 0.22f, 0.85f};
    constexpr Rgb middle = {0.85f, 0.06f, 0.22f};
    constexpr Rgb full = {1.00f, 0.60f, 0.12f};
    const auto between = [](const Rgb& a, const Rgb& b, float t) {
        return Rgb{a.red + t * (b.red - a.red), a.green + t * (b.green - a.green),
                   a.blue + t * (b.blue - a.blue)};
    };
    const float t = 2.0f * std::clamp(value, 0.0f, 1.0f);
    return t < 1.0f ? between(thin, middle, t) : between(middle, full, t - 1.0f);
}

/// Fills an area with a dark sky, a little brighter below.
void draw_night(Picture& picture, Rectangle area) {
    for (int y = 0; y < area.height; ++y) {
        const auto down = static_cast<float>(y) / static_cast<float>(area.height);
        const auto part = [down](float above, float below) {
            return static_cast<std::uint8_t>(above + down * (below - above));
        };
        picture.rectangle(area.x, area.y + y, area.width, 1,
                          {part(9, 22), part(11, 25), part(18, 36)});
    }
}

/// The cell in that column and row of a slice.
CubeCell cell_in_slice(int axis, int slice, int column, int row) {
    switch (axis) {
        case 0:
            return {slice, row, column};
        case 1:
            return {column, slice, row};
        default:
            return {column, row, slice};
    }
}

constexpr Size size_of_slices = {960, 460};  // of a picture of three slices

/// How much room the letters above three slices have, wherever these are.
int height_of_letters(Rectangle area) {
    const float wide = static_cast<float>(area.width) / static_cast<float>(size_of_slices.width);
    return static_cast<int>(std::lround(std::max(1.0f, wide) * (letter_height + 4)));
}

/// One of the three middle slices' place in the picture.
Rectangle part_of(Rectangle area, int axis) {
    const int width = area.width / 3;
    const int above = height_of_letters(area);
    return {area.x + axis * width + 2, area.y + above, width - 4, area.height - above};
}

const CubeField& shown_field(const Program& program, const std::vector<CubeField>& fields) {
    for (const CubeField& field : fields) {
        if (field.name == program.shown_field().name) {
            return field;
        }
    }
    return fields.front();
}

float largest_of(const CubeField& field, int N) {
    float largest = 1e-6f;
    for (int k = 1; k < N - 1; ++k) {
        for (int j = 1; j < N - 1; ++j) {
            for (int i = 1; i < N - 1; ++i) {
                largest = std::max(largest, std::abs(field.value({i, j, k})));
            }
        }
    }
    return largest;
}

}  // namespace

CubeWindow::CubeWindow() : pool_(drawing_threads()) {}

void CubeWindow::begin(int size) {
    N_ = size;
    slice_ = size / 2;
    turning = 0.0f;
}

CubeCell CubeWindow::cell(int column, int row, int nearer) const {
    return cell_in_slice(axis_, slice_ - nearer, column, row);
}

std::array<float, 3> CubeWindow::in_cube(float right, float down) const {
    return axis_ == 0   ? std::array{0.0f, down, right}
           : axis_ == 1 ? std::array{right, 0.0f, down}
                        : std::array{right, down, 0.0f};
}

CubeWindow::Parts CubeWindow::parts(bool still) const {
    switch (view.chosen) {
        case 1:
            return Parts::SLICES;
        case 2:
            return Parts::SLICE;
        case 3:
            return Parts::CUBE;
        case 4:
            return Parts::LIT;
        default:
            return still ? Parts::SLICES : Parts::CUBE;
    }
}

float CubeWindow::shown(const CubeField& field, CubeCell cell) const {
    const auto inside = [&](int n) { return 1 <= n && n < N_ - 1; };
    if (field.inside_only && !(inside(cell.i) && inside(cell.j) && inside(cell.k))) {
        return 0.0f;
    }
    return field.value(cell);
}

/// The value in the brightest colour: where the field does not say it, the largest in the cube.
float CubeWindow::full_value(const CubeField& field) const {
    return field.full_at > 0.0f ? field.full_at : largest_of(field, N_);
}

/// The part of the velocity that lies in a slice, along its columns and rows.
std::pair<float, float> CubeWindow::velocity_in_slice(int axis, CubeCell cell) const {
    const auto [u, v, w] = velocity(cell);
    return axis == 0 ? std::pair(w, v) : axis == 1 ? std::pair(u, w) : std::pair(u, v);
}

// ---- Drawing -----------------------------------------------------------------------------------

bool CubeWindow::draw(Picture& picture, const Program& program, Rectangle area, bool still) {
    switch (parts(still)) {
        case Parts::SLICES:
            draw_slices(picture, program, area);
            return true;
        case Parts::CUBE:
            draw_cube(picture, program, area);
            return true;
        case Parts::LIT:
            draw_lit(picture, program, area, still);
            return true;
        default:
            return false;  // one slice: the program's own picture
    }
}

void CubeWindow::draw_slice(Picture& picture, const Program& program, Rectangle area, int axis,
                            float full) const {
    const int slice = N_ / 2;
    const CubeField& chosen = shown_field(program, fields);
    const View view_of_slice = view_in(area, N_, N_, true);
    const ShownField field = {
        chosen.name,
        [&](int column, int row) { return shown(chosen, cell_in_slice(axis, slice, column, row)); },
        full, chosen.is_signed, chosen.unit};
    draw_cells(picture, view_of_slice, field);
    if (program.screen.shows_arrows) {
        const auto arrow = [&](int column, int row) {
            return velocity_in_slice(axis, cell_in_slice(axis, slice, column, row));
        };
        draw_arrows(picture, view_of_slice, arrow, velocity_draw_scale);
    }
}

/// The three middle slices, side by side in one scale of colours, each with the axis that it looks
/// along.
void CubeWindow::draw_slices(Picture& picture, const Program& program, Rectangle area) const {
    const float full = full_value(shown_field(program, fields));
    for (int axis = 0; axis < 3; ++axis) {
        const Rectangle part = part_of(area, axis);
        draw_slice(picture, program, part, axis, full);
        picture.text(part.x + picture.scaled(4), area.y + picture.scaled(2),
                     std::string(1, "xyz"[axis]) + " = " + std::to_string(N_ / 2), words_colour,
                     picture.letters(1));
    }
}

/// The whole cube as half-transparent sheets. What is 0 cannot be seen.
void CubeWindow::draw_cube(Picture& picture, const Program& program, Rectangle area) const {
    const CubeField& field = shown_field(program, fields);
    const float full = full_value(field);
    const float darkest = 0.4f;  // what can be seen must not be dark
    bool is_cut = false;
    const int n = N_ - 2;  // walls are left out
    // As many cells as lie one behind the other hide each other the less, the more there are.
    const float opacity = std::min(1.0f, sheet_opacity * 40.0f / static_cast<float>(n));
    const CubeView cube(area, camera_);
    draw_cube_edges(picture, cube, false, edge_colour);
    draw_sheets(picture, cube, n, [&](int i, int j, int k) -> Glow {
        const float value = field.value({i + 1, j + 1, k + 1}) / full;
        const float size = std::clamp(std::abs(value), 0.0f, 1.0f);
        is_cut = is_cut || std::abs(value) > 1.0001f;
        return {field.is_signed ? signed_colour(value)
                                : sequential_colour(darkest + (1.0f - darkest) * size),
                opacity * size};
    });
    picture.scales.push_back({field.name, field.unit, full, field.is_signed, is_cut, darkest});
    draw_slice_outline(picture, cube, axis_,
                       (static_cast<float>(slice_) - 0.5f) / static_cast<float>(n), slice_colour);
    draw_cube_edges(picture, cube, true, edge_colour);
}

/// The field as a cloud: the larger a value is, the less light passes, and the hotter is its
/// colour.
Volume CubeWindow::cloud(const CubeField& field) const {
    const float full = full_value(field);
    const int n = N_ - 2;  // walls are left out
    Volume found;
    found.nx = n;
    found.ny = n;
    found.nz = n;
    found.cell_size = 1.0f / static_cast<float>(n);
    found.extinction.resize(found.count());
    found.colour.resize(found.count());
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                const float value = field.value({i + 1, j + 1, k + 1}) / full;
                const std::size_t cell = found.index(i, j, k);
                found.extinction[cell] = extinction_at_full * std::abs(value);
                found.colour[cell] =
                    field.is_signed ? linear_light(signed_colour(value)) : ember_colour(value);
            }
        }
    }
    return found;
}

/// The whole cube as a cloud in the light of a lamp. It is coarse while it moves.
void CubeWindow::draw_lit(Picture& picture, const Program& program, Rectangle area, bool still) {
    const LitVolume lit(cloud(shown_field(program, fields)), lamp, pool_);
    const CubeView cube(area, camera_, lit.sides());
    draw_night(picture, area);
    draw_cube_edges(picture, cube, false, faint_edge_colour);
    if (program.screen.probe.i >= 0) {  // the mouse would draw on this slice
        draw_slice_outline(picture, cube, axis_,
                           (static_cast<float>(slice_) - 0.5f) / static_cast<float>(N_ - 2),
                           faint_slice_colour);
    }
    const bool is_coarse = !still && (is_turning_ || program.screen.in_motion);
    if (is_coarse) {
        draw_volume_smoothly(picture, cube, lit, pool_, 4);
    } else {
        draw_volume(picture, cube, lit, pool_);
    }
    draw_cube_edges(picture, cube, true, faint_edge_colour);
    is_turning_ = false;
}

/// The chapter's words, below the cube or the slices, which have letters above them.
void CubeWindow::draw_caption(Picture& picture, Rectangle area) const {
    const int size = letter_size(area.width, area.height);
    picture.text(area.x + picture.scaled(8), area.y + area.height - line_height(size), caption(),
                 words_colour, size);
}

// ---- Mouse and keys ----------------------------------------------------------------------------

/// Where a pixel lies on the slice, 0 to 1 across its fluid: seen from the front, or in the cube.
/// Where three slices are shown, the one under the mouse is the one that is drawn on.
std::optional<Place> CubeWindow::place_at(Rectangle area, float x, float y) {
    const auto n = static_cast<float>(N_ - 2);
    const Parts shown_parts = parts(false);
    if (shown_parts == Parts::SLICES || shown_parts == Parts::SLICE) {
        if (shown_parts == Parts::SLICES) {
            axis_ = std::clamp((static_cast<int>(x) - area.x) * 3 / area.width, 0, 2);
            slice_ = N_ / 2;
        }
        const View slice =
            view_in(shown_parts == Parts::SLICES ? part_of(area, axis_) : area, N_, N_, true);
        return Place{((x - slice.left) / slice.cell - 1.0f) / n,
                     ((y - slice.top) / slice.cell - 1.0f) / n};
    }
    const CubeView cube(area, camera_);
    const float depth = (static_cast<float>(slice_) - 0.5f) / n;
    const std::optional<Place3> place = cube.place_on(axis_, depth, x, y);
    if (!place) {
        return std::nullopt;
    }
    return axis_ == 0   ? Place{place->z, place->y}
           : axis_ == 1 ? Place{place->x, place->z}
                        : Place{place->x, place->y};
}

void CubeWindow::look_along(int axis) {
    axis_ = axis;
    slice_ = std::clamp(slice_, 1, N_ - 2);
    if (parts(false) == Parts::SLICES) {
        view.chosen = 2;
    }
}

void CubeWindow::show_other_parts() {
    switch (parts(false)) {
        case Parts::CUBE:
            view.chosen = 2;
            break;
        case Parts::SLICE:
            view.chosen = 1;
            break;
        case Parts::SLICES:
            view.chosen = 4;
            break;
        case Parts::LIT:
            view.chosen = 3;
            break;
    }
}

/// The cell of the slice at a pixel; beside the slice it is none of its cells.
GridCell CubeWindow::cell_at(Rectangle area, float x, float y) {
    const std::optional<Place> place = place_at(area, x, y);
    if (!place) {
        return {-1, -1};
    }
    const auto n = static_cast<float>(N_ - 2);
    return {static_cast<int>(std::floor(place->x * n + 1.0f)),
            static_cast<int>(std::floor(place->y * n + 1.0f))};
}

void CubeWindow::turn_wheel(int steps) {
    if (!shows_slices()) {  // those three are always the middle ones
        slice_ = std::clamp(slice_ + steps, 1, N_ - 2);
    }
}

/// Turns by itself for dt. Meanwhile one draws on the slices that are seen most nearly from the
/// front.
void CubeWindow::turn_on(float dt) {
    if (turning != 0.0f) {
        camera_.turned += turning * dt;
        axis_ = CubeView({0, 0, 1, 1}, camera_).facing_axis();
    }
}

Look CubeWindow::look(const Program& program) {
    Look look;
    look.velocity = [this](int column, int row) {
        return velocity_in_slice(axis_, cell(column, row));
    };
    look.arrow_scale = &velocity_draw_scale;
    look.walls_have_values = true;
    look.place_at = [this](Rectangle area, float x, float y) { return place_at(area, x, y); };
    look.cell_at = [this](Rectangle area, float x, float y) { return cell_at(area, x, y); };
    look.draw = [this, &program](Picture& picture, Rectangle area) {
        const bool is_drawn = draw(picture, program, area, false);
        if (is_drawn && caption) {
            draw_caption(picture, area);
        }
        return is_drawn;
    };
    look.draw_still = [this, &program](Picture& picture, Rectangle area) {
        return draw(picture, program, area, true);
    };
    look.picture_size = [this](bool still) {
        return shows_slices(still) ? size_of_slices : Size{640, 700};
    };
    look.wheel_meaning = "nearer or farther slice";
    look.wheel = [this](int steps) { turn_wheel(steps); };
    look.turn = [this](float dx, float dy) {
        camera_.drag(dx, dy);
        is_turning_ = true;
        turning = 0.0f;
    };
    return look;
}

void CubeWindow::connect(Program& program) {
    program.simulation.shape = Shape::cube;
    program.simulation.after_step.add([this](double dt) { turn_on(static_cast<float>(dt)); });
    Description& description = program.description;
    for (const CubeField& field : fields) {
        const auto value = [this, field](int column, int row) {
            return shown(field, cell(column, row));
        };
        description.fields.push_back(
            {field.name, value, field.full_at, field.is_signed, field.unit});
    }
    description.keys.push_back({'x', "slices along x", [this] { look_along(0); }});
    description.keys.push_back({'y', "slices along y", [this] { look_along(1); }});
    description.keys.push_back({'z', "slices along z", [this] { look_along(2); }});
    description.keys.push_back(
        {'c', "sheets, one slice, three, or a cloud", [this] { show_other_parts(); }});
}

}  // namespace workbook
