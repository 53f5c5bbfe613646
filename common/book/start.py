"""Lays down a chapter's solver.hpp for the reader to write, as mine/<chapter>/solver.hpp: what the
chapter adds is there, but its functions have empty bodies.

usage: start.py CHAPTER [--force] [--carry | --no-carry]
  --force      begin anew where there is a file already, which is kept as solver.hpp.1.bak, .2.bak, ...
  --carry      take your own functions over from the chapter before, without asking
  --no-carry   do not, without asking
"""

import argparse
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from book import ROOT, end_with_the_reader, manifest, still_under, under_an_old_name
from functions import NotReadable, declarations, head_of, named, parameters, result_of, signature, top_level, without_comments

MARK = "// Write this: "
ANSWER = r"return (?:\{[\w.(), ]*\}|[\w.]+(?:\(\))?);"  # of a function whose body is empty


def fail(words):
    print(f"workbook: {words}", file=sys.stderr)
    sys.exit(2)


# ---- What the reader starts from -----------------------------------------------------------------

def answer_of_nothing(text, one):
    """What an empty function must do to compile: the lines that return something."""
    if text.startswith("fn ", one.start):  # of WGSL, where each type has a 0
        kind = head_of(text, one)[2].partition("->")[2].strip()
        return [f"return {kind}();"] if kind else []
    kind = re.sub(r"\b(?:HD|inline|static|constexpr|explicit|friend|virtual)\b", "", result_of(text, one))
    kind = " ".join(kind.split())
    if not kind or kind.split()[-1] == "void":  # a constructor, or nothing to return
        return []
    if kind.endswith("&"):  # there must be something to refer to
        return [f"static {re.sub(r'^const ', '', kind.rstrip('& '))} nothing{{}};", "return nothing;"]
    if is_made_of_something(text, kind):
        return [f"return {found_among_parameters(text, one, kind)};"]
    members = members_of(text, kind)
    if any(is_made_of_something(text, member) for member in members):
        return [f"return {{{', '.join(made_of_parameters(text, one, member) for member in members)}}};"]
    return ["return {};"]


def is_made_of_something(text, kind):
    """Whether it is a type of the file whose constructors all want something."""
    constructors = [one for one in named(text, kind) if one.owner == kind]
    return bool(constructors) and all(any("=" not in parameter for parameter in parameters(text, one))
                                      for one in constructors)


def members_of(text, kind):
    """The types of the members of a struct without constructors, in their order."""
    if any(one.owner == kind for one in named(text, kind)):
        return []
    found = [re.fullmatch(r"([\w:<>]+)\s+\w+;?", text[one.start:one.end].strip())
             for one in declarations(text) if one.owner == kind and one.kind != "function"]
    return [member[1] for member in found if member]


def made_of_parameters(text, one, kind):
    """A parameter of that type, or one made of a parameter, or what `found_among_parameters` finds."""
    given = [re.findall(r"\w+", parameter.split("=")[0]) for parameter in parameters(text, one)]
    names = {words[-2]: words[-1] for words in reversed(given) if len(words) > 1}
    if kind in names:
        return names[kind]
    for constructor in named(text, kind):
        wanted = parameters(text, constructor) if constructor.owner == kind else []
        words = re.findall(r"\w+", wanted[0]) if len(wanted) == 1 else []
        if len(words) > 1 and words[-2] in names:
            return f"{kind}({names[words[-2]]})"
    return found_among_parameters(text, one, kind)


def found_among_parameters(text, one, kind):
    """What a function has of that type: a parameter, or a member of one."""
    for parameter in parameters(text, one):
        words = re.findall(r"\w+", parameter.split("=")[0])
        if len(words) < 2:
            continue
        if words[-2] == kind:
            return words[-1]
        for member in declarations(text):
            found = re.fullmatch(rf"{kind}\s+(\w+);?", text[member.start:member.end].strip())
            if found and member.owner == words[-2]:
                return f"{words[-1]}.{found[1]}"
    return "{}"


def is_answer_of_nothing(lines):
    return re.fullmatch(rf"(static .* nothing\{{\}};\nreturn nothing;|{ANSWER})?", "\n".join(lines))


def emptied(text, one, words):
    """The text with that function's body emptied."""
    indent = re.search(r"[ \t]*$", text[:one.start]).group()
    body = ["{", f"    {MARK}{words}"] + [f"    {line}" for line in answer_of_nothing(text, one)] + ["}"]
    return text[:one.body] + f"\n{indent}".join(body) + text[one.end:]


