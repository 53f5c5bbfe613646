"""Checks that the tests of a chapter's idea catch the mistakes that students make, and say what is
wrong. Each file in tests/mutants/<chapter>/ plants one such mistake in the chapter's solver.hpp,
or in the file that it writes instead:

    title: the axes are swapped
    look for: the dye moves down when it is dragged to the right
    message: is y down?
    picture: --headless --scene drag
    <<<<
    what stands in solver.hpp, exactly once
    ====
    what stands there instead
    >>>>

The tests must fail, and the first of them to fail must say the words of `message`. `picture` is
optional: the flags that show the mistake.

What `workbook start` lays down is one more such mistake, see exercises.py. planted.py says how all of them are
built.

usage: mutants.py CHAPTER --build DIR [--link=WORD]... [--link-program=WORD]... [--bin DIR] [--write] [--pictures]
       --build          a configured build folder
       --link           what the tests are linked with
       --link-program   what a chapter's program is linked with; without it no pictures are drawn
       --bin            where the chapters' programs are: the start file is tried, too
       --write          replace the pictures in the chapter's folder by those that are drawn
       --pictures       only draw the pictures: no tests
A --link may hold several words, separated by semicolons.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, find, finish
from check import just, list_tests
from exercises import check_start_file
from functions import declarations, parts_of
from compare_pictures import keep_picture
from planted import BuildCommands, Kind, Planted, run

FEWEST = 6
LONGEST_RUN = 60  # seconds
LONGEST_DRAWING = 240  # seconds: four ranks may share two cores with other tests
TESTS = ROOT / "tests"


class Mutant:
    def __init__(self, path):
        self.name, self.words, self.edits = path.stem, {}, []
        text = path.read_text(encoding="utf-8")
        edit = re.compile(r"^<<<<\n(.*?\n)====\n(.*?)>>>>\n", flags=re.M | re.S)
        self.edits = edit.findall(text)
        self.stray = []
        for line in edit.sub("", text).splitlines():
            key, colon, value = line.partition(": ")
            if colon and key in ("title", "look for", "message", "picture"):
                self.words[key] = value.strip()
            elif line.strip():
                self.stray.append(line)
        self.title = self.words.get("title", "without a title")

    def __str__(self):
        return f"{self.name} ({self.title})"


def may_change(chapter, name, part):
    """Whether a part of the solver is the chapter's own. A member function counts for its struct."""
    own = chapter.adds + chapter.gives + chapter.changes
    return name in own or any(one.owner and one.name in own for one in declarations(part))


def planted_in(mutant, chapter, solver):
    """The solver with the mistake in it, or None; what is wrong with the file goes to problems."""
    where = f"{chapter.folder}: {mutant}"
    for key in ("title", "look for", "message"):
        if not mutant.words.get(key):
            problems.append(f"{where} has no '{key}:'")
    for line in mutant.stray:
        problems.append(f"{where}: what is '{line}'?")
    if not mutant.edits:
        problems.append(f"{where} changes nothing")
    changed = solver
    for old, new in mutant.edits:
        if changed.count(old) != 1:
            problems.append(f"{where}: '{old.strip()}' stands {changed.count(old)} times in solver.hpp")
            return None
        changed = changed.replace(old, new)
    after = dict(parts_of(changed))
    for name, part in parts_of(solver):
        if after.get(name) != part and not may_change(chapter, name, part):
            problems.append(f"{where} is in {name}, which the chapter neither adds nor changes")
    return changed


def first_failure(output):
    """What Catch2 prints for the first test case that fails: from its title, set in rules, to the
    next one's."""
    parts = re.split(r"^-{79}$", output, flags=re.M)
    if len(parts) < 3:
        return output
    title, report = parts[1], parts[2]
    for next_title, next_report in zip(parts[3::2], parts[4::2]):
        if next_title == title:
            report += next_report
        else:
            break
    return title + report.split("=" * 79)[0]


def check(mutant, solver, folder):
    """Whether the mutant's first test to fail says what is wrong, and its picture is the lesson's. With no
    mutant: whether all tests pass. What is wrong, in lines."""
    where = f"{chapter.folder}: {mutant or 'the solver without a mistake'}"
    kinds = [] if args.pictures else ["tests"]
    if mutant and "picture" in mutant.words and "program" in planted.kinds:
        kinds.append("program")
    variant = planted.with_solver(solver, folder, kinds)
    if variant.wrong:
        return [f"{where}: it cannot be built: {variant.wrong}"]
    found = [] if args.pictures else [run_tests(mutant, variant, folder, where)]
    if "program" in kinds:
        found.append(draw(mutant, variant, folder, where))
    return [problem for problem in found if problem]


