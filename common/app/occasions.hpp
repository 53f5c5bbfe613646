// Occasions on which a program does something: lists of functions, to which anybody may add.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace workbook {

/// Functions that are all called, in the order in which they were added.
template <class... Arguments>
class Actions {
  public:
    void add(std::function<void(Arguments...)> action) { actions_.push_back(std::move(action)); }

    void operator()(Arguments... arguments) const {
        for (const auto& action : actions_) {
            action(arguments...);
        }
    }

  private:
    std::vector<std::function<void(Arguments...)>> actions_;
};

/// Functions that may take something over, and return whether they have: the one that was added
/// last is asked first, and once one has taken it the others are not asked.
template <class... Arguments>
class Takers {
  public:
    void add(std::function<bool(Arguments...)> taker) { takers_.push_back(std::move(taker)); }

    bool operator()(Arguments... arguments) const {
        for (auto taker = takers_.rbegin(); taker != takers_.rend(); ++taker) {
            if ((*taker)(arguments...)) {
                return true;
            }
        }
        return false;
    }

  private:
    std::vector<std::function<bool(Arguments...)>> takers_;
};

/// Functions that return a reason why something will not do, or other words; or "". The first words
/// that are not "" are given; the functions behind them are not called.
template <class... Arguments>
class Reasons {
  public:
    void add(std::function<std::string(Arguments...)> reason) {
        reasons_.push_back(std::move(reason));
    }

    std::string operator()(Arguments... arguments) const {
        for (const auto& reason : reasons_) {
            std::string words = reason(arguments...);
            if (!words.empty()) {
                return words;
            }
        }
        return "";
    }

  private:
    std::vector<std::function<std::string(Arguments...)>> reasons_;
};

}  // namespace workbook
