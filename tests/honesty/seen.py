"""Skips tests that have passed before with the same files. tests/seen.json says with which.

Some tests take minutes, and their result follows from files of this repository alone. By hand they always run. CI sets
WORKBOOK_UNLESS_SEEN=yes: then those that have been seen to pass are skipped, so that CI takes as long as what has
changed, not as long as the book is. One in ten runs nevertheless, and each commit has another tenth. With
WORKBOOK_RECORD=yes what passes is written into tests/seen.json.

usage: seen.py NAME -- COMMAND...   runs a test, or skips it
       seen.py --seen GROUP         the chapters whose tests in this group are to be skipped, a line each, and what is
                                    no chapter, such as library. What is compiled for them need not be compiled.
       seen.py --record GROUP       writes down that all tests of this group have just passed
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, find, manifest

RECORD = ROOT / "tests" / "seen.json"
ONE_IN = 10
SKIPPED = 77

# The files that a test depends on, by the end of its name: {before} is the chapter that its chapter follows, {earlier}
# each of those whose tests it inherits.
CODE, BEFORE = "chapters/{chapter}/*.[hc]pp", "chapters/{before}/*.[hc]pp"
LESSON = ("tests/honesty/lessons.py", "tests/honesty/lesson_checks/*.py", "chapters/{chapter}/*.md")
TIDY = (".clang-tidy", ".ci/in_few_files.py")
DEPENDS_ON = {
    "mutants": (CODE, BEFORE, "chapters/{chapter}/mutant_*.png", "tests/chapters/{chapter}.cpp", "tests/mutants/{chapter}/*",
                "tests/honesty/mutants.py", "tests/honesty/planted.py", "tests/honesty/exercises.py",
                "tests/honesty/compare_pictures.py"),
    "exercises": (CODE, BEFORE, "tests/chapters/{chapter}.cpp", "tests/honesty/exercises.py",
                  "tests/honesty/planted.py", "common/cmake/mine.cmake"),
    "long_numbers": (CODE, *LESSON),
    "lesson": (BEFORE, *LESSON, "chapters/{chapter}/*", "tests/answers/{chapter}.*", "tests/mutants/{chapter}/*"),
    "pictures": (CODE, *LESSON, "chapters/{chapter}/*.png", "tests/mutants/{chapter}/*", "tests/honesty/compare_pictures.py"),
    "figures": (CODE, "chapters/{chapter}/*.md", "tests/chapters/ranks_figures.py", "tests/benchmarks/many.cpp"),
    "work": (CODE, "tests/chapters/{chapter}_work.cpp", "library/src/*", "library/include/*", "library/CMakeLists.txt"),
    "street": (CODE, "tests/chapters/obstacles.py"),
    "ranks": (CODE, "chapters/31_smoke/*.[hc]pp", "tests/chapters/ranks.py"),
    "inherited": (CODE, "tests/chapters/{earlier}.cpp"),
    "sanitized": (CODE, "tests/chapters/{chapter}*", "tests/chapters/*.py", "tests/support/*.py",
                  "tests/chapters/{earlier}.cpp"),
    "tidy": (CODE, *TIDY),
    "emulated": (CODE, "tests/emulation/*", "tests/chapters/{chapter}_device.cpp"),
    "library": ("library/src/*", "library/include/*", "library/CMakeLists.txt", "library/README.md", "tests/library/*.cpp",
                "tests/emulation/*"),
    # These are whole names.
    "playground": ("playground/*", "webgpu/*.*", "webgpu/node/*", "tests/webgpu/*.js", "common/browser/*.js",
                   "chapters/24_webgpu/*.wgsl"),
    "library.sanitized": ("library/src/*", "library/include/*", "library/examples/*.*", "library/examples/smoke/*",
                          "library/CMakeLists.txt", "tests/library/*.*", "tests/library/version_*/*", "tests/support/*.py"),
    "common.tidy": ("common/*.[hc]pp", "common/*/*.[hc]pp", *TIDY),
    "library.tidy": ("library/src/*.[hc]pp", *TIDY),
}
# How sources are compiled, what runs the tests, and what they measure with.
ALWAYS = ("common/cmake/warnings.cmake", "common/cmake/chapter.cmake", "common/book/book.py", "common/book/functions.py",
          "common/book/start.py", "common/book/check.py", "common/book/mpi.env", "tests/support/catch.hpp",
          "tests/support/complex_eigenvalues.cpp", "tests/reference/*")

SOURCES = (".c", ".cpp", ".cu", ".cuh", ".h", ".hpp")
LINKED = {"common": "common", "cuda": "cuda", "library": "library/src"}
COMMENT = re.compile(rb"^[ \t]*//.*\n", flags=re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', flags=re.M)
INCLUDED_FROM = ("", "chapters", "tests/support", "library/include")


def earlier(chapter):
    """The folders of the chapters whose tests it inherits."""
    while chapter.follows and not chapter.new_grid:
        chapter = find(chapter.follows)
        yield chapter.folder


def patterns_of(name):
    """The patterns of the files that a test depends on, and its chapter, if it is one of a chapter."""
    if name in DEPENDS_ON:
        return DEPENDS_ON[name], None
    of, _, kind = name.rpartition(".")
    chapter = find(of)
    if not chapter:
        return DEPENDS_ON["library"], None
    patterns = []
    for pattern in DEPENDS_ON[kind]:
        if "{earlier}" in pattern:
            patterns += [pattern.format(earlier=folder) for folder in earlier(chapter)]
        else:
            patterns.append(pattern.format(chapter=chapter.folder, before=chapter.follows))
    return patterns, chapter


def files_of(patterns):
    """The files of these patterns, and all that the sources among them include."""
    found = set()
    for pattern in patterns:
        found.update(path for path in ROOT.glob(pattern) if path.is_file())
    left = sorted(found)
    while left:
        path = left.pop()
        for more in included_by(path) - found:
            found.add(more)
            left.append(more)
    return sorted(found)


@lru_cache(maxsize=None)
def included_by(path):
    """The files that a source includes. With those of common/, cuda/ and library/ comes what is linked with them."""
    if path.suffix not in SOURCES:
        return set()
    found = set()
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        places = [path.parent / name, *(ROOT / folder / name for folder in INCLUDED_FROM)]
        file = next((place.resolve() for place in places if place.is_file()), None)
        if file:
            found.add(file)
            found.update(linked_with(file.relative_to(ROOT).parts[0]))
    return found


@lru_cache(maxsize=None)
def linked_with(room):
    """All sources that are linked with a header in this top folder."""
    if room not in LINKED:
        return set()
    return {path for path in (ROOT / LINKED[room]).rglob("*") if path.suffix in SOURCES and path.parent.name != "browser"}


def content(path, is_shown):
    """What counts of a file. A comment that fills its line changes no program, but a lesson shows it."""
    whole = path.read_bytes()
    return whole if is_shown or path.suffix not in SOURCES else COMMENT.sub(b"", whole)


def digest(name, words=()):
    """The digest (SHA-256) of all that the test depends on: its flags, what the manifest says, and files. Where the
    repository, the build and libraries lie does not count."""
    patterns, chapter = patterns_of(name)
    words = [name, *(word for word in words if "/" not in word)]
    if chapter:
        words.append(repr(sorted(vars(chapter).items())))
    total = hashlib.sha256("\n".join(words).encode())
    for path in files_of([*ALWAYS, *patterns]):
        total.update(f"\n{path.relative_to(ROOT).as_posix()}\n".encode())
        total.update(content(path, name.endswith(".lesson")))
    return total.hexdigest()


def names_in(group):
    """The tests of a group: one for each chapter, and those of what is no chapter."""
    return [f"{chapter.folder}.{group}" for chapter in manifest()] + [name for name in DEPENDS_ON if name.endswith(f".{group}")]


def seen_in(group):
    """The chapters, and what is no chapter, whose tests in this group are to be skipped."""
    return [name.rpartition(".")[0] for name in names_in(group) if is_skipped(name, digest(name))]


def is_drawn(name):
    """Whether the test belongs to the tenth that runs for this commit."""
    drawn = hashlib.sha256(f"{name} {commit()}".encode()).hexdigest()
    return int(drawn[:8], 16) % ONE_IN == 0


@lru_cache(maxsize=None)
def commit():
    """The commit that is checked out, or nothing where there is no Git."""
    if not shutil.which("git"):
        return ""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout.strip()


def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}


def is_skipped(name, now):
    """Whether CI skips the test, whose digest is `now`."""
    return bool(os.environ.get("WORKBOOK_UNLESS_SEEN")) and recorded().get(name) == now and not is_drawn(name)


def record(digests):
    """Writes down what has passed, by name. Tests run at the same time, and each adds its own line."""
    import fcntl  # which Windows lacks

    folder = os.open(RECORD.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    made = RECORD.with_suffix(".new")
    made.write_text(json.dumps({**recorded(), **digests}, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(made, RECORD)
    os.close(folder)


def run(name, command):
    now = digest(name, command)
    if is_skipped(name, now):
        print(f"{name}: skipped, since it has passed with these files")
        return SKIPPED
    status = subprocess.run(command).returncode
    if status == 0 and os.environ.get("WORKBOOK_RECORD"):
        record({name: now})
    return status


def main():
    words = sys.argv[1:]
    if len(words) > 2 and words[1] == "--":
        return run(words[0], words[2:])
    if len(words) != 2 or words[0] not in ("--seen", "--record"):
        print(__doc__.split("usage: ")[1], file=sys.stderr)
        return 2
    if words[0] == "--record":
        record({name: digest(name) for name in names_in(words[1])})
    else:
        print("\n".join(seen_in(words[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
