"""Checks that each chapter is one honest step from the chapter it follows. The manifest names every part of
solver.hpp that the step adds, gives, changes or drops, and every default that it changes; what the manifest does
not name is byte for byte what it was. Functions stay short and take few parameters, solver.hpp includes nothing that
a reader could not paste into a game, and a chapter's folder includes nothing from another chapter's.

How large a step is, is printed. Nothing fails by it.

usage: steps.py [BOOK]   (the folder that holds chapters/; this repository by default)
"""

import difflib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, finish, manifest
from functions import declarations, defaults, named, parameters, parts_of, signature, without_comments

MAY_USE_THREADS = ("22_cells", "23_cuda", "52_fast")  # and so common/parallel.hpp
MOST_FUNCTION_LINES, MOST_PARAMETERS = 39, 6
MOST_STEP_LINES = 40  # of a kernel that is one of several steps

root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
problems = []


def read(chapter, name):
    return chapter.path(name, root).read_text(encoding="utf-8")


def code_lines(lines):
    return [line for line in map(without_comments, lines) if line.strip()]


def is_there(name, parts, text):
    """Whether a solver has a part of that name, or a struct in it such a member function."""
    return name in parts or any(one.owner for one in named(text, name))


def takes_other_parameters(name, old, new):
    """Whether no function of that name can be called as one in the solver before: it is another function."""
    before, after = ({signature(text, one) for one in named(text, name)} for text in (old, new))
    return bool(before) and bool(after) and not before & after


def check_parts(chapter, old, new):
    """Whether what differs is what the manifest says."""
    where = f"{chapter.folder}/solver.hpp"
    before, after = dict(parts_of(old)), dict(parts_of(new))
    added = chapter.adds + chapter.gives
    for name in before:
        if name not in after and name not in chapter.drops:
            problems.append(f"{where}: {name} of {chapter.follows} is gone, but 'drops' does not name it")
    for name in chapter.drops:
        if name not in before or name in after:
            problems.append(f"{where}: 'drops' names {name}, which " + (
                "is there" if name in after else f"{chapter.follows} does not have"))
    for name, part in after.items():
        if name == "head":
            continue
        if name not in before:
            if name not in added:
                problems.append(f"{where}: {name} is new, but neither 'adds' nor 'gives' names it")
        elif part != before[name] and name not in chapter.changes \
                and not (name in added and (chapter.new_grid or takes_other_parameters(name, old, new))):
            problems.append(f"{where}: {name} is not byte for byte that of {chapter.follows}, "
                            "but 'changes' does not name it")
    for name in added:
        if not is_there(name, after, new):
            problems.append(f"{where}: the manifest names {name} as new, which is not there")
        elif name in before and not (chapter.new_grid and before[name] != after.get(name)) \
                and not takes_other_parameters(name, old, new):
            problems.append(f"{where}: the manifest names {name} as new, which {chapter.follows} has "
                            "already")
    for name in sorted({name for name in added + chapter.changes
                        if (added + chapter.changes).count(name) > 1}):
        problems.append(f"{where}: the manifest names {name} twice")
    for name in chapter.changes:
        if name in before and before[name] == after.get(name):
            problems.append(f"{where}: 'changes' names {name}, which has not changed")
        elif name not in before or name not in after:
            problems.append(f"{where}: 'changes' names {name}, which is not in both chapters")


def check_defaults(chapter, old, new):
    """Whether the manifest names each default that is another than before."""
    where = f"{chapter.folder}/solver.hpp"
    before, after = defaults(old), defaults(new)
    changed = [name for name in after if name in before and after[name] != before[name]]
    for name in changed:
        if name not in chapter.defaults:
            problems.append(f"{where}: {name} is {after[name]}, in {chapter.follows} it is {before[name]}, but "
                            "'defaults' does not name it")
    for name in chapter.defaults:
        if name not in changed:
            problems.append(f"{where}: 'defaults' names {name}, which is what it is in {chapter.follows}")


def print_size(chapter, name, old, new):
    diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    added, removed = (len(code_lines(line[1:] for line in diff if line.startswith(sign))) for sign in "+-")
    count = len(code_lines(new.splitlines()))
    print(f"{chapter.folder}/{name}: {count} lines of code: {added} added, {removed} removed")


def check_functions(where, text):
    """Whether each function is short and takes few parameters."""
    for one in declarations(text):
        if one.kind != "function":
            continue
        lines = len(code_lines(text[one.start:one.end].splitlines()))
        if lines > MOST_FUNCTION_LINES:
            problems.append(f"{where}: {one.name} has {lines} lines of code, more than {MOST_FUNCTION_LINES}")
        count = len(parameters(text, one))
        if count > MOST_PARAMETERS:
            problems.append(f"{where}: {one.name} has {count} parameters, more than {MOST_PARAMETERS}")


