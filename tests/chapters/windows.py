"""Opens a chapter's window on a display of its own, drags the mouse in it, and looks whether the
screen changes; drags a slider of its panel; presses keys; and closes it. Needs Xvfb, xdotool and xwd: without them it says so and
exits with 77, which CTest reports as skipped.

usage: windows.py PROGRAM
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from png import pixels

program = str(Path(sys.argv[1]).resolve())
name = Path(program).stem
missing = [tool for tool in ("Xvfb", "xdotool", "xwd") if shutil.which(tool) is None]
if missing:
    print(f"skipped: no {', '.join(missing)} here")
    sys.exit(77)

told = subprocess.run([program, "--help"], capture_output=True, text=True).stdout
shape = "box" if "--nx " in told else "cube" if "walls included" in told else "square"

read_end, write_end = os.pipe()
server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-noreset", "-screen", "0", "1500x1100x24"],
                          pass_fds=[write_end], stderr=subprocess.DEVNULL)
os.close(write_end)
display = os.read(read_end, 20).decode().strip()
# What a graphics driver leaves unfreed is not ours to find in a sanitizer build.
environment = {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1",
               "ASAN_OPTIONS": "detect_leaks=0"}


HANDLE, PANEL = (120, 190, 250), (26, 27, 30)  # colours of common/app/panel.cpp


def tool(*words):
    return subprocess.run(words, env=environment, capture_output=True, text=False, timeout=60)


def screen():
    return tool("xwd", "-root", "-silent").stdout


def wait_until(condition, what, seconds=60):
    end, pause = time.time() + seconds, 0.05
    while time.time() < end:
        if condition():
            return
        time.sleep(pause)
        pause = min(1.5 * pause, 2.0)  # to look costs time that the program needs, on a busy machine
    raise SystemExit(f"{name}: {what}: not within {seconds} s")


def open_window(*flags):
    window = subprocess.Popen([program, *flags], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, cwd=folder)
    wait_until(lambda: tool("xdotool", "search", "--name", f"^{name}").returncode == 0
               or window.poll() is not None, "its window opens")
    if window.poll() is not None:
        raise SystemExit(f"{name}: ended at once with {window.returncode}: {window.stderr.read()}")
    found = tool("xdotool", "search", "--name", f"^{name}").stdout.split()[0].decode()
    tool("xdotool", "windowfocus", "--sync", found)
    return window, found


def saved_picture(folder):
    """What the window shows, as S saves it: width, height, and the pixels' red, green and blue."""
    # Five digits: while a picture is being written, its name is longer, and then changes.
    for old in Path(folder).glob(f"{name}-?????.png"):
        old.unlink()
    tool("xdotool", "key", "s")
    found = []

    def is_saved():
        found[:] = [path for path in Path(folder).glob(f"{name}-?????.png")]
        return found

    wait_until(is_saved, "S saves a picture")
    width, height, data = pixels(found[0])
    return width, height, lambda x, y: tuple(data[4 * (y * width + x):4 * (y * width + x) + 3])


def handles(picture, left):
    """The sliders' handles in the panel from column `left` on: (x, y) of the middle of each upper end."""
    width, height, at = picture
    found = []
    for y in range(1, height):
        for x in range(left, width - 1):
            if at(x, y) == HANDLE and at(x, y - 1) != HANDLE and at(x - 1, y) != HANDLE:
                found.append((x + 1, y))
    return found


