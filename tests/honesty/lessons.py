"""Keeps the lessons true to the code. In a lesson, what comes from elsewhere stands behind a comment
that says where from:

    <!-- part NAME -->            a listing: that part of the chapter's solver.hpp, verbatim
    <!-- answer NAME -->          the same from tests/answers/CHAPTER.cpp
    <!-- console: FLAGS -->       what the chapter's program prints with these flags
    <!-- stats -->                the size of the step
    <!-- picture FILE: FLAGS -->  an image that the chapter's program draws with these flags
    <!-- mutants --> ... <!-- end of mutants -->  the classic mistakes, from tests/mutants

usage: lessons.py --bin DIR [--write]      check the lessons, or bring them up to date
       lessons.py --bin DIR --pictures [--write]   the same for the pictures
"""

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import LARGE, ROOT, finish, manifest, parts_of, without_comment
from png import keep_picture

SECTIONS = ["The idea", "What to write", "Stop here and try it yourself", "The code", "What changed",
            "Compare with the tutorial", "Where the text goes wrong", "Play",
            "If yours looks like this", "Exercises", "Further reading"]
LEAST_WORDS, MOST_WORDS, MOST_WORDS_LARGE = 800, 1800, 3500

arguments = argparse.ArgumentParser()
arguments.add_argument("--bin", required=True)
arguments.add_argument("--write", action="store_true")
arguments.add_argument("--pictures", action="store_true")
options = arguments.parse_args()
problems = []
chapters = manifest()
by_name = {chapter.folder: chapter for chapter in chapters}


def run(chapter, flags, folder=None):
    program = Path(options.bin).resolve() / chapter.folder
    result = subprocess.run([str(program), *flags.split()], capture_output=True, text=True,
                            timeout=120, cwd=folder)
    if result.returncode != 0:
        problems.append(f"{chapter.folder} {flags}: status {result.returncode}, {result.stderr}")
    return result.stdout


def fenced(language, text):
    return [f"```{language}", *text.rstrip("\n").split("\n"), "```"]


def stats(chapter):
    """How many lines of code the step adds and removes, as tests/honesty/steps.py counts them."""
    new = chapter.path("solver.hpp").read_text(encoding="utf-8").splitlines()
    if chapter.new_grid:
        count = sum(1 for line in new if without_comment(line).strip())
        return f"`solver.hpp` has {count} lines of code, counted whole since its grid is new."
    old = by_name[chapter.follows].path("solver.hpp").read_text(encoding="utf-8").splitlines()
    diff = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    count = {sign: sum(1 for line in diff
                       if line[0] == sign and without_comment(line[1:]).strip()) for sign in "+-"}
    return (f"`solver.hpp` has {count['+']} lines of code more than that of `{chapter.follows}`, "
            f"and {count['-']} of the old ones are gone.")


def mutants_of(chapter):
    """Each planted mistake of the chapter: (name, {title, look for, ...})."""
    found = []
    for path in sorted((ROOT / "tests" / "mutants" / chapter.folder).glob("*.mutant")):
        head = path.read_text(encoding="utf-8").split("<<<<")[0]
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        found.append((path.stem, fields))
    return found


def linked(words):
    """With the names of chapters as links."""
    return re.sub(r"\b(\d\d)_[a-z0-9]+\b",
                  lambda found: f"[{found[1]}](../{found[0]}/README.md)" if found[0] in by_name else found[0],
                  words)


def sentence(words):
    """With a capital letter, unless it begins with a name from the code."""
    first = words.split()[0]
    if first in ("advect", "diffuse", "u", "v", "c") or "_" in first:
        return f"`{first}`{words[len(first):]}"
    return words if first.startswith("`") else words[0].upper() + words[1:]


def mutant_section(chapter):
    lines, plain = [], []
    for name, fields in mutants_of(chapter):
        title, look = linked(sentence(fields["title"])), linked(sentence(fields["look for"]))
        if "picture" in fields:
            flags = fields["picture"].replace("--headless ", "")
            lines += ["", f"![{sentence(fields['title'])}](mutant_{name}.png)", "",
                      f"**{title}.** {look.rstrip('.')}. (`{flags}`)"]
        else:
            plain.append(f"- **{title}.** {look.rstrip('.')}.")
    if lines:
        lines = ["", "Each picture was drawn by this chapter's program with one mistake planted in it.",
                 *lines]
    if plain:
        words = "And without a picture:" if lines else "Without pictures:"
        lines += ["", words, "", *plain]
    return [*lines, ""]


def is_block(lines, at, language):
    return at < len(lines) and lines[at] == f"```{language}"


def skip_block(lines, at):
    end = at + 1
    while lines[end] != "```":
        end += 1
    return end + 1


