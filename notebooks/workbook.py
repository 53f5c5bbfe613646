"""Runs the chapters of the workbook from Python, and brings back what they did as NumPy arrays.

    import workbook

    fluid = workbook.square(16)              # 16 x 16 cells of fluid and a border of wall cells
    fluid.density[8, 8] = 1.0
    after = workbook.run("04_diffuse", fluid, steps=10, density_fade_rate=0)
    after.density[8, 8]

The programs are those of the chapters, run without a window. A cell has the same two numbers as in
C++: `density[i, j]` is `density(i, j)`, i runs right and j runs down.

Two variables of the environment: WORKBOOK_BUILD is the build folder (otherwise `build`), and
WORKBOOK_BIN a folder of programs that are to be taken as they are.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "common" / "book"))
import book

BUILD = Path(os.environ.get("WORKBOOK_BUILD", ROOT / "build"))

# Colours that colour-blind eyes tell apart (Okabe and Ito 2008), and that differ in print.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PINK = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7")

plt.rcParams.update({
    "figure.figsize": (6.4, 3.6), "figure.dpi": 90, "figure.constrained_layout.use": True,
    "font.size": 10, "axes.titlesize": 11, "axes.titlelocation": "left", "axes.grid": True,
    "grid.color": "#DDDDDD", "axes.axisbelow": True, "lines.linewidth": 1.8, "lines.markersize": 6,
    "legend.frameon": False, "image.cmap": "viridis", "image.interpolation": "nearest",
    "axes.prop_cycle": matplotlib.cycler(color=[BLUE, ORANGE, GREEN, RED, PINK, SKY, BLACK]),
})


class WorkbookError(Exception):
    """Something went wrong that one line can tell."""

    def _render_traceback_(self):
        """What a notebook shows of it."""
        return [f"workbook: {self}"]


# ---- Programs ------------------------------------------------------------------------------------

def name_of(chapter):
    """The folder of a chapter, such as "04_diffuse" for "04"."""
    found = book.find(str(chapter))
    if found is None:
        raise WorkbookError(f"there is no chapter '{chapter}'; ./workbook list names them all")
    return found.folder


def _command(words, what):
    """Runs a command of the build. If it fails, tells the first line that says why."""
    environment = {**os.environ, "LC_ALL": "C"}
    try:
        done = subprocess.run([str(word) for word in words], cwd=ROOT, env=environment, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as problem:
        raise WorkbookError(f"{what}: {words[0]} cannot be run ({problem.strerror})") from None
    if done.returncode != 0:
        lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
        telling = [line for line in lines if re.search(r"error|does not|there is no", line, re.I)]
        raise WorkbookError(f"{what}: {(telling or lines[-1:] or ['it said nothing'])[0]}")


def _configure():
    if not (BUILD / "CMakeCache.txt").is_file():
        _command(["cmake", "-S", ROOT, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release"], "configuring failed")


def _make(target):
    _command(["cmake", "--build", BUILD, "--config", "Release", "--target", target, "--parallel",
              os.cpu_count() or 1], f"{target} does not build")


_built = {}


def build(target):
    """Builds a program of the workbook unless it is up to date. Returns its path."""
    if target in _built:
        return _built[target]
    if "WORKBOOK_BIN" in os.environ:
        folders = [Path(os.environ["WORKBOOK_BIN"])]
    else:
        _configure()
        _make(target)
        folders = [BUILD / "bin", BUILD / "bin" / "Release"]
    name = target + (".exe" if os.name == "nt" else "")
    for folder in folders:
        if (folder / name).is_file():
            _built[target] = folder / name
            return _built[target]
    raise WorkbookError(f"the program {target} is not in {folders[0]}")


def program_of(chapter, mine=False):
    """The program of a chapter, or, with `mine`, of your own mine/<chapter>/solver.hpp."""
    name = name_of(chapter)
    if not mine:
        return build(name)
    if not (ROOT / "mine" / name / "solver.hpp").is_file():
        raise WorkbookError(f"there is no mine/{name}/solver.hpp yet; begin with: "
                            f"./workbook start {name[:2]}")
    if "mine_" + name not in _built and "WORKBOOK_BIN" not in os.environ:
        _command(["cmake", "-S", ROOT, "-B", BUILD], "configuring failed")  # it finds what is in mine/
        _command([sys.executable, ROOT / "common" / "book" / "check.py", name, "--build", BUILD,
                  "--program"], f"mine/{name}/solver.hpp does not build")
    return build("mine_" + name)


# ---- States --------------------------------------------------------------------------------------

class State:
    """What a chapter's fluid consists of: arrays by name, such as state.density or state.u.

    Squares (01_grid to 07_project): each (N + 2, N + 2), cell [i, j], 1..N fluid, 0 and N + 1 wall.
    Cubes (21_3d, 22_cells, 23_cuda): each (N, N, N), walls included.
    Boxes (11_mac to 17_viscosity, 51_relax to 52_fast, 61_adjoint and 62_control): density and p (nx, ny, nz);
    u (nx + 1, ny, nz), left of the cell; v (nx, ny + 1, nz), above it; w (nx, ny, nz + 1), in front of it.
    16_sharp and 17_viscosity have reflects_next (1, 1, 1), too. 17_viscosity also has nu and time, and for the six sides slips, wall_u,
    wall_v and wall_w (6, 1, 1), where a row of the box has five cells or more.
    """

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def copy(self):
        return State(**{name: field.copy() for name, field in self.__dict__.items()})

    def __repr__(self):
        return "State(" + ", ".join(f"{name} {'x'.join(map(str, field.shape))}"
                                    for name, field in self.__dict__.items()) + ")"


def square(N, fields=("density", "u", "v")):
    """A fluid at rest in a square of N x N cells, for 02_fade to 07_project."""
    return State(**{name: np.zeros((N + 2, N + 2)) for name in fields})


def box(nx, ny, nz=1):
    """A fluid at rest in a box of nx x ny x nz cells, for 11_mac and what follows it."""
    return State(density=np.zeros((nx, ny, nz)), u=np.zeros((nx + 1, ny, nz)),
                 v=np.zeros((nx, ny + 1, nz)), w=np.zeros((nx, ny, nz + 1)),
                 p=np.zeros((nx, ny, nz)))


def mirror(state):
    """Gives the wall cells of a square their values, as set_bnd does from 05_bounds on."""
    for name, field in state.__dict__.items():
        across, down = {"u": (-1, 1), "v": (1, -1)}.get(name, (1, 1))
        field[0, :], field[-1, :] = across * field[1, :], across * field[-2, :]
        field[:, 0], field[:, -1] = down * field[:, 1], down * field[:, -2]
        for i, beside in ((0, 1), (-1, -2)):
            for j, below in ((0, 1), (-1, -2)):
                field[i, j] = 0.5 * (field[beside, j] + field[i, below])
    return state


def save_state(state, path):
    """Writes a state file. Rows of a box have words only for the fields that reach so far."""
    names = list(state.__dict__)
    shape = tuple(max(field.shape[axis] for field in state.__dict__.values())
                  for axis in range(state.__dict__[names[0]].ndim))
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.write(",".join(("i", "j", "k")[:len(shape)]) + "," + ",".join(names) + "\n")
        for backwards in np.ndindex(*shape[::-1]):  # i runs fastest
            place = backwards[::-1]
            words = [str(index) for index in place]
            for field in state.__dict__.values():
                inside = all(index < size for index, size in zip(place, field.shape))
                value = float(field[place]) if inside else 0.0
                value = 0.0 if abs(value) < 1e-37 else value  # a float has nothing smaller
                words.append(repr(value) if inside else "")
            file.write(",".join(words) + "\n")


def load_state(path):
    """Reads a state file."""
    lines = Path(path).read_text(encoding="ascii").splitlines()
    header = lines[0].split(",")
    axes = 3 if "k" in header else 2
    rows = np.array([[float(word) if word else math.nan for word in line.split(",")]
                     for line in lines[1:]])
    places = tuple(rows[:, :axes].astype(int).T)
    fields = {}
    for column in range(axes, len(header)):
        whole = np.full([index.max() + 1 for index in places], math.nan)
        whole[places] = rows[:, column]
        there = ~np.isnan(whole)
        reach = [int(index.max()) + 1 for index in np.nonzero(there)]
        fields[header[column]] = whole[tuple(slice(size) for size in reach)]
    return State(**fields)


# ---- Running -------------------------------------------------------------------------------------

def flags_of(settings):
    """Settings as flags: density_fade_rate=0 becomes --density-fade-rate 0."""
    words = []
    for name, value in settings.items():
        if value is None:
            continue
        words.append("--" + name.replace("_", "-"))
        words.append(str(int(value)) if isinstance(value, bool) else str(value))
    return words


def start(chapter, *words, mine=False):
    """Runs a chapter's program with these words on its command line. Returns what it printed."""
    program = program_of(chapter, mine)
    done = subprocess.run([str(program), *map(str, words)], text=True, errors="replace",
                          capture_output=True)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}")
        words = said.splitlines()[0].removeprefix(program.name + ": ")
        raise WorkbookError(f"{program.name}: {words}")
    return done.stdout


