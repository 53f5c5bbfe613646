// 23_cuda's fluid in the memory of a GPU, for whoever is compiled without knowing CUDA. Where
// the toolkit was missing at configure time the same functions are there, and say so
// (no_toolkit.cpp).
//
// Compiled for compute capabilities 7.5, 8.0 and 9.0; not run on a GPU yet.
#pragma once

#include <memory>
#include <string>

#include "common/gpu/driver.hpp"

namespace device {

/// Why no GPU can be used, in one line; nothing if one can.
std::string why_not();

/// The GPU's name and size, in a few words; nothing if there is none.
std::string name();

/// The steps from the simplest kernel to the last, as relax_1_cell.cu to relax_4_march.cu have
/// them.
enum class Kernels { CELL, COLOUR, TILE, MARCH };

constexpr int floats_in_line = 32;  ///< 128 bytes: what a warp reads at once, if aligned
constexpr int march_width = 32;  ///< of the tile that marches, its rim included
constexpr int tile_size[] = {16, 8, 8};  ///< of relax_3_tile.cu, its rim included
constexpr int rim = 2;  ///< of both: a cell for each half of a sweep, on each side

/// What steers a step: the numbers of solver.hpp's Fluid, and how it is done.
struct Settings {
    float diff = 0.0001f;
    float visc = 0.0001f;
    int iterations = 4;
    bool diffuse_velocity = true;
    bool advect_velocity = true;
    bool project_velocity = true;
    Kernels kernels = Kernels::MARCH;  ///< which of them relax
    bool graph = true;  ///< step 5: replay the step from a graph, or launch kernel after kernel

    bool operator==(const Settings&) const = default;
};

/// Milliseconds that the parts of a step took on the GPU.
struct Timings {
    float relax = 0.0f;
    float advect = 0.0f;
    float divergence = 0.0f;
    float gradient = 0.0f;
    float copy = 0.0f;

    float step() const { return relax + advect + divergence + gradient + copy; }
};

/// A cube of N x N x N cells, walls included, in the GPU's memory.
class DeviceFluid {
  public:
    /// Throws an Error if N is out of range, if there is no GPU, or if it has too little memory.
    explicit DeviceFluid(int N);
    ~DeviceFluid();
    DeviceFluid(DeviceFluid&&) noexcept;
    DeviceFluid& operator=(DeviceFluid&&) noexcept;

    int N() const;

    /// Copies whole fields, walls included, there and back. A null pointer: not that one.
    void upload(const float* density, const float* u, const float* v, const float* w);
    /// A download goes through memory that the system keeps in place, so the GPU writes it itself.
    void download(float* density, float* u, float* v, float* w, float* pressure = nullptr);

    /// Lets `dt` seconds pass. It returns before the GPU is done; download() and wait() wait for
    /// it.
    void step(const Settings& settings, float dt);
    void wait();

    /// A step like any other, but kernel after kernel, with a look at the clock after each.
    Timings timed_step(const Settings& settings, float dt);

    /// Milliseconds for x = k x + b over a field with its padding: the most that memory allows, if
    /// two fields are more than the GPU's cache can hold.
    float timed_scale(int repeats);

    /// How many layers a marching block writes.
    int depth() const;

  private:
    struct Inside;
    std::unique_ptr<Inside> inside;
};

// ---- In words ----------------------------------------------------------------------------------

/// Floats from one row of a field to the next on the device: N, rounded up to whole lines of
/// memory.
int row_on_device(int N);

/// How many layers each block of relax_4_march.cu should write, for a GPU that runs so many blocks
/// at once. A block takes as long as the layers that it loads, four more than it writes. Thin slabs
/// load more; thick ones leave multiprocessors without a block.
int march_depth(int N, int blocks_at_once);

/// Bytes that a sweep asks memory for, for each cell that it writes, if what a block has read once
/// need not be read again by the same block.
double bytes_a_cell(Kernels kernels, int depth);

/// Bytes of device memory that a cube of N x N x N cells takes.
double bytes_needed(int N);

/// What is wrong with that N, or nothing.
std::string why_not_size(int N);

/// What is wrong when so many bytes are needed and so many are free, or nothing.
std::string why_not_memory(int N, double free_bytes);

}  // namespace device
