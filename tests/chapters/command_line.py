"""Runs a chapter's program as a user would, without a display: good flags and bad ones. What common/app does in the same
way for all chapters of a shape, such as refusing bad flags and bad files, is tried with --all alone.

usage: command_line.py PROGRAM [--all]
"""

import itertools
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.dont_write_bytecode = True
from pixels import pixels

program = str(Path(sys.argv[1]).resolve())
name = Path(program).stem
environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
failures = 0
checks = 0
told = subprocess.run([program, "--help"], capture_output=True, text=True, env=environment).stdout
described = subprocess.run([program, "--help=json"], capture_output=True, text=True, env=environment).stdout
facts = json.loads(described)  # what cannot be read ends the test here
flags_known = {flag["name"]: flag for flag in facts["flags"]}
shape = facts["shape"]
# A grid to work with: its flags, its name, how many indices i, j and k it has, its neighbour's flags.
size, words, indices, other = {
    "square": (["--n", "20"], "N = 20", (22, 22), ["--n", "21"]),
    "cube": (["--n", "12"], "N = 12", (12, 12, 12), ["--n", "13"]),
    "box": (["--nx", "8", "--ny", "6", "--nz", "1"], "8x6x1", (9, 7, 2), ["--nx", "7"]),
}[shape]
rows_of_all = 1
for count in indices:
    rows_of_all *= count
flat = len(indices)
# How long a step may be that is not the usual one; and one that every machine reads alike.
long_step, exact_step = ("0.5", "0.0166666675") if shape == "square" else ("0.03125", "0.015625")


def check(good, what):
    global failures, checks
    checks += 1
    if not good:
        failures += 1
        print(f"FAILED: {what}")


def run(*flags, **options):
    return subprocess.run([program, *flags], capture_output=True, text=True, env=environment,
                          timeout=300, **options)  # against hanging; sanitizers are slow


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
    """Width and height of a PNG file, which must be whole."""
    data, kinds, at = Path(path).read_bytes(), [], 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        end = at + 8 + size
        check(data[end:end + 4] == struct.pack(">I", zlib.crc32(data[at + 4:end])), f"{path}: {kind} is damaged")
        kinds.append(kind)
        at = end + 4
    check(data[:8] == b"\x89PNG\r\n\x1a\n" and kinds == [b"IHDR", b"IDAT", b"IEND"], f"{path} is no whole PNG")
    width, height, found = pixels(Path(path))
    check(len(found) == 4 * width * height, f"{path} has {len(found)} bytes for {width} x {height} pixels")
    return width, height


def read_state(path):
    lines = Path(path).read_text().splitlines()
    return lines[0].split(","), [[float(word) if word else None for word in line.split(",")]
                                 for line in lines[1:]]


def same(one, another):
    if not (Path(one).is_file() and Path(another).is_file()):
        return False  # somebody has said so already
    return Path(one).read_bytes() == Path(another).read_bytes()


def state_files():
    good("--headless", *size, "--steps", "8", "--save", "a.csv")
    header, rows = read_state("a.csv")
    expected = ["i", "j", "density"] if name.startswith("01") else ["i", "j", "density", "u", "v"]
    if shape == "square":
        check(header == expected, f"the header is {header}")
    check(header[:flat] == ["i", "j", "k"][:flat] and len(header) > flat, f"the header is {header}")
    check(len(rows) == rows_of_all, f"{len(rows)} rows")
    in_order = [list(reversed(place)) for place in
                itertools.product(*(range(count) for count in reversed(indices)))]
    check([row[:flat] for row in rows] == in_order, "i does not run fastest, or the last index slowest")
    check(sum(abs(value or 0) for row in rows for value in row[flat:]) > 1, "the default scene leaves "
          "nothing")
    if shape == "square":
        check(sum(row[2] for row in rows) > 1, "the default scene leaves no dye")

    # What the next step needs is all in the file: K steps and K more are 2 K steps, byte for byte.
    good("--headless", "--load", "a.csv", "--steps", "8", "--save", "b.csv")
    good("--headless", *size, "--steps", "16", "--save", "c.csv")
    check(same("b.csv", "c.csv"), "8 + 8 steps are not 16 steps")
    good("--headless", *size, "--steps", "16", "--save", "d.csv")
    check(same("c.csv", "d.csv"), "two runs differ")
    good("--headless", "--load", "a.csv", "--steps", "0", "--save", "e.csv")
    check(same("a.csv", "e.csv"), "load and save differ")
    good("--headless", "--load", "a.csv", *size, "--dt", long_step, "--steps", "3", "--save", "f.csv")
    good("--headless", "--load", "f.csv", "--dt", long_step, "--steps", "3", "--save", "g.csv")
    good("--headless", "--load", "a.csv", "--dt", long_step, "--steps", "6", "--save", "h.csv")
    check(same("g.csv", "h.csv"), "3 + 3 long steps are not 6")
    if not name.startswith("01"):
        check(not same("b.csv", "a.csv"), "8 steps change nothing")

    # Decimal points do not depend on the user's language (where the machine has that one).
    good("--headless", "--load", "a.csv", "--steps", "8", "--dt", exact_step, "--save", "english.csv")
    environment["LC_ALL"] = "de_DE.UTF-8"
    good("--headless", "--load", "a.csv", "--steps", "8", "--dt", exact_step, "--save", "i.csv")
    del environment["LC_ALL"]
    check(same("english.csv", "i.csv"), "a German user gets other digits")
    if shape == "square":
        check(same("b.csv", "i.csv"), "the usual step is not 1/60")

    odd_state(header, rows)


def odd_state(header, rows):
    """A state that no chapter would reach by itself: values in the walls, negative ones, large ones."""
    with open("odd.csv", "w") as file:
        file.write(",".join(header) + "\n")
        if shape == "square":
            for j in range(7):
                for i in range(7):
                    values = [(i * 7 + j * 3) % 11 - 4.5 + 0.1 * k for k in range(len(header) - 2)]
                    file.write(f"{i},{j}," + ",".join(f"{value:.9g}" for value in values) + "\n")
        else:  # what is not a number of the fluid, such as which cells are solid, stays
            for row in rows:
                values = list(row)
                for k, column in enumerate(header):
                    if column in ("density", "u", "v", "w") and row[k] is not None:
                        values[k] = (row[0] * 7 + row[1] * 3 + row[2] * 5) % 11 - 4.5 + 0.1 * k
                file.write(",".join("" if value is None else f"{value:.17g}" for value in values) + "\n")
    if Path("a.csv.particles.csv").is_file():  # it belongs to the state file
        Path("odd.csv.particles.csv").write_bytes(Path("a.csv.particles.csv").read_bytes())
    good("--headless", "--load", "odd.csv", "--steps", "5", "--save", "odd5.csv")
    good("--headless", "--load", "odd5.csv", "--steps", "5", "--save", "odd55.csv")
    good("--headless", "--load", "odd.csv", "--steps", "10", "--save", "odd10.csv")
    check(same("odd55.csv", "odd10.csv"), "odd: 5 + 5 is not 10")


