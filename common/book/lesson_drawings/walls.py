"""The drawings of the second half of the part "The right grid": walls, openings, bodies, warm cells and fire."""

import math

from lesson_drawings.shapes import BLUE, CREAM, DARK_BLUE, DARK_RED, INK, LINE, PALE, RED, WHITE, YELLOW, Drawing


def ghosts():
    """The velocity along a wall, and its ghost beyond: at a wall that holds, a lid, a wall that slips."""
    drawing = Drawing(720, 330, "A ghost beyond a wall: minus u at a wall that holds, 2 u_wall minus u at a "
                                "wall that moves, u at a wall that slips")
    row, wall, scale = 62, 138, 30
    for left, words, values, of_wall, formula in (
            (18, "the wall holds", (-1, 1, 1.9), 0, "ghost = \u2212u"),
            (252, "the wall moves", (3, 1, 0.4), 2, "ghost = 2 u_wall \u2212 u"),
            (486, "the wall slips", (1, 1, 1.0), 0, "ghost = u")):
        zero = left + 82
        drawing.text(left + 108, 34, words, 16, bold=True)
        for j in range(-1, 2):
            drawing.rectangle(left, wall + j * row, 216, row, "#e4e7ec" if j < 0 else WHITE)
        drawing.line(zero, wall - row, zero, wall + 2 * row, LINE, 1, True)
        drawing.line(left, wall, left + 216, wall, INK, 5)
        ends = [(zero + scale * value, wall + (j - 0.5) * row) for j, value in enumerate(values)]
        drawing.line(*ends[0], *ends[1], YELLOW, 2.5)
        for (x, y), stroke in zip(ends, (PALE, RED, RED)):
            drawing.arrow(zero, y, x, y, stroke, 2.5)
        drawing.text(ends[1][0] + 8, wall + row / 2 + 5, "u", 15, DARK_RED, "start", True)
        if of_wall:
            drawing.arrow(zero, wall, zero + scale * of_wall, wall, BLUE, 3.5)
            drawing.text(zero + scale * of_wall + 8, wall + 20, "u_wall", 14, DARK_BLUE, "start")
        drawing.text(left + 8, wall - row + 18, "ghost", 12, PALE, "start")
        drawing.text(left + 108, wall + 2 * row + 26, formula, 15, bold=True)
    drawing.text(360, 316, "yellow: the mean of a face and its ghost is the velocity at the wall", 13)
    return drawing


def openings():
    """The face at the end of a row of cells: closed, an inflow, an outflow, and what lies beyond each."""
    drawing = Drawing(720, 270, "The last face of a row of cells: at a wall, at an inflow and at an outflow")
    cell, top = 84, 78
    for left, draw, words, first, second in (
            (24, closed_end, "closed", "u = 0", "weight 0"),
            (258, inflow, "inflow", "u is given", "weight 0"),
            (492, outflow, "outflow", "u \u2212 dt/(\u03c1h) (0 \u2212 p)", "weight 1")):
        drawing.text(left + 1.1 * cell, 38, words, 16, bold=True)
        drawing.rectangle(left, top, 0.3 * cell, cell, WHITE)
        drawing.rectangle(left + 0.3 * cell, top, cell, cell, WHITE)
        drawing.text(left + 0.72 * cell, top + cell / 2 + 6, "p", 17, bold=True)
        draw(drawing, left + 1.3 * cell, top, cell)
        drawing.text(left + 1.1 * cell, top + cell + 36, first, 15, DARK_RED)
        drawing.text(left + 1.1 * cell, top + cell + 62, second, 14)
    drawing.text(360, 256, "red: the velocity across the face, in the pressure's step", 13)
    return drawing


def closed_end(drawing, edge, top, cell):
    drawing.rectangle(edge, top, 0.9 * cell, cell, "#c9ced7", "none")
    drawing.text(edge + 0.45 * cell, top + cell / 2 + 5, "wall", 14, PALE)
    drawing.line(edge, top - 6, edge, top + cell + 6, INK, 5)


