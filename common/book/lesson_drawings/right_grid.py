"""The drawings of the first half of the part "The right grid": the staggered grid, its equations, sharper advection."""

import math

from lesson_drawings.shapes import (BLACK, BLUE, CREAM, DARK_BLUE, DARK_RED, INK, LINE, PALE, RED, WHITE, YELLOW,
                                    Drawing, number)


def staggered_cell():
    """A few cells in the plane with their numbers, and one cell in space."""
    drawing = Drawing(720, 360, "A staggered grid: velocities on the faces, pressure and dye at the centres")
    staggered_grid(drawing, 36, 60, 116)
    drawing.text(36, 332, "red: u, through X faces", 13, DARK_RED, "start")
    drawing.text(216, 332, "blue: v, through Y faces", 13, DARK_BLUE, "start")
    staggered_cube(drawing, 468, 120, 130, 56)
    drawing.text(560, 332, "in space: w as well, before it and behind it", 13, PALE)
    return drawing


def staggered_grid(drawing, left, top, cell):
    """Three by two cells with a mark for every number, and the names of those of one cell."""
    drawing.cells(left, top, 3, 2, cell, lambda i, j: CREAM if (i, j) == (1, 0) else WHITE)
    for j in range(2):
        for i in range(4):
            x, y = left + i * cell, top + (j + 0.5) * cell
            drawing.arrow(x - 13, y, x + 13, y, RED, 2.5)
    for j in range(3):
        for i in range(3):
            x, y = left + (i + 0.5) * cell, top + j * cell
            drawing.arrow(x, y - 13, x, y + 13, BLUE, 2.5)
    for j in range(2):
        for i in range(3):
            x, y = left + (i + 0.5) * cell, top + (j + 0.5) * cell
            drawing.polygon([(x - 5, y), (x, y - 5), (x + 5, y), (x, y + 5)], INK, INK)
    x, y = left + cell, top
    drawing.text(x + 0.5 * cell, y + 0.5 * cell + 22, "p(i, j)", 13)
    drawing.text(x - 8, y + 0.5 * cell - 14, "u(i, j)", 13, anchor="end")
    drawing.text(x + cell + 8, y + 0.5 * cell - 14, "u(i+1, j)", 13, anchor="start")
    drawing.text(x + 0.5 * cell + 12, y - 8, "v(i, j)", 13, anchor="start")
    drawing.text(x + 0.5 * cell + 12, y + cell + 24, "v(i, j+1)", 13, anchor="start")


def staggered_cube(drawing, x, y, size, deep):
    """A cell in space with the names of the velocities on its faces."""
    drawing.cube(x, y, size, deep, CREAM)
    middle, half = y + size / 2, deep / 2
    drawing.arrow(x - 22, middle - half, x + 28, middle - half, RED, 2.5)
    drawing.arrow(x + size + half - 8, middle - half, x + size + half + 42, middle - half, RED, 2.5)
    drawing.arrow(x + size / 2 + half, y - half - 26, x + size / 2 + half, y - half + 18, BLUE, 2.5)
    drawing.arrow(x + size / 2 + half, y + size - half - 8, x + size / 2 + half, y + size + 30, BLUE, 2.5)
    drawing.arrow(x + size / 2 - 22, middle + 30, x + size / 2 + 10, middle - 2, INK, 2.5)
    drawing.text(x - 26, middle - half + 4, "u(i, j, k)", 12, anchor="end")
    drawing.text(x + size + half + 42, middle - half - 10, "u(i+1, j, k)", 12)
    drawing.text(x + size / 2 + half, y - half - 32, "v(i, j, k)", 12)
    drawing.text(x + size / 2 + half, y + size + 46, "v(i, j+1, k)", 12)
    drawing.text(x + size / 2 - 14, middle + 46, "w(i, j, k)", 12)


