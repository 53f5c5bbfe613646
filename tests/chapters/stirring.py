"""Opens the window of 07_project as a reader does, without flags: the fluid is stirred until the mouse takes over, flags
go before what the window chooses, and without a window nothing of that happens. The window is paused after its first
step, so that it makes as many steps as keys are pressed, and what it saves can be compared byte for byte. Needs Xvfb and
xdotool: without them it says so and exits with 77, which CTest reports as skipped.

usage: stirring.py PROGRAM
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True
from display import Reader, open_display, skip_without
from pixels import pixels

skip_without("Xvfb", "xdotool")
server, environment = open_display()
reader = Reader(str(Path(sys.argv[1]).resolve()), environment, (250, 300))
check, headless, window = reader.check, reader.headless, reader.window
ARROW = bytes((51, 204, 255))  # the colour of common/draw/cells.cpp
CLOSED = ("density-fade-rate", "density-diffuse-rate", "velocity-diffuse-rate")  # the scene sets them to 0
settings = [word for name in CLOSED for word in (f"--{name}", "0")]


def cells(state):
    return max(int(line.split(b",")[0]) for line in state.splitlines()[1:]) - 1


def has_arrows():
    """Whether arrows are in the picture that the window has written."""
    _, _, found = pixels(Path("window.png"))
    return any(found[at:at + 3] == ARROW for at in range(0, len(found), 4))


def the_window_stirs():
    opened = window("--png", "window.png", acts=[9])
    check(cells(opened) >= 96, f"the window opens with {cells(opened)} x {cells(opened)} cells")
    check(opened == headless("--scene", "stir", "--steps", "10"), "a window without flags does not stir as the scene does")
    check(not has_arrows(), "the window opens with arrows")
    began = headless("--scene", "stir", "--steps", "0")
    dye = [float(line.split(b",")[2]) for line in began.splitlines()[1:]]
    check(max(dye) > 0.5 and min(dye) < 0.1, "the scene begins without dye, or with dye everywhere")
    for name in CLOSED:  # nothing fades and nothing spreads
        check(headless("--scene", "stir", "--steps", "10", f"--{name}", "0") == opened, f"the window begins with a {name}")


def a_stroke_ends_it():
    """A click with the right button draws no dye and pushes nothing, but it is a stroke."""
    drawn = window(acts=["button3", 9])
    begun = headless("--scene", "stir", "--steps", "1")
    Path("begun.csv").write_bytes(begun)
    check(drawn == headless("--load", "begun.csv", "--steps", "9", *settings), "after a stroke the brushes still stir")
    check(drawn != headless("--scene", "stir", "--steps", "10"), "the brushes do nothing within nine steps")
    filled = window(acts=["button1"] * 3)
    fullest = max(float(line.split(b",")[2]) for line in filled.splitlines()[1:])
    check(fullest == 1.0, f"three clicks on one place fill it with {fullest}, not 1")
    usual = window("--n", "16", "--scene", "none", acts=["button1"] * 3)
    fullest = max(float(line.split(b",")[2]) for line in usual.splitlines()[1:])
    check(fullest == 3.0, f"in another scene, three clicks fill a cell with {fullest}, not 3")
    again = window(acts=["button3", 3, "r", 5])
    check(again == headless("--scene", "stir", "--steps", "5"), "R does not stir again")


def flags_go_before_it():
    drag = window("--n", "16", "--scene", "drag", "--png", "window.png", acts=[4])
    check(drag == headless("--scene", "drag", "--steps", "5"), "--n 16 --scene drag is not what it is without a window")
    check(has_arrows(), "--n 16 --scene drag has no arrows")
    empty = window("--n", "20", acts=[4])
    check(empty == headless("--n", "20", "--scene", "none", "--steps", "5"), "--n 20 alone is not empty")
    large = headless("--n", "40", "--scene", "stir", "--steps", "5")
    check(cells(large) == 40, "--n 40 --scene stir has another size")
    kept = window("--velocity-diffuse-rate", "0.01", "--density-fade-rate", "0.5", acts=[4])
    begun = headless("--scene", "stir", "--steps", "5", "--velocity-diffuse-rate", "0.01", "--density-fade-rate", "0.5")
    check(kept == begun, "a window with flags of parameters does not stir as the scene does with them")
    check(kept != headless("--scene", "stir", "--steps", "5"), "flags of parameters change nothing")
    Path("drag.csv").write_bytes(drag)
    loaded = window("--load", "drag.csv", acts=[4])
    check(loaded == headless("--load", "drag.csv", "--steps", "5"), "a state that is loaded is stirred")


def without_a_window_nothing_changes():
    said = ["--n", "16", "--scene", "drag", "--steps", "60", "--dt", "0.016666666666666666", "--density-fade-rate", "0.1",
            "--velocity-fade-rate", "0", "--density-diffuse-rate", "0.006", "--velocity-diffuse-rate", "0.01"]
    check(headless() == headless(*said), "without a window and without flags the run is not the tutorial's")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
        the_window_stirs()
        a_stroke_ends_it()
        flags_go_before_it()
        without_a_window_nothing_changes()
    finally:
        os.chdir("/")
        server.terminate()
        server.wait()
reader.finish("stirred, was stopped, and gave way to flags")
