#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/app/flags.hpp"
#include "common/app/panel.hpp"
#include "common/app/scene.hpp"
#include "common/draw/picture.hpp"
#include "common/io/state.hpp"

namespace workbook {

struct Event;

/// Where the grid, or the slice of it that is shown, lies in a picture. Cells are `cell` pixels
/// wide, those of the walls too.
struct View {
    float left, top;  ///< the upper left corner of cell (0, 0)
    float cell;
    int columns, rows;  ///< walls included
    bool walls;  ///< whether the outermost cells are walls

    /// The centre of column i, of row j. Whole numbers are cell centres.
    float x(float i) const { return left + (i + 0.5f) * cell; }
    float y(float j) const { return top + (j + 0.5f) * cell; }
};

/// A number of each cell that the picture can show as colour.
struct ShownField {
    std::string name;
    std::function<float(int i, int j)> value;  ///< in that column and row of the picture
    float full_at = 1.0f;  ///< the value in the brightest colour; 0: the largest in the picture
    bool is_signed = false;
    std::string unit = {};  ///< of the value, for the colour bar; "": it has none
};

/// A number for the line of text.
struct Readout {
    std::string name;
    std::function<double()> value;
    bool shown = true;
    std::function<bool()> applies = {};  ///< whether it means something now; without this, always
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

/// How a chapter's fluid begins, where the reader does not say.
struct Start {
    std::string scene;
    double dt;
    bool in_window = false;  ///< the scene is played in a window too, and again when R is pressed
    bool paused = false;  ///< a window begins paused
};

/// A scene of this chapter alone.
struct OwnScene {
    std::string name;
    std::string meaning;
    std::function<void()> play;
};

/// A further file that the chapter can write at the end.
struct FurtherOutput {
    std::string flag;  ///< with its dashes
    std::string meaning;
    std::function<void(const OutputFile&)> write;
};

/// A file that belongs to each state file, and is saved and loaded with it.
struct StateCompanion {
    std::string ending;  ///< what its name has more than that of the state file
    std::function<void(const OutputFile&)> write;
    std::function<void(const std::string& path)> read;  ///< throws InputError for a bad file
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
    Shape shape = Shape::square;
    std::function<void(int N)> reset;  ///< begin anew with N x N cells, or a cube's N x N x N
    std::function<void(Box box)> reset_box;  ///< the same for a box
    std::function<void(double dt)> step;
    std::function<void(const Stroke&)> stroke;
    /// Prints the table of this program's numbers. False if a row differs.
    std::function<bool(const Program&)> numbers;
    std::vector<StateColumn> state;
    std::vector<ShownField> fields;
    int arrays = 1;  ///< how many floats it keeps for each cell

    // What it may say.
    std::function<GridCell(float x, float y, float cell_size)> cell_from_mouse;
    /// Takes a part of a drag before it becomes strokes, and says whether it has taken it. At the
    /// press of a button both places are the same.
    std::function<bool(Place from, Place to, bool dye)> drag;
    std::function<int(int i, int j)> index;  ///< where a cell lies in its array
    std::vector<Parameter> parameters;
    std::vector<Readout> readouts;
    std::vector<Key> keys;
    std::function<std::pair<float, float>(int i, int j)> velocity;  ///< for the arrows
    const float* arrow_scale = nullptr;  ///< pixels of the tutorial's window for a velocity of 1
    bool walls_have_values = false;
    std::function<void(Picture&, const View&, GridCell)> draw_probe;  ///< beside the hovered cell
    std::function<void(Picture&, const View&)> draw_over;

    // How it begins, what it takes and what it leaves.
    std::function<Start(Box box)> start;
    std::vector<OwnScene> own_scenes;
    std::vector<FurtherOutput> outputs;
    std::vector<StateCompanion> companions;
    int* threads = nullptr;  ///< set by --threads, if there is something to set
    std::function<std::string()> why_no_save;  ///< a reason why this state cannot be saved, or ""
    std::function<double(Box box)> bytes;  ///< of memory, if `arrays` does not say it
    std::function<std::string(Box box)> refuse;  ///< a reason why this grid will not do, or ""
    std::function<std::string()> refuse_state;  ///< a reason why what was loaded will not do, or ""

