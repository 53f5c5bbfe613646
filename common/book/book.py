"""What the checks know about the book: its manifest, and how a solver.hpp falls into parts."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Chapter:
    def __init__(self, folder, follows, title, adds, changes):
        self.folder, self.follows, self.title = folder, follows, title
        self.adds, self.changes = adds, changes

    def path(self, name, root=ROOT):
        return root / "chapters" / self.folder / name


def manifest(root=ROOT):
    """The chapters in reading order, from chapters/CMakeLists.txt."""
    text = (root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*", "", text, flags=re.M)
    chapters = []
    for call in re.findall(r'^add_chapter\(((?:[^()"]|"[^"]*")*)\)', text, flags=re.M):
        words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|([^\s"]+)', call)]
        parts = {"FOLLOWS": [], "TITLE": [], "ADDS": [], "CHANGES": [], "RETIRES": []}
        key = None
        for word in words[1:]:
            if word in parts:
                key = word
            else:
                parts[key].append(word)
        chapters.append(Chapter(words[0], (parts["FOLLOWS"] + [None])[0],
                                (parts["TITLE"] + [""])[0], parts["ADDS"], parts["CHANGES"]))
    return chapters


def without_comment(line):
    return line.split("//")[0].rstrip()


def comments(text):
    """The words of each comment in the text."""
    found = []
    for line in text.splitlines():
        if "//" in line:
            found.append(line.split("//", 1)[1].strip("/< \t"))
    return [words for words in found if words]


def parts_of(text):
    """The top-level parts of a solver, in order: (name, text). A part is a declaration with the
    comment above it; what stands before the first one is called 'head'."""
    parts = []
    block, depth = [], 0
    for line in text.splitlines(keepends=True):
        if line.strip() == "" and depth == 0:
            if block:
                parts.append("".join(block))
                block = []
            continue
        block.append(line)
        code = without_comment(line)
        depth += code.count("{") - code.count("}")
    if block:
        parts.append("".join(block))
    named, head = [], []
    for part in parts:
        code = "\n".join(without_comment(line) for line in part.splitlines())
        found = re.search(r"^(?:struct|enum class) (\w+)|^inline [^(]*?(\w+)\(", code, flags=re.M)
        if found:
            named.append((found.group(1) or found.group(2), part))
        elif named:
            named.append(("?", part))
        else:
            head.append(part)
    return [("head", "\n".join(head))] + named


def finish(name, problems):
    """Prints the problems and ends the program with the status that CTest looks at."""
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{name}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
