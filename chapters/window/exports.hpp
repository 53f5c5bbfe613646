// Fields of a fluid as files for other programs, of the last step or of each.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/vdb.hpp"
#include "common/io/vti.hpp"
#include "window/measures.hpp"
#include "window/window.hpp"

/// Fields at the cells' centres, each under a name. They must stay where they are.
template <class Field>
using NamedFields = std::vector<std::pair<std::string, const Field*>>;

/// These fields, and the velocity at the centres of the cells, as files have them. As everywhere
/// here, y points down.
template <class Fluid, class Field>
std::vector<workbook::VtiField> exported(const Fluid& fluid, const NamedFields<Field>& fields) {
    std::vector<workbook::VtiField> found;
    for (const auto& named : fields) {
        const Field* field = named.second;
        found.push_back({named.first, 1, [field](int, int i, int j, int k) {
                             return static_cast<float>((*field)(i, j, k));
                         }});
    }
    found.push_back({"velocity", 3, [&fluid](int axis, int i, int j, int k) {
                         const auto velocity = velocity_of_cell(fluid, i, j, k);
                         const double parts[3] = {velocity.x, velocity.y, velocity.z};
                         return static_cast<float>(parts[axis]);
                     }});
    return found;
}

/// Adds the flags --vti, for ParaView, and --vdb, for Blender.
template <class Fluid, class Field>
void add_exports(Window<Fluid>& window, const NamedFields<Field>& fields) {
    const Fluid& fluid = window.fluid;
    const auto add = [&window](const char* flag, const char* meaning, const auto& write) {
        window.program.description.outputs.push_back({flag, meaning, write, {}, true});
    };
    add("--vti", "write its fields for ParaView (#### in the name: each step's)",
        [&fluid, fields](const workbook::OutputFile& file) {
            workbook::save_vti(file, std::array<int, 3>{fluid.nx, fluid.ny, fluid.nz}, 0.0, fluid.h,
                               exported(fluid, fields));
        });
    add("--vdb", "likewise for Blender, as OpenVDB",
        [&fluid, fields](const workbook::OutputFile& file) {
            workbook::save_vdb(file, {fluid.nx, fluid.ny, fluid.nz}, fluid.h,
                               exported(fluid, fields));
        });
}
