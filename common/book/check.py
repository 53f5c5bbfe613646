"""Runs the tests of a chapter against the reader's own solver, mine/<chapter>/solver.hpp, and says in a
few lines what works, what does not, and where to read about it.

usage: check.py CHAPTER --build FOLDER [--config NAME] [--program] [--limit SECONDS] [--verbose]
  --program   only build the chapter's program with the reader's solver, for `run --mine`
  --limit     seconds that the tests of one idea may compute
  --verbose   all that the compiler, or the tests, have to say
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree as ET
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, end_with_the_reader, manifest
from functions import NotReadable, types
from progress import record

# What a program in trouble says is for us to put into words; and it may not fill the machine.
ENVIRONMENT = {
    **os.environ,
    "ASAN_OPTIONS": "detect_leaks=0:handle_abort=2:handle_segv=2:handle_sigbus=2:handle_sigfpe=2:"
                    "handle_sigill=2:hard_rss_limit_mb=2048:detect_container_overflow=0:color=never",
    "UBSAN_OPTIONS": "print_stacktrace=1:color=never",
}
MOST_OUTPUT = 64 * 2**20  # bytes
LONGEST_IN_BROWSER = 600  # seconds: a software adapter is slow


def fail(words):
    print(f"workbook: {words}", file=sys.stderr)
    sys.exit(2)


# ---- Building ------------------------------------------------------------------------------------

SECONDS_BETWEEN = 5  # two words of how far a build is


def build(folder, config, target):
    """Builds a target, and says every few seconds how far that is. Returns whether it went well, and all that was
    said."""
    environment = {**os.environ, "LC_ALL": "C", "LANGUAGE": "C"}
    lines, ended = [], threading.Event()
    process = subprocess.Popen(["cmake", "--build", str(folder), "--config", config, "--target", target,
                                "--parallel", str(os.cpu_count() or 1)],
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace")
    watcher = threading.Thread(target=tell_progress, args=(lines, ended), daemon=True)
    watcher.start()
    for line in process.stdout:
        lines.append(line)
    ended.set()
    watcher.join()
    return process.wait() == 0, "".join(lines)


def tell_progress(lines, ended):
    """Until the build has ended, says what `progress` returns whenever that is something new."""
    said = None
    while not ended.wait(SECONDS_BETWEEN):
        now = progress(lines)
        if now != said:
            print(f"workbook: {now}", file=sys.stderr, flush=True)
        said = now


def progress(lines):
    """How far a build is that has printed these lines. make counts in hundredths, ninja in steps."""
    for line in reversed(lines):
        hundredths = re.match(r"\[ *(\d+)%\] .*?([^/ ]+?)(\.o)?$", line.rstrip())
        steps = re.match(r"\[(\d+)/(\d+)\] .*?([^/ ]+?)(\.o)?$", line.rstrip())
        if hundredths:
            return f"{hundredths[1]} of 100 parts, at {hundredths[2]}"
        if steps:
            return f"{steps[1]} of {steps[2]} parts, at {steps[3]}"
    return "still at it ..."


def from_root(path):
    """A path as it is seen from the workbook's folder."""
    path = os.path.normpath(path)
    return os.path.relpath(path, ROOT) if ROOT in Path(path).parents else path


def first_error(said):
    """The compiler's first error: file, line, words."""
    lines = said.splitlines()
    for k, line in enumerate(lines):
        found = re.match(r"(.+?)[:(](\d+)[:),](?:\d+:?)? *:? *(?:fatal )?error *(?:\w+\d+)?: *(.*)",
                         line)
        if not found:
            continue
        place, words = f"{from_root(found.group(1))}:{found.group(2)}", found.group(3)
        if Path(found.group(1)).is_absolute() and place.startswith(found.group(1)):
            # In a header that is not ours: which of our lines asked for it?
            for near in lines[k + 1:] + lines[:k][::-1]:
                asked = re.match(r"(.+?):(\d+):\d+: +required from here", near)
                if asked:
                    return f"{from_root(asked.group(1))}:{asked.group(2)}: {words}"
        return f"{place}: {words}"
    for line in lines:
        found = re.search(r"undefined reference to.*|multiple definition of.*|Undefined symbols.*"
                          r"|unresolved external.*", line)
        if found:
            return f"the parts do not fit together: {found.group()}"
    said = [line for line in lines if "rror" in line] or lines[-1:]
    return said[0].strip() if said else "the build failed and said nothing"


