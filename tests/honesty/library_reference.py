"""The reference in library/README.md, made of the comments in stable_fluids.h: checks that it is what the
header says, and that the README's C is the example's, to the letter.

usage: library_reference.py [--write]      (--write brings the reference up to date)
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2] / "library"
HEADER, README = HERE / "include" / "stable_fluids.h", HERE / "README.md"
EXAMPLE = HERE / "examples" / "channel.c"
BEGIN = "<!-- from stable_fluids.h, by tests/honesty/library_reference.py --write -->"
END = "<!-- until here -->"


def words(comment):
    """What a comment says, in one line, without its stars; names of the library in code style."""
    text = re.sub(r"^\s*/\*+<?|\*/\s*$", "", comment.strip())
    text = " ".join(re.sub(r"^\s*\*(?!\w)", "", line).strip() for line in text.splitlines()).strip()
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(piece if piece.startswith("`") else re.sub(
        r"\b(stable_fluids_\w+(?:\(\))?|STABLE_FLUIDS_\w+(?:\(\w\))?|sizeof\(\w+\)|"
        r"data\[i \*.*strides\[2\]\])", r"`\1`", piece) for piece in pieces)


TOKEN = re.compile(r"""
    /\*\ ----\ (?P<section>.*?)\ -+\ \*/
  | (?P<comment>/\*.*?\*/)
  | (?P<define>\#define\ STABLE_FLUIDS_\w+\(.*?\)\ [^\n]*)
  | (?P<typedef>typedef\ (?:enum|struct)\ (?P<name>\w+)\ \{(?P<body>.*?)\}\ \w+;)
  | (?P<enum>enum\ \{(?P<values>.*?)\};)
  | (?P<opaque>typedef\ struct\ \w+\ \w+;)
  | ^STABLE_FLUIDS_API\ (?P<function>[^;]*;)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)


def table(body, head):
    """A table of an enum's values or a struct's fields. A comment behind one is about it; one that
    stands by itself heads those that follow."""
    lines, inside = [], False
    for match in re.finditer(r"(?P<comment>/\*.*?\*/)|(?P<items>[^/]+)", body, re.DOTALL):
        if match["items"]:
            for item in re.split(r"[;,]\s*\n|[;,]\s*$", match["items"]):
                if item.strip():
                    lines += [] if inside else ["", f"| {head} | |", "|---|---|"]
                    lines.append(f"| `{' '.join(item.split())}` | |")
                    inside = True
        elif match["comment"].startswith("/**<"):
            lines[-1] = lines[-1][:-1] + words(match["comment"]).replace("|", "\\|") + " |"
        else:
            lines += ["", words(match["comment"])]
            inside = False
    return [*lines, ""]


def reference(header):
    """The whole reference, in GitHub's Markdown."""
    head = re.search(r"/\*\*\n \* @file \S+\n(.*?)\*/", header, re.DOTALL)
    paragraphs = re.split(r"\n \*\n", head[1].rstrip())
    lines = [line for one in paragraphs for line in (words(one), "")]
    said, started = "", False
    for match in TOKEN.finditer(header, head.end()):
        if match["section"]:
            lines += [f"### {match['section']}", ""]
            started = True
        elif not started:
            continue
        elif match["comment"]:
            said = words(match["comment"]) if match["comment"].startswith("/**") else ""
            continue
        elif match["typedef"]:
            kind = "value" if match["typedef"].startswith("typedef enum") else "field"
            lines += [f"#### `{match['name']}`", "", said, *table(match["body"], kind)]
        elif match["enum"]:
            lines += [said, *table(match["values"], "value")]
        elif match["opaque"]:
            name = match["opaque"].rstrip(";").split()[-1]
            lines += [f"#### `{name}`", "", f"{said} Only its address is known outside of the library.", ""]
        elif match["define"]:
            name = re.match(r"#define (\w+\(\w\))", match["define"])[1]
            lines += [f"`{name}`: {said}", ""]
        elif match["function"]:
            name = re.search(r"(stable_fluids_\w+)\(", match["function"])[1]
            lines += [f"#### `{name}()`", "", "```c", " ".join(match["function"].split()), "```", "",
                      said, ""]
        said = ""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def main():
    header = HEADER.read_text(encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    problems = []
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        sys.exit(f"FAILED: {README.name} needs the lines {BEGIN} and {END}, once each")
    made = f"{BEGIN}\n\n{reference(header)}\n\n{END}"
    now = readme[readme.index(BEGIN):readme.index(END) + len(END)]
    if "--write" in sys.argv:
        README.write_text(readme.replace(now, made), encoding="utf-8")
    elif now != made:
        problems.append("the reference is not what the header says: run tests/honesty/library_reference.py --write")
    # Whatever the header declares must have been found.
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    for name in set(re.findall(r"\b(?:stable_fluids|STABLE_FLUIDS)_\w+", re.sub(r"(?m)^#.*", "", code))):
        if name not in made and name != "STABLE_FLUIDS_API":
            problems.append(f"the reference does not name {name}")
    outside = readme.replace(now, "")
    for code in re.findall(r"```c\n(.*?)```", outside, re.DOTALL):
        if code not in EXAMPLE.read_text(encoding="utf-8"):
            problems.append(f"this is not in {EXAMPLE.name} as it stands:\n{code}")
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(made.splitlines())} lines of reference, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
