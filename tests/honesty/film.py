"""Films: moving pictures (APNG, which browsers and image viewers play), made from pictures by Pillow. front_page.py
makes the one that README.md shows."""

from itertools import groupby

from PIL import Image, ImageChops
from PIL.PngImagePlugin import PngInfo


def moving_rows(frames):
    """The first row of the part of the frames in which something moves, and the one after its last: that
    is the fluid. Lines of text change, too, but they are not as high."""
    changes = Image.new(frames[0].mode, frames[0].size)
    for frame in frames:
        changes = ImageChops.lighter(changes, ImageChops.difference(frame, frames[0]))
    runs, row = [], 0
    for moves, rows in groupby(changes.getprojection()[1]):
        height = len(list(rows))
        if moves:
            runs.append((height, row))
        row += height
    if not runs:
        raise ValueError("nothing moves in these frames")
    height, first = max(runs)
    return first, first + height


def write_film(path, frames, rate, words):
    """Writes a film that runs for ever, `rate` frames a second, in 256 colours. `words` say how it was made."""
    width, height = frames[0].size
    strip = Image.new("RGB", (width, height * len(frames)))
    for number, frame in enumerate(frames):
        strip.paste(frame, (0, number * height))
    palette = strip.quantize(256)
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    notes = PngInfo()
    notes.add_text("made by", words)
    first.save(path, save_all=True, append_images=others, duration=1000 / rate, loop=0, pnginfo=notes, optimize=True)


class Film:
    """What a film of ours holds: its frames, for how many seconds it runs, how many times (0 is for ever), and the
    words on how it was made. Raises ValueError for a file that is no PNG or is damaged."""

    def __init__(self, path):
        self.frames, self.seconds = [], 0.0
        try:
            with Image.open(path) as film:
                for number in range(film.n_frames):
                    film.seek(number)
                    self.frames.append(film.convert("RGB"))
                    self.seconds += film.info["duration"] / 1000
                self.words, self.times = film.info.get("made by", ""), film.info["loop"]
        except (OSError, SyntaxError, KeyError, AttributeError) as error:
            raise ValueError(f"{path} is no film, or damaged: {error}") from None
