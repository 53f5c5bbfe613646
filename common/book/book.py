"""What is known about the book: its manifest, which nothing else reads, and how a solver.hpp falls into
parts. The workbook script asks it:

usage: book.py list                    the chapters by part, and what each adds
       book.py map                     which chapter follows which, drawn
       book.py folders                 the chapters' folders, a line each
       book.py folder CHAPTER          a chapter's folder: 04 and 04_diffuse are the same chapter
       book.py programs [CHAPTER...]   the folders of those (or all) whose program runs in a browser
       book.py writes CHAPTER          the file in it that holds what the chapter adds
       book.py packages CHAPTER        the Debian packages that it alone needs
       book.py code CHAPTER            the pairs of files that `workbook diff` compares, a line each
"""

import re
import sys
from pathlib import Path

from functions import NotReadable, declarations

ROOT = Path(__file__).resolve().parents[2]
# For Open MPI, which else asks for as many cores, refuses root, explains each exit status, and looks for graphics
# cards by way of a display that may just be closing.
ON_RANKS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_orte_execute_quiet": "1",
            "HWLOC_COMPONENTS": "-gl"}


class Chapter:
    """What the manifest says. `new_grid` is the reason why nothing is inherited, or None. `writes` is the
    file that holds what it adds."""

    def __init__(self, folder, parts, part):
        self.folder = folder
        self.part = part
        self.follows, self.title, self.new_grid = (
            (parts[key] + [None])[0] for key in ("FOLLOWS", "TITLE", "NEW_GRID"))
        self.title = self.title or ""
        self.adds, self.gives = parts["ADDS"], parts["GIVES"]
        self.changes, self.drops = parts["CHANGES"], parts["DROPS"]
        self.packages = parts["PACKAGES"]
        self.in_browser = "NOT_IN_BROWSER" not in parts  # the browser edition has its program
        self.writes = (parts["WRITES"] + ["solver.hpp"])[0]

    @property
    def number(self):
        """As readers write it: "04"."""
        return self.folder.split("_")[0]

    @property
    def has_own_file(self):
        """Whether what it adds stands in a file of its own, beside the solver.hpp of the one it follows."""
        return self.writes != "solver.hpp"

    def path(self, name, root=ROOT):
        return root / "chapters" / self.folder / name

    def code(self, root=ROOT):
        """The names of its files that are code: solver.hpp and main.cpp first, then its companions."""
        first = list(dict.fromkeys([self.writes, "solver.hpp", "main.cpp"]))
        names = {path.name for path in self.path("", root).iterdir()
                 if path.suffix in (".hpp", ".cpp")}
        return [name for name in first if name in names] + sorted(names - set(first))


# Chapters that are still to be split into small steps: the budgets do not bind them yet.
LARGE = ()

KEYS = ("FOLLOWS", "TITLE", "NEW_GRID", "ADDS", "GIVES", "CHANGES", "DROPS", "RETIRES", "NEEDS",
        "PACKAGES", "WRITES")


def manifest(root=ROOT):
    """The chapters in reading order, from chapters/CMakeLists.txt."""
    text = (root / "chapters" / "CMakeLists.txt").read_text(encoding="utf-8")
    text = re.sub(r"^\s*#.*", "", text, flags=re.M)
    chapters, part = [], ""
    for kind, call in re.findall(r'^add_(chapter|part)\(((?:[^()"]|"[^"]*")*)\)', text, flags=re.M):
        words = [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|([^\s"]+)', call)]
        if kind == "part":
            part = words[1]
            continue
        parts = {key: [] for key in KEYS}
        key = None
        for word in words[1:]:
            if word == "NOT_IN_BROWSER":  # a word that stands alone
                parts[word] = []
            elif word in parts:
                key = word
            else:
                parts[key].append(word)
        chapters.append(Chapter(words[0], parts, part))
    return chapters


def find(wanted, root=ROOT):
    """The chapter of that number or folder, or None."""
    wanted = wanted.zfill(2) if wanted.isdigit() else wanted
    return next((chapter for chapter in manifest(root)
                 if wanted in (chapter.folder, chapter.number)), None)


def tree(chapters):
    """Which chapter follows which, as lines of text: on to the right while there is one that follows, and
    below where there are several."""
    def drawn(folder):
        line = folder
        rest = [chapter.folder for chapter in chapters if chapter.follows == folder]
        while len(rest) == 1:
            line += f" \u2500 {rest[0]}"
            rest = [chapter.folder for chapter in chapters if chapter.follows == rest[0]]
        lines = [line]
        for one in rest:
            is_last = one == rest[-1]
            for n, text in enumerate(drawn(one)):
                lines.append((("\u2514\u2500 " if is_last else "\u251c\u2500 ") if n == 0 else
                              ("   " if is_last else "\u2502  ")) + text)
        return lines

    return [line for chapter in chapters if not chapter.follows for line in drawn(chapter.folder)]


def few(names):
    """The later chapters add a lot: the first few names tell enough."""
    return " ".join(names) if len(names) <= 6 else f"{' '.join(names[:5])} and {len(names) - 5} more"


def listing(chapters):
    """The chapters by part, a line each, and the map of what follows what."""
    part = None
    for chapter in chapters:
        if chapter.part != part:
            yield ("" if part is None else "\n") + chapter.part
            part = chapter.part
        changes = f"; changes {few(chapter.changes)}" if chapter.changes else ""
        yield f"  {chapter.folder:<12} {chapter.title:<32} adds {few(chapter.adds)}{changes}"
    yield "\nWhat follows what"
    yield from ("  " + line for line in tree(chapters))


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


def on_ranks(program, flags):
    """The words that run a chapter's program with these flags. As in `workbook run`, --ranks N may come first."""
    return ["mpiexec", "-n", flags[1], program, *flags[2:]] if flags[:1] == ["--ranks"] else [program, *flags]


def finish(name, problems):
    """Prints the problems and ends the program with the status that CTest looks at."""
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{name}: {len(problems)} problems")
    sys.exit(1 if problems else 0)


def main(words):
    def chapter_of(wanted):
        found = find(wanted)
        if not found:
            sys.exit(refuse(f"there is no chapter '{wanted}'; './workbook list' names them all"))
        return found

    def refuse(why):
        print(f"workbook: {why}", file=sys.stderr)
        return 2

    try:
        if words == ["list"]:
            print("\n".join(listing(manifest())))
        elif words == ["map"]:
            print("\n".join(tree(manifest())))
        elif words == ["folders"]:
            print("\n".join(chapter.folder for chapter in manifest()))
        elif words[:1] == ["folder"] and len(words) == 2:
            print(chapter_of(words[1]).folder)
        elif words[:1] == ["programs"]:
            asked = [chapter_of(word) for word in words[1:]] or manifest()
            print("\n".join(chapter.folder for chapter in asked if chapter.in_browser))
        elif words[:1] == ["writes"] and len(words) == 2:
            print(chapter_of(words[1]).writes)
        elif words[:1] == ["packages"] and len(words) == 2:
            print(" ".join(chapter_of(words[1]).packages))
        elif words[:1] == ["code"] and len(words) == 2:
            chapter = chapter_of(words[1])
            before = find(chapter.follows) if chapter.follows else None
            for name in chapter.code():
                old = before.path(name) if before else None
                print(old.relative_to(ROOT).as_posix() if old and old.is_file() else "/dev/null",
                      chapter.path(name).relative_to(ROOT).as_posix())
        else:
            return refuse(__doc__.split("usage: ")[1].splitlines()[0])
    except OSError as problem:
        return refuse(f"{problem.filename} cannot be read: is this a whole clone of the workbook?")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