MATRIX = ((2, -1, -1, 0), (-1, 2, 0, -1), (-1, 0, 2, -1), (0, -1, -1, 2))
BESIDE_CELL_3 = (BLUE, WHITE, YELLOW, BLUE)  # the colours of cells 1 to 4


def matrix_of_four_cells():
    """Four cells, and their matrix: each entry of one row, and the cell that it speaks of."""
    drawing = Drawing(720, 330, "Four cells and their matrix: row 3 is the equation of cell 3")
    box_of_four_cells(drawing, 46, 70, 96)
    left, top, cell = 360, 70, 48
    matrix(drawing, left, top, cell)
    for x, name, entries, fills in (
            (578, "p", ("p\u2081", "p\u2082", "p\u2083", "p\u2084"), BESIDE_CELL_3),
            (658, "b", ("\u22129", "0", "9", "0"), [WHITE] * 4)):
        drawing.text(x + 20, 44, name, 17, bold=True)
        for row, entry in enumerate(entries):
            drawing.rectangle(x, top + row * cell, 40, cell, fills[row])
            drawing.text(x + 20, top + (row + 0.5) * cell + 6, entry, 16, bold=row == 2)
    drawing.text(left + 4 * cell + 86, top + 2 * cell + 6, "=", 22)
    drawing.text(left + 2 * cell + 84, top + 4 * cell + 34,
                 "row 3: 2 p\u2083 \u2212 p\u2081 \u2212 p\u2084 = 9", 15, bold=True)
    return drawing


def box_of_four_cells(drawing, left, top, size):
    drawing.text(left + size, 44, "the box: 2 x 2 cells", 15)
    for n, fill in enumerate(BESIDE_CELL_3):
        x, y = left + n % 2 * size, top + n // 2 * size
        drawing.rectangle(x, y, size, size, fill, INK, 1.5)
        drawing.text(x + size / 2, y + size / 2 + 6, f"p{chr(0x2081 + n)}", 20, bold=n == 2)
    drawing.arrow(left + size / 2, top + size + 26, left + size / 2, top + size - 22, RED, 2)
    drawing.arrow(left + size - 26, top + 1.5 * size, left + size + 22, top + 1.5 * size, RED, 2)
    drawing.text(left + size, top + 2 * size + 28, "cell 3 has two neighbours: 1 and 4", 13)


def matrix(drawing, left, top, cell):
    drawing.text(left + 2 * cell, 44, "A", 17, bold=True)
    for column in range(4):
        drawing.text(left + (column + 0.5) * cell, 64, str(column + 1), 12, PALE)
    for row, values in enumerate(MATRIX):
        drawing.text(left - 12, top + (row + 0.5) * cell + 5, str(row + 1), 12, PALE)
        for column, value in enumerate(values):
            fill = BESIDE_CELL_3[column] if row == 2 else WHITE
            drawing.rectangle(left + column * cell, top + row * cell, cell, cell, fill)
            drawing.text(left + (column + 0.5) * cell, top + (row + 0.5) * cell + 6, number(value), 16,
                         INK if value else LINE, bold=row == 2 and value != 0)
    drawing.rectangle(left, top + 2 * cell, 4 * cell, cell, "none", RED, 2.5)


