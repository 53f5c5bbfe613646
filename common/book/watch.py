"""Watches the reader's own solver, mine/<chapter>/solver.hpp. Each time it is saved, it is compiled and tested, and
takes the place of the one before in the chapter's window, where the fluid goes on.

usage: watch.py CHAPTER --build FOLDER [--config NAME] [--mine FOLDER] [--prefix NAME]
  --mine, --prefix   where the reader's files lie, and what their targets are called: for the tests of this script

Three kinds of process work together, and this one connects them. The window (common/watch/host.cpp) stays open for as
long as the reader wants. The chapter's program with the reader's solver makes the pictures that it shows; it may crash
or hang, and is replaced whenever a new one is built. It leaves its fluid and its panel in a folder for the next one
(common/watch/watched.cpp). Compilers and tests run beside them, for one saved file at a time.
"""

import argparse
import errno
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, find, manifest
from check import (Stopped, explain, fail, first_error, from_root, just, progress, read_plan, run_tests,
                   seconds_computed, types_gone)
from functions import NotReadable
from progress import MINE, is_done, left_to_write, record, text_of
from two_parts import in_one_part, in_two_parts

SECONDS_BETWEEN_LOOKS = 0.05  # at the reader's file
SECONDS_TO_ANSWER = 2  # that the reader's solver may compute before it shows another picture
SECONDS_TO_WAIT = 10  # that it may neither answer nor compute
SECONDS_TO_END = 2  # that a program may take to save its fluid when another one takes its place
SECONDS_EMPTY = 1  # that the file may be empty, or gone, while an editor saves it
MOST_SECONDS_OF_TESTS = 20  # that the tests of an idea may compute
LEAST_SECONDS_OF_TESTS = 5
SECONDS_OF_SLOW_TEST = 0.4
MOST_PRINTED = 10  # lines of what the solver prints, between two saves
NO_DISPLAY = 3  # the window's status
HINT = re.compile(r"<summary>Hint: (.*?)</summary>\s*(.*?)\s*</details>", flags=re.S)
KEYS = "Keys: h hint, d your file beside ours, r reset the fluid, n next chapter, w window, q quit"
POSIX = os.name == "posix"
APART = {"start_new_session": True} if POSIX else {}  # so that Ctrl-C reaches this process alone


def say(words=""):
    print(words, flush=True)


def end(process, seconds=0.0):
    """Waits that long for a process to end, and then ends it and whatever it has started. A compiler or make that is
    asked to end removes what it has not finished."""
    for number in ([None, signal.SIGTERM, signal.SIGKILL] if POSIX else [None, signal.SIGTERM]):
        try:
            if number and POSIX:
                os.killpg(process.pid, number)
            elif number:
                process.kill()
            process.wait(timeout=SECONDS_TO_END if number else seconds)
            return
        except ProcessLookupError:
            process.wait()
            return
        except subprocess.TimeoutExpired:
            pass


# ---- The reader's file ---------------------------------------------------------------------------

class File:
    """The reader's file, as an editor leaves it: it may be renamed, written twice, or empty for a moment."""

    def __init__(self, path):
        self.path = path
        self.stamp, self.looked_at, self.changed_at = None, 0.0, time.monotonic()
        self.text, self.unsettled, self.is_gone = None, False, False

    def new_text(self):
        """What the reader has saved since the last call, or None. A text counts once it stays for two looks."""
        now = time.monotonic()
        if now - self.looked_at < SECONDS_BETWEEN_LOOKS:
            return None
        self.looked_at = now
        stamp = self.stamp_now()
        if stamp != self.stamp:
            self.stamp, self.changed_at, self.unsettled = stamp, now, True
            return None
        if not self.unsettled:
            return None
        text = self.read()
        if not (text or "").strip() and now - self.changed_at < SECONDS_EMPTY:
            return None
        self.unsettled = False
        if text is None:
            if not self.is_gone:
                say(f"{from_root(self.path)} is gone; watch goes on when it is there again")
            self.is_gone = True
            return None
        self.is_gone = False
        if text == self.text:
            return None
        self.text = text
        return text

    def stamp_now(self):
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def read(self):
        try:
            return self.path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None


