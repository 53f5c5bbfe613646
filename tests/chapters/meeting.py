"""Opens the window of a cube as a reader does, without flags: two jets blow until the mouse takes over, flags go before
what the window chooses, and without a window nothing of that happens. The window is paused after its first step, so that
it makes as many steps as keys are pressed, and what it saves can be compared byte for byte. Needs Xvfb and xdotool:
without them it says so and exits with 77, which CTest reports as skipped.

usage: meeting.py PROGRAM
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
reader = Reader(str(Path(sys.argv[1]).resolve()), environment, (320, 310))  # in the middle of the cube
check, headless, window = reader.check, reader.headless, reader.window


def fluid_seen(*flags):
    """The pixels of a picture without a window, as far down as the fluid goes."""
    subprocess.run([reader.program, "--headless", *flags, "--png", "seen.png"], check=True, timeout=300)
    width, _, found = pixels(Path("seen.png"))
    return found[:4 * width * 400]


def dye(state):
    rows = state.decode().splitlines()
    column = rows[0].split(",").index("density")
    return [float(row.split(",")[column]) for row in rows[1:]]


def the_window_opens_in_motion():
    opened = window(acts=[5])
    check(opened == headless("--scene", "meet", "--steps", "6"), "a window without flags does not do what the scene does")
    check(len(dye(opened)) == 48 ** 3, f"the window opens with {len(dye(opened))} cells")
    check(sum(dye(opened)) > 100, "nothing comes out of the jets")
    check(opened != headless("--steps", "6"), "a window opens as a run without one begins")
    for closed in ("--diff", "--visc"):  # the scene sets them to 0
        check(opened == headless("--scene", "meet", "--steps", "6", closed, "0"), f"the window begins with a {closed}")


def a_stroke_ends_it():
    """A click with the right button draws no dye and pushes nothing, but it is a stroke."""
    drawn = window(acts=["button3", 6])
    Path("begun.csv").write_bytes(headless("--scene", "meet", "--steps", "1"))
    check(drawn == headless("--load", "begun.csv", "--steps", "6", "--diff", "0", "--visc", "0"),
          "after a stroke the jets still blow")
    check(drawn != headless("--scene", "meet", "--steps", "7"), "the jets do nothing within six steps")
    again = window(acts=["button3", 2, "r", 3])
    check(again == headless("--scene", "meet", "--steps", "3"), "R does not begin the scene again")


def flags_go_before_it():
    drag = window("--n", "16", "--scene", "drag", acts=[3])
    check(drag == headless("--n", "16", "--scene", "drag", "--steps", "4"), "--n 16 --scene drag is another run in a window")
    kept = window("--visc", "0.01", "--diff", "0.005", "--iterations", "2", acts=[3])
    said = headless("--scene", "meet", "--steps", "4", "--visc", "0.01", "--diff", "0.005", "--iterations", "2")
    check(kept == said, "a window with flags of parameters does not do what the scene does with them")
    for flags in (["--visc", "0.01"], ["--diff", "0.005"], ["--iterations", "2"]):
        changed = headless("--scene", "meet", "--steps", "4", *flags)
        check(changed != headless("--scene", "meet", "--steps", "4"), f"{flags} changes nothing")
    check(len(dye(headless("--scene", "meet", "--n", "20", "--steps", "2"))) == 20 ** 3, "--n 20 is not 20")
    Path("drag.csv").write_bytes(drag)
    check(window("--load", "drag.csv", acts=[3]) == headless("--load", "drag.csv", "--steps", "4"),
          "jets blow into a state that is loaded")


def it_is_lit_and_turns():
    small = ["--scene", "meet", "--n", "20", "--steps", "12"]
    lit = fluid_seen(*small)
    check(lit == fluid_seen(*small, "--view", "lit"), "the scene is not lit")
    check(lit != fluid_seen(*small, "--view", "cube"), "--view cube does not go before the scene's view")
    headless(*small)
    check(lit != fluid_seen("--load", "headless.csv", "--steps", "0", "--view", "lit"), "the cube does not turn by itself")


def without_a_window_nothing_changes():
    said = ["--n", "40", "--scene", "drag", "--steps", "60", "--diff", "0.0001", "--visc", "0.0001", "--iterations", "4"]
    check(headless() == headless(*said), "a run without flags and without a window is another one")
    check(fluid_seen("--steps", "9") == fluid_seen("--steps", "9", "--view", "slices"), "its picture is another one")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    try:
        the_window_opens_in_motion()
        a_stroke_ends_it()
        flags_go_before_it()
        it_is_lit_and_turns()
        without_a_window_nothing_changes()
    finally:
        os.chdir("/")
        server.terminate()
        server.wait()
reader.finish("opened in motion, was stopped, and gave way to flags")
