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


DRAWINGS = {
    "11_mac/faces.svg": staggered_cell,
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
