"""The maintainer's help: after a fix in the first chapter that has a piece of code, carries it into all
chapters that follow it, and those that follow them.

For each chapter in the manifest's order, what has changed since the last commit in the solver.hpp of the
chapter that it follows is merged into its own, unless that has a grid of its own. Where it cannot be
done, the file is left with the two versions marked in it, as git leaves them, and nothing after it is
touched: fix it, and go on with --after. Other files, such as main.cpp, are each chapter's own.

usage: carry_forward.py [--base REVISION] [--after CHAPTER] [--dry-run] [--book FOLDER]
  --base      changes since this revision (HEAD)
  --after     leave this chapter, and those before it in the manifest, as they are
  --dry-run   say what would be done, and do nothing
  --book      the book's folder (this one)
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, manifest

FILE = "solver.hpp"


def fail(words, status=2):
    print(f"carry_forward: {words}", file=sys.stderr)
    sys.exit(status)


def at_revision(root, revision, path):
    """The bytes of a file as they were, or None where there was no such file."""
    done = subprocess.run(["git", "-C", str(root), "cat-file", "blob", f"{revision}:./{path}"],
                          capture_output=True)
    return done.stdout if done.returncode == 0 else None


def merge(ours, base, theirs, labels):
    """Three versions in one: (bytes, number of conflicts)."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, contents in (("ours", ours), ("base", base), ("theirs", theirs)):
            paths.append(Path(folder) / name)
            paths[-1].write_bytes(contents)
        flags = [word for label in labels for word in ("-L", label)]
        done = subprocess.run(["git", "merge-file", "-p", *flags, *map(str, paths)], capture_output=True)
    if not 0 <= done.returncode < 128:
        fail(f"git merge-file: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout, done.returncode


def marked_lines(contents):
    return [k for k, line in enumerate(contents.splitlines(), 1) if line.startswith(b"<<<<<<< ")]


def replace(path, contents):
    """Writes a file so that it is never half written."""
    handle, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(contents)
        os.chmod(new, path.stat().st_mode & 0o777)
        os.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def main():
    parser = argparse.ArgumentParser(prog="carry_forward", add_help=False)
    parser.error = fail
    parser.add_argument("--base", default="HEAD")
    parser.add_argument("--after")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--book", type=Path, default=ROOT)
    parser.add_argument("--help", "-h", action="store_true")
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return
    root = options.book.resolve()
    chapters = [chapter for chapter in manifest(root) if not chapter.page]
    names = [chapter.folder for chapter in chapters]
    if options.after is not None and options.after not in names:
        fail(f"--after: there is no chapter '{options.after}'")
    revision = subprocess.run(["git", "-C", str(root), "rev-parse", "--verify", "--quiet",
                               f"{options.base}^{{commit}}"], capture_output=True, text=True)
    if revision.returncode != 0:
        fail(f"there is no revision '{options.base}' of {root}")
    skipped = set(names[:names.index(options.after) + 1]) if options.after else set()

    would = "would be " if options.dry_run else ""
    touched = 0
    now = {}  # what the files hold, those of a dry run too
    for chapter in chapters:
        path = f"chapters/{chapter.folder}/{FILE}"
        try:
            now[chapter.folder] = (root / path).read_bytes()
        except OSError as problem:
            fail(f"{path}: {problem.strerror}")
        lines = marked_lines(now[chapter.folder])
        if lines:
            fail(f"{path}:{lines[0]}: two versions are marked here: fix it first", 1)
    for chapter in chapters:
        if not chapter.follows or chapter.new_grid or chapter.folder in skipped:
            continue
        path = f"chapters/{chapter.folder}/{FILE}"
        base = at_revision(root, revision.stdout.strip(), f"chapters/{chapter.follows}/{FILE}")
        theirs, ours = now[chapter.follows], now[chapter.folder]
        if base is None or base == theirs:
            continue
        merged, conflicts = merge(ours, base, theirs, (path, f"chapters/{chapter.follows}/{FILE} "
                                  f"at {options.base}", f"chapters/{chapter.follows}/{FILE}"))
        if merged == ours:
            print(f"{path}: has it already")
            continue
        if not options.dry_run:
            replace(root / path, merged)
        now[chapter.folder] = merged
        touched += 1
        if conflicts:
            for line in marked_lines(merged):
                print(f"{path}:{line}: two versions {would}marked: this chapter's and that of "
                      f"{chapter.follows}")
            print(f"Stopped there; {touched - 1} files {would}changed before it. Mend it, then go on "
                  f"with --after {chapter.folder}.")
            sys.exit(1)
        print(f"{path}: {would}changed as {chapter.follows} was")
    print(f"{touched} files {would}changed")


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        fail(f"{problem.filename}: {problem.strerror}")
