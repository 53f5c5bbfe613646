// What can go wrong before anything is launched, in one line each. No CUDA in here: so it can be
// tested on a machine that has none of it.
#include <cstdio>
#include <limits>
#include <string>

#include "cuda/device_fluid.hpp"

namespace device {

namespace {

constexpr int arrays = 11;  // four fields now and before, pressure, divergence and a spare one
constexpr int largest_N = 1280;  // with padded rows more cells than that an int cannot count

std::string in_gigabytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
    return text;
}

}  // namespace

int row_on_device(int N) {
    return (N + floats_in_line - 1) / floats_in_line * floats_in_line;
}

double bytes_needed(int N) {
    return arrays * sizeof(float) * (1.0 * row_on_device(N) * N * N + floats_in_line);
}

int march_depth(int N, int blocks_at_once) {
    const int cells = N - 2;
    const int tiles = (cells - 1) / (march_width - 2 * rim) + 1;
    int best = cells;
    int shortest = std::numeric_limits<int>::max();
    for (int slabs = 1; slabs <= cells; ++slabs) {
        const int depth = (cells - 1) / slabs + 1;
        const int blocks = tiles * tiles * ((cells - 1) / depth + 1);
        const int rounds = (blocks - 1) / blocks_at_once + 1;
        const int layers = rounds * (depth + 2 * rim);
        if (layers < shortest) {
            shortest = layers;
            best = depth;
        }
    }
    return best;
}

double bytes_a_cell(Kernels kernels, int depth) {
    const double written = 1.0;
    if (kernels == Kernels::CELL || kernels == Kernels::COLOUR) {
        return sizeof(float) * 2 * (1.0 + 1.0 + written);  // x and x0, for red and for black
    }
    const bool marches = kernels == Kernels::MARCH;
    const int width = marches ? march_width : tile_size[0];
    const int height = marches ? march_width : tile_size[1];
    const int layers = marches ? depth + 2 * rim : tile_size[2];
    const auto cells = [&](int without) {  // of the block, without so many on each side
        return 1.0 * (width - 2 * without) * (height - 2 * without) * (layers - 2 * without);
    };
    return sizeof(float) * (cells(0) / cells(rim) + cells(1) / cells(rim) + written);
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
