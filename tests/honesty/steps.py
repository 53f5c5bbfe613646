"""Checks that each chapter is one honest step: its solver.hpp differs from that of the chapter it
follows only where the manifest says so, within the budget, and loses or moves nothing on the way.

usage: steps.py [BOOK]   (the folder that holds chapters/; this repository by default)
"""

import difflib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, comments, finish, manifest, parts_of, without_comment

MOST_ADDED, MOST_REMOVED = 60, 15

root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
problems = []


def code_lines(lines):
    return [line for line in map(without_comment, lines) if line.strip()]


def check_step(chapter, old, new):
    where = f"{chapter.folder}/solver.hpp"
    before, after = dict(parts_of(old)), dict(parts_of(new))

    for name in before:
        if name not in after:
            problems.append(f"{where}: {name} of {chapter.follows} is gone")
    for name, part in after.items():
        if name == "head":
            includes = set(re.findall(r"#include.*", before["head"]))
            gone = includes - set(re.findall(r"#include.*", part))
            problems.extend(f"{where}: {line} is gone" for line in sorted(gone))
        elif name not in before:
            if name not in chapter.adds:
                problems.append(f"{where}: {name} is new, but the manifest's ADDS does not name it")
        elif part != before[name] and name not in chapter.changes:
            problems.append(f"{where}: {name} is not byte for byte that of {chapter.follows}, "
                            "but the manifest's CHANGES does not name it")
    for name in chapter.adds:
        if name in before:
            problems.append(f"{where}: ADDS names {name}, which {chapter.follows} has already")
        elif name not in after:
            problems.append(f"{where}: ADDS names {name}, which is not there")
    for name in chapter.changes:
        if name in before and before[name] == after.get(name):
            problems.append(f"{where}: CHANGES names {name}, which has not changed")
        elif name not in before:
            problems.append(f"{where}: CHANGES names {name}, which {chapter.follows} does not have")

    kept = [name for name in after if name in before]
    if kept != [name for name in before if name in after]:
        problems.append(f"{where}: the parts of {chapter.follows} come in another order")

    for words in comments(old):
        if words not in comments(new):
            problems.append(f"{where}: the comment '{words}' of {chapter.follows} is gone")

    diff = list(difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0))[2:]
    added = code_lines(line[1:] for line in diff if line.startswith("+"))
    removed = code_lines(line[1:] for line in diff if line.startswith("-"))
    if len(added) > MOST_ADDED or len(removed) > MOST_REMOVED:
        problems.append(f"{where}: {len(added)} lines added and {len(removed)} removed; the budget "
                        f"is {MOST_ADDED} and {MOST_REMOVED}")
    for line in removed:
        if re.search(r"\w", line) and line.strip() in [other.strip() for other in added]:
            problems.append(f"{where}: '{line.strip()}' is merely moved or re-indented")
    print(f"{chapter.folder}: {len(added)} lines added, {len(removed)} removed")


chapters = {chapter.folder: chapter for chapter in manifest(root)}
if not chapters:
    problems.append("the manifest names no chapters")
for chapter in chapters.values():
    solver = chapter.path("solver.hpp", root).read_text(encoding="utf-8")
    if chapter.follows:
        previous = chapters[chapter.follows].path("solver.hpp", root).read_text(encoding="utf-8")
        check_step(chapter, previous, solver)
    else:
        for name in chapter.adds:
            if not re.search(rf"\b{name}\(", solver):
                problems.append(f"{chapter.folder}/solver.hpp: ADDS names {name}, which is not there")
    for include in re.findall(r'#include\s+(\S+)', solver):
        if not re.fullmatch(r"<[a-z_]+>", include):
            problems.append(f"{chapter.folder}/solver.hpp: {include} is not the standard library's")
    for path in ("solver.hpp", "main.cpp"):
        if not chapter.path(path, root).is_file():
            problems.append(f"{chapter.folder}/{path} is missing")
    program = chapter.path("main.cpp", root).read_text(encoding="utf-8")
    if f'program("{chapter.folder}", "{chapter.title}")' not in program:
        problems.append(f"{chapter.folder}/main.cpp does not give the manifest's name and title")
finish("steps", problems)
