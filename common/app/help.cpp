#include "common/app/help.hpp"

#include <algorithm>
#include <cctype>

#include "common/app/description.hpp"
#include "common/app/look.hpp"

namespace workbook {

std::vector<std::string> help_lines(const Description& description, const Look& look) {
    std::vector<std::string> lines = {"left drag   dye and velocity", "right drag  velocity only"};
    if (look.wheel) {
        lines.push_back("wheel  " + look.wheel_meaning);
    }
    if (look.turn) {
        lines.push_back("middle drag  turn (or Alt and left drag)");
    }
    const std::vector<std::string> keys = {"Space  pause or go on",
                                           ".      one step",
                                           "R      begin again",
                                           "V      arrows on or off",
                                           "F      next field",
                                           "Tab    next parameter",
                                           "+ -    change it (or drag its slider)"};
    lines.insert(lines.end(), keys.begin(), keys.end());
    const auto is_earlier = [](const Parameter& parameter) { return parameter.from_earlier; };
    if (std::any_of(description.parameters.begin(), description.parameters.end(), is_earlier)) {
        lines.push_back("J      parameters from earlier chapters, shown or not");
    }
    lines.push_back("S      save a picture");
    lines.push_back("H      this help");
    lines.push_back("Esc    quit");
    for (const Key& key : description.keys) {
        lines.push_back(std::string(1, static_cast<char>(std::toupper(key.key))) + "      " +
                        key.meaning);
    }
    return lines;
}

}  // namespace workbook
