#include "library/src/vdb.hpp"

#include <openvdb/openvdb.h>

#include <string>

#include "library/src/backend.hpp"
#include "stable_fluids.h"

namespace box {
namespace {

/// Fills a grid with the cells that are not 0, and says where they lie: cell (0, 0, 0) has its
/// corner at the origin. `value(i, j, k)` returns what a cell holds.
template <class Grid, class Value>
typename Grid::Ptr grid_of(const std::string& name, std::array<int, 3> n, double spacing,
                           const Value& value) {
    const typename Grid::ValueType zero(0.0f);
    const typename Grid::Ptr grid = Grid::create(zero);
    grid->setName(name);
    const openvdb::math::Transform::Ptr transform =
        openvdb::math::Transform::createLinearTransform(spacing);
    transform->postTranslate(openvdb::Vec3d(0.5 * spacing));
    grid->setTransform(transform);
    typename Grid::Accessor cells = grid->getAccessor();
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                const typename Grid::ValueType here = value(i, j, k);
                if (here != zero) {
                    cells.setValue(openvdb::Coord(i, j, k), here);
                }
            }
        }
    }
    return grid;
}

}  // namespace

void check_vdb() {}

void write_vdb(const workbook::OutputFile& output, std::array<int, 3> n, double spacing,
               const std::vector<workbook::VtiField>& fields) {
    try {
        openvdb::initialize();
        openvdb::GridPtrVec grids;
        for (const workbook::VtiField& field : fields) {
            if (field.components == 1) {
                const auto grid = grid_of<openvdb::FloatGrid>(
                    field.name, n, spacing,
                    [&](int i, int j, int k) { return field.value(0, i, j, k); });
                grid->setGridClass(openvdb::GRID_FOG_VOLUME);
                grids.push_back(grid);
            } else {
                grids.push_back(
                    grid_of<openvdb::Vec3SGrid>(field.name, n, spacing, [&](int i, int j, int k) {
                        return openvdb::Vec3s(field.value(0, i, j, k), field.value(1, i, j, k),
                                              field.value(2, i, j, k));
                    }));
            }
        }
        openvdb::io::File file(output.temporary().string());
        file.write(grids);
        file.close();
    } catch (const openvdb::Exception& error) {
        throw Failure(STABLE_FLUIDS_INVALID, output.write_error(error.what()).what());
    }
}

}  // namespace box
