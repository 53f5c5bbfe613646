"""A display of its own for tests that open windows, and a reader who presses keys in them."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path


def skip_without(*tools):
    """Ends the test with 77, which CTest reports as skipped, where one of these tools is not there."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)} here")
        sys.exit(77)


def open_display(size="1500x1500"):
    """Starts Xvfb. Returns its process, and the environment in which programs open windows there. The screen is as high
    as it is wide: without a window manager, SFML 2.5 puts windows in the middle of such a screen."""
    read_end, write_end = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write_end), "-noreset", "-screen", "0", f"{size}x24"],
                              pass_fds=[write_end], stderr=subprocess.DEVNULL)
    os.close(write_end)
    display = os.read(read_end, 20).decode().strip()
    # What a graphics driver leaves unfreed is not ours to find in a sanitizer build.
    return server, {**os.environ, "DISPLAY": f":{display}", "LIBGL_ALWAYS_SOFTWARE": "1",
                    "ASAN_OPTIONS": "detect_leaks=0"}


class Reader:
    """Runs a chapter's program with a window, which is paused after its first step, and without one. What both save can
    be compared byte for byte. Files are written where the test stands. `place` is where the mouse is in the window."""

    def __init__(self, program, environment, place):
        self.program, self.environment, self.place = program, environment, place
        self.name = Path(program).stem
        self.problems = []

    def check(self, good, what):
        if not good:
            self.problems.append(what)

    def finish(self, what):
        """Prints the problems and ends with 1, or prints what has been seen."""
        for problem in self.problems:
            print(f"FAILED: {problem}")
        if self.problems:
            sys.exit(1)
        print(f"{self.name}: {what}")

    def headless(self, *flags):
        """The state after a run without a window."""
        subprocess.run([self.program, "--headless", *flags, "--save", "headless.csv"], check=True, timeout=300)
        return Path("headless.csv").read_bytes()

    def window(self, *flags, acts=()):
        """The state of a window, opened with these flags, that is closed after these acts: a number of steps, or a key's
        or a button's name for xdotool."""
        running = subprocess.Popen([self.program, *flags, "--keys", ".", "--save", "window.csv"], env=self.environment)
        search = ("search", "--name", f"^{self.name}")
        end = time.time() + 60
        while self._tool(*search).returncode != 0:
            if running.poll() is not None or time.time() > end:
                running.kill()
                raise SystemExit(f"{self.name}: its window does not open")
            time.sleep(0.1)
        found = self._tool(*search).stdout.split()[0]
        self._tool("windowfocus", "--sync", found)
        self._tool("mousemove", "--window", found, *map(str, self.place))
        for act in acts:
            if isinstance(act, int):
                self._tool("key", *["period"] * act)
            elif act.startswith("button"):
                self._tool("click", act[-1])
            else:
                self._tool("key", act)
        self._tool("key", "Escape")
        try:
            running.wait(timeout=60)
        except subprocess.TimeoutExpired:
            running.kill()
            raise SystemExit(f"{self.name}: its window does not close") from None
        return Path("window.csv").read_bytes()

    def _tool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=60)
