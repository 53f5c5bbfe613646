// Stands in for vdb.cpp where there was no libopenvdb.
#include "common/io/vdb.hpp"

namespace workbook {

bool have_vdb() {
    return false;
}

void save_vdb(const OutputFile& output, std::array<int, 3> /*n*/, double /*spacing*/,
              const std::vector<VtiField>& /*fields*/) {
    throw output.write_error(
        "built without OpenVDB; install libopenvdb-dev and libboost-dev, and build again");
}

}  // namespace workbook
