// What can go wrong before anything is launched, in one line each. No CUDA in here: so it can be
// tested on a machine that has none of it.
#include <cstdio>
#include <string>

#include "cuda/device_fluid.hpp"

namespace device {

namespace {

constexpr int arrays = 11;  // four fields now and before, pressure, divergence and a spare one
constexpr int largest_N = 1290;  // more cells than that an int cannot count

std::string in_gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
    return text;
}

}  // namespace

double bytes_needed(int N) {
    return arrays * sizeof(float) * (1.0 * N) * N * N;
}

std::string why_not_size(int N) {
    if (N < 3) {
        return "N is " + std::to_string(N) + ", and must be at least 3: two of it are walls";
    }
    if (N > largest_N) {
        return "N is " + std::to_string(N) + ", and must be at most " + std::to_string(largest_N);
    }
    return "";
}

std::string why_not_memory(int N, double free_bytes) {
    if (bytes_needed(N) <= free_bytes) {
        return "";
    }
    return "out of device memory: N = " + std::to_string(N) + " needs " +
           in_gigabytes(bytes_needed(N)) + ", and " + in_gigabytes(free_bytes) + " are free";
}

}  // namespace device