def inflow(drawing, edge, top, cell):
    middle = top + cell / 2
    drawing.rectangle(edge, top, 0.9 * cell, cell, "#e4f3e8", "none")
    drawing.text(edge + 0.5 * cell, top + 20, "outside", 13, PALE)
    drawing.line(edge, top - 6, edge, top + cell + 6, "#2f9e4f", 5)
    drawing.arrow(edge + 38, middle, edge - 26, middle, RED, 3)


def outflow(drawing, edge, top, cell):
    middle = top + cell / 2
    drawing.rectangle(edge, top, 0.9 * cell, cell, "#e3ecf9", BLUE)
    drawing.text(edge + 0.52 * cell, middle + 30, "p = 0", 16, bold=True)
    drawing.text(edge + 0.5 * cell, top + 20, "outside", 13, PALE)
    drawing.line(edge, top - 6, edge, top + cell + 6, "#2f6fd0", 5)
    drawing.arrow(edge - 24, middle, edge + 34, middle, RED, 3)


def labels():
    """A box with an inflow on the left and an outflow on the right: the label of each cell in it and around it."""
    drawing = Drawing(720, 336, "A box of fluid. Beyond its walls and beyond the inflow on the left the cells are "
                                "solid, and beyond the outflow on the right they are air")
    left, top, cell, columns, rows = 24, 46, 52, 7, 5
    fills = {"fluid": "#d6e4f8", "solid": "#c9ced7", "air": WHITE}
    for j in range(rows):
        for i in range(columns):
            label = label_in_drawing(i, j, columns, rows)
            if label:
                x, y = left + i * cell, top + j * cell
                drawing.rectangle(x, y, cell, cell, fills[label], LINE)
                drawing.text(x + cell / 2, y + cell / 2 + 4, label, 13, INK if label == "fluid" else PALE)
    near, far = left + cell, left + (columns - 1) * cell
    upper, lower = top + cell, top + (rows - 1) * cell
    drawing.line(near, upper, far, upper, INK, 5)
    drawing.line(near, lower, far, lower, INK, 5)
    drawing.line(near, upper, near, lower, "#2f9e4f", 5)
    drawing.line(far, upper, far, lower, "#2f6fd0", 5)
    for j in range(1, rows - 1):
        y = top + (j + 0.82) * cell
        drawing.arrow(near - 20, y, near + 20, y, RED, 2.5)
        drawing.arrow(far - 20, y, far + 20, y, RED, 2.5)
    for y, colour, first, second in (
            (66, INK, "a wall", "its velocity is given, as 0; weight 0"),
            (126, "#2f9e4f", "an inflow", "its velocity is given; weight 0"),
            (186, "#2f6fd0", "an outflow", "its velocity is free; weight 1")):
        drawing.line(412, y - 12, 412, y + 28, colour, 5)
        drawing.text(426, y, first, 14, INK, "start", True)
        drawing.text(426, y + 22, second, 13, INK, "start")
    drawing.texts(412, 256, 21, ("Each fluid cell has an equation for p.", "In air p is 0, and a solid has no p.",
                                 "label_beyond labels the cells around the box."), 13, PALE, "start")
    return drawing


def label_in_drawing(i, j, columns, rows):
    """The label of a cell, or None at a corner, which lies beyond two sides."""
    is_beyond_x, is_beyond_y = i in (0, columns - 1), j in (0, rows - 1)
    if is_beyond_x and is_beyond_y:
        return None
    if not is_beyond_x and not is_beyond_y:
        return "fluid"
    return "air" if i == columns - 1 else "solid"


COLUMNS, ROWS = 7, 6
BODY = {(2, 2), (3, 2), (1, 3), (2, 3), (3, 3), (2, 4), (3, 4)}
WALLED_IN = {(2, 2), (2, 3)}
WALLS = {(4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3),
         (3, 3), (1, 4), (2, 4), (3, 4)}


