"""Checks what a page of the browser edition loads before its fluid moves: at most 350 kB of gzipped code.

usage: size.py EDITION [--last]
       --last   only those of the chapters that have all the code of those that they follow
"""

import gzip
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import last_of_lines, manifest  # noqa: E402

MOST = 350_000


def main():
    edition = Path(sys.argv[1])
    last = [chapter.folder for chapter in last_of_lines(manifest())]
    shared = [edition / "page.js", edition / "page.css"]
    sizes = {}
    for program in sorted(edition.glob("*/*.wasm")):
        if "--last" in sys.argv[2:] and program.stem not in last:
            continue
        files = [program, program.with_suffix(".js"), *shared]
        sizes[program.stem] = sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)
    problems = 0
    for name, size in sizes.items():
        print(f"{name}: {size / 1000:.0f} kB of gzipped code")
        if size > MOST:
            problems += 1
            print(f"FAILED: {name}: more than {MOST / 1000:.0f} kB")
    sys.exit(1 if problems or not sizes else 0)


if __name__ == "__main__":
    main()
