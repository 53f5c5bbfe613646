#include "common/app/description.hpp"

#include <stdexcept>
#include <utility>

#include "common/app/scene.hpp"

namespace workbook {

void Description::add_from_earlier(std::vector<Parameter> earlier) {
    for (Parameter& parameter : earlier) {
        parameter.from_earlier = true;
        parameters.push_back(std::move(parameter));
    }
}

double Description::parameter(const std::string& parameter_name) const {
    for (const Parameter& one : parameters) {
        if (one.name == parameter_name) {
            return number_in(one);
        }
    }
    throw std::logic_error("there is no parameter " + parameter_name);
}

std::string meaning_of_scene(const Description& description, const std::string& name) {
    for (const OwnScene& scene : description.scenes) {
        if (scene.name == name) {
            return scene.meaning;
        }
    }
    return scene_named(name).meaning;
}

}  // namespace workbook