def weights_on_the_faces():
    """A box of 3 x 2 cells: a weight on each face, and in each cell the sum of its weights, which is its diagonal."""
    drawing = Drawing(720, 330, "A box with a weight on each face, and the equation of one of its cells")
    left, top, size = 46, 56, 112
    drawing.cells(left, top, 3, 2, size, lambda i, j: CREAM if (i, j) == (1, 1) else WHITE)
    for j in range(2):
        for i in range(4):
            weight(drawing, left + i * size, top + (j + 0.5) * size, 0 < i < 3, (i, j) in ((1, 1), (2, 1)))
    for j in range(3):
        for i in range(3):
            weight(drawing, left + (i + 0.5) * size, top + j * size, j == 1, i == 1 and j > 0)
    for j in range(2):
        for i in range(3):
            x, y = left + (i + 0.5) * size, top + (j + 0.5) * size
            drawing.text(x, y + 10, "3" if i == 1 else "2", 22, bold=True)
            drawing.text(x, y - 16, f"p{chr(0x2081 + i + 3 * j)}", 14, PALE)
    drawing.text(left + 1.5 * size, 28, "on each face its weight, in each cell their sum", 14)
    x = left + 3 * size + 44
    drawing.texts(x, 96, 24, ("blue: between two cells, 1", "grey: a wall, 0"), 14, anchor="start")
    drawing.texts(x, 186, 24, ("red: the faces of cell 5.", "Its equation is"), 14, anchor="start")
    drawing.text(x, 246, "3 p\u2085 \u2212 (p\u2082 + p\u2084 + p\u2086) = b\u2085", 18, anchor="start", bold=True)
    return drawing


def weight(drawing, x, y, is_open, is_marked):
    """The weight of a face, in a square on it."""
    drawing.square(x, y, 13, BLUE if is_open else LINE, RED if is_marked else INK, 2.5 if is_marked else 1.0)
    drawing.text(x, y + 5, "1" if is_open else "0", 14)


# The energy of the valley is 1/2 x.A x, where A has the eigenvalues 1 and STEEP along turned axes.
STEEP, COS, SIN = 9.0, math.cos(math.radians(-24)), math.sin(math.radians(-24))


def times_a(x):
    a = (COS * COS + STEEP * SIN * SIN, (1 - STEEP) * COS * SIN, SIN * SIN + STEEP * COS * COS)
    return (a[0] * x[0] + a[1] * x[1], a[1] * x[0] + a[2] * x[1])


def downhill(x):
    """The direction of steepest descent at x, which is the residual."""
    return tuple(-value for value in times_a(x))


def dot(x, y):
    return x[0] * y[0] + x[1] * y[1]


def lowest_along(x, direction):
    """The lowest point on the straight line through x in this direction."""
    step = dot(downhill(x), direction) / dot(direction, times_a(direction))
    return (x[0] + step * direction[0], x[1] + step * direction[1])


def steepest_descent(start):
    way = [start]
    for _ in range(14):
        way.append(lowest_along(way[-1], downhill(way[-1])))
    return way


def conjugate_directions(start):
    first = lowest_along(start, downhill(start))
    residual, old = downhill(first), downhill(start)
    beta = dot(residual, residual) / dot(old, old)
    direction = (residual[0] + beta * old[0], residual[1] + beta * old[1])
    return [start, first, lowest_along(first, direction)]


def valley():
    """The energy as a long narrow valley: the way of steepest descent, and two conjugate directions."""
    drawing = Drawing(720, 340, "Steepest descent zigzags down a narrow valley; two conjugate directions "
                                "reach its bottom")
    start = (4.7 * COS - 0.52 * SIN, 4.7 * SIN + 0.52 * COS)
    for middle, way, words, *below in (
            (180, steepest_descent(start), "steepest descent", "each step is at right angles to the last:",
             "the valley's length costs many of them"),
            (540, conjugate_directions(start), "conjugate directions",
             "the second step keeps what the first one won:", "two dimensions, two steps, and the bottom")):
        drawing.text(middle, 34, words, 16, bold=True)
        way_down(drawing, middle, 160, 31.0, way)
        drawing.texts(middle, 300, 19, below, 13)
    return drawing


