"""Checks that the tests of a chapter's idea catch the mistakes that students make, and say what is
wrong. Each file in tests/mutants/<chapter>/ plants one such mistake in the chapter's solver.hpp:

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

usage: mutants.py CHAPTER --work DIR --cxx COMPILER [--include=DIR]... [--link=WORD]... [--flags=WORDS]
       mutants.py CHAPTER ... --pictures check|write   (are the pictures in the chapter's folder what
                                                the mistakes draw? or put them there; with the
                                                includes and libraries of the chapter's program)
An --include or --link may hold several, separated by semicolons.
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
from book import ROOT, finish, manifest, parts_of
from png import keep_picture

FEWEST = 6
LONGEST_RUN = 60  # seconds
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
    return name in own or any(re.search(rf"^    [\w&<>:*, ]+\b{member}\(", part, flags=re.M)
                              for member in own if name[:1].isupper())


def planted(mutant, chapter, solver):
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


def run(command, limit=None):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit)


def compile_program(source, folder, includes, more=()):
    """Compiles and links `source` with the solver in `folder`. The first error, or nothing."""
    # Windows runs nothing that does not end in .exe; to the others it is a name like any other.
    done = run(compiler + [*more, "-I", folder] + [f"-I{path}" for path in includes] +
               [source, "-o", folder / "program.exe"] + args.link)
    if done.returncode == 0:
        return ""
    lines = done.stdout.splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else "no reason given")


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


def check_right(chapter, folder):
    wrong = compile_program(TESTS / f"{chapter.folder}.cpp", folder, test_includes, precompiled)
    if wrong:
        return f"{chapter.folder}: the tests do not compile: {wrong}"
    done = run([folder / "program.exe"], LONGEST_RUN)
    return "" if done.returncode == 0 else f"{chapter.folder}: the tests fail without a mistake"


def check_mutant(chapter, mutant, folder):
    where = f"{chapter.folder}: {mutant}"
    wrong = compile_program(TESTS / f"{chapter.folder}.cpp", folder, test_includes, precompiled)
    if wrong:
        return f"{where} does not compile: {wrong}"
    try:
        done = run([folder / "program.exe"], LONGEST_RUN)
    except subprocess.TimeoutExpired:
        print(f"{where} is killed: after {LONGEST_RUN} s it still runs")
        return ""
    (folder / "output.txt").write_text(done.stdout, encoding="utf-8")
    if done.returncode == 0:
        return f"{where} survives: no test fails"
    if done.returncode < 0 or "fatal error condition" in done.stdout:
        return f"{where} crashes instead of failing a test"
    # Catch2 breaks long lines.
    said = re.sub(r"\s+", " ", first_failure(done.stdout)).lower()
    if mutant.words.get("message", "").lower() not in said:
        return (f"{where}: the first test to fail does not say '{mutant.words.get('message')}': see "
                f"{folder / 'output.txt'}")
    print(f"{where} is killed")
    return ""


def draw(chapter, mutant, folder):
    main = folder / "main.cpp"  # beside the mutant's solver.hpp: an include looks there first
    main.write_text(chapter.path("main.cpp").read_text(encoding="utf-8"), encoding="utf-8")
    wrong = compile_program(main, folder, args.include + [str(ROOT / "common")])
    if wrong:
        return f"{chapter.folder}: {mutant}: its program does not compile: {wrong}"
    picture = folder / f"mutant_{mutant.name}.png"
    done = run([folder / "program.exe", *shlex.split(mutant.words["picture"]), "--png", picture],
               LONGEST_RUN)
    if done.returncode != 0:
        return f"{chapter.folder}: {mutant}: its program fails: {done.stdout}"
    if not keep_picture(chapter.path(picture.name), picture, args.pictures == "write"):
        return f"{chapter.folder}/{picture.name} is not what this mistake draws (--pictures write)"
    return ""


def words(text):
    return [word for word in text.split(";") if word]


parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
parser.add_argument("chapter")
parser.add_argument("--work", type=Path, required=True)
parser.add_argument("--cxx", required=True)
parser.add_argument("--include", type=words, action="append", default=[])
parser.add_argument("--link", type=words, action="append", default=[])
parser.add_argument("--flags", default="")
parser.add_argument("--pictures", choices=["check", "write"])
args = parser.parse_args()
args.include = [word for some in args.include for word in some]
args.link = [word for some in args.link for word in some]
problems = []

chapter = next((chapter for chapter in manifest() if chapter.folder == args.chapter), None)
if not chapter:
    finish("mutants", [f"the manifest names no chapter {args.chapter}"])
# The library's assertions stop a mistake that reads or writes beyond the arrays.
compiler = [args.cxx, *shlex.split(args.flags), "-std=c++20", "-O1", "-w", "-ffp-contract=off",
            "-D_GLIBCXX_ASSERTIONS", f'-DREFERENCE_DIR="{TESTS / "reference"}"']
args.include.append(str(ROOT / "chapters"))  # for "07_project/solver.hpp"
test_includes = [str(TESTS)] + args.include
work = args.work.resolve() / chapter.folder

solver = chapter.path("solver.hpp").read_text(encoding="utf-8")
mutants = [Mutant(path) for path in sorted((TESTS / "mutants" / chapter.folder).glob("*.mutant"))]
if len(mutants) < FEWEST:
    problems.append(f"{chapter.folder} has {len(mutants)} mutants, fewer than {FEWEST}")
titles = [mutant.title for mutant in mutants]
for title in sorted({title for title in titles if titles.count(title) > 1}):
    problems.append(f"{chapter.folder}: more than one mutant is called '{title}'")

jobs = []
for mutant in mutants:
    changed = planted(mutant, chapter, solver)
    folder = work / mutant.name
    folder.mkdir(parents=True, exist_ok=True)
    if changed:
        (folder / "solver.hpp").write_text(changed, encoding="utf-8")
        jobs.append((mutant, folder))

if args.pictures:
    jobs = [(draw, chapter, *job) for job in jobs if "picture" in job[0].words]
else:
    # What the test includes beside the solver is compiled once for all mutants.
    test = (TESTS / f"{chapter.folder}.cpp").read_text(encoding="utf-8")
    header = work / "precompiled.hpp"
    header.write_text("".join(line + "\n" for line in re.findall(r"^#include .*", test, flags=re.M)
                              if not re.search(r'"(chapter|solver|cube)\.hpp|"\d\d_', line)),
                      encoding="utf-8")
    run(compiler + [f"-I{path}" for path in test_includes] +
        ["-x", "c++-header", header, "-o", work / "precompiled.hpp.gch"])
    precompiled = ["-include", header]
    right = work / "right"
    right.mkdir(exist_ok=True)
    (right / "solver.hpp").write_text(solver, encoding="utf-8")
    jobs = [(check_right, chapter, right)] + [(check_mutant, chapter, *job) for job in jobs]

with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(lambda job: job[0](*job[1:]), jobs))
problems.extend(result for result in results if result)
finish("mutants", problems)
