"""Finds the functions and types of a C++ file: enough of the grammar for a solver.hpp, and for what a
reader makes of one."""

import re

OPENING, CLOSING = "({[", ")}]"


class NotReadable(Exception):
    """The braces of a file do not match."""


class Declaration:
    """A function, a type or something else. `start` to `end` is the whole of it, without the comment
    above; `body` is the place of its opening brace, and `owner` the struct that it belongs to."""

    def __init__(self, kind, name, owner, start, body, end):
        self.kind, self.name, self.owner = kind, name, owner
        self.start, self.body, self.end = start, body, end


def blanked(text):
    """The text with all comments, literals and directives turned into as many blanks."""

    def blank(found):
        return re.sub(r"[^\n]", " ", found.group())

    text = re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])*'", blank,
                  text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*", blank, text, flags=re.M)


def declarations(text, owner=None, begin=0, end=None, code=None):
    """The declarations in text[begin:end], in order; those of a struct's members after the struct."""
    code = blanked(text) if code is None else code
    end = len(code) if end is None else end
    found = []
    start, body, depth = None, None, 0
    for k in range(begin, end):
        sign = code[k]
        if start is None:
            if sign.isspace() or sign in ";:":
                continue
            access = re.compile(r"(?:public|private|protected)\s*:").match(code, k)
            if access:
                code = code[:k] + " " * (access.end() - k) + code[access.end():]
                continue
            start, body = k, None
        if sign in OPENING:
            if sign == "{" and depth == 0 and body is None:
                body = k
            depth += 1
        elif sign in CLOSING:
            depth -= 1
            if depth < 0:
                raise NotReadable(f"line {text.count(chr(10), 0, k) + 1}: '{sign}' closes nothing")
        if depth > 0:
            continue
        head = code[start:k + 1 if body is None else body]
        kind, name = kind_and_name(head)
        if sign == ";" or (sign == "}" and body is not None and kind in ("function", "namespace")):
            found.append(Declaration(kind if body is not None else "other", name, owner, start, body,
                                     k + 1))
            if body is not None and kind in ("struct", "namespace"):
                found += declarations(text, name if kind == "struct" else owner, body + 1,
                                      code.rindex("}", body, k + 1), code)
            start = None
    if depth != 0:
        raise NotReadable("a brace is opened and not closed")
    return found


def kind_and_name(head):
    """What a declaration is that begins like this, up to its body."""
    for kind, pattern in (("namespace", r"^(?:inline\s+)?namespace\b\s*(\w*)"),
                          ("enum", r"^enum(?:\s+(?:class|struct))?\s+(\w+)"),
                          ("struct", r"^(?:template\s*<[^{]*?>\s*)?(?:struct|class|union)\s+(\w+)\s*"
                                     r"(?:final\s*)?(?::[^(]*)?$")):
        found = re.search(pattern, head)
        if found:
            return kind, found.group(1)
    found = re.search(r"(operator\s*\(\s*\)|operator\s*[^\s(\w]+|~?\w+)\s*\(", head)
    if found and "=" not in head[:found.start()]:
        return "function", found.group(1)
    found = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:[={;(]|$)", head)
    return "other", found.group(1) if found else ""


def named(text, name):
    """The functions of that name in the text, members too."""
    return [one for one in declarations(text) if one.kind == "function" and one.name == name]


def signature(text, one):
    """A function's head without what does not matter to who calls it: blanks, `inline`, the names of
    its parameters, their defaults."""
    head = blanked(text)[one.start:one.body]
    before, _, rest = head.partition("(")
    if one.name.startswith("operator") and rest.lstrip().startswith(")"):  # operator()
        more, _, rest = rest.partition("(")
        before += "(" + more
    depth, parameters, last = 0, [""], len(rest)
    for k, sign in enumerate(rest):
        depth += (sign in "(<[{") - (sign in ")>]}")
        if depth < 0:
            last = k
            break
        if sign == "," and depth == 0:
            parameters.append("")
        else:
            parameters[-1] += sign
    types = []
    for parameter in parameters:
        words = re.findall(r"\w+|\S", parameter.split("=")[0])
        if len(words) > 1 and re.match(r"[A-Za-z_]", words[-1]) and words[-2] not in ("const", ":"):
            words.pop()
        if not {"&", "*"} & set(words):
            words = [word for word in words if word != "const"]
        types.append(" ".join(words))
    tail = rest[last + 1:].split(":")[0]
    before = [word for word in re.findall(r"\w+|\S", before)
              if word not in ("inline", "static", "constexpr")]
    return " ".join(before) + "(" + ", ".join(types) + ") " + " ".join(tail.split())


def apart(text):
    """A header of inline functions as two texts: one that only declares them, and one that defines them
    for everybody. (Templates, constants and members stay as they are, in both.)"""
    declared, defined = text, text
    for one in reversed(declarations(text)):
        head = text[one.start:one.body or one.end]
        found = re.match(r"(?:\[\[[^]]*\]\]\s*|[A-Z]+ )*inline (?!constexpr|auto\b|namespace)", head)
        if not found or one.owner or "(" not in head:
            continue
        at = one.start + found.end() - len("inline ")
        defined = defined[:at] + defined[at + len("inline "):]
        declaration = text[one.start:at] + text[at + len("inline "):one.body].rstrip() + ";" \
            if one.body else text[one.start:at] + text[at + len("inline "):one.end]
        declared = declared[:one.start] + declaration + declared[one.end:]
    return declared, defined