def way_down(drawing, middle_x, middle_y, scale, way):
    """The valley, by lines of equal energy around its bottom in the middle, and a way down from point to point."""
    def place(x):
        return (middle_x + scale * x[0], middle_y + scale * x[1])

    angles = [math.pi * n / 40 for n in range(80)]
    for level in (0.5, 1.4, 2.6, 4.0, 5.2):
        long, short = level, level / STEEP ** 0.5
        drawing.polygon([place((long * math.cos(t) * COS - short * math.sin(t) * SIN,
                                long * math.cos(t) * SIN + short * math.sin(t) * COS)) for t in angles],
                        "none", BLUE, 1.2)
    for (x1, y1), (x2, y2) in zip(map(place, way), map(place, way[1:])):
        if math.hypot(x2 - x1, y2 - y1) > 22:
            drawing.arrow(x1, y1, x2, y2, RED, 2)
        else:
            drawing.line(x1, y1, x2, y2, RED, 2)
    drawing.square(middle_x, middle_y, 3, INK, INK)
    x, y = place(way[0])
    drawing.square(x, y, 3, RED, RED)
    drawing.text(x, y + 22, "p = 0", 13)


def blocks():
    """Four by four cells in blocks of two by two, and the coarse grid with the sums of their weights."""
    drawing = Drawing(720, 378, "Blocks of 2 x 2 cells become one point each; the weights between two blocks add up")
    left, top, size = 70, 70, 60
    drawing.text(left + 2 * size, 44, "4 x 4 cells", 15, bold=True)
    drawing.cells(left, top, 4, 4, size, lambda i, j: CREAM if i < 2 and j < 2 else WHITE)
    drawing.cells(left, top, 2, 2, 2 * size, lambda i, j: "none", INK, 3)
    for i in range(4):
        for j in range(4):
            neighbours = (i > 0) + (i < 3) + (j > 0) + (j < 3)
            drawing.text(left + (i + 0.5) * size, top + (j + 0.5) * size + 6, str(neighbours), 16)
    for i in range(1, 4):
        for j in range(4):
            fine_weight(drawing, left + i * size, top + (j + 0.5) * size, i == 2)
            fine_weight(drawing, left + (j + 0.5) * size, top + i * size, i == 2)
    drawing.arrow(left + 4 * size + 22, top + 2 * size, left + 4 * size + 76, top + 2 * size, INK, 2)
    left += 4 * size + 98
    drawing.text(left + 2 * size, 44, "2 x 2 points", 15, bold=True)
    drawing.cells(left, top, 2, 2, 2 * size, lambda i, j: CREAM if (i, j) == (0, 0) else WHITE, INK, 3)
    for n in range(2):
        coarse_weight(drawing, left + 2 * size, top + (1 + 2 * n) * size)
        coarse_weight(drawing, left + (1 + 2 * n) * size, top + 2 * size)
        for j in range(2):
            drawing.text(left + (1 + 2 * n) * size, top + (1 + 2 * j) * size + 8, "4", 22, bold=True)
    drawing.texts(70, 340, 22, ("grey: weights inside a block, which cancel; blue: weights between blocks, which add up",
                                "yellow block: 2 + 3 + 3 + 4, less twice its four weights, is 4"), 13, anchor="start")
    return drawing


def fine_weight(drawing, x, y, is_between):
    drawing.square(x, y, 10, BLUE if is_between else "#d5dae2", INK)
    drawing.text(x, y + 5, "1", 12)


def coarse_weight(drawing, x, y):
    drawing.square(x, y, 14, BLUE, INK)
    drawing.text(x, y + 6, "2", 17)


