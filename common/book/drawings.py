"""Draws the drawings of the lessons, as SVG files in the chapters' folders.

usage: drawings.py [--write]      (without --write: says which files are not what is drawn here)

Each drawing stands on a light panel of its own, so that it can be read on dark and light pages. A function
that draws one returns its text, and DRAWINGS says where it belongs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, finish

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


DRAWINGS = {
    "21_3d/neighbours.svg": six_neighbours,
    "22_cells/chessboard.svg": chessboard,
    "23_cuda/tile.svg": tile_with_rim,
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
