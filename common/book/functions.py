"""Reads C++: the functions and types of a file, its parts and its defaults. It knows enough of the grammar for a
solver.hpp, and for what a reader makes of one. Of WGSL, whose declarations look much the same, it knows enough for
cells.wgsl; there a struct has to end with a semicolon."""

import re
from functools import lru_cache

CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}
# Comments, literals, and numbers, whose 1'000 begins no literal.
COMMENT_OR_LITERAL = re.compile(r"""//[^\n]* | /\*.*?\*/
                                | \b(?:u8|[uUL])?R"([^()\\\s]*)\(.*?\)\1" | "(?:\\.|[^"\\\n])*"
                                | '(?:\\.|[^'\\\n])*' | (?<!\w)\d(?:'?[\w.])*""", flags=re.S | re.X)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)((?:.*\\\n)*.*)", flags=re.M)
# What stands between two declarations, or before one.
BETWEEN = re.compile(r"(?:[\s;:]|(?:public|private|protected)\s*:)*")
# What may hold brackets before a function's name or a type's, up to the bracket.
BEFORE_NAME = re.compile(r"\[(?=\[)|\{|@\w+\s*\(|\btemplate\s*<|\b(?:alignas|explicit|__attribute__|__declspec)\s*\("
                         r"|(?:(?<=\bdecltype)|(?<=\brequires))\s*\(")
SCOPES = (("namespace", re.compile(r"\s*(?:(?:inline\s+)?namespace\b\s*|extern\s*$)(\w*)")),
          ("enum", re.compile(r"\s*enum(?:\s+(?:class|struct))?\s+(\w+)")),
          ("struct", re.compile(r"\s*(?:requires\b.*\s)?(?:struct|class|union)\s+(?:\w+::)*(\w+)\s*"
                                r"(?:<.*>\s*)?(?:final\s*)?(?::(?!:).*)?$", flags=re.S)))
