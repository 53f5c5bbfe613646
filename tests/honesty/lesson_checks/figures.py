"""Checks the figures in a lesson against what its program prints and writes, and what its answers' tests check."""

import csv
import re
import tempfile
from pathlib import Path

FIGURES = re.compile(r"<!-- figures (.*?): (.*?) -->(?=(.*?)(?:</details>|^## ))", flags=re.M | re.S)
LONG = re.compile(r"<!-- long numbers -->(.*?)<!-- end of long numbers -->", flags=re.S)
SUMS = {"__builtins__": {}, "max": max, "min": min, "sum": sum, "zip": zip}  # what a figure may be computed with


def rounds_to(value, figure):
    """Whether a value is this figure: a number as it is written, or a percentage."""
    number = figure.rstrip("% ")
    digits = len(number.split(".")[1]) if "." in number else 0
    if figure.endswith("%"):
        value = 100 * value
    return abs(value - float(number)) <= 0.5000001 * 10.0 ** -digits


def check_printed(lesson, text):
    """Figures in a lesson, and on its further pages, must be among those that --numbers prints. A figure is a number
    between backticks. Those of planted mistakes are checked in mistakes.py."""
    printed = re.findall(r"-?\d[\d.e+-]*", lesson.program.printed("--numbers"))
    values = [float(word) for word in printed if re.fullmatch(r"-?\d+(\.\d+)?(e[+-]\d+)?", word)]
    pages = {**lesson.pages(), "README.md": re.sub(r"<!-- mutants -->.*?<!-- end of mutants -->", "", text, flags=re.S)}
    for page, words in pages.items():
        words = re.sub(r"^```.*?^```", "", words, flags=re.M | re.S)
        for figure in re.findall(r"`(-?\d+(?:\.\d+)?)`", words):
            if not any(rounds_to(value, figure) for value in values):
                lesson.problems.append(f"{lesson.chapter.folder}/{page}: --numbers does not print {figure}")


def check_computed(lesson, text):
    """The figures of which a comment says how they are computed."""
    for flags, sums, below in FIGURES.findall(text):
        columns = {} if flags == "answers" else columns_of(lesson, flags)
        below = re.sub(r"<!--.*?-->", "", below, flags=re.S)
        for line in sums.split(";"):
            expression, figure = (side.strip() for side in line.split(" = "))
            if flags == "answers":
                check_is_tested(lesson, expression)
            check_sum(lesson, flags, expression, columns, figure, below)


def columns_of(lesson, flags):
    """What --history or --save, the last of these flags, writes: a list of numbers for each column."""
    with tempfile.TemporaryDirectory() as folder:
        lesson.program.run(f"--headless {flags} figures.csv", folder)
        path = Path(folder) / "figures.csv"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    return {name: [float(row[name]) for row in rows if row[name]] for name in (rows[0] if rows else [])}


def check_is_tested(lesson, number):
    """That a test of the answers checks for the number."""
    checked = " ".join(line for line in lesson.answers_text().splitlines() if "CHECK" in line)
    if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", checked):
        lesson.problems.append(f"{lesson.where}: no test of tests/answers/{lesson.chapter.folder}.cpp checks {number}")


def check_sum(lesson, flags, expression, columns, figure, below):
    """That a sum is the figure, and that the text below its comment has this."""
    try:
        value = eval(expression, {**SUMS, **columns})
    except (NameError, IndexError, TypeError, ZeroDivisionError) as error:
        lesson.problems.append(f"{lesson.where}: with '{flags}', {expression}: {error}")
        return
    if not rounds_to(value, figure):
        lesson.problems.append(f"{lesson.where}: with '{flags}', {expression} is {value}, not {figure}")
    if not re.search(rf"(?<![\d.]){re.escape(figure)}(?![\d]|\.\d)", below):
        lesson.problems.append(f"{lesson.where}: {figure} is not in the text below its comment")


def check_long(lesson):
    """Runs the long numbers: they must be as expected, and the lesson says what they are."""
    printed = lesson.program.printed("--numbers --long", timeout=1700)
    if "DIFFERS" in printed:
        lesson.problems.append(f"{lesson.chapter.folder} --numbers --long: a number differs")
    print(printed)
    values = [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?", printed)]
    for block in LONG.findall(lesson.text()):
        for figure in re.findall(r"(?<![\d.])\d+\.\d+", block):
            if not any(rounds_to(abs(value), figure) for value in values):
                lesson.problems.append(f"{lesson.where}: --numbers --long does not print {figure}")
