// Stands in for device.cu where there was no CUDA toolkit to compile it.
#include "library/src/backend.hpp"
#include "stable_fluids.h"

namespace box {

std::string why_no_device() {
    return "this library was built without CUDA: build it where the CUDA toolkit is installed, or "
           "ask "
           "for STABLE_FLUIDS_HOST";
}

std::unique_ptr<Backend> make_device() {
    throw Failure(STABLE_FLUIDS_NO_DEVICE, why_no_device());
}

}  // namespace box
