// What a chapter's fluid can do, without any picture of it.
#pragma once

#include <functional>
#include <string>

#include "common/app/occasions.hpp"
#include "common/draw/cells.hpp"
#include "common/io/shape.hpp"

namespace workbook {

/// What the mouse, or a scene, does to one cell.
struct Stroke {
    int i, j;
    float dx, dy;  ///< how far the mouse moved, in pixels of the tutorial's window (32 to a cell)
    bool dye;  ///< left button; else velocity only
};

/// How a chapter's fluid begins, where the reader does not say.
struct Start {
    std::string scene;
    double dt;
    bool in_window = false;  ///< the scene is played in a window too, and again when R is pressed
    bool paused = false;  ///< a window begins paused
    std::string window_scene = {};  ///< that a window plays instead, unless flags ask for a grid
};

/// The fluid: how large its grid is, how far it has come, and the functions with which a chapter
/// begins it, lets time pass in it, and takes strokes of the mouse. Nothing here knows what a fluid
/// is.
struct Simulation {
    Shape shape = Shape::square;
    Box box = {16, 16, 1};  ///< of a square and of a cube, N is box.nx
    double dt = 1.0 / 60.0;
    int step_count = 0;

    // What a chapter must say: one reset, a step, and a stroke.
    std::function<void(int N)> reset;  ///< begin anew with N x N cells, or a cube's N x N x N
    std::function<void(Box box)> reset_box;  ///< the same for a box
    std::function<void(double dt)> step;
    std::function<void(const Stroke&)> stroke;

    // What it may say.
    std::function<Start(Box box)> start;
    int arrays = 1;  ///< how many floats it keeps for each cell
    std::function<double(Box box)> bytes;  ///< of memory, if `arrays` does not say it

    // To these anybody adds.
    Actions<> after_reset;
    Actions<> before_step;
    Actions<double> after_step;  ///< it is given dt
    Actions<> after_load;  ///< what was loaded will do
    /// Take a part of a drag, from one place to another, before it becomes strokes; `true` is the
    /// button that draws dye. At its press both places are the same.
    Takers<Place, Place, bool> drag;
    Reasons<Box> refuse;  ///< a grid of that size
    Reasons<> refuse_state;  ///< what was loaded
    Reasons<> refuse_save;

    /// Empties the fluid, and gives it a grid of that size.
    void begin(Box size);

    /// Lets dt pass. Every step of a run is made by this.
    void advance();

    /// How many cells the grid has along each axis, walls included.
    Box cells() const { return cells_of(shape, box); }

    /// Whether the outermost cells are walls. A box has none: its outermost faces are the walls.
    bool has_walls() const { return shape != Shape::box; }

    /// Throws InputError if the chapter, or this machine's memory, cannot do with such a grid.
    void check(Box size) const;
};

}  // namespace workbook
