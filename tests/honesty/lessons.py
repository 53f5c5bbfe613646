"""Keeps the lessons true to the code. In a lesson, what comes from elsewhere stands behind a comment
that says where from:

    <!-- part NAME -->            a listing: that part of the chapter's solver.hpp (or what it WRITES instead),
                                  verbatim
    <!-- change NAME -->          how that part differs from the one in the chapter before; after several
                                  names only the lines that differ, with the lines beside them
    <!-- answer NAME -->          the same from tests/answers/CHAPTER.cpp
    <!-- console: FLAGS -->       what the chapter's program prints with these flags
    <!-- stats -->                the size of the step
    <!-- picture FILE: FLAGS -->  an image that the chapter's program draws with these flags
    <!-- mutants --> ... <!-- end of mutants -->  the classic mistakes, from tests/mutants

Two more comments stand before figures in prose, so that these are computed again:

    <!-- figures FLAGS: SUM = FIGURE; ... -->   the program runs with these flags, of which the last is --history
                                  or --save. SUM is computed from the columns of the file that this writes, such
                                  as kinetic_energy[50] / kinetic_energy[0]. The figure is in the text below.
    <!-- figures answers: CHECKED = FIGURE; ... -->   a test of the chapter's answers, in tests/answers, checks
                                  for the number CHECKED.
    <!-- long numbers --> ... <!-- end of long numbers -->   --numbers --long prints each figure between the two

What a chapter adds must be shown by `part`, and what it changes by `change`; a chapter that begins a new grid
must name what it changes.

The picture of a mistake stands beside the correct one, drawn with the same flags. That is one of the lesson's
other pictures, if one of them has these flags, or else correct.png, correct_2.png and so on. What it shows is
said in tests/mutants/CHAPTER/correct.txt, a line for all pictures with the same flags. Flags that must not
change the correct picture, `--threads N`, do not count: it is drawn with them, too, but is there once.

    --scene drag --steps 30: the stroke is a little dimmer at its end

usage: lessons.py --bin DIR [--write]      check the lessons, or bring them up to date
       lessons.py --bin DIR --pictures [--write]   the same for the pictures
       lessons.py --bin DIR --long CHAPTER   run the chapter's long numbers, and check what the lesson says of them
"""

import argparse
import csv
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import LARGE, ON_RANKS, ROOT, finish, manifest, on_ranks, parts_of, without_comment
from png import keep_picture

SECTIONS = ["The idea", "What to write", "Stop here and try it yourself", "The code", "What changed",
            "Compare with the tutorial", "Where the text goes wrong", "Play",
            "If yours looks like this", "Exercises", "Further reading"]
LEAST_WORDS, MOST_WORDS, MOST_WORDS_LARGE = 800, 1800, 3500
LONGEST_WHOLE = 24  # lines of a change that shows all of its function
MUTANTS = re.compile(r"<!-- mutants -->.*?(?=<!-- end of mutants -->|^## )", flags=re.M | re.S)
PICTURE = re.compile(r"<!-- picture (\S+): (.*?) -->")
FIGURES = re.compile(r"<!-- figures (.*?): (.*?) -->(?=(.*?)(?:</details>|^## ))", flags=re.M | re.S)
SUMS = {"__builtins__": {}, "max": max, "min": min, "sum": sum, "zip": zip}  # what a figure may be computed with
LONG = re.compile(r"<!-- long numbers -->(.*?)<!-- end of long numbers -->", flags=re.S)

arguments = argparse.ArgumentParser()
arguments.add_argument("--bin", required=True)
arguments.add_argument("--write", action="store_true")
arguments.add_argument("--pictures", action="store_true")
arguments.add_argument("--long")
options = arguments.parse_args()
problems = []
chapters = manifest()
by_name = {chapter.folder: chapter for chapter in chapters}


def run(chapter, flags, folder=None, timeout=120):
    flags = flags.split()
    result = subprocess.run(on_ranks(str(Path(options.bin).resolve() / chapter.folder), flags), capture_output=True,
                            text=True, timeout=timeout, cwd=folder, env={**os.environ, **ON_RANKS})
    if result.returncode != 0:
        problems.append(f"{chapter.folder} {flags}: status {result.returncode}, {result.stderr}")
    return result.stdout


def fenced(language, text):
    return [f"```{language}", *text.rstrip("\n").split("\n"), "```"]


