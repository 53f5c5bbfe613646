// No CUDA in here: so it can be tested on a machine that has none of it.
#include "common/gpu/driver.hpp"

#include <string>

namespace device {

namespace {

std::string version(int number) {
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

std::string why_not_driver(int driver, int runtime, int devices, const std::string& error) {
    if (driver == 0) {
        return "no NVIDIA driver is installed";
    }
    if (driver / 1000 < runtime / 1000) {  // within a major version they get along
        return "the NVIDIA driver is too old: it is made for CUDA " + version(driver) +
               ", and this program for " + version(runtime);
    }
    if (!error.empty()) {
        return "the GPU cannot be used: " + error;
    }
    return devices == 0 ? "there is no NVIDIA GPU" : "";
}

}  // namespace device
