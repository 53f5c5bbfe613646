// The window of the programs that `workbook watch` runs one after the other. It shows the picture
// that the present one has made, and goes on showing the last one while there is none.
//
// usage: workbook_window FOLDER; common/book/watch.py runs it.
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "common/app/failure.hpp"
#include "common/app/window.hpp"
#include "common/io/output.hpp"
#include "common/watch/lines.hpp"

namespace {

using namespace workbook;
using namespace std::chrono_literals;

void tell(const std::string& line) {
    std::cout << line + "\n" << std::flush;
}

std::string in_words(const Event& event) {
    const std::string place = " " + std::to_string(event.x) + " " + std::to_string(event.y);
    switch (event.kind) {
        case Event::Kind::close:
            return "close";
        case Event::Kind::resize:
            return "resize" + place;
        case Event::Kind::key:
            return "key " + std::to_string(event.key);
        case Event::Kind::move:
            return "move" + place;
        case Event::Kind::press:
            return "press" + place + " " + std::to_string(static_cast<int>(event.button));
        case Event::Kind::release:
            return "release" + place;
        case Event::Kind::leave:
            return "leave";
        case Event::Kind::wheel:
            return "wheel " + std::to_string(event.steps);
    }
    return "";
}

/// The window, once a program has asked for it, and what it shows.
class Host {
  public:
    explicit Host(std::string folder) : folder_(std::move(folder)) {}

    /// Does what a line asks for.
    void take(const std::string& line) {
        std::istringstream words(line);
        std::string what;
        int width = 0, height = 0;
        words >> what >> width >> height;
        if (what == "open") {
            std::string title;
            std::getline(words >> std::ws, title);
            open({width, height}, title);
        } else if (what == "picture") {
            show({width, height});
        }
    }

    /// Tells what the reader has done. False if the window is to be closed.
    bool tell_events() {
        if (!window_) {
            return true;
        }
        for (const Event& event : window_->events()) {
            const bool is_escape = event.kind == Event::Kind::key && event.key == '\x1b';
            if (event.kind == Event::Kind::close || is_escape) {
                return false;
            }
            if (event.kind == Event::Kind::resize) {
                size_ = {event.x, event.y};
            }
            tell(in_words(event));
        }
        return true;
    }

    /// Shows the last picture again now and then, since another window may have lain over it.
    void show_again() {
        if (picture_ && std::chrono::steady_clock::now() - shown_at_ > 200ms) {
            window_->show(*picture_);
            shown_at_ = std::chrono::steady_clock::now();
        }
    }

  private:
    /// A program that comes later is told how large the window is by now.
    void open(Size size, const std::string& title) {
        if (window_) {
            tell("resize " + std::to_string(size_.width) + " " + std::to_string(size_.height));
        } else {
            window_.emplace(title, size.width, size.height);
            size_ = size;
        }
    }

    void show(Size size) {
        Picture picture(size.width, size.height);
        std::ifstream file(folder_ + "/picture", std::ios::binary);
        file.read(reinterpret_cast<char*>(picture.row(0)),
                  static_cast<std::streamsize>(picture.rgba().size()));
        tell("shown");  // the program may make the next one while this one is shown
        picture_ = std::move(picture);
        window_->show(*picture_);
        shown_at_ = std::chrono::steady_clock::now();
    }

    std::string folder_;
    std::optional<Window> window_;
    Size size_ = {0, 0};
    std::optional<Picture> picture_;
    std::chrono::steady_clock::time_point shown_at_;
};

void run(const std::string& folder) {
    if (!have_display()) {
        throw NoDisplay();
    }
    Lines lines;
    Host host(folder);
    while (host.tell_events()) {
        const std::deque<std::string> taken = lines.take();
        for (const std::string& line : taken) {
            host.take(line);
        }
        if (taken.empty()) {
            std::this_thread::sleep_for(2ms);
        }
        host.show_again();
    }
    tell("close");
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 2) {
            throw InputError("./workbook watch runs this program, and gives it a folder");
        }
        run(argv[1]);
        return 0;
    } catch (...) {
        return tell_failure("workbook_window");
    }
}
