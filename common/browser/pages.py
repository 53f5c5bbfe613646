"""Makes the browser edition: a folder of pages that any web server can serve.

usage: pages.py --code DIR --out DIR [CHAPTER...]

DIR after --code has the chapters' programs as Emscripten built them (NN_name.js and NN_name.wasm). Each
chapter becomes a page with its fluid above its lesson; a chapter that is not "in_browser" has
its lesson alone. With chapters named, only their programs are copied anew, and the other pages keep theirs.
What a lesson links to (source files, other texts) becomes a page, too.
"""

import argparse
import hashlib
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "book"))
sys.path.insert(0, str(HERE))
import reference  # noqa: E402
from book import ROOT, manifest  # noqa: E402

KATEX = [Path("/usr/share/javascript/katex"), Path("/usr/share/nodejs/katex/dist")]
FONTS = [Path("/usr/share/fonts/truetype/katex")]
PICTURES = (".png", ".svg", ".jpg", ".gif")

KEYS = [(" ", "pause", "Space"), (".", "step", "."), ("r", "restart", "R"), ("f", "next field", "F"),
        ("v", "arrows", "V"), ("\t", "next parameter", "Tab"), ("+", "+", "+"), ("-", "−", "-"),
        ("s", "picture", "S"), ("h", "help", "H")]


class NoPages(Exception):
    """Why no pages can be made, in a line."""


def page_of(path):
    """Where the page of a file of the repository lies in the edition. A lesson has its chapter's folder."""
    short = re.sub(r"^chapters/", "", path)
    if path == "chapters/README.md":
        return "way_in.html"
    if posixpath.basename(path) == "README.md":
        return short[:-len("README.md")] + "index.html"
    if short.endswith(".md"):
        return short[:-len("md")] + "html"
    return short if short.endswith(PICTURES) else f"source/{path}.html"


class Edition:
    """The pages made so far, and the files that they need."""

    def __init__(self, chapters, out):
        self.chapters, self.out = chapters, out
        self.waiting, self.known = [], set()
        self.pictures = set()

    def want(self, path):
        if path not in self.known:
            self.known.add(path)
            self.waiting.append(path)

    def link(self, here, target):
        """What a link of the file `here` becomes in its page."""
        if target.startswith("play:"):
            folder, _, query = target[len("play:"):].partition("?")
            path, fragment = f"chapters/{folder}/README.md", "?" + query if query else ""
        elif re.match(r"[a-z]+:|#|//", target):
            return target
        else:
            target, mark, fragment = target.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
            fragment = mark + fragment
            if (ROOT / path).is_dir():
                path += "/README.md"
        if path == "README.md":
            return posixpath.relpath("index.html", posixpath.dirname(page_of(here)) or ".")
        if not (ROOT / path).is_file():
            raise NoPages(f"{here}: there is no {path} to link to")
        (self.pictures.add if path.endswith(PICTURES) else self.want)(path)
        return posixpath.relpath(page_of(path), posixpath.dirname(page_of(here)) or ".") + fragment

    def links(self, here, text):
        return re.sub(r'\b(href|src)="([^"]*)"',
                      lambda found: f'{found[1]}="{html.escape(self.link(here, html.unescape(found[2])))}"',
                      text)

    def write(self, path, text):
        file = self.out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def frame(place, title, body, head=""):
    """A whole page. `place` is where it lies, `head` what it loads besides."""
    root = "../" * place.count("/")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}page.css">
{head}<script defer src="{root}page.js"></script>
</head>
<body data-root="{root or './'}">
{body}
</body>
</html>
"""


def katex_style(root, text):
    return f'<link rel="stylesheet" href="{root}katex/katex.min.css">\n' if 'class="katex' in text else ""


def navigation(edition, chapter, label_of_all):
    """Links to the chapters before and after this one, and to the index. The label tells those who hear the page which of
    its two navigations this is."""
    at = edition.chapters.index(chapter)
    def to(other, label, kind):
        return f'<a class="{kind}" href="../{other.folder}/index.html">{label} {other.number} · {html.escape(other.title)}</a>'
    before = to(edition.chapters[at - 1], "←", "before") if at > 0 else ""
    after = to(edition.chapters[at + 1], "→", "next") if at + 1 < len(edition.chapters) else ""
    return f'<nav aria-label="{label_of_all}"><a href="../index.html">All chapters</a>{before}{after}</nav>'


def window_of(chapter, attributes="", flags="Any flag can stand in the address, such as\n<code>?n=64</code>; "):
    """The fluid: its canvas, the line that says what is wrong, and buttons for those without keys. `flags` says where the
    program's flags stand."""
    keys = "".join(f'<button type="button" data-key="{html.escape(key) if key != chr(9) else "&#9;"}" title="the key {name}">{words}</button>'
                   for key, words, name in KEYS)
    return f"""<section id="fluid" data-program="{chapter.folder}"{attributes}>
<canvas tabindex="0" width="640" height="640" aria-label="The fluid of this chapter. H shows its keys."></canvas>
<p id="message" role="alert" hidden></p>
<pre id="output" hidden></pre>
<div id="keys">{keys}<button type="button" id="drag" title="what a drag does">drag: dye</button>
<button type="button" id="again" hidden>begin again</button></div>
<p class="hint">Drag in it. Click it, and it takes keys. H lists them, and Esc leads on to the
buttons. {flags}{"drop" if flags else "Drop"} a state file here to load it.</p>
</section>
"""


