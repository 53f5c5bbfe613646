"""Tests how common/book/functions.py reads C++ that no chapter has, but that a reader may write: each function, type
and member is found, with its body. So does who asks it: `workbook start` and `workbook check`.

usage: functions_test.py
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "common" / "book"))
from book import finish
from check import types_gone
from functions import (NotReadable, apart, declarations, defaults, named, parameters, parts_of, signature, top_level,
                       types, without_comments)
from start import emptied

AFTER = "\nint after() { return 1; }\n"  # it is found if what stands before it is read to its end
problems = []


def check(what, found, expected):
    if found != expected:
        problems.append(f"{what}: it is {found!r}, and not {expected!r}")


def check_read(what, text, *expected):
    """That the text has these declarations, and that what comes after it is found."""
    try:
        found = tuple(f"{one.kind} {one.owner}::{one.name}" if one.owner else f"{one.kind} {one.name}"
                      for one in declarations(text + AFTER))
    except NotReadable as problem:
        found = str(problem)
    check(what, found, (*expected, "function after"))


def check_body(what, text, name, body):
    """That the first function of that name has this body."""
    check(what, [text[one.body:one.end] for one in named(text, name)][:1], [body])


def check_refused(what, text, words):
    try:
        found = [one.name for one in declarations(text)]
    except NotReadable as problem:
        found = str(problem)
    check(what, found, words)


def parameters_of(text, name):
    """The parameters of the first function of that name."""
    return parameters(text, named(text, name)[0])


def emptied_by_start(text, name):
    """What `workbook start` leaves of a function."""
    return emptied(text, named(text, name)[0], "it")


# ---- Constructors --------------------------------------------------------------------------------

THING = "struct Thing {\n    int d, e;\n    Thing(int m) : d{m}, e(2) { d = 3; }\n};\n"
check_read("a constructor that begins members in braces", THING, "struct Thing", "other Thing::e",
           "function Thing::Thing")
check_body("its body", THING, "Thing", "{ d = 3; }")
check_body("its body, after the last member's brace", THING.replace("e(2)", "e{2}"), "Thing", "{ d = 3; }")
check_body("its body, after a base with an argument", THING.replace("d{m}", "Base<int>{m}"), "Thing", "{ d = 3; }")
check_body("its body, after noexcept", THING.replace("(int m)", "(int m) noexcept(true)"), "Thing", "{ d = 3; }")
check_body("a body after a result with ::", "auto f() -> std::vector<int> { return {1}; }", "f", "{ return {1}; }")
check("start keeps what a constructor gives its members", emptied_by_start(THING, "Thing"),
      THING.replace("{ d = 3; }", "{\n        // Write this: it\n    }"))

# ---- Literals, comments and directives -----------------------------------------------------------

check_read("a character after a word", "char f() { return'{'; }", "function f")
check_read("digits set apart", "int f() { return 1'000'000 + 0xFF'FF; }", "function f")
check_read("digits set apart, and a brace", "int f() { return 1'0 + '{' + 2'0; }", "function f")
check_read("a character of another width", "char f() { return u8'}' + L'\\''; }", "function f")
check_read("a raw string", 'auto f() { return R"(a " } ")"; }', "function f")
check_read("a raw string with a delimiter", 'auto f() { return u8R"x( )" } )x"; }', "function f")
check_read("a raw string that looks like a directive", 'auto f() { return R"(\n#if 0\n)"; }', "function f")
check_read("a brace in a comment", "int f() { /* } */ return 1; } // {", "function f")
BRANCHES = "#if {}\nint f(int a) {{\n#else\nint f(long a) {{\n#endif\n    return 1;\n}}\n"
check_read("both branches open a brace", BRANCHES.format("defined(A)"), "function f")
check("of two branches, the first is read", parameters_of(BRANCHES.format("defined(A)"), "f"), ["int a"])
check("of #if 0, the other branch is read", parameters_of(BRANCHES.format("0"), "f"), ["long a"])
check_read("branches in branches", "#ifdef A\n#ifdef B\nint f() {\n#elif C\n{\n#else\n{\n#endif\n#else\n#if 1\n{\n"
           "#endif\n{\n#endif\n}\n", "function f")
check("a line without its comments", without_comments('f("//"); /* a */ g(); // b').rstrip(), 'f("//");         g();')

# ---- Types and attributes ------------------------------------------------------------------------

check_read("alignas", "struct alignas(32) Vec { float x; };", "struct Vec", "other Vec::x")
check_read("an attribute of a type", "struct [[nodiscard]] Vec final : Base { float x; };", "struct Vec",
           "other Vec::x")
check_read("an attribute with words", '[[deprecated("use g(1)")]] int f(int a) { return a; }', "function f")
check_read("an enum with its type", "enum class Kind : unsigned char { one, two };", "enum Kind")
check_read("a base with brackets", "struct A : std::function<int(int)> { int a; };", "struct A", "other A::a")
check_read("a type in another, from outside", "struct A::B { int a; };", "struct B", "other B::a")
check_read("a special case", "template <> struct Hash<A> { int a; };", "struct Hash", "other Hash::a")
check_read("public and private", "class A { public: int a; private: int f() { return a; } };", "struct A", "other A::a",
           "function A::f")
check_read("extern", 'extern "C" { int f() { return 1; } }', "namespace ", "function f")
check("what an attribute is given", parameters_of("[[gnu::aligned(8)]] int f(int a) {}", "f"), ["int a"])

# ---- Members and constants -----------------------------------------------------------------------

MEMBERS = "struct A {\n    std::vector<float> v{1, 2};\n    std::function<int(int)> f{g};\n    int n = {3};\n};\n"
check_read("members that begin with braces", MEMBERS, "struct A", "other A::v", "other A::f", "other A::n")
check("what they begin with", defaults(MEMBERS), {"A::v": "{1, 2}", "A::f": "{g}", "A::n": "{3}"})
check("what a constructor begins them with", defaults(
    "struct A {\n    int n = 3, m;\n    A(int k) : n(4), m{k}, b{true}, s(S::ONE) {}\n    bool b = false;\n"
    "    S s = S::TWO;\n};\n"), {"A::n": "4", "A::b": "true", "A::s": "S::ONE"})
check_read("a constant from a call", "const int a = f(1);", "other a")
check_read("a lambda", "const auto f = [](int a) { return a; };", "other f")
check_read("a lambda in braces", "inline auto f{[](int a) { return a; }};", "other f")

# ---- Operators and templates ---------------------------------------------------------------------

OPERATORS = """struct A {
    float& operator()(int i) { return v[i]; }
    float operator[](int i) const { return v[i]; }
    A operator-() const { return *this; }
    bool operator<(const A& b) const { return v < b.v; }
    A& operator=(const A& b) { return *this; }
    explicit operator bool() const { return true; }
};
"""
check_read("operators", OPERATORS, "struct A", *(f"function A::operator{name}" for name in (
    "()", "[]", "-", "<", "=", " bool")))
check("their heads", [signature(OPERATORS, one) for one in declarations(OPERATORS)[1:4]],
      ["float & operator ( )(int) ", "float operator [ ](int) const", "A operator -() const"])
check("start lets a conversion return", emptied_by_start("A::operator bool() const { return true; }", "operator bool"),
      "A::operator bool() const {\n    // Write this: it\n    return {};\n}")
REQUIRES = "template <class T = float>\n{}\nT f(T a) {{\n    return a;\n}}\n"
for clause in ("requires (sizeof(T) > 2)", "requires std::floating_point<T>", "requires requires(T b) { b.g(); }",
               "requires (sizeof(T) > 2) && requires { g(); }"):
    check_read(clause, REQUIRES.format(clause), "function f")
    check_body(f"the body after {clause}", REQUIRES.format(clause), "f", "{\n    return a;\n}")
check_body("requires at the end of a head", "template <class T> int f(T a) requires (sizeof(T) > 2) { return 1; }", "f",
           "{ return 1; }")
check_read("a concept", "template <class T> concept Small = requires(T a) { a.g(); };", "other Small")
check_read("a template of a struct", "template <class T> requires Small<T> struct A { T a; };", "struct A",
           "other A::a")
check_read("a template with a number", "template <int n, bool is_big = (n > 3)> int f() { return n; }", "function f")

# ---- What a file falls into ----------------------------------------------------------------------

PARTS = """#pragma once

