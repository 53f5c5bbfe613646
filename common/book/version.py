"""The version of the workbook and its library. It stands in one place, the library's header.

usage: version.py     prints it
"""

import re

from manifest import ROOT

HEADER = "library/include/stable_fluids.h"


def version(root=ROOT):
    """Such as "1.3.0"."""
    text = (root / HEADER).read_text(encoding="utf-8")
    return ".".join(re.search(rf"STABLE_FLUIDS_VERSION_{part} (\d+)$", text, flags=re.M)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


if __name__ == "__main__":
    print(version())
