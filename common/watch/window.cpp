// The window of a program that `workbook watch` runs. It lies in another process, host.cpp, so that
// it outlives this one. A picture goes there as a file, and a line says that it is there; what the
// mouse and the keys do comes back as lines. common/book/watch.py passes these lines on.
#include "common/app/window.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "common/app/watched.hpp"
#include "common/io/output.hpp"
#include "common/watch/lines.hpp"

namespace workbook {

bool have_display() {
    return !watched_folder().empty();
}

struct Window::Inside {
    Lines lines;
    std::vector<Event> events;
    bool is_shown = false;  ///< the last picture
    bool is_closing = false;  ///< another program is about to take this one's place
    std::fstream file;

    void take();
};

namespace {

/// What happened in the other process, from one of its lines.
Event event_of(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    int number = 0;
    if (kind == "key") {
        words >> number;
        Event event{Event::Kind::key};
        event.key = static_cast<char>(number);
        return event;
    }
    if (kind == "wheel") {
        Event event{Event::Kind::wheel};
        words >> event.steps;
        return event;
    }
    Event event{kind == "resize"    ? Event::Kind::resize
                : kind == "move"    ? Event::Kind::move
                : kind == "press"   ? Event::Kind::press
                : kind == "release" ? Event::Kind::release
                : kind == "leave"   ? Event::Kind::leave
                                    : Event::Kind::close};
    words >> event.x >> event.y >> number;
    event.button = static_cast<Event::Button>(number);
    return event;
}

}  // namespace

void Window::Inside::take() {
    for (const std::string& line : lines.take()) {
        if (line == "shown") {
            is_shown = true;
        } else {
            events.push_back(event_of(line));
            is_closing = is_closing || events.back().kind == Event::Kind::close;
        }
    }
}

Window::Window(const std::string& title, int width, int height)
    : inside_(std::make_unique<Inside>()) {
    const std::string path = watched_folder() + "/picture";
    inside_->file.open(path, std::ios::binary | std::ios::in | std::ios::out);
    if (!inside_->file) {
        throw InputError(path + " cannot be written");
    }
    tell_watch("open " + std::to_string(width) + " " + std::to_string(height) + " " + title);
}

Window::~Window() = default;

void Window::run(const std::function<bool()>& picture) {
    while (picture()) {
    }
}

std::vector<Event> Window::events() {
    inside_->take();
    return std::exchange(inside_->events, {});
}

void Window::show(const Picture& picture) {
    if (inside_->is_closing) {
        return;
    }
    const std::vector<std::uint8_t>& bytes = picture.rgba();
    inside_->file.seekp(0);
    inside_->file.write(reinterpret_cast<const char*>(bytes.data()),
                        static_cast<std::streamsize>(bytes.size()));
    inside_->file.flush();
    inside_->is_shown = false;
    tell_watch("picture " + std::to_string(picture.width()) + " " +
               std::to_string(picture.height()));
    inside_->take();
    while (!inside_->is_shown && !inside_->is_closing) {  // until then the file is being read
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        inside_->take();
    }
}

void Window::keep() {
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
}

}  // namespace workbook
