// What a chapter's program has, as data: names, and where its numbers are.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/app/parameter.hpp"
#include "common/draw/cells.hpp"
#include "common/io/state.hpp"

namespace workbook {

/// A number for the line of text.
struct Readout {
    std::string name;
    std::function<double()> value;
    bool shown = true;
    std::function<bool()> applies = {};  ///< whether it means something now; without this, always
};

/// A key of this chapter alone.
struct Key {
    char key;
    std::string meaning;
    std::function<void()> press;
    std::function<bool()> applies = {};  ///< whether it does something now; without this, always
};

/// A scene of this chapter alone.
struct OwnScene {
    std::string name;
    std::string meaning;
    std::function<void()> play;
};

/// A further file that the chapter can write at the end.
struct FurtherOutput {
    std::string flag;  ///< with its dashes
    std::string meaning;
    std::function<void(const OutputFile&)> write;
    /// Throws InputError, before the first step, if the file's name will not do; empty: any will.
    std::function<void(const std::string& path)> check = {};
    bool has_frames = false;  ///< `#` in its name stand for a step's number: each step has a file
};

/// A file that the chapter can begin with.
struct FurtherInput {
    std::string flag;  ///< with its dashes
    std::string meaning;
    /// Is called before the first scene. Throws InputError for a bad file.
    std::function<void(const std::string& path)> read;
};

/// A file that belongs to each state file, and is saved and loaded with it.
struct StateCompanion {
    std::string ending;  ///< what its name has more than that of the state file
    std::function<void(const OutputFile&)> write;
    std::function<void(const std::string& path)> read;  ///< throws InputError for a bad file
};

/// What the program is called, what the reader sees of it and changes in it, and its files.
struct Description {
    std::string name;  ///< the chapter's folder
    std::string title;
    std::vector<Parameter> parameters = {};
    std::vector<ShownField> fields = {};  ///< one at least
    std::vector<Readout> readouts = {};
    std::vector<Key> keys = {};
    std::vector<OwnScene> scenes = {};
    bool offers_all_scenes = false;  ///< a window offers those of all chapters beside several own
    std::vector<StateColumn> state = {};
    std::vector<StateCompanion> companions = {};
    std::vector<FurtherOutput> outputs = {};
    std::vector<FurtherInput> inputs = {};
    int* threads = nullptr;  ///< set by --threads, if there is something to set

    /// Adds parameters of earlier chapters, behind those of this one.
    void add_from_earlier(std::vector<Parameter> earlier);

    /// Returns the value of the parameter of that name, which must be there.
    double parameter(const std::string& parameter_name) const;
};

/// What a scene is, in words. A chapter's own goes before one of that name that all chapters have.
std::string meaning_of_scene(const Description& description, const std::string& name);

}  // namespace workbook