def scenes():
    """Their names: those that every chapter has, and those of this one."""
    every = ["drag", "swirl", "jet", "wall", "drop", "corner", "none"]
    said = run("--headless", "--scene", "no such scene").stderr.split("there are ")[1]
    names = [word.strip() for word in said.split(",")]
    check(names[:len(every)] == every, f"the scenes are {names}")
    check(names == [scene["name"] for scene in facts["scenes"]], "--help=json lists other scenes")
    return names[len(every):]


def pictures():
    # The largest chapter's own size takes seconds a step with sanitizers: once is enough.
    some = ["--n", "40"] if shape == "cube" else []
    good("--headless", "--png", "usual.png", "--steps", "1")
    good("--headless", *some, "--png", "one.png", "--steps", "5")
    if shape == "square":
        check(png_size("one.png")[0] == 576, f"the picture is {png_size('one.png')}")
    check(min(png_size("one.png")) >= 200, f"the picture is {png_size('one.png')}")
    good("--headless", "--frames", "film", "--steps", "3", "--n", "8")
    check(sorted(os.listdir("film")) == [f"frame_{k:05}.png" for k in range(4)],
          f"--frames left {os.listdir('film')}")
    png_size("film/frame_00003.png")
    own = scenes()
    for scene in ("drag", "swirl", "jet", "wall", "drop", "corner", "none", *own):
        # A small box may have no cell where a scene of its own puts something.
        flags = ["--headless", "--scene", scene, "--steps", "2", "--png", f"{scene}.png",
                 *(["--n", "12"] if own else [])]
        if name.endswith("_obstacles") and scene in ("channel", "piston"):  # these say why all is not well
            result = run(*flags)
            check(result.returncode == 0 and len(result.stderr.splitlines()) == 1,
                  f"{flags}: {result.stderr!r}")
        else:
            good(*flags)
    if "plume-and-sphere" in own:  # its body is there before the first step
        good("--headless", "--scene", "plume-and-sphere", "--nx", "20", "--ny", "40", "--steps", "0",
             "--save", "body.csv")
        header, rows = read_state("body.csv")
        check(any(row[header.index("solid")] for row in rows), "plume-and-sphere begins without its body")
    distinct = own if own else ["drag", "swirl", "jet", "drop", "none"]
    pictures = {Path(f"{scene}.png").read_bytes() for scene in distinct}
    check(len(pictures) == len(distinct), f"two of the scenes {distinct} look the same")
    good("--headless", "--n", "1" if shape == "square" else "3", "--steps", "3", "--png", "tiny.png",
         "--save", "tiny.csv")
    good("--headless", "--n", "2" if shape == "square" else "4", "--steps", "3", "--png", "tiny.png")
    if shape == "box":
        good("--headless", "--nx", "40", "--ny", "16", "--steps", "1", "--png", "large.png")
        good("--headless", "--nx", "5", "--ny", "3", "--nz", "4", "--steps", "2", "--png", "deep.png",
             "--save", "deep.csv")
        check(len(read_state("deep.csv")[1]) == 6 * 4 * 5, "the state of 5x3x4 has not 6 * 4 * 5 rows")
    else:
        good("--headless", "--n", "300" if shape == "square" else "40", "--steps", "1", "--png",
             "large.png")
    probe = ["9", "8"] if shape == "square" else ["1", "0"]
    good("--headless", *some, "--steps", "5", "--probe", *probe, "--png", "probe.png")
    check(not same("probe.png", "one.png"), "--probe shows nothing")
    good("--headless", *some, "--steps", "2", "--keys", "hf+-v\t++", "--png", "keys.png")
    for picture, flags in (("usual.png", []), ("plain.png", ["--no-arrows"]), ("v.png", ["--keys", "v"]),
                           ("plain_v.png", ["--no-arrows", "--keys", "v"])):
        good("--headless", *some, "--steps", "2", *flags, "--png", picture)
    as_it_begins, without = ({Path(picture).read_bytes() for picture in pair}
                             for pair in (("usual.png", "v.png"), ("plain.png", "plain_v.png")))
    check(as_it_begins == without, "--no-arrows and the key V do not show and hide the same arrows")
    if shape == "square":
        earlier_windows()
    said = run("--headless", "--show", "nothing").stderr.split("this chapter shows ")[1]
    fields = [field["name"] for field in facts["fields"]]
    check([word.strip() for word in said.split(",")] == fields, "--help=json lists other fields")
    for field in fields:
        good("--headless", *some, "--steps", "2", "--show", field, "--png", f"{field}.png")


def earlier_windows():
    """What a chapter's window shows, later ones show as well, when they are asked for it by a key."""
    number = int(name.removeprefix("mine_")[:2])
    for first, key, flags, what in ((3, "b", ["--probe", "9", "8"], "the back-trace"),
                                    (4, "g", [], "the diffusion sweep by sweep"),
                                    (6, "a", [], "whether velocity carries itself"),
                                    (6, "m", [], "the fullest cell")):
        if number < first:
            continue
        later = ["--keys", ".."] if key == "a" else []  # seen when steps are made
        good("--headless", "--steps", "5", *flags, *later, "--png", "without.png")
        good("--headless", "--steps", "5", *flags, "--keys", key + ("." * 2 if later else ""), "--png",
             "with.png")
        check(not same("without.png", "with.png"), f"{key.upper()} does not show {what}")


