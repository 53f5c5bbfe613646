"""Tests the script `workbook`, and the reader of the manifest behind it, where neither builds anything.

usage: workbook.py
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "book"))
from book import Chapter, KEYS, finish, manifest, tree

problems = []


def check(good, what):
    if not good:
        problems.append(what)


def ask(*words, status=0):
    done = subprocess.run(["sh", str(ROOT / "workbook"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8")
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stderr}")
    if status != 0:
        check(len(done.stderr.splitlines()) == 1, f"{words}: not one line on stderr, but {done.stderr!r}")
    return done.stdout if status == 0 else done.stderr


if sys.platform == "win32":
    print("skipped: the script is for a POSIX shell")
    sys.exit(77)

chapters = manifest()
said = ask("list")
for chapter in chapters:
    check(re.search(rf"^  {chapter.folder} +{re.escape(chapter.title)} +adds ", said, flags=re.M),
          f"list does not name {chapter.folder} with its title")
    check(f"\n{chapter.part}\n" in f"\n{said}", f"list does not name the part {chapter.part}")
check(said.index(chapters[0].part) < said.index(chapters[0].folder) < said.index(chapters[-1].part),
      "the parts do not stand above their chapters")

# A book that branches: what follows what, drawn.
parts = {key: [] for key in KEYS}
small = [Chapter(name, {**parts, "FOLLOWS": [before] if before else []}, "")
         for name, before in (("01_a", None), ("02_b", "01_a"), ("11_c", "02_b"), ("12_d", "11_c"),
                              ("21_e", "02_b"), ("31_f", "11_c"))]
check(tree(small) == ["01_a ─ 02_b", "├─ 11_c", "│  ├─ 12_d", "│  └─ 31_f", "└─ 21_e"],
      f"the map of a small book is {tree(small)}")

# A number, with or without its zero, and a name are the same chapter.
check(ask("diff", "4") == ask("diff", "04") == ask("diff", "04_diffuse"), "4, 04 and 04_diffuse differ")
for chapter in chapters:
    said = ask("diff", chapter.number)
    for name in chapter.code():
        if chapter.has_own_file and name == "solver.hpp":  # it is that of the chapter before
            continue
        path = f"chapters/{chapter.folder}/{name}"
        check(f"\n+++ {path}\n" in said, f"diff {chapter.number} does not show {path} under its name")
    check(not re.search(r"^(---|\+\+\+) .*\d\d:\d\d", said, flags=re.M), "diff's labels tell times")
check("no chapter '99'" in ask("diff", "99", status=2), "a chapter that is not there is not refused")
check("no chapter" in ask("run", "nothing", status=2), "run does not refuse a chapter that is not there")
check("which chapter" in ask("run", status=2), "run without a chapter does not ask for one")
check("start 04" in ask("start", status=2), "start without a chapter gives no example")
check("no command" in ask("dance", status=2), "an unknown command is not refused")
finish("workbook", problems)
