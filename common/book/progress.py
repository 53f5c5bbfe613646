"""How far the reader has come, from the files in mine/ alone.

usage: progress.py          a line for each chapter: not begun, 3 of 5 functions, done
       progress.py next     the folder of the first chapter that is begun and not done

A chapter is done when all its tests have passed with the file as it is now. `check` and `watch` record that beside the
file: .passed holds a fingerprint of its code. Comments and blanks do not count, so a file may still be tidied up.
"""

import hashlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, end_with_the_reader, manifest, still_under
from functions import NotReadable, named, without_comments
from start import start_text, to_write

MINE = ROOT / "mine"


def code_of(text):
    """The text without comments and blanks."""
    return "".join(without_comments(text).split())


def functions_of(text, name):
    """The code of the functions of that name."""
    return {code_of(text[one.start:one.end]) for one in named(text, name)}


def fingerprint(text):
    return hashlib.sha256(code_of(text).encode()).hexdigest()


def record(folder, text):
    """Records that all tests of the chapter pass with this text. `folder` is the one that the reader's file lies in."""
    new = folder / f".passed.{os.getpid()}"
    new.write_text(fingerprint(text) + "\n", encoding="utf-8")
    os.replace(new, folder / ".passed")


def left_to_write(chapter, text):
    """The names of the functions that the chapter asks for and that are missing, or are as `start` lays them down.
    Throws NotReadable where the braces of the text do not match."""
    begun, reference = start_text(chapter), chapter.path(chapter.writes).read_text(encoding="utf-8")
    left = []
    for name in to_write(chapter):
        empty, own = functions_of(begun, name) - functions_of(reference, name), functions_of(text, name)
        if not own or own & empty:
            left.append(name)
    return left


def text_of(chapter, mine=MINE):
    """The reader's file, or None."""
    path = mine / chapter.folder / chapter.writes
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None


def is_done(chapter, mine=MINE):
    text, passed = text_of(chapter, mine), mine / chapter.folder / ".passed"
    return text is not None and passed.is_file() and passed.read_text(encoding="utf-8").strip() == fingerprint(text)


def in_words(chapter, mine=MINE):
    """How far the reader is with that chapter."""
    text = text_of(chapter, mine)
    if text is None:
        old = still_under(chapter, mine.parent)
        return f"lies in mine/{old}: mv mine/{old} mine/{chapter.folder}" if old else "not begun"
    if is_done(chapter, mine):
        return "done"
    try:
        count = len(to_write(chapter))
        written = count - len(left_to_write(chapter, text))
    except NotReadable:
        return "begun; its braces do not match"
    words = f"{written} of {count} function{'s' * (count != 1)}"
    return words if written < count else f"{words}; ./workbook check {chapter.number} says whether they are right"


def first_to_go_on_with(mine=MINE):
    """The first chapter that the reader has begun and not finished, or None."""
    return next((chapter for chapter in manifest()
                 if text_of(chapter, mine) is not None and not is_done(chapter, mine)), None)


def first_to_begin(mine=MINE):
    """The first chapter that the reader has not begun, or None."""
    return next((chapter for chapter in manifest() if text_of(chapter, mine) is None), None)


def main(words):
    if words == ["next"]:
        chapter, further = first_to_go_on_with(), first_to_begin()
        if chapter is None:
            begin = f"; begin with: ./workbook start {further.number}" if further else ""
            print(f"workbook: no chapter is begun and not done{begin}", file=sys.stderr)
            return 2
        print(chapter.folder)
        return 0
    if words:
        print("workbook: progress takes no words after it", file=sys.stderr)
        return 2
    for one in manifest():
        print(f"  {one.folder:<14} {in_words(one)}")
    return 0


if __name__ == "__main__":
    end_with_the_reader()
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
