// What another process tells this one, line by line. A thread waits for it, so nobody else must.
#pragma once

#include <cstdlib>
#include <deque>
#include <iostream>
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
            std::string line;
            while (std::getline(std::cin, line)) {
                const std::lock_guard lock(waiting->mutex);
                waiting->lines.push_back(line);
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
    std::shared_ptr<Waiting> waiting_ = std::make_shared<Waiting>();  // the thread outlives this
};

}  // namespace workbook
