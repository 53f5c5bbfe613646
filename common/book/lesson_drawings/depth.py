"""The drawings of the part "Depth, and many hands"."""

from lesson_drawings.shapes import BLACK, BLUE, INK, LINE, PALE, RED, WHITE, YELLOW, Drawing


def six_neighbours():
    """A cell with its six neighbours, and where the seven lie in the one array."""
    drawing = Drawing(720, 400, "A cell and its six neighbours, in space and in the array")
    seven_in_space(drawing, 180, 126, 44)
    for dx, dy, right, name in ((70, 0, 14, "i, u"), (0, 70, 0, "j, v"), (45, -45, 14, "k, w")):
        drawing.arrow(470, 110, 470 + dx, 110 + dy)
        drawing.text(470 + 1.22 * dx + right, 115 + 1.22 * dy, name, 14)
    seven_in_the_array(drawing, 36, 296, 26)
    return drawing


def seven_in_space(drawing, x, y, size):
    across, deep = 1.75 * size, 1.2 * size
    for x1, y1, fill, label in (
            (x + deep, y - 0.8 * deep, BLUE, "k+1"), (x - across, y, RED, "i\u22121"),
            (x, y + across, WHITE, "j+1"), (x, y, YELLOW, "i, j, k"), (x, y - across, WHITE, "j\u22121"),
            (x + across, y, RED, "i+1"), (x - deep, y + 0.8 * deep, BLUE, "k\u22121")):
        drawing.cube(x1, y1, size, 0.38 * size, fill)
        drawing.text(x1 + size / 2, y1 + size / 2 + 5, label, 13)


def seven_in_the_array(drawing, left, top, cell):
    """The array: 5 x 5 x 5 cells, as rows within layers."""
    drawing.text(left, top - 18, "the same seven in the array: IX = i + N (j + N k)", 14, anchor="start")
    middle, one = drawing.width / 2, 1.7 * cell
    drawing.line(left, top + cell / 2, drawing.width - left, top + cell / 2, dashed=True)
    for name, fill, right, wide in (
            ("k\u22121", BLUE, -285, 2 * cell), ("j\u22121", WHITE, -150, 2 * cell), ("i\u22121", RED, -one, one),
            ("i, j, k", YELLOW, 0, one), ("i+1", RED, one, one), ("j+1", WHITE, 150, 2 * cell),
            ("k+1", BLUE, 285, 2 * cell)):
        drawing.rectangle(middle + right - wide / 2, top, wide, cell, fill)
        drawing.text(middle + right, top + 18, name, 12)
    for reach, words, below in ((one, "1", 44), (150, "N", 66), (285, "N \u00b7 N", 88)):
        drawing.arrow(middle, top + below, middle + reach, top + below, PALE, 1.2)
        drawing.line(middle, top + cell, middle, top + below, PALE)
        drawing.line(middle + reach, top + cell, middle + reach, top + below, PALE)
        drawing.text(middle - 8, top + below + 5, words + " farther", 12, PALE, "end")


def chessboard():
    """Two layers of red and black cells, and who reads whom."""
    drawing = Drawing(720, 300, "Red and black cells of two layers; a red cell reads black ones only")
    cell, n = 38, 5
    for left, first, second, words in ((40, RED, BLACK, "layer k"), (290, BLACK, RED, "layer k + 1")):
        drawing.text(left + n * cell / 2, 36, words, 15)
        drawing.cells(left, 54, n, n, cell, lambda i, j, a=first, b=second: a if (i + j) % 2 == 0 else b)
    x, y = 40 + 2.5 * cell, 54 + 2.5 * cell
    for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        drawing.arrow(x + dx * cell, y + dy * cell, x + 0.25 * dx * cell, y + 0.25 * dy * cell, WHITE, 2)
    drawing.arrow(290 + 2.5 * cell, y - 4, 40 + 2.5 * cell + 8, y - 4, YELLOW, 2)
    drawing.texts(510, 92, 20, ("A red cell reads six cells,", "and all six are black: four",
                                "in its layer, one in front,", "one behind."), anchor="start")
    drawing.texts(510, 188, 20, ("So all red cells may be", "done at once, then all", "black ones."), anchor="start")
    drawing.text(40, 274, "red where i + j + k is even; one layer deeper the board is shifted by one", 13, PALE,
                 "start")
    return drawing


def tile_with_rim():
    """What a block reads, and which of it is right after each half of a sweep."""
    drawing = Drawing(720, 330, "A tile of cells with its rim, which shrinks by one cell with each half sweep")
    n = 12
    for wrong, left, words in ((0, 30, "read into shared memory"), (1, 275, "after red"), (2, 520, "after black")):
        def colour(i, j, wrong=wrong):
            from_the_rim = min(i, j, n - 1 - i, n - 1 - j)
            if from_the_rim < wrong:
                return WHITE
            return YELLOW if from_the_rim >= 2 else BLUE

        drawing.cells(left, 60, n, n, 14, colour, LINE, 0.7)
        drawing.rectangle(left + 28, 60 + 28, 14 * (n - 4), 14 * (n - 4), "none", INK, 2)
        drawing.text(left + 84, 44, words, 14)
    for x in (222, 467):
        drawing.arrow(x - 12, 144, x + 34, 144)
    for x, y, fill, words in ((40, 258, YELLOW, "the block's own cells: it writes these"),
                              (385, 258, BLUE, "rim: read, and relaxed as far as it is right"),
                              (40, 284, WHITE, "no longer right: a neighbour outside of the tile was not known")):
        drawing.rectangle(x, y - 12, 14, 14, fill)
        drawing.text(x + 24, y, words, 13, anchor="start")
    return drawing


DRAWINGS = {
    "21_3d/neighbours.svg": six_neighbours,
    "22_cells/chessboard.svg": chessboard,
    "23_cuda/tile.svg": tile_with_rim,
}
