"""Draws a lesson's pictures again, and compares them with those in its folder or brings these up to date."""

import tempfile
from pathlib import Path

from lesson_checks.mistakes import PICTURE, twins_of
from compare_pictures import keep_picture


def check_pictures(lesson, write):
    wanted = PICTURE.findall(lesson.whole_text())
    for twin in twins_of(lesson):
        wanted += [(twin.file, fields["picture"]) for _, fields in twin.mistakes]
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in dict.fromkeys(wanted):
            made = Path(folder) / name
            made.unlink(missing_ok=True)
            lesson.program.run(f"{flags} --png {name}", folder)
            if made.is_file() and not keep_picture(lesson.path(name), made, write):
                lesson.problems.append(f"{lesson.chapter.folder}/{name} is not what '{flags}' draws")