def start_text(chapter, root=ROOT):
    """The file that holds what the chapter adds, with the bodies of its new functions emptied."""
    text = chapter.path(chapter.writes, root).read_text(encoding="utf-8")
    words = f'see "What to write" in chapters/{chapter.folder}/README.md'
    for name in chapter.adds:
        for k in range(len(named(text, name))):
            text = emptied(text, named(text, name)[k], words)
    return text


def to_write(chapter, root=ROOT):
    text = chapter.path(chapter.writes, root).read_text(encoding="utf-8")
    return [name for name in chapter.adds if named(text, name)]


# ---- The reader's own functions, from one chapter to the next ------------------------------------

def units(text):
    """The functions and types that stand for themselves, by what identifies them."""
    found = {}
    for one in top_level(text):
        key = signature(text, one) if one.kind == "function" else one.name
        found.setdefault(key, one)
    return found


def source(text, one):
    return text[one.start:one.end]


def with_comment(text, one):
    """Where the comment above a declaration begins."""
    begin = text.rfind("\n", 0, one.start) + 1
    while begin > 0:
        above = text.rfind("\n", 0, begin - 1) + 1
        if not text[above:begin].lstrip().startswith("//"):
            break
        begin = above
    return begin


def mentions(text, name):
    return name and re.search(rf"\b{re.escape(name)}\b", without_comments(text))


def not_written(text):
    return re.search(rf"\{{\s*{re.escape(MARK)}.*\n\s*(?:static .* nothing\{{\}};\s*return nothing;\s*|"
                     rf"{ANSWER}\s*)?\}}", text)


def carry(fresh, old, new, mine, folder):
    """Puts the reader's own versions of functions into `fresh`, the file to start from. `old` and
    `mine` are the chapter before, its reference and the reader's file; `new` is this chapter's
    reference. Returns the text, the names of what was carried, and reasons with the names of what was
    not."""
    before, after, theirs = units(old), units(new), units(mine)
    old_names = {one.name for one in before.values()}
    new_names = {one.name for one in after.values()}
    helpers = {one.name: one for one in theirs.values() if one.name and one.name not in old_names}
    names_of_mine = {one.name for one in theirs.values()}
    carried, refused = {}, {}

    def helpers_of(text):
        used, more = set(), {name for name in helpers if mentions(text, name)}
        while more:
            used |= more
            more = {name for name in helpers for user in used
                    if mentions(source(mine, helpers[user]), name)} - used
        return used

    for key, reference in before.items():
        name = reference.name
        if reference.kind not in ("function", "struct", "enum") or reference.body is None:
            continue
        if key not in theirs:
            if name in names_of_mine:
                refused.setdefault("has another signature in your file", []).append(name)
            continue
        own = theirs[key]
        if source(mine, own) == source(old, reference):
            continue
        if not_written(source(mine, own)):
            refused.setdefault("not written yet", []).append(name)
        elif key not in after or source(new, after[key]) != source(old, reference):
            refused.setdefault(f"{folder} changes it", []).append(name)
        elif helpers_of(source(mine, own)) & new_names:
            both = ", ".join(sorted(helpers_of(source(mine, own)) & new_names))
            refused.setdefault(f"uses your {both}, and {folder} brings its own", []).append(name)
        else:
            carried[key] = own

    if not carried:
        return fresh, [], refused
    inserted, edits = set(), []
    for key, place in units(fresh).items():
        if key not in carried:
            continue
        text = source(mine, carried[key])
        needed = [name for name in helpers if name in helpers_of(text) - inserted]
        inserted |= set(needed)
        extra = "".join(mine[with_comment(mine, helpers[name]):helpers[name].end] + "\n\n"
                        for name in needed)
        own_text = re.sub(rf"[ \t]*{re.escape(MARK)}.*\n", "", text)
        edits.append((place.start, place.end, own_text))
        edits.append((with_comment(fresh, place),) * 2 + (extra,))
    for begin, end, text in sorted(edits, key=lambda edit: -edit[0]):
        fresh = fresh[:begin] + text + fresh[end:]
    missing = [line for line in re.findall(r"^#include\s+<.*>", mine, flags=re.M)
               if line not in fresh]
    if missing:
        last = list(re.finditer(r"^#include.*\n", fresh, flags=re.M))[-1].end()
        fresh = fresh[:last] + "".join(line + "\n" for line in missing) + fresh[last:]
    names = [carried[key].name for key in carried]
    return fresh, list(dict.fromkeys(names)) + sorted(inserted), refused


