"""What the checks know about the book: its manifest, and how a solver.hpp falls into parts."""

import re
import sys
from pathlib import Path

from functions import NotReadable, declarations

ROOT = Path(__file__).resolve().parents[2]


class Chapter:
    """What the manifest says. `new_grid` is the reason why nothing is inherited, or None."""

    def __init__(self, folder, parts):
        self.folder = folder
        self.follows, self.title, self.new_grid = (
            (parts[key] + [None])[0] for key in ("FOLLOWS", "TITLE", "NEW_GRID"))
        self.title = self.title or ""
        self.adds, self.gives = parts["ADDS"], parts["GIVES"]
        self.changes, self.drops = parts["CHANGES"], parts["DROPS"]

    @property
    def number(self):
        return int(self.folder.split("_")[0])

    def path(self, name, root=ROOT):
        return root / "chapters" / self.folder / name


def manifest(root=ROOT):
    """The chapters in reading order, from chapters/CMakeLists.txt."""
    text = (root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*", "", text, flags=re.M)
    chapters = []
    for call in re.findall(r'^add_chapter\(((?:[^()"]|"[^"]*")*)\)', text, flags=re.M):
        words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|([^\s"]+)', call)]
        parts = {key: [] for key in ("FOLLOWS", "TITLE", "NEW_GRID", "ADDS", "GIVES", "CHANGES",
                                     "DROPS", "RETIRES", "NEEDS")}
        key = None
        for word in words[1:]:
            if word in parts:
                key = word
            else:
                parts[key].append(word)
        chapters.append(Chapter(words[0], parts))
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


def blocks(text):
    """The text where blank lines part it, but not inside of braces; a comment that stands alone goes
    with what comes after it."""
    found, block, depth = [], [], 0
    for line in text.splitlines(keepends=True):
        if line.strip() == "" and depth == 0:
            if any(without_comment(above).strip() for above in block):
                found.append("".join(block))
                block = []
            elif block:
                block.append(line)
            continue
        block.append(line)
        code = without_comment(line)
        depth += code.count("{") - code.count("}")
    return found + ["".join(block)] * bool(block)


def name_of(part):
    """What a part declares: the name of its function, its type or its constant; or None."""
    try:
        found = declarations(part)
    except NotReadable:
        return None
    first = found[0] if found else None
    known = first and (first.kind in ("struct", "enum", "function")
                       or re.match(r"(?:inline |static )?(?:constexpr|const|using)\b", part[first.start:]))
    if first and re.match(r"using\s+(?!namespace)", part[first.start:]):
        return re.match(r"using\s+(\w+)", part[first.start:]).group(1)
    return first.name if known and first.name and first.name != "TEST_CASE" else None


def parts_of(text):
    """The top-level parts of a solver, in order: (name, text). A part is a declaration with the
    comment above it; what stands before the first one is called 'head'. Functions of the same name
    are one part, which stands where the first of them does."""
    named, head = {}, []
    for part in blocks(text):
        name = name_of(part)
        if name or named:
            named.setdefault(name or "?", []).append(part)
        else:
            head.append(part)
    return [("head", "\n".join(head))] + [(name, "\n".join(some)) for name, some in named.items()]


def finish(name, problems):
    """Prints the problems and ends the program with the status that CTest looks at."""
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{name}: {len(problems)} problems")
    sys.exit(1 if problems else 0)
