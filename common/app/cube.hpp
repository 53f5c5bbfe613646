// How a cube of cells is looked at in a chapter's window: one slice of it, the three in the middle,
// all of it as half-transparent sheets, or all of it as a cloud in the light of a lamp. It knows
// nothing of what the cells hold.
//
// A cube differs from the box in box.hpp: its sides are as long, and its outermost cells are walls,
// which its slices show as a border. One looks at it along any axis, the wheel goes from slice to
// slice, and a turning drag turns it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/app/look.hpp"
#include "common/app/program.hpp"
#include "common/draw/camera.hpp"
#include "common/draw/raymarch.hpp"
#include "common/parallel.hpp"

namespace workbook {

/// A cell of a cube.
struct CubeCell {
    int i, j, k;
};

/// A number of each cell of a cube, and how it is shown.
struct CubeField {
    std::string name;
    std::function<float(CubeCell cell)> value;
    float full_at;  ///< the value in the brightest colour; 0: the largest in the cube
    bool is_signed = false;
    bool inside_only = false;  ///< it needs neighbours on all sides: in the walls 0 is shown
    std::string unit = {};  ///< of the value, for the colour bar
};

/// Slices, sheets and a cloud of a cube, with the keys X, Y, Z and C, the wheel, and a camera to
/// turn.
class CubeWindow {
  public:
    CubeWindow();

    std::vector<CubeField> fields;
    std::function<std::array<float, 3>(CubeCell cell)> velocity;  ///< for the arrows
    std::function<std::string()> caption;  ///< below the cube, or the slices, in a window
    float velocity_draw_scale = 20.0f;  ///< pixels of arrow for a velocity of 1
    float sheet_opacity = 0.4f;  ///< of one layer of cells that is full
    float turning = 0.0f;  ///< radians a second that it turns by itself, until the reader turns it
    Choice view{0, {"automatic", "slices", "slice", "cube", "lit"}};

    /// Begins with a cube of N x N x N cells, walls included, and its middle slice.
    void begin(int size);

    /// The look of a program that shows the cube, to which a chapter adds what it says of its own.
    /// Both must stay where they are.
    Look look(const Program& program);

    /// Adds the cube's fields and keys to those of the program, and makes its grid a cube.
    void connect(Program& program);

    /// The cell in that column and row of the chosen slice, or of one that lies `nearer` by so many
    /// layers. Along x the columns are layers, along y the rows.
    CubeCell cell(int column, int row, int nearer = 0) const;

    /// Something to the right and downwards in the chosen slice, as x, y and z.
    std::array<float, 3> in_cube(float right, float down) const;

    /// Whether the three middle slices are shown side by side; `still` is a picture in a file.
    bool shows_slices(bool still = false) const { return parts(still) == Parts::SLICES; }

    int chosen_slice() const { return slice_; }

  private:
    enum class Parts { SLICES, SLICE, CUBE, LIT };

    Parts parts(bool still) const;
    void look_along(int axis);
    void show_other_parts();
    float shown(const CubeField& field, CubeCell cell) const;
    float full_value(const CubeField& field) const;
    std::pair<float, float> velocity_in_slice(int axis, CubeCell cell) const;
    bool draw(Picture& picture, const Program& program, Rectangle area, bool still);
    void draw_slice(Picture& picture, const Program& program, Rectangle area, int axis,
                    float full) const;
    void draw_slices(Picture& picture, const Program& program, Rectangle area) const;
    void draw_cube(Picture& picture, const Program& program, Rectangle area) const;
    Volume cloud(const CubeField& field) const;
    void draw_lit(Picture& picture, const Program& program, Rectangle area, bool still);
    void draw_caption(Picture& picture, Rectangle area) const;
    GridCell cell_at(Rectangle area, float x, float y);
    void turn_wheel(int steps);
    void turn_on(float dt);
    std::optional<Place> place_at(Rectangle area, float x, float y);

    int N_ = 3;
    int axis_ = 2;  ///< the slice looks along x, y or z
    int slice_ = 1;  ///< and is this one of its layers
    Camera camera_;
    bool is_turning_ = false;  ///< since the last picture
    parallel::ThreadPool pool_;  ///< for the picture of the cloud
};

}  // namespace workbook