def report(carried, refused, folder):
    words = f"carried from mine/{folder}: {', '.join(carried) or 'nothing'}"
    if refused:
        words += "; not carried: " + "; ".join(f"{', '.join(names)} ({reason})"
                                               for reason, names in refused.items())
    return words


# ---- The command ---------------------------------------------------------------------------------

def wants_carrying(options, folder, number):
    if options.carry is not None:
        return options.carry
    if sys.stdin.isatty() and sys.stdout.isatty():
        try:
            answer = input(f"Carry your own functions over from mine/{folder}? [Y/n] ")
        except (EOFError, KeyboardInterrupt):
            print()
            fail("nothing was changed")
        return answer.strip().lower() in ("", "y", "yes")
    print(f"Your own functions in mine/{folder} were not carried over; "
          f"./workbook start {number} --force --carry does it.")
    return False


def lay_down(target, text):
    """Writes the file, never over another one. Returns the name that an old one was given."""
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{target.name}.{os.getpid()}")
    backup = None
    try:
        new.write_text(text, encoding="utf-8")
        if os.path.lexists(target):
            k = 1
            while os.path.lexists(target.with_name(f"{target.name}.{k}.bak")):
                k += 1
            backup = target.with_name(f"{target.name}.{k}.bak")
            os.rename(target, backup)
        os.replace(new, target)
    finally:
        if new.exists():
            new.unlink()
    return backup


def main():
    parser = argparse.ArgumentParser(prog="workbook start", add_help=False)
    parser.error = fail
    parser.add_argument("chapter")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--carry", action="store_true", default=None)
    parser.add_argument("--no-carry", dest="carry", action="store_false")
    options = parser.parse_args()
    chapters = {chapter.folder: chapter for chapter in manifest()}
    if options.chapter not in chapters:
        fail(f"there is no chapter '{options.chapter}'")
    chapter = chapters[options.chapter]
    where = f"mine/{chapter.folder}/{chapter.writes}"
    target = ROOT / where
    if os.path.lexists(target) and not options.force:
        fail(f"{where} is there already and was left as it is; --force begins anew and keeps a backup")
    elsewhere = under_an_old_name(chapter)
    if elsewhere and not options.force:
        fail(f"{elsewhere} (or --force: begin anew)")

    text = start_text(chapter)
    said = None
    # A file of its own has nothing in common with the one before.
    previous = None if chapter.has_own_file else chapters.get(chapter.follows)
    mine = ROOT / "mine" / previous.folder / "solver.hpp" if previous else None
    if mine and not mine.is_file() and still_under(previous) and options.carry is not False:
        fail(f"{under_an_old_name(previous)} (or --no-carry: carry nothing over)")
    if options.carry and not (mine and mine.is_file()):
        fail(f"there is no mine/{previous.folder}/solver.hpp to carry from" if previous else
             f"{chapter.folder} is the first chapter: there is nothing to carry")
    if mine and mine.is_file():
        try:
            carried_text, carried, refused = carry(
                text, previous.path("solver.hpp").read_text(encoding="utf-8"),
                chapter.path("solver.hpp").read_text(encoding="utf-8"),
                mine.read_text(encoding="utf-8"), chapter.folder)
            if options.carry or carried:
                if wants_carrying(options, previous.folder, chapter.folder.split("_")[0]):
                    text, said = carried_text, report(carried, refused, previous.folder)
        except (NotReadable, UnicodeDecodeError) as problem:
            if options.carry:
                fail(f"mine/{previous.folder}/solver.hpp cannot be carried over: {problem}")
            said = f"nothing was carried from mine/{previous.folder}/solver.hpp: {problem}"

    backup = lay_down(target, text)
    if backup:
        print(f"Your {where} is now {backup.name}, beside the new one.")
    if said:
        print(said[0].upper() + said[1:] + ".")
    number = chapter.folder.split("_")[0]
    print(f"{where} is laid down. To write: {', '.join(to_write(chapter))}.")
    watches = "says how far you are" if not chapter.page else "shows what your file does"
    print(f"The lesson is chapters/{chapter.folder}/README.md; ./workbook watch {number} {watches}, each time you save.")


if __name__ == "__main__":
    end_with_the_reader()
    try:
        main()
    except OSError as problem:
        fail(f"{problem.filename}: {problem.strerror}")