def kernels_of(edition, chapter):
    """The fluid of a chapter whose program is a page. Where there is no GPU for it, the program of the chapter that it
    follows takes its place, which then is loaded. It has other flags than those in the address."""
    section = (ROOT / chapter.page / "section.html").read_text(encoding="utf-8")
    before = next(one for one in edition.chapters if one.folder == chapter.follows)
    instead = window_of(before, f' data-at="../{before.folder}/" data-flags=""', flags="")
    return f"""{section}<template id="without-webgpu">{instead}</template>
<script type="module">
const load = (src) => new Promise((done) => document.body.append(Object.assign(document.createElement('script'), {{src, onload: done}})));
document.getElementById('webgpu').addEventListener('without-webgpu', async ({{target}}) => {{
  target.after(document.getElementById('without-webgpu').content);
  await load('../{before.folder}/{before.folder}.js');
  await load('../page.js?without-webgpu');
}});
import('../{chapter.page}/page.js');
</script>
"""


def copy_kernels(edition):
    """What the pages with kernels load: modules, kernels, and the functions of one cell beside them. The playground is
    made of the same, and of kernels and modules of its own."""
    for chapter in edition.chapters:
        if chapter.page:
            for kind in ("*.js", "*.wgsl", "*.css"):
                for path in (ROOT / chapter.page).glob(kind):
                    copy(path, edition.out / chapter.page / path.name)
            copy(chapter.path(chapter.writes), edition.out / chapter.page / chapter.writes)
    for path in (ROOT / "playground").iterdir():
        copy(path, edition.out / "playground" / path.name)


def chapter_page(edition, chapter, lesson):
    place = f"{chapter.folder}/index.html"
    nav = navigation(edition, chapter, "Chapters")
    nav_below = navigation(edition, chapter, "Chapters, below the lesson")
    heading, _, rest = lesson.partition("</h1>")
    sources = " · ".join(f'<a href="{name}">{name}</a>' for name in chapter.code())
    sources = edition.links(f"chapters/{chapter.folder}/README.md", sources)
    if chapter.page:
        fluid, head = kernels_of(edition, chapter), f'<link rel="stylesheet" href="../{chapter.page}/page.css">\n'
    elif (edition.out / place).with_name(chapter.folder + ".wasm").is_file():
        fluid = window_of(chapter)
        head = (f'<link rel="preload" href="{chapter.folder}.wasm" as="fetch" crossorigin>\n'
                f'<script defer src="{chapter.folder}.js"></script>\n')
    else:
        why = (f"has not been built: ./workbook browser {chapter.number} builds it" if chapter.in_browser
               else "does not run in a browser: its lesson says what it needs")
        fluid = f'<p class="hint">This chapter\'s program {why}.</p>\n'
        head = ""
    body = (f"<header>{nav}{heading}</h1></header>\n<main>\n{fluid}<p class=\"hint\">The code: {sources}</p>\n"
            f"<article>{rest}</article>\n</main>\n<footer>{nav_below}</footer>")
    return frame(place, f"{chapter.number} · {chapter.title}", body, head + katex_style("../", lesson))


