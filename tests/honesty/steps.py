"""Checks that each chapter is one honest step: its solver.hpp differs from that of the chapter it
follows only where the manifest says so, within the budget, and loses or moves nothing on the way. (A
chapter with a grid of its own may put things elsewhere and say them anew, but must name them all.) Its
window grows by additions, too.

usage: steps.py [BOOK]   (the folder that holds chapters/; this repository by default)
"""

import difflib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import LARGE, ROOT, comments, finish, manifest, parts_of, without_comment
from functions import declarations, named, signature

MOST_ADDED, MOST_REMOVED = 85, 15  # about 80
MOST_WINDOW_LINES, MOST_WINDOW_REMOVED = 350, 15  # of main.cpp
MAY_USE_THREADS = ("22_cells", "23_cuda", "33_fast")  # and so common/parallel.hpp
MOST_IN_OWN_FILE = 80
MOST_LINES = 300  # of a chapter that begins another grid
MOST_FUNCTION_LINES, MOST_PARAMETERS = 40, 6

root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
problems = []


def code_lines(lines):
    return [line for line in map(without_comment, lines) if line.strip()]


def is_there(name, parts, text):
    """Whether a solver has a part of that name, or a struct in it such a member function."""
    return name in parts or any(one.owner for one in named(text, name))


def check_parts(chapter, before, after, new):
    """Whether what differs is what the manifest says."""
    where = f"{chapter.folder}/solver.hpp"
    added = chapter.adds + chapter.gives
    for name in before:
        if name not in after and name not in chapter.drops:
            problems.append(f"{where}: {name} of {chapter.follows} is gone")
    for name in chapter.drops:
        if name not in before or name in after:
            problems.append(f"{where}: DROPS names {name}, which " + (
                "is there" if name in after else f"{chapter.follows} does not have"))
    for name, part in after.items():
        if name == "head":
            continue
        if name not in before:
            if name not in added:
                problems.append(f"{where}: {name} is new, but neither ADDS nor GIVES names it")
        elif part != before[name] and name not in chapter.changes \
                and not (chapter.new_grid and name in added):
            problems.append(f"{where}: {name} is not byte for byte that of {chapter.follows}, "
                            "but the manifest's CHANGES does not name it")
    for name in added:
        if not is_there(name, after, new):
            problems.append(f"{where}: the manifest names {name} as new, which is not there")
        elif name in before and not (chapter.new_grid and before[name] != after.get(name)):
            problems.append(f"{where}: the manifest names {name} as new, which {chapter.follows} has "
                            "already")
    for name in sorted({name for name in added + chapter.changes
                        if (added + chapter.changes).count(name) > 1}):
        problems.append(f"{where}: the manifest names {name} twice")
    for name in chapter.changes:
        if name in before and before[name] == after.get(name):
            problems.append(f"{where}: CHANGES names {name}, which has not changed")
        elif name not in before or name not in after:
            problems.append(f"{where}: CHANGES names {name}, which is not in both chapters")


def check_kept(chapter, before, after, old, new):
    """Whether what is kept is all there, in its order."""
    where = f"{chapter.folder}/solver.hpp"
    includes = set(re.findall(r"#include.*", before["head"]))
    gone = includes - set(re.findall(r"#include.*", after["head"]))
    problems.extend(f"{where}: {line} is gone" for line in sorted(gone))
    kept = [name for name in after if name in before]
    if kept != [name for name in before if name in after]:
        problems.append(f"{where}: the parts of {chapter.follows} come in another order")
    dropped = [words for name in chapter.drops for words in comments(before.get(name, ""))]
    for words in comments(old):
        if words not in comments(new) and words not in dropped:
            problems.append(f"{where}: the comment '{words}' of {chapter.follows} is gone")


def check_size(chapter, old, new):
    where = f"{chapter.folder}/solver.hpp"
    diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    added = code_lines(line[1:] for line in diff if line.startswith("+"))
    removed = code_lines(line[1:] for line in diff if line.startswith("-"))
    print(f"{chapter.folder}: {len(added)} lines added, {len(removed)} removed")
    if chapter.new_grid:
        count = len(code_lines(new.splitlines()))
        if chapter.folder not in LARGE and count > MOST_LINES:
            problems.append(f"{where}: {count} lines; the budget of a new grid is {MOST_LINES}")
        return
    if chapter.folder not in LARGE and (len(added) > MOST_ADDED or len(removed) > MOST_REMOVED):
        problems.append(f"{where}: {len(added)} lines added and {len(removed)} removed; the budget "
                        f"is {MOST_ADDED} and {MOST_REMOVED}")
    parts = dict(parts_of(new))
    given = sum(len(code_lines(parts.get(name, "").splitlines())) for name in chapter.gives)
    if chapter.folder not in LARGE and given > len(added) / 3:
        problems.append(f"{where}: {given} of {len(added)} added lines are given; the budget is a third")
    # Lines that a new if or else guards are no mere re-indentation.
    guarded, inside = [], False
    for line in added:
        inside = inside and not line.strip().startswith("}")
        if inside:
            guarded.append(line.strip())
        inside = inside or bool(re.match(r"\s*(?:\} )?(?:if|else)\b.*\{$", line))
    for line in removed:
        if re.search(r"\w", line) and line.strip() in [other.strip() for other in added] \
                and line.strip() not in guarded:
            problems.append(f"{where}: '{line.strip()}' is merely moved or re-indented")


