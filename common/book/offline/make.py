"""Makes the book to read offline: fluid_workbook.epub and fluid_workbook.pdf.

usage: make.py --picture FILE --out DIR [--only epub|pdf]

The picture is the cover's; a chapter draws it. pandoc and typst come from the packages that requirements.txt names.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from manifest import ROOT  # noqa: E402
from texts import NoBook, document  # noqa: E402
from version import version  # noqa: E402

TITLE = "The fluid workbook"
SUBTITLE = "A fluid simulation, one small chapter at a time, in C++"
NAME = "fluid_workbook"


def metadata():
    """What the book says about itself. The identifier stays the same for the same version."""
    identifier = uuid.uuid5(uuid.NAMESPACE_URL, f"{NAME} {version()}")
    return {"title": TITLE, "subtitle": SUBTITLE, "author": "The fluid workbook's authors", "lang": "en-GB",
            "version": version(), "identifier": f"urn:uuid:{identifier}", "rights": "MIT licence", "description": SUBTITLE}


def run_pandoc(pandoc, book, *arguments):
    run = subprocess.run([pandoc, "--from", "json", "--standalone", "--fail-if-warnings", *map(str, arguments)],
                         input=book, capture_output=True, text=True, encoding="utf-8", check=False, cwd=ROOT)
    if run.returncode != 0:
        raise NoBook(f"pandoc: {' '.join(run.stderr.split())}")


def compile_typst(source, target, **more):
    import typst
    try:
        typst.compile(str(source), output=str(target), root=str(source.parent), **more)
    except (typst.TypstError, RuntimeError) as problem:
        raise NoBook(f"typst: {' '.join(str(problem).split())}") from None


def make_cover(picture, folder):
    """The cover as a picture for the EPUB; the PDF sets the same page itself."""
    shutil.copyfile(picture, folder / "cover_picture.png")
    shutil.copyfile(HERE / "cover.typ", folder / "cover.typ")
    page = folder / "cover_page.typ"
    page.write_text('#import "cover.typ": cover\n'
                    f'#cover(title: "{TITLE}", subtitle: "{SUBTITLE}", version: "{version()}")\n', encoding="utf-8")
    compile_typst(page, folder / "cover.png", format="png", ppi=150.0)


def without_annotations(old, new):
    """Copies an EPUB without the TeX that pandoc leaves in each formula: readers that know no MathML print it after the
    formula."""
    annotation = re.compile(rb"<annotation encoding=\"application/x-tex\">.*?</annotation>", flags=re.DOTALL)
    with zipfile.ZipFile(old) as book, zipfile.ZipFile(new, "w") as copy:
        for entry in book.infolist():
            data = book.read(entry)
            if entry.filename.endswith(".xhtml"):
                data = annotation.sub(b"", data)
            copy.writestr(entry, data, compress_type=entry.compress_type)


def make_epub(pandoc, folder):
    made, target = folder / "with_annotations.epub", folder / f"{NAME}.epub"
    book, _ = document(pandoc, "epub", metadata())
    run_pandoc(pandoc, book, "--to", "epub3", "--mathml", "--split-level", "2", "--toc", "--toc-depth", "2",
               "--css", HERE / "book.css", "--syntax-highlighting", "monochrome",
               "--epub-cover-image", folder / "cover.png", "--output", made)
    without_annotations(made, target)
    return target


def make_pdf(pandoc, folder):
    source = folder / "book.typ"
    book, pictures = document(pandoc, "pdf", metadata())
    run_pandoc(pandoc, book, "--to", "typst", "--template", HERE / "book.typ", "--syntax-highlighting", "idiomatic",
               "--output", source)
    for picture in pictures:
        (folder / picture).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / picture, folder / picture)
    target = folder / f"{NAME}.pdf"
    compile_typst(source, target, format="pdf", pdf_standards=["ua-1"])
    return target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=["epub", "pdf"])
    asked = parser.parse_args()
    import pypandoc
    pandoc = pypandoc.get_pandoc_path()
    try:
        asked.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=asked.out) as made:
            folder = Path(made).resolve()
            make_cover(asked.picture.resolve(), folder)
            for kind, make in (("epub", make_epub), ("pdf", make_pdf)):
                if asked.only in (None, kind):
                    book = make(pandoc, folder)
                    os.replace(book, asked.out / book.name)
                    print(f"workbook: {asked.out / book.name}")
    except (NoBook, OSError) as problem:
        sys.exit(f"workbook: the book cannot be made: {problem}")


if __name__ == "__main__":
    main()