# ---- What a save sets going ----------------------------------------------------------------------

class Round:
    """All that follows from one saved text: it is built and tested. It runs in a thread, and tells `happened` what the
    main one has to know. Once it is to stop, since a newer text waits, it ends as soon as its program is built."""

    def __init__(self, watch, text, saved_at):
        self.watch, self.text, self.saved_at = watch, text, saved_at
        self.stop, self.process, self.gives_way = threading.Event(), None, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def tell(self, what, *more):
        self.watch.happened.put((what, self, *more))

    def end_soon(self):
        self.stop.set()
        if self.gives_way and self.process.poll() is None:
            end(self.process)

    def seconds(self):
        """Since the file was saved."""
        return f"{time.monotonic() - self.saved_at:.1f} s"

    def run(self):
        try:
            if self.builds() and not self.stop.is_set():
                self.tell("round_built")
                self.test()
        except Stopped:
            pass
        except OSError as problem:
            self.tell("round_failed", [f"{problem.filename}: {problem.strerror}"])
        finally:
            self.tell("round_ended")

    def builds(self):
        """Whether the program and the tests are built. If not, says why in three lines."""
        plan, name = self.watch.plan, self.watch.name
        chapter, file = self.watch.chapter, self.watch.file.path
        gone = types_gone(self.watch.reference, self.text)
        if gone:
            self.tell("round_failed", [f"{from_root(file)} has no struct {gone[0]} any more"])
            return False
        targets = [f"watched_{name}"] * self.watch.has_window + [f"test_watched_{name}"]
        if not self.watch.is_whole and self.lay_down_in_two():
            good, said = self.build(targets)
            if good or self.stop.is_set():
                return good
        # Is the mistake in the reader's file? What it says of the whole file, it says of the right line.
        self.lay_down(Path(plan["watched_folder"]) / "whole.cpp", f'#line 1 "{file}"\n{self.text}\n')
        good, said = self.build([f"whole_{name}"])
        if good and not self.stop.is_set():
            header, definitions = in_one_part(self.text, file, chapter.writes)
            self.lay_down_parts(header, definitions)
            good, said = self.build(targets)
            self.watch.is_whole = self.watch.is_whole or good
        if not good and not self.stop.is_set():
            self.tell("round_failed", self.mistake(said))
        return good

    def lay_down_in_two(self):
        """Returns whether that can be done."""
        try:
            self.lay_down_parts(*in_two_parts(self.text, self.watch.reference, self.watch.file.path,
                                              self.watch.chapter.writes))
        except NotReadable:
            return False
        return True

    def lay_down_parts(self, header, definitions):
        folder = Path(self.watch.plan["watched_folder"])
        self.lay_down(folder / self.watch.chapter.writes, header)
        self.lay_down(folder / "definitions.cpp", definitions)

    def lay_down(self, path, text):
        """Writes a file, but leaves one that is the same as it is: then nothing is compiled anew."""
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    def build(self, targets, gives_way=False):
        """Builds them, and breaks off for a newer text where it gives way. Returns whether that went well, and what was
        said."""
        self.process = subprocess.Popen(
            ["cmake", "--build", self.watch.options.build, "--config", self.watch.options.config,
             "--parallel", str(os.cpu_count() or 1), "--target", *targets],
            env={**os.environ, "LC_ALL": "C", "LANGUAGE": "C"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", **APART)
        self.gives_way = gives_way
        if self.stop.is_set():
            self.end_soon()
        lines, told_at = [], time.monotonic()
        for line in self.process.stdout:
            lines.append(line)
            if time.monotonic() - told_at > 5 and not self.stop.is_set():
                self.tell("round_says", f"  building: {progress(lines)}")
                told_at = time.monotonic()
        return self.process.wait() == 0, "".join(lines)

    def mistake(self, said):
        """The first error: where it is, what it is, and the line itself."""
        place, _, words = first_error(said).partition(": ")
        found = re.fullmatch(r"(.+):(\d+)", place)
        if not found:
            return [f"{place}: {words}" if words else place]
        path, number = ROOT / found[1], int(found[2])
        if path == self.watch.file.path:
            lines = self.text.splitlines()
        else:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
        line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
        return [f"line {number} of {found[1]}: {words}", line]

    def outcome_of(self, idea, tests, choice):
        """Runs the tests of an idea. Those that took long the last time come after the others, which are told of at
        once. What does not come to its end is noticed sooner where it is known how long that takes."""
        slow, took = self.watch.durations.get(idea, ([], None))
        limit = MOST_SECONDS_OF_TESTS if took is None else max(LEAST_SECONDS_OF_TESTS, 4 * took)
        quick = []
        if slow:
            outcome = run_tests([tests], choice + "".join(f'~"{just(name)}"' for name in slow), limit, self.stop)
            if not outcome.passed:
                return outcome
            quick = outcome.cases
            self.tell("round_says", f"  so far {len(quick)} of {len(quick) + len(slow)} tests of {idea} pass "
                                    f"({self.seconds()}); the others take longer")
            choice = ",".join(f'"{just(name)}"' for name in slow)
        outcome = run_tests([tests], choice, limit, self.stop)
        outcome.cases = quick + outcome.cases
        if not outcome.timed_out and not any(case.trouble for case in outcome.cases):
            slow = [case.name for case in outcome.cases if case.seconds > SECONDS_OF_SLOW_TEST]
            self.watch.durations[idea] = (slow if len(slow) < len(outcome.cases) else [],
                                          sum(case.seconds for case in outcome.cases))
        return outcome

    def test(self):
        """Runs the tests of the chapter's idea and then, if they pass, those of the ideas before it."""
        plan, total = self.watch.plan, 0
        ideas = dict(plan["ideas"])
        own = list(ideas)[-1]
        for idea in [own, *list(ideas)[:-1]]:
            tests = plan["watched_tests" if idea == own else "watched_earlier"]
            outcome = self.outcome_of(idea, tests, ideas[idea])
            total += len(outcome.cases)
            self.tell("round_tested", idea, outcome)
            if not outcome.passed:
                return
            if idea == own and len(ideas) > 1:
                good, said = self.build([f"test_earlier_{self.watch.name}"], gives_way=True)
                if self.stop.is_set():
                    return
                if not good:
                    self.tell("round_failed", self.mistake(said))
                    return
        self.tell("round_passed", total)


# ---- The processes that are connected ------------------------------------------------------------

def started(words, **how):
    """A process. Its program may have been written just now, and a process that another thread is about to start may
    still hold it open for a moment, as it inherits all files that are open. Then it cannot be run yet."""
    for _ in range(100):
        try:
            return subprocess.Popen(words, **how)
        except OSError as problem:
            if problem.errno != errno.ETXTBSY:
                raise
            time.sleep(0.02)
    return subprocess.Popen(words, **how)


class Connected:
    """A process whose lines come in as events, and that is told lines."""

    def __init__(self, words, happened, what, environment=None):
        streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE,
                   "stderr": subprocess.STDOUT if what == "solver" else subprocess.DEVNULL}
        self.process = started([str(word) for word in words], env=environment, **streams, **APART)
        threading.Thread(target=self.listen, args=(happened, what), daemon=True).start()

    def listen(self, happened, what):
        for line in iter(lambda: self.process.stdout.readline(65536), b""):
            happened.put((f"{what}_says", self, line.decode(errors="replace").rstrip("\r\n")))
        self.process.wait()
        happened.put((f"{what}_ended", self))

    def is_running(self):
        return self.process.poll() is None

    def tell(self, line):
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass  # it has just ended, which is told by an event

    def hang_up(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass


class Solver(Connected):
    """The chapter's program with the reader's solver."""

    def __init__(self, path, folder, happened):
        super().__init__([path], happened, "solver", {**os.environ, "WORKBOOK_WATCHED": str(folder)})
        self.step, self.printed, self.has_complained = 0, 0, False
        self.waits_for_window = False
        self.answer()
        try:
            import resource
            resource.prlimit(self.process.pid, resource.RLIMIT_DATA, (4 * 2**30, 4 * 2**30))
            resource.prlimit(self.process.pid, resource.RLIMIT_CORE, (0, 0))
        except (ImportError, AttributeError, OSError, ValueError):
            pass  # elsewhere it may take what memory it wants

    def answer(self):
        """It has just shown that it is well."""
        self.answered_at, self.computed = time.monotonic(), seconds_computed(self.process)

    def is_stuck(self):
        if self.waits_for_window or not self.is_running():
            return False
        waited = time.monotonic() - self.answered_at
        if waited < SECONDS_TO_ANSWER:
            return False
        now = seconds_computed(self.process)
        return now == float("inf") or now - self.computed >= SECONDS_TO_ANSWER or waited >= SECONDS_TO_WAIT

    def why_ended(self, last_line):
        """Why it ended by itself, in words."""
        status = self.process.wait()
        if status < 0:
            try:
                return f"{signal.strsignal(-status)}".lower()
            except ValueError:
                return f"signal {-status}"
        return last_line or f"status {status}"


# ---- The terminal --------------------------------------------------------------------------------

class Keyboard:
    """The keys that the reader presses in the terminal, if there is one. They count at once, and are not shown."""

    def __init__(self, happened):
        self.before = None
        if not sys.stdin.isatty():
            return
        try:
            import termios
            import tty
        except ImportError:
            return
        self.termios, self.tty = termios, tty
        self.before = termios.tcgetattr(sys.stdin)
        self.take_over()
        signal.signal(signal.SIGCONT, lambda *_: self.take_over())  # after Ctrl-Z and fg
        threading.Thread(target=self.listen, args=(happened,), daemon=True).start()

    def take_over(self):
        self.tty.setcbreak(sys.stdin)

    def listen(self, happened):
        while True:
            try:
                key = os.read(sys.stdin.fileno(), 1).decode(errors="replace")
            except OSError:
                key = ""
            happened.put(("key_pressed", key or "q"))
            if not key:  # the terminal is gone
                return

    def give_back(self):
        if self.before:
            try:
                self.termios.tcsetattr(sys.stdin, self.termios.TCSADRAIN, self.before)
            except self.termios.error:
                pass  # the terminal is gone


# ---- The whole -----------------------------------------------------------------------------------

class Watch:
    def __init__(self, options, chapter, folder, has_keys):
        self.options, self.folder = options, Path(folder)
        self.happened = queue.Queue(maxsize=10000)
        self.window, self.solver, self.count = None, None, 0
        self.mouse = None  # where it is, for the next solver
        self.has_window = not sys.platform.startswith("linux") or bool(os.environ.get("DISPLAY"))
        self.leaving, self.has_keys = False, has_keys
        (self.folder / "picture").touch()
        self.begin(chapter)
        if not self.has_window:
            self.say_no_display()

    def begin(self, chapter):
        """Begins with a chapter."""
        self.chapter = chapter
        self.name = f"{self.options.prefix}_{chapter.folder}"
        self.plan = read_plan(self.options.build, self.options.config, chapter.folder, self.options.prefix)
        self.file = File(self.options.mine / chapter.folder / chapter.writes)
        self.reference = chapter.path(chapter.writes).read_text(encoding="utf-8")
        self.round, self.pending, self.is_whole = None, None, False
        self.durations = {}  # for each idea, the names of the slow tests, and how long all of them took
        self.program, self.program_round = None, None  # the last that was built, and when
        self.step, self.is_set_back, self.hints_shown = 0, False, 0
        self.forget_fluid()
        (self.folder / "panel").unlink(missing_ok=True)
        say(f"{chapter.number} · {chapter.title}: {from_root(self.file.path)}")
        say(f"The lesson is chapters/{chapter.folder}/README.md")
        self.say_left("To write", self.file.read() or "")
        if self.has_keys:
            say(KEYS)

    def forget_fluid(self):
        (self.folder / "last").unlink(missing_ok=True)

    def run(self):
        while not self.leaving:
            self.look_at_file()
            self.look_at_solver()
            try:
                what, *more = self.happened.get(timeout=SECONDS_BETWEEN_LOOKS)
            except queue.Empty:
                continue
            getattr(self, what)(*more)

    def end_all(self):
        """Leaves nothing running."""
        if self.round:
            self.round.stop.set()
            if self.round.process:
                end(self.round.process)
            self.round.thread.join(timeout=5)  # until it has ended the tests
        solver, self.solver = self.solver, None
        if solver:
            end(solver.process)
        self.close_window()

    # A save, and what follows from it.

    def look_at_file(self):
        text = self.file.new_text()
        if text is not None:
            self.build(text)

    def build(self, text):
        """Builds this text: at once, or as soon as what is being built is built."""
        self.pending = text, self.file.changed_at
        if self.round:
            self.round.end_soon()
        else:
            self.begin_round()

    def begin_round(self):
        (text, saved_at), self.pending = self.pending, None
        say()
        if not Path(self.plan["watched_tests"]).is_file():
            say("The first build of a chapter takes about a minute, and after that some seconds.")
        say(f"{time.strftime('%H:%M:%S')}  building {from_root(self.file.path)} ...")
        if self.solver:
            self.solver.printed = 0
        self.round = Round(self, text, saved_at)

    def round_ended(self, one):
        if one is not self.round:
            return
        self.round = None
        if self.pending is not None:
            self.begin_round()

    def round_says(self, one, words):
        if not one.stop.is_set():
            say(words)

    def round_failed(self, one, lines):
        if one.stop.is_set():
            return
        goes_on = ": the window goes on with the solver before" if self.solver else ""
        say(f"  It does not compile{goes_on} ({one.seconds()})")
        for line in lines:
            say(f"    {line[:200]}")

    def round_built(self, one):
        if not one.stop.is_set() and self.has_window:
            self.program_round = one
            self.take_up(Path(self.plan["watched"]))

    def round_tested(self, one, idea, outcome):
        if one.stop.is_set():
            return
        count = len(outcome.cases)
        if outcome.passed:
            say(f"  passes  {idea:12}  {count} test{'s' * (count != 1)} ({one.seconds()})")
            return
        if outcome.timed_out:
            what = "runs on and on"
        elif any(case.trouble for case in outcome.cases) or not outcome.cases:
            what = "breaks off"
        else:
            what = f"{len(outcome.failed)} of {count} tests"
        say(f"  FAILS   {idea:12}  {what} ({one.seconds()})")
        explain(idea, outcome, [name for name, _ in self.plan["ideas"]], from_root(self.file.path))
        self.say_left("Left to write", one.text)

    def say_left(self, words, text):
        """The functions that are still as `start` has laid them down."""
        try:
            left = left_to_write(self.chapter, text)
        except NotReadable:
            return
        if left:
            say(f"{words}: {', '.join(left)}")

    def round_passed(self, one, total):
        if one.stop.is_set():
            return
        record(self.file.path.parent, one.text)
        say(f"All {total} tests pass: chapter {self.chapter.number} is done")
        following = self.next_chapter()
        if following:
            say(f"Next is {following.number} · {following.title}. It adds {', '.join(following.adds)}. "
                "n goes on with it")

    # The window, and the solver in it.

    def take_up(self, built):
        """Lets a program that was just built take the place of the one that runs. It is a copy of it that runs, since
        the next build overwrites it."""
        self.end_solver()
        self.count += 1
        self.program = self.folder / f"solver_{self.count % 2}{built.suffix}"
        self.program.unlink(missing_ok=True)
        shutil.copy2(built, self.program)
        self.begin_solver()

    def begin_solver(self):
        if self.window is None:
            self.window = Connected([self.plan["window"], self.folder], self.happened, "window")
        self.is_new = True
        self.last_printed = ""
        self.solver = Solver(self.program, self.folder, self.happened)

    def close_window(self):
        old, self.window = self.window, None
        if old:
            old.hang_up()
            end(old.process, SECONDS_TO_END)

    def end_solver(self):
        """Lets the program that runs save its fluid, and end."""
        old, self.solver = self.solver, None
        if old and old.is_running():
            self.step = old.step
            old.tell("shown")
            old.tell("close")
            end(old.process, SECONDS_TO_END)

    def look_at_solver(self):
        if self.solver and self.solver.is_stuck():
            stuck, self.solver = self.solver, None
            end(stuck.process)
            self.is_set_back = True
            say(f"Your solver runs on and on in step {stuck.step + 1}: the window waits for your next save")

    def solver_says(self, one, line):
        """A line of the program. What the solver prints comes before the character that begins ours."""
        printed, is_ours, ours = line.partition("\x1e")
        if one is not self.solver:
            return
        if printed:
            self.last_printed = printed
            one.printed += 1
            if one.printed <= MOST_PRINTED:
                say(f"  Your solver prints: {printed[:200]}")
            elif one.printed == MOST_PRINTED + 1:
                say("  and more, which is not shown")
        if is_ours:
            what, _, rest = ours.partition(" ")
            self.solver_tells(one, what, rest)

    def solver_tells(self, one, what, rest):
        if what == "step":
            one.step = int(rest)
        elif what in ("open", "picture"):
            one.waits_for_window = what == "picture"
            one.answer()
            self.window.tell(f"{what} {rest}")
            if what == "open" and self.mouse:
                one.tell(self.mouse)
            if what == "picture" and self.is_new:
                self.is_new = False
                say(f"  Your solver is in the window ({self.program_round.seconds()})")
        elif what == "goes_on":
            one.step = int(rest)
            if self.is_set_back or one.step < self.step:
                say(f"  The fluid goes on from step {rest}, the last that was saved")
            self.is_set_back = False
        elif what == "anew":
            say(f"  The fluid begins anew: {rest}")
        elif what == "unsaved" and not one.has_complained:
            one.has_complained = True
            reason = re.search(r"cannot be written \((.*)\)$", rest)
            say(f"  Your fluid is not saved as it is now: {reason[1] if reason else rest}")

    def solver_ended(self, one):
        if one is not self.solver:
            return
        self.solver = None
        self.is_set_back = True
        say(f"Your solver crashed ({one.why_ended(self.last_printed)}) in step {one.step + 1}: "
            "the window waits for your next save")

    def window_says(self, one, line):
        """A line of the window. What the reader does in it goes to the solver."""
        if line.startswith(("move ", "leave")):
            self.mouse = line
        if one is not self.window or line == "close" or not self.solver:
            return
        if line == "shown":
            self.solver.waits_for_window = False
            self.solver.answer()
        self.solver.tell(line)

    def window_ended(self, one):
        if one is not self.window:
            return
        self.end_solver()
        self.window, self.has_window = None, False
        if one.process.wait() == NO_DISPLAY:
            self.say_no_display()
        else:
            say("The window is closed: watch goes on with the tests alone, and w opens it again")

    def say_no_display(self):
        say("There is no display here to open a window on: watch goes on with the tests alone")

    # The keys.

    def key_pressed(self, key):
        does = {"h": self.show_hint, "d": self.show_diff, "r": self.reset, "n": self.go_on, "w": self.want_window,
                "q": self.quit}
        does.get(key.lower(), lambda: say(KEYS))()

    def quit(self):
        self.leaving = True

    def show_hint(self):
        """The lesson's hints, one after the other."""
        lesson = (ROOT / "chapters" / self.chapter.folder / "README.md").read_text(encoding="utf-8")
        hints = HINT.findall(lesson)
        say()
        if not hints:
            say(f'The lesson has no hints; see "What to write" in chapters/{self.chapter.folder}/README.md')
            return
        title, words = hints[self.hints_shown % len(hints)]
        self.hints_shown += 1
        say(f"Hint {(self.hints_shown - 1) % len(hints) + 1} of {len(hints)}: {title}")
        say(words.strip())

    def show_diff(self):
        say()
        if self.file.read() == self.reference:
            say("Your file is the same as ours")
        subprocess.run(["sh", str(ROOT / "workbook"), "diff", "--mine", self.chapter.number], stdin=subprocess.DEVNULL)

    def reset(self):
        """Begins the scene again; and a solver that has crashed is tried once more, with an empty fluid."""
        if self.solver:
            self.solver.tell(f"key {ord('r')}")
        elif self.has_window and self.program:
            self.forget_fluid()
            self.is_set_back = False
            self.begin_solver()

    def want_window(self):
        if self.window:
            say("The window is open")
        else:
            self.has_window = True
            self.file.text = None  # so the same text is built again
            self.file.changed_at, self.file.unsettled = time.monotonic(), True

    def next_chapter(self):
        chapters = manifest()
        folders = [chapter.folder for chapter in chapters]
        return next(iter(chapters[folders.index(self.chapter.folder) + 1:]), None)

    def go_on(self):
        """Goes on with the next chapter. The reader's functions are carried over, where there are any."""
        following = self.next_chapter()
        if not is_done(self.chapter, self.options.mine):
            say(f"Chapter {self.chapter.number} is not done yet: it is when all its tests pass")
        elif following is None:
            say("That was the last chapter")
        elif self.lay_down(following):
            self.end_all()
            say()
            self.begin(following)

    def lay_down(self, following):
        """Sees to it that the chapter is begun, and that the build knows of it. Returns whether it is so."""
        before = find(following.follows) if following.follows else None
        if not (self.options.mine / following.folder / following.writes).is_file():
            carries = before and not following.has_own_file and text_of(before, self.options.mine) is not None
            done = subprocess.run([sys.executable, str(ROOT / "common" / "book" / "start.py"), following.folder,
                                   "--carry" if carries else "--no-carry"], stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                return False
        say("Configuring the build ...")
        done = subprocess.run(["cmake", self.options.build], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", **APART)
        if done.returncode != 0 or not has_plan(self.options, following):
            say(f"The build does not know chapter {following.number}: ./workbook watch {following.number} sets it up")
            return False
        return True


def has_plan(options, chapter):
    return (Path(options.build) / "mine" / options.config / f"{options.prefix}_{chapter.folder}.plan").is_file()


def main():
    parser = argparse.ArgumentParser(prog="workbook watch", add_help=False)
    parser.error = fail
    parser.add_argument("chapter")
    parser.add_argument("--build", required=True)
    parser.add_argument("--config", default="Release")
    parser.add_argument("--mine", type=Path, default=MINE)
    parser.add_argument("--prefix", default="mine")
    options = parser.parse_args()
    for ending in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, ending):
            signal.signal(getattr(signal, ending), lambda number, _: sys.exit(128 + number))
    sys.stdout.reconfigure(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="workbook_watch_") as folder:
        watch = Watch(options, find(options.chapter), folder, sys.stdin.isatty())
        keyboard = Keyboard(watch.happened)
        try:
            watch.run()
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is to be left running
            watch.end_all()
            keyboard.give_back()


if __name__ == "__main__":
    # A pipe that is closed is an error here and not the end: the solver may crash while it is told something.
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # nobody reads what is said
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as problem:
        fail(f"{problem.filename}: {problem.strerror}")