def solid_cells():
    """A body in the grid: whose faces are known, and which cells have a pressure."""
    drawing = Drawing(720, 372, "A body made of cells: its faces have its velocity, and the fluid falls into "
                                "components")
    top, cell = 48, 44
    drawing.cells(24, top, COLUMNS, ROWS, cell, lambda i, j: "#c3c8d1" if (i, j) in BODY else WHITE, LINE, 0.8)
    drawing.cells(388, top, COLUMNS, ROWS, cell, component_colour, LINE, 0.8)
    faces_of_the_body(drawing, 24, top, cell)
    links_of_the_fluid(drawing, 388, top, cell)
    return drawing


def component_colour(i, j):
    """The colour of a cell among the walls: that of its component."""
    if (i, j) in WALLS:
        return "#c3c8d1"
    if (i, j) in WALLED_IN:
        return "#f6c9c3"
    return CREAM if i > 4 else "#d6e4f8"


def faces_of_the_body(drawing, left, top, cell):
    """The faces at the body's surface, the velocity across its X faces, and a ghost of the velocity within."""
    for j in range(ROWS):
        for i in range(1, COLUMNS):
            solid = [(i - 1, j) in BODY, (i, j) in BODY]
            x, y = left + i * cell, top + (j + 0.5) * cell
            if any(solid) and not all(solid):
                drawing.line(x, top + j * cell, x, top + (j + 1) * cell, RED, 4)
            if any(solid):
                drawing.arrow(x - 9, y, x + 11, y, PALE if all(solid) else RED, 1.6)
    for j in range(1, ROWS):
        for i in range(COLUMNS):
            if ((i, j) in BODY) != ((i, j - 1) in BODY):
                drawing.line(left + i * cell, top + j * cell, left + (i + 1) * cell, top + j * cell, RED, 4)
    x, y = left + 3 * cell, top + 1.5 * cell
    drawing.arrow(x - 12, y, x + 14, y, BLUE, 2.4)
    drawing.line(x, y + 4, x, top + 2.5 * cell - 6, INK, 1.2, True)
    drawing.text(left + COLUMNS * cell / 2, 30, "A body that moves to the right", 15)
    drawing.text(left, 336, "red: faces with the body's velocity", 13, DARK_RED, "start")
    drawing.text(left, 356, "dashed: u, and its ghost within the body", 13, PALE, "start")


def links_of_the_fluid(drawing, left, top, cell):
    """A dot for each pressure among the walls, and a line between each two that are neighbours."""
    fluid = {(i, j): (left + (i + 0.5) * cell, top + (j + 0.5) * cell)
             for j in range(ROWS) for i in range(COLUMNS) if (i, j) not in WALLS}
    for (i, j), place in fluid.items():
        for beside in ((i + 1, j), (i, j + 1)):
            if beside in fluid:
                drawing.line(*place, *fluid[beside], INK, 1.4)
    for place in fluid.values():
        drawing.circle(*place, 4, INK, INK, 12)
    drawing.text(left + COLUMNS * cell / 2, 30, "Three components, three constants", 15)
    drawing.texts(left, 336, 20, ("a dot: a pressure; a line: two that are neighbours",
                                  "one colour: one component"), 13, PALE, "start")


def middle_one_red(i, j):
    return RED if (i, j) == (1, 1) else WHITE


def warm_cell_and_whirl():
    """A warm cell pushes its two faces up; a whirl, where its vorticity grows, and what is added to it."""
    drawing = Drawing(760, 320, "Left: a warm cell pushes the faces above and below it. Right: N x omega turns a whirl")
    warm_cell(drawing, 60, 50, 68)
    whirl(drawing, 560, 152)
    drawing.text(560, 288, "a whirl, and what confinement adds to it")
    return drawing


def warm_cell(drawing, left, top, cell):
    drawing.cells(left, top, 3, 3, cell, middle_one_red)
    drawing.text(left + 1.5 * cell, top + 1.5 * cell + 5, "T = 1", bold=True)
    for j in (1, 2):
        x, y = left + 1.5 * cell + 26, top + j * cell
        drawing.line(left + cell, y, left + 2 * cell, y, INK, 3)
        drawing.arrow(x, y + 14, x, y - 22, INK, 2)
    drawing.text(left + 3 * cell + 10, top + cell - 8, "half of the push", 12, PALE, "start")
    drawing.text(left + 3 * cell + 10, top + 2 * cell + 18, "half of the push", 12, PALE, "start")
    drawing.text(left + 1.5 * cell, top + 3 * cell + 34, "a warm cell and its two faces")


