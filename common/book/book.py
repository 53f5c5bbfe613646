"""What is known about the book as a whole. The workbook script asks it:

usage: book.py list                    the chapters by part, and what each adds
       book.py map                     which chapter follows which, drawn
       book.py folders                 the chapters' folders, a line each
       book.py last                    of these, the ones that have all the code of those that they follow
       book.py folder CHAPTER          a chapter's folder: 04 and 04_diffuse are the same chapter
       book.py programs [CHAPTER...]   the folders of those (or all) whose program runs in a browser
       book.py mine CHAPTER            the folder, where the reader has begun to write that chapter
       book.py writes CHAPTER          the file in it that holds what the chapter adds
       book.py page CHAPTER            the folder of its page, where its program is one, or nothing
       book.py follows CHAPTER         the folder of the chapter that it follows, or nothing
       book.py packages CHAPTER        the Debian packages that it alone needs
       book.py code CHAPTER            the pairs of files that `workbook diff` compares, a line each
"""

import re
import signal
import sys

from manifest import ROOT, manifest

# The variables of the environment that mpiexec reads: each line of mpi.env sets one.
ON_RANKS = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / "common/book/mpi.env").read_text(encoding="utf-8"), flags=re.M))


def find(wanted, root=ROOT):
    """The chapter of that number or folder, which may be one that it had before, or None."""
    wanted = wanted.zfill(2) if wanted.isdigit() else wanted
    return next((chapter for chapter in manifest(root)
                 if wanted in (chapter.folder, chapter.number, *chapter.formerly)), None)


def still_under(chapter, root=ROOT):
    """The old name of the chapter's folder in mine/ under which the reader's own file still lies, or None."""
    return next((old for old in chapter.formerly if (root / "mine" / old / chapter.writes).is_file()), None)


def under_an_old_name(wanted, root=ROOT):
    """What to tell a reader who asks for this chapter and has no file of it, but one that lies under an old name:
    this chapter's, or one with this chapter's number. None if there is no such file."""
    if (root / "mine" / wanted.folder / wanted.writes).is_file():
        return None
    for chapter in manifest(root):
        old = still_under(chapter, root)
        if old and (chapter.folder == wanted.folder or old.startswith(f"{wanted.number}_")):
            return f"your mine/{old} is chapter {chapter.number} now: mv mine/{old} mine/{chapter.folder}"
    return None


def tree(chapters):
    """Which chapter follows which, as lines of text. A line goes on while just one chapter follows. Each of several
    that follow the same one has a line of its own, which begins with that one and stands further to the right."""
    def drawn(line, last, indent):
        rest = [chapter.folder for chapter in chapters if chapter.follows == last]
        while len(rest) == 1:
            last = rest[0]
            line += f" \u2500 {last}"
            rest = [chapter.folder for chapter in chapters if chapter.follows == last]
        lines = [indent + line]
        for one in rest:
            lines += drawn(f"{last} \u2500 {one}", one, indent + "  ")
        return lines

    return [line for chapter in chapters if not chapter.follows for line in drawn(chapter.folder, chapter.folder, "")]


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


def on_ranks(program, flags):
    """The words that run a chapter's program with these flags. As in `workbook run`, --ranks N may come first."""
    return ["mpiexec", "-n", flags[1], program, *flags[2:]] if flags[:1] == ["--ranks"] else [program, *flags]


def end_with_the_reader():
    """Where somebody reads what a program prints and has read enough, as `head -1` has, the program ends quietly."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def last_of_lines(chapters):
    """The chapters that have all the code of those that they follow, and that no other has the code of."""
    followed = {chapter.follows for chapter in chapters if not chapter.new_grid and not chapter.has_own_file}
    return [chapter for chapter in chapters if chapter.folder not in followed and not chapter.page]


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
        elif words == ["last"]:
            print("\n".join(chapter.folder for chapter in last_of_lines(manifest())))
        elif words[:1] == ["folder"] and len(words) == 2:
            print(chapter_of(words[1]).folder)
        elif words[:1] == ["mine"] and len(words) == 2:
            chapter = chapter_of(words[1])
            if not (ROOT / "mine" / chapter.folder / chapter.writes).is_file():
                return refuse(under_an_old_name(chapter) or
                              f"there is no mine/{chapter.folder}/{chapter.writes} yet; "
                              f"begin with: ./workbook start {chapter.number}")
            print(chapter.folder)
        elif words[:1] == ["programs"]:
            asked = [chapter_of(word) for word in words[1:]] or manifest()
            print("\n".join(chapter.folder for chapter in asked if chapter.in_browser))
        elif words[:1] == ["writes"] and len(words) == 2:
            print(chapter_of(words[1]).writes)
        elif words[:1] == ["page"] and len(words) == 2:
            print(chapter_of(words[1]).page or "")
        elif words[:1] == ["follows"] and len(words) == 2:
            print(chapter_of(words[1]).follows or "")
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
    end_with_the_reader()
    sys.stdout.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:]))
