// How much light reaches each cell of a volume.
#include <algorithm>
#include <cmath>

#include "common/draw/raymarch_grid.hpp"

namespace workbook {

/// The share of the light that reaches a place.
float LitVolume::Grid::transmittance(Place3 from, Place3 towards) const {
    float depth = 0.0f;
    march(from, towards, [&](Place3, const Corner& around, float length) {
        depth += length * interpolate(blocking, around);
        return depth < opaque;
    });
    return std::exp(-depth);
}

/// The steps that the rays to the light make, all one cell long.
std::vector<LightStep> LitVolume::Grid::light_steps(Place3 towards) const {
    std::vector<LightStep> steps;
    for (int n = 0; n <= nx + ny + nz; ++n) {
        const Place3 middle = on_ray({0.0f, 0.0f, 0.0f}, static_cast<float>(n) + 0.5f, towards);
        const float i = std::floor(middle.x);
        const float j = std::floor(middle.y);
        const float k = std::floor(middle.z);
        LightStep step;
        step.first = static_cast<std::ptrdiff_t>(i) +
                     static_cast<std::ptrdiff_t>(j) * static_cast<std::ptrdiff_t>(row) +
                     static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(layer);
        for (std::size_t corner = 0; corner < 8; ++corner) {
            step.weights[corner] = (corner & 1 ? middle.x - i : 1.0f - middle.x + i) *
                                   (corner & 2 ? middle.y - j : 1.0f - middle.y + j) *
                                   (corner & 4 ? middle.z - k : 1.0f - middle.z + k);
        }
        steps.push_back(step);
    }
    return steps;
}

/// The share of the light that reaches the centres of a row of cells. The row makes each step
/// together, since no ray needs to find its eight cells then; a last, shorter step leads each ray
/// to the box's face.
std::vector<float> LitVolume::Grid::light_in_row(int j, int k, Place3 towards,
                                                 const std::vector<LightStep>& steps) const {
    const auto length_from = [&](int i) {
        return part_in_box(centre(i, j, k), towards, sides()).last;
    };
    const auto count = static_cast<std::size_t>(nx);
    std::vector<float> depths(count);
    int begin = 0;  // the cells from whose centres the step still lies in the box
    int end = nx;
    for (std::size_t n = 0; n < steps.size(); ++n) {
        const float needed = static_cast<float>(n + 1);
        while (begin < end && length_from(begin) < needed) {
            ++begin;
        }
        while (begin < end && length_from(end - 1) < needed) {
            --end;
        }
        if (begin == end) {
            break;
        }
        const std::array<float, 8>& w = steps[n].weights;
        const float* const a = blocking.data() + index(0, j, k) + steps[n].first;
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            const float* const b = a + i;
            depths[static_cast<std::size_t>(i)] +=
                w[0] * b[0] + w[1] * b[1] + w[2] * b[row] + w[3] * b[row + 1] + w[4] * b[layer] +
                w[5] * b[layer + 1] + w[6] * b[layer + row] + w[7] * b[layer + row + 1];
        }
    }
    for (int i = 0; i < nx; ++i) {
        const float length = length_from(i);
        const float whole = std::floor(length);
        const Place3 last = on_ray(centre(i, j, k), 0.5f * (whole + length), towards);
        float& depth = depths[static_cast<std::size_t>(i)];
        depth = std::exp(-depth - (length - whole) * interpolate(blocking, corner(last)));
    }
    return depths;
}

LitVolume::LitVolume(const Volume& volume, const Light& light, parallel::ThreadPool& pool)
    : light_(light) {
    light_.towards = direction_of_light(light.towards, volume);
    const auto grid = std::make_shared<Grid>(volume, light);
    grid_ = grid;
    if (!volume.reached.empty()) {
        return;
    }
    const std::vector<LightStep> steps = grid->light_steps(light_.towards);
    parallel::parallel_for(pool, grid->nz * grid->ny, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            const int j = row % grid->ny;
            const int k = row / grid->ny;
            if (!grid->has_smoke(j, k)) {
                continue;
            }
            const std::vector<float> reaches = grid->light_in_row(j, k, light_.towards, steps);
            for (int i = 0; i < grid->nx; ++i) {
                Grid::Sample& sample = grid->samples[grid->index(i, j, k)];
                Cell cell = cell_of(volume, volume.index(i, j, k), grid->thinnest());
                cell.reached = reaches[static_cast<std::size_t>(i)];
                sample = Grid::lit_sample(cell, light_);
            }
        }
    });
    if (grid->nx > 0) {
        grid->fill_rim(grid->samples);
    }
}

Place3 LitVolume::sides() const {
    return grid_->sides();
}

std::vector<float> light_reaching(const Volume& volume, Place3 towards,
                                  parallel::ThreadPool& pool) {
    const Place3 direction = direction_of_light(towards, volume);
    const LitVolume::Grid grid(volume, Light{});
    const std::vector<LightStep> steps = grid.light_steps(direction);
    std::vector<float> reaching(volume.count());
    parallel::parallel_for(pool, grid.nz * grid.ny, pool.threads(), [&](int begin, int end) {
        for (int row = begin; row < end; ++row) {
            const int j = row % grid.ny;
            const int k = row / grid.ny;
            const std::vector<float> found = grid.light_in_row(j, k, direction, steps);
            std::copy(found.begin(), found.end(),
                      reaching.begin() + static_cast<std::ptrdiff_t>(volume.index(0, j, k)));
        }
    });
    return reaching;
}

}  // namespace workbook
