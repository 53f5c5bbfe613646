"""What the lessons' drawings are made of: an SVG panel, lines, arrows, cells, words, and the colours."""

import math
from contextlib import contextmanager

INK, PALE, LINE = "#1f2430", "#5b6472", "#8a93a3"
RED, BLACK, BLUE, YELLOW, WHITE = "#e2685c", "#4a5160", "#7fa8e0", "#f2c14e", "#ffffff"
CREAM, GREEN, DARK_RED, DARK_BLUE = "#fdf3d6", "#9fd3b8", "#b3382c", "#2f5fa8"


def number(value):
    """A number as a drawing shows it, with a minus sign instead of a hyphen."""
    return f"{value:g}".replace("-", "\u2212")


class Drawing:
    """An SVG under way: a panel, and what is put on it. x grows to the right and y downwards."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def polygon(self, points, fill="none", stroke=LINE, width=1.0):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{places}" fill="{fill}" stroke="{stroke}" '
                          f'stroke-width="{width}" stroke-linejoin="round"/>')

    def rectangle(self, x, y, width, height, fill="none", stroke=LINE, thick=1.0):
        """A rectangle whose upper left corner is (x, y)."""
        self.polygon([(x, y), (x + width, y), (x + width, y + height), (x, y + height)], fill, stroke,
                     thick)

    def square(self, x, y, half, fill, stroke, thick=1.0):
        """A square whose middle is (x, y)."""
        self.rectangle(x - half, y - half, 2 * half, 2 * half, fill, stroke, thick)

    def circle(self, x, y, radius, fill, stroke, corners=16):
        """A circle whose middle is (x, y), as a polygon."""
        angles = [2 * math.pi * n / corners for n in range(corners)]
        self.polygon([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles], fill, stroke)

    def dot(self, x, y, radius, fill):
        self.circle(x, y, radius, fill, fill)

    def cells(self, left, top, columns, rows, cell, fill_of, stroke=LINE, thick=1.0):
        """A grid of square cells, row by row; fill_of(i, j) is the colour of one."""
        for j in range(rows):
            for i in range(columns):
                self.rectangle(left + i * cell, top + j * cell, cell, cell, fill_of(i, j), stroke, thick)

    def cube(self, x, y, size, deep, fill):
        """A cube seen from the front, the right and above, whose front face has its upper left corner at (x, y)."""
        self.polygon([(x, y), (x + deep, y - deep), (x + size + deep, y - deep), (x + size, y)], fill)
        self.polygon([(x + size, y), (x + size + deep, y - deep), (x + size + deep, y + size - deep),
                      (x + size, y + size)], fill)
        self.rectangle(x, y, size, size, fill)

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
        """A line of words; (x, y) is the `anchor` of its base line, which is its start, its middle or its end."""
        weight = ' font-weight="bold"' if bold else ""
        words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" '
                          f'text-anchor="{anchor}"{weight}>{words}</text>')

    def texts(self, x, y, step, lines, size=14, fill=INK, anchor="middle"):
        """Lines of words, each `step` below the one before."""
        for n, words in enumerate(lines):
            self.text(x, y + step * n, words, size, fill, anchor)

    @contextmanager
    def between(self, begin, end, last, seconds, still):
        """What is drawn meanwhile is seen from the moment `begin` to the moment `end` of a film, which has `last`
        moments in so many seconds and runs for ever. A program that shows no films shows the moment `still`."""
        seen = ("hidden", "visible", "hidden")
        times = [(0, seen[0])] if begin > 0 else []
        times += [(begin, seen[1])] + ([(end, seen[2])] if end < last else [])
        self.parts.append(f'<g visibility="{seen[begin <= still < end]}">')
        self.parts.append(f'<animate attributeName="visibility" calcMode="discrete" dur="{seconds:g}s" '
                          f'repeatCount="indefinite" values="{";".join(state for _, state in times)}" '
                          f'keyTimes="{";".join(f"{moment / last:.4f}" for moment, _ in times)}"/>')
        yield
        self.parts.append("</g>")

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" '
            'font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">',
            f"<title>{self.title}</title>",
            f'<rect width="{self.width}" height="{self.height}" rx="8" fill="#f7f8fa"/>',
            *self.parts, "</svg>", ""])
