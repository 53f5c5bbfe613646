"""A chapter's tests and its program with other functions in its solver, without building all of them anew.

Both are compiled once, against a solver.hpp that only declares its functions. These are in a library beside
them. Functions that are to take their place are compiled by themselves, and loaded first (LD_PRELOAD). Only where
something else differs, such as a struct, are the tests and the program compiled anew. A template would have to be in the
header. But those of the chapters only leave open what function they call: here it is a std::function. How the build
compiles tests and programs, its compile_commands.json says.
"""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ON_RANKS, ROOT, on_ranks
from functions import apart

# What takes long to compile, once for all chapters that are compiled in the same way.
SHARED_HEADERS = {
    "tests": ("catch.hpp", "common/algebra/algebra.hpp"),
    "program": ("common/app/program.hpp", "common/app/box.hpp", "<algorithm>", "<functional>", "<map>", "<optional>",
                "<string>", "<vector>"),
    "functions": ("<algorithm>", "<cassert>", "<cmath>", "<functional>", "<limits>", "<memory>", "<optional>", "<string>",
                  "<utility>", "<vector>"),
}
# What solvers include of Eigen, and programs of what is written with it.
EIGEN = {"program": "common/algebra/algebra.hpp", "functions": "<Eigen/SparseCholesky>"}
FLAGS = ["-std=c++20", "-w", "-ffp-contract=off", "-fPIC", "-fsemantic-interposition", "-pthread"]
# In tests, the standard library's assertions stop a mistake that reads or writes beyond the arrays.
FLAGS_OF = {
    "tests": ["-O1", "-D_GLIBCXX_ASSERTIONS"],
    "program": ["-O1"],
    # The solver's functions are the same for both. Programs run for many steps, most of the time in these functions.
    "functions": ["-O2", "-D_GLIBCXX_ASSERTIONS"],
}
FUNCTIONS = "functions.so"
# As a reader's file is compiled (common/cmake/mine.cmake).
READERS_FLAGS = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror=return-type"]
# What the templates of the chapters call, by the names of the types that they leave open. One that has none of these
# names stays a template.
CALLED = {
    "DoUnit": "void(int, int)",
    "Function": "Value(const Numbers&)",
    "Preconditioner": "void(Field&, const Field&)",
    "Work": "void(int, int, int)",
}


def without_templates(solver):
    """The solver with functions in the place of these templates."""
    for name, signature in CALLED.items():
        as_template = re.compile(rf"^template <class {name}>\n(?:inline )?", flags=re.M)
        solver = as_template.sub(f"using {name} = std::function<{signature}>;\ninline ", solver, count=1)
        solver = as_template.sub("inline ", solver)
    return "#include <functional>\n" + solver


def run(command, limit=None):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=limit, env={**os.environ, **ON_RANKS})


def first_error(done):
    """The first error of a compiler's run, or nothing."""
    if done.returncode == 0:
        return ""
    lines = done.stdout.splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else "no reason given")


def our_headers():
    """The text of all headers that may be compiled beforehand. Where one changes, they are compiled anew."""
    folders = (ROOT / "common", ROOT / "tests" / "support")
    return "".join(path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.rglob("*.hpp")))


class BuildCommands:
    """How a build folder compiles: the compiler, and what it is told of a source's headers and macros."""

    def __init__(self, build):
        self.entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))

    def of(self, source):
        """The compiler, and its flags for that source."""
        # Of a chapter with matrices, all files of the program are compiled as one.
        program = f"{source.parent.name}.dir/Unity/"
        words = next(shlex.split(entry["command"]) for entry in self.entries
                     if (Path(entry["file"]) == source or program in entry["file"]) and "-c" in entry["command"])
        flags = []
        for word, following in zip(words, words[1:] + [""]):
            if re.match(r"-[ID].", word) and word != "-DNDEBUG":
                flags.append(word)
            elif word == "-isystem":
                flags += [word, following]
        return words[0], flags


class Kind:
    """The chapter's tests, or its program: what is compiled with a solver."""

    def __init__(self, name, source, built_as, link):
        self.name, self.source, self.built_as, self.link = name, source, built_as, link


