"""The library as its users get it: what it exports, its examples, and that it can be installed, moved,
found and linked. Exits with 77, which CTest reports as skipped, where a tool is missing.

usage: package.py symbols NM LIBRARY [OBJECT...]
       package.py channel PROGRAM
       package.py calls PROGRAM LIBRARY
       package.py install CMAKE BUILD CONFIG PREFIX
       package.py find_package CMAKE PREFIX C-COMPILER WORK
       package.py pkg_config PREFIX C-COMPILER WORK
       package.py python PREFIX
       package.py wheel CMAKE WORK
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "library" / "include" / "stable_fluids.h"


def fail(text):
    sys.exit(f"FAILED: {text}")


def skip(text):
    print(f"skipped: {text}")
    sys.exit(77)


def run(*command, **options):
    """Runs a command, which must succeed, and returns what it printed."""
    command = [str(word) for word in command]
    print("+", " ".join(command), flush=True)
    result = subprocess.run(command, capture_output=True, text=True, timeout=500, **options)
    if result.returncode != 0:
        fail(f"status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def symbols(nm, library, *objects):
    """Only what the header declares may be seen from outside. And the loops for wide registers (the
    objects) must not bring functions along that the linker could give to others: it takes any copy, and
    that one could not be run everywhere."""
    if not shutil.which(nm):
        skip("no nm here (package binutils)")
    flags = ["-gU"] if sys.platform == "darwin" else ["-D", "--defined-only"]
    found = {line.split()[-1].removeprefix("_" if sys.platform == "darwin" else "")
             for line in run(nm, *flags, library).splitlines() if line.strip()}
    declared = set(re.findall(r"\b(stable_fluids_\w+)\(", re.sub(
        r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)))
    if found != declared:
        fail(f"exported, but not in the header: {sorted(found - declared)}; in the header, but not "
             f"exported: {sorted(declared - found)}")
    for name in objects:
        shared = [line for line in run(nm, name).splitlines() if re.search(r" [WVu] ", line)]
        if shared:
            fail(f"{name} shares functions with files that are compiled for every machine: {shared}")
    print(f"{len(found)} functions exported, and {len(objects)} objects share nothing")


def check_picture(picture, said):
    """Whether it is one of the example's pictures, with something to be seen on it."""
    if not re.fullmatch(r".*: 600 steps, 10\.0 s, fastest [0-9.]+ m/s, .*, on the (host|GPU)\n", said):
        fail(f"the example says {said!r}")
    head, width, height, grey, pixels = re.fullmatch(
        rb"(P5)\n(\d+) (\d+)\n(\d+)\n(.*)", picture.read_bytes(), re.DOTALL).groups()
    if (head, int(width), int(height), int(grey), len(pixels)) != (b"P5", 192, 64, 255, 192 * 64):
        fail(f"{picture} is not a picture of 192 x 64 grey pixels")
    if min(pixels) > 100 or max(pixels) < 250:
        fail(f"nothing is to be seen: the picture's greys are {min(pixels)} to {max(pixels)}")


def channel(program):
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "dye.pgm"
        check_picture(picture, run(program, picture))
        check_picture(picture, run(program, picture))  # over the one that is there
        if os.listdir(folder) != ["dye.pgm"]:
            fail(f"{os.listdir(folder)} are left")
        # What goes wrong is told in one line on stderr, and by the status.
        missing = Path(folder) / "no" / "such" / "folder.pgm"
        for arguments, words in (([missing], "is the folder there"), (["x" * 2000], "too long"),
                                 (["--what"], "usage"), (["a", "b"], "usage")):
            result = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
            if result.returncode in (0, 77) or words not in result.stderr \
                    or result.stderr.count("\n") != 1 or result.stdout:
                fail(f"{arguments}: {result}")
        if os.listdir(folder) != ["dye.pgm"]:
            fail(f"{os.listdir(folder)} are left")


