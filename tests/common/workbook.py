"""Tests the script `workbook`, and the reader of the manifest behind it, where nothing is compiled or installed.

usage: workbook.py
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common" / "book"))
from book import ON_RANKS, find, finish, manifest, tree
from check import comes_to_its_end
from manifest import Chapter
from progress import record
from two_parts import in_two_parts

problems = []


def check(good, what):
    if not good:
        problems.append(what)


def ask(*words, status=0, path=None, root=ROOT, shell=shutil.which("sh")):
    """`path`: where to look for programs, if not where this one does. `root`: the book, if not this one."""
    done = subprocess.run([str(shell), str(root / "workbook"), *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8",
                          env={**os.environ, "PATH": path or os.environ["PATH"]})
    check(done.returncode == status, f"{words}: status {done.returncode}, not {status}: {done.stderr}")
    if status != 0:
        check(len(done.stderr.splitlines()) == 1, f"{words}: not one line on stderr, but {done.stderr!r}")
    return done.stdout if status == 0 else done.stderr


def reader_leaves(*words, path=None, root=ROOT):
    """That a command of the script ends quietly when its reader closes the pipe before all is said."""
    environment = {**os.environ, "PATH": path or os.environ["PATH"]}
    ends_quietly([shutil.which("sh"), str(root / "workbook"), *words], environment)


def ends_quietly(command, environment=None):
    """The same of any command."""
    reader, writer = os.pipe()
    os.close(reader)  # the first word already comes too late
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, text=True,
                          env=environment, timeout=60)
    os.close(writer)
    complaints = [line for line in done.stderr.splitlines()
                  if not re.match(r"workbook: (?:configuring|building|the first build|still at it|\d+ of )", line)]
    check(not complaints, f"{command}, whose reader leaves: {complaints}")
    check(done.returncode in (0, 128 + signal.SIGPIPE, -signal.SIGPIPE),
          f"{command}, whose reader leaves: status {done.returncode}")


def at_a_terminal(*words, answer="", path=None, root=ROOT):
    """What a reader sees at a terminal, who types this answer, and then Ctrl-D."""
    terminal, end = os.openpty()
    if answer:
        os.write(terminal, answer.encode() + b"\4")
    running = subprocess.Popen([shutil.which("sh"), str(root / "workbook"), *words], stdin=end, stdout=end, stderr=end,
                               env={**os.environ, "PATH": path or os.environ["PATH"]})
    os.close(end)
    said = b""
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # how Linux says that the other end is closed
            part = b""
        if not part:
            break
        said += part
    os.close(terminal)
    check(running.wait() == 0, f"{words} at a terminal: status {running.returncode}: {said}")
    return said.decode("utf-8").replace("\r\n", "\n")


if sys.platform == "win32":
    print("skipped: the script is for a POSIX shell")
    sys.exit(77)

chapters = manifest()
said = ask("list")
for chapter in chapters:
    check(re.search(rf"^  {chapter.folder} +{re.escape(chapter.title)} +adds ", said, flags=re.M),
          f"list does not name {chapter.folder} with its title")
    check(f"\n{chapter.part}\n" in f"\n{said}", f"list does not name the part {chapter.part}")
check(said.index(chapters[0].part) < said.index(chapters[0].folder) < said.index(chapters[-1].part),
      "the parts do not stand above their chapters")

# A book that branches: what follows what, drawn.
small = [Chapter("", {"folder": name, "title": "", "adds": [], "follows": before})
         for name, before in (("01_a", None), ("02_b", "01_a"), ("11_c", "02_b"), ("12_d", "11_c"),
                              ("21_e", "02_b"), ("31_f", "11_c"))]
check(tree(small) == ["01_a ─ 02_b", "  02_b ─ 11_c", "    11_c ─ 12_d", "    11_c ─ 31_f", "  02_b ─ 21_e"],
      f"the map of a small book is {tree(small)}")

# A number, with or without its zero, and a name are the same chapter.
check(ask("diff", "4") == ask("diff", "04") == ask("diff", "04_diffuse"), "4, 04 and 04_diffuse differ")
for chapter in chapters:
    said = ask("diff", chapter.number)
    for name in chapter.code():
        if chapter.has_own_file and name == "solver.hpp":  # it is that of the chapter before
            continue
        path = f"chapters/{chapter.folder}/{name}"
        check(f"\n+++ {path}\n" in said, f"diff {chapter.number} does not show {path} under its name")
    check(not re.search(r"^(---|\+\+\+) .*\d\d:\d\d", said, flags=re.M), "diff's labels tell times")
seen = at_a_terminal("diff", "03")
check(re.sub(r"\033\[\d+m", "", seen) == ask("diff", "03"), "at a terminal diff shows other lines")
for colour, line in ((1, "--- chapters/.*"), (1, r"\+\+\+ chapters/.*"), (36, "@@ .*"), (32, r"\+ .*"), (31, "- .*")):
    check(re.search(rf"^\033\[{colour}m{line}\033\[0m$", seen, flags=re.M), f"diff does not colour {line}")
check(re.search("^ ", seen, flags=re.M), "at a terminal diff shows no line as it is")
check("no chapter '99'" in ask("diff", "99", status=2), "a chapter that is not there is not refused")
check("no chapter" in ask("run", "nothing", status=2), "run does not refuse a chapter that is not there")
check("in its page" in ask("run", "--mine", "24", "--headless", "--steps", "3", status=2), "run --mine 24 runs without a window")
check("'201'" in ask("run", "24", "--iterations", "201", status=2), "the page of 24 takes more iterations than its program")
check("which chapter" in ask("run", status=2), "run without a chapter does not ask for one")
check("start 04" in ask("start", status=2), "start without a chapter gives no example")
check("no command" in ask("dance", status=2), "an unknown command is not refused")

for words in (["list"], ["diff", "17"], ["--help"], ["help"]):
    reader_leaves(*words)
for script, word in (("notebooks/check.py", "--static"), ("common/browser/serve.py", ".")):
    ends_quietly([sys.executable, str(ROOT / script), word])

# The browser edition: what is wrong is said before anything is built or installed.
check("no --what" in ask("browser", "--what", status=2), "browser does not refuse a wrong option")
check("no chapter '99'" in ask("browser", "--build-only", "99", status=2), "browser does not refuse chapter 99")


def skips(command, path, words, status):
    """Checks that a command says aloud what it skips."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8",
                          env={**os.environ, "PATH": path, "CHROMIUM": ""})
    check(done.returncode == status and done.stdout.startswith("SKIPPED") and words in done.stdout,
          f"{command} without {words}: status {done.returncode}: {done.stdout} {done.stderr}")


