// The surface of the water as a mesh, for Blender.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "42_water/smooth_surface.hpp"
#include "common/io/output.hpp"
#include "common/io/surface_mesh.hpp"
#include "common/parallel.hpp"
#include "window/window.hpp"

/// Writes the smooth surface. Lengths are in the unit of fluid.h (metres in this chapter's scenes).
/// Throws InputError if there is no surface, or if the box is flat.
template <class Fluid>
void save_surface(const Fluid& fluid, parallel::ThreadPool& pool,
                  const workbook::OutputFile& output) {
    const std::string flag = "--save-surface";
    if (fluid.nz == 1 || !fluid.has_air) {
        throw workbook::InputError(flag +
                                   ": there is no surface in this box: take a scene with "
                                   "water, and a deep box, such as --nx 64 --ny 48 --nz 32");
    }
    const workbook::LevelSet surface = smooth_surface(fluid, pool);
    const auto is_finite = [](float phi) { return std::isfinite(phi); };
    if (!std::all_of(surface.phi.begin(), surface.phi.end(), is_finite)) {
        throw output.write_error("phi is a number that is not finite: the run has blown up");
    }
    const workbook::SurfaceMesh mesh =
        workbook::surface_net(surface.nx, surface.ny, surface.nz, surface.phi);
    const auto scale = static_cast<float>(fluid.h * fluid.nx / surface.nx);
    workbook::save_mesh(output, mesh, static_cast<float>(surface.ny), scale);
}

/// Adds the flag --save-surface.
template <class Fluid>
void add_save_surface(Window<Fluid>& window, parallel::ThreadPool& pool) {
    window.program.description.outputs.push_back(
        {"--save-surface", "write the surface of the water as a mesh, .obj or .ply",
         [&window, &pool](const workbook::OutputFile& output) {
             save_surface(window.fluid, pool, output);
         },
         [](const std::string& path) { workbook::check_mesh_ending("--save-surface", path); }});
}
