"""The drawings of the part "A fluid in a square"."""

import math

from lesson_drawings.shapes import (BLUE, CREAM, DARK_BLUE, DARK_RED, GREEN, INK, LINE, PALE, RED, WHITE, YELLOW,
                                    Drawing, number)

ROWS = (CREAM, BLUE, GREEN, WHITE)  # the colours of the rows


def rows_in_one_array():
    """A small grid with its border of walls, and the same cells in the array: row after row."""
    drawing = Drawing(760, 420, "The rows of a grid, laid one after the other into one array")
    rows_of_the_grid(drawing, 104, 84, 50)
    for line, (text, fill) in enumerate((
            ("N = 2: two by two fluid cells, in the thick frame,", INK),
            ("and a border of wall cells around them.", INK), ("", INK),
            ("Red: cell (1, 1). Its place in the array is", INK),
            ("IX(1, 1) = i + (N + 2) j = 1 + 4 \u00b7 1 = 5.", INK), ("", INK),
            ("One cell to the right is one place further,", PALE),
            ("one cell down is N + 2 = 4 places further.", PALE))):
        drawing.text(344, 106 + 22 * line, text, 14, fill, "start")
    rows_of_the_array(drawing, 44, 326, 42)
    return drawing


def rows_of_the_grid(drawing, left, top, cell):
    wide = len(ROWS)
    drawing.text(left + wide * cell / 2, 34, "i, the column", 14)
    drawing.arrow(left + 50, 44, left + wide * cell - 50, 44)
    drawing.text(left - 48, top - 12, "j, the row", 14)
    drawing.arrow(left - 48, top + 10, left - 48, top + wide * cell - 20)
    for i in range(wide):
        drawing.text(left + (i + 0.5) * cell, top - 10, str(i), 13, PALE)
    for j in range(wide):
        drawing.text(left - 16, top + (j + 0.5) * cell + 5, str(j), 13, PALE)
        for i in range(wide):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, ROWS[j])
            drawing.text(left + (i + 0.5) * cell, top + (j + 0.5) * cell + 6, str(i + wide * j), 16)
    drawing.rectangle(left + cell, top + cell, (wide - 2) * cell, (wide - 2) * cell, "none", INK, 2.5)
    drawing.rectangle(left + cell + 3, top + cell + 3, cell - 6, cell - 6, "none", RED, 3)