def calls(program, library):
    """The examples of the reference, in C and in Python: each call does what its comment says."""
    with tempfile.TemporaryDirectory() as folder:
        said = run(program, folder)
        numbers = [float(number) for number in re.findall(r"(?:pillar it is|view) ([\d.]+)", said)]
        if "refused: h is -1" not in said or "u has 49 x 32 x 1 faces" not in said:
            fail(f"calls says:\n{said}")
        if len(numbers) != 2 or numbers[0] != numbers[1] or not 25 < numbers[0] < 65:
            fail(f"read and view give {numbers} degrees:\n{said}")
        said = run(sys.executable, ROOT / "library/examples/calls.py", folder,
                   env={**os.environ, "STABLE_FLUIDS_LIBRARY": str(library)})
        if "refused: h is -1" not in said or "u has (32, 49) faces" not in said:
            fail(f"calls.py says:\n{said}")
        if sorted(path.name for path in Path(folder).glob("*.vti")) != ["calls.vti"]:
            fail(f"the folder has {sorted(Path(folder).iterdir())}")


def install(cmake, build, config, prefix):
    """Installs the library, and moves it: what is told of places in it must be relative."""
    shutil.rmtree(prefix, ignore_errors=True)
    Path(prefix).parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=Path(prefix).parent) as folder:
        first = Path(folder) / "first"
        print(run(cmake, "--install", build, "--config", config, "--prefix", first, "--component",
                  "stable_fluids"))
        first.rename(prefix)
        told = [path for path in Path(prefix).rglob("*") if path.is_file() and not path.is_symlink()
                and path.suffix in (".cmake", ".pc", ".py", ".h", ".c", ".md")
                and (str(first) in path.read_text(encoding="utf-8")
                     or str(ROOT) in path.read_text(encoding="utf-8"))]
    if told:
        fail(f"these name a place on this machine: {told}")


