#include "common/app/simulation.hpp"

#include "common/draw/words.hpp"
#include "common/io/output.hpp"
#include "common/memory.hpp"

namespace workbook {

void Simulation::begin(Box size) {
    if (reset_box) {
        reset_box(size);
    } else {
        reset(size.nx);
    }
    box = size;
    step_count = 0;
    after_reset();
}

void Simulation::advance() {
    before_step();
    step(dt);
    ++step_count;
    after_step(dt);
}

void Simulation::check(Box size) const {
    const std::string reason = refuse(size);
    if (!reason.empty()) {
        throw InputError(reason);
    }
    const Box all = cells_of(shape, size);
    const double cells = 1.0 * all.nx * all.ny * all.nz;
    const double needed = bytes ? bytes(size) : cells * arrays * sizeof(float);
    const double present = physical_memory();
    if (present > 0.0 && needed > present) {
        const std::string grid =
            shape == Shape::box ? words_of(shape, size) : "--n " + std::to_string(size.nx);
        throw InputError(grid + " takes " + short_number(needed / 1e9) +
                         " GB of memory, this machine has " + short_number(present / 1e9) +
                         " GB: choose a smaller " + (shape == Shape::box ? "grid" : "N"));
    }
}

}  // namespace workbook
