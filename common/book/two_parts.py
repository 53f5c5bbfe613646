"""A reader's file in two parts, so that `workbook watch` compiles only what the reader writes: a header that declares
the functions, against which the program and the tests are compiled once, and their definitions."""

import re

from functions import declarations, named, without_comments, without_defaults

# How a function begins that may stand apart. Templates and constants stay in the header.
BEGINNING = re.compile(r"(?:\[\[[^]]*\]\]\s*|[A-Z]+ )*inline (?!constexpr|auto\b|namespace)")
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[^>\n]*>.*\n?", flags=re.M)


def in_two_parts(text, reference, path, header):
    """The text of the header and that of the definitions. `reference` is the chapter's own file; `path` is the
    reader's, for what the compiler says; `header` is the name by which the definitions include the other part.

    The header changes as seldom as can be: it has no comments, and what only the reader's own functions need stands
    with the definitions. These are functions that the reference does not have, and further includes."""
    apart = [one for one in declarations(text)
             if one.kind == "function" and not one.owner and one.body and BEGINNING.match(text, one.start)]
    own = [one for one in apart if not named(reference, one.name)]
    # What the header itself mentions must be declared there.
    rest = without_comments(without(text, apart))
    own = [one for one in own if not re.search(rf"\b{re.escape(one.name)}\b", rest)]

    declared, definitions, place = [], [], 0
    for one in apart:
        declared.append(text[place:one.start])
        place = one.end
        line = text.count("\n", 0, one.start) + 1
        whole = text[one.start:one.end]
        if one not in own:
            bare = re.sub(r"\binline ", "", text[one.start:one.body], count=1)
            declared.append(bare.rstrip() + ";\n")
            whole = without_defaults(bare + text[one.body:one.end])
        definitions.append(f'#line {line} "{path}"\n{whole}\n')
    declared = without_comments("".join(declared) + text[place:])
    further = [found for found in INCLUDE.findall(declared) if found.strip() not in reference]
    for found in further:
        declared = declared.replace(found, "")
    lines = [line.rstrip() for line in declared.splitlines() if line.strip()]
    first = "".join(found.strip() + "\n" for found in further) + f'#include "{header}"\n'
    return "\n".join(lines) + "\n", first + "\n".join(definitions)


def in_one_part(text, path, header):
    """The same, where all stands in the header."""
    return f'#line 1 "{path}"\n{text}\n', f'#include "{header}"\n'


def without(text, functions):
    """The text without these functions."""
    pieces, place = [], 0
    for one in functions:
        pieces.append(text[place:one.start])
        place = one.end
    return "".join(pieces) + text[place:]