# ---- Running tests -------------------------------------------------------------------------------

class Case:
    """What became of one test case. `trouble` is None where it ran to its end."""

    def __init__(self, name, place):
        self.name, self.place = name, place
        self.passed, self.words, self.trouble, self.seconds = False, [], None, 0.0


class Outcome:
    """What became of a run: its cases, whether it was cut off, and what it said besides."""

    def __init__(self):
        self.cases, self.timed_out, self.status, self.printed, self.stderr = [], False, 0, "", ""

    @property
    def failed(self):
        return [case for case in self.cases if not case.passed]

    @property
    def passed(self):
        return bool(self.cases) and not self.failed and self.status == 0 and not self.timed_out


def small_output():
    """Runs in the child: no endless file, no core dump."""
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_OUTPUT, MOST_OUTPUT))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass


def end_group(process):
    """First asks where the program is, then ends it and whatever it started."""
    if os.name != "posix":
        process.kill()
        return
    try:
        os.kill(process.pid, signal.SIGABRT)
        try:
            process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            pass
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def seconds_computed(process):
    """The seconds of a processor that it has had. Only Linux tells of them."""
    try:
        stat = Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return float("inf")
    fields = stat.rpartition(")")[2].split()  # from the third on: before them is a name, which may hold spaces
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Stopped(Exception):
    """Nobody wants to know any more."""


def comes_to_its_end(process, limit, stop=None):
    """Waits until it has ended, has computed for `limit` seconds, or has waited for as long and computed nothing. By
    the clock it may take longer: where other programs compute as well, the reader's is none the worse for it. Throws
    Stopped once the event `stop` is set."""
    computed, seen = 0, time.monotonic()  # when it was last seen to compute
    wait = 0.1 if stop else limit
    while True:
        if stop and stop.is_set():
            raise Stopped
        try:
            process.wait(timeout=wait)
            return True
        except subprocess.TimeoutExpired:
            wait = 0.1 if stop else limit / 20
        now = seconds_computed(process)
        if now - computed > limit / 500:  # less is what the sanitizer does in the background
            computed, seen = now, time.monotonic()
        if now >= limit or time.monotonic() - seen >= limit:
            return False


