// How water sloshes in a box: its period, and how fast that dies out.
// These are templates, so that a later chapter can use them with its own Fluid.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

/// How water sloshes: the time from one crest to the next, and the share of the first amplitude
/// that is left in the end.
struct Sloshing {
    double period, kept;
};

/// Lets water slosh for so many periods, and measures where its centre of mass goes, from right to
/// left and back. The period is that between the first and the last time when it passes the middle
/// of the box, and the amplitudes are those of the first half period and of the last one.
template <class Fluid>
Sloshing slosh(Fluid& fluid, int periods, double dt) {
    const auto off_middle = [&] {
        double sum = 0.0;
        for (const auto& particle : fluid.particles) {
            sum += particle.place.x - 0.5 * fluid.h * fluid.nx;
        }
        return sum / static_cast<double>(fluid.particles.size());
    };
    double last = off_middle(), most = std::abs(last), time = 0.0;
    std::vector<double> passed, amplitudes;
    while (static_cast<int>(passed.size()) <= 2 * periods && time < 1e4 * dt) {
        step(fluid, dt);
        time += dt;
        const double now = off_middle();
        most = std::max(most, std::abs(now));
        if ((now < 0.0) != (last < 0.0)) {
            passed.push_back(time - dt * now / (now - last));
            amplitudes.push_back(most);
            most = 0.0;
        }
        last = now;
    }
    if (static_cast<int>(passed.size()) <= 2 * periods) {
        return {0.0, 0.0};  // it does not slosh
    }
    return {(passed.back() - passed.front()) / periods, amplitudes.back() / amplitudes.front()};
}
