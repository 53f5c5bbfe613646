"""Checks the book that `./workbook book` has made.

usage: check.py FOLDER     the folder of fluid_workbook.epub and fluid_workbook.pdf

The EPUB has each chapter of the manifest, in order, with all its listings, changes, pictures and formulas. Each hint and
answer is in it once, and is linked to from its place and back. Each link within the book leads somewhere, and each
picture says what it shows. epubcheck, where it is installed, finds nothing. The PDF, if it is there, has as many pages
as it must, the chapters' titles in order, and a tag for each formula.
"""

import collections
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/book"))
from manifest import manifest  # noqa: E402

XHTML = "{http://www.w3.org/1999/xhtml}"
MATHML = "{http://www.w3.org/1998/Math/MathML}"


def lesson(chapter):
    return re.sub(r"<!--.*?-->\n?", "", chapter.path("README.md").read_text(encoding="utf-8"), flags=re.S)


def words(text):
    """A text without its white space, so that breaks between lines do not matter."""
    return re.sub(r"\s+", "", text)


class Epub:
    """An EPUB's pages, in the order in which they are read."""

    def __init__(self, path):
        self.file = zipfile.ZipFile(path)
        opf = next(name for name in self.file.namelist() if name.endswith(".opf"))
        package = ElementTree.fromstring(self.file.read(opf))
        space = re.match(r"\{.*?\}", package.tag)[0]
        items = {item.get("id"): item.get("href") for item in package.iter(space + "item")}
        self.names = [posixpath.join(posixpath.dirname(opf), items[one.get("idref")])
                      for one in package.iter(space + "itemref")]
        self.pages = {name: ElementTree.fromstring(self.file.read(name)) for name in self.names}

    def page_of(self, title):
        """The page whose main heading this is, and its place among the pages."""
        for place, (name, page) in enumerate(self.pages.items()):
            headings = [words("".join(one.itertext())) for one in page.iter() if one.tag in (XHTML + "h1", XHTML + "h2")]
            if words(title) in headings and not name.endswith("nav.xhtml"):
                return place, page
        return None, None

    def pages_with(self, name):
        """The pages that have a place of this name."""
        return [page for page in self.pages.values() if any(one.get("id") == name for one in page.iter())]


def check_links(epub):
    """Each link within the book leads to a page and a place that are there."""
    places = {name: {one.get("id") for one in page.iter()} for name, page in epub.pages.items()}
    for name, page in epub.pages.items():
        for link in page.iter(XHTML + "a"):
            target = link.get("href", "")
            if re.match(r"[a-z]+:", target):
                continue
            path, _, place = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(path))) if path else name
            if path not in places or place and urllib.parse.unquote(place) not in places[path]:
                yield f"{name}: a link leads nowhere: {target}"
        for picture in page.iter(XHTML + "img"):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), picture.get("src")))
            if path not in epub.file.namelist():
                yield f"{name}: there is no picture {path}"
            if not picture.get("alt"):
                yield f"{name}: the picture {path} does not say what it shows"


def check_chapters(epub):
    """Each chapter has what its lesson has."""
    whole = words("".join("".join(page.itertext()) for page in epub.pages.values()))
    last = -1
    for chapter in manifest():
        title = f"{chapter.number} · {chapter.title}"
        place, page = epub.page_of(title)
        if page is None:
            yield f"there is no chapter {title}"
            continue
        if place <= last:
            yield f"chapter {title} stands before one that it follows"
        last = place
        source = lesson(chapter)
        for listing in re.findall(r"^```\S+\n(.*?)^```$", source, flags=re.S | re.M):
            if words(listing) not in whole:
                yield f"chapter {title} lacks a listing: {listing.splitlines()[0]}"
        prose = re.sub(r"^```.*?^```$", "", source, flags=re.S | re.M)
        pages = [page, *epub.pages_with(f"answers-chapter-{chapter.number}")]
        formulas = len(re.findall(r"\$\$.+?\$\$", prose, flags=re.S))
        displayed = sum(one.get("display") == "block" for one_page in pages for one in one_page.iter(MATHML + "math"))
        if displayed != formulas:
            yield f"chapter {title} displays {displayed} formulas, and its lesson has {formulas}"
        pictures = [words_of_picture(text) for text in re.findall(r"!\[([^\]]*)\]\([^)]*\)", prose)]
        shown = [words_of_picture(one.get("alt")) for one_page in pages for one in one_page.iter(XHTML + "img")]
        for missing in collections.Counter(pictures) - collections.Counter(shown):
            yield f"chapter {title} lacks a picture: {missing}"