# A machine that has a shell and Python, and little else.
with tempfile.TemporaryDirectory() as folder:
    bare = Path(folder) / "bin"
    bare.mkdir()
    for tool in ("dirname", "mkdir"):
        (bare / tool).symlink_to(shutil.which(tool))
    (bare / "python3").symlink_to(sys.executable)
    said = ask("browser", "--build-only", status=2, path=str(bare))
    check("Emscripten is not here" in said, f"browser without Emscripten says {said}")
    browser = ROOT / "tests" / "browser"
    skips([sys.executable, str(browser / "agree.py"), "--code", folder, "--bin", folder], str(bare), "Node", 77)
    if shutil.which("node"):
        skips([shutil.which("node"), str(browser / "pages.js"), folder], str(bare), "Chromium", 77)
    # The script alone, since this clone may have an edition.
    script = Path(folder) / "tests" / "browser" / "check.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(browser / "check.sh", script)
    skips([shutil.which("sh"), str(script)], str(bare), "edition", 0)
    edition = Path(folder) / "build" / "browser"
    edition.mkdir(parents=True)
    (edition / "index.html").touch()
    skips([shutil.which("sh"), str(script)], str(bare), "Node", 0)


ONLY = {"folder": "01_a", "title": "A", "adds": []}
# A book of one chapter, which prints what a fetched library says. Nothing of it is compiled.
SMALL_BOOK = """
cmake_minimum_required(VERSION 3.25)
project(small_book LANGUAGES NONE)
include(FetchContent)
FetchContent_Declare(library URL ${CMAKE_CURRENT_SOURCE_DIR}/../library)
FetchContent_MakeAvailable(library)
add_custom_target(01_a)
file(WRITE ${CMAKE_BINARY_DIR}/bin/01_a "#!/bin/sh\ncat '${library_SOURCE_DIR}/words'\n")
file(CHMOD ${CMAKE_BINARY_DIR}/bin/01_a PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
"""


