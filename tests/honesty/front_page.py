"""The moving picture at the top of README.md. The comment above it says how it was made:

    <!-- film FILE: CHAPTER FLAGS; frames FIRST to LAST, RATE a second -->

Its frames are those that the chapter's program writes with these flags, `--frames DIR` and as many steps; of
each frame the film shows what moves, without the lines of text. Checks that the file is there, is smaller
than 1.5 MB, moves, runs for 2 to 4 seconds, over and over, and was made by these words (it has them in it).
Of the frames the first is made anew and compared: the others take as long again, and come from the same run.

usage: front_page.py --bin DIR [--write]      (--write makes the film: two minutes)
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
from film import Film, moving_rows, write_film
from PIL import ImageChops, ImageStat

MOST_BYTES = 1_500_000
FILM = re.compile(r"<!-- film (?P<file>\S+): (?P<words>(?P<folder>\d\d_\w+)(?P<flags>[^;]*); "
                  r"frames (?P<first>\d+) to (?P<last>\d+), (?P<rate>\d+) a second) -->\n!\[[^\]]+\]\((?P<shown>\S+)\)")

arguments = argparse.ArgumentParser()
arguments.add_argument("--bin", required=True)
arguments.add_argument("--write", action="store_true")
options = arguments.parse_args()
problems = []


def run(film, *more):
    program = Path(options.bin).resolve() / film["folder"]
    done = subprocess.run([str(program), "--headless", *film["flags"].split(), *more], capture_output=True,
                          text=True, timeout=580)
    if done.returncode != 0:
        sys.exit(f"{film['words']}: status {done.returncode}, {done.stderr}")


def make(film):
    with tempfile.TemporaryDirectory() as folder:
        run(film, "--steps", film["last"], "--frames", folder)
        frames = [picture_at(Path(folder) / f"frame_{number:05}.png").convert("RGB")
                  for number in range(int(film["first"]), int(film["last"]) + 1)]
    begin, end = moving_rows(frames)
    frames = [frame.crop((0, begin, frame.width, end)) for frame in frames]
    write_film(ROOT / film["file"], frames, int(film["rate"]), film["words"])


def difference(old, new, begin):
    """How far a picture is from the part of another one that begins in that row: of a byte's 255 steps, on the
    average."""
    part = new.crop((0, begin, new.width, begin + old.height))
    means = ImageStat.Stat(ImageChops.difference(old, part)).mean
    return sum(means) / len(means)


def check_first_frame(film, found):
    """The first frame is part of a picture that the program draws now. Its colours are rounded to those of
    the film's palette, which is 1.3 steps of 255 on the average; the next frame is 3.4 away."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "first.png"
        run(film, "--steps", film["first"], "--png", str(picture))
        drawn = picture_at(picture).convert("RGB")
    kept = found.frames[0]
    if drawn.width != kept.width or drawn.height < kept.height:
        problems.append(f"{film['file']}: the program draws pictures of another size now")
        return
    apart = min(difference(kept, drawn, begin) for begin in range(drawn.height - kept.height + 1))
    if apart > 2.5:
        problems.append(f"{film['file']}: its first frame is not what the program draws, but {apart:.1f} steps "
                        "of 255 from it (--write makes the film anew)")


def check(film):
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
    if len(found.frames) != int(film["last"]) - int(film["first"]) + 1:
        problems.append(f"{film['file']} has {len(found.frames)} frames")
        return
    if not 2.0 <= found.seconds <= 4.0 or found.times != 0:
        problems.append(f"{film['file']} runs for {found.seconds:.2f} seconds, {found.times or 'endless'} times")
    still = [n for n in range(1, len(found.frames)) if found.frames[n].tobytes() == found.frames[n - 1].tobytes()]
    if len(found.frames) < 2 or still:
        problems.append(f"{film['file']} does not move: {still}")
    check_first_frame(film, found)


films = [found.groupdict() for found in FILM.finditer((ROOT / "README.md").read_text(encoding="utf-8"))]
if len(films) != 1:
    problems.append(f"README.md has {len(films)} films, with the words that made them; it should be 1")
for each in films:
    if options.write:
        make(each)
    check(each)
finish("front_page", problems)
