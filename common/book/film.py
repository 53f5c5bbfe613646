"""Films: moving pictures (APNG, which browsers and image viewers play) from the frames that a chapter's
program writes with --frames. Needs nothing but Python. tests/honesty/front_page.py makes the one that README.md
shows."""

import struct
import zlib
from collections import Counter
from pathlib import Path

from png import chunk, pixels

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def frame_path(folder, number):
    """Where --frames puts the picture after that many steps."""
    return Path(folder) / f"frame_{number:05}.png"


def rows_of(path):
    """A picture's rows, red green blue opacity for each pixel."""
    width, height, data = pixels(path)
    return [data[row * 4 * width:(row + 1) * 4 * width] for row in range(height)]


def moving_rows(frames):
    """The first row of the part of the frames in which something moves, and the one after its last: that
    is the fluid. Lines of text change, too, but they are not as high."""
    runs, begin = [], None
    for row in range(len(frames[0])):
        moves = any(frame[row] != frames[0][row] for frame in frames)
        if moves and begin is None:
            begin = row
        if not moves and begin is not None:
            runs.append((row - begin, begin, row))
            begin = None
    if begin is not None:
        runs.append((len(frames[0]) - begin, begin, len(frames[0])))
    if not runs:
        raise ValueError("nothing moves in these frames")
    return max(runs)[1:]


def colours_in(rows):
    return [row[at:at + 3] for row in rows for at in range(0, len(row), 4)]


def palette_of(counts, most=256):
    """At most so many colours for those that occur, and which of them stands for which: boxes of colours
    are halved where most pixels lie farthest apart (Heckbert 1982, median cut)."""

    def spread(box):
        ranges = [max(colour[n] for colour in box) - min(colour[n] for colour in box) for n in range(3)]
        widest = max(range(3), key=lambda n: ranges[n])
        return ranges[widest] ** 2 * sum(counts[colour] for colour in box), widest

    boxes = [(*spread(list(counts)), list(counts))]
    while len(boxes) < most:
        at = max(range(len(boxes)), key=lambda n: boxes[n][0])
        weight, widest, box = boxes[at]
        if weight == 0:
            break
        box.sort(key=lambda colour: colour[widest])
        middle = (box[0][widest] + box[-1][widest] + 1) // 2
        cut = next(n for n, colour in enumerate(box) if colour[widest] >= middle)
        boxes[at:at + 1] = [(*spread(part), part) for part in (box[:cut], box[cut:])]
    palette, stands_for = [], {}
    for _, _, box in boxes:
        pixels_in = sum(counts[colour] for colour in box)
        palette.append(bytes(round(sum(colour[n] * counts[colour] for colour in box) / pixels_in)
                             for n in range(3)))
        stands_for.update((colour, len(palette) - 1) for colour in box)
    return palette, stands_for


def write_film(path, frames, rate, words):
    """Writes a film that runs for ever, `rate` frames a second; frames are lists of rows. `words` say
    how it was made."""
    height, width = len(frames[0]), len(frames[0][0]) // 4
    frames = [colours_in(frame) for frame in frames]
    palette, stands_for = palette_of(Counter(colour for frame in frames for colour in frame))
    parts = [SIGNATURE, chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
             chunk(b"tEXt", b"made by\0" + words.encode("latin-1")),
             chunk(b"acTL", struct.pack(">II", len(frames), 0)), chunk(b"PLTE", b"".join(palette))]
    sequence = 0
    for number, frame in enumerate(frames):
        numbers = bytes(stands_for[colour] for colour in frame)
        data = zlib.compress(b"".join(b"\0" + numbers[row * width:(row + 1) * width] for row in range(height)), 9)
        parts.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, width, height, 0, 0, 1, rate, 0, 0)))
        sequence += 1
        if number == 0:
            parts.append(chunk(b"IDAT", data))
        else:
            parts.append(chunk(b"fdAT", struct.pack(">I", sequence) + data))
            sequence += 1
    path.write_bytes(b"".join([*parts, chunk(b"IEND", b"")]))


class Film:
    """What a film of ours holds: its size, how many frames, for how many seconds, how many times (0 is for
    ever), the words on how it was made, and each frame as rows of red, green, blue and opacity. Raises
    ValueError for a file that is no PNG or is damaged."""

    def __init__(self, path):
        data = Path(path).read_bytes()
        if data[:8] != SIGNATURE:
            raise ValueError(f"{path} is no PNG file")
        self.words, self.count, self.seconds, self.times, at = "", 0, 0.0, 1, 8
        self.packed, self.palette = [], b""
        while at < len(data):
            size, kind = struct.unpack(">I4s", data[at:at + 8])
            body = data[at + 8:at + 8 + size]
            if zlib.crc32(kind + body) != struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]:
                raise ValueError(f"{path} is damaged")
            at += size + 12
            if kind == b"IHDR":
                self.width, self.height = struct.unpack(">II", body[:8])
            elif kind == b"tEXt" and body.startswith(b"made by\0"):
                self.words = body[8:].decode("latin-1")
            elif kind == b"PLTE":
                self.palette = [body[n:n + 3] + b"\xff" for n in range(0, len(body), 3)]
            elif kind == b"acTL":
                self.times = struct.unpack(">I", body[4:8])[0]
            elif kind == b"fcTL":
                self.count += 1
                shown, of_second = struct.unpack(">HH", body[20:24])
                self.seconds += shown / of_second
            elif kind in (b"IDAT", b"fdAT"):
                self.packed.append(body if kind == b"IDAT" else body[4:])

    def frame(self, number):
        raw = zlib.decompress(self.packed[number])
        rows = [raw[row * (self.width + 1) + 1:(row + 1) * (self.width + 1)] for row in range(self.height)]
        return [b"".join(self.palette[n] for n in row) for row in rows]