def text_page(path, lesson):
    place = page_of(path)
    root = "../" * place.count("/")
    title = html.unescape(re.sub("<[^>]*>", "", (re.findall(r"<h1[^>]*>(.*?)</h1>", lesson) or [path])[0]))
    body = (f'<header><nav><a href="{root}index.html">All chapters</a></nav></header>\n'
            f"<main><article>{lesson}</article></main>")
    return frame(place, title, body, katex_style(root, lesson))


def source_page(path):
    place = page_of(path)
    root = "../" * place.count("/")
    text = html.escape((ROOT / path).read_text(encoding="utf-8"))
    body = (f'<header><nav><a href="{root}index.html">All chapters</a></nav><h1><code>{path}</code></h1></header>\n'
            f"<main><pre><code>{text}</code></pre></main>")
    return frame(place, path, body)


def index_page(edition):
    """The chapters by part, each with its picture."""
    parts, part = [], None
    for chapter in edition.chapters:
        if chapter.part != part:
            part = chapter.part
            parts.append(f'<h2>{chapter.number[0]} · {html.escape(part)}</h2>\n<ul class="cards">')
        picture = f"chapters/{chapter.folder}/picture.png"
        image = ""
        if (ROOT / picture).is_file():
            edition.pictures.add(picture)
            image = f'<img src="{chapter.folder}/picture.png" alt="" loading="lazy">'
        parts.append(f'<li><a href="{chapter.folder}/index.html">{image}<span>{chapter.number} · '
                     f"{html.escape(chapter.title)}</span></a></li>")
        following = edition.chapters.index(chapter) + 1
        if following == len(edition.chapters) or edition.chapters[following].part != part:
            parts.append("</ul>")
    edition.want("chapters/README.md")
    parts.append('<h2>The library</h2>\n<p>The fluid for programs of your own, in C and in Python: '
                 '<a href="library/index.html">how to use it</a>, and <a href="reference/index.html">its reference</a>, '
                 "which can be searched.</p>")
    body = ("<header><h1>The fluid workbook</h1></header>\n<main>\n"
            '<p><a class="playground" href="playground/index.html">'
            '<img src="playground/picture.jpg" alt="Dye in many colours, drawn out into whirls">'
            "<span>Play first: a fluid as wide as your window</span></a></p>\n"
            "<p>A fluid simulation, one small chapter at a time, in C++. On each chapter's page its program runs: "
            "the same solver, the same drawing, the same digits as on your own machine. Drag in it, then read "
            'how it works. <a href="way_in.html">The way in</a> says in two pages what a fluid simulation is; '
            f'<a href="{edition.chapters[0].folder}/index.html">the first chapter</a> begins with an empty grid.</p>\n'
            + "\n".join(parts) + "\n</main>\n<footer><p>A page that you have opened works without a network, too.</p></footer>")
    return frame("index.html", "The fluid workbook", body)


def rendered(texts, chapters):
    """The texts as HTML, all in one run of Node."""
    katex = next((folder for folder in KATEX if (folder / "katex.js").is_file()), None)
    if not katex:
        raise NoPages("KaTeX is not here: install libjs-katex")
    folders = [chapter.folder for chapter in chapters if chapter.in_browser]
    environment = {**os.environ, "NODE_PATH": os.pathsep.join(
        filter(None, [os.environ.get("NODE_PATH"), "/usr/share/nodejs"]))}
    try:
        run = subprocess.run(["node", str(HERE / "render.js"), str(katex), *folders], input=json.dumps(texts),
                             capture_output=True, text=True, encoding="utf-8", env=environment, check=False)
    except FileNotFoundError:
        raise NoPages("node is not here: install nodejs") from None
    if run.returncode != 0:
        lines = [line for line in run.stderr.splitlines() if "Error" in line]
        raise NoPages("the lessons cannot be rendered: " + (lines or run.stderr.splitlines() or ["?"])[0])
    return json.loads(run.stdout)


