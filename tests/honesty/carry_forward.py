"""Tests common/book/carry_forward.py on a small book of five chapters, one of which is followed by two.

usage: carry_forward.py
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import finish

SCRIPT = Path(__file__).resolve().parents[2] / "common" / "book" / "carry_forward.py"
CHAPTERS = [
    {"folder": "01_one", "title": "One (the first)", "adds": ["one"]},
    {"folder": "02_two", "title": "Two", "follows": "01_one", "adds": ["two"]},
    {"folder": "03_three", "title": "Three", "follows": "02_two", "adds": ["three"], "changes": ["one"]},
    {"folder": "04_side", "title": "Beside it", "follows": "02_two", "adds": ["side"]},
    {"folder": "05_last", "title": "Last", "follows": "03_three", "adds": ["last"]},
]
MANIFEST = json.dumps({"parts": [{"title": "A small book", "chapters": CHAPTERS}]})
HEAD = "// A fluid.\n\n"
ONE = "inline int one() {\n    int a = 1;\n    int b = 2;\n    int c = 3;\n\n    return a + b + c;\n}\n"


def function(name):
    return f"\ninline int {name}() {{\n    return one();\n}}\n"


CHANGED_ONE = ONE.replace("return a + b + c", "return a * b * c")
SOLVERS = {
    "01_one": HEAD + ONE,
    "02_two": HEAD + ONE + function("two"),
    "03_three": HEAD + CHANGED_ONE + function("two") + function("three"),
    "04_side": HEAD + ONE + function("two") + function("side"),
    "05_last": HEAD + CHANGED_ONE + function("two") + function("three") + function("last"),
}
problems = []


def check(good, what):
    if not good:
        problems.append(what)


if shutil.which("git") is None:
    print("skipped: no git here")
    sys.exit(77)

with tempfile.TemporaryDirectory(prefix="a book ") as folder:
    # No settings but our own.
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
                   "GIT_AUTHOR_NAME": "Reader", "GIT_AUTHOR_EMAIL": "reader@example.org",
                   "GIT_COMMITTER_NAME": "Reader", "GIT_COMMITTER_EMAIL": "reader@example.org"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        environment.pop(name, None)
    book = Path(folder) / "book"  # not at the top of its repository

    def git(*words):
        subprocess.run(["git", "-C", folder, *words], env=environment, check=True, capture_output=True)

    def path(chapter, file="solver.hpp"):
        return book / "chapters" / chapter / file

    def carry(*flags, status=0):
        done = subprocess.run([sys.executable, str(SCRIPT), "--book", str(book), *flags],
                              env=environment, capture_output=True, text=True)
        check(done.returncode == status,
              f"{flags}: status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def read(file="solver.hpp"):
        return {chapter: path(chapter, file).read_text(encoding="utf-8") for chapter in SOLVERS}

    def begin_anew():
        for chapter, text in SOLVERS.items():
            path(chapter).write_text(text, encoding="utf-8")
            path(chapter, "main.cpp").write_text(f'// {chapter}\n\nint main() {{\n    return 0;\n}}\n',
                                                 encoding="utf-8")

    for chapter in SOLVERS:
        path(chapter).parent.mkdir(parents=True)
    (book / "chapters" / "manifest.json").write_text(MANIFEST, encoding="utf-8")
    begin_anew()
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "-m", "A book")

    check(read() == SOLVERS and "0 files" in carry(), "without a fix, something is done")

    # A fix in the first chapter reaches all of them, through a chapter that changes what is beside it.
    path("01_one").write_text(SOLVERS["01_one"].replace("int a = 1", "int a = 10"), encoding="utf-8")
    path("01_one", "main.cpp").write_text("// 01_one\n\nint main() {\n    return 1;\n}\n",
                                          encoding="utf-8")
    path("02_two").chmod(0o640)
    before = read()
    said = carry("--dry-run")
    check(read() == before, "--dry-run changes files")
    check("4 files would be changed" in said, f"--dry-run says {said!r}")
    check("4 files" in carry(), "a fix is not carried to four chapters")
    fixed = {chapter: text.replace("int a = 1", "int a = 10") for chapter, text in SOLVERS.items()}
    check(read() == fixed, f"the fix is not in every chapter: {read()}")
    check(path("02_two").stat().st_mode & 0o777 == 0o640, "a file's mode is lost")
    check(all("return 0" in read("main.cpp")[chapter] for chapter in list(SOLVERS)[1:]),
          "main.cpp is carried")
    check("0 files" in carry() and read() == fixed, "a second time something is done")

    # A fix that is committed already.
    git("add", ".")
    git("commit", "--quiet", "-m", "A fix")
    path("02_two").write_text(fixed["02_two"].replace("int c = 3", "int c = 30"), encoding="utf-8")
    git("commit", "--quiet", "-a", "-m", "A fix in one chapter")
    check("0 files" in carry(), "without --base, a committed fix is carried")
    carry("--base", "HEAD~1")
    now = read()
    check("int c = 3;" in now["01_one"], "a fix is carried backwards")
    check(all("int c = 30" in now[chapter] for chapter in list(SOLVERS)[1:]), "--base is not heeded")

    # One that meets a change of its own in 03: only that file is marked, and nothing after it touched.
    begin_anew()
    git("commit", "--quiet", "-a", "-m", "As before")
    path("01_one").write_text(SOLVERS["01_one"].replace("a + b + c", "a - b - c"), encoding="utf-8")
    said = carry("--dry-run", status=1)
    check("<<<<<<<" not in "".join(read().values()), "--dry-run marks a file")
    said = carry(status=1)
    now = read()
    line = 1 + now["03_three"].splitlines().index("<<<<<<< chapters/03_three/solver.hpp")
    check(f"chapters/03_three/solver.hpp:{line}:" in said, f"no file and line: {said!r}")
    check("--after 03_three" in said, f"does not say how to go on: {said!r}")
    check("a - b - c" in now["02_two"], "the chapter before the conflict has not got the fix")
    check(now["04_side"] == SOLVERS["04_side"] and now["05_last"] == SOLVERS["05_last"],
          "a file after the conflict is touched")
    check("a * b * c" in now["03_three"] and "a - b - c" in now["03_three"], "a version is lost")
    check("fix it first" in carry(status=1), "goes on with a file that is marked")
    check(read() == now, "goes on with a file that is marked")

    # Mended by hand; then the rest.
    path("03_three").write_text(SOLVERS["03_three"].replace("int b = 2", "int b = 20"), encoding="utf-8")
    carry("--after", "03_three")
    now = read()
    check("a - b - c" in now["04_side"], "the other chapter that follows 02 has not got the fix")
    check("a * b * c" in now["05_last"] and "int b = 20" in now["05_last"],
          "what was fixed is not carried on")

    check("no revision" in carry("--base", "nowhere", status=2), "a wrong --base is not refused")
    check("no chapter" in carry("--after", "09_none", status=2), "a wrong --after is not refused")
    left = [str(one) for one in book.rglob(".*")]
    check(not left, f"left behind: {left}")
finish("carry_forward", problems)
