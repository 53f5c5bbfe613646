"""Checks that each chapter has a lesson, and that the lesson's links lead somewhere.

usage: lesson_links.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import finish, manifest
from lesson_checks import prose
from lesson_checks.page import Lesson

problems = []
for chapter in manifest():
    lesson = Lesson(chapter, {}, None, problems)
    if lesson.path().is_file():
        prose.check_links(lesson, lesson.text())
    else:
        problems.append(f"{chapter.folder} has no lesson")
finish("lesson_links", problems)
