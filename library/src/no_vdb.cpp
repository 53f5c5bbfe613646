// Stands in for vdb.cpp where there was no libopenvdb.
#include "library/src/backend.hpp"
#include "library/src/vdb.hpp"
#include "stable_fluids.h"

namespace box {

void check_vdb() {
    throw Failure(
        STABLE_FLUIDS_INVALID,
        "this library was built without OpenVDB: build it where libopenvdb and its headers "
        "are installed, or use stable_fluids_save_vti()");
}

void write_vdb(const workbook::OutputFile& /*output*/, std::array<int, 3> /*n*/, double /*spacing*/,
               const std::vector<workbook::VtiField>& /*fields*/) {
    check_vdb();
}

}  // namespace box
