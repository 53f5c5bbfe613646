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
    look.picture_size = [this](bool) {
        const Size natural = natural_size(box_.nx * (other ? 2 : 1), box_.ny);
        return size ? size(natural) : natural;
    };
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
    program.description.keys.push_back(
        {'k', "next layer", [this] { layer = (layer + 1) % box_.nz; }});
}

/// The area without a margin for the caption and the numbers on the outer faces.
static Rectangle within_margins(Rectangle area) {
    const int caption = line_height(letter_size(area.width, area.height));
    const int above = std::max(48, caption + caption / 2 + 16);
    return {area.x + 32, area.y + above, area.width - 64, area.height - above - 24};
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
    const int letters = letter_size(area.width, area.height);
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
    picture.text(area.x + 8, area.y + 8, caption(), number_colour,
                 letter_size(area.width, area.height));
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
    const int letters = letter_size(area.width, area.height);
    const auto title = [&](int x, const std::string& words) {
        int y = area.y;
        for (const std::string& line : wrapped(words, area.width / 2 - 16, letters)) {
            picture.text(x + 8, y, line, number_colour, letters);
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
