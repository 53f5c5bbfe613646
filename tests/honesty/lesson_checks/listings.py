"""Brings up to date what a lesson shows of its code and its program, and says what it does not show."""

import re

from book import ROOT
from lesson_checks import changes, mistakes

MARKER = re.compile(r"<!-- (part|kernel|change|answer|console:|stats|mutants)\s*(.*?)\s*-->")
FENCES = {"part": "```cpp", "kernel": "```wgsl", "answer": "```cpp", "change": "```diff", "console:": "```console"}
WGSL = FENCES["kernel"]  # also of parts and answers, where a chapter's kernels are its program
END_OF_MISTAKES = "<!-- end of mutants -->"


def fenced(fence, text):
    return [fence, *text.rstrip("\n").split("\n"), "```"]


class Listings:
    """A lesson's listings. `code`, `before` and `answers_code` are the parts that it may show; `parts`, `changed` and
    `answers` are the names of those that it shows, and `diffs` the lines of its diffs."""

    def __init__(self, lesson):
        self.lesson = lesson
        self.before, self.code, self.answers_code = lesson.code_before(), lesson.code(), lesson.answers()
        self.parts, self.answers, self.changed, self.diffs = [], [], [], []

    def rewritten(self, lines):
        """The lesson with everything that comes from elsewhere as it should be."""
        result, at = [], 0
        while at < len(lines):
            line = lines[at]
            if line in FENCES.values():
                self.lesson.problems.append(f"{self.lesson.where}, line {at + 1}: a listing of unknown source")
            result.append(line)
            at += 1
            marker = MARKER.fullmatch(line)
            if marker:
                new = self.block(*marker.groups())
                if new is not None:
                    result += new
                    at = end_of_block(lines, at, marker[1])
        return result

    def block(self, kind, what):
        """The lines that stand below such a comment, or None if they cannot be made."""
        if kind == "part":
            self.parts.append(what)
            return self.listing(self.code, what)
        if kind == "kernel":
            return fenced(WGSL, (ROOT / self.lesson.chapter.page / f"{what}.wgsl").read_text(encoding="utf-8"))
        if kind == "answer":
            self.answers.append(what)
            return self.listing(self.answers_code, what)
        if kind == "change":
            return self.change(what.split())
        if kind == "console:":
            return self.console(what)
        if kind == "stats":
            return [changes.stats(self.lesson)]
        return [*mistakes.section(self.lesson), END_OF_MISTAKES]

    def listing(self, parts, name):
        if name not in parts:
            self.lesson.problems.append(f"{self.lesson.where}: there is no {name} to show")
            return None
        return fenced(WGSL if self.lesson.chapter.page else FENCES["part"], parts[name])

    def change(self, names):
        diff = changes.diff_of(self.lesson, self.before, self.code, names)
        self.changed += names
        self.diffs += diff
        return fenced(FENCES["change"], "\n".join(diff)) if diff else []

    def console(self, flags):
        command = f"$ ./workbook run {self.lesson.chapter.number} {flags}"
        if flags == "--numbers":
            command = f"$ ./workbook numbers {self.lesson.chapter.number}"
        return fenced(FENCES["console:"], command + "\n" + self.lesson.program.printed(flags))

    def check_all_is_shown(self, lines):
        """That the lesson, which is these lines, shows what the chapter adds and changes, and the answers."""
        chapter, where, problems = self.lesson.chapter, self.lesson.where, self.lesson.problems
        text = chapter.path(chapter.writes).read_text(encoding="utf-8")
        shown = "".join([self.code.get(part, "") for part in self.parts] + self.diffs)
        for name in chapter.adds:
            if not re.search(rf"\b{name}\b", shown) or name not in text:
                problems.append(f"{where} does not show {name}, which the chapter adds")
        for name in chapter.changes:
            if not chapter.new_grid:
                self.check_change(name)
            elif not re.search(rf"\b{name}\b", "\n".join(lines)):
                problems.append(f"{where} does not name {name}, which is new for its grid")
        for name, answer in self.answers_code.items():
            if name != "head" and name not in self.answers and re.search(rf"\b(?:inline|fn) {name}\b", answer):
                problems.append(f"{where} does not show the answer {name}")

    def check_change(self, name):
        """That the lesson shows once, and as a change, what the chapter changes."""
        where, count = self.lesson.where, self.changed.count(name)
        if name in self.parts:
            self.lesson.problems.append(f"{where} lists {name} anew: show what changed, by <!-- change {name} -->")
        elif count != 1:
            self.lesson.problems.append(f"{where} shows {count} times how {name} changes: there must be one "
                                        f"<!-- change {name} -->")


def end_of_block(lines, at, kind):
    """Where the old lines end that stand below such a comment."""
    if at == len(lines):
        return at
    if kind == "stats":
        return at + 1 if re.match(r"`[\w.]+` has ", lines[at]) else at
    if kind == "mutants":
        while at < len(lines) and lines[at] != END_OF_MISTAKES and not lines[at].startswith("## "):
            at += 1
        return at + 1 if lines[at:at + 1] == [END_OF_MISTAKES] else at
    return lines.index("```", at) + 1 if lines[at] in (FENCES[kind], WGSL) else at
