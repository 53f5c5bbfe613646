"""Runs a chapter's program as a user would, without a display: good flags and bad ones.

usage: command_line.py PROGRAM
"""

import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

program = str(Path(sys.argv[1]).resolve())
name = Path(program).stem
environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
failures = 0
checks = 0


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print(f"FAILED: {what}")


def run(*flags, **options):
    return subprocess.run([program, *flags], capture_output=True, text=True, env=environment,
                          timeout=120, **options)


def good(*flags):
    result = run(*flags)
    check(result.returncode == 0, f"{flags}: status {result.returncode}, {result.stderr!r}")
    check(result.stderr == "", f"{flags}: says {result.stderr!r}")
    return result


def refused(*flags, naming, status=2):
    """One clear line on stderr, that status, and nothing left behind."""
    before = sorted(os.listdir("."))
    result = run(*flags)
    lines = result.stderr.splitlines()
    check(result.returncode == status, f"{flags}: status {result.returncode}, not {status}")
    check(len(lines) == 1, f"{flags}: {len(lines)} lines on stderr: {result.stderr!r}")
    check(lines and lines[0].startswith(name + ": "), f"{flags}: {result.stderr!r}")
    check(naming in result.stderr, f"{flags}: {result.stderr!r} does not name {naming!r}")
    check(sorted(os.listdir(".")) == before, f"{flags}: left something behind")


