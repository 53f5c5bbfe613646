"""The drawing of the whole book: its chapters, with an arrow from each to those that follow it."""

from book import manifest
from lesson_drawings.shapes import BLUE, GREEN, INK, PALE, RED, YELLOW, Drawing

WIDE, HIGH = 86, 34  # of a chapter
STEP, DOWN = 104, 66  # from one chapter to the next, from one row to the next
FILLS = (BLUE, YELLOW, GREEN, RED, "#c9a7e0", "#d8c3a5", "#f4b6c2")  # of the parts


def parts_of_the_book():
    """All chapters, each with an arrow to those that follow it: one row for each line of chapters."""
    chapters = manifest()
    fills = dict(zip(dict.fromkeys(chapter.part for chapter in chapters), FILLS))
    places = places_of(chapters)
    columns, rows = (1 + max(place[n] for place in places.values()) for n in (0, 1))
    drawing = Drawing(24 + columns * STEP, 70 + rows * DOWN, "What follows what")
    corner = {folder: (24 + column * STEP, 30 + row * DOWN) for folder, (column, row) in places.items()}
    for chapter in chapters:
        if chapter.follows:
            follow(drawing, *corner[chapter.follows], *corner[chapter.folder])
    for chapter in chapters:
        x, y = corner[chapter.folder]
        drawing.rectangle(x, y, WIDE, HIGH, fills[chapter.part], INK)
        drawing.text(x + WIDE / 2, y + 14, chapter.number, 12, bold=True)
        drawing.text(x + WIDE / 2, y + 28, chapter.folder.split("_", 1)[1], 12)
    x = 24
    for part, fill in fills.items():
        drawing.rectangle(x, drawing.height - 30, 14, 14, fill, INK)
        drawing.text(x + 20, drawing.height - 18, part, 13, anchor="start")
        x += 40 + 7.4 * len(part)
    drawing.width = max(drawing.width, x + 10)
    return drawing


def line_by_line(chapters, follows=None):
    """All chapters that follow that one, each before those that follow it in turn."""
    for chapter in chapters:
        if chapter.follows == follows:
            yield chapter
            yield from line_by_line(chapters, chapter.folder)


def places_of(chapters):
    """The column and the row of each chapter, by its folder. A chapter stands to the right of the one it follows,
    in the same row if it is the first to follow that one. The first part would push all others far to the right:
    it stands alone in the first row."""
    places, rows = {}, 0
    for chapter in line_by_line(chapters):
        column, row = places.get(chapter.follows, (-1, rows))
        if (column + 1, row) in places.values():
            row = rows
        places[chapter.folder] = (column + 1, row)
        rows = max(rows, row + 1)
    later = [chapter.folder for chapter in chapters if chapter.part != chapters[0].part]
    start = min(places[folder][0] for folder in later)
    for folder in later:
        column, row = places[folder]
        places[folder] = (column - start + 1, row + 1)
    return places


def follow(drawing, x0, y0, x, y):
    """An arrow from a chapter whose corner is (x0, y0) to the one at (x, y)."""
    middle = y + HIGH / 2
    if y0 == y:
        drawing.arrow(x0 + WIDE, middle, x - 2, middle, PALE)
    elif x0 < x:
        drawing.line(x0 + WIDE + 7, y0 + HIGH / 2, x0 + WIDE + 7, middle, PALE, 1.5)
        drawing.arrow(x0 + WIDE + 7, middle, x - 2, middle, PALE)
    else:  # from the end of the first row to the beginning of another
        turn = y0 + HIGH + (DOWN - HIGH) / 2
        drawing.line(x0 + WIDE / 2, y0 + HIGH, x0 + WIDE / 2, turn, PALE, 1.5)
        drawing.line(x0 + WIDE / 2, turn, x - 9, turn, PALE, 1.5)
        drawing.line(x - 9, turn, x - 9, middle, PALE, 1.5)
        drawing.arrow(x - 9, middle, x - 1, middle, PALE)


DRAWINGS = {"parts.svg": parts_of_the_book}
