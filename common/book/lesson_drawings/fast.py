"""The drawings of the part "Fast"."""

from lesson_drawings.shapes import BLACK, BLUE, GREEN, INK, PALE, RED, WHITE, YELLOW, Drawing


def order_of_a_sweep():
    """Four by four cells twice, with the order in which a sweep sets them: row by row, and red first."""
    drawing = Drawing(720, 384, "The order of a sweep: row by row, or all red cells and then all black ones")
    size, top = 60, 66
    drawing.text(50 + 2 * size, 44, "Gauss-Seidel, row by row", 16, bold=True)
    for j in range(4):
        for i in range(4):
            numbered_cell(drawing, 50 + i * size, top + j * size, size, 1 + i + 4 * j, WHITE, INK)
    drawing.text(420 + 2 * size, 44, "red-black", 16, bold=True)
    red, black = 0, 8
    for j in range(4):
        for i in range(4):
            x, y = 420 + i * size, top + j * size
            if (i + j) % 2 == 0:
                red += 1
                numbered_cell(drawing, x, y, size, red, RED, INK)
            else:
                black += 1
                numbered_cell(drawing, x, y, size, black, BLACK, WHITE)
    drawing.text(50 + 2 * size, top + 4 * size + 30, "7 must wait for 3 and 6", 14)
    drawing.texts(420 + 2 * size, top + 4 * size + 30, 20, ("1 to 8 could all be set at once: red",
                                                            "cells have only black neighbours"))
    return drawing


def numbered_cell(drawing, x, y, size, place, fill, ink):
    drawing.rectangle(x, y, size, size, fill, INK, 1.2)
    drawing.text(x + size / 2, y + size / 2 + 7, str(place), 19, ink)


STAGES = ((RED, "red", "1"), (BLACK, "black", "1"), (RED, "red", "2"), (BLACK, "black", "2"))


def wavefront():
    """Time across, rows down: which stage is on which row when, for one thread and for two."""
    drawing = Drawing(720, 432, "A wavefront of four stages: each works one row behind the stage before it")
    wavefront_of_one_thread(drawing, 70, 84, 22)
    wavefront_of_two_threads(drawing, 490, 84, 22)
    return drawing


def wavefront_of_one_thread(drawing, left, top, cell):
    rows = 10
    drawing.text(left, 28, "one thread", 17, anchor="start", bold=True)
    drawing.text(left, 50, "two sweeps: red, black, red, black", 13, PALE, anchor="start")
    drawing.arrow(left, 70, left + 13 * cell, 70, INK, 1.5)
    drawing.text(left + 13 * cell + 6, 74, "time", 13, anchor="start")
    for row in range(rows):
        drawing.text(left - 10, top + row * cell + 16, f"row {row}", 12, PALE, anchor="end")
        drawing.cells(left, top + row * cell, rows + 3, 1, cell, lambda i, j: WHITE)
    for stage, (fill, _, sweep) in enumerate(STAGES):
        for row in range(rows):
            x, y = left + (row + stage) * cell, top + row * cell
            drawing.rectangle(x, y, cell, cell, fill, WHITE)
            drawing.text(x + cell / 2, y + cell / 2 + 5, sweep, 13, WHITE, bold=True)
    drawing.rectangle(left + 6 * cell, top + 3 * cell, cell, 4 * cell, "none", YELLOW, 3)
    drawing.texts(left, top + rows * cell + 28, 19, ("yellow: the rows under way at one moment;",
                                                     "they stay in the cache until the last stage",
                                                     "has done them"), 13, anchor="start")


def wavefront_of_two_threads(drawing, left, top, cell):
    rows, border, step = 12, 6, 44
    drawing.text(left, 28, "two threads", 17, anchor="start", bold=True)
    drawing.text(left, 50, "stages across, rows down", 13, PALE, anchor="start")
    for stage, (_, colour, sweep) in enumerate(STAGES):
        drawing.text(left + stage * step + step / 2, 76, f"{colour} {sweep}", 12)
        for row in range(rows):
            fill = YELLOW
            if row < border - stage:
                fill = BLUE
            elif row >= border + stage:
                fill = GREEN
            drawing.rectangle(left + stage * step, top + row * cell, step, cell, fill, WHITE)
    drawing.line(left - 8, top + border * cell, left + 4 * step + 8, top + border * cell, INK, 2, True)
    for row, right, words in ((2, 88, "thread 1"), (border + 1, 128, "the gap"), (10, 88, "thread 2")):
        drawing.text(left + right, top + row * cell + 5, words, 13, bold=True)
    drawing.texts(left - 4, top + rows * cell + 28, 19, ("Each thread ends a row earlier",
                                                         "with each stage; the gap between",
                                                         "them is filled at the end."), 13, anchor="start")


TINTS = ("#f6cfc9", "#cfdff6", "#fbe7b5", "#cdebd8")  # the colours of the ranks


def owner(i, j):
    """The rank that owns a cell."""
    return (1 if i >= 4 else 0) + (2 if j >= 3 else 0)


def tint(i, j):
    return TINTS[owner(i, j)]


def owned_and_ghost_cells():
    """A box of 8 x 6 cells on four ranks: who owns which, and the block of the first rank with its ghosts."""
    drawing = Drawing(720, 330, "Left: a box shared by four ranks. Right: what rank 0 works on, its own cells and "
                                "one layer of ghost cells, copies of cells that other ranks own.")
    box_of_four_ranks(drawing, 28, 62, 38)
    block_with_ghosts(drawing, 430, 62, 38)
    drawing.text(28, 318, "thick: wall; dashed: border between ranks", 13, anchor="start")
    return drawing


def box_of_four_ranks(drawing, left, top, cell):
    drawing.text(left + 4 * cell, 38, "who owns which cells", 16, bold=True)
    drawing.cells(left, top, 8, 6, cell, tint)
    drawing.rectangle(left, top, 8 * cell, 6 * cell, "none", INK, 4)
    drawing.line(left + 4 * cell, top, left + 4 * cell, top + 6 * cell, INK, 2.5, True)
    drawing.line(left, top + 3 * cell, left + 8 * cell, top + 3 * cell, INK, 2.5, True)
    for rank in range(4):
        drawing.text(left + (2 + 4 * (rank % 2)) * cell, top + (1.65 + 3 * (rank // 2)) * cell, f"rank {rank}", 15,
                     bold=True)


def block_with_ghosts(drawing, left, top, cell):
    drawing.text(left + 2.5 * cell, 38, "what rank 0 works on", 16, bold=True)
    for j in range(4):
        for i in range(5):
            drawing.rectangle(left + i * cell, top + j * cell, cell, cell, tint(i, j))
            if owner(i, j) != 0:
                drawing.text(left + (i + 0.5) * cell, top + (j + 0.62) * cell, "copy", 11, PALE)
    drawing.rectangle(left, top, 4 * cell, 3 * cell, "none", INK, 3)
    drawing.text(left + 2 * cell, top + 1.65 * cell, "its own", 15, bold=True)
    drawing.text(left + 5 * cell + 8, top + 1.6 * cell, "ghosts", 13, PALE, "start")
    drawing.text(left + 2 * cell, top + 4 * cell + 20, "ghosts", 13, PALE)
    drawing.texts(left + 2.5 * cell, top + 4 * cell + 48, 18, ("no ghosts beyond a wall:", "the block ends there"), 13)


DRAWINGS = {
    "51_relax/order.svg": order_of_a_sweep,
    "52_fast/wavefront.svg": wavefront,
    "53_many/ranks.svg": owned_and_ghost_cells,
}
