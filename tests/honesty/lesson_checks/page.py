"""A chapter's lesson: its pages, the code that it shows, and what is wrong with it."""

from book import ROOT
from functions import parts_of


class Lesson:
    """What the checks of one lesson share. `chapters` are all of the book by their folders; what is wrong is added
    to `problems`."""

    def __init__(self, chapter, chapters, program, problems):
        self.chapter, self.chapters, self.program, self.problems = chapter, chapters, program, problems
        self.where = f"{chapter.folder}/README.md"

    def path(self, name="README.md"):
        return self.chapter.path(name)

    def text(self):
        return self.path().read_text(encoding="utf-8")

    def pages(self):
        """The texts of the lesson and of the further pages in its folder, by their files' names."""
        return {page.name: page.read_text(encoding="utf-8") for page in sorted(self.path("").glob("*.md"))}

    def whole_text(self):
        return "".join(self.pages().values())

    def code(self):
        """The parts of solver.hpp and of the file that holds what the chapter adds, by their names."""
        files = [self.chapter.writes] if self.chapter.page else dict.fromkeys(["solver.hpp", self.chapter.writes])
        return {name: part for file in files for name, part in parts_of(self.path(file).read_text(encoding="utf-8"))}

    def code_before(self):
        """The parts of solver.hpp in the chapter before."""
        before = self.chapters.get(self.chapter.follows)
        return dict(parts_of(before.path("solver.hpp").read_text(encoding="utf-8"))) if before else {}

    def answers_text(self):
        kind = "wgsl" if self.chapter.page else "cpp"
        return (ROOT / "tests" / "answers" / f"{self.chapter.folder}.{kind}").read_text(encoding="utf-8")

    def answers(self):
        """The parts of the file of worked answers."""
        return dict(parts_of(self.answers_text()))

    def mistakes_folder(self):
        return ROOT / "tests" / "mutants" / self.chapter.folder
