// Stands in for the device code where there was no CUDA toolkit to compile it.
#include "cuda/device_fluid.hpp"

namespace device {

struct DeviceFluid::Inside {};

std::string why_not() {
    return "built without the CUDA toolkit";
}

std::string name() {
    return "";
}

DeviceFluid::DeviceFluid(int N) {
    throw Error(why_not_size(N).empty() ? why_not() : why_not_size(N));
}

DeviceFluid::~DeviceFluid() = default;
DeviceFluid::DeviceFluid(DeviceFluid&&) noexcept = default;
DeviceFluid& DeviceFluid::operator=(DeviceFluid&&) noexcept = default;

// There is no DeviceFluid to call these.
int DeviceFluid::N() const {
    return 0;
}
void DeviceFluid::upload(const float*, const float*, const float*, const float*) {}
void DeviceFluid::download(float*, float*, float*, float*, float*) {}
void DeviceFluid::step(const Settings&, float) {}
void DeviceFluid::wait() {}
Timings DeviceFluid::timed_step(const Settings&, float) {
    return {};
}
int DeviceFluid::depth() const {
    return 0;
}
float DeviceFluid::timed_scale(int) {
    return 0.0f;
}

}  // namespace device