def whirl(drawing, middle_x, middle_y):
    for radius, fill in ((96, "#e7eefb"), (66, "#c3d6f3"), (34, BLUE)):
        drawing.circle(middle_x, middle_y, radius, fill, LINE, 48)
    drawing.text(middle_x, middle_y - 2, "\u03c9", 18, INK, bold=True)
    drawing.text(middle_x, middle_y + 18, "strong", 12)
    for n in range(4):
        c, s = math.cos(n * math.pi / 2), math.sin(n * math.pi / 2)
        x, y = middle_x + 84 * c, middle_y + 84 * s
        drawing.arrow(x, y, x - 34 * c, y - 34 * s, INK, 2)
        drawing.arrow(x, y, x - 46 * s, y + 46 * c, RED, 3)
    drawing.text(middle_x + 52, middle_y - 8, "N", 14, INK, bold=True)
    drawing.text(middle_x + 122, middle_y + 52, "N \u00d7 \u03c9", 14, RED, bold=True)


def room_to_expand():
    """Left: a burning cell in a box that is open above pushes gas out. Right: in a closed one there is no room."""
    drawing = Drawing(760, 350, "Left: what a cell expands by leaves an open box. Right: in a closed box there is no "
                                "room")
    top, cell = 46, 68
    burning_cell(drawing, 70, top, cell, "0", "9")
    for i in range(3):
        drawing.arrow(70 + (i + 0.5) * cell, top + 8, 70 + (i + 0.5) * cell, top - 30, DARK_BLUE, 3)
    drawing.text(70 + 3 * cell + 14, top - 6, "9 h\u00b2 leave", 14, DARK_BLUE, "start", True)
    x, y = 70 + 1.5 * cell, top + 3 * cell + 30
    drawing.text(x, y, "open above")
    drawing.text(x, y + 22, "the divergence is D: 9 in the hot cell", 13, PALE)

    burning_cell(drawing, 460, top, cell, "0 - 1", "9 - 1", lid=True)
    x = 460 + 1.5 * cell
    drawing.text(x, y, "closed")
    drawing.text(x, y + 22, "the divergence is D minus its mean, which is 1", 13, PALE)
    drawing.text(x, y + 42, "p\u2080'/p\u2080 is \u03b3 times this mean", 13, PALE)
    return drawing


def burning_cell(drawing, left, top, cell, divergence, of_burning, lid=False):
    """A box of nine cells, the middle one of which burns, with the divergence of each."""
    drawing.cells(left, top, 3, 3, cell, middle_one_red)
    corners = [(left, top), (left, top + 3 * cell), (left + 3 * cell, top + 3 * cell), (left + 3 * cell, top)]
    if lid:
        corners.append(corners[0])
    for start, end in zip(corners, corners[1:]):
        drawing.line(*start, *end, INK, 4)
    x, y = left + 1.5 * cell, top + 1.5 * cell
    drawing.text(x, y + 5, of_burning, bold=True)
    for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        drawing.arrow(x + 24 * dx, y + 20 * dy, x + 42 * dx, y + 48 * dy, INK, 3)
    for j in range(3):
        for i in range(3):
            if (i, j) != (1, 1):
                drawing.text(left + (i + 0.5) * cell, top + (j + 0.5) * cell + 5, divergence, 13, PALE)


DRAWINGS = {
    "17_viscosity/ghosts.svg": ghosts,
    "18_open/labels.svg": labels,
    "18_open/openings.svg": openings,
    "19_obstacles/solids.svg": solid_cells,
    "31_smoke/push.svg": warm_cell_and_whirl,
    "32_fire/room.svg": room_to_expand,
}
