"""Packs a folder into a zip whose bytes depend on the files alone: their names in order, and one date for all.

usage: zip_folder.py FOLDER ZIP PREFIX     PREFIX is the folder that unpacking makes
"""

import os
import sys
import zipfile
from pathlib import Path


def main():
    folder, target, prefix = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    part = target.with_name(target.name + ".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{prefix}/{path.relative_to(folder).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, path.read_bytes())
    os.replace(part, target)


if __name__ == "__main__":
    main()
