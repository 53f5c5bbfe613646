"""Says in a line each what this machine has of all that the workbook can use, what is missing for which chapter or
command, and what to type. The text is meant to be pasted into an issue.

usage: doctor.py
It ends with status 1 if something is missing without which no chapter can be built, and else with 0.
"""

import os
import platform
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, end_with_the_reader, manifest

LONGEST_ANSWER = 20  # seconds
GIGA = 2**30


def answer(*command):
    """What a program prints, or None if it is not here, fails or does not answer."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              timeout=LONGEST_ANSWER, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def first_line(text):
    return text.splitlines()[0].strip() if text else None


def version_in(text):
    """The first version number in a text, as numbers: (3, 25, 1)."""
    found = re.search(r"\d+(?:\.\d+)+", text or "")
    return tuple(int(number) for number in found[0].split(".")) if found else ()


def as_words(version):
    return ".".join(str(number) for number in version)


class Report:
    """The lines, and whether something is missing without which nothing can be built."""

    def __init__(self):
        self.lines, self.broken = [], False

    def here(self, name, what):
        self.lines.append(f"ok       {name}: {what}")

    def missing(self, name, what, is_needed=False):
        self.lines.append(f"{'NEEDED' if is_needed else 'missing':8} {name}: {what}")
        self.broken = self.broken or is_needed

    def either(self, name, what, otherwise, is_needed=False):
        """`what`, if there is something, or what its absence means."""
        if what:
            self.here(name, what)
        else:
            self.missing(name, otherwise, is_needed)


# ---- The machine ---------------------------------------------------------------------------------

def system():
    words = [platform.system(), platform.release()]
    try:
        release = Path("/etc/os-release").read_text(encoding="utf-8")
        words = re.findall(r'^PRETTY_NAME="?([^"\n]*)', release, flags=re.M) or words
    except OSError:
        pass
    return " ".join([*words, platform.machine()])


def memory():
    """In GB, or None where nobody says."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGA
    except (AttributeError, OSError, ValueError):
        return None


def look_at_machine(report):
    report.here("system", system())
    report.here("processor", f"{os.cpu_count() or 'unknown'} cores")
    size = memory()
    if size is not None and size < 1.5:
        report.missing("memory", f"{size:.1f} GB; a build takes up to 1.5 GB, so set CMAKE_BUILD_PARALLEL_LEVEL=1")
    else:
        report.here("memory", "unknown" if size is None else f"{size:.1f} GB")
    free = shutil.disk_usage(ROOT).free / GIGA
    report.either("disk", f"{free:.1f} GB free" if free >= 2 else None,
                  f"only {free:.1f} GB free; a build of everything takes 2 GB")
    commit = answer("git", "-C", str(ROOT), "describe", "--always", "--dirty")
    report.here("workbook", f"commit {commit}" if commit else "not a git checkout")


# ---- What builds ---------------------------------------------------------------------------------

def look_at_compiler(report):
    compiler = os.environ.get("CXX") or "c++"
    said = first_line(answer(compiler, "--version"))
    least = 14 if said and "clang" in said else 12
    version = version_in((said or "").rpartition(")")[2] or said)
    needed = "g++ 12 or clang 14 or newer is needed: apt-get install g++"
    if not said:
        report.missing("compiler", f"{compiler} is not here; {needed}", is_needed=True)
    elif version and version[0] < least and "Apple" not in said:
        report.missing("compiler", f"{said} is too old; {needed}", is_needed=True)
    else:
        report.here("compiler", said)


def look_at_cmake(report):
    said = first_line(answer("cmake", "--version"))
    version = version_in(said)
    if not said:
        report.missing("CMake", "not here; 3.25 or newer is needed: apt-get install cmake", is_needed=True)
    elif version < (3, 25):
        report.missing("CMake", f"{as_words(version)} is too old; 3.25 or newer is needed", is_needed=True)
    else:
        report.here("CMake", as_words(version))
    tools = [tool for tool in ("make", "ninja") if shutil.which(tool)]
    report.either("make", " and ".join(tools), "neither make nor ninja is here: apt-get install make",
                  is_needed=os.name == "posix")


