// How a layer of a box of cells is looked at in a chapter's window: with all its numbers if it is
// small, beside another grid if there is one. It knows nothing of what the cells hold.
//
// A box differs from the cube in cube.hpp: its sides need not be as long, it may be flat, and all
// its cells are fluid, since its walls are its outermost faces; so its picture has no border. One
// looks at one layer of it, always along z; the wheel and a turning drag are left to the chapter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "common/app/look.hpp"
#include "common/app/program.hpp"
#include "common/draw/faces.hpp"

namespace workbook {

/// Another grid of as many cells, to be shown to the left with the same fields.
struct OtherGrid {
    std::string name;
    std::function<float(const std::string& field, int i, int j)> value;
    std::function<std::pair<float, float>(int i, int j)> velocity;  ///< for the arrows
};

/// The layer that is shown, the key K that changes it, and where it lies in a picture.
class BoxWindow {
  public:
    static constexpr int most_numbered = 4;  ///< boxes up to this size show all their numbers

    std::string name;  ///< of the grid, when another one is shown beside it
    std::function<FaceNumbers()> numbers;  ///< of the layer, when the box is small
    std::function<std::string()> caption;  ///< above these numbers
    std::optional<OtherGrid> other;
    std::function<Size(Size natural)> size;  ///< of a picture, where the natural one will not do
    int layer = 0;  ///< the layer k that is shown

    /// Begins with a box of that size, its middle layer, and no other grid.
    void begin(Box box);

    /// The look of a program that shows the box, to which a chapter adds what it says of its own:
    /// cell_from_mouse at least. Both must stay where they are.
    Look look(const Program& program);

    /// Adds the readout of the layer and its key, behind those that the program has.
    void connect(Program& program);

    /// Whether the box is small enough to be shown with all its numbers.
    bool is_small() const;

    /// Whether it is shown with them, in an area that has room for them.
    bool shows_numbers(Rectangle area) const;

  private:
    Rectangle room(Rectangle area, bool left_half = false) const;
    float scale(Rectangle area) const;
    int size_of_letters(Rectangle area) const;
    int title_height(Rectangle area) const;
    Rectangle within_margins(Rectangle area) const;
    Size picture_size() const;
    View view(Rectangle area, bool left_half = false) const;
    bool draw(Picture& picture, const Program& program, Rectangle area) const;
    void draw_numbers(Picture& picture, Rectangle area) const;
    void draw_both(Picture& picture, const Program& program, Rectangle area) const;
    std::optional<Place> place_at(Rectangle area, float x, float y) const;

    Box box_ = {1, 1, 1};
    Program* program_ = nullptr;
};

}  // namespace workbook
