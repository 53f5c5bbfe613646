// The table behind --numbers: what the texts print beside what this chapter computes.
#include "solver.hpp"

#include <string>

#include "common/app/numbers.hpp"
#include "common/app/program.hpp"

using namespace workbook;

bool numbers(const Program& window) {
    const Fluid fluid(16);
    const float dt = 1.0f / 60.0f;

    Numbers numbers("06_flow: the tutorial's numbers beside ours");
    const std::string river = "Skupnik, The river flows";
    const std::string love = "Skupnik, Spread the love";
    numbers.setting("velocity_diffuse_rate, retuned", 0.01, fluid.velocity_diffuse_rate, love);
    numbers.setting("velocity_diffuse_iterations", 20, fluid.velocity_diffuse_iterations, love);
    numbers.setting("velocity_add_scale, retuned", 0.2,
                    window.description.parameter("velocity_add_scale"), river);
    numbers.setting("velocity_fade_rate, retuned", 0.02, fluid.velocity_fade_rate, river);
    numbers.checked("a of the velocity, at rate 0.001", 0.0042667, dt * 0.001f * 16 * 16, 1e-7,
                    "0.001 * 256 / 60");
    numbers.checked("a of the velocity, at rate 0.01", 0.0426667,
                    dt * fluid.velocity_diffuse_rate * 16 * 16, 1e-7, "0.01 * 256 / 60");
    return numbers.print();
}