def look_at_libraries(report):
    """CMake fetches those that are not installed, which takes a network and some minutes."""
    for name, package, modules in (("SFML", "libsfml-dev", ["sfml-graphics"]), ("CLI11", "libcli11-dev", ["CLI11"]),
                                   ("Eigen", "libeigen3-dev", ["eigen3"]),
                                   ("Catch2", "catch2", ["catch2", "catch2-with-main"])):
        said = next(filter(None, (answer("pkg-config", "--modversion", module) for module in modules)), None)
        said = said or first_line(answer("dpkg-query", "-W", "-f", "${Version}", package))
        report.either(name, said, f"CMake fetches and builds it, which takes longer than: apt-get install {package}")


# ---- What shows ----------------------------------------------------------------------------------

def display_that_answers():
    """The display, if something listens there."""
    name = os.environ.get("DISPLAY", "")
    local = re.fullmatch(r"(?:unix)?:(\d+)(?:\.\d+)?", name)
    if not local:
        return name or os.environ.get("WAYLAND_DISPLAY")
    for address in (f"/tmp/.X11-unix/X{local[1]}", f"\0/tmp/.X11-unix/X{local[1]}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            try:
                connection.connect(address)
                return name
            except OSError:
                continue
    return None


def look_at_display(report):
    if platform.system() != "Linux":
        report.here("display", "that of the system")
        return
    report.either("display", display_that_answers(),
                  "none that answers (DISPLAY); `run` draws one picture and ends, instead of opening a window")
    said = re.search(r"OpenGL renderer string: (.*)", answer("glxinfo", "-B") or "")
    report.either("OpenGL", said and said[1], "not asked, since glxinfo does not answer: apt-get install mesa-utils")
    tools = [tool for tool in ("Xvfb", "xdotool") if shutil.which(tool)]
    report.either("windows' tests", "Xvfb and xdotool" if len(tools) == 2 else None,
                  "`test` skips them: apt-get install xvfb xdotool x11-apps")


# ---- What single chapters and commands need ------------------------------------------------------

def look_at_gpu(report):
    card = first_line(answer("nvidia-smi", "-L"))
    report.either("GPU", card, "no NVIDIA card that answers; 23_cuda runs on the host, and says so")
    toolkit = answer(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version")
    release = re.search(r"release ([\d.]+)", toolkit or "")
    report.either("CUDA toolkit", release and release[1], "no nvcc; 23_cuda is built without its device code")


def look_at_petsc(report):
    chapters = [chapter for chapter in manifest() if any("petsc" in package for package in chapter.packages)]
    names = ", ".join(chapter.folder for chapter in chapters)
    packages = " ".join(package for chapter in chapters for package in chapter.packages)
    version = answer("pkg-config", "--modversion", "PETSc")
    report.either("PETSc", version, f"only {names} needs it: apt-get install {packages}")
    report.either("mpiexec", first_line(answer("mpiexec", "--version")), f"only {names} needs it")


def look_at_others(report):
    version = platform.python_version()
    if sys.version_info >= (3, 11):
        report.here("Python", version)
    else:
        report.missing("Python", f"{version} will do, but for `notebooks`, which need 3.11")
    report.either("Emscripten", first_line(answer("emcc", "--version")),
                  "only `browser` needs it: apt-get install emscripten")
    report.either("Node", answer("node", "--version"),
                  "only `browser`, and the tests and numbers of 24_webgpu, need it: apt-get install nodejs")
    browsers = [name for name in ("chromium", "google-chrome") if shutil.which(name)]
    said = answer(browsers[0], "--version") if browsers else None
    report.either("Chromium", said and said.splitlines()[-1].strip(),  # a wrapper may complain first
                  "only the tests of the browser edition, and the tests and numbers of 24_webgpu, need it: "
                  "apt-get install chromium")


def main():
    report = Report()
    for look in (look_at_machine, look_at_compiler, look_at_cmake, look_at_libraries, look_at_display, look_at_gpu,
                 look_at_petsc, look_at_others):
        look(report)
    print("\n".join(report.lines))
    return 1 if report.broken else 0


if __name__ == "__main__":
    end_with_the_reader()
    sys.exit(main())
