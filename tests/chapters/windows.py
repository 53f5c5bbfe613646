"""Opens a chapter's window on a display of its own, drags the mouse in it, and looks whether the
screen changes; drags a slider of its panel; presses keys; and closes it. What common/app does in the same way for all
chapters, such as help, another size of the window and time that passes by itself, is tried with --all alone. Needs
Xvfb, xdotool and xwd: without them it says so and exits with 77, which CTest reports as skipped.

usage: windows.py PROGRAM [--all]
"""

import json
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True
from display import open_display, skip_without

program = str(Path(sys.argv[1]).resolve())
tries_all = "--all" in sys.argv[2:]
name = Path(program).stem
skip_without("Xvfb", "xdotool", "xwd")

facts = json.loads(subprocess.run([program, "--help=json"], capture_output=True, text=True).stdout)
shape = facts["shape"]

server, environment = open_display()
# The first pictures of these show no field, and no velocity.
FLAGS = {"12_matrix": ["--scene", "drag", "--n", "16"], "52_fast": ["--view", "fluid"]}


HANDLE, PANEL = (120, 190, 250), (26, 27, 30)  # colours of common/app/panel.cpp
BUTTON, PRESENT = (44, 47, 54), (38, 84, 128)  # colours of common/app/scene_row.cpp


def tool(*words):
    return subprocess.run(words, env=environment, capture_output=True, text=False, timeout=60)


def dump_of(found):
    """What the window shows, as xwd writes it. Nothing if it is not yet there to look at."""
    return tool("xwd", "-id", found, "-silent").stdout


def move(found, places):
    """Moves the mouse from one place in the window to the next."""
    words = []
    for x, y in places:
        words += ["mousemove", "--window", found, str(x), str(y), "sleep", "0.005"]
    tool("xdotool", *words)


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


class Picture:
    """What a window shows, read from what xwd writes: lines of pixels, each with blue, green, red and a byte more."""

    def __init__(self, dump):
        header = struct.unpack(">25I", dump[:100])
        self.width, self.height, stride = header[4], header[5], header[12]
        begin = header[0] + 12 * header[19]
        self.rows = [dump[at:at + 4 * self.width] for at in range(begin, begin + stride * self.height, stride)]

    def at(self, x, y):
        blue, green, red = self.rows[y][4 * x:4 * x + 3]
        return red, green, blue

    def places(self, colour, y, left):
        """The columns from `left` on in which a row has that colour."""
        wanted, row, at = bytes(reversed(colour)), self.rows[y], 4 * left
        while (at := row.find(wanted, at)) >= 0:
            if at % 4 == 0:
                yield at // 4
            at += 1


def still_dump_of(found):
    """What the window shows as soon as it no longer changes. One that has just been opened may not be there to look at
    yet."""
    before = None
    for _ in range(50):
        dump = dump_of(found)
        if dump and dump == before:
            return dump
        before = dump
        time.sleep(0.1)
    raise SystemExit(f"{name}: paused, and what it shows still changes")


def dump_at_rest(found):
    """The same, once it has not changed for half a second: some windows compute what they show while they show it."""
    before = still_dump_of(found)
    for _ in range(40):
        time.sleep(0.5)
        dump = still_dump_of(found)
        if dump == before:
            return dump
        before = dump
    raise SystemExit(f"{name}: paused, and what it shows still changes")


def picture_of(found):
    return Picture(still_dump_of(found))


def handles(picture, left):
    """The sliders' handles in the panel from column `left` on: (x, y) of the middle of each upper end."""
    return [(x + 1, y) for y in range(1, picture.height) for x in picture.places(HANDLE, y, left)
            if picture.at(x, y - 1) != HANDLE and picture.at(x - 1, y) != HANDLE]


