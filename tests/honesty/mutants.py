"""Checks that the tests of a chapter's idea catch the mistakes that students make, and say what is
wrong. Each file in tests/mutants/<chapter>/ plants one such mistake in the chapter's solver.hpp,
or in the file that it WRITES instead:

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

To be quick, the tests are compiled once, against a solver.hpp that only declares its functions, and linked
with each mutant's functions. Only where a mistake is in something else, such as a struct or a template, are
they compiled for it. The same goes for the chapter's program, which draws the pictures.

usage: mutants.py CHAPTER --work DIR --cxx COMPILER [--include=DIR]... [--link=WORD]... [--flags=WORDS]
                          [--link-program=WORD]... [--write] [--pictures]
       --link-program   what a chapter's program is linked with; without it no pictures are drawn
       --write          replace the pictures in the chapter's folder by those that are drawn
       --pictures       only draw the pictures: no tests
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
from book import ON_RANKS, ROOT, find, finish, on_ranks, parts_of
from check import just, list_tests
from functions import apart
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
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=limit,
                          env={**os.environ, **ON_RANKS})


def first_error(done):
    """The first error of a compiler's run, or nothing."""
    if done.returncode == 0:
        return ""
    lines = done.stdout.splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else "no reason given")


def precompile(source, folder):
    """Compiles what a source includes besides the solver, once for all its compilations. What must be
    said to the compiler, to make use of it."""
    header = folder / (source.stem + "_headers.hpp")
    header.write_text("".join(line + "\n" for line in
                              re.findall(r"^#include .*", source.read_text(encoding="utf-8"), flags=re.M)
                              if not re.search(r'"(chapter|solver|many|parts|cube|staggered|box_fields)\.hpp|"\d\d_', line)),
                      encoding="utf-8")
    run(compiler + ["-x", "c++-header", header, "-o", f"{header}.gch"])
    return ["-include", header]


def compile_object(source, folder, result, more=()):
    """Compiles one source with the solver.hpp in `folder`. The first error, or nothing."""
    return first_error(run([*compiler, *more, "-I", folder, "-c", source, "-o", result]))


class Kind:
    """The chapter's tests, or its program: something that is compiled with solvers."""

    def __init__(self, name, source, link, folder):
        self.name, self.source, self.link = name, source, link
        self.headers = precompile(source, folder)
        self.object = folder / f"{name}.o"  # compiled against declarations
        self.wrong = compile_object(source, declared_only, self.object, self.headers)

    def executable(self, folder, solver, functions, wrong):
        """Makes the executable for the solver in `folder`, whose functions are compiled already, if they
        could be compiled apart. The first error, or nothing."""
        if functions and wrong:
            return wrong
        own = self.object
        if self.wrong or not functions:
            own, functions = folder / f"{self.name}.o", None
            wrong = compile_object(self.source, folder, own, self.headers)
            if wrong:
                return wrong
        # Windows runs nothing that does not end in .exe; to the others it is a name like any other.
        return first_error(run(compiler + [own, *([functions] if functions else []), "-o",
                                           folder / f"{self.name}.exe"] + self.link))


def functions_of(folder, solver):
    """Compiles the solver's functions by themselves, if they are declared as those of the right solver are.
    The object, or None; and the first error, or nothing."""
    declared, defined = apart(solver)
    if declared != right_declared:
        return None, ""
    source = folder / "functions.cpp"
    source.write_text(defined.replace("#pragma once", ""), encoding="utf-8")
    return folder / "functions.o", compile_object(source, folder, folder / "functions.o", solver_headers)


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


def check(mutant, folder):
    """Whether the mutant's first test to fail says what is wrong, and its picture is the lesson's. With no
    mutant: whether all tests pass. What is wrong, in lines."""
    where = f"{chapter.folder}: {mutant or 'the solver without a mistake'}"
    solver = (folder / chapter.writes).read_text(encoding="utf-8")
    functions, wrong = functions_of(folder, solver)
    problems = []
    for kind in kinds if mutant and "picture" in mutant.words else kinds[:1]:
        failed = kind.executable(folder, solver, functions, wrong)
        if failed:
            problems.append(f"{where}: its {kind.name} cannot be built: {failed}")
    return problems or [problem for problem in (
        not args.pictures and run_tests(mutant, folder, where),
        mutant and draw(mutant, folder, where)) if problem]


