// A window over a canvas. page.js is its other half: it draws the pixels, and turns what the mouse,
// the keys and the fingers do into events. library.js stands between the two.
#include "common/app/window.hpp"

#include <emscripten.h>

#include <array>
#include <functional>
#include <string>

#include "common/app/failure.hpp"

extern "C" {
// What library.js has.
int workbook_has_page();
void workbook_open(const char* title, int width, int height);
int workbook_next_event(int* words);
void workbook_show(const std::uint8_t* rgba, int width, int height);
void workbook_begin();
}

namespace workbook {
namespace {

/// The window that the page asks for pictures. A page has one.
std::function<bool()> next_picture;
std::string program_name;

}  // namespace

struct Window::Inside {};

/// There is a page, unless the program runs under Node.
bool have_display() {
    return workbook_has_page() != 0;
}

Window::Window(const std::string& title, int width, int height)
    : inside_(std::make_unique<Inside>()) {
    program_name = title.substr(0, title.find(' '));
    workbook_open(title.c_str(), width, height);
}

Window::~Window() = default;

/// Leaves main without ending it: the page calls workbook_picture from now on. A trap is no
/// exception, so no destructor runs, and what lives on main's stack, such as the fluid, stays.
void Window::run(const std::function<bool()>& picture) {
    next_picture = picture;
    workbook_begin();
    __builtin_trap();
}

std::vector<Event> Window::events() {
    std::vector<Event> events;
    std::array<int, 6> words{};
    while (workbook_next_event(words.data()) != 0) {
        Event event{static_cast<Event::Kind>(words[0])};
        event.key = static_cast<char>(words[1]);
        event.x = words[2];
        event.y = words[3];
        event.button = static_cast<Event::Button>(words[4]);
        event.steps = words[5];
        events.push_back(event);
    }
    return events;
}

void Window::show(const Picture& picture) {
    workbook_show(picture.rgba().data(), picture.width(), picture.height());
}

/// The page decides when it asks for the next one.
void Window::keep() {}

}  // namespace workbook

/// Makes and shows a picture. Returns whether the page shall ask for another. Whatever goes wrong
/// becomes one line, as in Program::run, whose handlers are not there any more.
extern "C" EMSCRIPTEN_KEEPALIVE int workbook_picture() {
    try {
        return workbook::next_picture() ? 1 : 0;
    } catch (...) {
        workbook::tell_failure(workbook::program_name);
    }
    return 0;
}
