"""The library's reference, as Markdown: what the comments in stable_fluids.h and the docstrings of the Python module
say. library/README.md has the first, and the browser edition has both, with an example beside each function.
"""

import ast
import functools
import re

from manifest import ROOT

HEADER = ROOT / "library/include/stable_fluids.h"
MODULE = ROOT / "library/python/stable_fluids/__init__.py"
CALLS, CALLS_IN_PYTHON = ROOT / "library/examples/calls.c", ROOT / "library/examples/calls.py"

# What of the Python module does the work of a C function, where it has another name.
IN_PYTHON = {
    "stable_fluids_version": "load", "stable_fluids_describe": "Fluid", "stable_fluids_describe_sized": "Fluid",
    "stable_fluids_describe_sizes": "Fluid", "stable_fluids_describe_scalar": "Scalar",
    "stable_fluids_describe_scalar_sized": "Scalar", "stable_fluids_set_from_device": "Fluid.set",
    "stable_fluids_fill": "Fluid.set",
    "stable_fluids_state_size": "Fluid.save", "stable_fluids_get_state": "Fluid.save",
    "stable_fluids_set_state": "Fluid.load", "stable_fluids_create": "Fluid", "stable_fluids_destroy": "Fluid.close",
    "stable_fluids_error": "Error", "stable_fluids_why_no_cuda": "why_no_cuda", "stable_fluids_warning": "Unsolved",
    "stable_fluids_statistics_of": "Fluid.statistics",
}


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


def in_python(function):
    """The name in the Python module of what a C function does."""
    return IN_PYTHON.get(function, function.replace("stable_fluids_", "Fluid.", 1))


def functions(header):
    """The names of the header's functions."""
    return re.findall(r"^STABLE_FLUIDS_API [^;]*?(stable_fluids_\w+)\(", header, flags=re.M)


# ---- The Python module ----------------------------------------------------------------------------

class Entry:
    """A function or a class of the module, or a method: its name, how it is called, and its docstring."""

    def __init__(self, name, call, said):
        self.name, self.call, self.said = name, call, said


def signature(node):
    arguments = ast.unparse(node.args)
    return re.sub(r"^self(, )?", "", arguments)


def is_property(node):
    return any(isinstance(how, ast.Name) and how.id == "property" for how in node.decorator_list)


def entries_of_class(node):
    begin = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    call = f"{node.name}({signature(begin)})" if begin else node.name
    found = [Entry(node.name, call, ast.get_docstring(node))]
    for one in node.body:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            name = f"{node.name}.{one.name}"
            call = name if is_property(one) else f"{one.name}({signature(one)})"
            found.append(Entry(name, call, ast.get_docstring(one)))
    return found


@functools.cache
def module():
    """What the module says of itself, and its public functions, classes and methods, in order."""
    tree = ast.parse(MODULE.read_text(encoding="utf-8"))
    found = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            found += entries_of_class(node)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.append(Entry(node.name, f"{node.name}({signature(node)})", ast.get_docstring(node)))
    return ast.get_docstring(tree), found


# ---- Examples -------------------------------------------------------------------------------------

def examples(path, comment):
    """The paragraphs of an example, by what they call. A paragraph goes from a comment that begins with the names, as
    in "Fluid.view(), View: ...", to the next empty line."""
    found = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    for start, line in enumerate(lines):
        names = re.match(rf"\s*{comment} ([\w.]+(?:\(\))?(?:, [\w.]+(?:\(\))?)*): ", line)
        if not names:
            continue
        end = next((k for k in range(start, len(lines)) if not lines[k].strip()), len(lines))
        indent = len(line) - len(line.lstrip())
        paragraph = "\n".join(one[indent:] for one in lines[start:end])
        for name in names[1].replace("()", "").split(", "):
            found[name] = paragraph
    return found


def c_examples():
    return examples(CALLS, re.escape("/*"))


def python_examples():
    return examples(CALLS_IN_PYTHON, "#")
