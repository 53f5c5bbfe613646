// What can be said of a GPU that cannot be used, for whoever is compiled without knowing CUDA.
#pragma once

#include <stdexcept>
#include <string>

namespace device {

/// Thrown when something cannot be done, with one line that says what and why.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Returns why the installed driver cannot be used, in one line; nothing if it can. The versions
/// are as CUDA numbers them (12040 is 12.4; 0: none), `error` is what CUDA says when it cannot
/// count the devices.
std::string why_not_driver(int driver, int runtime, int devices, const std::string& error = "");

}  // namespace device
