#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/app/description.hpp"
#include "common/app/look.hpp"
#include "common/app/screen.hpp"
#include "common/app/session.hpp"
#include "common/app/simulation.hpp"

namespace workbook {

/// One chapter's program: its window, and all that it does without one. The chapter fills in what
/// its fluid is called, what it can do, and how it looks; nothing here knows what a fluid is.
struct Program {
    Description description;
    Simulation simulation;
    Look look;
    Session session = {};
    Screen screen = {};

    /// Prints the table of this program's numbers. False if a row differs.
    std::function<bool(const Program&)> numbers = {};

    /// The name is the chapter's folder.
    Program(std::string folder, std::string words)
        : description{std::move(folder), std::move(words)} {}

    /// Runs the program. Returns its exit status: 0, or 1 if --numbers found a difference; after
    /// one line on stderr 2 for bad input, 3 if there is no display to open a window on, or 4 if
    /// anything else has gone wrong.
    int run(int argc, char** argv);

    /// The field that the picture shows just now.
    const ShownField& shown_field() const { return description.fields[screen.field]; }

    /// Begins anew with a grid of another size, for scenes that need one. Throws InputError if this
    /// machine, or this chapter, cannot do with it.
    void resize(Box size);
};

}  // namespace workbook
