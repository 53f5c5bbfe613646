"""A film of one sweep of Gauss-Seidel relaxation, for the part "A fluid in a square"."""

from lesson_drawings.shapes import DARK_BLUE, DARK_RED, GREEN, INK, PALE, RED, WHITE, YELLOW, Drawing, number

N, A = 5, 0.5  # so many cells in a row; the share of a difference that crosses a side
C = 1 + 4 * A
BEFORE, EACH, AFTER = 4, 2, 8  # moments before the sweep, for each cell, and after the sweep
LAST = BEFORE + EACH * N * N + AFTER
SECONDS = 0.3 * LAST
CELL, LEFT, TOP = 54, 24, 40


def old_dye():
    """The dye before the step, which is the first guess, too: 1 in the middle. The walls hold 0."""
    return {(i, j): float(i == j == (N + 1) // 2) for j in range(N + 2) for i in range(N + 2)}


def one_sweep():
    """Each cell in its turn, with what its four neighbours hold then, and what it gets."""
    x0, x = old_dye(), old_dye()
    for j in range(1, N + 1):
        for i in range(1, N + 1):
            around = [x[place] for place in neighbours(i, j)]
            x[i, j] = (x0[i, j] + A * sum(around)) / C
            yield i, j, around, x[i, j]


def neighbours(i, j):
    """The left and the upper neighbour, which the sweep has passed, then the right and the lower one."""
    return (i - 1, j), (i, j - 1), (i + 1, j), (i, j + 1)


def one_sweep_of_cells():
    """The film: cell by cell, what the sweep reads and what it writes. A program that shows no films shows the
    moment at which the sweep is at the middle cell."""
    drawing = Drawing(760, 440, "One sweep of the Gauss-Seidel method, cell by cell")
    drawing.text(LEFT + (N + 2) * CELL / 2, 28, "the guess for each cell, a = 0.5", 15)
    dye, steps = old_dye(), list(one_sweep())
    still = BEFORE + EACH * (N * N // 2)
    for (i, j), value in dye.items():
        if i in (0, N + 1) or j in (0, N + 1):
            drawing.rectangle(*corner(i, j), CELL, CELL, "#d3d8e0")
            drawing.text(*middle_of(i, j), "0", 13, PALE)
    for turn, (i, j, _, value) in enumerate(steps):
        change = BEFORE + EACH * turn + 1
        with drawing.between(0, change, LAST, SECONDS, still):
            guess(drawing, i, j, dye[i, j])
        with drawing.between(change, LAST, LAST, SECONDS, still):
            guess(drawing, i, j, value)
    for turn, (i, j, around, value) in enumerate(steps):
        begin = BEFORE + EACH * turn
        with drawing.between(begin, begin + EACH, LAST, SECONDS, still):
            reads(drawing, i, j)
            computes(drawing, i, j, dye[i, j], around, value)
    for begin, end, words in ((0, BEFORE, ("Before the sweep: the guess is the old dye,", "1 in the middle and 0 around it.")),
                              (LAST - AFTER, LAST, ("After the sweep. The next one begins again", "at the upper left."))):
        with drawing.between(begin, end, LAST, SECONDS, still):
            drawing.texts(424, 80, 24, words, anchor="start")
    legend(drawing)
    return drawing


def corner(i, j):
    return LEFT + i * CELL, TOP + j * CELL


def middle_of(i, j):
    """Where the number in a cell stands."""
    return LEFT + (i + 0.5) * CELL, TOP + (j + 0.5) * CELL + 5


def guess(drawing, i, j, value):
    """A cell in a blue as deep as its value."""
    share = min(1.0, value ** 0.6)
    fill = "#" + "".join(f"{round(255 + share * (one - 255)):02x}" for one in (0x2f, 0x6f, 0xd0))
    drawing.rectangle(*corner(i, j), CELL, CELL, fill)
    drawing.text(*middle_of(i, j), number(round(value, 3)), 13, WHITE if value > 0.9 else INK)


def reads(drawing, i, j):
    """A frame around the cell, and arrows from the four that it reads: green from those of this sweep, grey from
    the walls."""
    x, y = LEFT + (i + 0.5) * CELL, TOP + (j + 0.5) * CELL
    drawing.square(x, y, CELL / 2, "none", RED, 4)
    for (m, n), colour in zip(neighbours(i, j), ("#2f8f5b", "#2f8f5b", "#c98a00", "#c98a00")):
        dx, dy = m - i, n - j
        colour = colour if 1 <= m <= N and 1 <= n <= N else PALE
        drawing.arrow(x + 0.66 * CELL * dx, y + 0.66 * CELL * dy, x + 0.34 * CELL * dx, y + 0.34 * CELL * dy, colour, 3)


def computes(drawing, i, j, old, around, value):
    left, up, right, down = (number(round(one, 3)) for one in around)
    drawing.text(424, 80, f"cell ({i}, {j})", 17, DARK_RED, "start", True)
    for row, (words, fill) in enumerate((
            (f"its dye before the step: {number(old)}", INK),
            (f"left and upper neighbour: {left} and {up}", "#2f8f5b"),
            (f"right and lower neighbour: {right} and {down}", "#9a6a00"))):
        drawing.text(424, 112 + 24 * row, words, 14, fill, "start")
    drawing.text(424, 202, f"({number(old)} + 0.5 \u00b7 ({left} + {up} + {right} + {down})) / 3", 15, INK, "start")
    drawing.text(424, 230, f"= {number(round(value, 3))}", 17, DARK_BLUE, "start", True)


def legend(drawing):
    for row, (fill, words) in enumerate(((GREEN, "green: this sweep has been there already"),
                                         (YELLOW, "yellow: still the guess from before the sweep"),
                                         ("#d3d8e0", "grey: walls, which hold 0 in this chapter"))):
        drawing.rectangle(424, 300 + 26 * row, 14, 14, fill, INK)
        drawing.text(446, 312 + 26 * row, words, 13, INK, "start")


DRAWINGS = {"04_diffuse/sweep.svg": one_sweep_of_cells}
