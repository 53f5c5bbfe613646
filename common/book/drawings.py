"""Draws the drawings of the lessons, as SVG files in the chapters' folders.

usage: drawings.py [--write]      (without --write: says which files are not what is drawn here)

Each drawing stands on a light panel of its own, so that it can be read on dark and light pages. The functions
that make them are in the folder lesson_drawings, a module for each part of the book and one for a film. DRAWINGS
at the end of a module says which file each of them belongs to.
"""

import sys

from book import ROOT, finish
from lesson_drawings import backwards, book_map, depth, fast, right_grid, square, surface, sweep, walls


def main():
    problems = []
    for part in (book_map, square, sweep, right_grid, walls, depth, fast, surface, backwards):
        for name, draw in part.DRAWINGS.items():
            path = ROOT / "chapters" / name
            if "--write" in sys.argv[1:]:
                path.write_text(draw().svg(), encoding="utf-8")
            elif not path.is_file() or path.read_text(encoding="utf-8") != draw().svg():
                problems.append(f"chapters/{name} is not what common/book/drawings.py draws (--write)")
    finish("drawings", problems)


if __name__ == "__main__":
    main()
