"""The lessons as one document of pandoc, from which the EPUB and the PDF are written.

What is a link from file to file in the repository is a link within the book here. What is folded away on a page is
open, but hints and answers: these stand at the end, with links to them and back.
"""

import html
import json
import posixpath
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from manifest import ROOT, manifest  # noqa: E402

READER = "gfm+tex_math_dollars"
DRAWING_WIDTH = 760  # of the widest drawings, which fill the text's width
PICTURE_SHARE = 60   # of the text's width, in hundredths: what a picture of a window takes


class NoBook(Exception):
    """Why no book can be made, in a line."""


class Text:
    """One Markdown file of the book. `name` begins the names of all places in it."""

    def __init__(self, path):
        self.path = path
        folder, file = Path(path).parent.name, Path(path).stem
        if file != "README":
            self.name = f"text-{folder}-{file}".replace("_", "-")
        else:
            self.name = "way-in" if folder == "chapters" else f"chapter-{folder.split('_')[0]}"


def parts():
    """The book's parts in reading order: the title of each, and its texts."""
    chapters = manifest()
    found = [("Before you begin", [Text("chapters/README.md")])]
    for title in dict.fromkeys(chapter.part for chapter in chapters):
        inside = [chapter for chapter in chapters if chapter.part == title]
        found.append((f"{inside[0].number[0]} · {title}",
                      [Text(f"chapters/{chapter.folder}/README.md") for chapter in inside]))
    others = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "chapters").glob("*/*.md")
                    if path.name != "README.md")
    found.append(("Beside the chapters", [Text(path) for path in others]))
    return found


# ---- Pandoc's document, as JSON -------------------------------------------------------------------

def attributes(name="", classes=(), **pairs):
    return [name, list(classes), [[key, str(value)] for key, value in pairs.items()]]


def words(text):
    """A text as inlines."""
    found = []
    for word in text.split(" "):
        found += [{"t": "Space"}, {"t": "Str", "c": word}]
    return found[1:]


def header(level, name, inlines):
    return {"t": "Header", "c": [level, attributes(name), inlines]}


def link(inlines, target):
    return {"t": "Link", "c": [attributes(), inlines, [target, ""]]}


def paragraph(*inlines):
    return {"t": "Para", "c": list(inlines)}


def walk(node, change):
    """The node, with each object below it put in place by what `change` makes of it: a list of objects."""
    if isinstance(node, list):
        found = []
        for one in node:
            if isinstance(one, dict) and "t" in one:
                found += change(walk(one, change))
            else:
                found.append(walk(one, change))
        return found
    if isinstance(node, dict):
        return {key: walk(value, change) for key, value in node.items()}
    return node


def plain(inlines):
    """The words of inlines, without what sets them off."""
    found = []

    def take(one):
        if one["t"] in ("Str", "Code", "Math"):
            found.append(one["c"] if one["t"] == "Str" else one["c"][1])
        elif one["t"] in ("Space", "SoftBreak"):
            found.append(" ")
        return [one]

    walk(inlines, take)
    return "".join(found)


# ---- Folds ----------------------------------------------------------------------------------------

