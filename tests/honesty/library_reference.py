"""Checks the library's reference: that library/README.md has what the header's comments say, that the README's C is
the example's, to the letter, and that each function of the header and of the Python module has an example.

usage: library_reference.py [--write]      (--write brings the reference up to date)
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common/book"))
import library_reference as made_of  # noqa: E402

README, EXAMPLE = ROOT / "library/README.md", ROOT / "library/examples/channel.c"
BEGIN = "<!-- from stable_fluids.h, by tests/honesty/library_reference.py --write -->"
END = "<!-- until here -->"


def without_example(header):
    """What has no example in calls.c or calls.py, or nothing that does its work in Python."""
    c, python = made_of.c_examples(), made_of.python_examples()
    _, entries = made_of.module()
    names = [entry.name for entry in entries]
    for function in made_of.functions(header):
        if function not in c:
            yield f"calls.c has no example of {function}()"
        elif f"{function}(" not in re.sub(r"/\*.*?\*/", "", c[function], flags=re.DOTALL):
            yield f"the paragraph of {function}() in calls.c does not call it"
        if made_of.in_python(function) not in names:
            yield f"the Python module has no {made_of.in_python(function)}, which {function}() is said to be"
    for entry in entries:
        if not entry.said:
            yield f"{entry.name} of the Python module has no docstring"
        if entry.name not in python and entry.name not in ("Face", "ScalarFace"):  # these are made by functions
            yield f"calls.py has no example of {entry.name}"


def main():
    header = made_of.HEADER.read_text(encoding="utf-8")
    readme = README.read_text(encoding="utf-8")
    problems = []
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        sys.exit(f"FAILED: {README.name} needs the lines {BEGIN} and {END}, once each")
    made = f"{BEGIN}\n\n{made_of.reference(header)}\n\n{END}"
    now = readme[readme.index(BEGIN):readme.index(END) + len(END)]
    if "--write" in sys.argv:
        README.write_text(readme.replace(now, made), encoding="utf-8")
    elif now != made:
        problems.append("the reference is not what the header says: run tests/honesty/library_reference.py --write")
    # Whatever the header declares must have been found.
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    for name in set(re.findall(r"\b(?:stable_fluids|STABLE_FLUIDS)_\w+", re.sub(r"(?m)^#.*", "", code))):
        if name not in made and name != "STABLE_FLUIDS_API":
            problems.append(f"the reference does not name {name}")
    problems += without_example(header)
    outside = readme.replace(now, "")
    for code in re.findall(r"```c\n(.*?)```", outside, re.DOTALL):
        if code not in EXAMPLE.read_text(encoding="utf-8"):
            problems.append(f"this is not in {EXAMPLE.name} as it stands:\n{code}")
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(made.splitlines())} lines of reference, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
