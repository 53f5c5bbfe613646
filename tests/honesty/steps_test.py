"""Tests steps.py, and with it the reading of solvers, on a small book: what the manifest does not say is found, and
what only makes a step larger is not.

usage: steps_test.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import finish

STEPS = Path(__file__).resolve().parent / "steps.py"
ONE = {"folder": "01_one", "title": "One", "adds": ["fade"]}
TWO = {"folder": "02_two", "title": "Two", "follows": "01_one", "adds": ["step"], "changes": ["Fluid"],
       "defaults": ["Fluid::rate"]}
FLUID = """/// A fluid, which fades.
struct Fluid {
    int N;
    float rate = 0.5f, width = 1.0f;  ///< how fast, how wide
    float density = 1.0f;
};
"""
FADE = """/// Fades.
inline void fade(Fluid& fluid, float dt = 0.1f) {
    fluid.density -= dt * fluid.rate;
}
"""
STEP = """/// Lets time pass.
inline void step(Fluid& fluid) {
    fade(fluid);
}
"""
HEAD = "// The whole fluid.\n#pragma once\n\n#include <cmath>\n#include <vector>\n"
NEW_FLUID = FLUID.replace("rate = 0.5f", "rate = 0.25f")
problems = []


def solver(*parts):
    return "\n".join(parts)


FIRST = solver(HEAD, FLUID, FADE)
SECOND = solver(HEAD, NEW_FLUID, FADE, STEP)


def window(folder, title):
    return f'int main() {{\n    return program("{folder}", "{title}");\n}}\n'


def check(what, *words, says={}, first=FIRST, second=SECOND, second_window=window("02_two", "Two")):
    """That the check says these words of such a book, a line each; or finds nothing, where there are none. `says` is
    what the manifest says else of the second chapter."""
    with tempfile.TemporaryDirectory() as folder:
        chapters = Path(folder) / "chapters"
        for name, text, main in (("01_one", first, window("01_one", "One")), ("02_two", second, second_window)):
            (chapters / name).mkdir(parents=True)
            (chapters / name / "solver.hpp").write_text(text, encoding="utf-8")
            (chapters / name / "main.cpp").write_text(main, encoding="utf-8")
            (chapters / name / "numbers.cpp").write_text("", encoding="utf-8")
        book = {"parts": [{"title": "A small book", "chapters": [ONE, {**TWO, **says}]}]}
        (chapters / "manifest.json").write_text(json.dumps(book), encoding="utf-8")
        done = subprocess.run([sys.executable, str(STEPS), folder], capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    if done.returncode != (1 if words else 0) or len(found) != len(words) \
            or not all(word in line for word, line in zip(words, found)):
        problems.append(f"{what}: it says {found or done.stdout + done.stderr}, and not {words}")


check("a good book")
check("a comment is reworded in the wrong chapter", "fade is not byte for byte",
      second=SECOND.replace("/// Fades.", "/// Fades slowly."))
check("a comment is reworded where the code changes", second=SECOND.replace("A fluid, which fades", "A fluid"))
check("a function changes unsaid", "fade is not byte for byte", second=SECOND.replace("dt *", "2 * dt *"))
check("a function goes unsaid", "fade of 01_one is gone", second=solver(HEAD, NEW_FLUID, STEP))
check("a function that is dropped", says={"drops": ["fade"]},
      second=solver(HEAD, NEW_FLUID, STEP))
check("a function comes unsaid", "more is new", second=SECOND + "\ninline int more() {\n    return 1;\n}\n")
check("a function does not come", "names step as new", second=solver(HEAD, NEW_FLUID, FADE))
check("a function changes, but is said to be new", "fade is not byte for byte", "names fade as new, which 01_one has",
      says={"adds": ["step", "fade"]}, second=SECOND.replace("dt *", "2 * dt *"))
check("a function takes other parameters, and so is new", says={"adds": ["step", "fade"]},
      second=SECOND.replace("fade(Fluid& fluid, float dt = 0.1f)", "fade(Fluid& fluid, float rate, float dt = 0.1f)"))
check("what is said to change does not", "'changes' names fade, which has not changed",
      says={"changes": ["Fluid", "fade"]})
check("a default changes unsaid", "Fluid::rate is 0.25f, in 01_one it is 0.5f",
      says={"defaults": []})
check("another default on the same line changes unsaid", "Fluid::width is 2.0f",
      second=SECOND.replace("width = 1.0f", "width = 2.0f"))
check("a default changes unsaid, in a constructor", "Fluid::width is 2.0f",
      second=SECOND.replace("    int N;\n", "    int N;\n    Fluid(int n) : N(n), width(2.0f) {}\n"))
check("a parameter's default changes unsaid", "fade::dt is 0.2f",
      says={"changes": ["Fluid", "fade"]},
      second=SECOND.replace("dt = 0.1f", "dt = 0.2f"))
check("a default is said to change and does not", "'defaults' names Fluid::rate",
      second=SECOND.replace("0.25f", "0.5f").replace("which fades", "that fades"))
LONG = "inline void step(Fluid& fluid) {\n" + "    fade(fluid);\n" * 38 + "}\n"
check("a long function", "step has 40 lines of code, more than 39", second=solver(HEAD, NEW_FLUID, FADE, LONG))
check("comments make no function long", second=solver(HEAD, NEW_FLUID, FADE, LONG.replace(
    "fade(fluid);\n", "// why\n", 1)))
check("seven parameters", "step has 7 parameters, more than 6", second=SECOND.replace(
    "step(Fluid& fluid", "step(Fluid& fluid, int a, int b, int c, int d, int e, int f"))
check("six parameters, one of them a template's", second=SECOND.replace(
    "step(Fluid& fluid", "step(Fluid& fluid, int a, int b, int c, int d, std::array<int, 2> e"))
check("a header of ours", '"common/parallel.hpp" is not the standard library\'s', second=SECOND.replace(
    "#include <vector>", '#include "common/parallel.hpp"'))
check("the window has another title", "does not give the manifest's name and title",
      second_window=window("02_two", "Zwei"))
check("a window includes from another chapter", "02_two/main.cpp includes 01_one/window.hpp",
      second_window='#include "01_one/window.hpp"\n' + window("02_two", "Two"))
check("a window includes its own and what is shared", second_window='#include "02_two/scenes.hpp"\n'
      '#include "window/window.hpp"\n' + window("02_two", "Two"))
# What made a step too large, or its lines merely moved, is printed at most.
check("an include goes", second=SECOND.replace("#include <cmath>\n", ""))
check("the parts come in another order", second=solver(HEAD, FADE, NEW_FLUID, STEP))
check("a hundred lines of window", second_window=window("02_two", "Two") + "// and\nint more;\n" * 400)
check("a hundred lines of code", second=SECOND + "".join(
    f"\ninline int more_{n}() {{\n    return {n};\n}}\n" for n in range(100)),
    says={"adds": ["step"] + [f"more_{n}" for n in range(100)]})
finish("steps_test", problems)
