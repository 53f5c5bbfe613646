"""Prints how long a step takes under Node and natively, for the scene of each lesson's first picture.

usage: speed.py --code DIR --bin DIR [CHAPTER...]

Both run by turns. What starting takes is left out: each time is that of many steps less that of a few. Nothing
fails here: how fast a machine is proves nothing.
"""

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "common" / "book"))
from agree import commands, lesson_flags, run  # noqa: E402
from book import manifest  # noqa: E402

FEW = 5


def scene(chapter):
    """The lesson's flags, without those that say what becomes of the scene."""
    flags, kept = lesson_flags(chapter), []
    while flags:
        flag = flags.pop(0)
        if flag in ("--steps", "--keys"):
            flags.pop(0)
        elif flag == "--probe":
            del flags[:2]
        else:
            kept.append(flag)
    return kept


def seconds(command, flags, steps):
    return run([*command, *flags, "--steps", str(steps)], None)[3]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--code", type=Path, required=True)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--flags", help="instead of the lesson's")
    parser.add_argument("chapters", nargs="*")
    asked = parser.parse_args()
    for chapter in manifest():
        if not chapter.in_browser or (asked.chapters and chapter.folder not in asked.chapters):
            continue
        node, native = commands(asked.code.resolve(), asked.bin.resolve(), chapter)
        flags = asked.flags.split() if asked.flags else scene(chapter)
        steps = 40
        while seconds(native, flags, steps) < 0.7 and steps < 40000:
            steps *= 3
        times = {"node": [], "native": []}
        for _ in range(3):
            for name, command in (("node", node), ("native", native)):
                times[name].append((seconds(command, flags, steps) - seconds(command, flags, FEW)) / (steps - FEW))
        ours, theirs = min(times["node"]), min(times["native"])
        print(f"{chapter.folder:<14} {' '.join(flags)}: {1e3 * ours:.3g} ms a step under Node, "
              f"{1e3 * theirs:.3g} natively: {ours / theirs:.2f} times as long", flush=True)


if __name__ == "__main__":
    main()
