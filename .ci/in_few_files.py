"""Lays down few files that include many, for clang-tidy. It spends most of its time on what files include, such as
Eigen, and does so anew for each file.

usage: in_few_files.py BUILD OUT      BUILD: a configured build folder, OUT: where the files go

It prints the files, a line each, and writes OUT/compile_commands.json for them. What CI has seen pass is left out
(tests/honesty/seen.py).

Programs have functions of the same names. So each stands in a namespace of its own, with a copy of all that it includes
from chapters/, since each solver.hpp gives windows other types. A copy has the lines of its original, but for the
headers that are not the chapters': these come first, outside of all namespaces. What is found in OUT/07_project/main.cpp
is in chapters/07_project/main.cpp.

Clang's analyzer follows all paths only through functions of the file itself, and of sources that it includes, if its own
name contains "UnifiedSource".
"""

import json
import re
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "honesty"))
sys.dont_write_bytecode = True
from seen import seen_in

CHAPTERS = ROOT / "chapters"
INCLUDE = re.compile(r"^#include ([<\"])([^>\"]+)[>\"].*$", flags=re.M)
GLOBAL_TYPE = re.compile(r"(?<![\w>:)])::(?=[A-Z])")  # ::State
# What needs other tools, or is compiled in several ways.
LEFT_OUT = {"vdb.cpp", "no_vdb.cpp", "no_device.cpp", "rows.cpp", "gather_rows.cpp"}


class Program:
    """The sources of a chapter's program, and copies of what they include from chapters/."""

    def __init__(self, folder, out):
        self.folder, self.out, self.headers, self.copied = folder, out / folder.name, set(), set()
        self.namespace = f"chapter_{folder.name}"
        for name in ("main.cpp", "numbers.cpp"):
            self.copy(folder / name, self.out / name)

    def find(self, name, beside):
        """The file of chapters/ that is included by this name, and where its copy goes."""
        for place in (beside.parent, self.folder, CHAPTERS):
            path = place / name
            if path.is_file() and CHAPTERS in path.resolve().parents:
                path = path.resolve()
                return path, self.place_of(path)
        return None

    def place_of(self, path):
        """A quoted include looks beside its source first: the chapter's own files stay together."""
        if path.parent == self.folder:
            return self.out / path.name
        return self.out / path.relative_to(CHAPTERS)

    def copy(self, path, place):
        if place in self.copied:
            return
        self.copied.add(place)

        def included(line):
            found = self.find(line[2], path) if line[1] == '"' else None
            if not found:
                self.headers.add(f"{line[1]}{line[2]}{'>' if line[1] == '<' else line[1]}")
                return ""
            self.copy(*found)
            return f'#include "{found[1]}"'

        text = INCLUDE.sub(included, path.read_text(encoding="utf-8"))
        text = GLOBAL_TYPE.sub(f"{self.namespace}::", text)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")

    def text(self):
        """The program in a namespace of its own. Both of its sources may have functions of the same names."""
        lines = [f'#include "{self.out / "main.cpp"}"',
                 "namespace of_numbers {", f'#include "{self.out / "numbers.cpp"}"', "}"]
        solver = self.out / "solver.hpp"
        if solver in self.copied:
            lines.insert(0, f'#include "{solver}"')
        return "\n".join([f"namespace {self.namespace} {{", *lines, "}", ""])


def flags_of(entries, folders):
    """The folders of headers and the macros of all sources in these folders, without what tests add."""
    flags = []
    for entry in entries:
        words = shlex.split(entry["command"])
        is_there = any(folder in Path(entry["file"]).parents for folder in folders)
        told = entry["command"].replace(str(ROOT), "")
        if not is_there or "/tests/" in told or "/mine/" in told:
            continue
        for word, following in zip(words, [*words[1:], ""]):
            found = [word] if re.match(r"-[ID]", word) else [word, following] if word == "-isystem" else []
            if found and found not in flags:
                flags.append(found)
    return [word for one in flags for word in one]


def is_apart(source):
    """Whether a source of common/ has names of its own in common with others."""
    return source.parent.name == "watch" or source.name == "raymarch_surface.cpp"


def main():
    build, out = (Path(word).resolve() for word in sys.argv[1:])
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    out.mkdir(parents=True, exist_ok=True)

    # What takes longest comes first.
    seen = seen_in("tidy")
    sources = [source for folder in ("common", "common/*", "library/src")
               for source in sorted(ROOT.glob(f"{folder}/*.cpp"))
               if source.name not in LEFT_OUT and source.parent.name != "browser" and folder.split("/")[0] not in seen]
    units = {name: "".join(f'#include "{source}"\n' for source in sources if is_apart(source) == apart)
             for name, apart in (("common", False), ("apart", True))}
    programs = [Program(source.parent, out) for source in sorted(CHAPTERS.glob("*/main.cpp"))
                if source.parent.name not in seen]
    for n in range(2):  # one for each core of a small machine
        some = programs[n::2]
        headers = sorted({header for program in some for header in program.headers})
        units[f"programs_{n}"] = "".join([*(f"#include {header}\n" for header in headers),
                                          *(one.text() for one in some)])

    programs_flags = flags_of(entries, [CHAPTERS])
    others_flags = flags_of(entries, [ROOT / "common", ROOT / "library" / "src"])
    commands = []
    for name, text in units.items():
        if not text:
            continue
        path = out / f"UnifiedSource_{name}.cpp"
        path.write_text(text, encoding="utf-8")
        flags = programs_flags if name.startswith("programs") else others_flags
        commands.append({"directory": str(build), "file": str(path),
                         "command": shlex.join(["c++", "-std=c++20", "-DNDEBUG", *flags, "-c", str(path)])})
        print(path)
    (out / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")


main()