def v_cycle():
    """A V-cycle over four grids: sweeps, restrictions down, prolongations up."""
    drawing = Drawing(720, 430, "A V-cycle: sweep and restrict on the way down, prolong and sweep back on the way up")
    grids = [(90, 90, 64, 8), (170, 190, 56, 4), (250, 290, 48, 2), (360, 380, 40, 1), (470, 290, 48, 2),
             (550, 190, 56, 4), (630, 90, 64, 8)]
    for (x1, y1, a, _), (x2, y2, b, _) in zip(grids, grids[1:]):
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        drawing.arrow(x1 + ux * (0.62 * a + 4), y1 + uy * (0.62 * a + 4), x2 - ux * (0.62 * b + 6),
                      y2 - uy * (0.62 * b + 6), RED if y2 > y1 else BLUE, 2.5)
    for x, y, size, count in grids:
        drawing.cells(x - size / 2, y - size / 2, count, count, size / count, lambda i, j: WHITE)
        drawing.rectangle(x - size / 2, y - size / 2, size, size, "none", INK, 1.5)
    drawing.text(90, 44, "sweep", 15, bold=True)
    drawing.text(630, 44, "sweep back", 15, bold=True)
    for x, y, words, anchor in ((134, 196, "sweep", "end"), (586, 196, "sweep back", "start"),
                                (216, 296, "sweep", "end"), (502, 296, "sweep back", "start"),
                                (192, 130, "restrict: add up", "start"), (528, 130, "prolong: copy, times 1.9", "end")):
        drawing.text(x, y, words, 14, anchor=anchor)
    for y, words in ((60, "8 x 8 points"), (196, "4 x 4"), (296, "2 x 2")):
        drawing.text(360, y, words, 14, PALE)
    drawing.text(392, 400, "one point: two sweeps", 14, PALE, "start")
    return drawing


def wall_in_pair():
    """Eight cells in pairs: a wall within a pair, and the same after the second cell has moved on."""
    drawing = Drawing(720, 210, "Eight cells in four pairs, with a wall between cells 2 and 3. Cell 3 joins cells 4 and 5.")
    cell, left = 60, 200
    rows = ((40, "a pair on both sides", ((0, 2), (2, 4), (4, 6), (6, 8)), RED),
            (134, "cell 3 moves on", ((0, 2), (2, 3), (3, 6), (6, 8)), INK))
    for top, words, pairs, wall in rows:
        drawing.text(left - 24, top + 26, words, 15, anchor="end")
        for i in range(8):
            drawing.rectangle(left + i * cell, top, cell, 40, WHITE, PALE)
            drawing.text(left + (i + 0.5) * cell, top + 26, str(i), 15)
        for first, end in pairs:
            drawing.rectangle(left + first * cell + 4, top + 4, (end - first) * cell - 8, 32, "none", BLUE, 2.5)
        drawing.line(left + 3 * cell, top - 14, left + 3 * cell, top + 54, wall, 5)
    drawing.text(left + 3 * cell, 18, "wall", 14)
    return drawing


def forth_and_back():
    """A row of dye carried forth by half a cell and back again, and what half the error makes of it."""
    drawing = Drawing(720, 236, "Six cells of dye, carried forth by half a cell, then back, and corrected by "
                                "half of the error")
    cell, unit, bottom = 24, 14, 176
    before = (0, 0, 8, 8, 0, 0)
    for left, name, values, below in ((20, "before", before, ""),
                                      (198, "forth", (0, 0, 4, 8, 4, 0), ""),
                                      (376, "and back", (0, 2, 6, 6, 2, 0), "red: the error of two steps"),
                                      (554, "corrected", (0, 0, 5, 8, 3, 0), "half of it subtracted")):
        drawing.text(left + 3 * cell, 34, name, 15, bold=True)
        for i, value in enumerate(values):
            x, old = left + i * cell, before[i]
            drawing.rectangle(x, bottom - unit * value, cell, unit * value, BLUE, WHITE)
            if name == "and back" and value != old:
                drawing.rectangle(x, bottom - unit * max(value, old), cell, unit * abs(value - old),
                                  RED if value > old else "none", RED, 1.5)
            drawing.text(x + cell / 2, bottom + 20, str(value), 14)
        drawing.line(left, bottom, left + 6 * cell, bottom, INK, 1.5)
        if below:
            drawing.text(left + 3 * cell, bottom + 44, below, 13)
    return drawing


