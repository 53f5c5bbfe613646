"""Reads the pictures that programs of the workbook write, with nothing but Python."""

import struct
import zlib


def pixels(path):
    """Width, height and the pixels (red, green, blue, opacity) of a PNG file as common/draw/png.cpp writes it: each
    byte less the one above it, in one chunk."""
    data = path.read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    size, kind = struct.unpack(">I4s", data[33:41])
    raw, stride = zlib.decompress(data[41:41 + size]), 4 * width
    above, rows = bytes(stride), []
    for begin in range(0, len(raw), stride + 1):
        if kind != b"IDAT" or raw[begin] != 2:
            raise ValueError(f"{path} is not as common/draw/png.cpp writes it")
        above = bytes((a + b) & 255 for a, b in zip(raw[begin + 1:begin + 1 + stride], above))
        rows.append(above)
    return width, height, b"".join(rows)