def check_functions(chapter, text):
    """Whether each function is short and takes few parameters."""
    for one in declarations(text):
        if one.kind != "function" or one.body is None or chapter.folder in LARGE:
            continue
        where = f"{chapter.folder}/solver.hpp: {one.name}"
        lines = len(code_lines(text[one.start:one.end].splitlines()))
        if lines >= MOST_FUNCTION_LINES:
            problems.append(f"{where} has {lines} lines; the budget is below {MOST_FUNCTION_LINES}")
        parameters = signature(text, one).split("(", 1)[1].split(")")[0]
        depth, count = 0, 1 if parameters.strip() else 0
        for sign in parameters:
            depth += (sign in "<[{") - (sign in ">]}")
            count += sign == "," and depth == 0
        if count > MOST_PARAMETERS:
            problems.append(f"{where} has {count} parameters; the budget is {MOST_PARAMETERS}")


def check_own_file(chapter):
    """A chapter that adds a file of its own: its solver.hpp is that of the chapter it follows, and the file keeps
    to the budget. (What is given stands beside it.)"""
    where = f"{chapter.folder}/{chapter.writes}"
    text = chapter.path(chapter.writes, root).read_text(encoding="utf-8")
    old, new = (one.path("solver.hpp", root).read_bytes() for one in (chapters[chapter.follows], chapter))
    if old != new:
        problems.append(f"{chapter.folder}/solver.hpp is not byte for byte that of {chapter.follows}")
    count = len(code_lines(text.splitlines()))
    print(f"{chapter.folder}: {count} lines in {chapter.writes}")
    if count > MOST_IN_OWN_FILE:
        problems.append(f"{where}: {count} lines; the budget is {MOST_IN_OWN_FILE}")
    parts = [name for name, _ in parts_of(text) if name != "head"]
    if parts != chapter.adds:
        problems.append(f"{where}: its parts are {parts}, and ADDS names {chapter.adds}")
    check_functions(chapter, text)


def check_window(chapter):
    """Whether main.cpp is short, and what an earlier window shows is still there."""
    where = f"{chapter.folder}/main.cpp"
    new = chapter.path("main.cpp", root).read_text(encoding="utf-8").splitlines()
    if chapter.folder in LARGE:
        return
    if len(new) > MOST_WINDOW_LINES:
        problems.append(f"{where} has {len(new)} lines; the budget is {MOST_WINDOW_LINES}")
    if not chapter.follows or chapter.new_grid:
        return
    old = chapters[chapter.follows].path("main.cpp", root).read_text(encoding="utf-8").splitlines()
    removed = [line for line in list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
               if line.startswith("-")]
    if len(removed) > MOST_WINDOW_REMOVED:
        problems.append(f"{where}: {len(removed)} lines of {chapter.follows}'s are removed; the budget is "
                        f"{MOST_WINDOW_REMOVED}")


def check_step(chapter, old, new):
    before, after = dict(parts_of(old)), dict(parts_of(new))
    check_parts(chapter, before, after, new)
    if not chapter.new_grid:
        check_kept(chapter, before, after, old, new)
    check_size(chapter, old, new)


def may_use_eigen(chapter):
    """From a chapter with a new grid on."""
    return chapter.new_grid or chapter.follows and may_use_eigen(chapters[chapter.follows])


chapters = {chapter.folder: chapter for chapter in manifest(root)}
if not chapters:
    problems.append("the manifest names no chapters")
for chapter in chapters.values():
    solver = chapter.path("solver.hpp", root).read_text(encoding="utf-8")
    check_functions(chapter, solver)
    if chapter.has_own_file:
        check_own_file(chapter)
    elif chapter.follows:
        previous = chapters[chapter.follows].path("solver.hpp", root).read_text(encoding="utf-8")
        check_step(chapter, previous, solver)
    else:
        for name in chapter.adds:
            if not re.search(rf"\b{name}\(", solver):
                problems.append(f"{chapter.folder}/solver.hpp: ADDS names {name}, which is not there")
    for include in re.findall(r'#include\s+(\S+)', solver):
        eigen = r"|<(unsupported/)?Eigen/\w+>" if may_use_eigen(chapter) else ""
        threads = r'|"common/parallel\.hpp"' if chapter.folder in MAY_USE_THREADS else ""
        if not re.fullmatch(r"<[a-z_]+>" + eigen + threads, include):
            problems.append(f"{chapter.folder}/solver.hpp: {include} is not the standard library's")
    missing = [path for path in ("solver.hpp", "main.cpp", "numbers.cpp")
               if not chapter.path(path, root).is_file()]
    problems.extend(f"{chapter.folder}/{path} is missing" for path in missing)
    if missing:
        continue
    check_window(chapter)
    program = chapter.path("main.cpp", root).read_text(encoding="utf-8")
    if f'program("{chapter.folder}", "{chapter.title}")' not in program:
        problems.append(f"{chapter.folder}/main.cpp does not give the manifest's name and title")
finish("steps", problems)