class Planted:
    """The chapter, built in the folder `work`. `shared` is a folder for what all chapters share."""

    def __init__(self, chapter, commands, kinds, work, shared):
        self.chapter, self.work, self.kinds = chapter, work, {kind.name: kind for kind in kinds}
        self.file = chapter.writes
        self.problems = []
        self.solver = chapter.path(self.file).read_text(encoding="utf-8")
        self.declared, self.definitions = apart(without_templates(self.solver))
        for kind in kinds:
            self.compiler, kind.flags = commands.of(kind.built_as)
            # A quoted include looks beside its source first, and then where -I says: the solver's folder comes first.
            kind.flags = [flag for flag in kind.flags if flag != f"-I{chapter.path('')}"]
            if chapter.has_own_file:  # for the solver.hpp beside it
                kind.flags += ["-idirafter", str(chapter.path(""))]
            kind.headers = self.precompiled(kind.name, kind.flags, shared)
        right = self.prepare_functions(kinds[0].flags, shared)
        for kind in kinds:
            kind.executable = self.work / f"{kind.name}.exe"
            wrong = self.compile(kind, self.declared_header.parent, self.work,
                                 [right / FUNCTIONS, f"-Wl,-rpath,{right}"])
            if wrong:
                self.problems.append(f"{self.chapter.folder}: its {kind.name} against declarations: {wrong}")

    def prepare_functions(self, flags, shared):
        """Compiles the declarations and, apart from them, the functions. Returns the folder of the latter."""
        declared, right = self.work / "declared", self.work / "right"
        self.write(declared, self.declared)
        self.write(right, without_templates(self.solver))
        self.declared_header = declared / self.file
        self.flags_of_functions = [*FLAGS, *FLAGS_OF["functions"], *self.precompiled("functions", flags, shared),
                                   "-include", self.declared_header, *flags]
        wrong = self.compile_functions(self.definitions, right, [])
        if wrong:
            self.problems.append(f"{self.chapter.folder}: {self.file}, apart: {wrong}")
        return right

    def write(self, folder, solver):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.file).write_text(solver, encoding="utf-8")

    def precompiled(self, kind, flags, shared):
        """The words that make use of the headers that all chapters' tests, programs or functions share."""
        headers = list(SHARED_HEADERS[kind])
        if kind in EIGEN and "#include <Eigen/" in self.solver:
            headers.append(EIGEN[kind])
        text = "".join(f"#include {one if one[0] == '<' else chr(34) + one + chr(34)}\n" for one in headers)
        alike = [text, *(flag for flag in flags if str(self.chapter.path("")) not in flag), our_headers()]
        name = f"{kind}_{hashlib.sha256(' '.join(alike).encode()).hexdigest()[:16]}"
        header = shared / f"{name}.hpp"
        if not Path(f"{header}.gch").is_file():
            shared.mkdir(parents=True, exist_ok=True)
            header.write_text(text, encoding="utf-8")
            made = shared / f"{name}.{os.getpid()}.gch"  # several chapters may begin at the same time
            wrong = first_error(run([self.compiler, *FLAGS, *FLAGS_OF[kind], *flags, "-x", "c++-header",
                                     header, "-o", made]))
            if wrong:
                self.problems.append(f"{self.chapter.folder}: the headers of its {kind}: {wrong}")
            else:
                os.replace(made, f"{header}.gch")
        return ["-include", header]

    def compile_functions(self, definitions, folder, more):
        """Makes a library of some definitions. The first error, or nothing."""
        source = folder / "functions.cpp"
        source.write_text("".join(f"{text}\n\n" for text in definitions.values()), encoding="utf-8")
        return first_error(run([self.compiler, *self.flags_of_functions, *more, "-shared", source,
                                "-o", folder / FUNCTIONS]))

    def compile(self, kind, solver_folder, folder, more=()):
        """Compiles and links the tests, or the program, with the solver.hpp in a folder. The first error, or nothing."""
        made = folder / f"{kind.name}.o"
        flags = FLAGS + FLAGS_OF[kind.name]
        wrong = first_error(run([self.compiler, *flags, *kind.headers, f"-I{solver_folder}", *kind.flags, "-c",
                                 kind.source, "-o", made]))
        return wrong or first_error(run([self.compiler, *flags, made, *more, *kind.link, "-o",
                                         folder / f"{kind.name}.exe"]))

    def with_solver(self, solver, folder, kinds, flags=()):
        """The chapter with this solver in the place of its own: its tests, its program, or both."""
        solver = without_templates(solver)
        self.write(folder, solver)
        declared, definitions = apart(solver)
        if declared != self.declared:
            wrong = ""
            for kind in kinds:
                wrong = wrong or self.compile(self.kinds[kind], folder, folder)
            return Variant({kind: folder / f"{kind}.exe" for kind in kinds}, None, wrong)
        changed = {key: text for key, text in definitions.items() if text != self.definitions.get(key)}
        wrong = self.compile_functions(changed, folder, flags) if changed else ""
        return Variant({kind: self.kinds[kind].executable for kind in kinds}, folder if changed else None, wrong)


class Variant:
    """Executables with other functions in the solver, which are in `functions`, if that is a folder; `wrong` says why
    there are none."""

    def __init__(self, executables, functions, wrong):
        self.executables, self.functions, self.wrong = executables, functions, wrong

    def command(self, kind, flags=()):
        """The words that run it with these flags. As in `workbook run`, --ranks N may come first."""
        words = on_ranks(self.executables[kind], list(flags))
        if self.functions:
            at = words.index(self.executables[kind])
            words[at:at] = ["env", f"LD_PRELOAD={self.functions / FUNCTIONS}"]
        return [str(word) for word in words]