def further_outputs():
    """Files of the chapter's own kinds; and threads, where there are any."""
    for flag, known in flags_known.items():
        if known.get("kind") != "FILE" or flag in ("--load", "--save", "--png", "--save-surface", "--target"):
            continue  # the last two have their own tests
        if flag == "--vdb" and "built without OpenVDB" in run("--headless", *size, "--steps", "1", flag, "x.vdb").stderr:
            continue  # exports.py looks at the line
        good("--headless", *size, "--steps", "2", flag, "further.out", "--png", "further.png")
        check(Path("further.out").is_file() and Path("further.out").stat().st_size > 0,
              f"{flag} writes nothing")
        refused("--headless", "--steps", "2", flag, "", naming=flag)
        refused("--headless", "--steps", "2", flag, "no/folder/x", naming="no/folder/x")
        refused("--headless", "--steps", "2", "--png", "new.png", flag, "no/x", naming="no/x")
    if "--threads" in flags_known:
        good("--headless", *size, "--threads", "2", "--steps", "2")
        for number in ("0", "257", "1.5", "many"):
            refused("--headless", "--threads", number, naming="--threads")
    else:
        refused("--headless", "--threads", "2", naming="--threads")
    for parameter in facts["parameters"]:
        if "choices" in parameter:
            refused("--headless", parameter["flag"], "no such one", naming=", ".join(parameter["choices"]))


def description():
    """What --help=json says is what --help says."""
    listed = re.findall(r"^ {1,20}(?:-h, *)?(--[\w-]+)", told, flags=re.M)  # farther in: words
    check(listed == list(flags_known), f"--help lists {listed}, --help=json {list(flags_known)}")
    one_line = " ".join(told.split())
    check(f"{facts['name']}: {facts['title']}" in one_line, "--help has another title")
    for flag, known in flags_known.items():
        words = " ".join([flag, known.get("kind", ""), known["description"]])
        if flag == "--probe":
            words = words.replace("I J", "I J x 2", 1)  # CLI11's way to say that there are two
        check(" ".join(words.split()) in one_line, f"--help does not say '{words}'")
    for parameter in facts["parameters"]:
        known = flags_known[parameter["flag"]]
        check(known["description"].startswith(parameter["description"]), f"{parameter} is not {known}")
        if "minimum" in parameter:
            check(parameter["minimum"] <= parameter["value"] <= parameter["maximum"], f"{parameter} is out of its range")
    with_others = run("--n", "8", "--help=json")
    check(with_others.stdout == described and with_others.stderr == "" and with_others.returncode == 0,
          "--help=json says something else after another flag")


def bad_flags():
    refused("--n", "0", naming="--n")
    refused("--n", "-3", naming="--n")
    most = 512 if shape == "cube" else 8192
    refused("--n", "100000000", naming=str(most))
    refused("--n", str(most + 1), naming=str(most))
    if shape == "cube":
        refused("--n", "2", naming="--n")
    if shape == "box":
        for flag in ("--nx", "--ny", "--nz"):
            refused(flag, "0", naming=flag)
            refused(flag, "8193", naming="8192")
            refused(flag, "2.5", naming=flag)
        refused("--headless", "--nx", "513", "--ny", "4", "--nz", "4", naming="512")
    else:
        refused("--nx", "4", naming="--nx")
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
    refused("--headless", "--show", "humidity", naming="humidity")
    refused("--headless", "--probe", "5", naming="--probe")
    refused("--headless", "--probe", "500", "3", naming="--probe")
    refused("--headless", "--load", "", naming="--load")
    refused("--headless", "--save", "", naming="--save")
    refused("--headless", "--steps", "1", "--png", "a.jpg", naming="must end in .png")
    if shape == "square" and not name.startswith("01"):
        refused("--density-fade-rate", "-1", naming="--density-fade-rate")
    rates = [parameter["flag"] for parameter in facts["parameters"] if "minimum" in parameter]
    check(rates or name.startswith("01"), "there is nothing to change")
    for flag in rates:
        refused(flag, "nan", naming=flag)
        refused(flag, "1e30", naming=flag)
    if sys.platform.startswith("linux"):
        refused(naming="no display", status=3)


def with_value(lines, number, at, value):
    """The file with another value in that line and column."""
    changed = lines[number - 1].rstrip("\n").split(",")
    changed[at] = value
    return "".join(lines[:number - 1] + [",".join(changed) + "\n"] + lines[number:])