def png_size(path):
    data = Path(path).read_bytes()
    check(data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", f"{path} is no whole PNG")
    return struct.unpack(">II", data[16:24])


def read_state(path):
    lines = Path(path).read_text().splitlines()
    return lines[0].split(","), [[float(word) for word in line.split(",")] for line in lines[1:]]


def state_files():
    good("--headless", "--n", "20", "--steps", "8", "--save", "a.csv")
    header, rows = read_state("a.csv")
    expected = ["i", "j", "density"] if name.startswith("01") else ["i", "j", "density", "u", "v"]
    check(header == expected, f"the header is {header}")
    check(len(rows) == 22 * 22, f"{len(rows)} rows")
    check([row[:2] for row in rows[:2]] == [[0, 0], [1, 0]], "i runs fastest")
    check(sum(row[2] for row in rows) > 1, "the default scene leaves dye")

    # What the next step needs is all in the file: K steps and K more are 2 K steps, byte for byte.
    good("--headless", "--load", "a.csv", "--steps", "8", "--save", "b.csv")
    good("--headless", "--n", "20", "--steps", "16", "--save", "c.csv")
    check(Path("b.csv").read_bytes() == Path("c.csv").read_bytes(), "8 + 8 steps are not 16 steps")
    good("--headless", "--n", "20", "--steps", "16", "--save", "d.csv")
    check(Path("c.csv").read_bytes() == Path("d.csv").read_bytes(), "two runs differ")
    good("--headless", "--load", "a.csv", "--steps", "0", "--save", "e.csv")
    check(Path("a.csv").read_bytes() == Path("e.csv").read_bytes(), "load and save differ")
    good("--headless", "--load", "a.csv", "--n", "20", "--dt", "0.5", "--steps", "3", "--save", "f.csv")
    good("--headless", "--load", "f.csv", "--dt", "0.5", "--steps", "3", "--save", "g.csv")
    good("--headless", "--load", "a.csv", "--dt", "0.5", "--steps", "6", "--save", "h.csv")
    check(Path("g.csv").read_bytes() == Path("h.csv").read_bytes(), "3 + 3 long steps are not 6")
    if not name.startswith("01"):
        check(Path("b.csv").read_bytes() != Path("a.csv").read_bytes(), "8 steps change nothing")

    # Decimal points do not depend on the user's language (where the machine has that one).
    environment["LC_ALL"] = "de_DE.UTF-8"
    good("--headless", "--load", "a.csv", "--steps", "8", "--dt", "0.0166666675", "--save", "i.csv")
    del environment["LC_ALL"]
    check(Path("b.csv").read_bytes() == Path("i.csv").read_bytes(), "a German user gets other digits")

    # A state that no chapter would reach by itself: values in the walls, negative ones, large ones.
    with open("odd.csv", "w") as file:
        file.write(",".join(header) + "\n")
        for j in range(7):
            for i in range(7):
                values = [(i * 7 + j * 3) % 11 - 4.5 + 0.1 * k for k in range(len(header) - 2)]
                file.write(f"{i},{j}," + ",".join(f"{value:.9g}" for value in values) + "\n")
    good("--headless", "--load", "odd.csv", "--steps", "5", "--save", "odd5.csv")
    good("--headless", "--load", "odd5.csv", "--steps", "5", "--save", "odd55.csv")
    good("--headless", "--load", "odd.csv", "--steps", "10", "--save", "odd10.csv")
    check(Path("odd55.csv").read_bytes() == Path("odd10.csv").read_bytes(), "odd: 5 + 5 is not 10")


def pictures():
    good("--headless", "--png", "one.png", "--steps", "5")
    check(png_size("one.png")[0] == 576, f"the picture is {png_size('one.png')}")
    good("--headless", "--frames", "film", "--steps", "3", "--n", "8")
    check(sorted(os.listdir("film")) == [f"frame_{k:05}.png" for k in range(4)],
          f"--frames left {os.listdir('film')}")
    png_size("film/frame_00003.png")
    for scene in ("drag", "swirl", "jet", "wall", "drop", "corner", "none"):
        good("--headless", "--scene", scene, "--steps", "2", "--png", f"{scene}.png")
    pictures = {Path(f"{scene}.png").read_bytes() for scene in ("drag", "swirl", "jet", "drop", "none")}
    check(len(pictures) == 5, "two scenes look the same")
    good("--headless", "--n", "1", "--steps", "3", "--png", "tiny.png", "--save", "tiny.csv")
    good("--headless", "--n", "2", "--steps", "3", "--png", "tiny.png")
    good("--headless", "--n", "300", "--steps", "1", "--png", "large.png")
    good("--headless", "--steps", "2", "--probe", "9", "8", "--png", "probe.png")
    check(Path("probe.png").read_bytes() != Path("one.png").read_bytes(), "--probe shows nothing")
    good("--headless", "--steps", "2", "--keys", "hf+-v\t++", "--png", "keys.png")
    fields = run("--headless", "--show", "nothing").stderr.split("this chapter shows ")[1]
    for field in [word.strip() for word in fields.split(",")]:
        good("--headless", "--steps", "2", "--show", field, "--png", f"{field}.png")


def numbers():
    result = good("--numbers")
    check("ours" in result.stdout and "DIFFERS" not in result.stdout, "--numbers prints no table")


def bad_flags():
    refused("--n", "0", naming="--n")
    refused("--n", "-3", naming="--n")
    refused("--n", "100000000", naming="8192")
    refused("--n", "8193", naming="8192")
    refused("--n", "2.5", naming="--n")
    refused("--n", naming="--n")
    refused("--dt", "nan", naming="--dt")
    refused("--dt", "inf", naming="--dt")
    refused("--dt", "0", naming="--dt")
    refused("--dt", "-0.1", naming="--dt")
    refused("--steps", "x", naming="--steps")
    refused("--steps", "-1", naming="--steps")
    refused("--steps", "99999999999999999999", naming="--steps")
    refused("--no-such-flag", naming="--no-such-flag")
    refused("stray", naming="stray")
    refused("--headless", "--scene", "flood", naming="flood")
    refused("--headless", "--show", "temperature", naming="temperature")
    refused("--headless", "--probe", "5", naming="--probe")
    refused("--headless", "--probe", "500", "3", naming="--probe")
    refused("--headless", "--load", "", naming="--load")
    refused("--headless", "--save", "", naming="--save")
    if not name.startswith("01"):
        refused("--density-fade-rate", "nan", naming="--density-fade-rate")
        refused("--density-fade-rate", "-1", naming="--density-fade-rate")
    if sys.platform.startswith("linux"):
        refused(naming="no display", status=3)


def bad_files():
    refused("--headless", "--load", "missing.csv", naming="missing.csv")
    refused("--headless", "--load", "film", naming="film")
    refused("--headless", "--load", "a.csv", "--n", "21", naming="N = 20")
    text = Path("a.csv").read_text()
    lines = text.splitlines(keepends=True)
    broken = {
        "empty.csv": ("", "line 1"),
        "header.csv": (text.replace("density", "dye", 1), "line 1"),
        "short.csv": ("".join(lines[:-3]), "line 483"),
        "cut.csv": (text[:-4], "line 485"),
        "twice.csv": (text + lines[7], "line 486"),
        "words.csv": (text.replace("\n3,0,", "\n3,0,x", 1), "line 5"),
        "nan.csv": (text.replace("\n3,0,", "\n3,0,nan", 1), "line 5"),
        "few.csv": ("".join(lines[:9] + ["8,0\n"] + lines[10:]), "line 10"),
        "zeros.csv": ("\0" * 4000, "line 1"),
    }
    for path, (contents, line) in broken.items():
        Path(path).write_text(contents)
        refused("--headless", "--load", path, naming=path)
        refused("--headless", "--load", path, naming=line)
    refused("--headless", "--steps", "2", "--save", "no/folder/x.csv", naming="no/folder/x.csv")
    refused("--headless", "--steps", "2", "--png", "no/folder/x.png", naming="no/folder/x.png")
    refused("--headless", "--steps", "2", "--save", "film", naming="film")
    refused("--headless", "--steps", "2", "--save", "new.csv", "--png", "no/x.png", naming="no/x.png")
    refused("--headless", "--steps", "2", "--frames", "a.csv", naming="a.csv")
    refused("--headless", "--steps", "2", "--frames", "no/folder", naming="no/folder")
    if os.path.exists("/dev/full"):
        refused("--headless", "--steps", "2", "--save", "/dev/full", naming="/dev/full")
        with open("/dev/full", "w") as full:
            result = subprocess.run([program, "--numbers"], stdout=full, stderr=subprocess.PIPE,
                                    text=True, env=environment)
        check(result.returncode == 2 and len(result.stderr.splitlines()) == 1,
              f"--numbers on a full disk: {result.returncode}, {result.stderr!r}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    state_files()
    pictures()
    numbers()
    bad_flags()
    bad_files()
    os.chdir("/")
print(f"{name}: {checks - failures} checks passed, {failures} failed")
sys.exit(1 if failures else 0)
