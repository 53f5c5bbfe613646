"""Checks that what names a chapter names one that is there, by a link or by its folder, so that a chapter
can get another number:

- in Markdown and in notebooks a chapter's number is the text of a link to its lesson;
- a command with a number in a lesson is about that lesson's chapter, or names the other one's folder;
- in code a chapter is named by its folder;
- the library names no chapter, and nothing of the rooms of common/ that only the book uses;
- README.md shows the drawing of what follows what, and names each chapter.

usage: references.py [--write]      (--write puts the right numbers into links, commands and titles)

To rename a chapter: `git mv` its folders and files, replace its folder's name wherever `git grep` finds it,
and run this with --write.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, finish, manifest

WRITE = "--write" in sys.argv[1:]
# They make up books of their own.
NOT_READ = ("tests/honesty/carry_forward.py", "tests/honesty/functions_test.py", "tests/honesty/manifest_test.py",
            "tests/honesty/steps_test.py", "tests/common/workbook.py")
KINDS = (".cpp", ".hpp", ".cu", ".cuh", ".c", ".h", ".py", ".sh", ".cmake", ".txt", ".mutant", ".in")
chapters = {chapter.folder: chapter for chapter in manifest()}
problems = []


def tracked():
    """The files of the repository, as git lists them; where there is no git, all that are not hidden."""
    done = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True)
    if done.returncode == 0:
        return [name for name in done.stdout.decode().split("\0") if name]
    return [path.relative_to(ROOT).as_posix() for top in
            ("chapters", "common", "cuda", "library", "notebooks", "tests", "README.md", "CONTRIBUTING.md")
            for path in [ROOT / top, *(ROOT / top).rglob("*")] if path.is_file()]


LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]*?)(\d\d_[a-z0-9]+)/README\.md((?:#[^)]*)?)\)")
COMMAND = re.compile(r"(workbook (?:run|numbers|diff|test|start|check)(?: --mine)? )(\d\d?)\b(?!_)")
BARE = re.compile(r"\b[Cc]hapters? \d+|(?<![\w.,:+\-−/·\"'\\$`\[(=^])0[1-9]\b(?![.,:]?\d|_|%)")
# But the benchmark of the library prints "chapter 07 : library ...", which other programs read.
IN_CODE = re.compile(r"\b[Cc]hapters? \d+\b(?! : )|\b(?:as|by|from|in|of|on|since|than|to|with) 0[1-9]\b(?![.:]\d)")


def with_right_numbers(where, text, own):
    """The text with the numbers that its links and commands must have."""
    def link(found):
        words, way, folder, anchor = found.groups()
        if folder not in chapters:
            problems.append(f"{where}: the link {way}{folder} leads to no chapter")
            return found[0]
        if not ((ROOT / where).parent / f"{way}{folder}").is_dir():
            problems.append(f"{where}: the link {way}{folder} leads nowhere")
        words = re.sub(r"(?<![\w.])\d\d(?![\w.]\w)", chapters[folder].number, words, count=1)
        return f"[{words}]({way}{folder}/README.md{anchor})"

    def command(found):
        number = found[2].zfill(2)
        if own:
            return found[1] + own.number
        if number not in (chapter.number for chapter in chapters.values()):
            problems.append(f"{where}: there is no chapter for '{found[0]}'")
        return found[0]

    return COMMAND.sub(command, LINK.sub(link, text))


def prose_of(text):
    """A Markdown text without code, formulas and links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(r"<!--.*?-->|`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]*\$", "", text, flags=re.S)
    return re.sub(r"!?\[[^\]]*\]\([^)]*\)|^# .*$", "", text, flags=re.M)


def check_markdown(where, text):
    numbers = [chapter.number for chapter in chapters.values()]
    for found in BARE.finditer(prose_of(text)):
        number = re.search(r"\d+", found[0])[0]
        if number[0] != "0" and number not in numbers:
            continue  # another book's chapter
        problems.append(f"{where}: '{found[0]}' is not a link to a chapter")


def read(where):
    return (ROOT / where).read_text(encoding="utf-8")


def keep(where, old, new):
    if old == new:
        return
    if WRITE:
        (ROOT / where).write_text(new, encoding="utf-8")
        return
    for before, after in zip(old.splitlines(), new.splitlines()):
        if before != after:
            problems.append(f"{where} has another chapter's number (references.py --write fixes it): "
                            f"{before.strip()[:100]}")


def check_lesson(where):
    text = read(where)
    folder = where.split("/")[1] if where.startswith("chapters/") else None
    own = chapters.get(folder)
    new = with_right_numbers(where, text, own)
    if own:
        new = re.sub(r"\A# \d\d ·", f"# {own.number} ·", new)
    keep(where, text, new)
    check_markdown(where, new)


def check_notebook(where):
    for cell in json.loads(read(where))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if with_right_numbers(where, text, None) != text:
                problems.append(f"{where}: another chapter's number in a link of '{text[:60]}...'")
            check_markdown(where, text)
        else:
            check_code(where, text)


def check_code(where, text):
    for number, line in enumerate(text.splitlines(), 1):
        for found in IN_CODE.finditer(line):
            problems.append(f"{where}, line {number}: '{found[0]}' should be a chapter's folder")
        for name in re.findall(r"(?<![\w.#])\d\d_[a-z][a-z0-9]*(?!\w)", line):
            if name not in chapters and not name.startswith("00_"):
                problems.append(f"{where}, line {number}: there is no chapter {name}")


def check_library(where, text):
    """The library goes into other people's programs: it stands on nothing of the book. Of common/io it uses
    what writes a file whole or not at all, and .vti and .vdb files, which know nothing of the book either."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.search(r"\bchapters/|\bcommon/(?:app|draw|book)\b|\bcommon/io/(?!(?:output|vti|vdb)\.hpp)"
                          r"|(?<!\w)\d\d_[a-z]\w*", line)
        if found:
            problems.append(f"{where}, line {number}: the library names {found[0]}")


def check_front_page():
    text = read("README.md")
    if "](chapters/parts.svg)" not in text:
        problems.append("README.md does not show chapters/parts.svg, which common/book/drawings.py draws")
    for chapter in chapters.values():
        if f"(chapters/{chapter.folder}/README.md)" not in text:
            problems.append(f"README.md does not link {chapter.folder}")
        if chapter.part not in text:
            problems.append(f"README.md does not name the part '{chapter.part}'")


for name in tracked():
    path = ROOT / name
    if not path.is_file() or name in NOT_READ:
        continue
    if name.endswith(".md"):
        check_lesson(name)
    elif name.endswith(".ipynb"):
        check_notebook(name)
    elif path.suffix in KINDS:
        check_code(name, read(name))
    if name.startswith(("library/src/", "library/include/", "library/python/")):
        check_library(name, read(name))
check_front_page()
finish("references", sorted(set(problems), key=problems.index))