class Folds:
    """Takes the hints and answers out of a text, and keeps them for the end of the book."""

    def __init__(self, text):
        self.text, self.kept = text, []
        self.section, self.item = "", 0

    def opened(self, blocks):
        """The blocks, with no fold left in them."""
        found, at = [], 0
        while at < len(blocks):
            block = blocks[at]
            if self.begins_fold(block):
                end = self.end_of_fold(blocks, at)
                found += self.unfolded(block, blocks[at + 1:end])
                at = end + 1
                continue
            if block["t"] == "RawBlock":
                raise NoBook(f"{self.text.path}: the book cannot have this HTML: {block['c'][1]}")
            if block["t"] == "Header" and block["c"][0] == 2:
                self.section = plain(block["c"][2])
            if block["t"] == "OrderedList":
                first = block["c"][0][0]
                self.item = first + len(block["c"][1]) - 1
            found.append(block)
            at += 1
        return found

    @staticmethod
    def begins_fold(block):
        return block["t"] == "RawBlock" and block["c"][1].startswith("<details>")

    def end_of_fold(self, blocks, at):
        depth = 0
        for place in range(at, len(blocks)):
            if blocks[place]["t"] == "RawBlock":
                depth += blocks[place]["c"][1].count("<details>") - blocks[place]["c"][1].count("</details>")
                if depth == 0:
                    return place
        raise NoBook(f"{self.text.path}: a fold has no end: {blocks[at]['c'][1]}")

    def unfolded(self, block, inside):
        """What stands in place of a fold."""
        summary = re.search(r"<summary>(.*)</summary>", block["c"][1], flags=re.S)
        if summary is None:  # a heading
            close = next((k for k, one in enumerate(inside)
                          if one["t"] == "RawBlock" and one["c"][1].strip() == "</summary>"), None)
            if close is None:
                raise NoBook(f"{self.text.path}: a fold's summary has no end")
            return self.opened(inside[:close] + inside[close + 1:])
        title = html.unescape(re.sub("<[^>]*>", "", summary[1])).strip()
        if title == "Answer" or title.startswith("Hint"):
            return [self.put_off(title, inside)]
        return [paragraph({"t": "Strong", "c": words(title)}), *self.opened(inside)]

    def put_off(self, title, inside):
        """A pointer to the end of the book, where the fold stands."""
        number = f"{self.text.name}-{len(self.kept) + 1}"
        label = title
        if title == "Answer":
            label = f"{self.section.removesuffix('s')} {self.item}"
        section, item = self.section, self.item
        self.kept.append((number, label, self.opened(inside)))
        self.section, self.item = section, item
        pointer = [link(words(title), f"#answer-{number}"),
                   {"t": "RawInline", "c": ["typst", f"#page-of(<answer-{number}>)"]}]
        return {"t": "Div", "c": [attributes(f"question-{number}", ["fold"]), [paragraph(*pointer)]]}


# ---- A text ---------------------------------------------------------------------------------------

class Converter:
    """Makes the book's blocks of the texts. `read` turns Markdown into pandoc's document."""

    def __init__(self, found, writes, read):
        self.parts, self.writes, self.read = found, writes, read
        self.by_path = {text.path: text for _, texts in found for text in texts}
        self.answers, self.pictures = [], set()

    def blocks(self, text):
        """The blocks of a text, below a heading of the second level."""
        source = re.sub(r"<!--.*?-->\n?", "", (ROOT / text.path).read_text(encoding="utf-8"), flags=re.S)
        folds = Folds(text)
        blocks = folds.opened(self.read(source))
        if folds.kept:
            self.answers.append((text, plain(blocks[0]["c"][2]), [
                (number, label, self.placed(text, kept)) for number, label, kept in folds.kept]))
        return self.placed(text, blocks)

    def placed(self, text, blocks):
        """The blocks with their links, names and pictures as the book has them."""
        def change(one):
            if one["t"] == "Table":
                self.share_width(one)
            make = getattr(self, "change_" + one["t"], None)
            return make(text, one) if make else [one]

        return walk(blocks, change)

    @staticmethod
    def share_width(table):
        """In a table of pictures the columns share the width, and the pictures fill them."""
        pictures = []

        def take(one):
            if one["t"] == "Image":
                one["c"][0] = attributes(width="100%")
            if one["t"] == "Image" or one["t"] == "RawInline" and one["c"][1].startswith("#picture"):
                pictures.append(one)
            return [one]

        walk(table["c"], take)
        columns = table["c"][2]
        if pictures:
            table["c"][2] = [[side, {"t": "ColWidth", "c": 1 / len(columns)}] for side, _ in columns]

    def change_Header(self, text, one):
        level, (name, classes, pairs), inlines = one["c"]
        name = text.name if level == 1 else f"{text.name}-{name}"
        return [{"t": "Header", "c": [level + 1, [name, classes, pairs], inlines]}]

    def change_Link(self, text, one):
        attr, inlines, (target, title) = one["c"]
        if re.match(r"[a-z]+:|//|#answer-", target):
            return [one]
        path, _, fragment = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(text.path), path)) if path else text.path
        if (ROOT / path).is_dir():
            path += "/README.md"
        aim = self.by_path.get(path)
        if aim is not None:
            place = f"#{aim.name}-{fragment}" if fragment else f"#{aim.name}"
            return [{"t": "Link", "c": [attr, inlines, [place, title]]}]
        if not (ROOT / path).exists():
            raise NoBook(f"{text.path}: there is no {path} to link to")
        if plain(inlines).strip("/") in path:
            return inlines
        return [*inlines, {"t": "Space"}, {"t": "Str", "c": "("}, {"t": "Code", "c": [attributes(), path]},
                {"t": "Str", "c": ")"}]

    def change_Image(self, text, one):
        _, inlines, (target, _) = one["c"]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(text.path), target))
        if not (ROOT / path).is_file():
            raise NoBook(f"{text.path}: there is no picture {path}")
        share = PICTURE_SHARE
        if path.endswith(".svg"):
            width = re.search(r'<svg[^>]* width="(\d+)', (ROOT / path).read_text(encoding="utf-8"))
            share = min(100, round(100 * int(width[1]) / DRAWING_WIDTH)) if width else 100
        self.pictures.add(path)
        return self.picture(path, inlines, share)

    def picture(self, path, inlines, share):
        """A picture that takes so many hundredths of the width. pandoc would not tell Typst what it shows."""
        if self.writes == "pdf":
            quoted = [json.dumps(text, ensure_ascii=False) for text in (path, plain(inlines))]
            return [{"t": "RawInline", "c": ["typst", f"#picture({quoted[0]}, {share}%, {quoted[1]})"]}]
        return [{"t": "Image", "c": [attributes(width=f"{share}%"), inlines, [path, ""]]}]

    def change_Math(self, _, one):
        """For Typst, which makes parentheses as large as what they enclose, and a formula's TeX says what it is to a
        reader who hears it."""
        kind, formula = one["c"]
        if self.writes != "pdf":
            return [one]
        said = json.dumps(" ".join(formula.split()), ensure_ascii=False)
        formula = re.sub(r"\\[bB]igg?[lr]?(?![a-zA-Z])", "", formula)
        return [{"t": "RawInline", "c": ["typst", f"#formula({said})["]}, {"t": "Math", "c": [kind, formula]},
                {"t": "RawInline", "c": ["typst", "]"]}]

    def change_CodeBlock(self, _, one):
        (name, classes, pairs), code = one["c"]
        classes = ["cpp" if kind == "c++" else kind for kind in classes]
        if self.writes == "epub" and classes == ["diff"]:
            return [{"t": "RawBlock", "c": ["html", coloured(code)]}]
        return [{"t": "CodeBlock", "c": [[name, classes, pairs], code]}]