def stats(chapter):
    """How many lines of code the step adds and removes, as tests/honesty/steps.py counts them."""
    if chapter.has_own_file:
        lines = chapter.path(chapter.writes).read_text(encoding="utf-8").splitlines()
        count = sum(1 for line in lines if without_comment(line).strip())
        return f"`solver.hpp` has not changed by a line; `{chapter.writes}` has {count} lines of code."
    new = chapter.path("solver.hpp").read_text(encoding="utf-8").splitlines()
    if chapter.new_grid:
        count = sum(1 for line in new if without_comment(line).strip())
        return f"`solver.hpp` has {count} lines of code, counted whole since its grid is new."
    old = by_name[chapter.follows].path("solver.hpp").read_text(encoding="utf-8").splitlines()
    diff = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    count = {sign: sum(1 for line in diff
                       if line[0] == sign and without_comment(line[1:]).strip()) for sign in "+-"}
    return (f"`solver.hpp` has {count['+']} lines of code more than that of `{chapter.follows}`, "
            f"and {count['-']} of the old ones {'is' if count['-'] == 1 else 'are'} gone.")


def doc_and_code(part):
    """A part's lines, those of the comment above it apart."""
    lines = part.rstrip("\n").split("\n")
    above = next((n for n, line in enumerate(lines) if not line.startswith("//")), 0)
    return lines[:above], lines[above:]


def diff_of(name, old, new, around=None):
    """A part of the solver as a diff: all of it where it is short, else what differs, with the two lines
    before and after it, or as many as `around` says. The comment above it is left out where it is the same."""
    (old_doc, old), (new_doc, new) = doc_and_code(old), doc_and_code(new)
    if old_doc != new_doc:
        old, new = old_doc + old, new_doc + new
    whole = [line.rstrip() for line in difflib.unified_diff(old, new, lineterm="", n=len(new))][3:]
    pieces = []
    for line in list(difflib.unified_diff(old, new, lineterm="", n=2 if around is None else around))[2:]:
        if line.startswith("@@"):
            pieces.append([f"@@ {name} @@"])
        elif line.strip() or len(pieces[-1]) > 1:  # a piece does not begin with an empty line
            pieces[-1].append(line.rstrip())
    lines = [line for piece in pieces for line in (piece if piece[-1] else piece[:-1])]
    return whole if around is None and len(whole) <= max(LONGEST_WHOLE, len(lines)) else lines


def change_block(chapter, names, solver):
    """The lines of the diff that `<!-- change NAMES -->` stands for, or None."""
    where = f"{chapter.folder}/README.md"
    before = by_name.get(chapter.follows)
    before = dict(parts_of(before.path("solver.hpp").read_text(encoding="utf-8"))) if before else {}
    lines = []
    for name in names:
        if name not in solver or name not in before:
            problems.append(f"{where}: {name} is not in both solver.hpp, that of {chapter.follows} and this")
            return None
        if solver[name] == before[name]:
            problems.append(f"{where}: {name} is what it was in {chapter.follows}")
            return None
        lines += diff_of(name, before[name], solver[name], 1 if len(names) > 1 else None)
    return lines


def check_changes(chapter, lines, listed, in_changes):
    """That a lesson shows what the chapter changes, and as a change."""
    where = f"{chapter.folder}/README.md"
    for name in chapter.changes:
        if chapter.new_grid:
            if not re.search(rf"\b{name}\b", "\n".join(lines)):
                problems.append(f"{where} does not name {name}, which is new for its grid")
        elif name in listed:
            problems.append(f"{where} lists {name} anew: show what changed, by <!-- change {name} -->")
        elif in_changes.count(name) != 1:
            problems.append(f"{where} shows {in_changes.count(name)} times how {name} changes: there must "
                            f"be one <!-- change {name} -->")


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
    if first.startswith("`"):
        return words
    if first in ("advect", "diffuse", "u", "v", "w", "x", "y", "c") or "_" in first:
        return f"`{first}`{words[len(first):]}"
    return words[0].upper() + words[1:]


def shared_flags(flags):
    """The flags by which a correct picture is known."""
    return re.sub(r"--headless *|--threads \d+ *", "", flags).strip()


def said_of_pictures(chapter):
    """What the correct pictures show, from correct.txt, by their flags."""
    path = ROOT / "tests" / "mutants" / chapter.folder / "correct.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    for line in lines:
        if line.split(": ")[0] not in said:
            problems.append(f"{chapter.folder}/correct.txt: what is '{line}'?")
    return said


class Twin:
    """A correct picture: its flags, its file, what it shows, and the mistakes it stands beside."""

    def __init__(self, flags, file, words):
        self.flags, self.file, self.words, self.mutants = flags, file, words, []


