#include "common/app/paint.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "common/app/help.hpp"
#include "common/app/layout.hpp"
#include "common/app/panel.hpp"
#include "common/app/program.hpp"
#include "common/draw/caption.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/words.hpp"

namespace workbook {
namespace {

WordsLayout help_layout(const Program& program, int width, int height) {
    return words_layout({0, 0, width, height}, help_lines(program.description, program.look),
                        letter_size(layout_of(program, width, height).fluid.width, height));
}

/// How many times as large as its natural size the fluid with its text is; 1 where it is smaller.
float scale_of(const Program& program, Size fluid, bool still) {
    const Size natural = program.look.size(program.simulation, still);
    const float across = static_cast<float>(fluid.width) / static_cast<float>(natural.width);
    const float down = static_cast<float>(fluid.height) / static_cast<float>(natural.height);
    return std::max(1.0f, std::min(across, down));
}

/// Cells, arrows, and the cell that is probed, if one is.
void draw_grid(Picture& picture, const View& view, const Program& program, bool is_probing) {
    const Look& look = program.look;
    draw_cells(picture, view, program.shown_field(), look.walls_have_values);
    if (program.screen.shows_arrows && look.velocity) {
        draw_arrows(picture, view, look.velocity, *look.arrow_scale, look.walls_have_values);
    }
    if (is_probing) {
        draw_frame(picture, view, program.screen.probe);
        if (look.draw_probe) {
            look.draw_probe(picture, view, program.screen.probe);
        }
    }
    look.draw_over(picture, view);
}

std::string status_of(const Program& program, double pictures_per_second) {
    const Simulation& simulation = program.simulation;
    std::string status = words_of(simulation.shape, simulation.box, " ") + "  step " +
                         std::to_string(simulation.step_count);
    if (pictures_per_second > 0.0 && !program.session.paused) {
        status += "  " + std::to_string(std::lround(pictures_per_second)) + " fps";
    }
    return status + (program.session.paused ? "  paused" : "");
}

std::string readouts_of(const Program& program) {
    std::string readouts;
    for (const Readout& readout : program.description.readouts) {
        if (readout.shown && (!readout.applies || readout.applies())) {
            readouts += readout.name + " " + short_number(readout.value()) + "  ";
        }
    }
    return readouts;
}

/// What the last line says of a cell.
std::string words_on(const Program& program, GridCell cell) {
    const Look& look = program.look;
    if (look.describe) {
        return look.describe(cell.i, cell.j);
    }
    std::string words = "(" + std::to_string(cell.i) + "," + std::to_string(cell.j) + ")";
    if (look.index) {
        words += " IX " + std::to_string(look.index(cell.i, cell.j));
    }
    for (const StateColumn& column : program.description.state) {
        if (const auto* flat = std::get_if<0>(&column.cell)) {
            words += " " + column.name + " " + short_number((*flat)(cell.i, cell.j));
        }
    }
    return words;
}

bool is_in(const View& view, GridCell cell) {
    return 0 <= cell.i && cell.i < view.columns && 0 <= cell.j && cell.j < view.rows;
}

/// The lines of text below the grid, `room` pixels wide at most, in letters of that size.
std::vector<TextLine> lines_of(const Program& program, bool is_probing, int room, int size) {
    const Screen& screen = program.screen;
    std::vector<TextLine> lines;
    add_wrapped(lines, status_of(program, screen.pictures_per_second) + "  " + readouts_of(program),
                text_colour, room, size);
    const bool shows_message = screen.has_said || !is_probing;
    add_wrapped(lines, shows_message ? screen.message : words_on(program, screen.probe),
                is_probing ? text_colour : dim_colour, room, size);
    return lines;
}

Layout layout_of(const Program& program, Size size, bool still) {
    return still ? layout_of_still(program, size.width, size.height)
                 : layout_of(program, size.width, size.height);
}

/// The picture whose lines of text have room for that many pixels at least.
Picture painted(const Program& program, Size size, bool still, int text_room) {
    Picture picture(size.width, size.height);
    const Layout layout = layout_of(program, size, still);
    picture.scale = scale_of(program, layout.fluid, still);
    const Rectangle area = area_of(layout, text_room);
    const View view = program.look.view(program.simulation, area);
    const bool is_probing = is_in(view, program.screen.probe);
    if (!program.look.draws_instead(picture, area, still)) {
        draw_grid(picture, view, program, is_probing);
    }
    const int letters = letter_size(layout.fluid.width, layout.fluid.height);
    const int room = layout.fluid.width - picture.scaled(16);
    draw_caption(picture, area, lines_of(program, is_probing, room, letters), letters);
    draw_scene_row(picture, layout.scenes, program.session.scene, layout.fluid.width,
                   layout.scene_letters);
    if (layout.panel.width > 0) {
        draw_panel(picture, program.description.parameters, program.screen.panel, layout.panel,
                   layout.panel_letters);
    }
    if (program.screen.help_page > 0) {
        const WordsLayout words = help_layout(program, size.width, size.height);
        draw_words(picture, {0, 0, size.width, size.height}, words,
                   std::min(program.screen.help_page, words.pages));
    }
    return picture;
}

}  // namespace

Picture paint(const Program& program, int width, int height, bool still) {
    const int room = still ? 0 : program.screen.text_room;
    const Size size = {width, height};
    Picture picture = painted(program, size, still, room);
    const Rectangle area = area_of(layout_of(program, size, still), room);
    const bool has_room = area.y + area.height + picture.text_height <= height;
    return has_room ? picture : painted(program, size, still, picture.text_height);
}

int help_pages(const Program& program, int width, int height) {
    return help_layout(program, width, height).pages;
}

int more_text_room(const Program& program, Size fluid) {
    const int size = letter_size(fluid.width, fluid.height);
    std::string words = status_of(program, 60.0) + "  paused";
    for (const Readout& readout : program.description.readouts) {
        words += readout.shown ? "  " + readout.name + " -1.234e-05" : "";
    }
    const int bar = 1, cell = 2;
    const int lines = bar + cell + static_cast<int>(wrapped(words, fluid.width - 16, size).size());
    return std::max(0, lines - text_lines) * line_height(size);
}

View view_of(const Program& program, int width, int height) {
    const Rectangle area = area_above_text(width, height, program.screen.text_room);
    return program.look.view(program.simulation, area);
}

}  // namespace workbook
