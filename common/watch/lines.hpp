// What another process tells this one, line by line. A thread waits for it, so nobody else must.
#pragma once

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace workbook {

/// The lines that come in on standard input. When it ends, whoever started this process is gone:
/// then it ends as well, whatever it is doing.
class Lines {
  public:
    Lines() {
        std::thread([waiting = waiting_] {
            std::string text;
            while (read_more(text)) {
                const std::lock_guard lock(waiting->mutex);
                std::size_t end = text.find('\n');
                while (end != std::string::npos) {
                    waiting->lines.push_back(text.substr(0, end));
                    text.erase(0, end + 1);
                    end = text.find('\n');
                }
            }
            std::_Exit(0);
        }).detach();
    }

    /// Those that have come in since the last call, oldest first.
    std::deque<std::string> take() {
        const std::lock_guard lock(waiting_->mutex);
        return std::exchange(waiting_->lines, {});
    }

  private:
    struct Waiting {
        std::mutex mutex;
        std::deque<std::string> lines;
    };

    /// Waits for more of the input, and appends it. False at its end. It does not wait in std::cin:
    /// a program that ends would wait for the thread that does (glibc 2.41).
    static bool read_more(std::string& text) {
        std::array<char, 4096> bytes;
#ifdef _WIN32
        const int count = _read(0, bytes.data(), static_cast<unsigned>(bytes.size()));
#else
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
#endif
        if (count <= 0) {
            return false;
        }
        text.append(bytes.data(), static_cast<std::size_t>(count));
        return true;
    }

    std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();  // the thread outlives this
};

}  // namespace workbook