def check_own_file(chapter):
    """A chapter that adds a file of its own: its solver.hpp, if it has one, is that of the chapter it follows, but for
    what it changes there."""
    if not chapter.page:
        before, after = (dict(parts_of(read(one, "solver.hpp"))) for one in (chapters[chapter.follows], chapter))
        for name in sorted(before.keys() | after.keys()):
            if (before.get(name) != after.get(name)) != (name in chapter.changes):
                problems.append(f"{chapter.folder}/solver.hpp: {name} is " + (
                    f"that of {chapter.follows}, but 'changes' names it" if name in chapter.changes else
                    f"not byte for byte that of {chapter.follows}, but 'changes' does not name it"))
    text = read(chapter, chapter.writes)
    parts = {name for name, _ in parts_of(text) if name != "head"}
    named_parts = set(chapter.adds + chapter.gives)
    for name in sorted(parts ^ named_parts):
        problems.append(f"{chapter.folder}/{chapter.writes}: {name} is " + (
            "there, but neither 'adds' nor 'gives' names it" if name in parts else
            "not there, but the manifest names it"))
    check_functions(f"{chapter.folder}/{chapter.writes}", text)
    print_size(chapter, chapter.writes, "", text)


def may_use_eigen(chapter):
    """From a chapter with a new grid on."""
    return chapter.new_grid or chapter.follows and may_use_eigen(chapters[chapter.follows])


def check_includes(chapter, solver):
    for include in re.findall(r'#include\s+(\S+)', solver):
        eigen = r"|<(unsupported/)?Eigen/\w+>" if may_use_eigen(chapter) else ""
        threads = r'|"common/parallel\.hpp"' if chapter.folder in MAY_USE_THREADS else ""
        if not re.fullmatch(r"<[a-z_]+>" + eigen + threads, include):
            problems.append(f"{chapter.folder}/solver.hpp: {include} is not the standard library's")


def check_folder(chapter):
    """Whether what its files include is the chapter's own, or stands in a room that several share."""
    others = "|".join(map(re.escape, chapters.keys() - {chapter.folder}))
    for path in sorted(chapter.path("", root).glob("*.[hc]pp")):
        for include in re.findall(rf'#include "((?:{others})/\S+)"', path.read_text(encoding="utf-8")):
            problems.append(f"{chapter.folder}/{path.name} includes {include}: what two chapters need stands in window/")


def check_page(chapter):
    """A chapter whose program is a page: its kernels are short, too."""
    check_own_file(chapter)
    for path in sorted((root / chapter.page).glob("*.wgsl")):
        check_functions(f"{chapter.page}/{path.name}", path.read_text(encoding="utf-8"))
        if re.match(r"\w+_\d_", path.name) and len(path.read_text(encoding="utf-8").splitlines()) > MOST_STEP_LINES:
            problems.append(f"{chapter.page}/{path.name} is a step of more than {MOST_STEP_LINES} lines")


def check_chapter(chapter):
    if chapter.page:
        check_page(chapter)
        return
    missing = [name for name in dict.fromkeys(["solver.hpp", "main.cpp", "numbers.cpp", chapter.writes])
               if not chapter.path(name, root).is_file()]
    if missing:
        problems.extend(f"{chapter.folder}/{name} is missing" for name in missing)
        return
    solver, window = read(chapter, "solver.hpp"), read(chapter, "main.cpp")
    before = chapters.get(chapter.follows)
    old_solver, old_window = (read(before, name) if before else "" for name in ("solver.hpp", "main.cpp"))
    check_functions(f"{chapter.folder}/solver.hpp", solver)
    check_includes(chapter, solver)
    check_folder(chapter)
    if chapter.has_own_file:
        check_own_file(chapter)
    elif before:
        check_parts(chapter, old_solver, solver)
        check_defaults(chapter, old_solver, solver)
    else:
        for name in chapter.adds:
            if not is_there(name, dict(parts_of(solver)), solver):
                problems.append(f"{chapter.folder}/solver.hpp: 'adds' names {name}, which is not there")
    print_size(chapter, "solver.hpp", old_solver, solver)
    print_size(chapter, "main.cpp", old_window, window)
    if f'("{chapter.folder}", "{chapter.title}"' not in window:
        problems.append(f"{chapter.folder}/main.cpp does not give the manifest's name and title")


chapters = {chapter.folder: chapter for chapter in manifest(root)}
if not chapters:
    problems.append("the manifest names no chapters")
for chapter in chapters.values():
    check_chapter(chapter)
finish("steps", problems)