def environment(prefix):
    """Where programs find the library: one that a user would install into a place of its own."""
    folders = os.pathsep.join(str(path) for path in [*Path(prefix).glob("lib*"),
                                                      *Path(prefix).glob("lib/*-linux-gnu"),
                                                      Path(prefix) / "bin"])
    return {**os.environ, **{name: folders + os.pathsep + os.environ.get(name, "") for name in
                             ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PATH")}}


def installed(prefix, name):
    return next(Path(prefix).rglob(name))


def find_package(cmake, prefix, compiler, work):
    """A project of its own, in C alone, that knows no more than the prefix."""
    shutil.rmtree(work, ignore_errors=True)
    run(cmake, "-S", ROOT / "tests" / "library" / "consumer", "-B", work,
        f"-DCHANNEL={installed(prefix, 'channel.c')}", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release")
    run(cmake, "--build", work, "--config", "Release")
    program = next(path for path in Path(work).rglob("consumer*") if path.is_file()
                   and path.name in ("consumer", "consumer.exe"))
    picture = Path(work) / "dye.pgm"
    check_picture(picture, run(program, picture, env=environment(prefix)))


def pkg_config(prefix, compiler, work):
    """The compiler called by hand, as channel.c says."""
    if not shutil.which("pkg-config"):
        skip("no pkg-config here (package pkgconf, or pkg-config)")
    shutil.rmtree(work, ignore_errors=True)
    Path(work).mkdir(parents=True)
    asked = {**os.environ, "PKG_CONFIG_PATH": str(installed(prefix, "stable_fluids.pc").parent)}
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "stable_fluids", env=asked))
    version = run("pkg-config", "--modversion", "stable_fluids", env=asked).strip()
    numbers = re.findall(r"_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER.read_text(encoding="utf-8"))
    if version != ".".join(numbers):
        fail(f"pkg-config says version {version}, and the header {numbers}")
    program = Path(work) / "consumer"
    run(compiler, "-std=c99", installed(prefix, "channel.c"), *flags, "-o", program)
    picture = Path(work) / "dye.pgm"
    check_picture(picture, run(program, picture, env=environment(prefix)))


def check_plume(interpreter, program, folder, environment):
    """Runs the plume there. It must rise, its picture must show it, and what goes wrong is told."""
    said = run(interpreter, "-B", program, "--picture", "plume.pgm", env=environment, cwd=folder)
    print(said)
    if not said.endswith("it rises\n"):
        fail("the plume does not rise")
    picture = (Path(folder) / "plume.pgm").read_bytes()
    head = b"P5\n96 144\n255\n"
    if not picture.startswith(head) or len(picture) != len(head) + 96 * 144 or max(picture[len(head):]) < 50:
        fail("plume.pgm is not a picture of the smoke")
    wrong = subprocess.run([interpreter, "-B", program, "--picture", "no/such/folder.pgm"], env=environment,
                           cwd=folder, capture_output=True, text=True)
    if wrong.returncode != 1 or wrong.stderr.count("\n") != 1 or "folder is not there" not in wrong.stderr \
            or os.listdir(folder) != ["plume.pgm"]:
        fail(f"a picture that cannot be written: {wrong}, {os.listdir(folder)}")


def wheel(cmake, work):
    """From the sources to a fluid in an environment of its own: an sdist, from it a wheel, installed where
    there is nothing else, where the examples run without our folders. Needs scikit-build-core, which is
    fetched; without a network it is skipped."""
    shutil.rmtree(work, ignore_errors=True)
    work = Path(work)
    builder, user = work / "builder", work / "user"
    for folder in (builder, user):
        run(sys.executable, "-m", "venv", folder)
    bin_folder = "Scripts" if sys.platform == "win32" else "bin"
    pip = [builder / bin_folder / "python", "-m", "pip", "--disable-pip-version-check"]
    if subprocess.run([*pip, "install", "-q", "scikit-build-core>=0.10", "build", "ninja"],
                      capture_output=True).returncode != 0:
        skip("scikit-build-core, build or ninja cannot be fetched")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("STABLE_FLUIDS_LIBRARY", "LD_LIBRARY_PATH", "PYTHONPATH")}
    environment["PATH"] = os.pathsep.join([str(Path(cmake).parent), str(builder / bin_folder),
                                           environment["PATH"]])
    tag = ".".join(re.findall(r"_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", HEADER.read_text(encoding="utf-8")))
    run(pip[0], "-m", "build", "--sdist", "--no-isolation", "--outdir", work, ROOT / "library",
        env=environment)
    source = work / f"stable_fluids-{tag}.tar.gz"
    with tarfile.open(source) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames()}
        archive.extractall(work / "unpacked")
    for name in ("LICENSE", "common/parallel.hpp", "include/stable_fluids.h", "src/solver.cpp", "src/step.cpp",
                 "python/stable_fluids/py.typed", "examples/plume.py"):
        if name not in names:
            fail(f"the sdist has no {name}")
    # With CMake and a compiler alone. To configure it is enough: the wheel compiles the same.
    run(cmake, "-S", work / "unpacked" / f"stable_fluids-{tag}", "-B", work / "plain",
        "-DWORKBOOK_CUDA=OFF", env=environment)
    run(*pip, "wheel", "-q", "--no-deps", "--no-index", "--no-build-isolation", "-w", work,
        "--config-settings=cmake.define.WORKBOOK_CUDA=OFF", source, env=environment)
    made = list(work.glob("*.whl"))
    if len(made) != 1 or not made[0].name.startswith(f"stable_fluids-{tag}-py3-none-"):
        fail(f"the wheel depends on a version of Python: {made}")
    python = user / bin_folder / "python"
    run(python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-index", made[0],
        env=environment)
    said = run(python, "-I", "-c", "import stable_fluids as sf\n"
               "print(sf.__file__)\n"
               "with sf.Fluid(8, 8, scalars=[sf.Scalar(buoyancy=1, initial=1)]) as fluid:\n"
               "    fluid.step(0.1)\n"
               "    print(fluid.statistics())\n", env=environment, cwd=work)
    if str(user) not in said or "steps=1" not in said:
        fail(f"not what was installed: {said}")
    # A copy of the example alone, so that it finds no module beside it.
    alone = work / "alone"
    alone.mkdir()
    program = shutil.copy(ROOT / "library" / "examples" / "plume.py", work / "plume.py")
    check_plume(python, program, alone, environment)


def python(prefix):
    """The Python examples, where they were installed: they must find the library by themselves."""
    clean = {name: value for name, value in os.environ.items()
             if name not in ("STABLE_FLUIDS_LIBRARY", "LD_LIBRARY_PATH", "PYTHONPATH")}
    print(run(sys.executable, "-B", installed(prefix, "shear_wave.py"), env=clean, cwd=prefix))
    with tempfile.TemporaryDirectory() as folder:
        check_plume(sys.executable, installed(prefix, "plume.py"), folder, clean)


if __name__ == "__main__":
    {one.__name__: one for one in (symbols, channel, calls, install, find_package, pkg_config, python, wheel)}[
        sys.argv[1]](*sys.argv[2:])
