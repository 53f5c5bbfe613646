"""Checks what a page of the browser edition loads before its fluid moves: at most 350 kB of gzipped code.

usage: size.py EDITION
"""

import gzip
import sys
from pathlib import Path

MOST = 350_000


def main():
    edition = Path(sys.argv[1])
    shared = [edition / "page.js", edition / "page.css"]
    sizes = {}
    for program in sorted(edition.glob("*/*.wasm")):
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
