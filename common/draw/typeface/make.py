"""Writes typeface.hpp: the printable ASCII letters of DejaVu Sans Mono as pixels, in the sizes that the book's
windows use. FreeType rasterises them, so that each letter is sharp in its own size; nothing has to be found or
loaded when a chapter runs. Needs Pillow, and the typeface (https://dejavu-fonts.github.io; LICENSE beside this
file). Run again only to change the sizes.

usage: make.py DejaVuSansMono.ttf
"""

import sys
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SIZES = [13, 16, 20, 26, 32, 40]  # of the typeface's em, in pixels: from a letter's top to its tail
IN_A_PAGE = 4  # so many of the sizes
LEVELS = 15

HEAD = '''// Made by make.py from DejaVu Sans Mono (see LICENSE beside this file): do not edit.
#pragma once

#include <array>

namespace workbook {

/// A letter's pixels: how far they begin right of its place and below the line's top, and for each
/// row after row how much of it the letter covers, from 'a', nothing, to 'p', all.
struct Glyph {
    int left, top, width, height;
    const char* coverage;
};

/// The letters from ' ' to '~' in one size: how wide each is, and how high a line of them.
struct Typeface {
    int pixels, advance, line;
    std::array<Glyph, 95> glyphs;
};

#ifdef __EMSCRIPTEN__
inline constexpr int typeface_count = %d;
#else
inline constexpr int typeface_count = %d;
#endif

// clang-format off
'''


def glyph(font, letter, line):
    advance = round(font.getlength("m"))
    image = Image.new("L", (3 * advance, line + 8), 0)
    ImageDraw.Draw(image).text((advance, 0), letter, font=font, fill=255)
    box = image.getbbox()
    if box is None:
        return '{0, 0, 0, 0, ""}'
    found = image.crop(box)
    coverage = "".join(chr(ord("a") + round(p * LEVELS / 255)) for p in found.tobytes())
    return f'{{{box[0] - advance}, {box[1]}, {found.width}, {found.height}, "{coverage}"}}'


def main():
    lines = [HEAD % (IN_A_PAGE, len(SIZES)) + "inline constexpr std::array<Typeface, typeface_count> typefaces = {{"]
    for size in SIZES:
        if size == SIZES[IN_A_PAGE]:
            lines.append("#ifndef __EMSCRIPTEN__")
        font = ImageFont.truetype(sys.argv[1], size)
        line = round(1.25 * size)
        lines.append(f"    {{{size}, {round(font.getlength('m'))}, {line}, {{{{")
        for code in range(ord(" "), ord("~") + 1):
            lines.append(f"        {glyph(font, chr(code), line)},")
        lines.append("    }}},")
    lines += ["#endif", "}};", "// clang-format on", "", "}  // namespace workbook", ""]
    path = Path(__file__).with_name("typeface.hpp")
    path.write_text("\n".join(lines), encoding="ascii", newline="\n")


main()