def rows_of_the_array(drawing, left, top, cell):
    wide = len(ROWS)
    for k in range(wide * wide):
        drawing.rectangle(left + k * cell, top, cell, 40, ROWS[k // wide])
        drawing.text(left + (k + 0.5) * cell, top + 26, str(k), 15)
    for j in range(wide):
        drawing.text(left + (j + 0.5) * wide * cell, top + 62, f"row {j}", 13, PALE)
        drawing.line(left + j * wide * cell, top - 6, left + j * wide * cell, top + 46, INK, 2)
    drawing.line(left + wide * wide * cell, top - 6, left + wide * wide * cell, top + 46, INK, 2)
    drawing.rectangle(left + 5 * cell + 3, top + 3, cell - 6, 34, "none", RED, 3)
    for steps, high, words in ((1, 10, "+1"), (wide, 26, "+4")):
        x1, x2 = left + 5.5 * cell, left + (5.5 + steps) * cell
        drawing.line(x1, top, x1, top - high, RED, 1.5)
        drawing.line(x1, top - high, x2, top - high, RED, 1.5)
        drawing.arrow(x2, top - high, x2, top - 1, RED)
        drawing.text(x2 + 10, top - high + 4, words, 13, DARK_RED, "start")


AROUND = {(7, 4): RED, (8, 4): BLUE, (7, 5): YELLOW, (8, 5): GREEN}  # the cells around the departure point


def four_weights():
    """The way back from a cell, and the four cells around its end with their weights."""
    drawing = Drawing(760, 410, "The way back from cell (9, 4) to the point (7.3, 4.8), and the weights of the four "
                                "cells around it")
    way_back(drawing, 40, 96, 66)
    weights(drawing, 486, 110, 200)
    return drawing


def way_back(drawing, left, top, cell):
    def place(x, y):
        return left + (x - 6.5) * cell, top + (y - 2.5) * cell

    drawing.text(left + 2.5 * cell, 36, "1. Follow the arrow of (9, 4) backwards", 15, bold=True)
    for j in range(3, 6):
        for i in range(7, 12):
            drawing.square(*place(i, j), cell / 2, AROUND.get((i, j), WHITE), LINE)
            drawing.square(*place(i, j), 2, LINE, LINE)
    for i in range(7, 12):
        drawing.text(place(i, 0)[0], top - 8, str(i), 13, PALE)
    for j in range(3, 6):
        drawing.text(left - 14, place(0, j)[1] + 5, str(j), 13, PALE)
    here, there, back = place(9, 4), place(10.7, 3.2), place(7.3, 4.8)
    drawing.arrow(*here, *there, DARK_BLUE, 3)
    drawing.line(*here, *back, INK, 2.5, True)
    drawing.square(*here, 4, INK, INK)
    drawing.square(*back, 5, INK, WHITE)
    below = top + 3 * cell + 30
    drawing.text(left, below, "blue arrow: \u0394t N (u, v) = (1.7, \u22120.8)", 14, DARK_BLUE, "start")
    drawing.texts(left, below + 22, 22, ("dashed: the way back, to the departure point",
                                         "(x, y) = (9 \u2212 1.7, 4 + 0.8) = (7.3, 4.8)"), anchor="start")


def weights(drawing, left, top, side):
    drawing.text(590, 36, "2. Weigh the four cells around it", 15, bold=True)
    across, down = 0.3 * side, 0.8 * side
    parts = (((0, 0), across, down, GREEN, "0.24"), ((across, 0), side - across, down, YELLOW, "0.56"),
             ((0, down), across, side - down, BLUE, "0.06"), ((across, down), side - across, side - down, RED, "0.14"))
    for (x, y), width, height, fill, area in parts:
        drawing.rectangle(left + x, top + y, width, height, fill, INK)
        drawing.text(left + x + width / 2, top + y + height / 2 + 6, area, 16, bold=True)
    drawing.square(left + across, top + down, 6, INK, WHITE)
    for (i, j), fill in AROUND.items():
        x, y = left + (i - 7) * side, top + (j - 4) * side
        drawing.square(x, y, 9, fill, INK, 2)
        drawing.text(x + (-16 if i == 7 else 16), y + (-12 if j == 4 else 22), f"({i}, {j})", 14,
                     anchor="end" if i == 7 else "start")
    drawing.text(left + across / 2, top - 18, "s\u2081 = 0.3", 13)
    drawing.text(left + (across + side) / 2, top - 18, "s\u2080 = 0.7", 13)
    drawing.text(left + side + 12, top + down / 2 + 4, "t\u2081 = 0.8", 13, anchor="start")
    drawing.text(left + side + 12, top + (down + side) / 2 + 4, "t\u2080 = 0.2", 13, anchor="start")
    drawing.texts(left + side / 2, top + side + 52, 20, ("Each centre counts as much as the",
                                                         "rectangle of its colour, opposite to it."))


def explicit_step(a):
    """The dye of a cell, 1 at first, and of those around it after an explicit step, by their places."""
    return {(i, j): 1 - 4 * a if i == j == 0 else a if i == 0 or j == 0 else 0
            for j in (-1, 0, 1) for i in (-1, 0, 1)}


def implicit_step(a, n):
    """The same after an implicit step: what many Gauss-Seidel sweeps over n by n cells find."""
    x = [[0.0] * (n + 2) for _ in range(n + 2)]
    middle = (n + 1) // 2
    for _ in range(200):
        for j in range(1, n + 1):
            for i in range(1, n + 1):
                around = x[j][i - 1] + x[j][i + 1] + x[j - 1][i] + x[j + 1][i]
                x[j][i] = ((1.0 if i == j == middle else 0.0) + a * around) / (1 + 4 * a)
    return {(i, j): x[middle + j][middle + i] for j in (-1, 0, 1) for i in (-1, 0, 1)}


def spreading():
    """A cell and its neighbours before a step of diffusion, and after three different ones."""
    drawing = Drawing(760, 330, "Dye spreads: what a cell and its neighbours hold before a step and after it")
    cell, top = 54, 84
    for panel, (values, title, *below) in enumerate((
            (explicit_step(0), "before the step", "dye crosses each side:", "a times the difference"),
            (explicit_step(0.1), "explicit, a = 0.1", "each neighbour gets", "0.1 of the difference 1"),
            (explicit_step(0.5), "explicit, a = 0.5", "the cell gives away", "4 \u00b7 0.5 = 2, but had only 1"),
            (implicit_step(0.5, 15), "implicit, a = 0.5", "each is an average, so", "none is below 0"))):
        left = 16 + panel * 186
        drawing.text(left + 1.5 * cell, 40, title, 15, bold=True)
        for (i, j), value in values.items():
            dye_of_a_cell(drawing, left + (i + 1) * cell, top + (j + 1) * cell, cell, value)
        if panel == 0:
            x, y = left + 1.5 * cell, top + 1.5 * cell
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                drawing.arrow(x + 14 * dx, y + 14 * dy, x + 0.72 * dx * cell, y + 0.72 * dy * cell, RED, 2.5)
        drawing.texts(left + 1.5 * cell, top + 3 * cell + 32, 20, below, 13)
    return drawing


def dye_of_a_cell(drawing, x, y, cell, value):
    """A cell in a blue as deep as its value, or in red where that is negative."""
    share = min(1.0, abs(value) ** 0.6)
    colour = (0x2f, 0x6f, 0xd0) if value >= 0 else (0xe2, 0x68, 0x5c)
    fill = "#" + "".join(f"{round(255 + share * (one - 255)):02x}" for one in colour)
    drawing.rectangle(x, y, cell, cell, fill)
    drawing.text(x + cell / 2, y + cell / 2 + 6, number(round(value, 2)), 16, WHITE if abs(value) > 0.9 else INK)


def ghost_cell():
    """A wall cell beside two fluid cells, for dye and for both components of the velocity: the number that it
    is given, and the line through the three numbers."""
    drawing = Drawing(720, 372, "A ghost cell in the wall copies dye, mirrors u, and copies v")
    cell, top = 66, 66
    for left, name, draw, rule, values, means in (
            (24, "dye", dye_bar, "copied", (3, 3, 1), ("level at the wall:", "no dye flows through")),
            (262, "u, into the wall", arrow_across, "mirrored", (-2, 2, 3),
             ("0 on the wall:", "no fluid flows through")),
            (500, "v, along the wall", arrow_along, "copied", (2, 2, 3),
             ("level at the wall:", "the fluid slides along"))):
        middle, face = left + 1.5 * cell, left + cell
        drawing.text(middle, 26, name, 16, bold=True)
        drawing.text(middle, 46, rule, 14)
        for i, value in enumerate(values):
            x = left + i * cell
            drawing.rectangle(x, top, cell, cell, "#d3d8e0" if i == 0 else WHITE)
            drawing.text(x + cell / 2, top + 20, number(value), 16, bold=i == 0)
            draw(drawing, x + cell / 2, top + cell - 20, value)
        drawing.line(face, top - 6, face, top + cell + 6, INK, 4)
        for i, words in enumerate(("ghost", "fluid", "fluid")):
            drawing.text(left + (i + 0.5) * cell, top + cell + 22, words, 13)
        curve_across_a_wall(drawing, left, 252, cell, values)
        drawing.texts(middle, 332, 20, means, 13)
    return drawing


def dye_bar(drawing, x, y, value):
    """A bar filled with as much dye as the value says."""
    drawing.rectangle(x - 18, y - 7, 36, 14, RED, RED)
    drawing.rectangle(x - 18 + 12 * value, y - 7, 36 - 12 * value, 14, WHITE, RED)


def arrow_across(drawing, x, y, value):
    drawing.arrow(x - 8 * value, y, x + 8 * value, y, INK, 2)


def arrow_along(drawing, x, y, value):
    drawing.arrow(x, y - 5 * value, x, y + 5 * value, INK, 2)


def curve_across_a_wall(drawing, left, zero, cell, values):
    """The values of a ghost cell and two fluid cells as dots above or below the line `zero`."""
    drawing.line(left, zero, left + 3 * cell, zero, LINE, 1, True)
    drawing.text(left + 3 * cell + 4, zero + 5, "0", 12, PALE, "start")
    drawing.line(left + cell, 172, left + cell, 306, INK, 4)
    places = [(left + (i + 0.5) * cell, zero - 22 * value) for i, value in enumerate(values)]
    for start, end in zip(places, places[1:]):
        drawing.line(*start, *end, RED, 2)
    for place, fill in zip(places, (RED, INK, INK)):
        drawing.dot(*place, 5, fill)


def divergence_of_a_cell():
    """A cell and its four neighbours three times: a source, an even flow, and a rotation."""
    drawing = Drawing(720, 330, "The divergence of a cell, from the velocities of its four neighbours")
    cell, top = 62, 52
    for left, name, flow, sum_of, means in (
            (27, "more flows out than in", (1, 3, -1, 2), "3 \u2212 1 + 2 \u2212 (\u22121) = 5", "positive"),
            (267, "an even flow", (2, 2, 1, 1), "2 \u2212 2 + 1 \u2212 1 = 0", "0"),
            (507, "a rotation", None, "0 \u2212 0 + 0 \u2212 0 = 0", "0")):
        middle = (left + 1.5 * cell, top + 1.5 * cell)
        drawing.text(middle[0], 32, name, 15, bold=True)
        for i, j in ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2)):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, YELLOW if i == j else WHITE, INK)
        drawing.text(middle[0], middle[1] + 5, "i, j", 14)
        if flow:
            flow_of_neighbours(drawing, *middle, cell, flow)
        else:
            rotation_of_neighbours(drawing, *middle, cell)
        drawing.text(middle[0], top + 3 * cell + 34, sum_of, 15)
        drawing.text(middle[0], top + 3 * cell + 58, "divergence: " + means, 14, bold=True)
    return drawing