def reference_pages(edition):
    """The library's reference: a page for C, one for Python, and an index of both with a search."""
    texts = reference.markdown()
    for name, page in rendered(texts, edition.chapters).items():
        page = re.sub(r'href="(library/[^"]*)"', lambda found: f'href="../{page_of(found[1])}"', page)
        heading, _, rest = page.partition("</h1>")
        body = (f'<header><nav><a href="../index.html">All chapters</a><a href="index.html">Search</a></nav>{heading}</h1>'
                f"</header>\n<main><article>{rest}</article></main>")
        edition.write(f"{name}.html", frame(f"{name}.html", "The library's reference", body))
    edition.want("library/README.md")
    for example in (reference.library.CALLS, reference.library.CALLS_IN_PYTHON):
        edition.want(example.relative_to(ROOT).as_posix())
    place = f"{reference.FOLDER}/index.html"
    edition.write(place, frame(place, "The library's reference", reference.index_body(texts),
                               '<script defer src="../reference.js"></script>\n'))


def make_pages(edition):
    """The lessons, and whatever they link to, until no page is missing."""
    by_path = {f"chapters/{chapter.folder}/README.md": chapter for chapter in edition.chapters}
    for path in by_path:
        edition.want(path)
    edition.write("index.html", index_page(edition))
    reference_pages(edition)
    while edition.waiting:
        paths, edition.waiting = edition.waiting, []
        texts = {path: re.sub(r"<!--.*?-->", "", (ROOT / path).read_text(encoding="utf-8"), flags=re.S)
                 for path in paths if path.endswith(".md")}
        pages = rendered(texts, edition.chapters) if texts else {}
        for path in paths:
            if path.endswith(".md"):
                lesson = edition.links(path, pages[path])
                page = (chapter_page(edition, by_path[path], lesson) if path in by_path
                        else text_page(path, lesson))
            else:
                page = source_page(path)
            edition.write(page_of(path), page)
    for path in edition.pictures:
        copy(ROOT / path, edition.out / page_of(path))


def copy(source, target):
    """Unless it is there already."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.is_file() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)


def copy_programs(edition, code, wanted):
    for chapter in edition.chapters:
        if not chapter.in_browser:
            for ending in (".js", ".wasm"):  # of an earlier edition
                (edition.out / chapter.folder / (chapter.folder + ending)).unlink(missing_ok=True)
            continue
        if wanted and chapter not in wanted:
            continue
        for ending in (".js", ".wasm"):
            program = code / (chapter.folder + ending)
            if not program.is_file():
                raise NoPages(f"{program} is not there: was {chapter.folder} built?")
            copy(program, edition.out / chapter.folder / program.name)


def without_comments(script):
    """A JavaScript file without the lines that are nothing but comment: each page loads it before its fluid moves."""
    return re.sub(r"^ *//.*\n", "", script, flags=re.M)


def copy_shared(edition):
    """What all pages have in common. The worker is another one whenever any file is."""
    for name in ("page.css", "reference.js"):
        copy(HERE / name, edition.out / name)
    edition.write("page.js", without_comments((HERE / "page.js").read_text(encoding="utf-8")))
    katex = next(folder for folder in KATEX if (folder / "katex.js").is_file())
    copy(katex / "katex.min.css", edition.out / "katex/katex.min.css")
    fonts = next((folder for folder in [katex / "fonts", *FONTS] if folder.is_dir()), None)
    for font in sorted(fonts.glob("*.woff2")) if fonts else []:
        copy(font, edition.out / "katex/fonts" / font.name)
    version = hashlib.sha256()
    for file in sorted(edition.out.rglob("*")):
        if file.is_file() and file.name != "worker.js":
            version.update(file.relative_to(edition.out).as_posix().encode() + file.read_bytes())
    worker = (HERE / "worker.js").read_text(encoding="utf-8")
    edition.write("worker.js", worker.replace("'VERSION'", f"'fluid-workbook-{version.hexdigest()[:16]}'"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("chapters", nargs="*")
    asked = parser.parse_args()
    chapters = manifest()
    wanted = [chapter for chapter in chapters if chapter.folder in asked.chapters]
    edition = Edition(chapters, asked.out)
    try:
        copy_programs(edition, asked.code, wanted)
        make_pages(edition)
        copy_kernels(edition)
        copy_shared(edition)
    except (NoPages, OSError) as problem:
        sys.exit(f"workbook: {problem}")


if __name__ == "__main__":
    main()