def bad_files():
    refused("--headless", "--load", "missing.csv", naming="missing.csv")
    refused("--headless", "--load", "film", naming="film")
    refused("--headless", "--load", "a.csv", *other, naming=words)
    text = Path("a.csv").read_text()
    lines = text.splitlines(keepends=True)
    after = "3" + ",0" * (flat - 1) + ","  # row (3, 0) is in line 5
    few = "8" + ",0" * (flat - 1) + "\n"
    last = lines[0].rstrip("\n").split(",")[-1]
    broken = {
        "empty.csv": ("", "line 1"),
        "header.csv": (text.replace(last, "no" + last, 1), "line 1"),
        "short.csv": ("".join(lines[:-3]), f"line {len(lines) - 2}"),
        "cut.csv": (text[:-4], f"line {len(lines)}"),
        "twice.csv": (text + lines[7], f"line {len(lines) + 1}"),
        "words.csv": (text.replace("\n" + after, f"\n{after}x", 1), "line 5"),
        "nan.csv": (text.replace("\n" + after, f"\n{after}nan", 1), "line 5"),
        "few.csv": ("".join(lines[:9] + [few] + lines[10:]), "line 10"),
        "zeros.csv": ("\0" * 4000, "line 1"),
    }
    for k, line in enumerate(lines[1:], 2):
        values = line.rstrip("\n").split(",")
        empty = [n for n in range(flat, len(values)) if values[n] == ""]
        filled = [n for n in range(flat, len(values)) if values[n] != ""]
        if empty and filled:  # a box's last faces: one number too many, one too few
            broken["too_many.csv"] = (with_value(lines, k, empty[0], "0.5"), f"line {k}: ")
            broken["too_few.csv"] = (with_value(lines, k, filled[0], ""), f"line {k}: ")
            break
    check(shape != "box" or "too_few.csv" in broken, "no row of the box has faces without cells")
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
        asked = "--numbers" if name.startswith("01") else "--help=json"  # which says as much, and computes nothing
        with open("/dev/full", "w") as full:
            result = subprocess.run([program, asked], stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
        check(result.returncode == 2 and len(result.stderr.splitlines()) == 1,
              f"{asked} on a full disk: {result.returncode}, {result.stderr!r}")


def full_disk():
    """A file may have 1000 bytes, as if the disk were full then: nothing is left behind, and one line says why."""
    if sys.platform == "win32" or name == "53_many":  # MPI writes larger files for itself
        return
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    before = sorted(os.listdir("."))
    for flag, path in (("--save", "full.csv"), ("--png", "full.png")):  # Python ignores the signal, and so does its child
        result = run("--headless", *size, "--steps", "1", flag, path, preexec_fn=limit, restore_signals=False)
        check(result.returncode == 2 and len(result.stderr.splitlines()) == 1 and
              f"{flag} {path}: cannot be written (" in result.stderr, f"{flag} on a full disk: {result.stderr!r}")
        check(sorted(os.listdir(".")) == before, f"{flag} leaves something on a full disk")


def walls_and_viscosity():
    """A state file holds nu and the walls; a flag goes before it; flags and keys that slip and move."""
    small = ["--headless", "--nx", "7", "--ny", "5", "--nz", "3", "--dt", "0.1"]
    walls = ["--nu", "0.3", "--slip-left", "--slip-behind", "--move-above", "2", "--move-right", "-1.5"]
    good(*small, *walls, "--steps", "3", "--save", "three.csv")
    good("--headless", "--load", "three.csv", "--dt", "0.1", "--steps", "4", "--save", "three4.csv")
    good(*small, *walls, "--steps", "7", "--save", "seven.csv")
    check(same("three4.csv", "seven.csv"), "3 + 4 steps with walls that move are not 7")
    header, rows = read_state("three.csv")
    columns = {column: [row[k] for row in rows] for k, column in enumerate(header)}
    check(columns["nu"] == [0.3] + [None] * (len(rows) - 1), f"nu is saved as {columns['nu'][:9]}")
    for column, expected in (("slips", [1, 0, 0, 0, 0, 1]), ("wall_u", [0, 0, 2, 0, 0, 0]),
                             ("wall_v", [0, -1.5, 0, 0, 0, 0]), ("wall_w", [0] * 6)):
        check(columns[column] == expected + [None] * (len(rows) - 6),
              f"{column} is saved as {columns[column][:9]}")
    good("--headless", "--load", "three.csv", "--nu", "0", "--move-above", "0", "--slip-left", "0",
         "--steps", "0", "--save", "flags.csv")
    flags = [row[header.index(column)] for row in read_state("flags.csv")[1][:3]
             for column in ("nu", "slips", "wall_u")]
    check(flags[:3] == [0, 0, 0] and flags[8] == 0, f"a flag does not go before the state file: {flags}")
    lines = Path("three.csv").read_text().splitlines(keepends=True)
    for column, value in (("slips", "0.5"), ("nu", "-1"), ("nu", ""), ("slips", ""), ("wall_u", "inf")):
        Path("bad.csv").write_text(with_value(lines, 2, header.index(column), value))
        refused("--headless", "--load", "bad.csv", naming=column)

    good(*small, *walls[2:], "--nu", "0", "--steps", "3", "--save", "inviscid.csv")
    check(not same("inviscid.csv", "three.csv"), "--nu does nothing")
    for flag in (["--slip-above"], ["--slip-before"], ["--move-below", "3"], ["--keys", "b..."]):
        good(*small, *walls, *flag, "--steps", "3", "--save", "other.csv")
        check(not same("other.csv", "three.csv"), f"{flag} does nothing")
    cavity = ["--headless", "--scene", "cavity", "--n", "12", "--dt", "0.05", "--steps", "5"]
    good(*cavity, "--reynolds", "50", "--save", "cavity.csv")
    nu = [row[header.index("nu")] for row in read_state("cavity.csv")[1]][0]
    check(nu == 12 * 12 / 50, f"at Re 50 nu is {nu}")
    good(*cavity, "--nu", "2.5", "--save", "cavity.csv")
    nu = [row[header.index("nu")] for row in read_state("cavity.csv")[1]][0]
    check(nu == 2.5, f"--nu 2.5 makes nu {nu}")


def history():
    """One row for each step, and for the state before the first; it goes on where a run went on."""
    if "--history" not in flags_known:
        return
    few = ["--headless", *size, "--dt", "0.125"]
    good(*few, "--steps", "3", "--save", "h3.csv", "--history", "h3.rows")
    good("--headless", "--load", "h3.csv", "--dt", "0.125", "--steps", "4", "--history", "h4.rows")
    good(*few, "--steps", "7", "--history", "h7.rows")
    good(*few, "--steps", "0", "--history", "h0.rows")
    seven = Path("h7.rows").read_text().splitlines()
    check(seven[0].startswith("step,time,") and len(seven) == 9, f"7 steps, and the history is {seven}")
    check([line.split(",")[:2] for line in seven[1:4]] == [["0", "0"], ["1", "0.125"], ["2", "0.25"]],
          f"the history begins with {seven[1:4]}")
    check(all(len(line.split(",")) == len(seven[0].split(",")) for line in seven), "rows are not as long")
    check(Path("h3.rows").read_text().splitlines() == seven[:5], "three steps of seven have another history")
    check(Path("h0.rows").read_text().splitlines() == seven[:2], "before the first step it is another")
    later = [line.split(",", 1)[1] for line in Path("h4.rows").read_text().splitlines()[1:]]
    check(later == [line.split(",", 1)[1] for line in seven[4:]], "a run that goes on has another history")
    if name.endswith("17_viscosity"):
        check(seven[0] == "step,time,kinetic_energy", f"the columns are {seven[0]}")
        energies = [float(line.split(",")[2]) for line in seven[1:]]
        check(energies[0] > energies[-1] > 0, f"the energies are {energies}")
    if os.path.exists("/dev/full"):
        refused(*few, "--steps", "1", "--history", "/dev/full", naming="/dev/full")


def openings():
    """Sides that are open: all of it is in the state file, and inflow without outflow is reported."""
    exact = ["--headless", "--dt", "0.125", "--tolerance", "1e-10"]
    few = [*exact, "--nx", "9", "--ny", "6", "--nz", "2"]
    for n, flags in enumerate((["--scene", "poiseuille"], ["--scene", "nozzle"], ["--scene", "tank"],
                               ["--scene", "swirl", "--left", "inflow", "--inflow", "2", "--above", "outflow"],
                               ["--scene", "swirl", "--right", "inflow", "--inflow", "-2", "--behind", "outflow",
                                "--profile", "parabolic", "--stripes", "2", "--solver", "direct"])):
        solver = flags[-2:] if "direct" in flags else []
        weight = ["--force-y", "6"] if "tank" in flags else []
        good(*few, *flags, *weight, "--steps", "3", "--save", f"o{n}.csv")
        good(*exact, "--load", f"o{n}.csv", *solver, *weight, "--steps", "4", "--save", "o34.csv")
        good(*few, *flags, *weight, "--steps", "7", "--save", "o7.csv", "--history", "o7.rows")
        check(same("o34.csv", "o7.csv"), f"{flags}: 3 + 4 steps are not 7")
        good("--headless", "--load", f"o{n}.csv", "--steps", "0", "--save", "o0.csv")
        check(same("o0.csv", f"o{n}.csv"), f"{flags}: load and save differ")
        header, *rows = [line.split(",") for line in Path("o7.rows").read_text().splitlines()]
        check(header == ["step", "time", "kinetic_energy", "inflow", "outflow"], f"the columns are {header}")
        check(all(abs(float(row[3]) - float(row[4])) < 1e-8 * (1 + float(row[3])) for row in rows[1:]),
              f"{flags}: what enters does not leave: {rows}")
    lines = Path("o0.csv").read_text().splitlines(keepends=True)
    column = lines[0].rstrip("\n").split(",").index("opening")
    for opening in ("3", "-1", "0.5"):
        Path("opening.csv").write_text(with_value(lines, 3, column, opening))
        refused("--headless", "--load", "opening.csv", naming="opening must be 0")
    column = lines[0].rstrip("\n").split(",").index("stripes")
    Path("stripes.csv").write_text(with_value(lines, 2, column, "-1"))
    refused("--headless", "--load", "stripes.csv", naming="stripes")
    for loaded, flag, is_same in (("o0.csv", ["--right", "inflow"], True), ("o0.csv", ["--left", "outflow"], False),
                                  ("o0.csv", ["--inflow", "3"], False), ("o0.csv", ["--profile", "uniform"], False),
                                  ("o0.csv", ["--profile", "parabolic"], True)):
        good("--headless", "--load", loaded, "--solver", "direct", "--steps", "2", "--save", "asked.csv", *flag)
        good("--headless", "--load", loaded, "--solver", "direct", "--steps", "2", "--save", "left_out.csv")
        check(same("asked.csv", "left_out.csv") == is_same, f"{flag} after --load {loaded}")
    lines = Path("o1.csv").read_text().splitlines(keepends=True)
    Path("closed.csv").write_text(with_value(lines, 2, lines[0].rstrip("\n").split(",").index("opening"), "0"))
    for loaded, flags in (("o1.csv", []), ("o1.csv", ["--left", "closed"]), ("o1.csv", ["--left", "outflow"]),
                          ("closed.csv", [])):
        good("--headless", "--load", loaded, *flags, "--steps", "1", "--save", "wall.csv")
        header, rows = read_state("wall.csv")
        is_given = any(row[header.index("u_given")] for row in rows if row[0] == 0)
        enters = any(row[header.index("u")] for row in rows if row[0] == 0)
        check(is_given == (loaded == "o1.csv" and not flags),
              f"{flags} after --load {loaded}: the left side is given a velocity: {is_given}")
        check(enters == (loaded == "o1.csv" and "closed" not in flags),
              f"{flags} after --load {loaded}: fluid enters on the left: {enters}")
    result = run(*few, "--left", "inflow", "--inflow", "2", "--steps", "3", "--png", "defect.png")
    check(result.returncode == 0 and len(result.stderr.splitlines()) == 1 and
          "in 24, out 0" in result.stderr and "--right outflow" in result.stderr,
          f"inflow without outflow: status {result.returncode}, {result.stderr!r}")
    good(*few, "--left", "inflow", "--inflow", "0", "--steps", "3")
    refused("--headless", "--left", "open", naming="outflow")


def smoke():
    """A run that is saved after an odd number of steps and goes on is the run without a pause: temperature,
    smoke, sources and walls are in the state file."""
    for scene in ("plume", "two-colours", "heated-cavity", "plume-and-sphere"):
        for advection in ("sharp", "reflected"):
            flags = ["--advection", advection, "--dt", "0.011", "--solver", "direct", "--tolerance", "1e-8"]
            begin = ["--headless", "--scene", scene, "--nx", "12", "--ny", "20", *flags]
            good(*begin, "--steps", "11", "--save", "s11.csv")
            good(*begin, "--steps", "5", "--save", "s5.csv")
            good("--headless", "--load", "s5.csv", *flags, "--steps", "6", "--save", "s56.csv")
            check(same("s56.csv", "s11.csv"), f"{scene}, {advection}: 5 + 6 steps are not 11")
            header, *rows = Path("s11.csv").read_text().splitlines()
            check({"temperature", "smoke"} <= set(header.split(",")), f"the header is {header}")
            column = header.split(",").index("temperature")
            check(any(row.split(",")[column] not in ("", "0") for row in rows), f"{scene}: nothing is warm")


def smoke_in_deep_boxes():
    """The scene `ring` shows a ring, and smoke does not hide the bodies in it."""
    good("--headless", "--scene", "ring", "--nx", "24", "--ny", "36", "--nz", "24", "--steps", "60", "--save", "ring.csv")
    header, rows = read_state("ring.csv")
    found = {tuple(int(place) for place in row[:3]): row[header.index("smoke")] or 0.0 for row in rows}
    densest = max(found, key=found.get)
    on_axis = max(found[12, j, 12] for j in range(36))
    check(on_axis < 0.3 * found[densest],
          f"after 60 steps of ring there is smoke of {on_axis:.3f} on its axis, and of {found[densest]:.3f} at most "
          f"(cell {densest}): its hole is closed")
    # Of light that falls through so much smoke, e^-1 is left (chapters/window/lit_smoke.hpp has the 16).
    most = 1.0
    for scene, (nx, ny, nz) in (("jet-and-sphere", (18, 12, 12)), ("plume-and-sphere", (12, 18, 12))):
        good("--headless", "--scene", scene, "--nx", str(nx), "--ny", str(ny), "--nz", str(nz), "--steps", "400",
             "--history", "fog.rows")
        names, *_, last = Path("fog.rows").read_text().splitlines()
        smoke = float(last.split(",")[names.split(",").index("smoke")])
        depth = 16.0 * smoke / (nx * ny * nz) * nz / nx
        check(depth < most, f"after 400 steps of {scene} smoke fills the box and hides the body: its optical depth "
                            f"is {depth:.2f}, at most {most} is asked")


def particles():
    """The file of the particles belongs to the state file; and what particles cannot do is refused."""
    few = ["--headless", "--nx", "9", "--ny", "6", "--dt", "0.125"]
    states = set()
    for advection in ("pic", "flip", "apic"):
        for depth in ("1", "3"):
            flags = [*few, "--nz", depth, "--advection", advection]
            good(*flags, "--steps", "3", "--save", "p3.csv")
            good("--headless", "--load", "p3.csv", "--advection", advection, "--dt", "0.125", "--steps", "4",
                 "--save", "p34.csv")
            good(*flags, "--steps", "7", "--save", "p7.csv", "--history", "p7.rows")
            good("--headless", "--load", "p3.csv", "--advection", advection, "--steps", "0", "--save", "p0.csv")
            for ending in ("", ".particles.csv"):
                check(same("p34.csv" + ending, "p7.csv" + ending), f"{advection}: 3 + 4 steps are not 7 ({ending})")
                check(same("p0.csv" + ending, "p3.csv" + ending), f"{advection}: load and save differ ({ending})")
            states.add(Path("p7.csv").read_bytes())
            header, *rows = Path("p7.csv.particles.csv").read_text().splitlines()
            check(header == "x,y,z,u,v,w,dye,u_x,u_y,u_z,v_x,v_y,v_z,w_x,w_y,w_z", f"the header is {header}")
            check(len(rows) == 9 * 6 * (4 if depth == "1" else 24), f"{len(rows)} particles")
            header, *rows = Path("p7.rows").read_text().splitlines()
            check(header == "step,time,kinetic_energy,particle_dye,empty_cells", f"the columns are {header}")
            dye = [float(row.split(",")[3]) for row in rows[1:]]
            check(max(dye) == min(dye) > 0, f"{advection}: the dye of the particles is {dye}")
    check(len(states) == 6, "two of the transfers do the same")
    good(*few, "--advection", "linear", "--steps", "3", "--save", "grid.csv")
    check(Path("grid.csv.particles.csv").read_text().count("\n") == 1, "the grid has particles")
    good("--headless", "--load", "grid.csv", "--steps", "2")

    lines = Path("p3.csv.particles.csv").read_text().splitlines(keepends=True)
    for contents, naming in ((None, "p.csv.particles.csv: is missing"), ("".join(lines[:-1]), "another run"),
                             ("".join(lines)[:-9], f"line {len(lines)}: "), ("", "line 1"),
                             (with_value(lines, 5, 3, "nan"), "line 5: 'nan'"),
                             (with_value(lines, 7, 0, "9.5"), "line 7: the particle lies outside"),
                             (with_value(lines, 7, 2, "-1"), "line 7: the particle lies outside"),
                             (with_value(lines, 6, 15, "0,0"), "line 6: has 17 values")):
        Path("p.csv").write_bytes(Path("p3.csv").read_bytes())
        Path("p.csv.particles.csv").unlink(missing_ok=True)
        if contents is not None:
            Path("p.csv.particles.csv").write_text(contents)
        refused("--headless", "--load", "p.csv", naming=naming)
    refused("--headless", "--load", "p3.csv.particles.csv", naming="line 1")
    refused(*few, "--left", "inflow", naming="closed box")
    refused(*few, "--advection", "flip", "--right", "outflow", naming="closed box")
    good(*few, "--advection", "reflected", "--right", "outflow", "--steps", "2")
    good(*few, "--advection", "reflected", "--left", "inflow", "--right", "outflow", "--steps", "2", "--save", "open.csv")
    good("--headless", "--load", "open.csv", "--steps", "1")
    refused("--headless", "--load", "open.csv", "--advection", "pic", naming="closed box")
    for keys in ("d", "t...", "tt...", "dd"):
        good("--headless", "--n", "16", "--steps", "3", "--keys", keys, "--png", f"{keys[:2]}.png")
    good("--headless", "--n", "16", "--steps", "3", "--png", "dots.png")
    check(not same("d.png", "dots.png") and same("dd.png", "dots.png"), "D does not hide the dots")
    check(not same("t..png", "tt.png"), "T does not choose another transfer")


def surface():
    """The surface of deep water as a mesh."""
    box = ("--headless", "--nx", "16", "--ny", "12", "--nz", "8", "--scene", "dam", "--steps", "2")
    good(*box, "--save-surface", "dam.obj", "--png", "box.png")
    lines = [line.split() for line in Path("dam.obj").read_text().splitlines()]
    places = [tuple(map(float, line[1:])) for line in lines if line[0] == "v"]
    faces = [tuple(int(corner) - 1 for corner in line[1:]) for line in lines if line[0] == "f"]
    edges = {}
    for face in faces:
        for a, b in zip(face, face[1:] + face[:1]):
            edges[min(a, b), max(a, b)] = edges.get((min(a, b), max(a, b)), 0) + (1 if a < b else -1)
    check(len(faces) > 100 and not any(edges.values()), "--save-surface: the mesh is not closed")
    inside = 0.0  # six times the volume, by tetrahedra: the box is 2 wide, 1.5 high and 1 deep
    for a, b, c, d in faces:
        for p, q, r in ((a, b, c), (a, c, d)):
            (x, y, z), (u, v, w), (k, m, n) = places[p], places[q], places[r]
            inside += x * (v * n - w * m) + y * (w * k - u * n) + z * (u * m - v * k)
    check(abs(inside / 6.0 - 0.4395) < 0.05, f"--save-surface: it encloses {inside / 6.0}")
    check(min(y for x, y, z in places) > -0.01 and max(x for x, y, z in places) < 1.0,
          "--save-surface: a column stands at the lower left")
    good(*box, "--save-surface", "dam.ply")
    head, data = Path("dam.ply").read_bytes().split(b"end_header\n", 1)
    check(f"element vertex {len(places)}\n".encode() in head and f"element face {len(faces)}\n".encode() in head and
          len(data) == 12 * len(places) + 17 * len(faces), f"--save-surface: {head}")
    x, y, z = struct.unpack("<3f", data[:12])
    check(max(abs(x - places[0][0]), abs(y + places[0][2]), abs(z - places[0][1])) < 1e-6,
          "--save-surface: in a .ply file z goes up")
    refused(*box, "--save-surface", "dam.stl", naming=".obj or .ply")
    refused(*box, "--save-surface", "no/folder/x.obj", naming="no/folder/x.obj")
    refused("--headless", "--n", "16", "--scene", "dam", "--steps", "2", "--save-surface", "flat.obj", naming="deep box")


def water():
    """Scenes with air, their state files, and the box that tilts."""
    few = ["--headless", "--n", "24"]
    for scene in ("dam", "drop", "slosh", "fountain"):
        good(*few, "--scene", scene, "--steps", "4", "--save", "first.csv", "--png", f"{scene}_24.png")
        good("--headless", "--load", "first.csv", "--steps", "3", "--save", "on.csv")
        good(*few, "--scene", scene, "--steps", "7", "--save", "all.csv")
        check(same("on.csv.particles.csv", "all.csv.particles.csv"), f"{scene}: 4 + 3 steps are not 7")
    without = [line.split(",") for line in Path("first.csv").read_text().splitlines()]
    nozzle_row = without[0].index("nozzle_row")
    for words in without:
        del words[nozzle_row]
    Path("older.csv").write_text("".join(",".join(words) + "\n" for words in without))
    refused("--headless", "--load", "older.csv", naming="nozzle_row is missing")
    Path("first.csv.particles.csv").unlink()
    refused("--headless", "--load", "first.csv", naming="goes together")
    deep = ["--headless", "--n", "12", "--nz", "8"]
    for box, tolerance in ((few, "1e-6"), (deep, "1e-4")):
        good(*box, "--scene", "dam", "--steps", "7", "--save", "scene.csv")
        for flag in ("1e-6", "1e-4"):
            good(*box, "--scene", "dam", "--tolerance", flag, "--steps", "7", "--save", "flag.csv")
            check(same("scene.csv.particles.csv", "flag.csv.particles.csv") == (flag == tolerance),
                  f"{box}: the tolerance is not {tolerance}")
        good(*box, "--scene", "dam", "--steps", "4", "--save", "first.csv")
        good("--headless", "--load", "first.csv", "--steps", "3", "--save", "on.csv")
        check(same("on.csv.particles.csv", "scene.csv.particles.csv"), f"{box}: it is another one after --load")
    for advection in ("linear", "sharp", "reflected"):
        refused(*few, "--scene", "dam", "--advection", advection, naming="only particles know")
    good(*few, "--scene", "dam", "--steps", "30", "--history", "dam.csv")
    rows = Path("dam.csv").read_text().splitlines()
    check(rows[0] == "step,time,front,height,volume", f"--history: {rows[0]}")
    first, last = ([float(number) for number in rows[n].split(",")] for n in (1, -1))
    check(abs(first[2] - 1.0) < 0.1 and abs(first[3] - 2.0) < 0.1, f"a column is 1 by 2: {first}")
    check(last[2] > 2.0 and last[3] < 2.0 and abs(last[4] / first[4] - 1.0) < 0.05, f"a dam breaks: {last}")
    good("--headless", "--scene", "dam", "--n", "9", "--ny", "8", "--nz", "7", "--steps", "2", "--vti", "dam.vti")
    head, data = Path("dam.vti").read_bytes().split(b'<AppendedData encoding="raw">\n_')
    check(b'WholeExtent="0 9 0 8 0 7"' in head and b'Name="phi"' in head, f"--vti: {head}")
    phi = struct.unpack("<504f", data[8:8 + 4 * 504])
    check(struct.unpack("<Q", data[:8])[0] == 4 * 504 and min(phi) < 0 < max(phi) and phi[9 * 7] < 0 < phi[8],
          "--vti: water lies at the lower left")
    surface()
    for tilt, keys in (("none", ".."), ("left", "<.."), ("right", ">.."), ("back", ">^..")):
        good(*few, "--scene", "slosh", "--steps", "3", "--keys", keys, "--save", f"{tilt}.csv")
    moved = [Path(f"{tilt}.csv.particles.csv").read_bytes() for tilt in ("none", "left", "right", "back")]
    check(len(set(moved[:3])) == 3 and moved[3] == moved[0], "the box does not tilt, or not back")


def write_png(path, width, height, kind, samples, claimed_width=None):
    """Writes a PNG file of one chunk: `kind` is 0 for grey, 2 for colours, 6 for colours and opacity."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    stride = len(samples) // height
    rows = b"".join(b"\0" + bytes(samples[y * stride:(y + 1) * stride]) for y in range(height))
    header = struct.pack(">IIBBBBB", width if claimed_width is None else claimed_width, height, 8, kind, 0, 0, 0)
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
                           + chunk(b"IEND", b""))


def target_pictures():
    """A search for what a PNG file shows: dark on white or bright on black, in grey or in colours, of any size."""
    def ink(x, y):  # how much dye a pixel of 12 x 10 asks for: something at the upper right
        return 255 if 6 <= x < 10 and 1 <= y < 4 else 51 if 6 <= x < 8 and 4 <= y < 6 else 0

    pixels_of = [(x, y) for y in range(10) for x in range(12)]
    write_png("dark.png", 12, 10, 0, [255 - ink(x, y) for x, y in pixels_of])
    write_png("bright.png", 12, 10, 0, [ink(x, y) for x, y in pixels_of])
    colours = {0: (255, 255, 255), 51: (162, 252, 67), 255: (0, 0, 0)}  # the green is as bright as a grey of 204
    write_png("coloured.png", 12, 10, 2, [sample for x, y in pixels_of for sample in colours[ink(x, y)]])
    write_png("clear.png", 12, 10, 6, [sample for x, y in pixels_of for sample in (0, 0, 0, ink(x, y))])
    write_png("large.png", 24, 20, 0, [255 - ink(x // 2, y // 2) for y in range(20) for x in range(24)])
    write_png("wide.png", 48, 20, 0, [255 - ink(x // 2 - 6, y // 2) for y in range(20) for x in range(48)])
    box = ["--headless", "--nx", "12", "--ny", "10"]
    search = ["--evaluations", "12", "--film-steps", "8", "--steps", "9"]

    def dye(path):  # what each cell has, with its place
        header, rows = read_state(path)
        column = header.index("density")
        return [(row[0], row[1], row[column]) for row in rows if row[column] is not None]

    def amount(path):
        return sum(held for _, _, held in dye(path))

    for kind in ("dark", "bright", "coloured", "clear", "large"):
        good(*box, *search, "--target", f"{kind}.png", "--save", f"{kind}.csv")
        apart = max(abs(one[2] - other[2]) for one, other in zip(dye(f"{kind}.csv"), dye("dark.csv")))
        check(apart < 1e-6, f"--target {kind}.png is not dark.png: some dye differs by {apart}")
    right, down = (sum(cell[axis] * cell[2] for cell in dye("dark.csv")) / amount("dark.csv") for axis in (0, 1))
    check(right > 6.0 and down < 4.0, f"the dye is around ({right}, {down}), not at the upper right")
    for kind, expected in (("dark", 12.8), ("wide", 3.2)):  # the wide one only fits at half of its size
        good(*box, "--target", f"{kind}.png", "--steps", "0", "--save", f"{kind}_start.csv")
        total = amount(f"{kind}_start.csv")
        check(abs(total - expected) < 0.5, f"{kind}.png: the disk has {total}, not {expected}")
    write_png("blank.png", 12, 10, 0, [255] * 120)
    write_png("black.png", 12, 10, 0, [0] * 120)
    write_png("huge.png", 12, 10, 0, [255] * 120, claimed_width=100000)
    write_png("no_width.png", 12, 10, 0, [255] * 120, claimed_width=0)
    Path("cut.png").write_bytes(Path("dark.png").read_bytes()[:50])
    Path("empty.png").write_bytes(b"")
    Path("text.png").write_text("a picture")
    for path, cause in (("blank.png", ": nothing in the picture stands out"), (".", ": is not a file"),
                        ("black.png", ": nothing in the picture stands out"), ("empty.png", ": is empty"),
                        ("huge.png", ": has more than 4096"), ("no_width.png", ": is a damaged"),
                        ("cut.png", ": is a damaged"), ("text.png", ": is not a PNG"),
                        ("missing.png", ": cannot be read (No such file"), ("", " needs a name")):
        refused(*box, "--target", path, "--save", "new.csv", naming=path + cause)


def of_this_chapter():
    """What only one chapter refuses."""
    if name.endswith("11_mac"):
        good("--headless", "--n", "3", "--scene", "none", "--steps", "0", "--save", "box.csv")
        text = Path("box.csv").read_text()
        check(text.count("\n1,1,0,0,0,0,0,0\n") == 1, f"the rows are not what they were: {text}")
        Path("walls.csv").write_text(text.replace("\n0,1,0,0,0,", "\n0,1,0,0,5,"))
        good("--headless", "--load", "walls.csv", "--steps", "0", "--save", "closed.csv")
        check(Path("closed.csv").read_text() == text, "a loaded velocity crosses the wall")
        pictures_of = {}
        for keys in ("n", "nn", "nnn", "nnnn", "c", "cxp"):
            good("--headless", "--n", "4", "--steps", "0", "--keys", keys, "--png", "shown.png")
            pictures_of[keys] = Path("shown.png").read_bytes()
        check(len(set(pictures_of.values())) == len(pictures_of), "two moments of a step look the same")
        for keys in ("n", "nnn", "."):  # when the first moment is shown, the whole step has been made
            good("--headless", "--n", "4", "--steps", "1", "--keys", keys, "--save", f"step_{keys}.csv")
        check(same("step_n.csv", "step_..csv") and same("step_nnn.csv", "step_..csv"), "N does not make a step")
    if name.endswith("16_sharp"):  # whose turn it is to reflect
        small = ["--headless", "--nx", "7", "--ny", "5", "--nz", "3", "--dt", "0.1"]
        good(*small, "--steps", "3", "--save", "odd3.csv")
        good("--headless", "--load", "odd3.csv", "--dt", "0.1", "--steps", "4", "--save", "odd34.csv")
        good(*small, "--steps", "7", "--save", "odd7.csv")
        check(same("odd34.csv", "odd7.csv"), "3 + 4 steps are not 7")
        header, rows = read_state("odd3.csv")
        check(header[-1] == "reflects_next" and [row[-1] for row in rows] == [1.0] + [None] * (len(rows) - 1),
              "after three steps it is not the reflected velocity's turn")
        lines = Path("odd3.csv").read_text().splitlines(keepends=True)
        for turn in ("0", "2", "-1", "0.5"):
            Path("turn.csv").write_text(with_value(lines, 2, len(header) - 1, turn))
            if turn == "0":
                good("--headless", "--load", "turn.csv", "--dt", "0.1", "--steps", "4", "--save", "turn4.csv")
                check(not same("turn4.csv", "odd7.csv"), "it does not matter whose turn it is")
            else:
                refused("--headless", "--load", "turn.csv", naming="reflects_next")
        for advection in ("linear", "sharp"):
            good(*small, "--advection", advection, "--steps", "3", "--save", f"{advection}.csv")
            check(not same(f"{advection}.csv", "odd3.csv"), f"--advection {advection} does nothing")
        for key in ("", "l", "ll"):  # what stands beside the fluid changes nothing about it
            good("--headless", "--n", "12", "--steps", "3", "--keys", f"{key}...", "--save", f"beside_{key}.csv",
                 "--png", f"beside_{key}.png")
            check(same(f"beside_{key}.csv", "beside_.csv"), f"{key} changes the fluid")
        check(not same("beside_l.png", "beside_.png"), "L does not take the twin away")
    if name.endswith("17_viscosity"):
        walls_and_viscosity()
    if name.endswith("18_open"):
        openings()
    if name.endswith("31_smoke"):
        smoke()
        smoke_in_deep_boxes()
    if name.endswith("41_particles"):
        particles()
    if name.endswith("42_water"):
        water()
    if name.endswith("62_control"):
        target_pictures()
    if name.endswith("21_3d"):
        refused("--headless", "--slip-first-guess", "1", "--save", "new.csv", naming="scratch")
        good("--headless", "--n", "8", "--slip-first-guess", "1", "--png", "slip.png")
    if name.endswith("23_cuda") and "no GPU" in run("--headless", "--n", "8", "--backend", "cuda").stderr:
        refused("--headless", "--n", "8", "--backend", "cuda", "--save", "new.csv", naming="host")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    description()
    state_files()
    pictures()
    further_outputs()
    history()
    if "--all" in sys.argv[2:]:
        bad_flags()
        bad_files()
        full_disk()
    else:
        refused("--no-such-flag", naming="--no-such-flag")
        refused("--headless", "--load", "missing.csv", naming="missing.csv")
    of_this_chapter()
    os.chdir("/")
print(f"{name}: {checks - failures} checks passed, {failures} failed")
sys.exit(1 if failures else 0)