def run_tests(tests, choice, limit, stop=None):
    """Runs the test cases that `choice` names, in the order in which they stand in their file. `tests` are the words
    that run them. Throws Stopped, and ends them, once the event `stop` is set."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        with open(Path(folder) / "out", "w+b") as out, open(Path(folder) / "err", "w+b") as err:
            posix = {}
            if os.name == "posix":
                posix = {"start_new_session": True, "preexec_fn": small_output}
            process = subprocess.Popen([*tests, choice, "--reporter", "xml", "--order", "decl",
                                        "--durations", "yes", "--out", str(report)], cwd=folder, env=ENVIRONMENT,
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err, **posix)
            try:
                outcome.timed_out = not comes_to_its_end(process, limit, stop)
                if not outcome.timed_out:
                    outcome.status = process.returncode
            finally:
                if process.returncode is None:
                    end_group(process)
                    process.wait()
            for stream, name in ((out, "printed"), (err, "stderr")):
                stream.seek(0)
                setattr(outcome, name, stream.read(200_000).decode(errors="replace"))
        read_report(report, outcome)
    return outcome


def read_report(path, outcome):
    """Reads Catch2's report as far as it goes: a program that crashed has not written all of it."""
    parser = ET.XMLPullParser(["start", "end"])
    open_case, infos = None, []
    try:
        text = path.read_bytes().decode(errors="replace") if path.exists() else ""
        parser.feed(re.sub(r"[\0-\x08\x0b\x0c\x0e-\x1f]", "?", text))
    except ET.ParseError:
        pass
    events = parser.read_events()
    while True:
        try:
            event, element = next(events)
        except (StopIteration, ET.ParseError):
            break
        if event == "start" and element.tag == "TestCase":
            open_case = Case(element.get("name"), place_of(element))
            infos = []
        elif event == "start" or open_case is None:
            continue
        elif element.tag in ("Info", "Warning"):
            infos.append((element.text or "").strip())
        elif element.tag in ("Expression", "Exception", "Failure", "FatalErrorCondition"):
            if not open_case.words and element.get("success") != "true":
                open_case.words = infos + comparison(element)
                open_case.place = place_of(element) or open_case.place
            if element.tag == "FatalErrorCondition":
                open_case.trouble = (element.text or "").strip()
            infos = []
        elif element.tag == "OverallResult":
            open_case.passed = element.get("success") == "true"
            open_case.seconds = float(element.get("durationInSeconds", 0))
        elif element.tag == "TestCase":
            outcome.cases.append(open_case)
            open_case = None
    if open_case is not None:
        open_case.trouble = "it did not come to its end"
        outcome.cases.append(open_case)


def place_of(element):
    if element.get("filename") is None:
        return None
    return f"{from_root(element.get('filename'))}, line {element.get('line')}"


def comparison(element):
    """One failed assertion, as a person would say it."""
    if element.tag in ("Exception", "FatalErrorCondition"):
        return [f"it throws an exception: {(element.text or '').strip()}"]
    if element.tag == "Failure":
        return [(element.text or "").strip()]
    asked = plain((element.findtext("Original") or "").strip())
    got = plain((element.findtext("Expanded") or "").strip())
    got = re.sub(r"\b(inf|nan)f\b", r"\1", got)
    thrown = element.find("Exception")
    if thrown is not None:
        return [f"{asked} throws an exception: {(thrown.text or '').strip()}"]
    if element.get("type", "").endswith("_FALSE"):
        asked = re.sub(r"^!\((.*)\)$|^!", r"\1", asked)
        return [f"{asked} is true; expected false"]
    within = re.fullmatch(r"(.*) is within (\S+) of (\S+)", got, flags=re.S)
    if within:
        expression = re.sub(r", *(?:Catch::\S*)?WithinAbs\(.*$", "", asked)
        is_now, tolerance, expected = within.groups()
        written = re.search(r", *([\d.]+e-\d+)\)$", asked)
        if written and float(tolerance) == 0:
            tolerance = written.group(1)  # small numbers are rounded to 0 there
        return [f"{expression} is {is_now}; expected {expected}, within {tolerance}"]
    if got in ("true", "false"):
        return [f"{asked} is {got}; expected {'true' if got == 'false' else 'false'}"]
    for sign in ("==", "!=", "<=", ">=", "<", ">"):
        left, found, right = asked.partition(f" {sign} ")
        if found and got.count(f" {sign} ") == 1:
            is_left, _, is_right = got.partition(f" {sign} ")
            is_left, is_right = is_left.strip(), is_right.strip()
            if re.fullmatch(r"[\d.]+e-\d+", right):
                is_right = right  # as it is written there
            if len(got) > 120:
                return [f"{left} is not {right}: they are arrays with different numbers"] \
                    if sign == "==" else [f"expected {asked}, which is not so"]
            more = "" if sign == "==" else f"{sign} "
            return [f"{left} is {is_left}; expected {more}{is_right}"]
    return [f"expected {asked}, but it is {got}" if got and got != asked else f"expected {asked}"]


