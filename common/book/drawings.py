"""Draws the drawings of the lessons, as SVG files in the chapters' folders.

usage: drawings.py [--write]      (without --write: says which files are not what is drawn here)

Each drawing stands on a light panel of its own, so that it can be read on dark and light pages. A function
that draws one returns its text, and DRAWINGS says where it belongs.
"""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, finish, manifest

INK, PALE, LINE = "#1f2430", "#5b6472", "#8a93a3"
RED, BLACK, BLUE, YELLOW, WHITE = "#e2685c", "#4a5160", "#7fa8e0", "#f2c14e", "#ffffff"


class Drawing:
    """An SVG under way: a panel, and what is put on it."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def polygon(self, points, fill="none", stroke=LINE, width=1.0):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{places}" fill="{fill}" stroke="{stroke}" '
                          f'stroke-width="{width}" stroke-linejoin="round"/>')

    def rectangle(self, x, y, width, height, fill="none", stroke=LINE, thick=1.0):
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill, stroke,
                     thick)

    def line(self, x1, y1, x2, y2, stroke=LINE, width=1.0, dashed=False):
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{stroke}" stroke-width="{width}"{dashes}/>')

    def arrow(self, x1, y1, x2, y2, stroke=INK, width=1.5):
        self.line(x1, y1, x2, y2, stroke, width)
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        x, y = (x2 - x1) / length, (y2 - y1) / length
        self.polygon([(x2, y2), (x2 - 8 * x - 4 * y, y2 - 8 * y + 4 * x),
                      (x2 - 8 * x + 4 * y, y2 - 8 * y - 4 * x)], stroke, stroke)

    def text(self, x, y, words, size=14, fill=INK, anchor="middle", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
                          f'text-anchor="{anchor}"{weight}>{words}</text>')

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" '
            'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
            f"<title>{self.title}</title>",
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="#f7f8fa"/>',
            *self.parts, "</svg>", ""])


# ---- A fluid in a square -------------------------------------------------------------------------

CREAM, GREEN = "#fdf3d6", "#9fd3b8"


def rows_in_one_array():
    """A small grid with its border of walls, and the same cells in the array: row after row."""
    drawing = Drawing(760, 420, "The rows of a grid, laid one after the other into one array")
    n, cell, left, top = 2, 50, 104, 84
    wide = n + 2
    fills = (CREAM, BLUE, GREEN, WHITE)
    drawing.text(left + wide * cell / 2, 34, "i, the column", 14)
    drawing.arrow(left + 50, 44, left + wide * cell - 50, 44)
    drawing.text(left - 48, top - 12, "j, the row", 14)
    drawing.arrow(left - 48, top + 10, left - 48, top + wide * cell - 20)
    for i in range(wide):
        drawing.text(left + (i + 0.5) * cell, top - 10, str(i), 13, PALE)
    for j in range(wide):
        drawing.text(left - 16, top + (j + 0.5) * cell + 5, str(j), 13, PALE)
        for i in range(wide):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, fills[j])
            drawing.text(left + (i + 0.5) * cell, top + (j + 0.5) * cell + 6, str(i + wide * j), 16)
    drawing.rectangle(left + cell, top + cell, n * cell, n * cell, "none", INK, 2.5)
    x, y = left + cell, top + cell
    drawing.rectangle(x + 3, y + 3, cell - 6, cell - 6, "none", RED, 3)
    words = left + wide * cell + 40
    for line, (text, fill) in enumerate((
            ("N = 2: two by two fluid cells, in the thick frame,", INK),
            ("and a border of wall cells around them.", INK), ("", INK),
            ("Red: cell (1, 1). Its place in the array is", INK),
            ("IX(1, 1) = i + (N + 2) j = 1 + 4 \u00b7 1 = 5.", INK), ("", INK),
            ("One cell to the right is one place further,", PALE),
            ("one cell down is N + 2 = 4 places further.", PALE))):
        drawing.text(words, top + 22 + 22 * line, text, 14, fill, "start")
    place, left, top = 42, 44, 326
    for k in range(wide * wide):
        drawing.rectangle(left + k * place, top, place, 40, fills[k // wide])
        drawing.text(left + (k + 0.5) * place, top + 26, str(k), 15)
    for j in range(wide):
        drawing.text(left + (j + 0.5) * wide * place, top + 62, f"row {j}", 13, PALE)
        drawing.line(left + j * wide * place, top - 6, left + j * wide * place, top + 46, INK, 2)
    drawing.line(left + wide * wide * place, top - 6, left + wide * wide * place, top + 46, INK, 2)
    drawing.rectangle(left + 5 * place + 3, top + 3, place - 6, 34, "none", RED, 3)
    for steps, high, words in ((1, 10, "+1"), (wide, 26, "+4")):
        x1, x2 = left + 5.5 * place, left + (5.5 + steps) * place
        drawing.line(x1, top, x1, top - high, RED, 1.5)
        drawing.line(x1, top - high, x2, top - high, RED, 1.5)
        drawing.arrow(x2, top - high, x2, top - 1, RED)
        drawing.text(x2 + 10, top - high + 4, words, 13, "#b3382c", "start")
    return drawing.svg()


def four_weights():
    """The way back from a cell, and the four cells around its end with their weights."""
    drawing = Drawing(760, 410, "The way back from cell (9, 4) to the point (7.3, 4.8), and the weights of the four "
                                "cells around it")
    cell, left, top = 66, 40, 96
    fills = {(7, 4): RED, (8, 4): BLUE, (7, 5): YELLOW, (8, 5): GREEN}

    def place(x, y):
        return left + (x - 6.5) * cell, top + (y - 2.5) * cell

    drawing.text(left + 2.5 * cell, 36, "1. Follow the arrow of (9, 4) backwards", 15, bold=True)
    for j in range(3, 6):
        for i in range(7, 12):
            x, y = place(i, j)
            drawing.rectangle(x - cell / 2, y - cell / 2, cell, cell, fills.get((i, j), WHITE))
            drawing.rectangle(x - 2, y - 2, 4, 4, LINE, LINE)
    for i in range(7, 12):
        drawing.text(place(i, 0)[0], top - 8, str(i), 13, PALE)
    for j in range(3, 6):
        drawing.text(left - 14, place(0, j)[1] + 5, str(j), 13, PALE)
    here, there, back = place(9, 4), place(10.7, 3.2), place(7.3, 4.8)
    drawing.arrow(*here, *there, "#2f5fa8", 3)
    drawing.line(*here, *back, INK, 2.5, True)
    drawing.rectangle(here[0] - 4, here[1] - 4, 8, 8, INK, INK)
    drawing.rectangle(back[0] - 5, back[1] - 5, 10, 10, INK, WHITE)
    drawing.text(left, top + 3 * cell + 30, "blue arrow: \u0394t N (u, v) = (1.7, \u22120.8)", 14, "#2f5fa8", "start")
    drawing.text(left, top + 3 * cell + 52, "dashed: the way back, to the departure point", 14, anchor="start")
    drawing.text(left, top + 3 * cell + 74, "(x, y) = (9 \u2212 1.7, 4 + 0.8) = (7.3, 4.8)", 14, anchor="start")

    drawing.text(590, 36, "2. Weigh the four cells around it", 15, bold=True)
    left, top, side = 486, 110, 200
    across, down = 0.3 * side, 0.8 * side
    parts = (((0, 0), across, down, GREEN, "0.24"), ((across, 0), side - across, down, YELLOW, "0.56"),
             ((0, down), across, side - down, BLUE, "0.06"), ((across, down), side - across, side - down, RED, "0.14"))
    for (x, y), width, height, fill, area in parts:
        drawing.rectangle(left + x, top + y, width, height, fill, INK)
        drawing.text(left + x + width / 2, top + y + height / 2 + 6, area, 16, bold=True)
    drawing.rectangle(left + across - 6, top + down - 6, 12, 12, INK, WHITE)
    for i, j in fills:
        x, y = left + (i - 7) * side, top + (j - 4) * side
        drawing.rectangle(x - 9, y - 9, 18, 18, fills[i, j], INK, 2)
        drawing.text(x + (-16 if i == 7 else 16), y + (-12 if j == 4 else 22), f"({i}, {j})", 14,
                     anchor="end" if i == 7 else "start")
    drawing.text(left + across / 2, top - 18, "s\u2081 = 0.3", 13)
    drawing.text(left + (across + side) / 2, top - 18, "s\u2080 = 0.7", 13)
    drawing.text(left + side + 12, top + down / 2 + 4, "t\u2081 = 0.8", 13, anchor="start")
    drawing.text(left + side + 12, top + (down + side) / 2 + 4, "t\u2080 = 0.2", 13, anchor="start")
    drawing.text(left + side / 2, top + side + 52, "Each centre counts as much as the", 14)
    drawing.text(left + side / 2, top + side + 72, "rectangle of its colour, opposite to it.", 14)
    return drawing.svg()


def implicit_step(a, n):
    """The dye of one cell, 1 at first, after an implicit step: what many Gauss-Seidel sweeps find."""
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

    def explicit(a):
        return {(i, j): 1 - 4 * a if i == j == 0 else a if i == 0 or j == 0 else 0
                for j in (-1, 0, 1) for i in (-1, 0, 1)}

    before = explicit(0)
    for number, (values, title, below, more) in enumerate((
            (before, "before the step", "dye crosses each side:", "a times the difference"),
            (explicit(0.1), "explicit, a = 0.1", "each neighbour gets", "0.1 of the difference 1"),
            (explicit(0.5), "explicit, a = 0.5", "the cell gives away", "4 \u00b7 0.5 = 2, but had only 1"),
            (implicit_step(0.5, 15), "implicit, a = 0.5", "each is an average, so", "none is below 0"))):
        left = 16 + number * 186
        drawing.text(left + 1.5 * cell, 40, title, 15, bold=True)
        for (i, j), value in values.items():
            x, y = left + (i + 1) * cell, top + (j + 1) * cell
            share = min(1.0, abs(value) ** 0.6)
            colour = (0x2f, 0x6f, 0xd0) if value >= 0 else (0xe2, 0x68, 0x5c)
            fill = "#" + "".join(f"{round(255 + share * (one - 255)):02x}" for one in colour)
            drawing.rectangle(x, y, cell, cell, fill)
            words = f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "\u2212")
            drawing.text(x + cell / 2, y + cell / 2 + 6, words, 16, WHITE if abs(value) > 0.9 else INK)
        if number == 0:
            x, y = left + 1.5 * cell, top + 1.5 * cell
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                drawing.arrow(x + 14 * dx, y + 14 * dy, x + 0.72 * dx * cell, y + 0.72 * dy * cell, RED, 2.5)
        drawing.text(left + 1.5 * cell, top + 3 * cell + 32, below, 13)
        drawing.text(left + 1.5 * cell, top + 3 * cell + 52, more, 13)
    return drawing.svg()


# ---- Cubes ---------------------------------------------------------------------------------------

def cube_at(drawing, x, y, size, fill, label=""):
    """A small cube seen from the front, the right and above, its front face at (x, y)."""
    deep = 0.38 * size
    drawing.polygon([(x, y), (x + deep, y - deep), (x + size + deep, y - deep), (x + size, y)], fill)
    drawing.polygon([(x + size, y), (x + size + deep, y - deep), (x + size + deep, y + size - deep),
                     (x + size, y + size)], fill)
    drawing.rectangle(x, y, size, size, fill)
    if label:
        drawing.text(x + size / 2, y + size / 2 + 5, label, 13)


def six_neighbours():
    """A cell with its six neighbours, and where the seven lie in the one array."""
    drawing = Drawing(720, 400, "A cell and its six neighbours, in space and in the array")
    size, x, y = 44, 180, 126
    across, deep = 1.75 * size, 1.2 * size
    cube_at(drawing, x + deep, y - 0.8 * deep, size, BLUE, "k+1")
    cube_at(drawing, x - across, y, size, RED, "i\u22121")
    cube_at(drawing, x, y + across, size, WHITE, "j+1")
    cube_at(drawing, x, y, size, YELLOW, "i, j, k")
    cube_at(drawing, x, y - across, size, WHITE, "j\u22121")
    cube_at(drawing, x + across, y, size, RED, "i+1")
    cube_at(drawing, x - deep, y + 0.8 * deep, size, BLUE, "k\u22121")
    for n, (dx, dy, name) in enumerate(((70, 0, "i, u"), (0, 70, "j, v"), (45, -45, "k, w"))):
        drawing.arrow(470, 110, 470 + dx, 110 + dy)
        drawing.text(470 + 1.22 * dx + (14 if n != 1 else 0), 115 + 1.22 * dy, name, 14)
    # The array: 5 x 5 x 5 cells, as rows within layers.
    left, top, cell = 36, 296, 26
    drawing.text(left, top - 18, "the same seven in the array: IX = i + N (j + N k)", 14, anchor="start")
    groups = (("k\u22121", BLUE, -3), ("j\u22121", WHITE, -2), ("i\u22121", RED, -1), ("i, j, k", YELLOW, 0),
              ("i+1", RED, 1), ("j+1", WHITE, 2), ("k+1", BLUE, 3))
    middle = drawing.width / 2
    step = {-3: -285, -2: -150, -1: -1.7 * cell, 0: 0, 1: 1.7 * cell, 2: 150, 3: 285}
    drawing.line(left, top + cell / 2, drawing.width - left, top + cell / 2, dashed=True)
    for name, fill, place in groups:
        wide = 1.7 * cell if abs(place) < 2 else 2 * cell
        drawing.rectangle(middle + step[place] - wide / 2, top, wide, cell, fill)
        drawing.text(middle + step[place], top + 18, name, 12)
    for reach, words, below in ((1.7 * cell, "1", 44), (150, "N", 66), (285, "N \u00b7 N", 88)):
        drawing.arrow(middle, top + below, middle + reach, top + below, PALE, 1.2)
        drawing.line(middle, top + cell, middle, top + below, PALE)
        drawing.line(middle + reach, top + cell, middle + reach, top + below, PALE)
        drawing.text(middle - 8, top + below + 5, words + " farther", 12, PALE, "end")
    return drawing.svg()


def chessboard():
    """Two layers of red and black cells, and who reads whom."""
    drawing = Drawing(720, 300, "Red and black cells of two layers; a red cell reads black ones only")
    cell, n = 38, 5
    for layer, left in ((0, 40), (1, 290)):
        drawing.text(left + n * cell / 2, 36, "layer k" if layer == 0 else "layer k + 1", 15)
        for j in range(n):
            for i in range(n):
                is_red = (i + j + layer) % 2 == 0
                drawing.rectangle(left + i * cell, 54 + j * cell, cell, cell, RED if is_red else BLACK)
    x, y = 40 + 2.5 * cell, 54 + 2.5 * cell
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        drawing.arrow(x + dx * cell, y + dy * cell, x + 0.25 * dx * cell, y + 0.25 * dy * cell, WHITE, 2)
    drawing.arrow(290 + 2.5 * cell, y - 4, 40 + 2.5 * cell + 8, y - 4, YELLOW, 2)
    drawing.text(510, 92, "A red cell reads six cells,", 14, anchor="start")
    drawing.text(510, 112, "and all six are black: four", 14, anchor="start")
    drawing.text(510, 132, "in its layer, one in front,", 14, anchor="start")
    drawing.text(510, 152, "one behind.", 14, anchor="start")
    drawing.text(510, 188, "So all red cells may be", 14, anchor="start")
    drawing.text(510, 208, "done at once, then all", 14, anchor="start")
    drawing.text(510, 228, "black ones.", 14, anchor="start")
    drawing.text(40, 274, "red where i + j + k is even; one layer deeper the board is shifted by one", 13, PALE,
                 "start")
    return drawing.svg()


def tile_with_rim():
    """What a block reads, and which of it is right after each half of a sweep."""
    drawing = Drawing(720, 330, "A tile of cells with its rim, which shrinks by one cell with each half sweep")
    n = 12
    for number, (left, words) in enumerate(((30, "read into shared memory"), (275, "after red"),
                                            (520, "after black"))):
        for j in range(n):
            for i in range(n):
                rim = min(i, j, n - 1 - i, n - 1 - j)
                right = rim >= number
                fill = (YELLOW if rim >= 2 else BLUE) if right else WHITE
                drawing.rectangle(left + 14 * i, 60 + 14 * j, 14, 14, fill, LINE, 0.7)
        drawing.rectangle(left + 28, 60 + 28, 14 * (n - 4), 14 * (n - 4), "none", INK, 2)
        drawing.text(left + 84, 44, words, 14)
    for x in (222, 467):
        drawing.arrow(x - 12, 144, x + 34, 144)
    y = 258
    for fill, words, x in ((YELLOW, "the block's own cells: it writes these", 40),
                           (BLUE, "rim: read, and relaxed as far as it is right", 385)):
        drawing.rectangle(x, y - 12, 14, 14, fill)
        drawing.text(x + 24, y, words, 13, anchor="start")
    drawing.rectangle(40, y + 14, 14, 14, WHITE)
    drawing.text(64, y + 26, "no longer right: a neighbour outside of the tile was not known", 13,
                 anchor="start")
    return drawing.svg()


# ---- The square ----------------------------------------------------------------------------------

def dot(drawing, x, y, radius, fill):
    drawing.polygon([(x + radius * math.cos(math.pi * n / 8), y + radius * math.sin(math.pi * n / 8))
                     for n in range(16)], fill, fill)


def ghost_cell():
    """A wall cell beside two fluid cells, for dye and for both components of the velocity: the number that it
    is given, and the line through the three numbers."""
    drawing = Drawing(720, 372, "A ghost cell in the wall copies dye, mirrors u, and copies v")
    cell = 66
    for n, (name, rule, values, means) in enumerate((
            ("dye", "copied", (3, 3, 1), ("level at the wall:", "no dye flows through")),
            ("u, into the wall", "mirrored", (-2, 2, 3), ("0 on the wall:", "no fluid flows through")),
            ("v, along the wall", "copied", (2, 2, 3), ("level at the wall:", "the fluid slides along")))):
        left, top = 24 + 238 * n, 66
        face = left + cell
        drawing.text(left + 1.5 * cell, 26, name, 16, bold=True)
        drawing.text(left + 1.5 * cell, 46, rule, 14)
        for i, value in enumerate(values):
            x = left + i * cell
            drawing.rectangle(x, top, cell, cell, "#d3d8e0" if i == 0 else WHITE)
            drawing.text(x + cell / 2, top + 20, str(value).replace("-", "\u2212"), 16, bold=i == 0)
            middle, low = x + cell / 2, top + cell - 20
            if n == 0:
                drawing.rectangle(middle - 18, low - 7, 36, 14, RED, RED)
                drawing.rectangle(middle - 18 + 12 * value, low - 7, 36 - 12 * value, 14, WHITE, RED)
            elif n == 1:
                drawing.arrow(middle - 8 * value, low, middle + 8 * value, low, INK, 2)
            else:
                drawing.arrow(middle, low - 5 * value, middle, low + 5 * value, INK, 2)
        drawing.line(face, top - 6, face, top + cell + 6, INK, 4)
        drawing.text(left + cell / 2, top + cell + 22, "ghost", 13)
        drawing.text(left + 1.5 * cell, top + cell + 22, "fluid", 13)
        drawing.text(left + 2.5 * cell, top + cell + 22, "fluid", 13)
        zero = 252
        drawing.line(left, zero, left + 3 * cell, zero, LINE, 1, True)
        drawing.text(left + 3 * cell + 4, zero + 5, "0", 12, PALE, "start")
        drawing.line(face, 172, face, 306, INK, 4)
        places = [(left + (i + 0.5) * cell, zero - 22 * value) for i, value in enumerate(values)]
        for (x1, y1), (x2, y2) in zip(places, places[1:]):
            drawing.line(x1, y1, x2, y2, RED, 2)
        for i, (x, y) in enumerate(places):
            dot(drawing, x, y, 5, RED if i == 0 else INK)
        drawing.text(left + 1.5 * cell, 332, means[0], 13)
        drawing.text(left + 1.5 * cell, 352, means[1], 13)
    return drawing.svg()


def divergence_of_a_cell():
    """A cell and its four neighbours three times: a source, an even flow, and a rotation."""
    drawing = Drawing(720, 330, "The divergence of a cell, from the velocities of its four neighbours")
    cell = 62
    for n, (name, left_u, right_u, upper_v, lower_v, sum_of, means) in enumerate((
            ("more flows out than in", 1, 3, -1, 2, "3 \u2212 1 + 2 \u2212 (\u22121) = 5", "positive"),
            ("an even flow", 2, 2, 1, 1, "2 \u2212 2 + 1 \u2212 1 = 0", "0"),
            ("a rotation", None, None, None, None, "0 \u2212 0 + 0 \u2212 0 = 0", "0"))):
        left, top = 27 + 240 * n, 52
        drawing.text(left + 1.5 * cell, 32, name, 15, bold=True)
        for i, j in ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2)):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, YELLOW if i == j else WHITE, INK)
        drawing.text(left + 1.5 * cell, top + 1.5 * cell + 5, "i, j", 14)

        def middle(i, j, left=left, top=top):
            return left + (i + 0.5) * cell, top + (j + 0.5) * cell

        for (i, j), name_of, u, v in (((0, 1), "u = ", left_u, 0), ((2, 1), "u = ", right_u, 0),
                                      ((1, 0), "v = ", 0, upper_v), ((1, 2), "v = ", 0, lower_v)):
            x, y = middle(i, j)
            value = u if j == 1 else v
            if value is None:
                du, dv, words = 20 * (1 - j), 15 * (i - 1), name_of + "0"
            else:
                du, dv, words = 9 * u, 9 * v, name_of + str(value).replace("-", "\u2212")
            fill = RED if j == 1 else "#2f5fa8"
            down = 10 if j == 1 or value is None else 0  # below the name, where that is in the cell
            drawing.arrow(x - du, y - dv + down, x + du, y + dv + down, fill if value is not None else INK, 2.5)
            if j == 1:
                drawing.text(x, y - 15, words, 13)
            elif value is None:
                drawing.text(x, y - 8, words, 13)
            else:
                drawing.text(x + 36, y + 5, words, 13, anchor="start")
        drawing.text(left + 1.5 * cell, top + 3 * cell + 34, sum_of, 15)
        drawing.text(left + 1.5 * cell, top + 3 * cell + 58, "divergence: " + means, 14, bold=True)
    return drawing.svg()


def short_arrow(drawing, x, y, dx, dy):
    """An arrow with its middle at (x, y), whose head is never longer than half of it."""
    length = math.hypot(dx, dy)
    head = min(7.0, 0.5 * length) / length
    drawing.line(x - 0.5 * dx, y - 0.5 * dy, x + (0.5 - head) * dx, y + (0.5 - head) * dy, INK, 1.6)
    drawing.polygon([(x + 0.5 * dx, y + 0.5 * dy),
                     (x + (0.5 - head) * dx - 0.5 * head * dy, y + (0.5 - head) * dy + 0.5 * head * dx),
                     (x + (0.5 - head) * dx + 0.5 * head * dy, y + (0.5 - head) * dy - 0.5 * head * dx)],
                    INK, INK)


def split_of_a_velocity():
    """A flow up in one half of a box and down in the other, the whirl in it and the gradient in it."""
    drawing = Drawing(720, 330, "A velocity is the sum of a part without divergence and a gradient")
    size, top, count = 184, 66, 6
    for n, (name, below, more) in enumerate((
            ("the velocity", "up on the left, down on the", "right: it runs into the walls"),
            ("without divergence", "it only turns:", "this part is kept"),
            ("the gradient of p", "from low pressure to high:", "this part is subtracted"))):
        left = 24 + 244 * n
        drawing.text(left + size / 2, 36, name, 16, bold=True)
        drawing.rectangle(left, top, size, size, WHITE, INK, 2)
        for j in range(count):
            for i in range(count):
                x, y = math.pi * (i + 0.5) / count, math.pi * (j + 0.5) / count
                turns = (math.sin(x) * math.cos(y), -math.cos(x) * math.sin(y))
                pushes = (-math.sin(x) * math.cos(y), -math.cos(x) * math.sin(y))
                u, v = ((turns[0] + pushes[0], turns[1] + pushes[1]), turns, pushes)[n]
                place_x, place_y = left + size * (i + 0.5) / count, top + size * (j + 0.5) / count
                if n == 2:
                    pressure = math.cos(x) * math.cos(y)
                    side = size / count
                    drawing.parts.append(
                        f'<rect x="{place_x - side / 2:.1f}" y="{place_y - side / 2:.1f}" width="{side:.1f}" '
                        f'height="{side:.1f}" fill="{RED if pressure > 0 else BLUE}" '
                        f'fill-opacity="{0.7 * abs(pressure):.2f}"/>')
                short_arrow(drawing, place_x, place_y, 14.5 * u, 14.5 * v)
        drawing.rectangle(left, top, size, size, "none", INK, 2)
        if n < 2:
            drawing.text(left + size + 30, top + size / 2 + 9, "=+"[n], 28, bold=True)
        drawing.text(left + size / 2, top + size + 30, below, 14)
        drawing.text(left + size / 2, top + size + 50, more, 14)
    return drawing.svg()


# ---- The staggered cell --------------------------------------------------------------------------

def staggered_grid(drawing, left, top, cell):
    """Three by two cells with a mark for every number, and the names of those of one cell."""
    for j in range(2):
        for i in range(3):
            fill = "#fdf3d6" if (i, j) == (1, 0) else WHITE
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, fill)
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


def staggered_cell():
    """A few cells in the plane with their numbers, and one cell in space."""
    drawing = Drawing(720, 360, "A staggered grid: velocities on the faces, pressure and dye at the centres")
    staggered_grid(drawing, 36, 60, 116)
    drawing.text(36, 332, "red: u, through X faces", 13, "#b3382c", "start")
    drawing.text(216, 332, "blue: v, through Y faces", 13, "#2f5fa8", "start")
    x, y, size, deep = 468, 120, 130, 56
    drawing.polygon([(x, y), (x + deep, y - deep), (x + size + deep, y - deep), (x + size, y)], "#fdf3d6")
    drawing.polygon([(x + size, y), (x + size + deep, y - deep), (x + size + deep, y + size - deep),
                     (x + size, y + size)], "#fdf3d6")
    drawing.rectangle(x, y, size, size, "#fdf3d6")
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
    drawing.text(560, 332, "in space: w as well, before it and behind it", 13, PALE)
    return drawing.svg()


# ---- Equations -----------------------------------------------------------------------------------

def matrix_of_four_cells():
    """Four cells, and their matrix: each entry of one row, and the cell that it speaks of."""
    drawing = Drawing(720, 330, "Four cells and their matrix: row 3 is the equation of cell 3")
    left, top, size = 46, 70, 96
    fills = {1: BLUE, 2: WHITE, 3: YELLOW, 4: BLUE}
    drawing.text(left + size, 44, "the box: 2 x 2 cells", 15)
    for number, fill in fills.items():
        x, y = left + (number - 1) % 2 * size, top + (number - 1) // 2 * size
        drawing.rectangle(x, y, size, size, fill, INK, 1.5)
        drawing.text(x + size / 2, y + size / 2 + 6, f"p{chr(0x2080 + number)}", 20, bold=number == 3)
    drawing.arrow(left + size / 2, top + size + 26, left + size / 2, top + size - 22, RED, 2)
    drawing.arrow(left + size - 26, top + 1.5 * size, left + size + 22, top + 1.5 * size, RED, 2)
    drawing.text(left + size, top + 2 * size + 28, "cell 3 has two neighbours: 1 and 4", 13)
    x0, y0, cell = 360, 70, 48
    entries = ((2, -1, -1, 0), (-1, 2, 0, -1), (-1, 0, 2, -1), (0, -1, -1, 2))
    drawing.text(x0 + 2 * cell, 44, "A", 17, bold=True)
    for column in range(4):
        drawing.text(x0 + (column + 0.5) * cell, 64, str(column + 1), 12, PALE)
    for row, values in enumerate(entries):
        drawing.text(x0 - 12, y0 + (row + 0.5) * cell + 5, str(row + 1), 12, PALE)
        for column, value in enumerate(values):
            fill = WHITE
            if row == 2 and value:
                fill = YELLOW if value == 2 else BLUE
            drawing.rectangle(x0 + column * cell, y0 + row * cell, cell, cell, fill)
            drawing.text(x0 + (column + 0.5) * cell, y0 + (row + 0.5) * cell + 6,
                         str(value).replace("-", "\u2212"), 16, INK if value else LINE,
                         bold=row == 2 and value != 0)
    drawing.rectangle(x0, y0 + 2 * cell, 4 * cell, cell, "none", RED, 2.5)
    for n, (names, words, height) in enumerate(((("p\u2081", "p\u2082", "p\u2083", "p\u2084"), "p", 0),
                                                (("\u22129", "0", "9", "0"), "b", 0))):
        x = x0 + 4 * cell + 26 + n * 80
        drawing.text(x + 20, 44, words, 17, bold=True)
        for row, name in enumerate(names):
            fill = fills[row + 1] if n == 0 else WHITE
            drawing.rectangle(x, y0 + row * cell, 40, cell, fill)
            drawing.text(x + 20, y0 + (row + 0.5) * cell + 6, name, 16, bold=row == 2)
    drawing.text(x0 + 4 * cell + 86, y0 + 2 * cell + 6, "=", 22)
    drawing.text(x0 + 2 * cell + 84, y0 + 4 * cell + 34,
                 "row 3: 2 p\u2083 \u2212 p\u2081 \u2212 p\u2084 = 9", 15, bold=True)
    return drawing.svg()


def valley():
    """The energy as a long narrow valley: the way of steepest descent, and two conjugate directions."""
    drawing = Drawing(720, 340, "Steepest descent zigzags down a narrow valley; two conjugate directions "
                                "reach its bottom")
    steep, turn, scale = 9.0, math.radians(-24), 31.0
    c, s = math.cos(turn), math.sin(turn)
    # The energy is 1/2 x.A x, with the eigenvalues 1 and `steep` along turned axes.
    a = (c * c + steep * s * s, (1 - steep) * c * s, s * s + steep * c * c)

    def times(x):
        return (a[0] * x[0] + a[1] * x[1], a[1] * x[0] + a[2] * x[1])

    def dot(x, y):
        return x[0] * y[0] + x[1] * y[1]

    start = (4.7 * c - 0.52 * s, 4.7 * s + 0.52 * c)
    zigzag = [start]
    for _ in range(14):
        x = zigzag[-1]
        r = tuple(-value for value in times(x))
        step = dot(r, r) / dot(r, times(r))
        zigzag.append((x[0] + step * r[0], x[1] + step * r[1]))
    r = tuple(-value for value in times(zigzag[1]))
    old = tuple(-value for value in times(start))
    beta = dot(r, r) / dot(old, old)
    direction = (r[0] + beta * old[0], r[1] + beta * old[1])
    step = dot(r, direction) / dot(direction, times(direction))
    conjugate = [*zigzag[:2], (zigzag[1][0] + step * direction[0], zigzag[1][1] + step * direction[1])]
    for left, way, words, below in (
            (0, zigzag, "steepest descent", "each step is at right angles to the last:"),
            (360, conjugate, "conjugate directions", "the second step keeps what the first one won:")):
        def place(x, left=left):
            return (left + 180 + scale * x[0], 160 + scale * x[1])

        drawing.text(left + 180, 34, words, 16, bold=True)
        for level in (0.5, 1.4, 2.6, 4.0, 5.2):
            drawing.polygon([place((level * math.cos(t) * c - level / steep ** 0.5 * math.sin(t) * s,
                                    level * math.cos(t) * s + level / steep ** 0.5 * math.sin(t) * c))
                             for t in (math.pi * n / 40 for n in range(80))], "none", BLUE, 1.2)
        for n in range(len(way) - 1):
            (x1, y1), (x2, y2) = place(way[n]), place(way[n + 1])
            if math.hypot(x2 - x1, y2 - y1) > 22:
                drawing.arrow(x1, y1, x2, y2, RED, 2)
            else:
                drawing.line(x1, y1, x2, y2, RED, 2)
        x, y = place((0, 0))
        drawing.rectangle(x - 3, y - 3, 6, 6, INK, INK)
        x, y = place(start)
        drawing.rectangle(x - 3, y - 3, 6, 6, RED, RED)
        drawing.text(x, y + 22, "p = 0", 13)
        drawing.text(left + 180, 300, below, 13)
        drawing.text(left + 180, 319, "the valley's length costs many of them" if left == 0 else
                     "two dimensions, two steps, and the bottom", 13)
    return drawing.svg()


# ---- Advection -----------------------------------------------------------------------------------

def forth_and_back():
    """A row of dye carried forth by half a cell and back again, and what half the error makes of it."""
    drawing = Drawing(720, 236, "Six cells of dye, carried forth by half a cell, then back, and corrected by "
                                "half of the error")
    stages = [("before", "0 0 8 8 0 0"), ("forth", "0 0 4 8 4 0"), ("and back", "0 2 6 6 2 0"),
              ("corrected", "0 0 5 8 3 0")]
    before = [int(word) for word in stages[0][1].split()]
    cell, unit, bottom = 24, 14, 176
    for stage, (name, values) in enumerate(stages):
        left = 20 + 178 * stage
        drawing.text(left + 3 * cell, 34, name, 15, bold=True)
        for i, value in enumerate(int(word) for word in values.split()):
            x = left + i * cell
            drawing.rectangle(x, bottom - unit * value, cell, unit * value, BLUE, WHITE)
            if stage == 2 and value != before[i]:  # the error
                drawing.rectangle(x, bottom - unit * max(value, before[i]), cell,
                                  unit * abs(value - before[i]), RED if value > before[i] else "none", RED, 1.5)
            drawing.text(x + cell / 2, bottom + 20, str(value), 14)
        drawing.line(left, bottom, left + 6 * cell, bottom, INK, 1.5)
        if stage == 2:
            drawing.text(left + 3 * cell, bottom + 44, "red: the error of two steps", 13)
        if stage == 3:
            drawing.text(left + 3 * cell, bottom + 44, "half of it subtracted", 13)
    return drawing.svg()


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
    return drawing.svg()


# ---- Walls ---------------------------------------------------------------------------------------

def ghosts():
    """The velocity along a wall, and its ghost beyond: at a wall that holds, a lid, a wall that slips."""
    drawing = Drawing(720, 330, "A ghost beyond a wall: minus u at a wall that holds, 2 u_wall minus u at a "
                                "wall that moves, u at a wall that slips")
    row, wall, scale = 62, 138, 30
    minus = "\u2212"
    for n, (words, ghost, u, of_wall, formula) in enumerate((
            ("the wall holds", -1, 1, 0, f"ghost = {minus}u"),
            ("the wall moves", 3, 1, 2, f"ghost = 2 u_wall {minus} u"),
            ("the wall slips", 1, 1, None, "ghost = u"))):
        left = 18 + 234 * n
        zero = left + 82
        drawing.text(left + 108, 34, words, 16, bold=True)
        for j in range(-1, 2):
            drawing.rectangle(left, wall + j * row, 216, row, "#e4e7ec" if j < 0 else WHITE)
        drawing.line(zero, wall - row, zero, wall + 2 * row, LINE, 1, True)
        drawing.line(left, wall, left + 216, wall, INK, 5)
        places = [(ghost, wall - row / 2), (u, wall + row / 2),
                  ((1.9, 0.4, 1.0)[n], wall + 1.5 * row)]
        drawing.line(zero + scale * ghost, wall - row / 2, zero + scale * u, wall + row / 2, YELLOW, 2.5)
        for at, (value, y) in enumerate(places):
            drawing.arrow(zero, y, zero + scale * value, y, PALE if at == 0 else RED, 2.5)
        drawing.text(zero + scale * u + 8, wall + row / 2 + 5, "u", 15, "#b3382c", "start", True)
        if of_wall:
            drawing.arrow(zero, wall, zero + scale * of_wall, wall, BLUE, 3.5)
            drawing.text(zero + scale * of_wall + 8, wall + 20, "u_wall", 14, "#2f5fa8", "start")
        drawing.text(left + 8, wall - row + 18, "ghost", 12, PALE, "start")
        drawing.text(left + 108, wall + 2 * row + 26, formula, 15, bold=True)
    drawing.text(360, 316, "yellow: the mean of a face and its ghost is the velocity at the wall", 13)
    return drawing.svg()


def openings():
    """The face at the end of a row of cells: closed, an inflow, an outflow, and what lies beyond each."""
    drawing = Drawing(720, 270, "The last face of a row of cells: at a wall, at an inflow and at an outflow")
    cell, top, green, minus = 84, 78, "#2f9e4f", "\u2212"
    for n, (words, first, second) in enumerate((
            ("closed", "u = 0", "A: no neighbour"),
            ("inflow", "u is given", "A: no neighbour"),
            ("outflow", f"u {minus} dt/(\u03c1h) (0 {minus} p)", "A: 1 more on the diagonal"))):
        left = 24 + 234 * n
        edge = left + 1.3 * cell
        middle = top + cell / 2
        drawing.text(left + 1.1 * cell, 38, words, 16, bold=True)
        drawing.rectangle(left, top, 0.3 * cell, cell, WHITE)
        drawing.rectangle(left + 0.3 * cell, top, cell, cell, WHITE)
        drawing.text(left + 0.72 * cell, middle + 6, "p", 17, bold=True)
        if n == 0:
            drawing.rectangle(edge, top, 0.9 * cell, cell, "#c9ced7", "none")
            drawing.text(edge + 0.45 * cell, middle + 5, "wall", 14, PALE)
        elif n == 1:
            drawing.rectangle(edge, top, 0.9 * cell, cell, "#e4f3e8", "none")
            drawing.text(edge + 0.5 * cell, top + 20, "outside", 13, PALE)
        else:
            drawing.rectangle(edge, top, 0.9 * cell, cell, "#e3ecf9", BLUE)
            drawing.text(edge + 0.52 * cell, middle + 30, "p = 0", 16, bold=True)
            drawing.text(edge + 0.5 * cell, top + 20, "outside", 13, PALE)
        drawing.line(edge, top - 6, edge, top + cell + 6, (INK, green, "#2f6fd0")[n], 5)
        if n == 1:
            drawing.arrow(edge + 38, middle, edge - 26, middle, RED, 3)
        elif n == 2:
            drawing.arrow(edge - 24, middle, edge + 34, middle, RED, 3)
        drawing.text(left + 1.1 * cell, top + cell + 36, first, 15, "#b3382c")
        drawing.text(left + 1.1 * cell, top + cell + 62, second, 14)
    drawing.text(360, 256, "red: the velocity across the face, in the pressure's step", 13)
    return drawing.svg()


# ---- Sweeps and grids ----------------------------------------------------------------------------

def order_of_a_sweep():
    """Four by four cells twice, with the order in which a sweep sets them: row by row, and red first."""
    drawing = Drawing(720, 384, "The order of a sweep: row by row, or all red cells and then all black ones")
    size, top = 60, 66
    for left, words, coloured in ((50, "Gauss-Seidel, row by row", False), (420, "red-black", True)):
        drawing.text(left + 2 * size, 44, words, 16, bold=True)
        count = {0: 0, 1: 8}
        for j in range(4):
            for i in range(4):
                colour = (i + j) % 2
                count[colour] += 1
                number = count[colour] if coloured else 1 + i + 4 * j
                fill = (RED if colour == 0 else BLACK) if coloured else WHITE
                x, y = left + i * size, top + j * size
                drawing.rectangle(x, y, size, size, fill, INK, 1.2)
                ink = WHITE if coloured and colour == 1 else INK
                drawing.text(x + size / 2, y + size / 2 + 7, str(number), 19, ink)
    drawing.text(50 + 2 * size, top + 4 * size + 30, "7 must wait for 3 and 6", 14)
    drawing.text(420 + 2 * size, top + 4 * size + 30, "1 to 8 could all be set at once: red", 14)
    drawing.text(420 + 2 * size, top + 4 * size + 50, "cells have only black neighbours", 14)
    return drawing.svg()


def v_cycle():
    """A V-cycle over four grids: sweeps, restrictions down, prolongations up."""
    drawing = Drawing(720, 430, "A V-cycle: smooth and restrict on the way down, prolong and smooth on the way up")
    places = [(90, 90), (170, 190), (250, 290), (360, 380), (470, 290), (550, 190), (630, 90)]
    cells = [8, 4, 2, 1, 2, 4, 8]
    sizes = [64, 56, 48, 40, 48, 56, 64]
    for (x1, y1), (x2, y2), a, b in zip(places, places[1:], sizes, sizes[1:]):
        down = y2 > y1
        length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        drawing.arrow(x1 + ux * (0.62 * a + 4), y1 + uy * (0.62 * a + 4), x2 - ux * (0.62 * b + 6),
                      y2 - uy * (0.62 * b + 6), RED if down else BLUE, 2.5)
    for (x, y), count, size in zip(places, cells, sizes):
        step = size / count
        drawing.rectangle(x - size / 2, y - size / 2, size, size, WHITE, INK, 1.5)
        for line in range(1, count):
            drawing.line(x - size / 2 + line * step, y - size / 2, x - size / 2 + line * step,
                         y + size / 2, LINE, 1)
            drawing.line(x - size / 2, y - size / 2 + line * step, x + size / 2,
                         y - size / 2 + line * step, LINE, 1)
    drawing.text(90, 44, "smooth", 15, bold=True)
    drawing.text(630, 44, "smooth", 15, bold=True)
    drawing.text(112, 196, "smooth", 14, anchor="end")
    drawing.text(608, 196, "smooth", 14, anchor="start")
    drawing.text(196, 296, "smooth", 14, anchor="end")
    drawing.text(524, 296, "smooth", 14, anchor="start")
    drawing.text(388, 400, "solve at once", 14, anchor="start")
    drawing.text(192, 130, "restrict the residual", 14, anchor="start")
    drawing.text(530, 150, "prolong the correction", 14, anchor="end")
    drawing.text(360, 60, "8 x 8 cells", 14, PALE)
    drawing.text(360, 196, "4 x 4", 14, PALE)
    drawing.text(360, 296, "2 x 2", 14, PALE)
    return drawing.svg()


def between_two_grids():
    """The weights of the restriction, and those of the prolongation."""
    drawing = Drawing(720, 360, "Restriction takes the mean of four cells; prolongation interpolates between four coarse centres")
    size, top = 70, 80
    drawing.text(180, 36, "restriction", 17, bold=True)
    drawing.text(180, 58, "4 times the mean of the four under it", 13, PALE)
    left = 110
    for j in range(2):
        for i in range(2):
            drawing.rectangle(left + i * size, top + j * size, size, size, YELLOW, LINE, 1)
            drawing.text(left + (i + 0.5) * size, top + (j + 0.5) * size + 6, "4 x 1/4", 16)
    drawing.rectangle(left, top, 2 * size, 2 * size, "none", INK, 3)
    drawing.arrow(left + size, top + 2 * size + 8, left + size, top + 2 * size + 42, RED, 2.5)
    drawing.rectangle(left + size - 35, top + 2 * size + 48, 70, 70, YELLOW, INK, 3)
    drawing.text(left + size, top + 2 * size + 90, "4 x mean", 14)
    drawing.text(520, 36, "prolongation", 17, bold=True)
    drawing.text(520, 58, "what the fine cell takes of the four coarse ones", 13, PALE)
    left, wide = 400, 120
    weights = {(0, 0): "9/16", (1, 0): "3/16", (0, 1): "3/16", (1, 1): "1/16"}
    for j in range(2):
        for i in range(2):
            drawing.rectangle(left + i * wide, top + j * wide, wide, wide, WHITE, INK, 2)
            for line in ("across", "down"):
                x, y = left + i * wide, top + j * wide
                if line == "across":
                    drawing.line(x, y + wide / 2, x + wide, y + wide / 2, LINE, 1, True)
                else:
                    drawing.line(x + wide / 2, y, x + wide / 2, y + wide, LINE, 1, True)
    drawing.rectangle(left + wide / 2, top + wide / 2, wide / 2, wide / 2, BLUE, INK, 1.5)
    x, y = left + 0.75 * wide, top + 0.75 * wide
    for (i, j), weight in weights.items():
        cx, cy = left + (i + 0.5) * wide, top + (j + 0.5) * wide
        drawing.line(cx, cy, x, y, RED, 2)
        drawing.polygon([(cx - 5, cy - 5), (cx + 5, cy - 5), (cx + 5, cy + 5), (cx - 5, cy + 5)], INK, INK)
        drawing.text(cx + (-26 if i == 0 else 28), cy + (-14 if j == 0 else 26), weight, 17, bold=True)
    drawing.polygon([(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)], RED, RED)
    return drawing.svg()


def owned_and_ghost_cells():
    """A box of 8 x 6 cells on four ranks: who owns which, and the block of the first rank with its ghosts."""
    drawing = Drawing(720, 330, "Left: a box shared by four ranks. Right: what rank 0 works on, its own cells and "
                                "one layer of ghost cells, copies of cells that other ranks own.")
    cell, top = 38, 62
    tints = ["#f6cfc9", "#cfdff6", "#fbe7b5", "#cdebd8"]

    def owner(i, j):
        return (1 if i >= 4 else 0) + (2 if j >= 3 else 0)

    drawing.text(28 + 4 * cell, 38, "who owns which cells", 16, bold=True)
    for j in range(6):
        for i in range(8):
            drawing.rectangle(28 + i * cell, top + j * cell, cell, cell, tints[owner(i, j)])
    drawing.rectangle(28, top, 8 * cell, 6 * cell, "none", INK, 4)
    drawing.line(28 + 4 * cell, top, 28 + 4 * cell, top + 6 * cell, INK, 2.5, True)
    drawing.line(28, top + 3 * cell, 28 + 8 * cell, top + 3 * cell, INK, 2.5, True)
    for rank in range(4):
        drawing.text(28 + (2 + 4 * (rank % 2)) * cell, top + (1.65 + 3 * (rank // 2)) * cell, f"rank {rank}", 15,
                     bold=True)
    left = 430
    drawing.text(left + 2.5 * cell, 38, "what rank 0 works on", 16, bold=True)
    for j in range(4):
        for i in range(5):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, tints[owner(i, j)])
            if owner(i, j):
                drawing.text(left + (i + 0.5) * cell, top + (j + 0.62) * cell, "copy", 11, PALE)
    drawing.rectangle(left, top, 4 * cell, 3 * cell, "none", INK, 3)
    drawing.text(left + 2 * cell, top + 1.65 * cell, "its own", 15, bold=True)
    drawing.text(left + 5 * cell + 8, top + 1.6 * cell, "ghosts", 13, PALE, "start")
    drawing.text(left + 2 * cell, top + 4 * cell + 20, "ghosts", 13, PALE)
    drawing.text(left + 2.5 * cell, top + 4 * cell + 48, "no ghosts beyond a wall:", 13)
    drawing.text(left + 2.5 * cell, top + 4 * cell + 66, "the block ends there", 13)
    drawing.text(28, 318, "thick: wall; dashed: border between ranks", 13, anchor="start")
    return drawing.svg()


def wavefront():
    """Time across, rows down: which stage is on which row when, for one thread and for two."""
    drawing = Drawing(720, 432, "A wavefront of four stages: each works one row behind the stage before it")
    fills, names = (RED, BLACK, RED, BLACK), ("1", "1", "2", "2")
    cell, top = 22, 84

    def stage_at(x, y, stage):
        drawing.rectangle(x, y, cell, cell, fills[stage], WHITE)
        drawing.text(x + cell / 2, y + cell / 2 + 5, names[stage], 13, WHITE, bold=True)

    left, rows = 70, 10
    drawing.text(left, 28, "one thread", 17, anchor="start", bold=True)
    drawing.text(left, 50, "two sweeps: red, black, red, black", 13, PALE, anchor="start")
    drawing.arrow(left, 70, left + 13 * cell, 70, INK, 1.5)
    drawing.text(left + 13 * cell + 6, 74, "time", 13, anchor="start")
    for row in range(rows):
        drawing.text(left - 10, top + row * cell + 16, f"row {row}", 12, PALE, anchor="end")
        for time in range(rows + 3):
            drawing.rectangle(left + time * cell, top + row * cell, cell, cell, WHITE)
    for stage in range(4):
        for row in range(rows):
            stage_at(left + (row + stage) * cell, top + row * cell, stage)
    x = left + 6 * cell
    drawing.rectangle(x, top + 3 * cell, cell, 4 * cell, "none", YELLOW, 3)
    drawing.text(left, top + rows * cell + 28, "yellow: the rows under way at one moment;", 13, anchor="start")
    drawing.text(left, top + rows * cell + 47, "they stay in the cache until the last stage", 13, anchor="start")
    drawing.text(left, top + rows * cell + 66, "has done them", 13, anchor="start")

    left, rows, border, step = 490, 12, 6, 44
    drawing.text(left, 28, "two threads", 17, anchor="start", bold=True)
    drawing.text(left, 50, "stages across, rows down", 13, PALE, anchor="start")
    for stage in range(4):
        drawing.text(left + stage * step + step / 2, 76, ("red", "black")[stage % 2] + " " + names[stage], 12)
        for row in range(rows):
            first = row < border - stage
            second = row >= border + stage
            fill = BLUE if first else "#9fd3b8" if second else YELLOW
            drawing.rectangle(left + stage * step, top + row * cell, step, cell, fill, WHITE)
    drawing.line(left - 8, top + border * cell, left + 4 * step + 8, top + border * cell, INK, 2, True)
    for row, words in ((2, "thread 1"), (border + 1, "the gap"), (10, "thread 2")):
        drawing.text(left + 4 * step / 2 + (40 if words == "the gap" else 0), top + row * cell + 5, words, 13,
                     bold=True)
    drawing.text(left - 4, top + rows * cell + 28, "Each thread ends a row earlier", 13, anchor="start")
    drawing.text(left - 4, top + rows * cell + 47, "with each stage; the gap between", 13, anchor="start")
    drawing.text(left - 4, top + rows * cell + 66, "them is filled at the end.", 13, anchor="start")
    return drawing.svg()


# ---- Solids --------------------------------------------------------------------------------------

def solid_cells():
    """A body in the grid: whose faces are known, and which cells have a pressure."""
    drawing = Drawing(720, 372, "A body made of cells: its faces have its velocity, and the fluid falls into "
                                "components")
    cell, rows, columns = 44, 6, 7
    bodies = (
        (24, {(2, 2), (3, 2), (1, 3), (2, 3), (3, 3), (2, 4), (3, 4)}),
        (388, {(4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (1, 1), (2, 1), (3, 1), (1, 2), (3, 2), (1, 3),
               (2, 3), (3, 3)}),
    )
    for left, solid in bodies:
        top = 48
        for j in range(rows):
            for i in range(columns):
                fill = "#c3c8d1" if (i, j) in solid else WHITE
                if left > 300 and (i, j) not in solid:
                    fill = "#fdf3d6" if i > 4 else "#f6c9c3" if (i, j) == (2, 2) else "#d6e4f8"
                drawing.rectangle(left + i * cell, top + j * cell, cell, cell, fill, LINE, 0.8)
    left, solid = bodies[0]
    for j in range(rows):
        for i in range(1, columns):
            pair = ((i, j) in solid) + ((i - 1, j) in solid)
            x, y = left + i * cell, top + (j + 0.5) * cell
            if pair == 1:
                drawing.line(x, top + j * cell, x, top + (j + 1) * cell, RED, 4)
            if pair:
                drawing.arrow(x - 9, y, x + 11, y, RED if pair == 1 else PALE, 1.6)
    for j in range(1, rows):
        for i in range(columns):
            if ((i, j) in solid) + ((i, j - 1) in solid) == 1:
                drawing.line(left + i * cell, top + j * cell, left + (i + 1) * cell, top + j * cell, RED, 4)
    x, y = left + 3 * cell, top + 1.5 * cell
    drawing.arrow(x - 12, y, x + 14, y, BLUE, 2.4)
    drawing.line(x, y + 4, x, top + 2.5 * cell - 6, INK, 1.2, True)
    drawing.text(left + columns * cell / 2, 30, "A body that moves to the right", 15)
    drawing.text(left, 336, "red: faces with the body's velocity", 13, "#b3382c", "start")
    drawing.text(left, 356, "dashed: u, and its ghost within the body", 13, PALE, "start")
    left, solid = bodies[1]
    for j in range(rows):
        for i in range(columns):
            if (i, j) not in solid:
                for di, dj in ((1, 0), (0, 1)):
                    beside = (i + di, j + dj)
                    if beside not in solid and beside[0] < columns and beside[1] < rows:
                        drawing.line(left + (i + 0.5) * cell, top + (j + 0.5) * cell,
                                     left + (i + 0.5 + di) * cell, top + (j + 0.5 + dj) * cell, INK, 1.4)
    for j in range(rows):
        for i in range(columns):
            if (i, j) not in solid:
                x, y = left + (i + 0.5) * cell, top + (j + 0.5) * cell
                drawing.polygon([(x + 4 * math.cos(a), y + 4 * math.sin(a)) for a in
                                 (k * math.pi / 6 for k in range(12))], INK, INK)
    drawing.text(left + columns * cell / 2, 30, "Three components, three constants", 15)
    drawing.text(left, 336, "a dot: a pressure; a line: two that are neighbours", 13, PALE, "start")
    drawing.text(left, 356, "one colour: one component", 13, PALE, "start")
    return drawing.svg()


def warm_cell_and_whirl():
    """A warm cell pushes its two faces up; a whirl, where its vorticity grows, and what is added to it."""
    drawing = Drawing(760, 320, "Left: a warm cell pushes the faces above and below it. Right: N x omega turns a whirl")
    left, top, cell = 60, 50, 68
    for j in range(3):
        for i in range(3):
            is_warm = i == 1 and j == 1
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, RED if is_warm else WHITE)
    drawing.text(left + 1.5 * cell, top + 1.5 * cell + 5, "T = 1", bold=True)
    for j in (1, 2):
        x, y = left + 1.5 * cell + 26, top + j * cell
        drawing.line(left + cell, y, left + 2 * cell, y, INK, 3)
        drawing.arrow(x, y + 14, x, y - 22, INK, 2)
    drawing.text(left + 3 * cell + 10, top + cell - 8, "half of the push", 12, PALE, "start")
    drawing.text(left + 3 * cell + 10, top + 2 * cell + 18, "half of the push", 12, PALE, "start")
    drawing.text(left + 1.5 * cell, top + 3 * cell + 34, "a warm cell and its two faces")
    middle_x, middle_y = 560, 152
    for radius, fill in ((96, "#e7eefb"), (66, "#c3d6f3"), (34, BLUE)):
        points = [(middle_x + radius * math.cos(n * math.pi / 24), middle_y + radius * math.sin(n * math.pi / 24))
                  for n in range(48)]
        drawing.polygon(points, fill, LINE)
    drawing.text(middle_x, middle_y - 2, "\u03c9", 18, INK, bold=True)
    drawing.text(middle_x, middle_y + 18, "strong", 12)
    for n in range(4):
        c, s = math.cos(n * math.pi / 2), math.sin(n * math.pi / 2)
        x, y = middle_x + 84 * c, middle_y + 84 * s
        drawing.arrow(x, y, x - 34 * c, y - 34 * s, INK, 2)
        drawing.arrow(x, y, x - 46 * s, y + 46 * c, RED, 3)
    drawing.text(middle_x + 52, middle_y - 8, "N", 14, INK, bold=True)
    drawing.text(middle_x + 122, middle_y + 52, "N \u00d7 \u03c9", 14, RED, bold=True)
    drawing.text(middle_x, top + 3 * cell + 34, "a whirl, and what confinement adds to it")
    return drawing.svg()


def room_to_expand():
    """Left: a burning cell in a box that is open above pushes gas out. Right: in a closed one there is no room."""
    drawing = Drawing(760, 350, "Left: what a cell expands by leaves an open box. Right: in a closed box there is no room")
    top, cell = 46, 68
    for left, is_open in ((70, True), (460, False)):
        for j in range(3):
            for i in range(3):
                is_hot = i == 1 and j == 1
                drawing.rectangle(left + i * cell, top + j * cell, cell, cell, RED if is_hot else WHITE)
        walls = [((0, 0), (0, 3)), ((0, 3), (3, 3)), ((3, 3), (3, 0))] + ([] if is_open else [((3, 0), (0, 0))])
        for (i0, j0), (i1, j1) in walls:
            drawing.line(left + i0 * cell, top + j0 * cell, left + i1 * cell, top + j1 * cell, INK, 4)
        x, y = left + 1.5 * cell, top + 1.5 * cell
        drawing.text(x, y + 5, "9" if is_open else "9 - 1", bold=True)
        for n in range(4):
            c, s = round(math.cos(n * math.pi / 2)), round(math.sin(n * math.pi / 2))
            drawing.arrow(x + 24 * c, y + 20 * s, x + 42 * c, y + 48 * s, INK, 3)
        for j in range(3):
            for i in range(3):
                if (i, j) != (1, 1):
                    shown = "0" if is_open else "0 - 1"
                    drawing.text(left + (i + 0.5) * cell, top + (j + 0.5) * cell + 5, shown, 13, PALE)
        if is_open:
            for i in range(3):
                drawing.arrow(left + (i + 0.5) * cell, top + 8, left + (i + 0.5) * cell, top - 30, "#2f5fa8", 3)
            drawing.text(left + 3 * cell + 14, top - 6, "9 h\u00b2 leave", 14, "#2f5fa8", "start", True)
        drawing.text(x, top + 3 * cell + 30, "open above" if is_open else "closed")
        drawing.text(x, top + 3 * cell + 52, "the divergence is D: 9 in the hot cell" if is_open else
                     "the divergence is D minus its mean, which is 1", 13, PALE)
        if not is_open:
            drawing.text(x, top + 3 * cell + 72, "p\u2080'/p\u2080 is \u03b3 times this mean", 13, PALE)
    return drawing.svg()


# ---- A surface -----------------------------------------------------------------------------------

def three_transfers():
    """Two particles between two faces: what they bring, and what each transfer gives back to them."""
    drawing = Drawing(760, 556, "Two particles bring their velocity to two faces, and PIC, FLIP and APIC give it back")

    def panel(left, top, title, faces, particles, slope, again=""):
        """u against x between two faces, as dots at the height of their values."""
        side, unit = 200, 30

        def place(x, value):
            return left + (x - 0.9) * side / 1.2, top + 40 + (8.6 - value) * unit

        for n, value in enumerate(faces):
            x, y = place(1 + n, value)
            drawing.line(x, top + 34, x, top + 186, LINE, 1.2)
            drawing.rectangle(x - 7, y - 7, 14, 14, BLUE, INK)
            drawing.text(x + (-14 if n == 0 else 14), y + 5, f"{value:g}", 14, "#2f5fa8",
                         "end" if n == 0 else "start", True)
            drawing.text(x, top + 204, f"x = {1 + n}", 13, PALE)
        drawing.line(*place(1, faces[0]), *place(2, faces[1]), "#2f5fa8", 1.2, True)
        for x, value in zip((1.25, 1.75), particles):
            if slope:
                drawing.line(*place(x - 0.2, value - 0.2 * slope), *place(x + 0.2, value + 0.2 * slope), RED, 3)
            dot(drawing, *place(x, value), 6, "#b3382c")
            x, y = place(x, value)
            drawing.text(x + (-10 if value > 6 else 12), y + (-8 if value > 6 else 14), f"{value:g}", 14, "#b3382c",
                         "end" if value > 6 else "start", True)
        drawing.text(left + side / 2, top + 18, title, 15, bold=True)
        drawing.text(left + side / 2, top + 226, again, 13, INK)

    panel(62, 20, "particles to grid", (5, 7), (4, 8), 0)
    for line, words in enumerate((
            "Up: the velocity u. To the right: x.",
            "Red dots: particles. Blue squares: faces.", "",
            "The first particle is a quarter of a cell from",
            "the left face. So its weight is 3/4 there, and",
            "1/4 at the right face. For the second particle",
            "it is the other way round.", "",
            "left face: 3/4 \u00b7 4 + 1/4 \u00b7 8 = 5",
            "right face: 1/4 \u00b7 4 + 3/4 \u00b7 8 = 7")):
        drawing.text(344, 48 + 22 * line, words, 14, anchor="start")
    drawing.line(24, 268, 736, 268, LINE, 1)
    drawing.text(380, 292, "Grid to particles, if nothing has happened on the grid", 15)
    panel(36, 300, "PIC: the value", (5, 7), (5.5, 6.5), 0, "then the faces get 5.75 and 6.25")
    panel(284, 300, "FLIP: the change, 0", (5, 7), (4, 8), 0, "then the faces get 5 and 7 again")
    panel(532, 300, "APIC: value and slope", (5, 7), (5.5, 6.5), 2, "then the faces get 5 and 7 again")
    return drawing.svg()


def surface_between_cells():
    """A row of cells across the surface: the particles in it, phi at the centres, and where p is 0."""
    drawing = Drawing(760, 490, "A row of cells from water to air: where phi is 0, and where p is")
    left, top, cell = 60, 34, 128
    centres = [left + cell * (n + 0.5) for n in range(5)]
    phi = (-0.5, -0.5, -0.3, 0.2, 0.5)  # in cells: half a cell less the share of a full cell
    theta = phi[2] / (phi[2] - phi[3])
    surface = centres[2] + theta * cell
    drawing.rectangle(left, top, surface - left, 78, "#cfe0f6", "none")
    for n in range(5):
        drawing.rectangle(left + n * cell, top, cell, 78, "none", INK, 1.2)
    for n in range(3):
        for x, y in ((0.24, 0.26), (0.76, 0.3), (0.27, 0.74), (0.74, 0.7)):
            if n < 2 or x < 0.5 or y < 0.5:
                dot(drawing, left + cell * (n + x), top + 78 * y, 5, "#2f5fa8")
    for n, words in enumerate(("water", "water", "water", "air", "air")):
        drawing.text(centres[n], top + 98, words, 13, PALE)

    axis, unit = 222, 130  # phi
    drawing.text(left - 12, axis - 60, "phi", 15, anchor="end", bold=True)
    drawing.line(left, axis, left + 5 * cell, axis, LINE, 1.2)
    drawing.text(left - 12, axis + 5, "0", 13, PALE, "end")
    for n in range(4):
        drawing.line(centres[n], axis - unit * phi[n], centres[n + 1], axis - unit * phi[n + 1], INK, 1.5)
    for x, value in zip(centres, phi):
        drawing.rectangle(x - 6, axis - unit * value - 6, 12, 12, BLUE, INK)
        drawing.text(x + (12 if value < 0 else -12), axis - unit * value + (20 if value < 0 else -6),
                     f"{value:g} h".replace("-", "\u2212"), 13, anchor="start" if value < 0 else "end")

    base, high = 432, 38  # p
    drawing.text(left - 12, base - 60, "p", 15, anchor="end", bold=True)
    drawing.line(left, base, left + 5 * cell, base, LINE, 1.2)
    drawing.text(left - 12, base + 5, "0", 13, PALE, "end")
    values = [high * (surface - x) / cell if x < surface else 0.0 for x in centres]
    drawing.line(centres[0], base - values[0], surface, base, "#b3382c", 2.5)
    drawing.line(surface, base, centres[4], base, "#b3382c", 2.5)
    for x, value in zip(centres, values):
        dot(drawing, x, base - value, 5, "#b3382c")
    drawing.line(surface, top - 8, surface, base + 12, "#2f5fa8", 1.5, True)
    drawing.text(surface, top - 14, "the surface", 14, "#2f5fa8", bold=True)
    drawing.line(centres[2], base + 10, centres[2], base + 22, INK, 1.2)
    drawing.arrow(centres[2], base + 16, surface, base + 16, INK)
    drawing.text((centres[2] + surface) / 2, base + 38, f"theta = {theta:g}", 14, bold=True)
    drawing.text(surface + 14, base - 26, "p is 0 where phi is 0,", 14, anchor="start")
    drawing.text(surface + 14, base - 8, "not at the centre of the air", 14, anchor="start")
    return drawing.svg()


def parts_of_the_book():
    """All chapters, each with an arrow to those that follow it: one row for each line of chapters."""
    chapters = manifest()
    parts = list(dict.fromkeys(chapter.part for chapter in chapters))
    fills = dict(zip(parts, (BLUE, YELLOW, "#9fd3b8", RED, "#c9a7e0")))
    wide, high, step, down = 86, 34, 104, 66
    places, rows = {}, 0

    def lay_out(folder, column, row):
        """Places a chapter and, to the right of it and below, all that follow."""
        nonlocal rows
        places[folder], rows = (column, row), max(rows, row + 1)
        after = [chapter.folder for chapter in chapters if chapter.follows == folder]
        for n, one in enumerate(after):
            lay_out(one, column + 1, row if n == 0 else rows)

    for first in [chapter.folder for chapter in chapters if not chapter.follows]:
        lay_out(first, 0, rows)
    # The first part would push all others far to the right: it stands alone in the first row.
    start = min(places[chapter.folder][0] for chapter in chapters if chapter.part != parts[0])
    for chapter in chapters:
        if chapter.part != parts[0]:
            column, row = places[chapter.folder]
            places[chapter.folder] = (column - start + 1, row + 1)
    columns = 1 + max(column for column, _ in places.values())
    drawing = Drawing(24 + columns * step, 40 + (rows + 1) * down + 30, "What follows what")
    corner = {folder: (24 + column * step, 30 + row * down) for folder, (column, row) in places.items()}
    for chapter in chapters:
        if not chapter.follows:
            continue
        x, y = corner[chapter.folder]
        x0, y0 = corner[chapter.follows]
        if y0 == y:
            drawing.arrow(x0 + wide, y + high / 2, x - 2, y + high / 2, PALE)
        elif x0 < x:
            drawing.line(x0 + wide + 7, y0 + high / 2, x0 + wide + 7, y + high / 2, PALE, 1.5)
            drawing.arrow(x0 + wide + 7, y + high / 2, x - 2, y + high / 2, PALE)
        else:  # from the end of the first row to the beginning of another
            turn = y0 + high + (down - high) / 2
            for x1, y1, x2, y2 in ((x0 + wide / 2, y0 + high, x0 + wide / 2, turn), (x0 + wide / 2, turn, x - 9, turn),
                                   (x - 9, turn, x - 9, y + high / 2)):
                drawing.line(x1, y1, x2, y2, PALE, 1.5)
            drawing.arrow(x - 9, y + high / 2, x - 1, y + high / 2, PALE)
    for chapter in chapters:
        x, y = corner[chapter.folder]
        drawing.rectangle(x, y, wide, high, fills[chapter.part], INK)
        drawing.text(x + wide / 2, y + 14, chapter.number, 12, bold=True)
        drawing.text(x + wide / 2, y + 28, chapter.folder.split("_", 1)[1], 12)
    x = 24
    for part in parts:
        drawing.rectangle(x, drawing.height - 30, 14, 14, fills[part], INK)
        drawing.text(x + 20, drawing.height - 18, part, 13, anchor="start")
        x += 40 + 7.4 * len(part)
    drawing.width = max(drawing.width, x + 10)
    return drawing.svg()


DRAWINGS = {
    "parts.svg": parts_of_the_book,
    "01_grid/rows.svg": rows_in_one_array,
    "03_advect/weights.svg": four_weights,
    "04_diffuse/spreading.svg": spreading,
    "05_bounds/ghost.svg": ghost_cell,
    "07_project/divergence.svg": divergence_of_a_cell,
    "07_project/split.svg": split_of_a_velocity,
    "11_mac/faces.svg": staggered_cell,
    "12_matrix/matrix.svg": matrix_of_four_cells,
    "13_gradients/valley.svg": valley,
    "14_sharp/half.svg": forth_and_back,
    "14_sharp/mirror.svg": mirror_image,
    "15_viscosity/ghosts.svg": ghosts,
    "16_open/openings.svg": openings,
    "17_obstacles/solids.svg": solid_cells,
    "18_smoke/push.svg": warm_cell_and_whirl,
    "19_fire/room.svg": room_to_expand,
    "21_3d/neighbours.svg": six_neighbours,
    "22_cells/chessboard.svg": chessboard,
    "23_cuda/tile.svg": tile_with_rim,
    "31_relax/order.svg": order_of_a_sweep,
    "32_multigrid/v_cycle.svg": v_cycle,
    "34_many/ranks.svg": owned_and_ghost_cells,
    "32_multigrid/weights.svg": between_two_grids,
    "33_fast/wavefront.svg": wavefront,
    "41_particles/transfers.svg": three_transfers,
    "42_water/surface.svg": surface_between_cells,
}


def main():
    problems = []
    for name, draw in DRAWINGS.items():
        path = ROOT / "chapters" / name
        if "--write" in sys.argv[1:]:
            path.write_text(draw(), encoding="utf-8")
        elif not path.is_file() or path.read_text(encoding="utf-8") != draw():
            problems.append(f"chapters/{name} is not what common/book/drawings.py draws (--write)")
    finish("drawings", problems)


if __name__ == "__main__":
    main()
