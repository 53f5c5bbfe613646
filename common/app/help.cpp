#include "common/app/help.hpp"

#include <algorithm>
#include <cctype>

#include "common/app/description.hpp"
#include "common/app/look.hpp"

namespace workbook {

std::vector<std::string> help_lines(const Description& description, const Look& look) {
    const std::string left = look.drag_meaning(true);
    const std::string right = look.drag_meaning(false);
    std::vector<std::string> lines = {"left drag   " + (left.empty() ? "dye and velocity" : left),
                                      "right drag  " + (right.empty() ? "velocity only" : right)};
    if (look.wheel) {
        lines.push_back("wheel  " + look.wheel_meaning);
    }
    if (look.turn) {
        lines.push_back("middle drag  turn (or Alt and left drag)");
    }
    lines.push_back("Space  pause or go on");
    lines.push_back(".      one step");
    lines.push_back("R      begin again");
    if (look.velocity) {
        lines.push_back("V      arrows on or off");
    }
    if (description.fields.size() > 1) {
        lines.push_back("F      next field");
    }
    if (!description.parameters.empty()) {
        lines.push_back("Tab    next parameter");
        lines.push_back("+ -    change it (or drag its slider)");
    }
    const auto is_earlier = [](const Parameter& parameter) { return parameter.from_earlier; };
    if (std::any_of(description.parameters.begin(), description.parameters.end(), is_earlier)) {
        lines.push_back("J      parameters from earlier chapters, shown or not");
    }
    lines.push_back("S      save a picture");
    lines.push_back("H      this help");
    lines.push_back("Esc    quit");
    for (const Key& key : description.keys) {
        if (key.applies && !key.applies()) {
            continue;
        }
        lines.push_back(std::string(1, static_cast<char>(std::toupper(key.key))) + "      " +
                        key.meaning);
    }
    return lines;
}

}  // namespace workbook
