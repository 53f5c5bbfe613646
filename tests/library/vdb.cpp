// OpenVDB files that the library writes, read back by OpenVDB. Built where libopenvdb is installed.
#include <openvdb/openvdb.h>

#include <cstdio>
#include <string>
#include <vector>

#include "stable_fluids.h"

namespace {

int problems = 0;

void check(bool good, const std::string& what) {
    if (!good) {
        ++problems;
        std::printf("FAILED: %s\n", what.c_str());
    }
}

constexpr int nx = 7, ny = 5, nz = 4;
constexpr float h = 0.25f;

/// Cell (i, j, k) of an array of mx x my x ...
float at(const std::vector<float>& values, int mx, int my, int i, int j, int k) {
    return values[static_cast<std::size_t>(i + mx * (j + my * k))];
}

std::vector<float> read(stable_fluids* fluid, int field, int count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    check(stable_fluids_read(fluid, field, values.data(), values.size()) == STABLE_FLUIDS_OK,
          "read");
    return values;
}

}  // namespace

int main() {
    stable_fluids_scalar scalar;
    stable_fluids_describe_scalar(&scalar);
    stable_fluids_description d;
    stable_fluids_describe(&d);
    d.nx = nx;
    d.ny = ny;
    d.nz = nz;
    d.h = h;
    d.scalars = &scalar;
    d.scalar_count = 1;
    d.backend = STABLE_FLUIDS_HOST;
    stable_fluids* fluid = nullptr;
    if (stable_fluids_create(&d, &fluid) != STABLE_FLUIDS_OK) {
        std::printf("FAILED: %s\n", stable_fluids_error(nullptr));
        return 1;
    }
    std::vector<float> smoke(nx * ny * nz, 0.0f), force((nx + 1) * ny * nz, 0.0f);
    smoke[3 + nx * (2 + ny * 1)] = 2.5f;
    force[3 + (nx + 1) * (2 + ny * 2)] = 9.0f;
    stable_fluids_set(fluid, STABLE_FLUIDS_SCALAR(0), smoke.data(), smoke.size());
    stable_fluids_set(fluid, STABLE_FLUIDS_FORCE_X, force.data(), force.size());
    stable_fluids_step(fluid, 0.1f, 1);

    const char* path = "stable_fluids_test.vdb";
    check(stable_fluids_save_vdb(fluid, path, nullptr, 0) == STABLE_FLUIDS_OK,
          std::string("not saved: ") + stable_fluids_error(fluid));
    openvdb::initialize();
    openvdb::io::File file(path);
    file.open();
    const openvdb::GridPtrVecPtr grids = file.getGrids();
    std::string names;
    for (const openvdb::GridBase::Ptr& grid : *grids) {
        names += grid->getName() + " ";
    }
    check(names == "divergence pressure scalar_0 velocity vorticity ", "the grids are " + names);

    const auto density = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("scalar_0"));
    const auto velocity = openvdb::gridPtrCast<openvdb::Vec3SGrid>(file.readGrid("velocity"));
    file.close();
    const openvdb::Vec3d corner = density->indexToWorld(openvdb::Coord(0, 0, 0));
    check(corner == openvdb::Vec3d(0.125), "the first cell's centre is elsewhere");
    check(density->voxelSize() == openvdb::Vec3d(0.25), "cells of another width");
    const std::vector<float> now = read(fluid, STABLE_FLUIDS_SCALAR(0), nx * ny * nz);
    const std::vector<float> u = read(fluid, STABLE_FLUIDS_U, (nx + 1) * ny * nz);
    const std::vector<float> v = read(fluid, STABLE_FLUIDS_V, nx * (ny + 1) * nz);
    const std::vector<float> w = read(fluid, STABLE_FLUIDS_W, nx * ny * (nz + 1));
    openvdb::Index64 not_0 = 0;
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                const openvdb::Coord cell(i, j, k);
                const float here = at(now, nx, ny, i, j, k);
                not_0 += here != 0.0f ? 1 : 0;
                check(density->tree().getValue(cell) == here, "a cell of scalar_0");
                const openvdb::Vec3s means(
                    0.5f * (at(u, nx + 1, ny, i, j, k) + at(u, nx + 1, ny, i + 1, j, k)),
                    0.5f * (at(v, nx, ny + 1, i, j, k) + at(v, nx, ny + 1, i, j + 1, k)),
                    0.5f * (at(w, nx, ny, i, j, k) + at(w, nx, ny, i, j, k + 1)));
                check((velocity->tree().getValue(cell) - means).length() < 1e-6f,
                      "a cell of the velocity");
            }
        }
    }
    check(not_0 > 0 && density->activeVoxelCount() == not_0, "cells that are 0 take room");
    check(velocity->tree().getValue(openvdb::Coord(3, 2, 2)).x() > 0.1f, "nothing flows");
    std::remove(path);

    check(
        stable_fluids_save_vdb(fluid, "no/such/folder.vdb", nullptr, 0) == STABLE_FLUIDS_FILE_ERROR,
        "a file in a folder that is not there");
    check(std::string(stable_fluids_error(fluid)).find("cannot be written") != std::string::npos,
          stable_fluids_error(fluid));
    stable_fluids_destroy(fluid);
    std::printf("%d problems\n", problems);
    return problems == 0 ? 0 : 1;
}
