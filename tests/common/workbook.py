"""Tests the script `workbook`, and the reader of the manifest behind it, where neither builds anything.

usage: workbook.py
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "book"))
from book import Chapter, KEYS, finish, manifest, tree

problems = []


def check(good, what):
    if not good:
        problems.append(what)


def ask(*words, status=0, path=None):
    """`path`: where to look for programs, if not where this one does."""
    done = subprocess.run([shutil.which("sh"), str(ROOT / "workbook"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8",
                          env={**os.environ, "PATH": path or os.environ["PATH"]})
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

# The browser edition: what is wrong is said before anything is built or installed.
check("no --what" in ask("browser", "--what", status=2), "browser does not refuse a wrong option")
check("no chapter '99'" in ask("browser", "--build-only", "99", status=2), "browser does not refuse chapter 99")


def skips(command, path, words, status):
    """Checks that a command says aloud what it skips."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8",
                          env={**os.environ, "PATH": path, "CHROMIUM": ""})
    check(done.returncode == status and done.stdout.startswith("SKIPPED") and words in done.stdout,
          f"{command} without {words}: status {done.returncode}: {done.stdout} {done.stderr}")


# A machine that has a shell and Python, and little else.
with tempfile.TemporaryDirectory() as folder:
    bare = Path(folder) / "bin"
    bare.mkdir()
    for tool in ("dirname", "mkdir"):
        (bare / tool).symlink_to(shutil.which(tool))
    (bare / "python3").symlink_to(sys.executable)
    said = ask("browser", "--build-only", status=2, path=str(bare))
    check("Emscripten is not here" in said, f"browser without Emscripten says {said}")
    browser = ROOT / "tests" / "browser"
    skips([sys.executable, str(browser / "agree.py"), "--code", folder, "--bin", folder], str(bare), "Node", 77)
    if shutil.which("node"):
        skips([shutil.which("node"), str(browser / "pages.js"), folder], str(bare), "Chromium", 77)
    # The script alone, since this clone may have an edition.
    script = Path(folder) / "tests" / "browser" / "check.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(browser / "check.sh", script)
    skips([shutil.which("sh"), str(script)], str(bare), "edition", 0)
    edition = Path(folder) / "build" / "browser"
    edition.mkdir(parents=True)
    (edition / "index.html").touch()
    skips([shutil.which("sh"), str(script)], str(bare), "Node", 0)
finish("workbook", problems)
