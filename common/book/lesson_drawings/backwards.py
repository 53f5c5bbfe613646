"""The drawings of the part "Backwards"."""

from lesson_drawings.shapes import BLUE, CREAM, DARK_BLUE, DARK_RED, INK, WHITE, YELLOW, Drawing

CELL = 76
AROUND = {(0, 1): (8, 1), (1, 1): (0, 1), (0, 2): (8, 3), (1, 2): (16, 3)}  # the dye, and the weight in eighths
ARRIVAL, DEPARTURE = (3, 0), (0.5, 1.75)


def read_and_add():
    """A step reads four cells around the departure point; its transpose adds to the same four."""
    drawing = Drawing(720, 350, "Forwards a step reads four cells, backwards it adds to them")
    for left, forwards in ((28, True), (388, False)):
        one_way(drawing, left, 56, forwards)
    return drawing


def one_way(drawing, left, top, forwards):
    colour, fill = (DARK_BLUE, BLUE) if forwards else (DARK_RED, YELLOW)

    def place(cell):
        return left + (cell[0] + 0.5) * CELL, top + (cell[1] + 0.5) * CELL

    drawing.text(left + 2 * CELL, 34, "forwards: read, and set one" if forwards else "backwards: take one, and add",
                 16, bold=True)
    drawing.cells(left, top, 4, 3, CELL, lambda i, j: fill if (i, j) == ARRIVAL else CREAM if (i, j) in AROUND else WHITE)
    x, y = place(DEPARTURE)
    ends = [(x, y), (place(ARRIVAL)[0] - 22, place(ARRIVAL)[1] + 16)]
    drawing.arrow(*(ends[0] + ends[1] if forwards else ends[1] + ends[0]), INK, 2.0)
    for cell, (dye, eighths) in AROUND.items():
        cx, cy = place(cell)
        near = (cx + 0.36 * (x - cx), cy + 0.36 * (y - cy))
        far = (cx + 0.8 * (x - cx), cy + 0.8 * (y - cy))
        drawing.arrow(*(near + far if forwards else far + near), colour, 2.0)
        words = f"{dye}" if forwards else f"+{eighths}"
        drawing.text(cx + (-14 if cell[0] == 0 else 14), cy + (-10 if cell[1] == 1 else 24), words, 18, bold=True)
    drawing.dot(x, y, 5, INK)
    drawing.text(*(place(ARRIVAL)[0], place(ARRIVAL)[1] + 4), "10" if forwards else "8", 20, bold=True)
    line = "1/8 of 8 + 1/8 of 0 + 3/8 of 8 + 3/8 of 16 = 10" if forwards else "1/8, 1/8, 3/8 and 3/8 of 8"
    drawing.text(left + 2 * CELL, top + 3 * CELL + 34, line, 14)
    drawing.text(left + 2 * CELL, top + 3 * CELL + 56, "the dye" if forwards else "how much J grows with the dye", 13)


DRAWINGS = {
    "61_adjoint/read_and_add.svg": read_and_add,
}
