// The library's buoyancy and vorticity confinement beside those of 31_smoke, on the same fields.
// The library computes in float and the chapter in double, so they agree to rounding: the fields
// hold multiples of 1/8, which both hold exactly.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "catch.hpp"
#include "chapters/31_smoke/solver.hpp"
#include "library/src/solver.hpp"

namespace {

struct Box {
    int nx, ny, nz;
};

/// Sets it to multiples of 1/8 from -4 to 4 without any pattern.
void make_bumpy(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = (static_cast<double>(seed >> 26) - 32.0) / 8.0;
    }
}

stable_fluids_description described(const Box& box, double h) {
    stable_fluids_description d;
    stable_fluids_describe(&d);
    d.nx = box.nx;
    d.ny = box.ny;
    d.nz = box.nz;
    d.h = static_cast<float>(h);
    return d;
}

/// Writes a field of the chapter's to the library's solver.
void copy(const Field& from, box::Solver& to, int field) {
    const std::vector<float> values(from.values.begin(), from.values.end());
    to.write(field, values.data());
}

void copy_velocity(const Fluid& from, box::Solver& to) {
    copy(from.u, to, STABLE_FLUIDS_U);
    copy(from.v, to, STABLE_FLUIDS_V);
    if (from.nz > 1) {
        copy(from.w, to, STABLE_FLUIDS_W);
    }
}

/// Checks that both have the same velocity, and that it has changed from what it was `before`.
void check_velocity(const Fluid& expected, const Fluid& before, box::Solver& solver,
                    bool only_v = false) {
    const Field* fields[] = {&expected.u, &expected.v, &expected.w};
    const Field* olds[] = {&before.u, &before.v, &before.w};
    for (int axis = 0; axis < (expected.nz > 1 ? 3 : 2); ++axis) {
        const Field& truth = *fields[axis];
        std::vector<float> found(truth.values.size());
        solver.read(STABLE_FLUIDS_U + axis, found.data());
        double apart = 0.0, change = 0.0;
        for (std::size_t at = 0; at < found.size(); ++at) {
            apart = std::max(apart, std::abs(static_cast<double>(found[at]) - truth.values[at]));
            change = std::max(change, std::abs(truth.values[at] - olds[axis]->values[at]));
        }
        INFO("component " << axis << " has changed by " << change);
        CHECK(apart <= 4e-6);  // of some 8, of which a float holds 5e-7
        CHECK((change > 0.1) == (axis == 1 || !only_v));
    }
}

const Box boxes[] = {{7, 6, 1}, {16, 9, 1}, {6, 5, 4}, {5, 7, 6}};

/// A closed box in which everything is set, at rest at its walls.
Fluid bumpy_fluid(const Box& size, double h) {
    Fluid fluid(size.nx, size.ny, size.nz);
    fluid.h = h;
    make_bumpy(fluid.u, 1);
    make_bumpy(fluid.v, 2);
    if (size.nz > 1) {
        make_bumpy(fluid.w, 3);
    }
    make_bumpy(fluid.temperature, 4);
    make_bumpy(fluid.smoke, 5);
    set_bnd(fluid);
    return fluid;
}

}  // namespace

TEST_CASE("buoyancy is 31_smoke's", "[forces_of_smoke]") {
    for (const Box& size : boxes) {
        for (const bool open : {false, true}) {
            Fluid fluid = bumpy_fluid(size, 0.25);
            fluid.alpha = 1.5;
            fluid.beta = 0.75;
            stable_fluids_description d = described(size, 0.25);
            if (open) {
                fluid.sides[2].opening = Opening::OUTFLOW;
                d.faces[STABLE_FLUIDS_TOP].flow = STABLE_FLUIDS_OUTFLOW;
            }
            std::vector<stable_fluids_scalar> scalars(2);
            for (stable_fluids_scalar& scalar : scalars) {
                stable_fluids_describe_scalar(&scalar);
            }
            const stable_fluids_buoyancy buoyancy[] = {{0.75f, 0.0f}, {-1.5f, 0.0f}};
            d.scalars = scalars.data();
            d.scalar_count = 2;
            d.buoyancy = buoyancy;
            box::Solver solver(d, box::make_host(2));
            copy_velocity(fluid, solver);
            copy(fluid.temperature, solver, STABLE_FLUIDS_SCALAR(0));
            copy(fluid.smoke, solver, STABLE_FLUIDS_SCALAR(1));
            const Fluid before = fluid;
            solver.add_forces(0.5f);
            add_buoyancy(fluid, 0.5);
            INFO(size.nx << " x " << size.ny << " x " << size.nz << ", open " << open);
            check_velocity(fluid, before, solver, true);
        }
    }
}

TEST_CASE("confinement is 31_smoke's", "[forces_of_smoke]") {
    for (const Box& size : boxes) {
        for (const double h : {0.25, 2.0}) {
            Fluid fluid = bumpy_fluid(size, h);
            fluid.epsilon = 0.5;
            stable_fluids_description d = described(size, h);
            d.confinement = 0.5f;
            box::Solver solver(d, box::make_host(2));
            copy_velocity(fluid, solver);
            const Fluid before = fluid;
            solver.add_forces(0.5f);
            add_confinement(fluid, 0.5);
            set_bnd(fluid);
            INFO(size.nx << " x " << size.ny << " x " << size.nz << ", h " << h);
            check_velocity(fluid, before, solver);
        }
    }
}
