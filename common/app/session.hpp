// A run without a window: how it begins, the scenes that it plays, and the files that it leaves.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/app/description.hpp"
#include "common/app/flags.hpp"
#include "common/draw/picture.hpp"
#include "common/io/shape.hpp"

namespace workbook {

struct Program;

/// What a scene has done to a parameter, or to what is shown.
struct SceneChange {
    double before, after;
};

/// What is known of the run, besides the fluid's own state.
struct Session {
    bool has_window = false;
    bool paused = false;
    bool long_numbers = false;  ///< --long: the table has what takes longer, too
    bool panel_in_files = false;
    std::string frames = {};  ///< the folder for a picture of every step; "": none
    std::vector<std::string> outputs = {};  ///< the names of the description's further outputs
    std::string replayed = "none";  ///< the scene that R begins with
    std::string scene = {};  ///< the one that is shown; "": the run goes on from a state file
    Box first_box = {16, 16, 1};  ///< the grid, and the time step, that the run began with
    double first_dt = 1.0 / 60.0;
    std::map<std::size_t, SceneChange> changes = {};  ///< of parameters, by their numbers
    std::optional<SceneChange> field_change = {};  ///< of the number of the field that is shown
    std::optional<SceneChange> arrows_change = {};  ///< of whether arrows are shown
    std::string own_keys = {};  ///< those keys of the chapter alone that were pressed so far
    std::vector<std::string> given = {};  ///< the names of the parameters that flags have set

    /// Returns whether the parameter of that name was set by its flag; or the size of the grid
    /// ("n", "nx", "ny" or "nz"), or "dt".
    bool was_given(const std::string& parameter_name) const;
};

/// Brings the fluid into the state that the flags ask for, and checks that results can be written.
/// From then on each step leaves its picture, if there is a folder for them.
void prepare(Program& program, const Flags& flags);

/// Begins with an empty grid of that size, and the parameters as they are now.
void begin_again(Program& program, Box size);

/// Puts a saved state into the fluid, as --load does at the start, but in the scene that there is:
/// what goes on in it goes on. Throws InputError as --load does.
void load(Program& program, const std::string& path);

/// Saves the state, as --save does at the end. Throws InputError as that does.
void save(const Program& program, const std::string& path);

/// Begins again with the present grid and parameters, and the scene that there was.
void replay(Program& program);

/// Begins that scene anew, with the grid and the time step that the run began with. What the scene
/// before it has done to parameters is undone, unless the reader has changed them since.
void begin_scene(Program& program, const std::string& scene);

/// The scenes that can be chosen in a window: the chapter's own where there are several, else
/// those that all chapters have, too. A chapter may want these in any case.
std::vector<std::string> scenes_to_choose(const Description& description);

/// The size of a picture: of a still, or of what a window shows when nobody has pulled at it.
Size natural_size(const Program& program, bool still);

/// Writes the picture of the present step into the folder for them, if there is one.
void write_frame(const Program& program);

/// Writes the picture that the key S asks for, and says so.
void save_picture(Program& program);

/// Writes all that is asked for at the end, or nothing.
void write_results(const Program& program, const Flags& flags);

}  // namespace workbook
