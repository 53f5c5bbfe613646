#include "common/app/box.hpp"

#include <algorithm>
#include <cmath>

#include "common/draw/caption.hpp"
#include "common/draw/cells.hpp"

namespace workbook {

void BoxWindow::begin(Box box) {
    box_ = box;
    layer = box.nz / 2;
    other.reset();
    for (Readout& readout : program_->description.readouts) {
        if (readout.name == "layer") {
            readout.shown = box.nz > 1;
        }
    }
}

Look BoxWindow::look(const Program& program) {
    Look look;
    look.picture_size = [this](bool) { return picture_size(); };
    look.place_at = [this](Rectangle area, float x, float y) { return place_at(area, x, y); };
    look.cell_at = [this, &program](Rectangle area, float x, float y) {
        const View seen = view(area);
        return program.look.cell_from_mouse(x - seen.left, y - seen.top, seen.cell);
    };
    look.draw = [this, &program](Picture& picture, Rectangle area) {
        return draw(picture, program, area);
    };
    return look;
}

void BoxWindow::connect(Program& program) {
    program_ = &program;
    program.description.readouts.push_back({"layer", [this] { return 1.0 * layer; }, false});
    program.description.keys.push_back({'k', "next layer",
                                        [this] { layer = (layer + 1) % box_.nz; },
                                        [this] { return box_.nz > 1; }});
}

Size BoxWindow::picture_size() const {
    const Size natural = natural_size(box_.nx * (other ? 2 : 1), box_.ny);
    return size ? size(natural) : natural;
}

/// How many times as large as in a picture of its natural size the area is; 1 where it is smaller.
float BoxWindow::scale(Rectangle area) const {
    const Size natural = picture_size();
    const Rectangle whole = area_above_text(natural.width, natural.height);
    const float across = static_cast<float>(area.width) / static_cast<float>(whole.width);
    const float down = static_cast<float>(area.height) / static_cast<float>(whole.height);
    return std::max(1.0f, std::min(across, down));
}

/// The size of the letters in an area.
int BoxWindow::size_of_letters(Rectangle area) const {
    const float times = scale(area);
    const int width = static_cast<int>(std::lround(static_cast<float>(area.width) / times));
    const int height = static_cast<int>(std::lround(static_cast<float>(area.height) / times));
    return larger_letters(letter_size(width, height), times);
}

/// The area without a margin for the caption and the numbers on the outer faces.
Rectangle BoxWindow::within_margins(Rectangle area) const {
    const float times = scale(area);
    const auto scaled = [times](int pixels) {
        return static_cast<int>(std::lround(times * static_cast<float>(pixels)));
    };
    const int line = line_height(size_of_letters(area));
    const int above = std::max(scaled(48), line + line / 2 + scaled(16));
    return {area.x + scaled(32), area.y + above, area.width - 2 * scaled(32),
            area.height - above - scaled(24)};
}

bool BoxWindow::is_small() const {
    return std::max(box_.nx, box_.ny) <= most_numbered && box_.nz == 1;
}

bool BoxWindow::shows_numbers(Rectangle area) const {
    const float least = 13.0f * letter_width;  // a number and half of each of its neighbours
    return is_small() && view_in(within_margins(area), box_.nx, box_.ny, false).cell >= least;
}

/// The lines of the longer of the two grids' names, in pixels.
int BoxWindow::title_height(Rectangle area) const {
    const int letters = size_of_letters(area);
    const auto lines = [&](const std::string& words) {
        return static_cast<int>(wrapped(words, area.width / 2 - 16, letters).size());
    };
    return std::max(lines(other->name), lines(name)) * line_height(letters) + 4;
}

/// The part of the area in which the grid lies: numbers on the outer faces need a margin, and two
/// grids half of it each.
Rectangle BoxWindow::room(Rectangle area, bool left_half) const {
    if (other) {
        const int half = area.width / 2;
        const int titles = std::max(24, title_height(area));
        return {area.x + (left_half ? 0 : half), area.y + titles, half, area.height - titles};
    }
    return shows_numbers(area) ? within_margins(area) : area;
}

View BoxWindow::view(Rectangle area, bool left_half) const {
    return view_in(room(area, left_half), box_.nx, box_.ny, false);
}

void BoxWindow::draw_numbers(Picture& picture, Rectangle area) const {
    draw_faces(picture, view(area), numbers());
    const int margin = picture.scaled(8);
    picture.text(area.x + margin, area.y + margin, caption(), number_colour, size_of_letters(area));
}

/// Draws what is more than cells and arrows, and says whether there is anything.
bool BoxWindow::draw(Picture& picture, const Program& program, Rectangle area) const {
    if (other) {
        draw_both(picture, program, area);
    } else if (shows_numbers(area)) {
        draw_numbers(picture, area);
    } else {
        return false;
    }
    program.look.draw_over(picture, view(area));
    return true;
}

/// Both grids, in one scale of colours.
void BoxWindow::draw_both(Picture& picture, const Program& program, Rectangle area) const {
    ShownField right = program.shown_field();
    ShownField left = right;
    left.value = [&](int i, int j) { return other->value(right.name, i, j); };
    if (right.full_at <= 0.0f) {
        float most = 1e-6f;
        for (int j = 0; j < box_.ny; ++j) {
            for (int i = 0; i < box_.nx; ++i) {
                most = std::max({most, std::abs(left.value(i, j)), std::abs(right.value(i, j))});
            }
        }
        left.full_at = right.full_at = most;
    }
    const View left_view = view(area, true);
    const View right_view = view(area);
    draw_cells(picture, left_view, left);
    draw_cells(picture, right_view, right);
    if (program.screen.shows_arrows) {
        draw_arrows(picture, left_view, other->velocity, *program.look.arrow_scale);
        draw_arrows(picture, right_view, program.look.velocity, *program.look.arrow_scale);
    }
    const int letters = size_of_letters(area);
    const auto title = [&](int x, const std::string& words) {
        int y = area.y;
        for (const std::string& line : wrapped(words, area.width / 2 - 16, letters)) {
            picture.text(x + picture.scaled(8), y, line, number_colour, letters);
            y += line_height(letters);
        }
    };
    title(area.x, other->name);
    title(area.x + area.width / 2, name);
}

/// Where a pixel lies on the grid: in either of the two, if there are two.
std::optional<Place> BoxWindow::place_at(Rectangle area, float x, float y) const {
    const int half = area.width / 2;
    if (other && x < static_cast<float>(area.x + half)) {
        x += static_cast<float>(half);
    }
    const View seen = view(area);
    return Place{(x - seen.left) / (seen.cell * static_cast<float>(seen.columns)),
                 (y - seen.top) / (seen.cell * static_cast<float>(seen.rows))};
}

}  // namespace workbook
