"""Shows how a chapter's code differs from that of the chapter before."""

import difflib

from functions import without_comments

LONGEST_WHOLE = 24  # lines of a change that shows all of its function


def count_code(lines):
    return sum(1 for line in lines if without_comments(line).strip())


def differences(old, new, around):
    """The lines of a diff after its two titles, with so many lines around what differs."""
    return list(difflib.unified_diff(old, new, lineterm="", n=around))[2:]


def stats(lesson):
    """How many lines of code the step adds and removes, as tests/honesty/steps.py counts them."""
    chapter = lesson.chapter
    if chapter.has_own_file:
        count = count_code(chapter.path(chapter.writes).read_text(encoding="utf-8").splitlines())
        if chapter.page:
            return f"`{chapter.writes}` has {count} lines of code. It is a language of its own, so all of them are new."
        changed = "has not changed by a line"
        if chapter.changes:
            changed = "has changed in " + " and ".join(
                ", ".join(f"`{name}`" for name in chapter.changes).rsplit(", ", 1))
        return f"`solver.hpp` {changed}; `{chapter.writes}` has {count} lines of code."
    new = chapter.path("solver.hpp").read_text(encoding="utf-8").splitlines()
    if chapter.new_grid:
        return f"`solver.hpp` has {count_code(new)} lines of code, counted whole since its grid is new."
    old = lesson.chapters[chapter.follows].path("solver.hpp").read_text(encoding="utf-8").splitlines()
    diff = differences(old, new, 0)
    added, removed = (count_code(line[1:] for line in diff if line[0] == sign) for sign in "+-")
    return (f"`solver.hpp` has {added} lines of code more than that of `{chapter.follows}`, "
            f"and {removed} of the old ones {'is' if removed == 1 else 'are'} gone.")


def doc_and_code(part):
    """A part's lines, those of the comment above it apart."""
    lines = part.rstrip("\n").split("\n")
    above = next((n for n, line in enumerate(lines) if not line.startswith("//")), 0)
    return lines[:above], lines[above:]


def without_same_comment(old, new):
    """The lines of both parts. The comment above them is left out where it is the same."""
    (old_doc, old), (new_doc, new) = doc_and_code(old), doc_and_code(new)
    if old_doc != new_doc:
        return old_doc + old, new_doc + new
    return old, new


def pieces_of_diff(name, old, new, around):
    """What differs in a part, with so many lines around it, piece by piece."""
    pieces = []
    for line in differences(*without_same_comment(old, new), around):
        if line.startswith("@@"):
            pieces.append([f"@@ {name} @@"])
        elif line.strip() or len(pieces[-1]) > 1:  # a piece does not begin with an empty line
            pieces[-1].append(line.rstrip())
    return [line for piece in pieces for line in (piece if piece[-1] else piece[:-1])]


def whole_or_pieces(name, old, new):
    """A part as a diff: all of it where it is short, else what differs, with two lines around it."""
    old_lines, new_lines = without_same_comment(old, new)
    whole = [line.rstrip() for line in differences(old_lines, new_lines, len(new_lines))[1:]]
    pieces = pieces_of_diff(name, old, new, 2)
    return whole if len(whole) <= max(LONGEST_WHOLE, len(pieces)) else pieces


def diff_of(lesson, before, after, names):
    """The lines of the diff that `<!-- change NAMES -->` stands for, from the parts of the code in the chapter before
    and in this one. There are none where a name is wrong."""
    follows, lines = lesson.chapter.follows, []
    for name in names:
        if name not in after or name not in before:
            lesson.problems.append(f"{lesson.where}: {name} is not in both solver.hpp, that of {follows} and this")
            return []
        if after[name] == before[name]:
            lesson.problems.append(f"{lesson.where}: {name} is what it was in {follows}")
            return []
        if len(names) > 1:
            lines += pieces_of_diff(name, before[name], after[name], 1)
        else:
            lines += whole_or_pieces(name, before[name], after[name])
    return lines
