#include "common/app/description.hpp"

#include <stdexcept>

namespace workbook {

double Description::parameter(const std::string& parameter_name) const {
    for (const Parameter& one : parameters) {
        if (one.name == parameter_name) {
            return number_in(one);
        }
    }
    throw std::logic_error("there is no parameter " + parameter_name);
}

}  // namespace workbook
