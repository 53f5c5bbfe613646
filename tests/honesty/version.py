"""Checks that the version, which stands in the library's header, is the same wherever else it must be written."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/book"))
from version import version  # noqa: E402


def found(path, pattern):
    match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), flags=re.M)
    return match[1] if match else None


def main():
    places = {
        "library/python/stable_fluids/__init__.py": found("library/python/stable_fluids/__init__.py",
                                                          r'^__version__ = "(.*)"$'),
        "vcpkg.json": json.loads((ROOT / "vcpkg.json").read_text(encoding="utf-8"))["version"],
        "CITATION.cff": found("CITATION.cff", r"^version: (.*)$"),
        "CHANGELOG.md, the first version": found("CHANGELOG.md", r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$"),
    }
    wrong = [f"FAILED: {place} says {said}, and library/include/stable_fluids.h {version()}"
             for place, said in places.items() if said != version()]
    print("\n".join(wrong) or f"version {version()} in {len(places) + 1} places")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
