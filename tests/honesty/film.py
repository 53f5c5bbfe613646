"""Films: moving pictures (WebP, which browsers play), made from pictures by Pillow. front_page.py makes the one that
README.md shows."""

import PIL
from PIL import Image, features

QUALITY = 50  # of 100: the boxes' thin lines stay clean
DESCRIPTION = 0x010E  # Exif's ImageDescription


def can_films():
    """Whether this Pillow was built with what films need."""
    if not features.check("webp"):
        return False
    is_always_with_both = int(PIL.__version__.split(".")[0]) >= 11
    return is_always_with_both or (features.check("webp_anim") and features.check("webp_mux"))


def write_film(path, frames, rate, words):
    """Writes a film that runs for ever, `rate` frames a second. `words` say how it was made."""
    notes = Image.Exif()
    notes[DESCRIPTION] = words
    first, *others = frames
    first.save(path, save_all=True, append_images=others, duration=round(1000 / rate), loop=0, quality=QUALITY,
               method=4, exif=notes)


class Film:
    """What a film of ours holds: its frames, for how many seconds it runs, how many times (0 is for ever), and the
    words on how it was made. Raises ValueError for a file that is no film or is damaged."""

    def __init__(self, path):
        self.frames = []
        self.seconds = 0.0
        try:
            with Image.open(path) as film:
                self.words = film.getexif().get(DESCRIPTION, "")
                self.times = film.info["loop"]
                for number in range(film.n_frames):
                    film.seek(number)
                    self.frames.append(film.convert("RGB"))
                    self.seconds += film.info["duration"] / 1000
        except (OSError, SyntaxError, KeyError, AttributeError, EOFError) as error:
            raise ValueError(f"{path} is no film, or damaged: {error}") from None