FUNCTION = re.compile(r"(\boperator\s*(?:\(\s*\)|[^(]+?)|~?\w+)\s*\(")
WGSL_VARIABLE = re.compile(r"\s*var(?:<[^>]*>)?\s+(\w+)\s*:")
VARIABLE = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:[={;(]|$)")


class NotReadable(Exception):
    """The braces of a file do not match."""


class Declaration:
    """A function, a type or something else, as one that has no body is. `start` to `end` is the whole of it, without
    the comment above; `at` is the place of its name, `body` that of its opening brace, and `owner` the struct that it
    belongs to."""

    def __init__(self, kind, name, at, owner, start, body, end):
        self.kind, self.name, self.at, self.owner = kind, name, at, owner
        self.start, self.body, self.end = start, body, end


# ---- The text without what is no code ------------------------------------------------------------

def blanks(text):
    return re.sub(r"[^\n]", " ", text)


def without_comments(text):
    """The text, or one line, with all comments turned into as many blanks."""

    def blank(found):
        return blanks(found[0]) if found[0].startswith("/") else found[0]

    return COMMENT_OR_LITERAL.sub(blank, text)


@lru_cache(maxsize=8)
def blanked(text):
    """The text with all comments, literals and directives turned into as many blanks. Of the branches of an `#if` only
    the first is kept, or that after `#if 0`; the others turn into blanks, too."""

    def blank(found):
        return found[0] if found[0][0].isdigit() else blanks(found[0])

    text = COMMENT_OR_LITERAL.sub(blank, text)
    pieces, place, branches = [], 0, []
    for found in DIRECTIVE.finditer(text):
        pieces += [kept(text[place:found.start()], branches), blanks(found[0])]
        place = found.end()
        branches = branches_after(branches, found[1], found[2].strip())
    return "".join(pieces) + kept(text[place:], branches)


def kept(text, branches):
    return text if all(branch == "read" for branch in branches) else blanks(text)


def branches_after(branches, word, condition):
    """What becomes of the branches by a directive. For each `#if` that is open, its branch is "read", or one of its
    branches was "read before", or none was "yet"."""
    if word in ("if", "ifdef", "ifndef"):
        return branches + ["yet" if condition in ("0", "false") else "read"]
    if word.startswith("el") and branches:
        return branches[:-1] + ["read" if branches[-1] == "yet" else "read before"]
    return branches[:-1] if word == "endif" else branches


# ---- Its declarations ----------------------------------------------------------------------------

def closing(code, opened):
    """The place of the bracket that closes the one at `opened`."""
    k = opened + 1
    while k < len(code) and code[k] != CLOSING[code[opened]]:
        if code[k] in "({[" or code[k] == code[opened]:
            k = closing(code, k)
        k += 1
    if k >= len(code):
        raise NotReadable("a brace is opened and not closed")
    return k


def declarations(text):
    """The declarations in the text, in order; those of a struct's members after the struct."""
    code = blanked(text)
    return declarations_between(code, 0, len(code), None)


def declarations_between(code, begin, end, owner):
    found = []
    start = BETWEEN.match(code, begin, end).end()
    while start < end:
        one = declaration_at(code, start, end, owner)
        if one is None:
            break
        found.append(one)
        if one.kind in ("struct", "namespace"):
            inner = one.name if one.kind == "struct" else owner
            found += declarations_between(code, one.body + 1, closing(code, one.body), inner)
        start = BETWEEN.match(code, one.end, end).end()
    return found


def declaration_at(code, start, end, owner):
    """The declaration that begins at `start`; None where it does not come to an end."""
    body, k = None, start
    while k < end and code[k] != ";":
        if code[k] in ")}]":
            raise NotReadable(f"line {code.count(chr(10), 0, k) + 1}: '{code[k]}' closes nothing")
        if code[k] in "({[":
            closed = closing(code, k)
            if code[k] == "{" and body is None and opens_body(code[start:k]):
                body = k
                kind, name, at = kind_and_name(code[start:k])
                if kind in ("function", "namespace"):
                    return Declaration(kind, name, start + at, owner, start, body, closed + 1)
            k = closed
        k += 1
    if k >= end:
        return None
    if body is None:
        _, name, at = kind_and_name(code[start:k + 1])
        kind = "other"
    return Declaration(kind, name, start + at, owner, start, body, k + 1)


def plain(head):
    """A declaration's head with its template list, its attributes and what else stands in brackets before its name
    turned into as many blanks."""
    found = BEFORE_NAME.search(head)
    while found:
        end = closing(head, found.end() - 1) + 1
        head = head[:found.start()] + blanks(head[found.start():end]) + head[end:]
        found = BEFORE_NAME.search(head, end)
    return head


def kind_and_name(head):
    """What a declaration is that begins like this, up to its body; its name, and where that stands."""
    head = plain(head)
    for kind, pattern in SCOPES:
        found = pattern.match(head)
        if found:
            return kind, found[1], found.start(1)
    found = WGSL_VARIABLE.match(head)
    if found:
        return "other", found[1], found.start(1)
    found = first_outside(FUNCTION, head)
    if found and "=" not in head[:found.start()]:
        return "function", found[1], found.start(1)
    found = first_outside(VARIABLE, head)
    return ("other", found[1], found.start(1)) if found else ("other", "", 0)


def first_outside(pattern, head):
    """What matches the pattern first, but not between `<` and `>`."""
    for found in pattern.finditer(head):
        before = head[:found.start()]
        if before.count("<") == before.count(">"):
            return found
    return None


def opens_body(head):
    """Whether the brace after this head opens its body. It may as well open an expression of `requires`, or what a
    constructor gives to a member, as in `Thing(int m) : d{m} {}`."""
    bare = plain(head)
    if re.search(r"(?:\brequires|&&|\|\|)\s*requires\s*$", bare):
        return False
    in_list = re.search(r"\).*(?<!:):(?!:)", bare, flags=re.S)
    return not (in_list and re.search(r"[\w>]\s*$", head))


def top_level(text):
    """The declarations that are in no other."""
    found, beyond = [], 0
    for one in declarations(text):
        if one.start >= beyond:
            found.append(one)
            beyond = one.end
    return found


def named(text, name):
    """The functions of that name in the text, members too."""
    return [one for one in declarations(text) if one.kind == "function" and one.name == name]


def types(text):
    """The names of the types that the text defines, but not within another."""
    return {one.name for one in declarations(text) if one.owner is None
            and (one.kind in ("struct", "enum") or text.startswith(("using ", "typedef "), one.start))}


# ---- Its parts -----------------------------------------------------------------------------------

def blocks(text):
    """Where the blocks begin and end that blank lines part the text into, but not inside of a declaration. A comment
    that stands alone goes with what comes after it."""
    code, tops = without_comments(text), top_level(text)
    found, begin, place = [], 0, 0
    for line in text.splitlines(keepends=True):
        end = place + len(line)
        if not line.strip() and not any(one.start < place < one.end for one in tops):
            if code[begin:place].strip():
                found.append((begin, place))
                begin = end
            elif begin == place:
                begin = end
        place = end
    if begin < len(text):
        found.append((begin, len(text)))
    return found


def name_of(text, one):
    """What a declaration makes of its block: the part of its function, its type or its constant; None for others."""
    is_constant = re.match(r"(?:inline |static )?(?:constexpr|const|using)\b|@group|var<", text[one.start:])
    if one.kind in ("struct", "enum", "function") or is_constant:
        return one.name if one.name != "TEST_CASE" else None
    return None


def parts_of(text):
    """The top-level parts of a solver, in order: (name, text). A part is a declaration with the
    comment above it; what stands before the first one is called 'head'. Functions of the same name
    are one part, which stands where the first of them does."""
    named_parts, head, tops = {}, [], top_level(text)
    for begin, end in blocks(text):
        first = next((one for one in tops if begin <= one.start < end), None)
        name = name_of(text, first) if first else None
        if name or named_parts:
            named_parts.setdefault(name or "?", []).append(text[begin:end])
        else:
            head.append(text[begin:end])
    return [("head", "\n".join(head))] + [(name, "\n".join(some)) for name, some in named_parts.items()]


# ---- The heads of its functions ------------------------------------------------------------------

def head_of(text, one):
    """A function's head in three: what stands before its parameters, these as texts, and what stands after them."""
    code = blanked(text)
    opened = code.index("(", one.at + len(one.name))
    closed = closing(code, opened)
    found = apart_at_commas(code[opened + 1:closed])
    return code[one.start:opened], found if found != [""] else [], code[closed + 1:one.body]


def result_of(text, one):
    """What a function returns, as it is written, with words like `inline`; nothing for a constructor."""
    conversion = re.match(r"operator\s+(?!new\b|delete\b)(\w.*)", one.name)
    if conversion:
        return conversion[1]
    before = plain(blanked(text)[one.start:one.at])
    return re.sub(r"(?:\w+\s*::\s*)+$", "", before.rstrip()).strip()


def parameters(text, one):
    """A function's parameters, as they are written."""
    return [parameter for parameter in head_of(text, one)[1] if parameter.strip()]


def signature(text, one):
    """A function's head without what does not matter to who calls it: blanks, `inline`, the names of
    its parameters, their defaults."""
    before, written, after = head_of(text, one)
    known = []
    for parameter in written:
        words = re.findall(r"\w+|\S", parameter.split("=")[0])
        if len(words) > 1 and re.match(r"[A-Za-z_]", words[-1]) and words[-2] not in ("const", ":"):
            words.pop()
        if not {"&", "*"} & set(words):
            words = [word for word in words if word != "const"]
        known.append(" ".join(words))
    before = [word for word in re.findall(r"\w+|\S", before)
              if word not in ("inline", "static", "constexpr")]
    return " ".join(before) + "(" + ", ".join(known) + ") " + " ".join(after.split(":")[0].split())


def defaults(text):
    """The defaults in a file, by name: what members begin with (Fluid::iterations), what constants are
    (golden_ratio), and what a parameter is where a caller does not say it (step::dt)."""
    found, by_constructors = {}, {}
    for one in declarations(text):
        if one.kind == "function" and one.owner == one.name:
            by_constructors.update(set_by_constructor(text, one))
        place = f"{one.owner}::" if one.owner else ""
        if one.kind == "function":
            pieces = parameters(text, one)
            place += f"{one.name}::"
        elif one.kind == "other":
            pieces = apart_at_commas(blanked(text)[one.start:one.end].rstrip("; \n"))
        else:
            continue
        for piece in pieces:
            name = re.match(r"[^={]*?(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=\s*|(?=\{))(.+)", piece, flags=re.S)
            if name:
                found[place + name[1]] = " ".join(name[2].split())
    return {**found, **by_constructors}


def set_by_constructor(text, one):
    """The members that a constructor begins with a number, a truth value or the name of a constant, by name."""
    pieces = apart_at_commas(head_of(text, one)[2].partition(":")[2])
    members = [re.fullmatch(r"\s*(\w+)\s*[({]\s*([-+]?[\d.][\w.+-]*|true|false|\w+(?:::\w+)+)\s*[)}]\s*", piece)
               for piece in pieces]
    return {f"{one.owner}::{member[1]}": member[2] for member in members if member}


def apart_at_commas(text):
    """The pieces of a text between commas, but not those within brackets."""
    depth, found = 0, [""]
    for sign in text:
        depth += (sign in "(<[{") - (sign in ")>]}")
        if sign == "," and depth == 0:
            found.append("")
        else:
            found[-1] += sign
    return found


def apart(text):
    """A header of inline functions as two: the text of a header that only declares them, and their definitions,
    each by its signature, as they stand in one source that includes that header. (Templates, constants and
    members stay as they are in the header.)"""
    declared, definitions = text, {}
    for one in reversed(declarations(text)):
        head = text[one.start:one.body]
        found = re.match(r"(?:\[\[[^]]*\]\]\s*|[A-Z]+ )*inline (?!constexpr|auto\b|namespace)", head)
        if not found or one.owner or one.kind != "function":
            continue
        at = one.start + found.end() - len("inline ")
        declaration = (text[one.start:at] + text[at + len("inline "):one.body]).rstrip() + ";"
        definitions[signature(text, one)] = without_defaults(text[one.start:at] + text[at + len("inline "):one.end])
        declared = declared[:one.start] + declaration + declared[one.end:]
    return declared, dict(reversed(definitions.items()))


def without_defaults(definition):
    """A function's definition without the defaults of its parameters, which its declaration has given."""
    one = declarations(definition)[0]
    before, written, _ = head_of(definition, one)
    first = one.start + len(before) + 1
    pieces, place = [], first
    for parameter in written:
        piece = definition[place:place + len(parameter)]
        name, equals, _ = parameter.partition("=")
        pieces.append(piece[:len(name)].rstrip() if equals else piece)
        place += len(parameter) + 1
    return definition[:first] + ",".join(pieces) + definition[max(first, place - 1):]
