#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/draw/picture.hpp"

namespace workbook {

/// Returns whether a window can be opened here. (SFML would end the program if it tried in vain.)
bool have_display();

/// Something the user did to the window.
struct Event {
    enum class Kind { close, resize, key, move, press, release, leave, wheel };
    enum class Button { left, right, turning };
    Kind kind;
    char key = 0;  ///< a printable character, in lower case, or '\t' or '\x1b'
    int x = 0, y = 0;  ///< the mouse, or the new size, in pixels
    Button button = Button::left;  ///< turning: the middle one, or the left one with Alt
    int steps = 0;  ///< of the wheel; forward is positive
};

/// A window that shows pictures and brings input. This is all that the workbook uses of a display,
/// and window.cpp is all that knows SFML. In a browser, common/browser/window.cpp stands for it.
class Window {
  public:
    /// Throws InputError if no window can be had.
    Window(const std::string& title, int width, int height);
    ~Window();

    /// Calls `picture`, which shows one, again and again until it returns false. In a browser this
    /// does not return to its caller: the page calls `picture` for as long as it wants one.
    void run(const std::function<bool()>& picture);

    /// What happened since the last call, oldest first.
    std::vector<Event> events();

    /// Shows the picture, one of its pixels to one of the window's. Waits as needed to keep to
    /// about 60 pictures a second.
    void show(const Picture& picture);

    /// Leaves the window as it is, for as long as it shows a picture.
    void keep();

  private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace workbook
