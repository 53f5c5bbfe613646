// The surface between negative and positive numbers on a grid, as a mesh for Blender and other
// programs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/io/output.hpp"

namespace workbook {

/// A surface of quadrilaterals. Seen from outside, the corners of each run counter-clockwise.
struct SurfaceMesh {
    std::vector<std::array<float, 3>> places;
    std::vector<std::array<std::uint32_t, 4>> faces;  ///< numbers of places, from 0 on
};

/// Returns the surface where phi is 0, by surface nets (Gibson 1998). phi has nx x ny x nz points,
/// x fastest, 1 apart, in the middles of the cells of a box that begins at (0, 0, 0). Between eight
/// neighbouring points of which some are negative lies one place, the mean of the crossings on
/// their twelve edges. Around each edge that the surface crosses there is a face. The mesh is
/// closed: where what is inside touches the box, the box is its surface. Throws
/// std::invalid_argument if there is not one number for each point.
SurfaceMesh surface_net(int nx, int ny, int nz, const std::vector<float>& phi);

/// Throws InputError, which names the flag, unless the path ends in .obj or .ply.
void check_mesh_ending(const std::string& what, const std::string& path);

/// Writes a mesh as Wavefront OBJ, or as binary PLY if the file's name ends so. x goes to the
/// right, y down and z away in `mesh`, from a corner of a box that is `height` high. In an OBJ file
/// y goes up and z towards the viewer, and in a PLY file z goes up, as Blender expects. Lengths are
/// multiplied by `scale` first. Throws InputError if the file cannot be written whole. The caller
/// commits.
void save_mesh(const OutputFile& output, const SurfaceMesh& mesh, float height, float scale);

}  // namespace workbook
