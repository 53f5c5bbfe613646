"""Keeps the lessons true to the code. In a lesson, what comes from elsewhere stands behind a comment
that says where from:

    <!-- part NAME -->            a listing: that part of the chapter's solver.hpp (or what it writes instead),
                                  verbatim
    <!-- kernel NAME -->          the kernel NAME.wgsl, whole, in the folder of the chapter's page
    <!-- change NAME -->          how that part differs from the one in the chapter before; after several
                                  names only the lines that differ, with the lines beside them
    <!-- answer NAME -->          the same from tests/answers/CHAPTER.cpp
    <!-- console: FLAGS -->       what the chapter's program prints with these flags
    <!-- stats -->                the size of the step
    <!-- picture FILE: FLAGS -->  an image that the chapter's program draws with these flags
    <!-- mutants --> ... <!-- end of mutants -->  the classic mistakes, from tests/mutants

Two more comments stand before figures in prose, so that these are computed again:

    <!-- figures FLAGS: SUM = FIGURE; ... -->   the program runs with these flags, of which the last is --history
                                  or --save. SUM is computed from the columns of the file that this writes, such
                                  as kinetic_energy[50] / kinetic_energy[0]. The figure is in the text below.
    <!-- figures answers: CHECKED = FIGURE; ... -->   a test of the chapter's answers, in tests/answers, checks
                                  for the number CHECKED.
    <!-- long numbers --> ... <!-- end of long numbers -->   --numbers --long prints each figure between the two

What a chapter adds must be shown by `part`, and what it changes by `change`; a chapter that begins a new grid
must name what it changes.

The picture of a mistake stands beside the correct one, drawn with the same flags. That is one of the lesson's
other pictures, if one of them has these flags, or else correct.png, correct_2.png and so on. What it shows is
said in tests/mutants/CHAPTER/correct.txt, a line for all pictures with the same flags. Flags that must not
change the correct picture, `--threads N`, do not count: it is drawn with them, too, but is there once.

    --scene drag --steps 30: the stroke is a little dimmer at its end

The checks are in the folder lesson_checks, a module for each kind of what is checked.

usage: lessons.py --bin DIR [--write]      check the lessons, or bring them up to date
       lessons.py --bin DIR --pictures [--write]   the same for the pictures
       lessons.py --bin DIR --long CHAPTER   run the chapter's long numbers, and check what the lesson says of them
       --only CHAPTER...                     of these chapters alone
       --without CHAPTER...                  of all but these
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import find, finish, manifest
from lesson_checks import changes, figures, prose
from lesson_checks.listings import Listings
from lesson_checks.page import Lesson
from lesson_checks.program import Program


def check(lesson, write):
    """Brings the lesson up to date if `write` says so, and checks it."""
    text = lesson.text()
    lines = text.rstrip("\n").split("\n")
    listings = Listings(lesson)
    new = "\n".join(listings.rewritten(lines)) + "\n"
    listings.check_all_is_shown(lines)
    if write:
        lesson.path().write_text(new, encoding="utf-8")
    elif new != text:
        changed = changes.differences(text.splitlines(), new.splitlines(), 0)
        lesson.problems.append(f"{lesson.where} is not up to date (lessons.py --write fixes it):\n    "
                               + "\n    ".join(changed[:12]))
    prose.check_sections(lesson, new)
    prose.check_length(lesson, new)
    figures.check_printed(lesson, new)
    prose.check_shown(lesson, new)
    prose.check_links(lesson, new)
    figures.check_computed(lesson, lesson.whole_text())


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--bin", required=True)
    arguments.add_argument("--write", action="store_true")
    arguments.add_argument("--pictures", action="store_true")
    arguments.add_argument("--long")
    arguments.add_argument("--only", nargs="+", metavar="CHAPTER", default=[])
    arguments.add_argument("--without", nargs="+", metavar="CHAPTER", default=[])
    options = arguments.parse_args()
    problems = []
    chapters = {chapter.folder: chapter for chapter in manifest()}
    lessons = {folder: Lesson(chapter, chapters, Program(chapter, Path(options.bin), problems), problems)
               for folder, chapter in chapters.items()}
    if options.long:
        figures.check_long(lessons[options.long])
        finish(f"long numbers of {options.long}", problems)
    only = [find(wanted).folder for wanted in options.only] or list(lessons)
    without = [find(unwanted).folder for unwanted in options.without]
    for folder in (one for one in only if one not in without):
        lesson = lessons[folder]
        if lesson.program.is_missing():
            print(f"skipped: {folder}, whose libraries are not installed")
        elif not lesson.path().is_file():
            problems.append(f"{folder} has no lesson")
        elif options.pictures:
            from lesson_checks.pictures import check_pictures  # by Pillow, which nothing else here needs
            check_pictures(lesson, options.write)
        else:
            check(lesson, options.write)
    finish("pictures" if options.pictures else "lessons", problems)


main()