def flow_of_neighbours(drawing, x, y, cell, flow):
    """The velocities u to the left and to the right of a cell, and v above and below it."""
    *across, upper, lower = flow
    for x1, u in zip((x - cell, x + cell), across):
        drawing.arrow(x1 - 9 * u, y + 10, x1 + 9 * u, y + 10, RED, 2.5)
        drawing.text(x1, y - 15, f"u = {number(u)}", 13)
    for y1, v in ((y - cell, upper), (y + cell, lower)):
        drawing.arrow(x, y1 - 9 * v, x, y1 + 9 * v, DARK_BLUE, 2.5)
        drawing.text(x + 36, y1 + 5, f"v = {number(v)}", 13, anchor="start")


def rotation_of_neighbours(drawing, x, y, cell):
    """The velocities of the four around a cell, where they turn around it."""
    for sign in (-1, 1):
        drawing.arrow(x + sign * cell, y + 10 - 15 * sign, x + sign * cell, y + 10 + 15 * sign, INK, 2.5)
        drawing.text(x + sign * cell, y - 15, "u = 0", 13)
    for sign in (-1, 1):
        drawing.arrow(x + 20 * sign, y + sign * cell + 10, x - 20 * sign, y + sign * cell + 10, INK, 2.5)
        drawing.text(x, y + sign * cell - 8, "v = 0", 13)


