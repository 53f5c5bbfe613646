"""Checks seen.py: what a test depends on, and when it is skipped.

usage: seen_test.py
"""

import contextlib
import io
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, finish, manifest

import seen

problems = []


def expect(what, is_so):
    if not is_so:
        problems.append(what)


def names(test):
    return {path.relative_to(ROOT).as_posix() for path in seen.files_of([*seen.ALWAYS, *seen.patterns_of(test)[0]])}


def check_files():
    mutants = names("15_multigrid.mutants")
    for file in ("chapters/15_multigrid/solver.hpp", "chapters/14_gradients/solver.hpp", "chapters/window/window.hpp",
                 "tests/chapters/15_multigrid.cpp", "tests/support/catch.hpp", "common/app/flags.cpp",
                 "common/cmake/warnings.cmake", "tests/honesty/planted.py"):
        expect(f"15_multigrid.mutants depends on {file}", file in mutants)
    expect("15_multigrid.mutants depends on its mutants", any(name.startswith("tests/mutants/15_multigrid/") for name in mutants))
    for folder in ("chapters/16_sharp/", "tests/mutants/16_sharp/", "library/"):
        expect(f"15_multigrid.mutants does not depend on {folder}", not any(name.startswith(folder) for name in mutants))
    lesson = names("15_multigrid.lesson")
    for file in ("chapters/15_multigrid/README.md", "chapters/15_multigrid/numbers.cpp", "chapters/14_gradients/solver.hpp",
                 "tests/answers/15_multigrid.cpp", "tests/honesty/lesson_checks/prose.py", "common/app/numbers.cpp"):
        expect(f"15_multigrid.lesson depends on {file}", file in lesson)
    expect("24_webgpu.lesson depends on its kernels", any(name.endswith(".wgsl") for name in names("24_webgpu.lesson")))
    expect("15_multigrid.lesson does not depend on other lessons", "chapters/16_sharp/README.md" not in lesson)
    expect("52_fast.mutants depends on the library", "library/src/multigrid.cpp" in names("52_fast.mutants"))
    inherited = names("17_viscosity.inherited")
    expect("17_viscosity.inherited depends on the tests of 11_mac", "tests/chapters/11_mac.cpp" in inherited)
    expect("and not on those of 07_project", "tests/chapters/07_project.cpp" not in inherited)
    sanitized = names("32_fire.sanitized")
    for file in ("tests/chapters/32_fire.cpp", "tests/chapters/31_smoke.cpp", "tests/chapters/11_mac.cpp",
                 "tests/chapters/windows.py", "tests/support/display.py", "chapters/32_fire/main.cpp"):
        expect(f"32_fire.sanitized depends on {file}", file in sanitized)
    expect("and not on 42_water", not any("42_water" in name for name in sanitized))
    sanitized = names("library.sanitized")
    for file in ("library/src/state.cpp", "library/include/stable_fluids.h", "library/examples/smoke/main.cpp",
                 "library/examples/channel.c", "tests/library/smoke.py", "tests/library/version_1_0/stable_fluids.h"):
        expect(f"library.sanitized depends on {file}", file in sanitized)
    for test, file in (("16_sharp", "chapters/16_sharp/main.cpp"), ("16_sharp", "chapters/window/window.hpp"),
                       ("common", "common/app/flags.cpp"), ("common", "common/memory.cpp"), ("library", "library/src/carry.hpp")):
        for one in (file, ".clang-tidy", ".ci/in_few_files.py"):
            expect(f"{test}.tidy depends on {one}", one in names(f"{test}.tidy"))
    expect("what is no chapter belongs to the group, too", {"library.tidy", "common.tidy", "02_fade.tidy"} <= set(seen.names_in("tidy")))
    expect("stable_fluids.long depends on its tests", "tests/library/physics.cpp" in names("stable_fluids.long"))
    for test in ("23_cuda.emulated", "23_cuda.mutants", "23_cuda.inherited"):
        expect(f"{test} depends on the device code", "cuda/relax_3_tile.cu" in names(test))
    expect("stable_fluids.emulated depends on the library's", "library/src/device.cu" in names("stable_fluids.emulated"))
    for file in ("playground/index.html", "playground/flow.js", "webgpu/device.js", "webgpu/advect.wgsl",
                 "webgpu/node/gpu_page.js", "tests/webgpu/playground.js", "common/browser/chromium.js"):
        expect(f"the playground depends on {file}", file in names("playground"))
    for file in ("chapters/53_many/solver.hpp", "chapters/31_smoke/solver.hpp", "tests/chapters/ranks.py"):
        expect(f"53_many.ranks depends on {file}", file in names("53_many.ranks"))
    expect("15_multigrid.mutants depends on the numbers in tests/reference",
           any(name.startswith("tests/reference/") for name in mutants))


def check_comments():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "solver.hpp"
        path.write_text("/// Adds.\nint a = 1;  // one\n    // why\n", encoding="utf-8")
        expect("a comment that fills its line does not count", seen.content(path, False) == b"int a = 1;  // one\n")
        expect("but it does where a lesson shows it", seen.content(path, True) == path.read_bytes())
        path = path.rename(path.with_suffix(".md"))
        expect("in a lesson all counts", seen.content(path, False) == path.read_bytes())


def check_patterns():
    """None of the patterns is misspelled: each finds files for some chapter."""
    tests = [kind if "." in kind else f"{chapter.folder}.{kind}" for chapter in manifest() for kind in seen.DEPENDS_ON]
    tests.append("stable_fluids.long")
    found = {}
    for test in tests:
        kind = test if test in seen.DEPENDS_ON else test.split(".")[1]
        for written, pattern in zip(seen.DEPENDS_ON.get(kind, ()), seen.patterns_of(test)[0]):
            found[kind, written] = found.get((kind, written), False) or any(ROOT.glob(pattern))
    for pattern in (*seen.ALWAYS, *seen.DEPENDS_ON["library"]):
        found["always", pattern] = any(ROOT.glob(pattern))
    for (kind, pattern), is_found in found.items():
        expect(f"{kind}: a file is called {pattern}", is_found)


def run(command):
    with contextlib.redirect_stdout(io.StringIO()):
        return seen.run("02_fade.mutants", [sys.executable, "-c", command])


def check_skipping():
    """Here no test belongs to the tenth, then all do."""
    with tempfile.TemporaryDirectory() as folder:
        seen.RECORD = Path(folder) / "seen.json"
        seen.is_drawn = lambda name: False
        os.environ["WORKBOOK_UNLESS_SEEN"] = "yes"
        expect("what was never seen runs", run("exit(3)") == 3)
        os.environ["WORKBOOK_RECORD"] = "yes"
        expect("what fails is not written down", run("exit(3)") == 3 and not seen.RECORD.exists())
        expect("what passes runs once", run("pass") == 0)
        expect("and is then skipped", run("pass") == seen.SKIPPED)
        expect("with other flags it runs", run("exit(4)") == 4)
        seen.is_drawn = lambda name: True
        expect("in its tenth it runs", run("pass") == 0)
        seen.is_drawn = lambda name: False
        del os.environ["WORKBOOK_UNLESS_SEEN"]
        expect("by hand it runs", run("pass") == 0)


def check_tenth():
    drawn = [name for name in (f"{n}.mutants" for n in range(400)) if seen.is_drawn(name)]
    expect(f"about a tenth runs for each commit, and not {len(drawn)} of 400", 15 < len(drawn) < 80)


check_files()
check_comments()
check_patterns()
check_tenth()
check_skipping()
finish("seen", problems)
