"""The film at the top of README.md. The comment above it says how it was made:

    <!-- film FILE: RATE a second, HEIGHT rows
    CHAPTER FLAGS; frames FIRST to LAST; SIZE at LEFT, UPPER
    CHAPTER FLAGS; frames FIRST to LAST; SIZE at LEFT, UPPER -->

Each line is a part of the film, and the parts stand side by side. Its frames are those that the chapter's program
writes with these flags, `--frames DIR` and as many steps. Of each frame the film shows a rectangle (SIZE is WIDTHxHEIGHT),
shrunk to the film's height. Checks that the film is there, is smaller than 1.5 MB, moves, runs for 6 to 10 seconds,
over and over, and was made by these words (it has them in it). The first frame of each part is made anew and compared:
the others take long, and come from the same run.

usage: front_page.py --bin DIR [--write]      (--write makes the film: four minutes)
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import ROOT, finish
from compare_pictures import picture_at  # first: without Pillow it says so, and ends the test
from film import Film, can_films, write_film
from PIL import Image, ImageChops, ImageStat

MOST_BYTES = 1_500_000
# Of a byte's 255 steps, on the average. Compression alone changes 1.2 to 1.9. The frame three later differs by 1.6 to 4,
# so not each other frame is noticed.
MOST_APART = 2.2
FILM = re.compile(r"<!-- film (?P<file>\S+): (?P<words>(?P<rate>\d+) a second, (?P<rows>\d+) rows\n(?P<parts>.*?)) -->\n"
                  r"!\[[^\]]+\]\((?P<shown>\S+)\)", flags=re.S)
PART = re.compile(r"(?P<folder>\d\d_\w+) (?P<flags>[^;]*); frames (?P<first>\d+) to (?P<last>\d+); "
                  r"(?P<width>\d+)x(?P<height>\d+) at (?P<left>\d+), (?P<upper>\d+)")

arguments = argparse.ArgumentParser()
arguments.add_argument("--bin", required=True)
arguments.add_argument("--write", action="store_true")
options = arguments.parse_args()
problems = []


class Part:
    """A part of the film, as a line of the comment describes it."""

    def __init__(self, line, rows):
        found = PART.fullmatch(line)
        if not found:
            raise ValueError(f"README.md: '{line}' describes no part of a film")
        self.program = Path(options.bin).resolve() / found["folder"]
        self.flags = found["flags"].split()
        self.rows = rows
        self.first, self.last, self.wide, self.high, self.left, self.upper = (
            int(found[name]) for name in ("first", "last", "width", "height", "left", "upper"))
        self.width = round(self.wide * rows / self.high)

    def run(self, *more):
        done = subprocess.run([str(self.program), "--headless", *self.flags, *more], capture_output=True, text=True,
                              timeout=580)
        if done.returncode != 0:
            sys.exit(f"{self.program.name}: status {done.returncode}, {done.stderr}")

    def shown(self, path):
        """What the film shows of a picture that the program has drawn."""
        box = (self.left, self.upper, self.left + self.wide, self.upper + self.high)
        picture = picture_at(path).convert("RGB").crop(box)
        return picture.resize((self.width, self.rows), Image.Resampling.LANCZOS)

    def frames(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run("--steps", str(self.last), "--frames", folder)
            return [self.shown(Path(folder) / f"frame_{number:05}.png") for number in range(self.first, self.last + 1)]

    def first_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder) / "first.png"
            self.run("--steps", str(self.first), "--png", str(picture))
            return self.shown(picture)


def side_by_side(pictures):
    whole = Image.new("RGB", (sum(picture.width for picture in pictures), pictures[0].height))
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width
    return whole


def make(film, parts):
    frames = [side_by_side(pictures) for pictures in zip(*(part.frames() for part in parts))]
    write_film(ROOT / film["file"], frames, int(film["rate"]), film["words"])


def check_first_frame(film, parts, kept):
    """The first frame of each part is what the program draws now, but for what the film's compression has lost."""
    width = sum(part.width for part in parts)
    if kept.size != (width, int(film["rows"])):
        problems.append(f"{film['file']}: its frames are {kept.width} x {kept.height}, not {width} x {film['rows']}")
        return
    left = 0
    for part in parts:
        old = kept.crop((left, 0, left + part.width, part.rows))
        left += part.width
        means = ImageStat.Stat(ImageChops.difference(old, part.first_frame())).mean
        apart = sum(means) / len(means)
        if apart > MOST_APART:
            problems.append(f"{film['file']}: the first frame of its part by {part.program.name} is not what the program "
                            f"draws, but {apart:.1f} steps of 255 from it (--write makes the film anew)")


def check(film, parts):
    path = ROOT / film["file"]
    if film["shown"] != film["file"]:
        problems.append(f"README.md: the film below {film['file']}'s words is {film['shown']}")
    if not path.is_file():
        problems.append(f"{film['file']} is missing (--write makes it)")
        return
    size = path.stat().st_size
    if size >= MOST_BYTES:
        problems.append(f"{film['file']} has {size} bytes, more than {MOST_BYTES}")
    try:
        found = Film(path)
    except ValueError as error:
        problems.append(str(error))
        return
    if found.words != film["words"]:
        problems.append(f"{film['file']} was made by '{found.words}', not by '{film['words']}'")
    if {part.last - part.first + 1 for part in parts} != {len(found.frames)}:
        problems.append(f"{film['file']} has {len(found.frames)} frames")
        return
    if not 6.0 <= found.seconds <= 10.0:
        problems.append(f"{film['file']} runs for {found.seconds:.2f} seconds, not for 6 to 10")
    if found.times != 0:
        problems.append(f"{film['file']} runs {found.times} times, not for ever")
    still = [n for n in range(1, len(found.frames)) if found.frames[n].tobytes() == found.frames[n - 1].tobytes()]
    if len(found.frames) < 2 or still:
        problems.append(f"{film['file']} does not move: {still}")
    check_first_frame(film, parts, found.frames[0])


def parts_of(film):
    return [Part(line, int(film["rows"])) for line in film["parts"].splitlines()]


if not can_films():
    print("SKIPPED: this Pillow reads no WebP")
    sys.exit(77)
films = [found.groupdict() for found in FILM.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
if len(films) != 1:
    problems.append(f"README.md has {len(films)} films, with the words that made them; it should be 1")
for each in films:
    try:
        described = parts_of(each)
    except ValueError as error:
        problems.append(str(error))
        continue
    if options.write:
        make(each, described)
    check(each, described)
finish("front_page", problems)