def split_of_a_velocity():
    """A flow up in one half of a box and down in the other, the whirl in it and the gradient in it."""
    drawing = Drawing(720, 330, "A velocity is the sum of a part without divergence and a gradient")
    size, top, count = 184, 66, 6
    for panel, (name, *below) in enumerate((
            ("the velocity", "up on the left, down on the", "right: it runs into the walls"),
            ("without divergence", "it only turns:", "this part is kept"),
            ("the gradient of p", "from low pressure to high:", "this part is subtracted"))):
        left = 24 + 244 * panel
        drawing.text(left + size / 2, 36, name, 16, bold=True)
        drawing.rectangle(left, top, size, size, WHITE, INK, 2)
        for j in range(count):
            for i in range(count):
                x, y = math.pi * (i + 0.5) / count, math.pi * (j + 0.5) / count
                turns = (math.sin(x) * math.cos(y), -math.cos(x) * math.sin(y))
                pushes = (-math.sin(x) * math.cos(y), -math.cos(x) * math.sin(y))
                u, v = ((turns[0] + pushes[0], turns[1] + pushes[1]), turns, pushes)[panel]
                place = (left + size * (i + 0.5) / count, top + size * (j + 0.5) / count)
                if panel == 2:
                    shade(drawing, *place, size / count, math.cos(x) * math.cos(y))
                short_arrow(drawing, *place, 14.5 * u, 14.5 * v)
        drawing.rectangle(left, top, size, size, "none", INK, 2)
        if panel < 2:
            drawing.text(left + size + 30, top + size / 2 + 9, "=+"[panel], 28, bold=True)
        drawing.texts(left + size / 2, top + size + 30, 20, below)
    return drawing


