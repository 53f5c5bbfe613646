"""Checks what `workbook start` lays down: it differs from the chapter's solver.hpp only in the bodies of
the functions that the chapter adds, which are empty; it compiles, as a reader's file is compiled; every
test case of the chapter's idea fails with it, in words, not by crashing; its program runs, and does what
that of the chapter before does (unless the chapter has a grid of its own, or the manifest says why not). (That the chapter's own solver passes is
what its tests are for.)

mutants.py asks check_start_file for each chapter. Run by itself, this does as a reader does: CMake builds the
start file's program and tests.

usage: exercises.py CHAPTER... --build FOLDER --bin FOLDER [--config NAME]
  --build   a configured build folder: its targets start_<chapter> and test_start_<chapter> are built
  --bin     the folder where programs are put
"""

import argparse
import difflib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import find, finish
from check import ENVIRONMENT, build, first_error, run_tests
from functions import named
from planted import READERS_FLAGS
from start import ANSWER, MARK, is_answer_of_nothing, start_text

LONGEST_RUN = 120  # seconds
# Of a column's largest value. A chapter may add in another order, and a solver then stops one step earlier or later.
ALIKE = 1e-6


def only_bodies_differ(chapter, reference, start):
    """The start file against the reference, line by line. What is wrong, in lines."""
    where = f"{chapter.folder}: the start file"
    inside = set()  # the lines of the reference that may be gone
    for name in chapter.adds:
        for one in named(reference, name):
            first = reference.count("\n", 0, one.body)
            inside |= set(range(first, reference.count("\n", 0, one.end) + 1))
        for one in named(start, name):
            lines = [line.strip() for line in start[one.body + 1:one.end - 1].strip().splitlines()]
            if not lines or not lines[0].startswith(MARK) or not is_answer_of_nothing(lines[1:]):
                yield f"{where} does more in {name} than tell what to write"
    old, new = reference.splitlines(), start.splitlines()
    for what, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if what == "equal":
            continue
        for i in range(i1, i2):
            if i not in inside:
                yield f"{where} lacks line {i + 1}, which no function that it adds holds: {old[i]}"
        for line in new[j1:j2]:
            if not re.fullmatch(rf"{re.escape(MARK)}.*|static .* nothing\{{\}};|{ANSWER}",
                                line.strip()):
                yield f"{where} has a line of its own: {line}"


def every_test_fails(chapter, tests):
    """`tests` are the words that run them. What is wrong, in lines."""
    outcome = run_tests(tests, f"[{chapter.folder}]", LONGEST_RUN)
    if not outcome.cases:
        yield f"{chapter.folder}: there are no test cases"
    if outcome.timed_out:
        yield f"{chapter.folder}: with the start file its tests still run after {LONGEST_RUN} s"
    for case in outcome.cases:
        if case.trouble:
            yield f'{chapter.folder}: "{case.name}" breaks off with the start file: {outcome.stderr.strip()[:300]}'
        elif case.passed:
            yield f'{chapter.folder}: "{case.name}" passes with the start file'
    print(f"{chapter.folder}: {len(outcome.cases)} test cases fail with the start file")


class State:
    """What a program's state is after some steps: its header and rows, or what went wrong."""

    def __init__(self, program, folder, name, *flags):
        path = Path(folder) / f"{name}.csv"
        done = subprocess.run([*program, "--headless", "--save", str(path), *flags],
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=LONGEST_RUN)
        self.wrong = ""
        if done.returncode != 0 or done.stderr:
            self.wrong = f"{name} --headless: status {done.returncode}, {done.stderr.strip()!r}"
            return
        lines = path.read_text(encoding="utf-8").splitlines()
        self.header, self.rows = lines[0].split(","), [line.split(",") for line in lines[1:]]

    def column(self, name):
        at = self.header.index(name)
        return [float(row[at]) for row in self.rows if row[at]]  # a row of faces has no values of cells

    def differs_from(self, other, name):
        """Whether a column is another than in `other`."""
        here, there = self.column(name), other.column(name)
        if name == "p":  # in a closed box the pressure is known up to a constant, which the start file may not fix
            here, there = without_mean(here), without_mean(there)
        allowed = ALIKE * max(abs(value) for value in there)
        return len(here) != len(there) or not all(abs(a - b) <= allowed for a, b in zip(here, there))


