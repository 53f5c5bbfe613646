"""Plants mistakes in a small notebook and looks whether check.py notices each, and nothing else. Needs
nothing but Python's own library."""

import copy
import sys

import check


def code(text, tags=(), pictures=0):
    outputs = [{"output_type": "stream", "name": "stdout", "text": text}]
    outputs += [{"output_type": "display_data", "metadata": {},
                 "data": {"image/png": "", "text/plain": "<Figure size 640x360>"}}] * pictures
    return {"cell_type": "code", "metadata": {"tags": list(tags)}, "outputs": outputs, "source": ""}


# What a run prints, and the whole values behind it: 0.1251 is 0.12505000001 in truth.
PRINTED = "peak = 0.6870 of 1\nsteps  error  order\n    2  0.1251  -\nenergy is below 1e-12 of 1\n"
RECORDS = {("peak", "=", "0.6870", "of", "1"): [["0.6870", 0.68699, 1e-6]],
           ("2", "0.1251", "-"): [["2", 2, 1e-6], ["0.1251", 0.12505000001, 1e-6]]}
EXECUTED = {"cells": [{"cell_type": "markdown", "metadata": {}, "source": "words"},
                      code(PRINTED, pictures=1), code("12.3 GB/s\n", tags=["timing"])]}


def verdict(change):
    """What check.py says of a notebook that was committed with that change, or "" if nothing."""
    committed = copy.deepcopy(EXECUTED)
    change(committed["cells"])
    try:
        check.compare("a.ipynb", committed, EXECUTED, RECORDS)
    except check.Difference as difference:
        return str(difference)
    return ""


def replace(old, new, cell=1):
    def change(cells):
        text = cells[cell]["outputs"][0]["text"]
        assert old in text
        cells[cell]["outputs"][0]["text"] = text.replace(old, new)
    return change


def drop_picture(cells):
    del cells[1]["outputs"][-1]


CASES = [
    ("nothing is changed", lambda cells: None, False),
    ("the last digit of a figure", replace("0.6870", "0.6871"), True),
    ("the last digit, the other way", replace("0.6870", "0.6869"), True),
    ("the first digit", replace("0.6870", "0.5870"), True),
    ("the sign", replace("0.6870", "-0.6870"), True),
    ("a figure that rounds either way, on another machine", replace("0.1251", "0.1250"), False),
    ("but not two ways further", replace("0.1251", "0.1249"), True),
    ("spaces, as a wider column has them", replace("    2  0.1251", "  2 0.1251"), False),
    ("a whole number", replace("    2  0.1251", "    3  0.1251"), True),
    ("a number that is no figure", replace("1e-12", "1e-11"), True),
    ("a word", replace("energy", "entropy"), True),
    ("a word for a number", replace("0.6870", "nan"), True),
    ("a line too many", replace("steps", "more\nsteps"), True),
    ("a line too few", replace("energy is below 1e-12 of 1\n", ""), True),
    ("a picture too few", drop_picture, True),
    ("a cell too few", lambda cells: cells.pop(), True),
    ("a time", replace("12.3", "45.6", cell=2), False),
]

failed = [name for name, change, expected in CASES if bool(verdict(change)) != expected]
for name in failed:
    print(f"check.py is wrong about this change: {name}")
said = verdict(replace("0.6870", "0.6871"))
if said != ("a.ipynb, cell 2: 'peak = 0.6871 of 1' is committed, "
            "'peak = 0.6870 of 1' is what it prints now"):
    failed.append("words")
    print(f"not the words that were expected: {said}")
if not failed:
    print(f"all {len(CASES)} changes are told apart")
sys.exit(1 if failed else 0)