def shade(drawing, x, y, side, pressure):
    """A square around (x, y), the redder the higher the pressure, the bluer the lower."""
    drawing.parts.append(
        f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
        f'fill="{RED if pressure > 0 else BLUE}" fill-opacity="{0.7 * abs(pressure):.2f}"/>')


def short_arrow(drawing, x, y, dx, dy):
    """An arrow with its middle at (x, y), whose head is never longer than half of it."""
    length = math.hypot(dx, dy)
    head = min(7.0, 0.5 * length) / length
    drawing.line(x - 0.5 * dx, y - 0.5 * dy, x + (0.5 - head) * dx, y + (0.5 - head) * dy, INK, 1.6)
    drawing.polygon([(x + 0.5 * dx, y + 0.5 * dy),
                     (x + (0.5 - head) * dx - 0.5 * head * dy, y + (0.5 - head) * dy + 0.5 * head * dx),
                     (x + (0.5 - head) * dx + 0.5 * head * dy, y + (0.5 - head) * dy - 0.5 * head * dx)],
                    INK, INK)


def pressure_at_a_wall():
    """The pressure in a wall cell and in two fluid cells, twice: copied, as it should be, and 0 in the wall."""
    drawing = Drawing(720, 380, "The pressure at a wall: copied, it pushes nothing through the wall")
    cell, top = 72, 66
    for left, name, wall, means in (
            (60, "copied", 3, ("level at the wall: no push,", "so nothing flows through")),
            (420, "0 in the wall", 0, ("a slope at the wall: it pushes", "the fluid through"))):
        middle = left + 1.5 * cell
        drawing.text(middle, 26, name, 16, bold=True)
        for i, (value, words) in enumerate(((wall, "ghost"), (3, "fluid"), (1, "fluid"))):
            x = left + i * cell
            drawing.rectangle(x, top, cell, cell, "#d3d8e0" if i == 0 else WHITE)
            drawing.text(x + cell / 2, top + cell / 2 + 6, f"p = {value}", 16, bold=i == 0)
            drawing.text(x + cell / 2, top - 10, words, 13)
        drawing.line(left + cell, top - 6, left + cell, top + cell + 6, INK, 4)
        curve_of_pressure(drawing, left, 272, cell, (wall, 3, 1))
        pushes_of_pressure(drawing, left, 170, cell, (wall, 3, 1))
        drawing.texts(middle, 338, 20, means, 13)
    return drawing