def without_mean(values):
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def parameters_of(program):
    """What --help=json says of the program's parameters, by their flags."""
    done = subprocess.run([*program, "--help=json"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
    return {one["flag"]: one for one in json.loads(done.stdout)["parameters"]}


def told_alike(before, program):
    """The flags that tell both programs what the one of the chapter before does by itself."""
    told, tells = parameters_of(before), parameters_of(program)
    # Whatever both can be told is told as it was before: a chapter may retune it.
    both = []
    for flag, parameter in told.items():
        if flag in tells and not isinstance(parameter["value"], bool):
            both += [flag, str(parameter["value"])]
    # A choice that the chapter before does not have yet begins with what that did.
    first = []
    for flag, parameter in tells.items():
        if flag not in told and "choices" in parameter:
            first += [flag, parameter["choices"][0]]
    return both, first


def behaves_like_before(chapter, program, before):
    """`program` and `before` are the words that run the start file's program and that of the chapter before. What is
    wrong, in lines."""
    name = f"{chapter.folder}'s start file"
    with tempfile.TemporaryDirectory() as folder:
        picture = ["--png", str(Path(folder) / "picture.png")]
        if chapter.new_grid or chapter.anew or not chapter.follows:  # there is nothing to compare it with
            state = State(program, folder, name, "--steps", "5", *picture)
            if state.wrong:
                yield state.wrong
            elif not chapter.follows and any(float(row[2]) != 0 for row in state.rows):
                yield f"{name}: its grid is not empty"
            return
        both, first = told_alike(before, program)
        common = ["--n", "20", "--steps", "40", *picture, *both]
        state = State(program, folder, name, *common, *first)
        expected = State(before, folder, chapter.follows, *common)
        if state.wrong or expected.wrong:
            yield state.wrong or expected.wrong
            return
        for column in [one for one in expected.header if one in state.header]:
            if state.differs_from(expected, column):
                yield f"{name}: {column} is another than in {chapter.follows}"


def check_start_file(planted, programs, folder):
    """The start file of a chapter, in a folder of its own. `programs`: where those of all chapters are. What is wrong,
    in lines."""
    chapter = planted.chapter
    start = start_text(chapter)
    problems = list(only_bodies_differ(chapter, planted.solver, start))
    # Nothing of the chapter before calls what is in a file of its own.
    has_program = "program" in planted.kinds and not chapter.has_own_file
    variant = planted.with_solver(start, folder, ["tests"] + ["program"] * has_program, READERS_FLAGS)
    if variant.wrong:
        return problems + [f"{chapter.folder}: the start file does not build: {variant.wrong}"]
    problems += every_test_fails(chapter, variant.command("tests"))
    if has_program:
        before = [str(programs / chapter.follows)] if chapter.follows else []
        problems += behaves_like_before(chapter, variant.command("program"), before)
    return problems


def build_as_a_reader(chapter, options):
    """What is wrong, in lines."""
    start = start_text(chapter)
    laid_down = options.build / "mine" / "start" / chapter.folder / chapter.writes
    if not laid_down.is_file() or laid_down.read_text(encoding="utf-8") != start:
        laid_down.parent.mkdir(parents=True, exist_ok=True)
        laid_down.write_text(start, encoding="utf-8")
    for target in (f"start_{chapter.folder}", f"test_start_{chapter.folder}"):
        good, said = build(options.build, options.config, target)
        if not good:
            return [f"{chapter.folder}: {target} does not build: {first_error(said)}"]
    suffix = ".exe" if sys.platform == "win32" else ""
    problems = list(every_test_fails(chapter, [str(options.bin / f"test_start_{chapter.folder}{suffix}")]))
    if not chapter.has_own_file:
        problems += behaves_like_before(chapter, [str(options.bin / f"start_{chapter.folder}{suffix}")],
                                        [str(options.bin / f"{chapter.follows}{suffix}")])
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("chapters", nargs="+")
    parser.add_argument("--build", required=True, type=Path)
    parser.add_argument("--bin", required=True, type=Path)
    parser.add_argument("--config", default="Release")
    options = parser.parse_args()
    options.build, options.bin = options.build.resolve(), options.bin.resolve()
    finish("exercises", [problem for name in options.chapters for problem in build_as_a_reader(find(name), options)])


if __name__ == "__main__":
    main()
