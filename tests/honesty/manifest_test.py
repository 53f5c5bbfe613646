"""Tests the reader of the manifest: each mistake is refused with its line and its cause, by CMake, too; and both
read what is unusual alike.

usage: manifest_test.py [--cmake PROGRAM]
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "book"))
from book import finish
from manifest import Reader, WrongManifest

GOOD = r"""{
  "parts": [
    {
      "title": "A part (the first), with \"quotes\" # and a bracket]",
      "chapters": [
          {"folder": "01_one",
         "title": "One; \"two\" \\ three \u2013 four [five",
         "adds": ["fade"]},
        {
          "folder": "02_two",
          "title": "Two",
          "follows": "01_one",
          "adds": ["step"],
          "retires": [{"tag": "open-walls", "reason": "they [held] nothing; now they do"}],
          "in_browser": false
        }
      ]
    }
  ]
}
"""
WRONG = [  # what is replaced, what takes its place, the line, what is said
    ('"adds": ["fade"]}', '"adds": ["fade"]', 9, "this is not JSON"),
    ('"parts"', '"parts": [], "more"', 1, "whose only member"),
    ('"parts": [', '"parts": [], "parts": [', 2, 'two "parts"'),
    (GOOD[1:-2], '"parts": []', 1, "one part or more"),
    ('"chapters": [', '"chapters": [], "chapters": [', 5, 'two "chapters"'),
    ('"chapters": [', '"chapter": [', 5, 'then its "chapters"'),
    ('{"folder": "01_one",', '{', 7, 'begins with its "folder"'),
    ('"02_two"', '"two"', 10, "two digits"),
    ('"follows": "01_one"', '"folows": "01_one"', 12, 'what is "folows"?'),
    ('"follows": "01_one"', '"follows": "03_three"', 12, "does not stand above"),
    ('"follows": "01_one"', '"title": "Zwei"', 11, 'two "title"'),
    ('"follows": "01_one"', '"new_grid": "since"', 12, "follows no chapter"),
    ('"adds": ["step"]', '"adds": "step"', 13, '"adds" must be a list'),
    ('"adds": ["step"]', '"adds": ["step", 3]', 13, '"adds" must be a list'),
    ('          "adds": ["step"],\n', "", 10, 'has no "adds"'),
    ('[{"tag": "open-walls", "reason"', '[{"tag": "open-walls", "tag": "walls", "reason"', 14, 'two "tag"'),
    ('[{"tag": "open-walls", "reason"', '[{"tag": "open-walls", "why"', 14, '"retires" is a list of objects'),
    ('"in_browser": false', '"in_browser": "no"', 15, '"in_browser" must be true or false'),
    ('"folder": "02_two"', '"folder": "02_three"', 10, "there is no folder chapters/02_three"),
    ('"folder": "02_two"', '"folder": "01_two"', 10, "two chapters 01"),
]
# What CMake reads of a manifest, in a project of its own.
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
set(Python3_Interpreter_FOUND TRUE)
set(Python3_EXECUTABLE "{Path(sys.executable).as_posix()}")
include({ROOT.as_posix()}/common/cmake/manifest.cmake)
function(add_chapter chapter)
  json_text(folder "${{chapter}}" folder)
  json_text(title "${{chapter}}" title)
  json_text(in_browser "${{chapter}}" in_browser)
  json_list(adds "${{chapter}}" adds)
  json_list(retires "${{chapter}}" retires tag)
  file(APPEND ${{CMAKE_BINARY_DIR}}/read "${{folder}}|${{title}}|${{adds}}|${{retires}}|${{in_browser}}\\n")
endfunction()
add_chapters()
"""
problems = []


def book(folder, text):
    """A book with that manifest, and folders for its chapters."""
    for name in ("01_one", "02_two", "01_two", "03_three"):
        (folder / "chapters" / name).mkdir(parents=True, exist_ok=True)
    (folder / "chapters" / "manifest.json").write_text(text, encoding="utf-8")
    return folder


def read_wrong(folder):
    for old, new, line, words in WRONG:
        if GOOD.count(old) < 1:
            problems.append(f"{old} is not in the good manifest")
        try:
            Reader(book(folder, GOOD.replace(old, new, 1))).read()
            problems.append(f"{new} is read")
        except WrongManifest as problem:
            said = str(problem)
            if f"line {line}: " not in said or words not in said:
                problems.append(f"{new}: not line {line} and '{words}', but {said}")


def cmake_reads(cmake, folder):
    """That CMake reads the good manifest as the book does."""
    (book(folder, GOOD) / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    build = folder / "build"
    done = subprocess.run([cmake, "-S", folder, "-B", build], capture_output=True, text=True)
    if done.returncode != 0:
        problems.append(f"CMake does not read the good manifest: {done.stderr}")
        return
    expected = ""
    for chapter in Reader(folder).read():
        retires = {"02_two": "open-walls"}.get(chapter.folder, "")
        in_browser = {"02_two": "OFF"}.get(chapter.folder, "")
        expected += f"{chapter.folder}|{chapter.title}|{';'.join(chapter.adds)}|{retires}|{in_browser}\n"
    read = (build / "read").read_text(encoding="utf-8")
    if read != expected:
        problems.append(f"CMake reads {read!r}, and the book {expected!r}")


def cmake_refuses(cmake, folder):
    """That CMake ends with what the book says of a wrong manifest."""
    old, new, line, words = WRONG[-1]
    (book(folder, GOOD.replace(old, new, 1)) / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
    done = subprocess.run([cmake, "-S", folder, "-B", folder / "build"], capture_output=True, text=True)
    said = " ".join(done.stderr.split())  # it breaks lines
    if done.returncode == 0 or f"line {line}: " not in said or words not in said:
        problems.append(f"of a wrong manifest, CMake says: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        chapters = Reader(book(Path(folder), GOOD)).read()
        if [chapter.title for chapter in chapters] != ['One; "two" \\ three \u2013 four [five', "Two"] \
                or chapters[1].in_browser or not chapters[0].in_browser:
            problems.append(f"the good manifest is read as {[vars(chapter) for chapter in chapters]}")
        read_wrong(Path(folder))
        shutil.copytree(ROOT / "common" / "book", Path(folder) / "common" / "book")
        cmake_reads(options.cmake, Path(folder))
        cmake_refuses(options.cmake, Path(folder))
    finish("manifest_test", problems)


main()
