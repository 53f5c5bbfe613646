#include "common/app/help_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/io/output.hpp"

namespace workbook {
namespace {

std::string json(const std::string& text) {
    std::string quoted = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            quoted += '\\';
            quoted += letter;
        } else if (static_cast<unsigned char>(letter) < 0x20) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
            quoted += code;
        } else {
            quoted += letter;
        }
    }
    return quoted + "\"";
}

std::string json(bool is_true) {
    return is_true ? "true" : "false";
}

/// Of a number for which JSON has no digits: null.
template <class Number>
std::string json(Number number) {
    if constexpr (std::is_integral_v<Number>) {
        return std::to_string(number);
    } else {
        return std::isfinite(number) ? few_digits(number) : "null";
    }
}

std::string list_of(const std::vector<std::string>& values, const std::string& between) {
    std::string list;
    for (const std::string& value : values) {
        list += (list.empty() ? "" : between) + value;
    }
    return "[" + list + "]";
}

/// A JSON object that grows.
class Object {
  public:
    template <class Value>
    void add(const std::string& name, const Value& value) {
        add_json(name, json(value));
    }

    void add_json(const std::string& name, const std::string& value) {
        members_ += (members_.empty() ? "" : between_) + json(name) + ": " + value;
    }

    /// Objects, a line each.
    void add_lines(const std::string& name, const std::vector<std::string>& objects) {
        add_json(name, list_of(objects, ",\n  "));
    }

    /// Each member begins a line.
    void use_lines() { between_ = ",\n "; }

    std::string text() const { return "{" + members_ + "}"; }

  private:
    std::string members_;
    std::string between_ = ", ";
};

/// The facts of the flag of that name, which must be there.
const FlagFacts& facts_of(const std::vector<FlagFacts>& flags, const std::string& name) {
    return *std::find_if(flags.begin(), flags.end(),
                         [&](const FlagFacts& flag) { return flag.name == name; });
}

/// What a flag takes. `usual` is the name of what it is without being given.
void add_values(Object& object, const FlagFacts& flag, const std::string& usual) {
    if (!flag.kind.empty()) {
        object.add("kind", flag.kind);
    }
    std::visit(
        [&](const auto& value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                object.add(usual, value);
            }
        },
        flag.usual);
    if (flag.range) {
        object.add("minimum", flag.range->least);
        object.add("maximum", flag.range->most);
    }
    if (flag.range && !flag.range->least_included) {
        object.add("minimum_included", false);
    }
    if (!flag.choices.empty()) {
        std::vector<std::string> names;
        for (const std::string& choice : flag.choices) {
            names.push_back(json(choice));
        }
        object.add_json("choices", list_of(names, ", "));
    }
}

/// Says of what belongs to an earlier chapter that it does.
void add_origin(Object& object, bool from_earlier) {
    if (from_earlier) {
        object.add("from_earlier", true);
    }
}

/// A name and a description, as scenes and keys have them.
std::string named(const std::string& name, const std::string& meaning) {
    Object object;
    object.add("name", name);
    object.add("description", meaning);
    return object.text();
}

std::vector<std::string> flags_as_json(const std::vector<FlagFacts>& flags) {
    std::vector<std::string> objects;
    for (const FlagFacts& flag : flags) {
        Object object;
        object.add("name", flag.name);
        add_values(object, flag, "default");
        add_origin(object, flag.from_earlier);
        object.add("description", flag.meaning);
        objects.push_back(object.text());
    }
    return objects;
}

std::vector<std::string> parameters_as_json(const Program& program,
                                            const std::vector<FlagFacts>& flags) {
    std::vector<std::string> objects;
    for (const Parameter& parameter : program.description.parameters) {
        Object object;
        object.add("name", parameter.name);
        object.add("flag", flag_of(parameter));
        add_values(object, facts_of(flags, flag_of(parameter)), "value");
        add_origin(object, parameter.from_earlier);
        object.add("description", parameter.meaning);
        objects.push_back(object.text());
    }
    return objects;
}

std::vector<std::string> scenes_as_json(const Program& program,
                                        const std::vector<FlagFacts>& flags) {
    std::vector<std::string> objects;
    for (const std::string& name : facts_of(flags, "--scene").choices) {
        objects.push_back(named(name, meaning_of_scene(program.description, name)));
    }
    return objects;
}

std::vector<std::string> fields_as_json(const Program& program) {
    std::vector<std::string> objects;
    for (const ShownField& field : program.description.fields) {
        Object object;
        object.add("name", field.name);
        if (!field.unit.empty()) {
            object.add("unit", field.unit);
        }
        objects.push_back(object.text());
    }
    return objects;
}

std::vector<std::string> keys_as_json(const Program& program) {
    std::vector<std::string> objects;
    for (const Key& key : program.description.keys) {
        objects.push_back(named(std::string(1, key.key), key.meaning));
    }
    return objects;
}

std::string name_of(Shape shape) {
    switch (shape) {
        case Shape::square:
            return "square";
        case Shape::cube:
            return "cube";
        case Shape::box:
            break;
    }
    return "box";
}

}  // namespace

std::string description_of(const Program& program, const ChapterFlags& chapter) {
    const std::vector<FlagFacts> flags = flag_facts(chapter);
    Object object;
    object.use_lines();
    object.add("name", program.description.name);
    object.add("title", program.description.title);
    object.add("shape", name_of(program.simulation.shape));
    object.add_lines("flags", flags_as_json(flags));
    object.add_lines("parameters", parameters_as_json(program, flags));
    object.add_lines("scenes", scenes_as_json(program, flags));
    object.add_lines("fields", fields_as_json(program));
    object.add_lines("keys", keys_as_json(program));
    return object.text();
}

}  // namespace workbook
