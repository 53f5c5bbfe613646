"""The library's reference as pages of the browser edition: what its header and its Python module say, with an example
beside each function, and an index that can be searched.
"""

import html
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book"))
import library_reference as library  # noqa: E402

FOLDER = "reference"
C_PAGE, PYTHON_PAGE = "reference/c", "reference/python"  # as render.js names them


def anchor(heading):
    """The name that render.js gives a heading with these words."""
    return re.sub(r"[^\w\- ]|_", "", heading.lower()).replace(" ", "-")


def python_heading(name):
    """As the page of Python heads it: "class Scalar" and "scalar()" are two."""
    if name[:1].isupper() and "." not in name:
        return f"class {name}"
    calls = {entry.name: entry.call for entry in library.module()[1]}
    return name if calls.get(name) == name else f"{name}()"


def link_to_python(name):
    heading = python_heading(name)
    return f"[`{heading.removeprefix('class ')}`](python.html#{anchor(heading)})"


def c_markdown():
    """The header's reference, in which each function has its example and the name of what does its work in Python."""
    examples = library.c_examples()
    lines = ["# The library in C", "",
             "Each function's example is a paragraph of [calls.c](library/examples/calls.c), which calls them all. "
             "[In Python](python.html) the names are others.", ""]
    function = None
    for line in library.reference(library.HEADER.read_text(encoding="utf-8")).splitlines():
        if re.match("####? ", line):
            lines += after_function(function, examples)
            function = None
        named = re.match(r"#### `(stable_fluids_\w+)\(\)`$", line)
        if named:
            function = named[1]
        lines.append(line[1:] if line.startswith("###") else line)
    return "\n".join(lines + after_function(function, examples))


def after_function(function, examples):
    if function is None:
        return []
    return [f"In Python: {link_to_python(library.in_python(function))}.", "",
            "```c", examples[function], "```", ""]


def python_markdown():
    """The module's reference: the same for its functions, classes and methods."""
    said, entries = library.module()
    examples = library.python_examples()
    from_c = {}
    for function in library.functions(library.HEADER.read_text(encoding="utf-8")):
        from_c.setdefault(library.in_python(function), []).append(function)
    lines = ["# The library in Python", "",
             "Each example is a paragraph of [calls.py](library/examples/calls.py), which calls them all. "
             "[In C](c.html) the names are others.", "", prose(said), ""]
    for entry in entries:
        lines += [f"## `{python_heading(entry.name)}`", ""]
        if entry.call != entry.name:
            lines += ["```python", entry.call, "```", ""]
        lines += [prose(entry.said), ""]
        if entry.name in from_c:
            links = ", ".join(f"[`{name}()`](c.html#{anchor(name + '()')})" for name in from_c[entry.name])
            lines += [f"In C: {links}.", ""]
        if entry.name in examples:
            lines += ["```python", examples[entry.name], "```", ""]
    return "\n".join(lines)


def prose(docstring):
    """A docstring as Markdown. What looks like a call is set as code."""
    paragraphs = []
    for paragraph in (docstring or "").split("\n\n"):
        if not paragraph.startswith("    "):
            paragraph = re.sub(r"(?<![`\w.])([\w.]+\((?:[^()`\n]|\([^()`\n]*\))*\))(?!`)", r"`\1`", paragraph)
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def markdown():
    """The texts for render.js, by name."""
    return {C_PAGE: c_markdown(), PYTHON_PAGE: python_markdown()}


def entries(page, text):
    """What the search knows: (name, address, the words about it) for each heading, each value and each field."""
    heading, said = None, []
    for line in text.splitlines():
        named = re.match(r"#{2,3} `(.+)`$", line)
        if re.match("#{1,3} ", line):
            if heading:
                yield heading, f"{page}#{anchor(heading)}", " ".join(said)
            heading, said = named[1] if named else None, []
        elif heading and not line.startswith("```"):
            said.append(re.sub(r"[`|]|\[|\]\([^)]*\)", "", line))
            value = re.match(r"\| `([^`]+)` \| (.*)\|$", line)
            if value:
                yield f"{heading}: {value[1]}", f"{page}#{anchor(heading)}", value[2]
    if heading:
        yield heading, f"{page}#{anchor(heading)}", " ".join(said)


def index_body(texts):
    """The body of the index: a search, and all entries. Without JavaScript they are all there to be read."""
    parts = ['<header><nav><a href="../index.html">All chapters</a></nav><h1>The library\'s reference</h1></header>', "<main>",
             '<p>The fluid as a library, for programs of your own: <a href="c.html">in C</a>, and '
             '<a href="python.html">in Python</a>. <a href="../library/index.html">How to build and use it</a></p>',
             '<form role="search" id="search"><label for="words">Search for a name or a word</label> '
             '<input id="words" type="search" autocomplete="off"> <output id="found" for="words"></output></form>']
    for title, page in (("C", C_PAGE), ("Python", PYTHON_PAGE)):
        parts.append(f'<h2>{title}</h2>\n<ul class="entries">')
        for name, address, said in entries(page.rpartition("/")[2] + ".html", texts[page]):
            parts.append(f'<li data-words="{html.escape((name + " " + said).lower())}">'
                         f'<a href="{html.escape(address)}"><code>{html.escape(name)}</code></a></li>')
        parts.append("</ul>")
    return "\n".join([*parts, "</main>"])
