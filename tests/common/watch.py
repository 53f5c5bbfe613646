"""Drives `workbook watch` as a reader does, who writes 03_advect with the window open: in a terminal, on a display.

usage: watch.py --build FOLDER [--config NAME]
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "book"))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from book import find, finish
from display import open_display, skip_without
from start import start_text

skip_without("Xvfb", "xdotool")
import termios  # which Windows has not

CHAPTER = find("03")
RIGHT = CHAPTER.path("solver.hpp").read_text(encoding="utf-8")
FIRST_LINE = "const float dt0 = dt * N;"  # of advect, where N is known
PATIENCE = 240  # seconds: nothing here takes that long, however busy the machine is

problems = []


def check(good, what):
    if not good:
        problems.append(what)


def advect_begins(code):
    """Our solver, where `advect` begins with this."""
    assert RIGHT.count(FIRST_LINE) == 1
    return RIGHT.replace(FIRST_LINE, f"{code}\n    {FIRST_LINE}")


class Reader:
    """The terminal in which `watch` runs, the display, and the reader's file."""

    def __init__(self, options, folder, environment, has_terminal=True):
        self.environment = {**environment, "TMPDIR": str(folder)}
        self.folder = folder
        self.file = Path(options.build).resolve() / "mine" / "reader" / CHAPTER.folder / "solver.hpp"
        self.terminal, self.end = os.openpty()
        self.modes = termios.tcgetattr(self.end)
        words = [sys.executable, ROOT / "common" / "book" / "watch.py", CHAPTER.folder, "--build", options.build,
                 "--config", options.config, "--mine", self.file.parents[1], "--prefix", "reader"]
        self.watch = subprocess.Popen([str(word) for word in words],
                                      stdin=self.end if has_terminal else subprocess.DEVNULL, stdout=self.end,
                                      stderr=self.end, env=self.environment, start_new_session=True,
                                      preexec_fn=self.own_terminal if has_terminal else None)
        self.said, self.read = "", 0
        threading.Thread(target=self.listen, daemon=True).start()

    def own_terminal(self):
        """Runs in the child: Ctrl-C in this terminal is for it."""
        import fcntl
        fcntl.ioctl(self.end, termios.TIOCSCTTY, 0)

    def listen(self):
        while True:
            try:
                self.said += os.read(self.terminal, 4096).decode("utf-8", "replace").replace("\r\n", "\n")
            except OSError:
                return

    def sees(self, *patterns):
        """Waits until these have been said, in any order. Returns what was said up to the last of them."""
        until = time.monotonic() + PATIENCE
        while True:
            news = self.said[self.read:]
            found = [re.search(pattern, news, flags=re.M) for pattern in patterns]
            if all(found):
                end = max(one.end() for one in found)
                self.read += end
                return news[:end]
            if time.monotonic() > until or self.watch.poll() is not None:
                time.sleep(0.5)  # until the terminal's last words are read, too
                news = self.said[self.read:]
                missing = [pattern for pattern, one in zip(patterns, found) if not one]
                raise SystemExit(f"FAILED: watch does not say {missing}, but: {news}")
            time.sleep(0.05)

    def types(self, keys):
        os.write(self.terminal, keys.encode())

    def saves(self, text):
        self.file.write_text(text, encoding="utf-8")

    def tool(self, *words):
        return subprocess.run(["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True,
                              timeout=60)

    def window(self):
        """What names the chapter's window, or nothing."""
        return self.tool("search", "--name", f"^{CHAPTER.folder}").stdout.strip()

    def focuses(self):
        self.tool("windowfocus", "--sync", self.window())
        self.tool("mousemove", "--window", self.window(), 150, 200)

    def draws(self):
        self.tool("mousedown", 1)
        for k in range(12):
            self.tool("mousemove", "--window", self.window(), 150 + 20 * k, 200 + 10 * k)
        self.tool("mouseup", 1)

    def draws_until_seen(self):
        """Draws until the fluid that is saved has dye: on a busy machine a window may not listen yet."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            self.focuses()
            self.draws()
            if most_dye(self.state_after(self.last_saved())) > 0.1:
                return
        check(False, "nothing was drawn")

    def closes_window(self):
        """Presses Escape until the window is gone."""
        until = time.monotonic() + PATIENCE
        while self.window() and time.monotonic() < until:
            self.focuses()
            self.tool("key", "Escape")
            time.sleep(1)

    def kept(self):
        """The folder through which the programs are connected."""
        return next(self.folder.glob("workbook_watch_*"))

    def last_saved(self):
        """The name of the folder to which the fluid was saved last, or nothing before that."""
        last = self.kept() / "last"
        return last.read_text() if last.is_file() else ""

    def state(self):
        """The panel and the fluid as they were saved last, and which of two folders has the fluid."""
        last = (self.kept() / "last").read_text()
        return (self.kept() / "panel").read_text(), (self.kept() / last / "state.csv").read_text(), last

    def state_after(self, last):
        """The same, once it has been saved to the other folder."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if self.last_saved() != last:
                return self.state()
            time.sleep(0.05)
        raise SystemExit("FAILED: the fluid is not saved")

    def running(self):
        """The processes that work for this reader, by their command lines."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().decode(errors="replace").replace("\0", " ")
            except OSError:
                continue
            if str(self.folder) in words or str(self.file.parents[3]) in words and "_reader_" in words:
                found.append(words)
        return found


def most_dye(state):
    """The dye of the fullest cell."""
    return max(float(line.split(",")[2]) for line in state[1].splitlines()[1:])


def writes(reader):
    """From the start file to the last test, and the fluid goes on."""
    said = reader.sees(r"Your solver is in the window", r"Left to write: .*")
    check("Left to write: source_at, advect" in said and re.search("FAILS +03_advect", said), f"the start file: {said}")
    reader.types("n")
    reader.sees(f"Chapter {CHAPTER.number} is not done yet")
    reader.draws_until_seen()
    reader.tool("key", "plus", "v", "space")  # paused, with another fade rate and no arrows
    reader.saves(RIGHT)
    said = reader.sees("Your solver is in the window", "n goes on with it")
    check(f"All 23 tests pass: chapter {CHAPTER.number} is done" in said and "Next is 04" in said, f"all written: {said}")

    reader.state_after(reader.state()[2])
    before = reader.state_after(reader.state()[2])  # this program has saved it once, and once more
    check(re.search(r"^parameter density_fade_rate 0\.", before[0], flags=re.M), f"the panel is {before[0]}")
    check(re.search(r"^screen 0 0 0 0 1$", before[0], flags=re.M), f"neither arrows nor pause are in {before[0]}")
    check(most_dye(before) > 0.1, "nothing was drawn")
    reader.saves(RIGHT + "// a comment\n")
    reader.sees("Your solver is in the window", "n goes on with it")
    after = reader.state_after(reader.state_after(reader.state()[2])[2])
    check(after[:2] == before[:2], "another program with the same solver has another fluid, or another panel")
    reader.types("r")
    emptied = reader.state_after(reader.state_after(reader.state()[2])[2])
    check(emptied[0] == before[0] and most_dye(emptied) == 0, "r does not reset the fluid, or it resets the panel")


def breaks(reader):
    """A save that does not compile, and one that does again."""
    window, solver = reader.window(), [words for words in reader.running() if "/solver_" in words]
    reader.saves(advect_begins("const int i = \"one\";"))
    said = reader.sees("does not compile.*\n.*\n.*\n")
    lines = [line.strip() for line in said.splitlines()[-3:]]
    number = RIGHT[:RIGHT.index(FIRST_LINE)].count("\n") + 1
    check("the window goes on" in lines[0] and re.match(rf"line {number} of .*/solver\.hpp: .*const char", lines[1])
          and lines[2] == "const int i = \"one\";", f"a save that breaks says {lines}")
    check(reader.window() == window and window, "the window does not stay open")
    check(solver and [words for words in reader.running() if "/solver_" in words] == solver,
          f"the solver before does not go on: {solver}, but {reader.running()}")
    reader.saves(RIGHT)
    reader.sees("Your solver is in the window", "is done")


def crashes(reader):
    """A segmentation fault, and an endless loop: window and watch live."""
    status = Path(f"/proc/{reader.watch.pid}/status").read_text()
    ignored = int(re.search(r"^SigIgn:\s*(\w+)", status, flags=re.M)[1], 16)
    check(ignored >> (signal.SIGPIPE - 1) & 1, "SIGPIPE ends watch if a solver crashes while it is told something")
    window = reader.window()
    reader.tool("key", "space")  # time passes
    reader.saves(advect_begins("int* nowhere = nullptr; *const_cast<int volatile*>(nowhere) = N;"))
    reader.sees(r"^Your solver crashed \(segmentation fault\) in step \d+: the window waits for your next save$",
                "FAILS +03_advect +breaks off")
    reader.saves(advect_begins("for (volatile int k = 0; k < 1; k = 0) {\n    }"))
    reader.sees(r"^Your solver runs on and on in step \d+: the window waits for your next save$")
    check(reader.window() == window, "the window does not outlive the solver")
    reader.saves(RIGHT)
    said = reader.sees("Your solver is in the window", "is done")
    check("The fluid goes on from step" in said, f"after a crash and an endless loop: {said}")
    check(reader.window() == window, "the window is not the same one")


def editors(reader):
    """Several saves, a rename, and a moment without contents."""
    reader.saves(RIGHT.replace("struct Fluid {", "struct Fluid {\n    int further = 0;"))  # nearly all is compiled anew
    reader.sees("building mine|building .*solver.hpp")
    for k in range(4):
        reader.saves(RIGHT + f"// {k}\n")
        time.sleep(0.2)
    said = reader.sees("Your solver is in the window", "is done")
    check(said.count(" building ") == 1, f"four saves during a build: {said}")

    new = reader.file.with_name("solver.new")
    new.write_text(RIGHT + "// renamed\n", encoding="utf-8")
    os.replace(new, reader.file)
    reader.sees("Your solver is in the window", "is done")
    reader.saves("")
    time.sleep(0.3)
    reader.saves(RIGHT)
    said = reader.sees("Your solver is in the window", "is done")
    check(said.count(" building ") == 1 and "compile" not in said, f"a file that is empty for a moment: {said}")


def closes(reader):
    """The reader closes the window, goes on without, and opens it again; and ends it all by Ctrl-C."""
    reader.types("h")
    reader.sees("Hint 1 of 2: why are there two fields")
    reader.closes_window()
    reader.sees("The window is closed")
    reader.saves(RIGHT + "// alone\n")
    said = reader.sees("is done")
    check("in the window" not in said and not reader.window(), f"without its window: {said}")
    reader.types("w")
    reader.sees("Your solver is in the window", "is done")
    check(reader.window(), "w does not open the window again")
    reader.types("\x03")
    check(reader.watch.wait(timeout=PATIENCE) == 130, f"after Ctrl-C: status {reader.watch.returncode}")
    check(not reader.running(), f"Ctrl-C leaves running: {reader.running()}")
    check(termios.tcgetattr(reader.end) == reader.modes, "Ctrl-C leaves the terminal in another mode")
    check("Traceback" not in reader.said, f"watch says {reader.said}")


def without_display(options, folder):
    """Without a display and without a terminal it tests, until it is told to end."""
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    reader = Reader(options, folder, environment, has_terminal=False)
    said = reader.sees("is done")
    check("There is no display here" in said and "Keys:" not in said, f"without a display: {said}")
    reader.watch.send_signal(signal.SIGTERM)
    check(reader.watch.wait(timeout=PATIENCE) == 128 + signal.SIGTERM, f"after SIGTERM: {reader.watch.returncode}")
    check(not reader.running(), f"SIGTERM leaves running: {reader.running()}")


parser = argparse.ArgumentParser()
parser.add_argument("--build", required=True)
parser.add_argument("--config", default="Release")
options = parser.parse_args()
server, environment = open_display()
with tempfile.TemporaryDirectory() as folder:
    try:
        reader = None
        file = Path(options.build) / "mine" / "reader" / CHAPTER.folder / "solver.hpp"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(start_text(CHAPTER), encoding="utf-8")
        reader = Reader(options, Path(folder), environment)
        for act in (writes, breaks, crashes, editors, closes):
            act(reader)
        without_display(options, Path(folder))
    finally:
        if reader and reader.watch.poll() is None:
            reader.watch.terminate()
            reader.watch.wait(timeout=PATIENCE)
        server.terminate()
        server.wait()
finish("watch", problems)