def bounded_energy():
    """The line from f to g in the space of velocities, and the circle of those with the energy before."""
    drawing = Drawing(720, 300, "Velocities with the energy before lie on a circle; the correction of f ends where "
                                "it meets the circle")
    x0, y0, radius = 190, 150, 120
    f, g = (x0 + 88, y0 - 20), (x0 + 148, y0 + 64)
    drawing.circle(x0, y0, radius, CREAM, BLUE, 64)
    c = (g[0] - f[0], g[1] - f[1])
    from_middle = (f[0] - x0, f[1] - y0)
    square, product = c[0] ** 2 + c[1] ** 2, c[0] * from_middle[0] + c[1] * from_middle[1]
    least = from_middle[0] ** 2 + from_middle[1] ** 2 - radius ** 2
    share = (math.sqrt(product ** 2 - square * least) - product) / square
    end = (f[0] + share * c[0], f[1] + share * c[1])
    drawing.line(*f, *g, PALE, 1.5, True)
    drawing.arrow(x0, y0, *f, BLACK, 2)
    drawing.arrow(*f, *end, RED, 3)
    drawing.dot(x0, y0, 4, INK)
    drawing.dot(*g, 4, INK)
    drawing.text(x0 - 12, y0 + 6, "0", 15, anchor="end")
    drawing.text(x0, y0 + radius - 32, "less energy than before", 12, PALE)
    drawing.text(f[0] + 2, f[1] - 12, "f", 17, bold=True)
    drawing.text(g[0] + 12, g[1] + 8, "f + c: all of the correction,", 14, anchor="start")
    drawing.text(g[0] + 12, g[1] + 28, "and more energy than before", 14, anchor="start")
    drawing.text(x0 + radius + 30, y0 - 40, "on the circle: the energy before", 14, DARK_BLUE, "start")
    drawing.text(end[0] + 30, end[1] - 8, "f + \u03b8 c: the share \u03b8 of it", 14, DARK_RED, "start", True)
    drawing.text(end[0] + 30, end[1] + 12, "that ends on the circle", 14, DARK_RED, "start")
    return drawing


def mirror_image():
    """The three velocities of a reflection: u~, its projection u, and its mirror image 2 u - u~."""
    drawing = Drawing(720, 270, "A velocity u~, its projection u onto those free of divergence, and its mirror "
                                "image 2 u - u~")
    x0, y0, x1, up = 90, 140, 430, 82
    drawing.line(40, y0, 690, y0, LINE, 2)
    drawing.text(690, y0 - 10, "free of divergence", 13, PALE, "end")
    drawing.line(x1, y0 - up, x1, y0 + up, RED, 1.5, True)
    drawing.arrow(x0, y0, x1, y0 - up, BLACK, 2)
    drawing.arrow(x0, y0, x1, y0, BLUE, 3)
    drawing.arrow(x0, y0, x1, y0 + up, RED, 2.5)
    drawing.text(x1 + 10, y0 - up + 2, "u\u0303: carried, not yet projected", 14, anchor="start")
    drawing.text(x1 + 10, y0 + 20, "u: projected, and shorter", 14, anchor="start", bold=True)
    drawing.text(x1 + 10, y0 + up + 8, "2u \u2212 u\u0303: as long as u\u0303", 14, anchor="start")
    drawing.text(x1 - 8, y0 - 32, "subtracted", 13, PALE, "end")
    drawing.text(x1 - 8, y0 + 42, "once more", 13, PALE, "end")
    return drawing


DRAWINGS = {
    "11_mac/faces.svg": staggered_cell,
    "12_matrix/weights.svg": weights_on_the_faces,
    "12_matrix/matrix.svg": matrix_of_four_cells,
    "14_gradients/valley.svg": valley,
    "15_multigrid/blocks.svg": blocks,
    "15_multigrid/v_cycle.svg": v_cycle,
    "15_multigrid/wall_in_pair.svg": wall_in_pair,
    "16_sharp/half.svg": forth_and_back,
    "16_sharp/energy.svg": bounded_energy,
    "16_sharp/mirror.svg": mirror_image,
}