def run(chapter, state=None, steps=1, dt=1 / 60, mine=False, **settings):
    """Lets a chapter's fluid make `steps` steps of `dt` seconds. Returns its State afterwards.

    Without a `state` to begin with it begins with the chapter's scene. `settings` are the chapter's
    parameters by name (./workbook run 04 --help lists them). With `mine`, your own solver runs.
    """
    with tempfile.TemporaryDirectory() as folder:
        before, after = Path(folder) / "before.csv", Path(folder) / "after.csv"
        words = ["--headless", "--steps", int(steps), "--dt", repr(float(dt)), "--save", after]
        if state is not None:
            save_state(state, before)
            words += ["--load", before]
        start(chapter, *words, *flags_of(settings), mine=mine)
        return load_state(after)


def race(n, **settings):
    """Lets 52_fast's solvers race on a box of n x n cells. Returns, for each solver's name, a
    dictionary of arrays: iteration, work (sweeps), seconds, residual (over that of p = 0)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "race.csv"
        start("52_fast", "--headless", "--n", n, "--csv", path, *flags_of(settings))
        rows = list(csv.reader(path.read_text(encoding="ascii").splitlines()))
    lanes = {}
    for words in rows[1:]:
        lanes.setdefault(words[0], []).append([float(word) for word in words[1:]])
    return {name: dict(zip(rows[0][1:], np.array(lane).T)) for name, lane in lanes.items()}


def library():
    """The module stable_fluids, which calls the workbook's fluid as a library (library/include/stable_fluids.h).
    Builds the library if need be."""
    if "STABLE_FLUIDS_LIBRARY" not in os.environ:
        folder = BUILD
        if "WORKBOOK_BIN" in os.environ:
            folder = Path(os.environ["WORKBOOK_BIN"]).parent
        else:
            _configure()
            _make("stable_fluids")
        for name in ("lib/libstable_fluids.so.1", "lib/libstable_fluids.1.dylib",
                     "bin/stable_fluids.dll", "bin/Release/stable_fluids.dll"):
            if (folder / name).is_file():
                os.environ["STABLE_FLUIDS_LIBRARY"] = str(folder / name)
    sys.path.insert(0, str(ROOT / "library" / "python"))
    try:
        import stable_fluids
        stable_fluids.load()
    except (ImportError, OSError) as problem:
        raise WorkbookError(problem) from None
    finally:
        del sys.path[0]
    return stable_fluids


# ---- Figures that are checked --------------------------------------------------------------------
# What these two print is compared when the notebooks are executed again (see check.py): each number
# as it stands there must be what the new value rounds to, but for a relative `tolerance`.

def in_words(value, digits=4, zero=0.0):
    """A number in so many significant digits; below `zero`, only that it is."""
    if isinstance(value, (str, bool, int, np.integer, np.bool_)):
        return str(value)
    value = float(value)
    if abs(value) < zero:
        return f"below_{zero:g}".replace("_", " ")
    text = f"{value:#.{digits}g}"
    return text[:-1] if text.endswith(".") else text.replace(".e", "e")


def _print(words, numbers):
    """Prints a line that is made of `words`; `numbers` are (text, value, tolerance) in it."""
    print(words)
    path = os.environ.get("WORKBOOK_FIGURES")
    if path:
        numbers = [[text, float(value), tolerance] for text, value, tolerance in numbers]
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"line": words.split(), "numbers": numbers}) + "\n")


def _number(text, value, tolerance):
    is_number = not isinstance(value, (str, bool, np.bool_)) and "below" not in text
    return [(text, value, tolerance)] if is_number else []


def figure(name, value, unit="", digits=4, zero=0.0, tolerance=1e-6):
    """Prints "name = value unit"."""
    text = in_words(value, digits, zero)
    sign = "is" if "below" in text else "="
    _print(f"{name} {sign} {text} {unit}".rstrip(), _number(text, value, tolerance))


def table(header, rows, digits=4, zero=0.0, tolerance=1e-6):
    """Prints a table: the names of its columns, then its rows."""
    texts = [[in_words(value, digits, zero) for value in row] for row in rows]
    widths = [max(len(line[k]) for line in [list(header)] + texts) for k in range(len(header))]

    def line_of(words):
        return "  ".join(word.rjust(width) for word, width in zip(words, widths)).rstrip()

    _print(line_of(header), [])
    for row, line in zip(rows, texts):
        numbers = [number for text, value in zip(line, row)
                   for number in _number(text, value, tolerance)]
        _print(line_of(line), numbers)


# ---- Drawing -------------------------------------------------------------------------------------

def show(axes, field, walls=False, **options):
    """Draws a field of a square or of a flat box as coloured cells, j downwards. Returns the image.

    A square's wall cells are left out unless `walls` says otherwise.
    """
    field = np.asarray(field)
    if field.ndim == 3:
        field, first = field[:, :, 0], 0
    elif walls:
        first = 0
    else:
        field, first = field[1:-1, 1:-1], 1
    left, top = first - 0.5, first - 0.5
    right, bottom = left + field.shape[0], top + field.shape[1]
    image = axes.imshow(field.T, extent=(left, right, bottom, top), **options)
    axes.grid(False)
    axes.set_xlabel("i (cells)")
    axes.set_ylabel("j (cells, down)")
    return image


# ---- Results of benchmarks -----------------------------------------------------------------------

def _read_results(path):
    """Machine and seconds by name, from a file of ours or one that Google Benchmark wrote."""
    contents = json.loads(path.read_text(encoding="utf-8"))
    if "benchmarks" not in contents:
        return contents["machine"], contents["seconds"]
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    seconds = {}
    for run in contents["benchmarks"]:
        if run.get("run_type", "iteration") != "iteration" or not run.get("real_time"):
            continue  # a mean of others, or one that was skipped
        name = re.sub(r"/(real_time|manual_time|iterations:\d+)", "", run["run_name"])
        # The device's time is its own; the host's is that of one thread, undisturbed by others.
        time = run["real_time" if name.startswith("device") else "cpu_time"] * unit[run["time_unit"]]
        seconds[name] = min(time, seconds.get(name, math.inf))
    return contents.get("machine", "this machine"), seconds


def result(name):
    """What a benchmark took, as (seconds, machine): from build/results if you have measured, else from
    notebooks/results, else None. To measure, where Google Benchmark is installed:

        cmake --build build --target benchmark_52
        build/bin/benchmark_52 --benchmark_out=build/results/benchmark_52.json
    """
    for folder in (BUILD / "results", ROOT / "notebooks" / "results"):
        for path in sorted(folder.glob("*.json")):
            machine, seconds = _read_results(path)
            if name in seconds:
                return seconds[name], machine
    return None