def run_tests(mutant, variant, folder, where):
    """Runs one test after the other, until one fails. What is wrong, or nothing."""
    for name in names_of_tests:
        try:
            done = run([*variant.command("tests"), just(name)], LONGEST_RUN)
        except subprocess.TimeoutExpired:
            if not mutant:
                return f"{where}: '{name}' still runs after {LONGEST_RUN} s"
            print(f"{where} is killed: after {LONGEST_RUN} s it still runs")
            return ""
        if done.returncode == 0:
            continue
        (folder / "output.txt").write_text(done.stdout, encoding="utf-8")
        if not mutant:
            return f"{where} fails '{name}'"
        if done.returncode < 0 or "fatal error condition" in done.stdout:
            return f"{where} crashes instead of failing a test"
        # Catch2 breaks long lines.
        said = re.sub(r"\s+", " ", first_failure(done.stdout)).lower()
        if mutant.words.get("message", "").lower() not in said:
            return (f"{where}: the first test to fail does not say '{mutant.words.get('message')}': see "
                    f"{folder / 'output.txt'}")
        print(f"{where} is killed")
        return ""
    return f"{where} survives: no test fails" if mutant else ""


def draw(mutant, variant, folder, where):
    picture = folder / f"mutant_{mutant.name}.png"
    command = [*variant.command("program", shlex.split(mutant.words["picture"])), "--png", picture]
    try:
        done = run(command, LONGEST_DRAWING)
    except subprocess.TimeoutExpired:
        return f"{where}: its program still draws after {LONGEST_DRAWING} s"
    if done.returncode != 0:
        return f"{where}: its program fails: {done.stdout}"
    if not keep_picture(chapter.path(picture.name), picture, args.write):
        return f"{chapter.folder}/{picture.name} is not what this mistake draws (--write)"
    return ""


def words(text):
    return [word for word in text.split(";") if word]


parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
parser.add_argument("chapter")
parser.add_argument("--build", type=Path, required=True)
parser.add_argument("--link", type=words, action="append", default=[])
parser.add_argument("--link-program", type=words, action="append", default=[])
parser.add_argument("--bin", type=Path)
parser.add_argument("--write", action="store_true")
parser.add_argument("--pictures", action="store_true")
args = parser.parse_args()
args.link = [word for some in args.link for word in some]
args.link_program = [word for some in args.link_program for word in some]
problems = []

chapter = find(args.chapter)
if not chapter:
    finish("mutants", [f"the manifest names no chapter {args.chapter}"])
folder_of_all = args.build.resolve() / "tests" / "mutants"
work = folder_of_all / chapter.folder
work.mkdir(parents=True, exist_ok=True)

solver = chapter.path(chapter.writes).read_text(encoding="utf-8")
mutants = [Mutant(path) for path in sorted((TESTS / "mutants" / chapter.folder).glob("*.mutant"))]
if len(mutants) < FEWEST:
    problems.append(f"{chapter.folder} has {len(mutants)} mutants, fewer than {FEWEST}")
titles = [mutant.title for mutant in mutants]
for title in sorted({title for title in titles if titles.count(title) > 1}):
    problems.append(f"{chapter.folder}: more than one mutant is called '{title}'")

jobs = [] if args.pictures else [(None, solver, work / "right_again")]
for mutant in mutants:
    if args.pictures and "picture" not in mutant.words:
        continue
    changed = planted_in(mutant, chapter, solver)
    if changed:
        jobs.append((mutant, changed, work / mutant.name))

test_source = TESTS / "chapters" / f"{chapter.folder}.cpp"
kinds = [Kind("tests", test_source, test_source, args.link)]
if args.link_program and any("picture" in mutant.words for mutant in mutants):
    program = work / "program.cpp"  # where no solver.hpp lies: an include looks there first
    program.write_text(chapter.path("main.cpp").read_text(encoding="utf-8") +
                       "\nbool numbers(const workbook::Program&) { return true; }\n", encoding="utf-8")
    kinds.append(Kind("program", program, chapter.path("main.cpp"), args.link_program))
planted = Planted(chapter, BuildCommands(args.build.resolve()), kinds, work, folder_of_all / "headers")
problems += planted.problems

if not planted.problems:
    names_of_tests = list_tests([str(planted.kinds["tests"].executable)], f"[{chapter.folder}]")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        start = None
        if args.bin and not args.pictures:
            start = pool.submit(check_start_file, planted, args.bin.resolve(), work / "start")
        for found in pool.map(lambda job: check(*job), jobs):
            problems += found
        if start:
            problems += start.result()
finish("mutants", problems)
