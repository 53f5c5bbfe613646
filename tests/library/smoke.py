"""The library's example with a window, library/examples/smoke: without one, that smoke rises and goes around the
sphere; and on a display of its own, that the mouse moves the sphere and turns the view. The latter needs Xvfb and
xdotool: without them it says so and exits with 77, which CTest reports as skipped.

usage: smoke.py headless|window PROGRAM
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True
from display import open_display, skip_without
from pixels import pixels

PROGRAM = str(Path(sys.argv[2]).resolve())


def check(good, what):
    if not good:
        sys.exit(f"FAILED: {what}")


def run(*flags, status=0, **options):
    done = subprocess.run([PROGRAM, *flags], capture_output=True, text=True, timeout=500, **options)
    check(done.returncode == status, f"{flags}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout if status == 0 else done.stderr


def spots(path):
    """Where the sphere is in a picture, and the smoke: the mean column and row of the reddish and of the bright grey
    pixels, and how many there are, by every third pixel of every third row."""
    width, height, data = pixels(path)
    found = {"sphere": [], "smoke": []}
    for y in range(60, height - 60, 3):  # between the words
        for x in range(0, width, 3):
            red, green, blue = data[4 * (y * width + x):4 * (y * width + x) + 3]
            if red > blue + 40:
                found["sphere"].append((x, y))
            elif min(red, green, blue) > 110:
                found["smoke"].append((x, y))
    return {name: (*(sum(place[axis] for place in places) / max(1, len(places)) for axis in (0, 1)), 9 * len(places))
            for name, places in found.items()}


def headless():
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "smoke.png"
        heights = []
        for frames in (10, 30, 70):
            said = run("--headless", "--n", "32", "--frames", str(frames), "--save", str(picture))
            told = re.fullmatch(r"(\d+) pictures of 32 x 32 x 32 cells, [0-9.]+ a second; the smoke is ([0-9.]+) m high, "
                                r"and there is ([0-9.e+-]+) of it in the sphere\n", said)
            check(told and int(told[1]) == frames, said)
            check(float(told[3]) == 0, f"smoke in the sphere: {said}")
            heights.append(float(told[2]))
            seen = spots(picture)
            check(seen["sphere"][2] > 1000, f"the sphere cannot be seen: {seen}")
            if frames == 10:  # the sphere is free, in the middle, and the smoke below it
                check(abs(seen["sphere"][0] - 360) < 25 and abs(seen["sphere"][1] - 355) < 40, f"{seen}")
                check(seen["smoke"][2] > 300 and seen["smoke"][1] > seen["sphere"][1] + 120, f"{seen}")
        check(heights == sorted(heights) and heights[0] < 0.2 and heights[2] > 0.63,  # above the sphere
              f"the smoke does not rise past the sphere: it is {heights} m high")
        before = os.listdir(folder)
        for flags, words in [(("--frames", "0"), "--frames"), (("--n", "x"), "--n"), (("--size", "3"), "--size"),
                             (("--save", str(Path(folder) / "no" / "a.png")), "--save"),
                             (("--save", str(Path(folder) / "a.jpg")), "must end in .png")]:
            said = run("--headless", *flags, status=2)
            check(said.startswith("smoke: ") and said.count("\n") == 1 and words in said, f"{flags}: {said!r}")
        if sys.platform.startswith("linux"):
            without = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
            said = run(status=3, env=without)
            check("--headless" in said and said.count("\n") == 1, f"without a display: {said!r}")
        check(os.listdir(folder) == before, "a run that is refused leaves a file behind")
        check("--save" in run("--help"), "--help")
    print(f"it rises to {heights} m")


def window():
    skip_without("Xvfb", "xdotool")
    server, environment = open_display("900x900")

    def tool(*words):
        return subprocess.run(["xdotool", *words], env=environment, capture_output=True, text=True, timeout=60)

    def wait_until(condition, what):
        end = time.time() + 60
        while not condition():
            check(time.time() < end, what)
            time.sleep(0.1)

    def drag(x, y, to_x, to_y):
        tool("mousemove", "--window", found, str(x), str(y))
        tool("mousedown", "1")
        for part in range(1, 9):
            tool("mousemove", "--window", found, str(x + (to_x - x) * part // 8), str(y + (to_y - y) * part // 8))
        tool("mouseup", "1")

    saved, found = [0], ""

    def look():
        saved[0] += 1
        path = Path(folder) / f"smoke-{saved[0]}.png"
        tool("key", "r")  # smoke that is gone cannot hide the sphere, nor darken it
        tool("key", "s")
        wait_until(path.exists, "S saves no picture")
        return spots(path)

    def look_at_rest():
        """The sphere takes a while to where it is dragged, picture by picture, and pictures may come slowly."""
        end = time.time() + 120
        before, now = look(), look()
        while any(abs(was - one) > 0.5 for was, one in zip(before["sphere"][:2], now["sphere"][:2])):
            check(time.time() < end, "the sphere does not come to rest")
            time.sleep(0.5)
            before, now = now, look()
        return now

    with tempfile.TemporaryDirectory() as folder:
        program = subprocess.Popen([PROGRAM, "--n", "24"], env=environment, cwd=folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            def has_focus():  # a window that is just being opened may be replaced by another
                nonlocal found
                found = tool("search", "--name", "^smoke$").stdout.strip().rpartition("\n")[2]
                if found:
                    tool("windowfocus", found)
                return tool("getwindowfocus").stdout.strip() == found != "" or program.poll() is not None
            wait_until(has_focus, "its window does not open, or does not take the keys")
            check(program.poll() is None, "it ends at once")
            x, y, size = look()["sphere"]
            drag(round(x), round(y), round(x) - 120, round(y) - 60)
            moved = look_at_rest()["sphere"]
            check(abs(moved[0] - x + 120) < 30 and abs(moved[1] - y + 60) < 30,
                  f"the sphere at ({x}, {y}) is dragged by (-120, -60) to {moved}")
            tool("mousemove", "--window", found, "360", "360")
            for _ in range(3):
                tool("click", "5")
            time.sleep(2)
            smaller = look_at_rest()["sphere"]
            check(0 < smaller[2] < 0.8 * moved[2], f"the wheel makes a sphere of {moved[2]} pixels one of {smaller[2]}")
            drag(60, 600, 250, 600)
            turned = look_at_rest()["sphere"]
            check(abs(turned[0] - smaller[0]) > 20, f"the view does not turn: {smaller} {turned}")
            tool("key", "Escape")
            check(program.wait(timeout=60) == 0, "it does not end well")
            said = program.stderr.read()
            check(said == "", said)
            ended = subprocess.run([PROGRAM, "--n", "16", "--frames", "3", "--save", "last.png"], env=environment,
                                   cwd=folder, timeout=200)
            check(ended.returncode == 0 and (Path(folder) / "last.png").exists(), "--frames and --save with a window")
        finally:
            program.kill()
            server.terminate()
            server.wait()
    print("it can be dragged and turned")


{"headless": headless, "window": window}[sys.argv[1]]()
