"""Makes a lesson's section on the classic mistakes from tests/mutants, with a correct picture beside each of theirs."""

import re

MISTAKES = re.compile(r"<!-- mutants -->.*?(?=<!-- end of mutants -->|^## )", flags=re.M | re.S)
PICTURE = re.compile(r"<!-- picture (\S+): (.*?) -->")


def mistakes_of(lesson):
    """Each planted mistake of the chapter: (name, {title, look for, ...})."""
    found = []
    for path in sorted(lesson.mistakes_folder().glob("*.mutant")):
        head = path.read_text(encoding="utf-8").split("<<<<")[0]
        fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
        found.append((path.stem, fields))
    return found


def shared_flags(flags):
    """The flags by which a correct picture is known."""
    return re.sub(r"--headless *|--threads \d+ *", "", flags).strip()


def said_of_pictures(lesson):
    """What the correct pictures show, from correct.txt, by their flags."""
    path = lesson.mistakes_folder() / "correct.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    for line in lines:
        if line.split(": ")[0] not in said:
            lesson.problems.append(f"{lesson.chapter.folder}/correct.txt: what is '{line}'?")
    return said


class Twin:
    """A correct picture: its flags, its file, what it shows, and the mistakes it stands beside."""

    def __init__(self, flags, file, words):
        self.flags, self.file, self.words, self.mistakes = flags, file, words, []


def twins_of(lesson):
    """The correct pictures beside those of the chapter's mistakes."""
    correct_txt = f"tests/mutants/{lesson.chapter.folder}/correct.txt"
    drawn = {shared_flags(flags): name
             for name, flags in reversed(PICTURE.findall(MISTAKES.sub("", lesson.whole_text())))}
    said, found, count = said_of_pictures(lesson), {}, 0
    for name, fields in mistakes_of(lesson):
        if "picture" not in fields:
            continue
        flags = shared_flags(fields["picture"])
        if flags not in found:
            if flags not in drawn:
                count += 1
                drawn[flags] = "correct.png" if count == 1 else f"correct_{count}.png"
            if flags not in said:
                lesson.problems.append(f"{correct_txt} does not say what is seen with: {flags}")
            found[flags] = Twin(flags, drawn[flags], said.pop(flags, "nobody has said what is seen"))
        found[flags].mistakes.append((name, fields))
    for flags in said:
        lesson.problems.append(f"{correct_txt}: no mistake is drawn with {flags}")
    return list(found.values())


def linked(lesson, words):
    """With the names of chapters as links."""
    return re.sub(r"\b(\d\d)_[a-z0-9]+\b",
                  lambda found: f"[{found[1]}](../{found[0]}/README.md)" if found[0] in lesson.chapters else found[0],
                  words)


def sentence(words):
    """With a capital letter, unless it begins with a name from the code."""
    first = words.split()[0]
    if first.startswith("`"):
        return words
    if first in ("advect", "diffuse", "u", "v", "w", "x", "y", "c") or "_" in first:
        return f"`{first}`{words[len(first):]}"
    return words[0].upper() + words[1:]


def image(words, file):
    words = words if words.startswith("`") else words[0].upper() + words[1:]
    words = words.replace("`", "").replace("|", "\\|").rstrip(".")
    return f"![{words}.]({file})"


def pairs(lesson, twin):
    """A correct picture, and beside it that of each mistake."""
    lines = ["", f"With `{twin.flags}` {linked(lesson, twin.words).rstrip('.')}."]
    for name, fields in twin.mistakes:
        title, look = sentence(fields["title"]), sentence(fields["look for"]).rstrip(".")
        lines += ["", "| correct | mistaken |", "|---|---|",
                  f"| {image(twin.words, twin.file)} | {image(f'{title}. {look}', f'mutant_{name}.png')} |",
                  "", f"**{linked(lesson, title)}.** {linked(lesson, look)}."]
        more = " ".join(re.findall(r"--threads \d+", fields["picture"]))
        lines[-1] += f" (`{more}`)" if more else ""
    return lines


def section(lesson):
    """The lines of the section: first the pairs of pictures, then the mistakes that have no picture."""
    plain = [f"- **{linked(lesson, sentence(fields['title']))}.** "
             f"{linked(lesson, sentence(fields['look for'])).rstrip('.')}."
             for _, fields in mistakes_of(lesson) if "picture" not in fields]
    lines = []
    for twin in twins_of(lesson):
        lines += pairs(lesson, twin)
    if lines:
        lines = ["", "Both pictures of a pair were drawn by this chapter's program: the left one with the "
                 "correct solver, the right one with one mistake planted in it.", *lines]
    if plain:
        words = "And without a picture:" if lines else "Without pictures:"
        lines += ["", words, "", *plain]
    return [*lines, ""]