def plain(words):
    """Without C++'s marks on numbers."""
    return re.sub(r"(?<![\w.])(-?\d+(?:\.\d*)?(?:e[-+]?\d+)?)f\b", lambda found: re.sub(
        r"\.0$", "", found.group(1)), words)


def list_tests(tests, choice):
    """The names of the test cases that `choice` names. The two Catch2s are asked in different ways."""
    for flags in (["--list-tests", "--reporter", "xml"], ["--list-test-names-only"]):
        done = subprocess.run([*tests, choice, *flags], env=ENVIRONMENT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        if done.stdout.lstrip().startswith("<?xml"):
            return [case.findtext("Name") for case in ET.fromstring(done.stdout).iter("TestCase")]
    return [line.strip().strip('"') for line in done.stdout.splitlines() if line.strip()]


def just(name):
    """What chooses the test case of that name, and no other."""
    return re.sub(r'([\\,\["*])', r"\\\1", name)


# ---- Trouble in words ----------------------------------------------------------------------------

def trouble_in_words(outcome, mine):
    """What went wrong in a run that did not come to its end, and where: (words, place or None)."""
    said = outcome.stderr
    words, place = None, None
    undefined = re.search(r"([^\s:][^:\n]*):(\d+):\d+: runtime error: (.*)", said)
    asserted = re.search(r"([\w ./\\-]+):(\d+): (.*): Assertion [`'](.*)' failed|"
                         r"Assertion failed: \((.*)\), function (\w+), file (.+), line (\d+)", said)
    if undefined:
        words = undefined.group(3)
        if "end of a value-returning function" in words:
            words = "a function ends without returning a value"
        place = f"{from_root(undefined.group(1))}:{undefined.group(2)}"
    elif asserted:
        where, claim = asserted.group(3) or asserted.group(6), asserted.group(4) or asserted.group(5)
        if re.search(r"\bIX\b", where):
            words = "a cell is asked for that does not exist"
            words += ": i and j go from 0 to N + 1" if "N + 1" in claim else ""
        elif "this->size()" in claim or "__n <" in claim:
            words = "an element is asked for beyond the end of an array"
        else:
            words = f"this does not hold: {claim}"
    elif "hard rss limit" in said or "allocation-size-too-big" in said or "out-of-memory" in said:
        words = "it takes more than 2 GB of memory: does something grow without end?"
    elif "stack-overflow" in said:
        words = "a function calls itself without end"
    elif re.search(r"AddressSanitizer:? FPE", said):
        words = "a whole number is divided by 0"
    elif re.search(r"AddressSanitizer:? (SEGV|BUS|[\w-]*(overflow|underflow|use-after))", said):
        words = "it reads or writes memory that is not its own"
    elif outcome.status < 0:
        try:
            words = f"it is ended by {signal.Signals(-outcome.status).name}"
        except ValueError:
            words = f"it is ended by signal {-outcome.status}"
        if -outcome.status == getattr(signal, "SIGXFSZ", None):
            words = "it prints without end"
    if outcome.timed_out:
        words = "it does not come to an end"

    frames = re.findall(r"#\d+ 0x[0-9a-f]+ in (.+?) \S*?" + re.escape(mine) + r":(\d+)",
                        said.replace(str(ROOT), ""))
    frames = [(re.sub(r"\(.*", "", name), line) for name, line in frames]
    ours = [frame for frame in frames if not re.search(r"\bIX\b|operator", frame[0])] or frames
    if ours:
        name = ours[0][0].split("::")[-1].split("<")[0]
        place = f"{mine}:{ours[0][1]}, in {name}"
    return words or "the program ends in the middle of the test", place


# ---- The command ---------------------------------------------------------------------------------

def read_plan(folder, config, chapter, prefix="mine"):
    path = Path(folder) / "mine" / config / f"{prefix}_{chapter}.plan"
    if not path.is_file():
        fail(f"the build in {from_root(folder)} does not know mine/{chapter}: configure it again")
    plan = {"ideas": []}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, rest = line.partition(" ")
        if key == "idea":
            plan["ideas"].append(rest.split(" "))
        else:
            plan[key] = rest
    return plan


def run_browser(words):
    """Runs a program that starts a browser. Returns its status, its output and its errors. Throws TimeoutExpired where
    it takes too long, and ends it and its browser, which would go on without it."""
    folder = tempfile.mkdtemp()  # for what the browser keeps
    process = subprocess.Popen(words, env={**os.environ, "TMPDIR": folder}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        output, errors = process.communicate(timeout=LONGEST_IN_BROWSER)
        return process.returncode, output, errors
    finally:
        if process.returncode is None:
            kill_group(process)
        shutil.rmtree(folder, ignore_errors=True)


def kill_group(process):
    """Ends it, and whatever it started."""
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def check_kernels(chapter, options):
    """A chapter of kernels: builds what they are compared with, and runs its tests in a browser without a window."""
    mine = f"mine/{chapter.folder}/{chapter.writes}"
    whole = (ROOT / mine).read_text(encoding="utf-8", errors="replace")
    print(f"workbook: building {chapter.folder} ...", file=sys.stderr, flush=True)
    good, said = build(options.build, options.config, chapter.folder)
    if not good:
        print(f"{chapter.folder} does not build", first_error(said), sep="\n  ")
        return 1
    try:
        status, output, errors = run_browser(["node", str(ROOT / "tests" / chapter.page / "run.js"), "--json", "--bin",
                                              str(Path(options.build).resolve() / "bin"), "--cells", str(ROOT / mine)])
    except subprocess.TimeoutExpired:
        print(mine, "the tests run on and on: does a loop in your file end?", sep="\n\n  ")
        return 1
    if status == 77:
        fail("Chromium is not here, and the tests run in it; install chromium")
    try:
        results = json.loads(output)
    except json.JSONDecodeError:
        fail(f"the tests broke off: {(output + errors).strip()[:300]}")
    failed = [(test, wrong) for test, wrong in results if wrong]
    print(mine, end="\n\n")
    if not failed:
        print(f"  passes  {chapter.folder:12}  {len(results)} tests\n")
        record((ROOT / mine).parent, whole)
        print(f"All {len(results)} tests pass. To compare yours with ours: ./workbook diff --mine {chapter.number}")
        return 0
    print(f"  FAILS   {chapter.folder:12}  {len(failed)} of {len(results)} tests\n")
    for test, wrong in failed if options.verbose else failed[:1]:
        print(f'{"First: " if not options.verbose else ""}"{test}"', wrong, sep="\n  ")
    print(f"The tests are in tests/{chapter.page}/tests.js; the lesson is chapters/{chapter.folder}/README.md")
    return 1


def types_gone(reference, mine):
    """Which of the types that all tests need the reference has, and the reader's file has not."""
    try:
        own = types(mine)
    except NotReadable:
        return []  # the compiler says where
    return [name for name in ("Field", "Fluid") if name in types(reference) and name not in own]


def check(options):
    chapter = next((one for one in manifest() if one.folder == options.chapter), None)
    if chapter and chapter.page:
        return check_kernels(chapter, options)
    writes = chapter.writes if chapter else "solver.hpp"
    mine = f"mine/{options.chapter}/{writes}"
    whole = (ROOT / mine).read_text(encoding="utf-8", errors="replace")
    reference = (ROOT / "chapters" / options.chapter / writes).read_text(encoding="utf-8")
    gone = types_gone(reference, whole)
    if gone:
        number = options.chapter.split("_")[0]
        print(f"{mine} has no struct {gone[0]} any more; ./workbook start {number} --force begins anew "
              "and keeps a backup")
        return 1
    plan = read_plan(options.build, options.config, options.chapter)
    target = ("" if options.program else "test_") + f"mine_{options.chapter}"
    built_before = Path(options.build) / ("workbook.built" if options.program else "workbook.checked")
    if not built_before.is_file():
        print("workbook: the first build takes about a minute, and after that some seconds", file=sys.stderr)
    print(f"workbook: building {target} ...", file=sys.stderr, flush=True)
    good, said = build(options.build, options.config, target)
    if not good:
        if options.verbose:
            print(said)
        print(f"{mine} does not compile" if mine in said else f"{target} does not build",
              first_error(said), sep="\n  ")
        return 1
    built_before.touch()
    if options.program:
        return 0

    print(mine, end="\n\n")
    limit, first, passing, total = options.limit, None, 0, 0
    for idea, choice in plan["ideas"]:
        outcome = run_tests([plan["tests"]], choice, limit)
        count = len(outcome.cases)
        if outcome.passed:
            print(f"  passes  {idea:12}  {count} test{'s' if count > 1 else ''}", flush=True)
            passing += 1
            total += count
            continue
        if outcome.timed_out:
            what = "runs on and on"
            limit = min(limit, 10)  # the rest will probably hang, too; what does not has computed for up to 6 s
        elif any(case.trouble for case in outcome.cases) or not outcome.cases:
            what = "breaks off"
        else:
            what = f"{len(outcome.failed)} of {count} tests"
        print(f"  FAILS   {idea:12}  {what}", flush=True)
        if first is None or idea == options.chapter:  # what is new is where to look first
            first = (idea, choice, outcome)
    print()
    if first is None:
        record((ROOT / mine).parent, whole)
        print(f"All {total} tests pass. To compare yours with ours: ./workbook diff --mine "
              f"{options.chapter.split('_')[0]}")
        return 0
    explain(first[0], first[2], [idea for idea, _ in plan["ideas"]], mine)
    if options.verbose:
        sys.stdout.flush()
        try:
            subprocess.run([plan["tests"], first[1]], env=ENVIRONMENT, timeout=options.limit)
        except subprocess.TimeoutExpired:
            pass
    return 1


def explain(idea, outcome, ideas, mine):
    """Says what the first failure of a run is about."""
    tests = idea
    case = outcome.failed[0] if outcome.failed else None
    print(f'First: "{case.name}"' if case else f"First: {idea}")
    if case and case.words and not case.trouble:
        words = case.words
    else:
        said, place = trouble_in_words(outcome, mine)
        words = [said] + ([f"at {place}"] if place else [])
        function = (place or "").rpartition(", in ")[2]
        for chapter in manifest():  # the lesson that has to do with the place
            if function in chapter.adds and chapter.folder in ideas:
                idea = chapter.folder
    for line in words:
        print("  " + "\n  ".join(line.splitlines()))
    own_words = re.split(r"^(?:=+\n)?==\d+|^.*(?:runtime error|[Aa]ssertion|AddressSanitizer)",
                         outcome.stderr, flags=re.M)[0]
    printed = (outcome.printed + own_words).strip().splitlines()
    if printed:
        print(f"While the tests of {tests} ran, it printed{', at the end' * (len(printed) > 10)}:")
        print("  " + "\n  ".join(line[:200] for line in printed[-10:]))
    where = f"The test is in {case.place}; the" if case and case.place else "The"
    print(f"{where} lesson is chapters/{idea}/README.md")


def main():
    parser = argparse.ArgumentParser(prog="workbook check", add_help=False)
    parser.error = fail
    parser.add_argument("chapter")
    parser.add_argument("--build", required=True)
    parser.add_argument("--config", default="Release")
    parser.add_argument("--program", action="store_true")
    parser.add_argument("--limit", type=float, default=20.0)
    parser.add_argument("--verbose", action="store_true")
    sys.exit(check(parser.parse_args()))


if __name__ == "__main__":
    end_with_the_reader()
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as problem:
        fail(f"{problem.filename}: {problem.strerror}")