def twins_of(chapter):
    """The correct pictures beside those of the chapter's mistakes."""
    text = "".join(page.read_text(encoding="utf-8") for page in pages_of(chapter))
    drawn = {shared_flags(flags): name for name, flags in reversed(PICTURE.findall(MUTANTS.sub("", text)))}
    said, found, count = said_of_pictures(chapter), {}, 0
    for name, fields in mutants_of(chapter):
        if "picture" not in fields:
            continue
        flags = shared_flags(fields["picture"])
        if flags not in found:
            count += flags not in drawn
            file = drawn.get(flags, "correct.png" if count == 1 else f"correct_{count}.png")
            if flags not in said:
                problems.append(f"tests/mutants/{chapter.folder}/correct.txt does not say what is seen with: "
                                f"{flags}")
            found[flags] = Twin(flags, file, said.pop(flags, "nobody has said what is seen"))
        found[flags].mutants.append((name, fields))
    for flags in said:
        problems.append(f"tests/mutants/{chapter.folder}/correct.txt: no mistake is drawn with {flags}")
    return list(found.values())


def image(words, file):
    words = words if words.startswith("`") else words[0].upper() + words[1:]
    words = words.replace("`", "").replace("|", "\\|").rstrip(".")
    return f"![{words}.]({file})"


def twin_tables(twin):
    """A correct picture, and beside it that of each mistake."""
    lines = ["", f"With `{twin.flags}` {linked(twin.words).rstrip('.')}."]
    for name, fields in twin.mutants:
        title, look = sentence(fields["title"]), sentence(fields["look for"]).rstrip(".")
        lines += ["", "| correct | mistaken |", "|---|---|",
                  f"| {image(twin.words, twin.file)} | {image(f'{title}. {look}', f'mutant_{name}.png')} |",
                  "", f"**{linked(title)}.** {linked(look)}."]
        more = " ".join(re.findall(r"--threads \d+", fields["picture"]))
        lines[-1] += f" (`{more}`)" if more else ""
    return lines


def mutant_section(chapter):
    twins = twins_of(chapter)
    plain = [f"- **{linked(sentence(fields['title']))}.** {linked(sentence(fields['look for'])).rstrip('.')}."
             for _, fields in mutants_of(chapter) if "picture" not in fields]
    lines = []
    if twins:
        lines = ["", "Both pictures of a pair were drawn by this chapter's program: the left one with the "
                 "correct solver, the right one with one mistake planted in it."]
        for twin in twins:
            lines += twin_tables(twin)
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
    result, at, shown, in_changes, in_diffs = [], 0, [], [], []
    solver = dict(parts_of(chapter.path(chapter.writes).read_text(encoding="utf-8")))
    answers_path = ROOT / "tests" / "answers" / f"{chapter.folder}.cpp"
    answers = dict(parts_of(answers_path.read_text(encoding="utf-8")))
    used = []
    while at < len(lines):
        line = lines[at]
        marker = re.fullmatch(r"<!-- (part|change|answer|console:|stats|picture|mutants)\s*(.*?)\s*-->", line)
        if line in ("```cpp", "```console", "```diff"):
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
        elif kind == "change":
            block = change_block(chapter, what.split(), solver)
            in_changes += what.split()
            in_diffs += block or []
            result += fenced("diff", "\n".join(block)) if block else []
            at = skip_block(lines, at) if is_block(lines, at, "diff") else at
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
    text = chapter.path(chapter.writes).read_text(encoding="utf-8")
    for name in chapter.adds:
        whole = "".join([solver.get(part, "") for part in shown] + in_diffs)
        if not re.search(rf"\b{name}\b", whole) or name not in text:
            problems.append(f"{chapter.folder}/README.md does not show {name}, which the chapter adds")
    check_changes(chapter, lines, shown, in_changes)
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
    prose = re.sub(r"<!--.*?-->|</?[a-z]+>|^\$\$.*?\$\$$", "", prose, flags=re.M | re.S)
    prose = re.sub(r"\$[^$\n]*\$", "formula", prose)
    words = sum(1 for word in prose.split() if re.search(r"[^\W_]", word))
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
    pages = "".join(page.read_text(encoding="utf-8") for page in pages_of(chapter))
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        if not chapter.path(picture).is_file():
            problems.append(f"{where}: {picture} is missing")
    for picture in sorted(chapter.path("").glob("*.png")):
        if f"]({picture.name})" not in text + pages:
            problems.append(f"{chapter.folder}/{picture.name} is shown nowhere")
    for link in re.findall(r"[^!]\[[^\]]+\]\(([^)#:]+)\)",
                           re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)):
        if not (chapter.path("README.md").parent / link).exists():
            problems.append(f"{where}: the link {link} leads nowhere")