def drag_slider(found):
    """Drags the panel's first slider, which must move as far as the mouse, and draw nothing."""
    before = picture_of(found)
    left = next(before.places(PANEL, 0, 0), None)
    if left is None:
        raise SystemExit(f"{name}: its window has no panel of parameters")
    if not handles(before, left):  # this chapter adds choices alone
        tool("xdotool", "key", "j")
        before = picture_of(found)
    x, y = handles(before, left)[0]
    to = x + 60 if x + 70 < before.width else x - 60
    tool("xdotool", "mousemove", "--window", found, str(x), str(y + 8))
    before = Picture(dump_at_rest(found))  # without what hovering over the fluid shows
    tool("xdotool", "mousedown", "1")
    move(found, [(x + (to - x) * k // 12, y + 8) for k in range(1, 13)])
    tool("xdotool", "mouseup", "1")
    after = picture_of(found)
    if not any(abs(here - to) <= 4 and abs(up - y) <= 1 for here, up in handles(after, left)):
        raise SystemExit(f"{name}: a slider that is dragged from {x} to {to} is not there: "
                         f"{handles(after, left)}")
    above = before.height * 6 // 10  # the fluid, without the text
    drawn = sum(before.at(column, row) != after.at(column, row) for row in range(above)
                if before.rows[row][:4 * left] != after.rows[row][:4 * left] for column in range(left))
    if drawn > 0.002 * above * left:
        raise SystemExit(f"{name}: dragging a slider changes {drawn} pixels of the fluid")


def button_row(picture):
    """A row of pixels within the first line of the scenes' buttons, below the marked one's edge and above all letters.
    None if the picture has no buttons."""
    for y in range(30):
        if any(picture.at(x, y) in (BUTTON, PRESENT) for x in range(picture.width // 4)):
            return y + 1
    return None


def buttons(picture):
    """The scenes' buttons in the first line of their row, from left to right: (left, right, whether it is marked)."""
    found, begin, before = [], 0, None
    y = button_row(picture)
    if y is None:
        return []
    for x in range(picture.width):
        colour = picture.at(x, y)
        if colour == PANEL:
            break
        if colour != before:
            if before in (BUTTON, PRESENT) and x - begin > 8:
                found.append((begin, x, before == PRESENT))
            begin = x
        before = colour
    return found


def click_scene(found):
    """Clicks a scene in the row that is not the present one: it begins, and is marked."""
    before = picture_of(found)
    for _ in range(20):
        if button_row(before) is not None:
            break
        time.sleep(0.5)  # a picture that takes long to draw does not change meanwhile
        before = picture_of(found)
    row = buttons(before)
    if len(row) < 2:
        raise SystemExit(f"{name}: its window has no row of scenes: {row}")
    at = next(k for k, button in enumerate(row) if not button[2])
    left, right, _ = row[at]
    tool("xdotool", "mousemove", "--window", found, str((left + right) // 2), str(button_row(before) + 4), "click", "1")
    wait_until(lambda: [k for k, button in enumerate(buttons(picture_of(found))) if button[2]] == [at],
               f"scene {at} of {row} was clicked, and is marked", 20)


def unfold(found):
    """Opens the line of the parameters from earlier chapters by its key, and closes it: the panel changes, and back."""
    tool("xdotool", "mousemove", "--window", found, "150", "200")
    before = picture_of(found)
    left = next(before.places(PANEL, 0, 0))

    def panel():  # the text tells how fast pictures are made, and a picture may take long
        return [row[4 * left:] for row in picture_of(found).rows]

    def sliders():
        return len(handles(picture_of(found), left))

    folded, shown = panel(), sliders()
    tool("xdotool", "key", "j")
    wait_until(lambda: panel() != folded, "J shows the parameters from earlier chapters")
    tool("xdotool", "key", "j")
    wait_until(lambda: sliders() == shown, "J hides the parameters from earlier chapters again")


def stands_still():
    """With --steps 0 a window shows the beginning, and time does not pass."""
    window, found = open_window("--steps", "0", "--scene", "drag", "--n", "16")
    wait_until(lambda: buttons(picture_of(found)), "something is in the window")
    def fluid():
        picture = picture_of(found)
        return picture.rows[:picture.height * 6 // 10]  # the text below tells how fast pictures are made

    before = fluid()
    time.sleep(1)
    if fluid() != before:
        raise SystemExit(f"{name}: --steps 0, and time passes")
    close(window, lambda: tool("xdotool", "key", "Escape"))


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
        window, found = open_window("--keys", ".", *(["--n", "48"] if shape == "cube" else []), *FLAGS.get(name, []))
        time.sleep(0.5)
        wait_until(lambda: any(dump_of(found)[5000:]), "something is on the screen")
        tool("xdotool", "mousemove", "--window", found, "150", "200")
        time.sleep(0.3)

        def changes(action, what):
            before = dump_of(found)
            action()
            wait_until(lambda: dump_of(found) not in (before, b""), what)

        def move_about():
            """Through the fluid, and back: what hovering shows is then what it was."""
            move(found, [(150 + 10 * k, 200 + 6 * k) for k in range(20)])
            move(found, [(340 - 20 * k, 314 + 24 * k) for k in range(1, 13)])  # to where water lies
            move(found, [(150, 200)])

        def drag(button):
            tool("xdotool", "mousedown", button)
            move_about()
            tool("xdotool", "mouseup", button)

        def hover():
            """Looks at a place after the other, until one is in the fluid: boxes are not all of one form."""
            before = dump_of(found)
            for x, y in ((300, 333), (200, 220), (440, 220)):
                tool("xdotool", "mousemove", "--window", found, str(x), str(y))
                time.sleep(0.3)
                if dump_of(found) != before:
                    return

        tool("xdotool", "mousedown", "1")
        picture_of(found)  # with what the press alone draws
        changes(move_about, "dragging changes the screen")
        tool("xdotool", "mouseup", "1")
        if not name.startswith("01"):
            changes(lambda: drag("3"), "dragging with the right button changes the screen")
            if shape == "square":  # elsewhere, a chapter may have its own way to show velocity
                changes(lambda: tool("xdotool", "key", "v"), "V hides the arrows")
            if any(not parameter.get("from_earlier") for parameter in facts["parameters"]):
                changes(lambda: tool("xdotool", "key", "Tab"), "Tab chooses another parameter")
                changes(lambda: tool("xdotool", "key", "plus"), "+ changes it")
            changes(lambda: tool("xdotool", "key", "f"), "F shows another field")
            tool("xdotool", "mousemove", "--window", found, "150", "200")
            drag_slider(found)
            if any(parameter.get("from_earlier") for parameter in facts["parameters"]):
                unfold(found)
        click_scene(found)
        tool("xdotool", "mousemove", "--window", found, "150", "200")
        changes(lambda: tool("xdotool", "key", "period"), ". takes one step")
        changes(hover, "hovering")
        changes(lambda: tool("xdotool", "key", "r"), "R begins again")
        tool("xdotool", "click", "4")  # the wheel, and the middle button: not for all, but no harm
        tool("xdotool", "click", "5")
        drag("2")
        if tries_all:
            # The window finishes drawing before each key. Else help might be shown only after the second one, which
            # hides it at once, and no change would be seen.
            dump_at_rest(found)
            changes(lambda: tool("xdotool", "key", "h"), "H shows help")
            dump_at_rest(found)
            changes(lambda: tool("xdotool", "key", "h"), "H hides it")
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

        if tries_all:
            stands_still()

            # Running: time passes by itself; results are written.
            size = {"square": "64", "cube": "24", "box": "24"}[shape]
            window, found = open_window("--n", size, "--scene", "drag", "--save", "end.csv", "--png",
                                        "end.png", "--steps", "3000")  # more than it makes here
            if shape == "box":  # it may begin paused
                before, end = dump_of(found), time.time() + 5
                while dump_of(found) == before and time.time() < end:
                    time.sleep(0.2)
                if dump_of(found) == before:
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