def rewritten(chapter, lines):
    """The lesson with everything that comes from elsewhere as it should be."""
    result, at, shown = [], 0, []
    solver = dict(parts_of(chapter.path("solver.hpp").read_text(encoding="utf-8")))
    answers_path = ROOT / "tests" / "answers" / f"{chapter.folder}.cpp"
    answers = dict(parts_of(answers_path.read_text(encoding="utf-8")))
    used = []
    while at < len(lines):
        line = lines[at]
        marker = re.fullmatch(r"<!-- (part|answer|console:|stats|picture|mutants)\s*(.*?)\s*-->", line)
        if line == "```cpp" or line == "```console":
            problems.append(f"{chapter.folder}/README.md, line {at + 1}: a listing of unknown source")
        result.append(line)
        at += 1
        if not marker:
            continue
        kind, what = marker.groups()
        if kind in ("part", "answer"):
            source = solver if kind == "part" else answers
            (shown if kind == "part" else used).append(what)
            if what not in source:
                problems.append(f"{chapter.folder}/README.md: there is no {what} to show")
                continue
            result += fenced("cpp", source[what])
            at = skip_block(lines, at) if is_block(lines, at, "cpp") else at
        elif kind == "console:":
            command = f"$ ./workbook run {chapter.number} {what}"
            if what == "--numbers":
                command = f"$ ./workbook numbers {chapter.number}"
            result += fenced("console", command + "\n" + run(chapter, what))
            at = skip_block(lines, at) if is_block(lines, at, "console") else at
        elif kind == "stats":
            result.append(stats(chapter))
            at += 1 if at < len(lines) and lines[at].startswith("`solver.hpp` has ") else 0
        elif kind == "mutants":
            result += mutant_section(chapter) + ["<!-- end of mutants -->"]
            while at < len(lines) and lines[at] != "<!-- end of mutants -->" \
                    and not lines[at].startswith("## "):
                at += 1
            at += 1 if at < len(lines) and lines[at] == "<!-- end of mutants -->" else 0
    text = chapter.path("solver.hpp").read_text(encoding="utf-8")
    for name in chapter.adds:
        whole = "".join(solver.get(part, "") for part in shown)
        if not re.search(rf"\b{name}\b", whole) or name not in text:
            problems.append(f"{chapter.folder}/README.md does not show {name}, which the chapter adds")
    for name in answers:
        if name != "head" and name not in used and f"inline {name}" in answers[name]:
            problems.append(f"{chapter.folder}/README.md does not show the answer {name}")
    return result


def check_prose(chapter, text):
    where = f"{chapter.folder}/README.md"
    if not text.startswith(f"# {chapter.number} · {chapter.title}\n"):
        problems.append(f"{where} does not begin with '# {chapter.number} · {chapter.title}'")
    if re.findall(r"^## (.*)$", text, flags=re.M) != SECTIONS:
        problems.append(f"{where} has the sections {re.findall(r'^## (.*)$', text, flags=re.M)}")
    mutants = text.split("<!-- mutants -->")[1].split("<!-- end of mutants -->")[0]
    prose = text.replace(mutants, "")
    prose = re.sub(r"^```.*?^```", "", prose, flags=re.M | re.S)
    prose = re.sub(r"<!--.*?-->", "", prose, flags=re.S)
    words = len(prose.split())
    most = MOST_WORDS_LARGE if chapter.folder in LARGE else MOST_WORDS
    if not LEAST_WORDS <= words <= most:
        problems.append(f"{where} has {words} words of prose, not {LEAST_WORDS} to {most}")
    # Figures in these two sections, and on a lesson's second page, must be among those that --numbers prints.
    printed = re.findall(r"-?\d[\d.e+-]*", run(chapter, "--numbers"))
    values = [float(word) for word in printed if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", word)]
    sections = {title: text.split(f"\n## {title}\n")[1].split("\n## ")[0]
                for title in ("Compare with the tutorial", "Where the text goes wrong")}
    sections.update({page.name: page.read_text(encoding="utf-8") for page in pages_of(chapter)
                     if page.name != "README.md"})
    for title, section in sections.items():
        section = re.sub(r"^```.*?^```", "", section, flags=re.M | re.S)
        for figure in re.findall(r"`(-?\d+(?:\.\d+)?)`", section):
            digits = len(figure.split(".")[1]) if "." in figure else 0
            if not any(abs(value - float(figure)) <= 0.5000001 * 10.0 ** -digits for value in values):
                problems.append(f"{where}, {title}: --numbers does not print {figure}")
    for image in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        if not chapter.path(image).is_file():
            problems.append(f"{where}: {image} is missing")
    for link in re.findall(r"[^!]\[[^\]]+\]\(([^)#:]+)\)",
                           re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if not (chapter.path("README.md").parent / link).exists():
            problems.append(f"{where}: the link {link} leads nowhere")


def pages_of(chapter):
    """The lesson, and the further pages in its folder."""
    return sorted(chapter.path("").glob("*.md"))


def check_pictures(chapter):
    text = "".join(page.read_text(encoding="utf-8") for page in pages_of(chapter))
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in re.findall(r"<!-- picture (\S+): (.*?) -->", text):
            made = Path(folder) / name
            run(chapter, f"{flags} --png {name}", folder)
            if not made.is_file():
                continue
            if not keep_picture(chapter.path(name), made, options.write):
                problems.append(f"{chapter.folder}/{name} is not what '{flags}' draws")


for chapter in chapters:
    path = chapter.path("README.md")
    if not path.is_file():
        problems.append(f"{chapter.folder} has no lesson")
        continue
    if options.pictures:
        check_pictures(chapter)
        continue
    text = path.read_text(encoding="utf-8")
    new = "\n".join(rewritten(chapter, text.rstrip("\n").split("\n"))) + "\n"
    if options.write:
        path.write_text(new, encoding="utf-8")
    elif new != text:
        changed = [line for line in difflib.unified_diff(text.splitlines(), new.splitlines(),
                                                         lineterm="", n=0)][2:]
        problems.append(f"{chapter.folder}/README.md is not up to date (lessons.py --write mends "
                        "it):\n    " + "\n    ".join(changed[:12]))
    check_prose(chapter, new)
finish("pictures" if options.pictures else "lessons", problems)