def run_tests(mutant, folder, where):
    """Runs one test after the other, until one fails."""
    executable = folder / "tests.exe"
    for name in list_tests(executable):
        try:
            done = run([executable, just(name)], LONGEST_RUN)
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


def draw(mutant, folder, where):
    if not program or "picture" not in mutant.words:
        return ""
    picture = folder / f"mutant_{mutant.name}.png"
    done = run([*on_ranks(folder / "program.exe", shlex.split(mutant.words["picture"])), "--png", picture],
               LONGEST_RUN)
    if done.returncode != 0:
        return f"{where}: its program fails: {done.stdout}"
    if not keep_picture(chapter.path(picture.name), picture, args.write):
        return f"{chapter.folder}/{picture.name} is not what this mistake draws (--write)"
    return ""


def words(text):
    return [word for word in text.split(";") if word]


parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
parser.add_argument("chapter")
parser.add_argument("--work", type=Path, required=True)
parser.add_argument("--cxx", required=True)
parser.add_argument("--include", type=words, action="append", default=[])
parser.add_argument("--link", type=words, action="append", default=[])
parser.add_argument("--link-program", type=words, action="append", default=[])
parser.add_argument("--flags", default="")
parser.add_argument("--write", action="store_true")
parser.add_argument("--pictures", action="store_true")
args = parser.parse_args()
args.include = [word for some in args.include for word in some]
args.link = [word for some in args.link for word in some]
args.link_program = [word for some in args.link_program for word in some]
problems = []

chapter = find(args.chapter)
if not chapter:
    finish("mutants", [f"the manifest names no chapter {args.chapter}"])
# The library's assertions stop a mistake that reads or writes beyond the arrays.
compiler = [args.cxx, *shlex.split(args.flags), "-std=c++20", "-O1", "-w", "-ffp-contract=off",
            "-D_GLIBCXX_ASSERTIONS", f'-DREFERENCE_DIR="{TESTS / "reference"}"']
compiler += [f"-I{path}" for path in
             [TESTS / "support", *args.include, ROOT / "chapters", ROOT, ROOT / "library" / "include"]]
if chapter.has_own_file:  # for the solver.hpp beside it; the mutant's folder comes first
    compiler += ["-idirafter", str(chapter.path(""))]
work = args.work.resolve() / chapter.folder
work.mkdir(parents=True, exist_ok=True)

solver = chapter.path(chapter.writes).read_text(encoding="utf-8")
mutants = [Mutant(path) for path in sorted((TESTS / "mutants" / chapter.folder).glob("*.mutant"))]
if len(mutants) < FEWEST:
    problems.append(f"{chapter.folder} has {len(mutants)} mutants, fewer than {FEWEST}")
titles = [mutant.title for mutant in mutants]
for title in sorted({title for title in titles if titles.count(title) > 1}):
    problems.append(f"{chapter.folder}: more than one mutant is called '{title}'")

right = work / "right"
jobs = [] if args.pictures else [(None, right)]
for mutant in mutants:
    if args.pictures and "picture" not in mutant.words:
        continue
    changed = planted(mutant, chapter, solver)
    if changed:
        jobs.append((mutant, work / mutant.name))
        jobs[-1][1].mkdir(exist_ok=True)
        (jobs[-1][1] / chapter.writes).write_text(changed, encoding="utf-8")
right.mkdir(exist_ok=True)
(right / chapter.writes).write_text(solver, encoding="utf-8")

right_declared, _ = apart(solver)
declared_only = work / "declared"
declared_only.mkdir(exist_ok=True)
(declared_only / chapter.writes).write_text(right_declared, encoding="utf-8")
solver_headers = precompile(chapter.path(chapter.writes), work)
kinds = []
if not args.pictures:
    kinds.append(Kind("tests", TESTS / "chapters" / f"{chapter.folder}.cpp", args.link, work))
program = None
if args.link_program and any("picture" in mutant.words for mutant in mutants):
    main = work / "program.cpp"  # where no solver.hpp lies: an include looks there first
    main.write_text(chapter.path("main.cpp").read_text(encoding="utf-8") +
                    "\nbool numbers(const workbook::Program&) { return true; }\n", encoding="utf-8")
    program = Kind("program", main, args.link_program, work)
    kinds.append(program)

with ThreadPoolExecutor(os.cpu_count()) as pool:
    for found in pool.map(lambda job: check(*job), jobs):
        problems += found
finish("mutants", problems)
