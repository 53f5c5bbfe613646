"""Checks a lesson's title, sections, length, links, and that its folder has the pictures that it shows."""

import re

SECTIONS = ["The idea", "What to write", "Stop here and try it yourself", "The code", "What changed",
            "Compare with the tutorial", "Where the text goes wrong", "Play",
            "If yours looks like this", "Exercises", "Further reading"]
LEAST_WORDS, MOST_WORDS = 800, 1800


def check_sections(lesson, text):
    title = f"# {lesson.chapter.number} · {lesson.chapter.title}"
    if not text.startswith(title + "\n"):
        lesson.problems.append(f"{lesson.where} does not begin with '{title}'")
    if re.findall(r"^## (.*)$", text, flags=re.M) != SECTIONS:
        lesson.problems.append(f"{lesson.where} has the sections {re.findall(r'^## (.*)$', text, flags=re.M)}")


def check_length(lesson, text):
    mistakes = text.split("<!-- mutants -->")[1].split("<!-- end of mutants -->")[0]
    prose = text.replace(mistakes, "")
    prose = re.sub(r"^```.*?^```", "", prose, flags=re.M | re.S)
    prose = re.sub(r"<!--.*?-->|</?[a-z]+>|^\$\$.*?\$\$$", "", prose, flags=re.M | re.S)
    prose = re.sub(r"\$[^$\n]*\$", "formula", prose)
    words = sum(1 for word in prose.split() if re.search(r"[^\W_]", word))
    if not LEAST_WORDS <= words <= MOST_WORDS:
        lesson.problems.append(f"{lesson.where} has {words} words of prose, not {LEAST_WORDS} to {MOST_WORDS}")


def check_shown(lesson, text):
    """That each picture that the lesson shows is there, and that each that is there is shown."""
    for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text):
        if not lesson.path(picture).is_file():
            lesson.problems.append(f"{lesson.where}: {picture} is missing")
    pages = lesson.whole_text()
    for picture in sorted(lesson.path("").glob("*.png")):
        if f"]({picture.name})" not in text + pages:
            lesson.problems.append(f"{lesson.chapter.folder}/{picture.name} is shown nowhere")


def check_links(lesson, text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for link in re.findall(r"[^!]\[[^\]]+\]\(([^)#:]+)\)", text):
        if not lesson.path(link).exists():
            lesson.problems.append(f"{lesson.where}: the link {link} leads nowhere")
