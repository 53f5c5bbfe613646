"""Compares the book's pictures with those that its programs draw now, by Pillow. Readers do not need it: without it,
the tests that do are skipped."""

import sys

try:
    from PIL import Image, ImageChops
except ImportError:
    print(f"skipped: {sys.executable} has no Pillow (Debian: apt install python3-pil)")
    sys.exit(77)


def picture_at(path):
    """The picture in a file: red, green, blue and opacity."""
    with Image.open(path) as picture:
        return picture.convert("RGBA")


def same_picture(path, made):
    """True if the two look alike; another compiler or library may round a colour another way."""
    old, new = picture_at(path), picture_at(made)
    if old.size != new.size:
        return False
    steps = ImageChops.difference(old, new).histogram()  # of each colour in turn, how often 0 to 255 occur
    off = sum(count for n, count in enumerate(steps) if n % 256 > 3)
    return off <= sum(steps) // 1000


def keep_picture(path, made, write):
    """Returns whether the book's picture at `path` looks like the one just made. With `write` the book's
    is replaced if it does not, and the answer is always yes."""
    if path.is_file() and same_picture(path, made):
        return True
    if write:
        picture_at(made).convert("RGB").save(path, optimize=True)  # nothing in it is transparent
    return write
