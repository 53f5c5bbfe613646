"""Checks what `workbook start` lays down: it differs from the chapter's solver.hpp only in the bodies of
the functions that the chapter adds, which are empty; it compiles, as a reader's file is compiled; every
test case of the chapter's idea fails with it, in words, not by crashing; its program runs, and does what
that of the chapter before does (unless the chapter has a grid of its own). (That the chapter's own solver passes is what its tests are for.)

usage: exercises.py CHAPTER... --build FOLDER --bin FOLDER [--config NAME]
  --build   a configured build folder: its targets start_<chapter> and test_start_<chapter> are built
  --bin     the folder where programs are put
"""

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import finish, manifest
from check import ENVIRONMENT, build, first_error, just, list_tests, run_tests
from functions import named
from start import MARK, is_answer_of_nothing, start_text

parser = argparse.ArgumentParser()
parser.add_argument("chapters", nargs="+")
parser.add_argument("--build", required=True, type=Path)
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("--config", default="Release")
options = parser.parse_args()
options.build, options.bin = options.build.resolve(), options.bin.resolve()
problems = []
book = {chapter.folder: chapter for chapter in manifest()}


def only_bodies_differ(chapter, reference, start):
    """The start file against the reference, line by line."""
    where = f"{chapter.folder}: the start file"
    inside = set()  # the lines of the reference that may be gone
    for name in chapter.adds:
        for one in named(reference, name):
            first = reference.count("\n", 0, one.body)
            inside |= set(range(first, reference.count("\n", 0, one.end) + 1))
        for one in named(start, name):
            lines = [line.strip() for line in start[one.body + 1:one.end - 1].strip().splitlines()]
            if not lines or not lines[0].startswith(MARK) or not is_answer_of_nothing(lines[1:]):
                problems.append(f"{where} does more in {name} than tell what to write")
    old, new = reference.splitlines(), start.splitlines()
    for what, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if what == "equal":
            continue
        for i in range(i1, i2):
            if i not in inside:
                problems.append(f"{where} lacks line {i + 1}, which no function of ADDS holds: {old[i]}")
        for line in new[j1:j2]:
            if not re.fullmatch(rf"{re.escape(MARK)}.*|static .* nothing\{{\}};|return (?:nothing|\{{\}});",
                                line.strip()):
                problems.append(f"{where} has a line of its own: {line}")


def every_test_fails(chapter, tests):
    names = list_tests(tests)
    if not names:
        problems.append(f"{chapter.folder}: there are no test cases")
    for name in names:
        outcome = run_tests(tests, just(name), 60)
        if len(outcome.cases) != 1:
            problems.append(f'{chapter.folder}: "{name}" cannot be run by itself')
        elif outcome.timed_out or outcome.cases[0].trouble:
            problems.append(f'{chapter.folder}: "{name}" breaks off with the start file: '
                            f"{outcome.stderr.strip()[:300]}")
        elif outcome.cases[0].passed:
            problems.append(f'{chapter.folder}: "{name}" passes with the start file')
    print(f"{chapter.folder}: {len(names)} test cases")


def saved(program, folder, *flags):
    """What a program's state is after some steps: (header, rows), or None."""
    path = Path(folder) / f"{program.stem}.csv"
    done = subprocess.run([str(program), "--headless", "--save", str(path), *flags],
                          capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
    if done.returncode != 0 or done.stderr:
        problems.append(f"{program.stem} --headless: status {done.returncode}, {done.stderr.strip()!r}")
        return None
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0].split(","), [line.split(",") for line in lines[1:]]


def behaves_like_before(chapter, program, suffix):
    with tempfile.TemporaryDirectory() as folder:
        if chapter.new_grid:  # there is nothing to compare it with
            saved(program, folder, "--steps", "5", "--png", str(Path(folder) / "picture.png"))
            return
        if not chapter.follows:  # an empty grid
            state = saved(program, folder, "--steps", "5", "--png", str(Path(folder) / "empty.png"))
            if state and any(float(row[2]) != 0 for row in state[1]):
                problems.append(f"{chapter.folder}: the start file's grid is not empty")
            return
        before = options.bin / (chapter.follows + suffix)
        common = ["--n", "20", "--steps", "40", "--png", str(Path(folder) / "picture.png")]
        # Whatever both can be told is told as it was before: a chapter may retune it.
        told, tells = [subprocess.run([str(one), "--help"], capture_output=True, text=True,
                                      env=ENVIRONMENT, timeout=60).stdout for one in (before, program)]
        # Long lines are broken; by CLI11 2.6, with spaces at the end.
        told, tells = [re.sub(r" *\n {20,}", " ", one) for one in (told, tells)]
        for flag, value in re.findall(r"(--[\w-]+) (?:NUMBER|COUNT)\s+[^\n]*?\(([\d.]+)", told):
            if f"{flag} " in tells:
                common += [flag, value]
        for flag, value in re.findall(r"(--[\w-]+) NAME\s+[^\n]*: [^\n]*\(([\w-]+)\) *\n", told):
            if f"{flag} NAME" in tells and flag != "--scene":
                common += [flag, value]
        # A choice that the chapter before does not have yet begins with what that did.
        first = [word for flag, name in re.findall(
            r"(--[\w-]+) NAME\s+[^\n]*: ([\w-]+),[^\n]*\([\w-]+\) *\n", tells)
            if f"{flag} NAME" not in told for word in (flag, name)]
        state = saved(program, folder, *common, *first)
        expected = saved(before, folder, *common)
        if state is None or expected is None:
            return
        for column in [name for name in expected[0] if name in state[0]]:
            here, there = state[0].index(column), expected[0].index(column)
            if [row[here] for row in state[1]] != [row[there] for row in expected[1]]:
                problems.append(f"{chapter.folder}: with the start file, {column} is another than in "
                                f"{chapter.follows}")


for folder in options.chapters:
    chapter = book[folder]
    reference = chapter.path(chapter.writes).read_text(encoding="utf-8")
    start = start_text(chapter)
    only_bodies_differ(chapter, reference, start)
    laid_down = options.build / "mine" / "start" / folder / chapter.writes
    if not laid_down.is_file() or laid_down.read_text(encoding="utf-8") != start:
        laid_down.parent.mkdir(parents=True, exist_ok=True)
        laid_down.write_text(start, encoding="utf-8")
    good = True
    before = folder if chapter.new_grid else chapter.follows or folder
    for target in (f"start_{folder}", f"test_start_{folder}", before):
        done, said = build(options.build, options.config, target)
        if not done:
            good = False
            problems.append(f"{folder}: {target} does not build: {first_error(said)}")
    if good:
        suffix = ".exe" if sys.platform == "win32" else ""
        every_test_fails(chapter, options.bin / f"test_start_{folder}{suffix}")
        if chapter.has_own_file:  # nothing of the chapter before calls what is in it
            continue
        behaves_like_before(chapter, options.bin / f"start_{folder}{suffix}", suffix)
finish("exercises", problems)