def curve_of_pressure(drawing, left, zero, cell, values):
    """The pressures of a wall cell and two fluid cells as dots above the line `zero`."""
    drawing.line(left, zero, left + 3 * cell, zero, LINE, 1, True)
    drawing.text(left + 3 * cell + 4, zero + 5, "0", 12, PALE, "start")
    drawing.line(left + cell, zero - 84, left + cell, zero + 14, INK, 4)
    places = [(left + (i + 0.5) * cell, zero - 22 * value) for i, value in enumerate(values)]
    for start, end in zip(places, places[1:]):
        drawing.line(*start, *end, RED, 2)
    for place, fill in zip(places, (RED, INK, INK)):
        drawing.dot(*place, 5, fill)
    drawing.text(left + 1.5 * cell, zero + 26, "the pressure", 13, PALE)


def pushes_of_pressure(drawing, left, y, cell, values):
    """Between two cells, an arrow from the higher pressure to the lower, as long as their difference."""
    drawing.text(left - 8, y + 5, "push", 13, PALE, "end")
    for i, (here, there) in enumerate(zip(values, values[1:]), 1):
        reach, x = 11 * (here - there), left + i * cell
        if reach:
            drawing.arrow(x - reach, y, x + reach, y, DARK_BLUE, 2.5)
        else:
            drawing.dot(x, y, 5, DARK_BLUE)


def apart():
    """Which cells our divergence of our gradient combines, and which the pressure's equation: in two waves."""
    drawing = Drawing(760, 410, "Differences between cells two apart, and between cells one apart")
    for left, name, wave in ((30, "a long wave", [math.cos(math.pi * (i - 3) / 6) for i in range(7)]),
                             (406, "the shortest wave: a checkerboard", [(-1.0) ** (i - 3) for i in range(7)])):
        drawing.text(left + 162, 30, name, 16, bold=True)
        wave_of_cells(drawing, left, 100, wave)
        for top, step, words in ((190, 2, "two apart: our divergence of our gradient"),
                                 (316, 1, "one apart: the equation for the pressure")):
            drawing.text(left, top, words, 14, INK, "start")
            combined_cells(drawing, left, top + 16, wave, step)
    return drawing


def wave_of_cells(drawing, left, zero, wave):
    """The pressures of seven cells in a row, as bars above and below the line `zero`."""
    drawing.line(left, zero, left + 324, zero, LINE)
    for i, value in enumerate(wave):
        x, high = left + 46 * i + 8, 44 * value
        drawing.rectangle(x, min(zero, zero - high), 32, abs(high), RED if value > 0 else BLUE, LINE)
    drawing.text(left + 162, zero + 62, "the pressure p of seven cells in a row", 13, PALE)


def combined_cells(drawing, left, top, wave, step):
    """A row of seven cells: of these, three that are `step` apart and their second difference."""
    taken = {3 - step: "1", 3: "\u22122", 3 + step: "1"}
    for i in range(7):
        drawing.rectangle(left + 46 * i + 1, top, 46, 34, YELLOW if i in taken else WHITE)
        drawing.text(left + 46 * i + 24, top + 23, taken.get(i, ""), 16, bold=True)
    second = (wave[3 - step] - 2 * wave[3] + wave[3 + step]) / step ** 2
    by = "" if step == 1 else " / 4"
    drawing.text(left, top + 58, f"(left \u2212 2 \u00b7 middle + right){by} = {number(round(second, 2) + 0.0)}", 15,
                 DARK_RED, "start", True)


DRAWINGS = {
    "01_grid/rows.svg": rows_in_one_array,
    "03_advect/weights.svg": four_weights,
    "04_diffuse/spreading.svg": spreading,
    "05_bounds/ghost.svg": ghost_cell,
    "07_project/apart.svg": apart,
    "07_project/divergence.svg": divergence_of_a_cell,
    "07_project/split.svg": split_of_a_velocity,
    "07_project/wall.svg": pressure_at_a_wall,
}
