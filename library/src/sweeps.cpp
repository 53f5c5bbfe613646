#include "library/src/sweeps.hpp"

#include <algorithm>
#include <cmath>

namespace box {

namespace {

constexpr int most_sweeps = 2000;

}  // namespace

SweepPlan plan_sweeps(int axes, float centre, float a, float tolerance) {
    const double around = 2.0 * axes * static_cast<double>(a);
    const double jacobi = around / (static_cast<double>(centre) + around);  // its slowest mode
    const double best = 2.0 / (1.0 + std::sqrt((1.0 - jacobi) * (1.0 + jacobi)));
    SweepPlan plan = {};
    plan.omega = std::min(1.9986, best);
    plan.measures = tolerance > 0.0f;
    plan.wanted = plan.measures ? static_cast<double>(tolerance) : 1e-4;
    const double shrinks = std::clamp(plan.omega - 1.0, 1e-6, 0.9999);
    const double enough = 2.0 + std::log(plan.wanted) / std::log(shrinks);
    plan.first = static_cast<int>(std::min<double>(most_sweeps, enough));
    plan.more = std::max(1, plan.first / 4);
    return plan;
}

Solved sweep_by(const SweepPlan& plan, double before, const std::function<double(int)>& sweep) {
    Solved solved;
    if (plan.measures && !(before > 0.0)) {  // x is the solution
        return solved;
    }
    int sweeps = plan.first;
    while (solved.work < most_sweeps) {
        const double left = sweep(sweeps);
        solved.work += sweeps;
        if (!plan.measures) {
            return solved;
        }
        const bool stuck = solved.work > plan.first && !(left / before < 0.9 * solved.residual);
        solved.residual = left / before;
        if (solved.residual <= plan.wanted || stuck) {
            return solved;
        }
        sweeps = plan.more;
    }
    return solved;
}

int parts_to_relax(const Extent& over, const bool joined[3], Extent parts[8]) {
    parts[0] = over;
    int count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const int last = range_of(over, axis).last;
        if (joined[axis] && last > 0 && last % 2 == 0) {
            for (int n = 0; n < count; ++n) {
                parts[count + n] = parts[n];
                range_of(parts[count + n], axis) = {last, last};
                range_of(parts[n], axis) = {0, last - 1};
            }
            count *= 2;
        }
    }
    return count;
}

}  // namespace box