def rounds_to(value, figure):
    """Whether a value is this figure: a number as it is written, or a percentage."""
    number, percent = figure.removesuffix("%").rstrip(), figure.endswith("%")
    digits = len(number.split(".")[1]) if "." in number else 0
    return abs((100 if percent else 1) * value - float(number)) <= 0.5000001 * 10.0 ** -digits


def columns_of(chapter, flags):
    """What --history or --save, the last of these flags, writes: a list of numbers for each column."""
    with tempfile.TemporaryDirectory() as folder:
        run(chapter, f"--headless {flags} figures.csv", folder)
        path = Path(folder) / "figures.csv"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return {name: [float(row[name]) for row in rows if row[name]] for name in (rows[0] if rows else [])}


def check_figures(chapter, text):
    """The figures of which a comment says how they are computed."""
    where = f"{chapter.folder}/README.md"
    tests = (ROOT / "tests" / "answers" / f"{chapter.folder}.cpp").read_text(encoding="utf-8")
    checked = " ".join(line for line in tests.splitlines() if "CHECK" in line)
    for flags, sums, below in FIGURES.findall(text):
        columns = {} if flags == "answers" else columns_of(chapter, flags)
        below = re.sub(r"<!--.*?-->", "", below, flags=re.S)
        for line in sums.split(";"):
            expression, figure = (side.strip() for side in line.split(" = "))
            if flags == "answers" and not re.search(rf"(?<![\d.]){re.escape(expression)}(?![\d.])", checked):
                problems.append(f"{where}: no test of tests/answers/{chapter.folder}.cpp checks {expression}")
            try:
                value = eval(expression, SUMS | columns)
            except (NameError, IndexError, TypeError, ZeroDivisionError) as error:
                problems.append(f"{where}: with '{flags}', {expression}: {error}")
                continue
            if not rounds_to(value, figure):
                problems.append(f"{where}: with '{flags}', {expression} is {value}, not {figure}")
            if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d]|\.\d)", below):
                problems.append(f"{where}: {figure} is not in the text below its comment")


def check_long(chapter):
    """That the long numbers are as expected, and that the lesson says what they are."""
    printed = run(chapter, "--numbers --long", timeout=1700)
    if "DIFFERS" in printed:
        problems.append(f"{chapter.folder} --numbers --long: a number differs")
    print(printed)
    values = [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", printed)]
    for block in LONG.findall(chapter.path("README.md").read_text(encoding="utf-8")):
        for figure in re.findall(r"(?<![\d.])\d+\.\d+", block):
            if not any(rounds_to(abs(value), figure) for value in values):
                problems.append(f"{chapter.folder}/README.md: --numbers --long does not print {figure}")


def pages_of(chapter):
    """The lesson, and the further pages in its folder."""
    return sorted(chapter.path("").glob("*.md"))


def check_pictures(chapter):
    text = "".join(page.read_text(encoding="utf-8") for page in pages_of(chapter))
    wanted = PICTURE.findall(text)
    for twin in twins_of(chapter):
        for flags in dict.fromkeys(fields["picture"] for _, fields in twin.mutants):
            wanted += [(twin.file, flags)] * ((twin.file, flags) not in wanted)
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in wanted:
            made = Path(folder) / name
            made.unlink(missing_ok=True)
            run(chapter, f"{flags} --png {name}", folder)
            if not made.is_file():
                continue
            if not keep_picture(chapter.path(name), made, options.write):
                problems.append(f"{chapter.folder}/{name} is not what '{flags}' draws")


def is_missing(chapter):
    """Whether the chapter's libraries are not installed, so that its program only says so."""
    done = chapter.packages and subprocess.run([str(Path(options.bin).resolve() / chapter.folder), "--help"],
                                               capture_output=True, text=True, timeout=120)
    return done and done.returncode == 2 and "not installed" in done.stderr


if options.long:
    check_long(by_name[options.long])
    finish(f"long numbers of {options.long}", problems)

for chapter in chapters:
    if is_missing(chapter):
        print(f"skipped: {chapter.folder}, whose libraries are not installed")
        continue
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
        problems.append(f"{chapter.folder}/README.md is not up to date (lessons.py --write fixes "
                        "it):\n    " + "\n    ".join(changed[:12]))
    check_prose(chapter, new)
    check_figures(chapter, "".join(page.read_text(encoding="utf-8") for page in pages_of(chapter)))
finish("pictures" if options.pictures else "lessons", problems)