    // How it looks, where cells and arrows are not enough. An area is what lies above the text.
    std::function<std::string(int i, int j)> describe;  ///< the line of text on a hovered cell
    std::function<bool(Picture&, Rectangle area)> draw;  ///< false: not now, draw cells and arrows
    std::function<bool(Picture&, Rectangle area)> draw_still;  ///< the same for pictures in files
    std::function<Size(bool still)> picture_size;  ///< of a file's picture, or of a new window
    std::function<std::optional<Place>(Rectangle area, float x, float y)> place_at;  ///< of a pixel
    std::function<GridCell(Rectangle area, float x, float y)> cell_at;  ///< likewise
    std::function<void(int steps)> wheel;  ///< forward is positive
    std::string wheel_meaning = "nearer or farther";
    std::function<void(float dx, float dy)> turn;  ///< a drag, in pixels, that draws nothing

    /// Runs the program. Returns its exit status: 0, or 1 if --numbers found a difference, 2 for
    /// bad input (after one line on stderr), 3 if there is no display to open a window on.
    int run(int argc, char** argv);

    /// What the window shows just now, for drawings of the chapter's own.
    const ShownField& shown_field() const { return fields[shown_]; }
    bool shows_arrows() const { return arrows_; }

    /// Returns the value of the parameter of that name, which must be there.
    double parameter(const std::string& parameter_name) const;

    /// Begins anew with a grid of another size, for scenes that need one. Throws InputError if this
    /// machine, or this chapter, cannot do with it.
    void resize(Box b);

    /// Returns whether the parameter of that name was set by its flag; or the size of the grid
    /// ("n", "nx", "ny" or "nz"), or "dt".
    bool was_given(const std::string& parameter_name) const;

    /// Shows these words in the last line of text, until the next key or click.
    void say(std::string words) {
        message_ = std::move(words);
        said_ = true;
    }

    // The state of the run, for the chapter's keys and drawings to use.
    int N = 16;  ///< of a box, nx
    Box box = {16, 16, 1};
    double dt = 1.0 / 60.0;
    int step_count = 0;
    bool paused = false;
    bool in_motion = false;  ///< a window is drawn while time passes: it may be coarse for speed
    bool long_numbers = false;  ///< --long: the table has what takes longer, too

  private:
    struct Mouse;
    friend Picture paint(const Program&, int width, int height, bool still);
    friend View view_of(const Program&, int width, int height);
    friend Picture painted(const Program&, int width, int height, bool still, int text_room);

    ChapterFlags chapter_flags() const;
    int run_words(int argc, const char* const* argv);
    void run_with(const Flags& flags);
    void check_outputs(const Flags& flags) const;
    std::optional<State> loaded_state(const Flags& flags) const;
    void check_box(Box b) const;
    void prepare(const Flags& flags);
    void choose_shown(const Flags& flags);
    void check_save(const Flags& flags) const;
    void restore(const State& loaded);
    void begin_again(Box b);
    void play(const std::string& scene);
    void advance();
    std::pair<int, int> shown_cells() const;
    bool has_walls() const { return shape != Shape::box; }
    GridCell cell_of(float x, float y, float cell_size) const;
    void apply_stroke(Place from, Place to, bool dye);
    void press(char key);
    void press_own(char key);
    void change_chosen(bool up);
    void choose_parameter(int further);
    void check_change(std::size_t number, double before);
    std::string words_on_parameter(std::size_t number) const;
    void move_slider(const PanelRow& row, int x);
    void press_panel(const PanelRow& row, int x, Mouse& mouse);
    std::optional<PanelRow> row_at(Size size, int x, int y) const;
    void press_button(const Event& event, Size size, Mouse& mouse);
    void turn_wheel(const Event& event, Size size, const Mouse& mouse);
    void save_picture();
    Size natural(bool still) const;
    Picture still() const;
    void write_frame(const Flags& flags) const;
    void run_headless(const Flags& flags);
    void run_window(const Flags& flags);
    bool handle(const Event& event, Size& size, Mouse& mouse);
    void move_mouse(const Event& event, Size window, Mouse& mouse);
    std::optional<Place> place_of(Size window, int x, int y) const;
    Rectangle area_in(Size size) const;
    void write_results(const Flags& flags) const;

    std::size_t shown_ = 0;
    PanelState panel_;
    bool arrows_ = true, panel_in_files_ = false;
    bool said_ = false;  ///< the message matters more than what the mouse is on
    int help_page_ = 0;  ///< 0: not shown
    int text_room_ = 0;  ///< what the lines of text have needed so far in a window of this size
    Size window_{0, 0};  ///< the window's, or that of the picture without one
    GridCell probe_{-1, -1};
    double pictures_per_second_ = 0.0;
    std::string message_;
    std::vector<std::string> given_;  ///< the names of the parameters that flags have set
    std::string replayed_ = "none";  ///< the scene that R begins with
};

}  // namespace workbook
