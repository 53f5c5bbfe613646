#include "common/io/vdb.hpp"

#include <openvdb/openvdb.h>
#include <openvdb/tools/Dense.h>

#include <cmath>
#include <string>

namespace workbook {
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
    using Dense = openvdb::tools::Dense<typename Grid::ValueType, openvdb::tools::LayoutXYZ>;
    Dense all(
        openvdb::CoordBBox(openvdb::Coord(0, 0, 0), openvdb::Coord(n[0] - 1, n[1] - 1, n[2] - 1)));
    typename Grid::ValueType* cell = all.data();
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                *cell = value(i, j, k);
                ++cell;
            }
        }
    }
    openvdb::tools::copyFromDense(all, *grid, zero);
    return grid;
}

/// A field's value, which must be finite.
float finite(const OutputFile& output, const VtiField& field, int component, int i, int j, int k) {
    const float value = field.value(component, i, j, k);
    if (!std::isfinite(value)) {
        throw output.write_error(field.name + " holds a number that is not finite");
    }
    return value;
}

}  // namespace

bool have_vdb() {
    return true;
}

void save_vdb(const OutputFile& output, std::array<int, 3> n, double spacing,
              const std::vector<VtiField>& fields) {
    try {
        openvdb::initialize();
        openvdb::GridPtrVec grids;
        for (const VtiField& field : fields) {
            if (field.components == 1) {
                const auto grid = grid_of<openvdb::FloatGrid>(
                    field.name, n, spacing,
                    [&](int i, int j, int k) { return finite(output, field, 0, i, j, k); });
                grid->setGridClass(openvdb::GRID_FOG_VOLUME);
                grids.push_back(grid);
            } else {
                grids.push_back(
                    grid_of<openvdb::Vec3SGrid>(field.name, n, spacing, [&](int i, int j, int k) {
                        return openvdb::Vec3s(finite(output, field, 0, i, j, k),
                                              finite(output, field, 1, i, j, k),
                                              finite(output, field, 2, i, j, k));
                    }));
            }
        }
        openvdb::io::File file(output.temporary().string());
        file.write(grids);
        file.close();
    } catch (const openvdb::Exception& error) {
        throw output.write_error(error.what());
    }
}

}  // namespace workbook
