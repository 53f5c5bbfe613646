"""The drawings of the part "A surface"."""

from lesson_drawings.shapes import BLUE, DARK_BLUE, DARK_RED, INK, LINE, PALE, RED, Drawing, number


def three_transfers():
    """Two particles between two faces: what they bring, and what each transfer gives back to them."""
    drawing = Drawing(760, 556, "Two particles bring their velocity to two faces, and PIC, FLIP and APIC give it back")
    velocities(drawing, 62, 20, "particles to grid", (5, 7), (4, 8))
    drawing.texts(344, 48, 22, (
        "Up: the velocity u. To the right: x.",
        "Red dots: particles. Blue squares: faces.", "",
        "The first particle is a quarter of a cell from",
        "the left face. So its weight is 3/4 there, and",
        "1/4 at the right face. For the second particle",
        "it is the other way round.", "",
        "left face: 3/4 \u00b7 4 + 1/4 \u00b7 8 = 5",
        "right face: 1/4 \u00b7 4 + 3/4 \u00b7 8 = 7"), anchor="start")
    drawing.line(24, 268, 736, 268, LINE, 1)
    drawing.text(380, 292, "Grid to particles, if nothing has happened on the grid", 15)
    velocities(drawing, 36, 300, "PIC: the value", (5, 7), (5.5, 6.5), 0, "then the faces get 5.75 and 6.25")
    velocities(drawing, 284, 300, "FLIP: the change, 0", (5, 7), (4, 8), 0, "then the faces get 5 and 7 again")
    velocities(drawing, 532, 300, "APIC: value and slope", (5, 7), (5.5, 6.5), 2, "then the faces get 5 and 7 again")
    return drawing


def velocities(drawing, left, top, title, faces, particles, slope=0, again=""):
    """u against x at two faces and at two particles between them, as marks at the height of their values."""
    side, unit = 200, 30

    def place(x, value):
        return left + (x - 0.9) * side / 1.2, top + 40 + (8.6 - value) * unit

    for face, value, right, anchor in zip((1, 2), faces, (-14, 14), ("end", "start")):
        x, y = place(face, value)
        drawing.line(x, top + 34, x, top + 186, LINE, 1.2)
        drawing.square(x, y, 7, BLUE, INK)
        drawing.text(x + right, y + 5, number(value), 14, DARK_BLUE, anchor, True)
        drawing.text(x, top + 204, f"x = {face}", 13, PALE)
    drawing.line(*place(1, faces[0]), *place(2, faces[1]), DARK_BLUE, 1.2, True)
    for particle, value in zip((1.25, 1.75), particles):
        x, y = place(particle, value)
        if slope:
            drawing.line(*place(particle - 0.2, value - 0.2 * slope), *place(particle + 0.2, value + 0.2 * slope),
                         RED, 3)
        drawing.dot(x, y, 6, DARK_RED)
        if value > 6:
            drawing.text(x - 10, y - 8, number(value), 14, DARK_RED, "end", True)
        else:
            drawing.text(x + 12, y + 14, number(value), 14, DARK_RED, "start", True)
    drawing.text(left + side / 2, top + 18, title, 15, bold=True)
    drawing.text(left + side / 2, top + 226, again, 13, INK)


PHI = (-0.5, -0.5, -0.3, 0.2, 0.5)  # in cells: half a cell less the share of a full cell
THETA = PHI[2] / (PHI[2] - PHI[3])


def surface_between_cells():
    """A row of cells across the surface: the particles in it, phi at the centres, and where p is 0."""
    drawing = Drawing(760, 490, "A row of cells from water to air: where phi is 0, and where p is")
    left, top, cell, base = 60, 34, 128, 432
    centres = [left + cell * (n + 0.5) for n in range(5)]
    surface = centres[2] + THETA * cell
    particles_in_cells(drawing, left, top, cell, surface)
    for x, words in zip(centres, ("water", "water", "water", "air", "air")):
        drawing.text(x, top + 98, words, 13, PALE)
    axis(drawing, "phi", left, 222, 5 * cell)
    curve_of_phi(drawing, centres, 222, 130)
    axis(drawing, "p", left, base, 5 * cell)
    curve_of_pressure(drawing, centres, base, 38, surface)
    drawing.line(surface, top - 8, surface, base + 12, DARK_BLUE, 1.5, True)
    drawing.text(surface, top - 14, "the surface", 14, DARK_BLUE, bold=True)
    drawing.line(centres[2], base + 10, centres[2], base + 22, INK, 1.2)
    drawing.arrow(centres[2], base + 16, surface, base + 16, INK)
    drawing.text((centres[2] + surface) / 2, base + 38, f"theta = {number(THETA)}", 14, bold=True)
    drawing.texts(surface + 14, base - 26, 18, ("p is 0 where phi is 0,", "not at the centre of the air"),
                  anchor="start")
    return drawing


def particles_in_cells(drawing, left, top, cell, surface):
    drawing.rectangle(left, top, surface - left, 78, "#cfe0f6", "none")
    for n in range(5):
        drawing.rectangle(left + n * cell, top, cell, 78, "none", INK, 1.2)
    for n in range(3):
        for x, y in ((0.24, 0.26), (0.76, 0.3), (0.27, 0.74), (0.74, 0.7)):
            if n < 2 or x < 0.5 or y < 0.5:
                drawing.dot(left + cell * (n + x), top + 78 * y, 5, DARK_BLUE)


def axis(drawing, name, left, zero, length):
    drawing.text(left - 12, zero - 60, name, 15, anchor="end", bold=True)
    drawing.line(left, zero, left + length, zero, LINE, 1.2)
    drawing.text(left - 12, zero + 5, "0", 13, PALE, "end")


def curve_of_phi(drawing, centres, zero, unit):
    places = [(x, zero - unit * value) for x, value in zip(centres, PHI)]
    for start, end in zip(places, places[1:]):
        drawing.line(*start, *end, INK, 1.5)
    for (x, y), value in zip(places, PHI):
        drawing.square(x, y, 6, BLUE, INK)
        if value < 0:
            drawing.text(x + 12, y + 20, f"{number(value)} h", 13, anchor="start")
        else:
            drawing.text(x - 12, y - 6, f"{number(value)} h", 13, anchor="end")


def curve_of_pressure(drawing, centres, zero, unit, surface):
    cell = centres[1] - centres[0]
    values = [unit * (surface - x) / cell if x < surface else 0.0 for x in centres]
    drawing.line(centres[0], zero - values[0], surface, zero, DARK_RED, 2.5)
    drawing.line(surface, zero, centres[4], zero, DARK_RED, 2.5)
    for x, value in zip(centres, values):
        drawing.dot(x, zero - value, 5, DARK_RED)


DRAWINGS = {
    "41_particles/transfers.svg": three_transfers,
    "42_water/surface.svg": surface_between_cells,
}