// Alone.

/// Two numbers.
constexpr char brace = '{';
constexpr int many = 1'000;

inline int f() { return 1; }

inline int g() {
    const char* text = R"(

)";

    return 1;
}

// As f above.
inline int f(int a) { return a; }

TEST_CASE("f") {
    check(f());
}
"""
check("the parts of a file", [name for name, _ in parts_of(PARTS)], ["head", "brace", "f", "g", "?"])
check("what stands in no other", [one.name for one in top_level(THING + AFTER)], ["Thing", "after"])
check("a part of two functions", dict(parts_of(PARTS))["f"],
      "inline int f() { return 1; }\n\n// As f above.\ninline int f(int a) { return a; }\n")
check("a part with empty lines in it", dict(parts_of(PARTS))["g"].count("\n"), 7)
check("a comment that stands alone", dict(parts_of(PARTS))["brace"][:12], "// Alone.\n\n/")
check("defaults stay in the header", apart('inline int f(int a = g(1, 2), const char* b = "c") { return a; }\n'),
      ('int f(int a = g(1, 2), const char* b = "c");\n',
       {"int f(int, const char *) ": "int f(int a, const char* b) { return a; }"}))
check("a function without parameters", apart("inline int f() { return 1; }\n"),
      ("int f();\n", {"int f() ": "int f() { return 1; }"}))
check_refused("a brace too many", "int f() { return 1; }\n}\n", "line 2: '}' closes nothing")
check_refused("a brace too few", "int f() {\n", "a brace is opened and not closed")

# ---- Who asks ------------------------------------------------------------------------------------

REFERENCE = "struct Field {\n    int N;\n};\n\nstruct Fluid {\n    int N;\n};\n"
check("check takes a class", types_gone(REFERENCE, REFERENCE.replace("struct", "class")), [])
check("check takes an aligned struct", types_gone(REFERENCE, REFERENCE.replace("struct", "struct alignas(32)")), [])
check("check takes another name of a type", types_gone(REFERENCE, "struct Fluid {};\nusing Field = Grid<float>;\n"), [])
check("check takes no comment for a struct", types_gone(
    REFERENCE, "// struct Field\nstruct Fluid {};\n"), ["Field"])
check("check takes no string for a struct", types_gone(
    REFERENCE, 'struct Field {};\nauto text = "struct Fluid {};";\n'), ["Fluid"])
check("check takes no declaration for a struct", types_gone(REFERENCE, "struct Field;\nstruct Fluid {};\n"), ["Field"])
check("check leaves what is not readable to the compiler", types_gone(REFERENCE, "struct Field {\n"), [])
check("check wants no more than the reference has", types_gone("struct Field {};\n", "struct Field {};\n"), [])
check("a type within another", types("struct A { struct Field { int N; }; };\n"), {"A"})
check("start with a function whose name is in another word", emptied_by_start("static void at(int i) { g(i); }", "at"),
      "static void at(int i) {\n    // Write this: it\n}")
check("start with a function whose name is its result's", emptied_by_start("inline Field& Field_of() {\n}", "Field_of"),
      "inline Field& Field_of() {\n    // Write this: it\n    static Field nothing{};\n    return nothing;\n}")
MADE = "struct Grid {\n    explicit Grid(int n) {}\n};\n\nstruct Fluid {\n    Grid grid;\n};\n\n"
check("start with a result made of something, which a parameter has", emptied_by_start(
    MADE + "inline Grid copy_of(int n, const Fluid& fluid) {\n}", "copy_of"),
    MADE + "inline Grid copy_of(int n, const Fluid& fluid) {\n    // Write this: it\n    return fluid.grid;\n}")
check("start with a result made of something, which is a parameter", emptied_by_start(
    MADE + "inline Grid half(const Grid& fine) {\n}", "half"),
    MADE + "inline Grid half(const Grid& fine) {\n    // Write this: it\n    return fine;\n}")
check("start with a result that can be made of nothing", emptied_by_start(
    MADE.replace("int n", "int n = 1") + "inline Fluid half(const Grid& fine) {\n}", "half"),
    MADE.replace("int n", "int n = 1") + "inline Fluid half(const Grid& fine) {\n    // Write this: it\n"
    "    return {};\n}")
PAIR = MADE.replace("int n", "const Row& row") + "struct Pair {\n    Grid a;\n    Row b;\n};\n\n"
check("start with a struct whose members are made of something", emptied_by_start(
    PAIR + "inline Pair both(const Fluid& fluid, const Row& row) {\n}", "both"),
    PAIR + "inline Pair both(const Fluid& fluid, const Row& row) {\n    // Write this: it\n"
    "    return {Grid(row), row};\n}")
check("start with a member, from outside", emptied_by_start("inline void A::f() {\n}", "f"),
      "inline void A::f() {\n    // Write this: it\n}")
check("start with requires", emptied_by_start("template <class T>\nrequires Small<T>\nvoid f(T a) {\n}", "f"),
      "template <class T>\nrequires Small<T>\nvoid f(T a) {\n    // Write this: it\n}")
check("start with an attribute and a template", emptied_by_start(
    "template <class T = Pair<int, void>>\n[[nodiscard]] inline void f(T a) {\n}", "f"),
    "template <class T = Pair<int, void>>\n[[nodiscard]] inline void f(T a) {\n    // Write this: it\n}")
finish("functions_test", problems)
