"""Reads the book's manifest, chapters/manifest.json: the parts in reading order, and the chapters of each.

A chapter is an object of these members; all but the first three may be missing:

folder      its folder in chapters/
title       as its lesson and its window have it
formerly    the folders that it had before, under other numbers: a reader's own file may still lie under one of them
adds        what its solver.hpp adds to that of the chapter that it follows, for the reader to write
follows     the folder of that chapter
new_grid    the reason why the fluid lives on another grid: earlier tests cannot be compiled against it, its own test
            file says anew what still holds, and the chapters that follow inherit from this one on
anew        the reason why the start file cannot do what the chapter before does
writes      the file that holds what the chapter adds, where that is not solver.hpp, which then is byte for byte
            that of the chapter before, but for what the chapter changes there
gives       what is new, too, but not for the reader to write
changes     what it changes
defaults    the defaults that it changes, such as Fluid::iterations
drops       what is gone
retires     tags of inherited tests that no longer hold, each with the reason
needs       libraries that its program links, as CMake names them
packages    the Debian packages that these are in. `workbook` installs them for this chapter alone; without them its
            program only says what is missing
in_browser  false: the browser edition has its lesson, but no program
page        the folder of its page: its program is not C++, but kernels and the modules of a page. It has no solver.hpp

CMake reads the same file (common/cmake/manifest.cmake).
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "chapters/manifest.json"
MEMBERS = {
    "folder": str, "title": str, "formerly": list, "adds": list, "follows": str, "new_grid": str, "anew": str,
    "writes": str, "gives": list, "changes": list, "defaults": list, "drops": list, "retires": list, "needs": list,
    "packages": list, "in_browser": bool, "page": str,
}
REQUIRED = ("folder", "title", "adds")
IN_WORDS = {str: "a text", list: "a list of texts", bool: "true or false"}


class WrongManifest(Exception):
    """What is wrong with a manifest, and in which line."""


class Chapter:
    """What the manifest says of a chapter. `new_grid` is the reason why nothing is inherited, or None; and `anew` the
    reason why its start file does not do what the chapter before does."""

    def __init__(self, part, members):
        self.part = part
        self.folder, self.title, self.adds = (members[name] for name in REQUIRED)
        self.formerly = members.get("formerly", [])
        self.follows, self.new_grid = members.get("follows"), members.get("new_grid")
        self.anew = members.get("anew")
        self.gives, self.changes = members.get("gives", []), members.get("changes", [])
        self.defaults, self.drops = members.get("defaults", []), members.get("drops", [])
        self.packages = members.get("packages", [])
        self.in_browser = members.get("in_browser", True)
        self.page = members.get("page")
        self.writes = members.get("writes", "solver.hpp")

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
                 if path.suffix in (".hpp", ".cpp", ".wgsl")}
        return [name for name in first if name in names] + sorted(names - set(first))


class Members(dict):
    """An object of the manifest, which remembers a name that stands in it twice."""

    def __init__(self, pairs):
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.twice = next((name for name in names if names.count(name) > 1), None)


def strange(members, *known):
    """The first member of an object that is not known, to be looked for; or nothing."""
    return [name for name in members if name not in known][:1] if isinstance(members, dict) else []


class Reader:
    """Reads the manifest of the book in the folder `root`. It finds the line of a mistake by what stands there."""

    def __init__(self, root):
        self.root = root
        try:
            self.text = (root / NAME).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise WrongManifest(f"{NAME} is not UTF-8") from None
        self.chapters = []

    def wrong(self, why, *near):
        """To be raised. `near` are texts of the manifest: each is looked for behind the one before."""
        at = 0
        for text in near:
            found = re.compile(re.escape(json.dumps(text, ensure_ascii=False))).search(self.text, at)
            at = found.start() if found else at
        return WrongManifest(f"{NAME}, line {self.text.count(chr(10), 0, at) + 1}: {why}")

    def check_twice(self, what, members, *near):
        """Whether each member of an object stands in it once. Of two, one would be dropped without a word."""
        if isinstance(members, dict) and members.twice:
            raise self.wrong(f'{what} has two "{members.twice}"', *near, members.twice)

    def read(self):
        """The chapters in reading order."""
        try:
            book = json.loads(self.text, object_pairs_hook=Members)
        except json.JSONDecodeError as problem:
            raise WrongManifest(f"{NAME}, line {problem.lineno}: this is not JSON: {problem.msg}") from None
        self.check_twice("the manifest", book)
        if not isinstance(book, dict) or list(book) != ["parts"] or not isinstance(book["parts"], list) \
                or not book["parts"]:
            raise self.wrong('the manifest is an object whose only member is "parts", a list with one part or more')
        for part in book["parts"]:
            self.read_part(part)
        return self.chapters

    def read_part(self, part):
        before = [self.chapters[-1].folder] if self.chapters else []
        self.check_twice("a part", part, *before)
        if not isinstance(part, dict) or list(part) != ["title", "chapters"]:
            raise self.wrong('a part has a "title" and then its "chapters"', *before, *strange(part, "title", "chapters"))
        if not isinstance(part["title"], str) or not isinstance(part["chapters"], list) or not part["chapters"]:
            raise self.wrong("a part's title is a text, and its chapters are a list with one chapter or more",
                             *before, "chapters")
        for members in part["chapters"]:
            self.read_chapter(part["title"], members)

    def read_chapter(self, part, members):
        before = ["chapters"]
        if self.chapters:
            before = ["folder", self.chapters[-1].folder]
        if not isinstance(members, dict) or next(iter(members), None) != "folder":
            raise self.wrong('a chapter begins with its "folder"', *before, *strange(members, "folder"))
        folder = members["folder"]
        if not isinstance(folder, str) or not re.fullmatch(r"\d\d_\w+", folder):
            raise self.wrong('a folder is a text of two digits and a name, such as "04_diffuse"', *before, "folder")
        self.check_members(folder, members)
        self.check_place(folder, members)
        self.chapters.append(Chapter(part, members))

    def check_members(self, folder, members):
        """Whether they are what a chapter may have, and of the right kind."""
        self.check_twice(folder, members, folder)
        for name, value in members.items():
            if name not in MEMBERS:
                raise self.wrong(f'{folder}: what is "{name}"? A chapter has {", ".join(MEMBERS)}', folder, name)
            kind = MEMBERS[name]
            if name == "retires":
                self.check_retired(folder, value)
            elif not isinstance(value, kind) or kind is list and not all(isinstance(one, str) for one in value):
                raise self.wrong(f'{folder}: "{name}" must be {IN_WORDS[kind]}', folder, name)
        for name in REQUIRED:
            if name not in members:
                raise self.wrong(f'{folder} has no "{name}"', folder)

    def check_retired(self, folder, value):
        for one in value if isinstance(value, list) else []:
            self.check_twice(f"{folder}: an object in \"retires\"", one, folder, "retires")
        is_right = isinstance(value, list) and all(
            isinstance(one, dict) and list(one) == ["tag", "reason"]
            and all(isinstance(text, str) for text in one.values()) for one in value)
        if not is_right:
            raise self.wrong(f'{folder}: "retires" is a list of objects, each with a "tag" and its "reason"',
                             folder, "retires")

    def check_place(self, folder, members):
        """Whether it stands behind the chapter that it follows, and is not there already."""
        earlier = [chapter.folder for chapter in self.chapters]
        number = folder.split("_")[0]
        if number in [chapter.number for chapter in self.chapters]:
            raise self.wrong(f"there are two chapters {number}", *earlier, folder)
        follows = members.get("follows")
        if follows is not None and follows not in earlier:
            raise self.wrong(f"{folder} follows {follows}, which does not stand above", folder, "follows")
        if "new_grid" in members and follows is None:
            raise self.wrong(f"{folder} has a new grid, but follows no chapter", folder, "new_grid")
        if not (self.root / "chapters" / folder).is_dir():
            raise self.wrong(f"there is no folder chapters/{folder}", folder)


def manifest(root=ROOT):
    """The chapters in reading order. Where the manifest is wrong, the program ends with the reason."""
    try:
        return Reader(root).read()
    except WrongManifest as problem:
        print(f"workbook: {problem}", file=sys.stderr)
        sys.exit(2)