def drag_slider(folder, found):
    """Drags the panel's first slider, which must move as far as the mouse, and draw nothing."""
    before = saved_picture(folder)
    width, height, at = before
    left = next((x for x in range(width) if at(x, 0) == PANEL), width)
    if left == width:
        raise SystemExit(f"{name}: its window has no panel of parameters")
    x, y = handles(before, left)[0]
    to = x + 60 if x + 70 < width else x - 60
    tool("xdotool", "mousemove", "--window", found, str(x), str(y + 8))
    time.sleep(0.3)
    width, height, at = saved_picture(folder)  # without what hovering over the fluid shows
    tool("xdotool", "mousedown", "1")
    for k in range(1, 13):
        tool("xdotool", "mousemove", "--window", found, str(x + (to - x) * k // 12), str(y + 8))
    tool("xdotool", "mouseup", "1")
    time.sleep(0.3)
    after = saved_picture(folder)
    if not any(abs(here - to) <= 4 and abs(up - y) <= 1 for here, up in handles(after, left)):
        raise SystemExit(f"{name}: a slider that is dragged from {x} to {to} is not there: "
                         f"{handles(after, left)}")
    above = height * 6 // 10  # the fluid, without the text
    drawn = sum(1 for row in range(above) for column in range(left) if at(column, row) != after[2](column, row))
    if drawn > 0.002 * above * left:
        raise SystemExit(f"{name}: dragging a slider changes {drawn} pixels of the fluid")


def close(window, how):
    how()
    try:
        status = window.wait(timeout=40)
    except subprocess.TimeoutExpired:
        window.kill()
        raise SystemExit(f"{name}: does not close")
    said = window.stderr.read()
    if status != 0 or said:
        raise SystemExit(f"{name}: closes with status {status} and says {said!r}")


with tempfile.TemporaryDirectory() as folder:
    try:
        # One step, and paused, so that nothing but our own hands changes the screen. A large cube takes
        # long for a step in a sanitizer build.
        window, found = open_window("--keys", ".", *(["--n", "48"] if shape == "cube" else []))
        time.sleep(0.5)
        wait_until(lambda: any(screen()[5000:]), "something is on the screen")
        tool("xdotool", "mousemove", "--window", found, "150", "200")
        time.sleep(0.3)

        def changes(action, what):
            before = screen()
            action()
            wait_until(lambda: screen() != before, what)

        def drag(button):
            tool("xdotool", "mousedown", button)
            for k in range(20):
                tool("xdotool", "mousemove", "--window", found, str(150 + 10 * k), str(200 + 6 * k))
            tool("xdotool", "mouseup", button)

        changes(lambda: drag("1"), "dragging changes the screen")
        if not name.startswith("01"):
            changes(lambda: drag("3"), "dragging with the right button changes the screen")
            if shape == "square":  # elsewhere, a chapter may have its own way to show velocity
                changes(lambda: tool("xdotool", "key", "v"), "V hides the arrows")
            changes(lambda: tool("xdotool", "key", "Tab"), "Tab chooses another parameter")
            changes(lambda: tool("xdotool", "key", "plus"), "+ changes it")
            changes(lambda: tool("xdotool", "key", "f"), "F shows another field")
            tool("xdotool", "mousemove", "--window", found, "150", "200")
            drag_slider(folder, found)
        changes(lambda: tool("xdotool", "key", "h"), "H shows help")
        changes(lambda: tool("xdotool", "key", "h"), "H hides it")
        changes(lambda: tool("xdotool", "key", "period"), ". takes one step")
        changes(lambda: tool("xdotool", "mousemove", "--window", found, "300", "333"), "hovering")
        changes(lambda: tool("xdotool", "key", "r"), "R begins again")
        tool("xdotool", "click", "4")  # the wheel, and the middle button: not for all, but no harm
        tool("xdotool", "click", "5")
        drag("2")
        tool("xdotool", "keydown", "alt")
        drag("1")
        tool("xdotool", "keyup", "alt")
        tool("xdotool", "key", "s")
        wait_until(lambda: list(Path(folder).glob(f"{name}-?????.png")), "S saves a picture")
        tool("xdotool", "windowsize", "--sync", found, "800", "700")
        tool("xdotool", "windowsize", "--sync", found, "70", "90")
        tool("xdotool", "windowsize", "--sync", found, "700", "800")
        time.sleep(0.3)
        close(window, lambda: tool("xdotool", "key", "Escape"))

        # Running: time passes by itself; the window's own button closes it; results are written.
        size = {"square": "64", "cube": "24", "box": "24"}[shape]
        window, found = open_window("--n", size, "--scene", "drag", "--save", "end.csv", "--png",
                                    "end.png", "--steps", "30")
        if shape == "box":  # it may begin paused
            before, end = screen(), time.time() + 5
            while screen() == before and time.time() < end:
                time.sleep(0.2)
            if screen() == before:
                tool("xdotool", "key", "space")
        changes(lambda: None, "time passes")
        time.sleep(1)
        close(window, lambda: tool("xdotool", "key", "Escape"))
        for path in ("end.csv", "end.png"):
            if not (Path(folder) / path).is_file():
                raise SystemExit(f"{name}: {path} was not written at the end")
    finally:
        server.terminate()
        server.wait()
print(f"{name}: opened, was dragged, changed, closed")