def small_book(folder):
    """Lays it down, beside its library."""
    root = folder / "book"
    shutil.copytree(ROOT / "common" / "book", root / "common" / "book")
    for name in ("workbook", "CMakePresets.json"):
        shutil.copy(ROOT / name, root)
    for path, text in ((root / "CMakeLists.txt", SMALL_BOOK),
                       (root / "chapters" / "manifest.json", json.dumps({"parts": [{"title": "A part", "chapters": [ONLY]}]})),
                       (root / "chapters" / "01_a" / "README.md", "# A\n"),
                       (root / "common" / "browser" / "pages.py", ""),
                       (folder / "library" / "CMakeLists.txt", ""),
                       (folder / "library" / "words", "This is the library.\n")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def pretend(folder, **programs):
    """Lays down programs that do no more than this. Returns where they, and then all others, are looked for."""
    folder.mkdir()
    for name, script in programs.items():
        path = folder / name.replace("_", "-")
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def moved(folder):
    """A checkout that is moved is configured again, with the libraries that it fetched."""
    root = small_book(folder)
    path = pretend(folder / "bin", dpkg_query="printf 'install ok installed'", apt_get="exit 1", emcmake='exec "$@"')
    for place in ("book", "moved"):
        root = root.rename(folder / place)
        said = ask("numbers", "01", path=path, root=root)
        check(said == "This is the library.\n", f"{place}: the fetched library is not there, but {said}")
        ask("browser", "--build-only", path=path, root=root)
        check((root / "build/browser-code/bin/01_a").is_file(), f"{place}: the browser edition is not built")


def pipes(folder):
    """Commands that build, or write to mine/, end quietly, too."""
    root = small_book(folder)
    (root / "chapters" / "01_a" / "solver.hpp").write_text("inline int one() {\n    return 1;\n}\n", encoding="utf-8")
    path = pretend(folder / "bin", dpkg_query="printf 'install ok installed'", apt_get="exit 1")
    for words in (["numbers", "01"], ["run", "01"], ["start", "01"], ["start", "01", "--force"], ["test"]):
        reader_leaves(*words, path=path, root=root)


def progress(folder):
    """What takes long says what it does, before it is done."""
    root = small_book(folder)
    path = pretend(folder / "bin", dpkg_query="printf 'install ok installed'", apt_get="exit 1", cmake="""
case $1 in
    --build) echo '[ 30%] Building it'; sleep 6; echo '[100%] Built target 01_a' ;;
    *) echo '-- Looking for it'; sleep 6; mkdir -p build
       echo "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd)" >build/CMakeCache.txt ;;
esac
mkdir -p build/bin && printf '#!/bin/sh\n' >build/bin/01_a && chmod +x build/bin/01_a""")
    first = "workbook: building 01_a for the first time takes about a minute, and after that a few seconds"
    configuring = ["workbook: configuring the build ...", "workbook: configuring: Looking for it"]
    building = ["workbook: building 01_a ...", "workbook: 30 of 100 parts, at it"]
    for said in ([first, *configuring, *building], building):  # the second time, all is configured and built already
        done = subprocess.run([shutil.which("sh"), str(root / "workbook"), "run", "01"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env={**os.environ, "PATH": path})
        check(done.stderr.splitlines() == said, f"a build of two times 6 s says {done.stderr}")

    for path_in_book, text in (("mine/01_a/solver.hpp", ""), ("chapters/01_a/solver.hpp", ""),
                               ("build/mine/Release/mine_01_a.plan", "program p\ntests tests\nidea 01_a [01_a]\n")):
        (root / path_in_book).parent.mkdir(parents=True, exist_ok=True)
        (root / path_in_book).write_text(text, encoding="utf-8")
    configuring = configuring[1:]  # CMake must be told of the reader's chapter, once
    first = ["workbook: the first build takes about a minute, and after that some seconds"]
    building = ["workbook: building test_mine_01_a ...", "workbook: 30 of 100 parts, at it"]
    for said in ([*configuring, *first, *building], building):
        done = subprocess.run([shutil.which("sh"), str(root / "workbook"), "check", "01"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env={**os.environ, "PATH": path})
        check(done.stderr.splitlines()[:len(said)] == said, f"the build of a reader's tests says {done.stderr}")


def doctor(folder):
    """It says in a line each what is here and what is too old or missing, for what, and what to type."""
    programs = {"cmake": "echo cmake version 3.25.1", "c++": "echo 'g++ (Debian 12.2.0-14) 12.2.0'",
                "pkg-config": "[ $2 = eigen3 ] && echo 3.4.0", "dpkg-query": "exit 1", "glxinfo": "exit 1",
                "nvidia-smi": "echo 'GPU 0: a card'", "mpiexec": "exit 1", "emcc": "exit 1"}
    def lines(name, status, **others):
        path = pretend(folder / name, **{**programs, **others})
        environment = {name: value for name, value in os.environ.items() if name not in ("CXX", "DISPLAY")}
        done = subprocess.run([shutil.which("sh"), str(ROOT / "workbook"), "doctor"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env={**environment, "PATH": path})
        check(done.returncode == status and not done.stderr, f"doctor, {name}: {done.returncode}, {done.stderr}")
        return done.stdout.splitlines()
    said = lines("all_well", 0)
    for line in ("ok       CMake: 3.25.1", "ok       compiler: g++ (Debian 12.2.0-14) 12.2.0", "ok       Eigen: 3.4.0",
                 "ok       GPU: GPU 0: a card"):
        check(line in said, f"doctor has no line '{line}'")
    for begin, end in (("missing  SFML: ", "apt-get install libsfml-dev"), ("missing  Emscripten: ", "emscripten"),
                       ("missing  display: ", "instead of opening a window"), ("missing  mpiexec: ", "53_many needs it")):
        check(any(line.startswith(begin) and line.endswith(end) for line in said), f"doctor: no '{begin}...{end}'")
    said = lines("too_old", 1, cmake="echo cmake version 3.18.4", **{"c++": "echo 'c++ (GCC) 10.2.1'"})
    for begin in ("NEEDED   CMake: 3.18.4 is too old", "NEEDED   compiler: c++ (GCC) 10.2.1 is too old"):
        check(any(line.startswith(begin) for line in said), f"doctor does not say '{begin}'")
    said = lines("none", 1, cmake="exit 1", **{"c++": "exit 1"})
    for begin in ("NEEDED   CMake: not here", "NEEDED   compiler: c++ is not here; g++ 12"):
        check(any(line.startswith(begin) for line in said), f"doctor does not say '{begin}'")


def ranks(folder):
    """mpiexec gets its settings."""
    path = pretend(folder / "bin", dpkg_query="printf 'install ok installed'", apt_get="exit 1",
                   mpiexec='env && echo "mpiexec $*"')
    said = ask("run", "01", "--ranks", "3", path=path, root=small_book(folder)).splitlines()
    for name, value in ON_RANKS.items():
        check(f"{name}={value}" in said, f"mpiexec does not get {name}={value}")
    check(len(ON_RANKS) >= 5, f"{ON_RANKS} are too few settings for mpiexec")
    check(said[-1].startswith("mpiexec -n 3 ") and said[-1].endswith("/build/bin/01_a"), f"on 3 ranks: {said[-1]}")


def installs(folder):
    """Packages are installed by somebody's will alone: by --yes, or by an answer at a terminal."""
    root, log = small_book(folder), folder / "log"
    path = pretend(folder / "bin", dpkg_query="exit 1", apt_get=f"echo \"$@\" >>'{log}'", sudo='exec "$@"')
    said = ask("numbers", "01", status=2, path=path, root=root)
    for words in ("apt-get install ", " libcli11-dev ", "./workbook --yes"):
        check(words in said, f"where packages are missing, {said!r} does not name {words}")
    said = at_a_terminal("numbers", "01", answer="n\n", path=path, root=root)
    check("missing packages:" in said and said.count("[Y/n]") == 1, f"a reader is not asked once, but told {said}")
    check(not log.exists(), "packages are installed, and nobody wanted it")
    for words, answer in ((["--yes"], ""), (["-y"], ""), ([], "y\n"), ([], "\n")):
        log.unlink(missing_ok=True)
        if answer:
            at_a_terminal("numbers", "01", answer=answer, path=path, root=root)
        else:
            ask(*words, "numbers", "01", path=path, root=root)
        called = log.read_text(encoding="utf-8") if log.exists() else ""
        check(re.fullmatch("update\ninstall -y --no-install-recommends .*libcli11-dev.*\n", called),
              f"{words} and the answer {answer!r}: apt-get is called with {called!r}")


def without_python(folder):
    """Where Python is missing, too, what builds need is named together with it, and not after it."""
    root, bare = small_book(folder), folder / "bare"
    pretend(bare, dpkg_query="exit 1", apt_get="exit 1")
    for tool in ("dirname", "mkdir", "sh"):
        (bare / tool).symlink_to(shutil.which(tool))
    for words in (["run", "01"], ["run", "--mine", "01"], ["numbers", "01"], ["check", "01"], ["test"], ["test", "01"]):
        said = ask(*words, status=2, path=str(bare), root=root)
        check(" python3 " in said and " libcli11-dev " in said, f"{words} without Python says {said!r}")
    for words in (["list"], ["start", "01"]):
        said = ask(*words, status=2, path=str(bare), root=root)
        check("apt-get install python3 (" in said, f"{words}, which needs Python alone, says {said!r}")


def busybox(folder):
    """The script needs no more of the shell and its tools than busybox has."""
    program = shutil.which("busybox")
    if program is None:
        print("The script is not tried with busybox: it is not here.")
        return
    root = small_book(folder)
    for name, text in (("01_a", "first"), ("02_b", "second")):
        solver = root / "chapters" / name / "solver.hpp"
        solver.parent.mkdir(exist_ok=True)
        solver.write_text(f"inline int one() {{\n    return {text};\n}}\n", encoding="utf-8")
    second = {"folder": "02_b", "title": "B", "adds": ["one"], "follows": "01_a"}
    (root / "chapters" / "manifest.json").write_text(
        json.dumps({"parts": [{"title": "A part", "chapters": [ONLY, second]}]}), encoding="utf-8")
    path = pretend(folder / "bin", dpkg_query="printf 'install ok installed'", apt_get="exit 1")
    for tool in ("sh", "awk", "cmp", "cp", "diff", "dirname", "grep", "head", "mkdir", "rm", "sed", "sleep", "tail"):
        (folder / "bin" / tool).symlink_to(program)
    shell = folder / "bin" / "sh"
    for words, says in ((["list"], "02_b"), (["start", "02"], "mine/02_b/solver.hpp is laid down"),
                        (["diff", "02"], "\n-    return first;\n+    return second;\n"),
                        (["diff", "--mine", "02"], "\n-    return second;\n"),
                        (["numbers", "01"], "This is the library.")):
        said = ask(*words, path=path, root=root, shell=shell)
        check(says in said, f"{words} by busybox says {said!r}")


# Computes for 0.3 s, but takes six times as long by the clock, as beside other programs.
SLOWED_DOWN = """
import time
for n in range(30):
    end = time.process_time() + 0.01
    while time.process_time() < end:
        pass
    time.sleep(0.05)
"""


def busy_machine(folder):
    """`check` counts what a program computes, so that it ends where others compute as well. But end it must."""
    programs = [("while True: pass", False), ("import time; time.sleep(600)", False)]
    if sys.platform == "linux":  # elsewhere the clock is all that there is
        programs.append((SLOWED_DOWN, True))
    for program, ends in programs:
        process = subprocess.Popen([sys.executable, "-c", program], cwd=folder)
        check(comes_to_its_end(process, 1) == ends, f"{program}: that it comes to its end is not {ends}")
        process.kill()
        process.wait()


def renumbered(folder):
    """Chapters got other numbers: two of them share an old one, and the reader's files lie where the old names say."""
    root = small_book(folder)
    chapters = [{"folder": "01_a", "title": "A", "adds": ["one"]},
                {"folder": "02_c", "title": "C", "formerly": ["03_c"], "adds": ["three"], "follows": "01_a"},
                {"folder": "03_b", "title": "B", "formerly": ["02_b"], "adds": ["two"], "follows": "02_c"}]
    (root / "chapters" / "manifest.json").write_text(
        json.dumps({"parts": [{"title": "A part", "chapters": chapters}]}), encoding="utf-8")
    body = "inline int {} {{\n    return 1;\n}}\n"
    for chapter, names in zip(chapters, (["one()"], ["one()", "three()"], ["one()", "three()", "two()"])):
        solver = root / "chapters" / chapter["folder"] / "solver.hpp"
        solver.parent.mkdir(exist_ok=True)
        solver.write_text("".join(body.format(name) for name in names), encoding="utf-8")
    own = root / "mine" / "02_b" / "solver.hpp"
    own.parent.mkdir(parents=True)
    own.write_text("the reader's", encoding="utf-8")
    found = "your mine/02_b is chapter 03 now: mv mine/02_b mine/03_b"
    for words in (["check", "03"], ["check", "02_b"], ["check", "02"], ["run", "--mine", "03"], ["diff", "--mine", "03"],
                  ["start", "03"], ["start", "02"]):
        said = ask(*words, status=2, root=root)
        check(said.startswith(f"workbook: {found}"), f"{words}, with mine/02_b from before: {said!r}")
    check(own.read_text(encoding="utf-8") == "the reader's", "mine/02_b was not left as it was")
    ask("start", "03", "--force", root=root)
    check((root / "mine" / "03_b" / "solver.hpp").is_file(), "start --force lays nothing down")
    own.parent.rename(root / "mine" / "none")
    said = ask("check", "02", status=2, root=root)
    check("begin with: ./workbook start 02" in said, f"check without a file says {said!r}")
    check("03_b" in ask("diff", "02_b", root=root), "a chapter is not found by the name that it had")


def how_far(folder):
    """`progress` goes by the files alone, and `watch` begins where the reader is."""
    root = small_book(folder)
    chapters = [{"folder": "01_a", "title": "A", "adds": ["one", "two"]},
                {"folder": "02_b", "title": "B", "adds": ["three"], "follows": "01_a"}]
    (root / "chapters" / "manifest.json").write_text(
        json.dumps({"parts": [{"title": "A part", "chapters": chapters}]}), encoding="utf-8")
    body = "inline int {}() {{\n    return 1;\n}}\n"
    for chapter, names in zip(chapters, (["one", "two"], ["one", "two", "three"])):
        solver = root / "chapters" / chapter["folder"] / "solver.hpp"
        solver.parent.mkdir(exist_ok=True)
        solver.write_text("".join(body.format(name) for name in names), encoding="utf-8")

    def says(first, second):
        lines = ask("progress", root=root).splitlines()
        check(re.fullmatch(rf" *01_a +{first}", lines[0]) and re.fullmatch(rf" *02_b +{second}", lines[1]) and
              len(lines) == 2, f"progress says {lines}, not {first} and {second}")

    says("not begun", "not begun")
    said = ask("watch", status=2, root=root)
    check("begin with: ./workbook start 01" in said, f"watch, where nothing is begun: {said}")
    check("begin with: ./workbook start 02" in ask("watch", "02", status=2, root=root), "watch 02 begins it unasked")
    check("one chapter" in ask("watch", "01", "02", status=2, root=root), "watch takes two chapters")
    check("no words" in ask("progress", "01", status=2, root=root), "progress takes a chapter")
    ask("start", "01", root=root)
    says("0 of 2 functions", "not begun")
    own = root / "mine" / "01_a" / "solver.hpp"
    text = own.read_text(encoding="utf-8")
    own.write_text(text.replace("return {};", "// so it is\n    return 1;", 1), encoding="utf-8")
    says("1 of 2 functions", "not begun")
    own.write_text(own.read_text(encoding="utf-8").replace("return {};", "return 1;"), encoding="utf-8")
    says("2 of 2 functions; ./workbook check 01 says whether they are right", "not begun")
    record(own.parent, own.read_text(encoding="utf-8"))  # as `check` and `watch` do
    says("done", "not begun")
    own.write_text("// tidied up\n" + own.read_text(encoding="utf-8"), encoding="utf-8")
    says("done", "not begun")
    check("begin with: ./workbook start 02" in ask("watch", status=2, root=root), "watch does not name what is next")
    own.write_text(own.read_text(encoding="utf-8").replace("return 1;", "return 2;"), encoding="utf-8")
    says("2 of 2 functions; .*", "not begun")
    own.write_text("inline int one() {", encoding="utf-8")
    says("begun; its braces do not match", "not begun")


def two_parts(folder):
    """What `watch` compiles once stays the same as long as only functions change."""
    solver = find("07").path("solver.hpp").read_text(encoding="utf-8")

    def parts(text):
        return in_two_parts(text, solver, "mine.hpp", "solver.hpp")

    header, definitions = parts(solver)
    check(definitions.count("#line") > 10 and "const int N = d.N;" not in header, "the functions stay in the header")
    project = solver[solver.index("inline void project("):]
    head, body = project.split("{", 1)
    changes = {"a comment": "// a comment\n" + solver,
               "a body": solver.replace(head + "{", head + "{\n    const int own = 1;"),
               "a function of the reader's own": solver.replace(head, f"inline int own() {{ return 1; }}\n\n{head}"),
               "an include": "#include <iostream>\n" + solver}
    for what, text in changes.items():
        check(text != solver and parts(text)[0] == header and parts(text)[1] != definitions,
              f"{what}: the header changes, or the definitions do not")
    text = changes["a body"]
    line = text[:text.index("const int own")].count("\n") + 1
    before = parts(text)[1].partition("const int own")[0]
    said, _, between = before.rpartition("#line ")[2].partition(' "mine.hpp"\n')
    check(int(said) + between.count("\n") == line, "a definition does not say in which line it stands")
    check(parts(solver.replace("struct Fluid {", "struct Fluid {\n    int own = 0;"))[0] != header,
          "a struct changes, and the header does not")


for trial in (moved, ranks, doctor, pipes, progress, installs, without_python, busybox, busy_machine, renumbered,
              how_far, two_parts):
    if shutil.which("cmake") is None:
        print(f"{trial.__name__} is not tried: there is no cmake here")
        continue
    with tempfile.TemporaryDirectory() as folder:
        trial(Path(folder).resolve())

# What runs without a reader says --yes; and CI runs the test that the README names.
unattended = [ROOT / ".ci" / "run", *(ROOT / ".github" / "workflows").glob("*.yml")]
for path in unattended:
    for command in re.findall(r"^[^#\n]*(\./workbook .*)", path.read_text(encoding="utf-8"), flags=re.M):
        check(command.startswith("./workbook --yes "), f"{path.name}: '{command}' has neither a terminal nor --yes")
for path in (ROOT / "README.md", *unattended[:1]):
    check("./workbook --yes test" in path.read_text(encoding="utf-8"), f"{path.name} has no ./workbook --yes test")
finish("workbook", problems)
