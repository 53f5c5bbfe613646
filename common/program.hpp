#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "flags.hpp"
#include "picture.hpp"
#include "state.hpp"

namespace workbook {

/// Where the grid lies in a picture. Cells are (width of a wall cell included) `cell` pixels wide.
struct View {
    float left, top;  ///< the upper left corner of wall cell (0, 0)
    float cell;
    int cells;  ///< in a row, walls included: N + 2

    /// The centre of column i, of row j. Whole numbers are cell centres.
    float x(float i) const { return left + (i + 0.5f) * cell; }
    float y(float j) const { return top + (j + 0.5f) * cell; }
};

/// A number of each cell that the picture can show as colour.
struct ShownField {
    std::string name;
    std::function<float(int i, int j)> value;
    float full_at = 1.0f;  ///< the value in the brightest colour; 0: the largest in the picture
    bool is_signed = false;
};

/// A number for the line of text.
struct Readout {
    std::string name;
    std::function<double()> value;
};

/// A key of this chapter alone.
struct Key {
    char key;
    std::string meaning;
    std::function<void()> press;
};

/// A cell's column and row.
struct GridCell {
    int i, j;
};

/// What the mouse, or a scene, does to one cell.
struct Stroke {
    int i, j;
    float dx, dy;  ///< how far the mouse moved, in pixels of the tutorial's window (32 to a cell)
    bool dye;  ///< left button; else velocity only
};

/// One chapter's program: its window, and all that it does without one. The chapter fills in what
/// its fluid can do; nothing here knows what a fluid is.
class Program {
  public:
    /// The name is the chapter's folder.
    Program(std::string folder, std::string words)
        : name(std::move(folder)), title(std::move(words)) {}

    // What a chapter must say.
    std::string name, title;
    std::function<void(int N)> reset;  ///< begin anew with N x N cells
    std::function<void(float dt)> step;
    std::function<GridCell(float x, float y, float cell_size)> cell_from_mouse;
    std::function<int(int i, int j)> index;  ///< where a cell lies in its array
    std::function<void(const Stroke&)> stroke;
    std::function<bool()> numbers;  ///< prints the table; false if a row differs
    std::vector<StateColumn> state;
    std::vector<ShownField> fields;
    int arrays = 1;  ///< how many numbers it keeps for each cell

    // What it may say.
    std::vector<Parameter> parameters;
    std::vector<Readout> readouts;
    std::vector<Key> keys;
    std::function<std::pair<float, float>(int i, int j)> velocity;  ///< for the arrows
    const float* arrow_scale = nullptr;  ///< pixels of the tutorial's window for a velocity of 1
    bool walls_have_values = false;
    std::function<void(Picture&, const View&, GridCell)> draw_probe;  ///< beside the hovered cell
    std::function<void(Picture&, const View&)> draw_over;

    /// Runs the program. Answers its exit status: 0, or 1 if --numbers found a difference, 2 for
    /// bad input (after one line on stderr), 3 if there is no display to open a window on.
    int run(int argc, char** argv);

    // The state of the run, for the chapter's keys and drawings to use.
    int N = 16;
    float dt = 1.0f / 60.0f;
    int step_count = 0;
    bool paused = false;

  private:
    friend Picture paint(const Program&, int width, int height);

    void prepare(const Flags& flags);
    void begin_again(int n);
    void advance();
    void apply_stroke(float x0, float y0, float x1, float y1, bool dye);
    void press(char key);
    void change_parameter(bool up);
    void run_headless(const Flags& flags);
    void run_window(const Flags& flags);
    void write_results(const Flags& flags) const;

    std::size_t shown_ = 0, chosen_ = 0;
    bool arrows_ = true, help_ = false;
    GridCell probe_{-1, -1};
    double pictures_per_second_ = 0.0;
    std::string message_;
};

}  // namespace workbook