def check_formulas(epub):
    """All texts together, those beside the chapters too, have as many displayed formulas as the book."""
    texts = [ROOT / "chapters/README.md", *(ROOT / "chapters").glob("*/*.md")]
    formulas = 0
    for text in texts:
        prose = re.sub(r"^```.*?^```$|<!--.*?-->", "", text.read_text(encoding="utf-8"), flags=re.S | re.M)
        formulas += len(re.findall(r"\$\$.+?\$\$", prose, flags=re.S))
    displayed = sum(one.get("display") == "block" for page in epub.pages.values() for one in page.iter(MATHML + "math"))
    if displayed != formulas:
        yield f"the book displays {displayed} formulas, and its texts have {formulas}"
    annotated = sum(1 for page in epub.pages.values() for _ in page.iter(MATHML + "annotation"))
    if annotated:
        yield f"{annotated} formulas also have their TeX in them, which readers without MathML print after the formula"


def words_of_picture(text):
    """What a picture shows, without what sets words off and without white space."""
    return words(re.sub(r"[`*\\]", "", text))


def check_answers(epub):
    """Each hint and answer is in the book once, with a link to it and one back."""
    folds = sum(len(re.findall(r"<summary>(?:Answer|Hint)", lesson(chapter))) for chapter in manifest())
    links = collections.Counter(link.get("href", "").partition("#")[2] for page in epub.pages.values() for link in page.iter(XHTML + "a"))
    names = collections.Counter(one.get("id") for page in epub.pages.values() for one in page.iter() if one.get("id"))
    answers = [name for name in names if re.match(r"answer-chapter-\d\d-\d+$", name)]
    if len(answers) != folds:
        yield f"the book has {len(answers)} hints and answers, and the lessons have {folds}"
    for name in answers:
        question = name.replace("answer-", "question-", 1)
        for one in (name, question):
            if names[one] != 1 or links[one] != 1:
                yield f"{one} is there {names[one]} times and linked to {links[one]} times, not once each"


def check_by_epubcheck(path):
    program = shutil.which("epubcheck")
    if program is None:
        print("SKIPPED: epubcheck is not here (Debian: apt install epubcheck)")
        return
    # Debian's is an archive of Java, which not every kernel runs by itself.
    is_archive = Path(program).read_bytes()[:2] == b"PK"
    run = subprocess.run([*(["java", "-jar"] if is_archive else []), program, str(path)], capture_output=True, text=True,
                         check=False)
    said = run.stdout + run.stderr
    if run.returncode != 0 or "No errors or warnings detected" not in said:
        yield "epubcheck: " + " / ".join([line for line in said.splitlines() if re.match("[A-Z]+\\(", line)][:5] or [said])


def check_pdf(path):
    if not path.is_file():
        print(f"SKIPPED: there is no {path.name}")
        return
    if shutil.which("pdftotext") is None:
        print("SKIPPED: pdftotext is not here (Debian: apt install poppler-utils)")
        return
    text = subprocess.run(["pdftotext", str(path), "-"], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    pages = [words(page) for page in text.split("\f")]
    last = 0
    for chapter in manifest():
        title = words(f"{chapter.number} · {chapter.title}")
        place = next((k for k, page in enumerate(pages) if page.startswith(title) and k > last), None)
        if place is None:
            yield f"the PDF has no page that begins with {chapter.number} · {chapter.title}, or it is out of order"
        else:
            last = place
    info = subprocess.run(["pdfinfo", str(path)], capture_output=True, text=True, encoding="utf-8", check=True).stdout
    if not re.search(r"^Tagged: +yes$", info, flags=re.M):
        yield "the PDF does not tell programs that read it aloud what is what"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    path = folder / "fluid_workbook.epub"
    if not path.is_file():
        print(f"SKIPPED: there is no {path}; ./workbook book makes it")
        sys.exit(77)
    epub = Epub(path)
    problems = [*check_links(epub), *check_chapters(epub), *check_formulas(epub), *check_answers(epub), *check_by_epubcheck(path),
                *check_pdf(folder / "fluid_workbook.pdf")]
    for problem in problems:
        print(f"FAILED: {problem}")
    if problems:
        sys.exit(1)
    print(f"the book is whole: {len(manifest())} chapters on {len(epub.names)} pages of the EPUB")


if __name__ == "__main__":
    main()