def coloured(diff):
    """A change as HTML: what comes and what goes in colours of their own."""
    kinds = {"+": "ins", "-": "del"}
    lines = []
    for line in diff.split("\n"):
        tag = kinds.get(line[:1])
        text = html.escape(line)
        lines.append(f"<{tag}>{text}</{tag}>" if tag else text)
    return '<pre class="change"><code>' + "\n".join(lines) + "</code></pre>"


# ---- The book -------------------------------------------------------------------------------------

def reader(pandoc):
    """A function that turns Markdown into blocks, by pandoc."""
    def read(source):
        # No line is so long that pandoc would give a table's columns shares of the width.
        run = subprocess.run([pandoc, "--from", READER, "--to", "json", "--columns", "10000"], input=source, capture_output=True, text=True,
                             encoding="utf-8", check=False)
        if run.returncode != 0:
            raise NoBook(f"pandoc cannot read a lesson: {(run.stderr.splitlines() or ['?'])[0]}")
        document = json.loads(run.stdout)
        read.version = document["pandoc-api-version"]
        return document["blocks"]

    return read


def document(pandoc, writes, metadata):
    """The whole book as pandoc's JSON, and the paths of its pictures. `writes` is "epub" or "pdf", and `metadata` the
    texts that describe it."""
    read = reader(pandoc)
    found = parts()
    converter = Converter(found, writes, read)
    blocks = []
    for number, (title, texts) in enumerate(found):
        blocks.append(header(1, f"part-{number}", words(title)))
        for text in texts:
            blocks += converter.blocks(text)
    blocks.append(header(1, "answers", words("Hints and answers")))
    for text, title, answers in converter.answers:
        blocks.append(header(2, f"answers-{text.name}", words(title)))
        for number, label, inside in answers:
            blocks.append(header(3, f"answer-{number}", [link(words(label), f"#question-{number}")]))
            blocks += inside
    meta = {key: {"t": "MetaInlines", "c": words(value)} for key, value in metadata.items()}
    whole = json.dumps({"pandoc-api-version": read.version, "meta": meta, "blocks": blocks})
    return whole, sorted(converter.pictures)
