/* What a fluid of an older version does, and what it did then: a whirl in a box of 64 x 48 x 1 or
 * 20 x 16 x 12 cells. It is compiled with the header as it was then. */
#pragma once

#include "old_program.h"

/* What the library of that version said of it. */
typedef struct {
    int nz, advection, splitting;
    double kinetic_energy, largest_speed;
} told_then;

static float whirl(int component, int i, int j, int n) {
    const float x = (float)(i + (component == 0 ? 0 : 1)) / (float)n;
    const float y = (float)(j + (component == 0 ? 1 : 0)) / (float)n;
    const float shape = x * (1.0f - x) * y * (0.75f - y);
    return component == 0 ? shape * (y - 0.3f) : shape * (0.4f - x);
}

/* Whether a number is the one of then, to what floats that are added up in any order say. */
static int is(double now, double before) {
    return now > before * (1.0 - 1e-6) && now < before * (1.0 + 1e-6);
}

static int flows_as_then(const told_then* then_told) {
    const int n = then_told->nz == 1 ? 64 : 20;
    static float values[65 * 49 * 12];
    stable_fluids_description description;
    stable_fluids_statistics statistics;
    stable_fluids* fluid = NULL;
    int component, i, j, k, same;
    stable_fluids_describe(&description);
    description.nx = n;
    description.ny = n / 4 * 3;
    description.nz = then_told->nz;
    description.h = 1.0f / (float)n;
    description.advection = then_told->advection;
#if STABLE_FLUIDS_VERSION_MINOR >= 2
    description.splitting = then_told->splitting;
#endif
    description.viscosity = 1e-6f;
    description.backend = STABLE_FLUIDS_HOST;
    if (stable_fluids_create(&description, &fluid) != STABLE_FLUIDS_OK) {
        return 0;
    }
    for (component = 0; component < 2; ++component) {
        int shape[3];
        size_t count = 0;
        stable_fluids_shape(fluid, component, shape);
        for (k = 0; k < shape[2]; ++k) {
            for (j = 0; j < shape[1]; ++j) {
                for (i = 0; i < shape[0]; ++i) {
                    values[count++] = 50.0f * whirl(component, i, j, n);
                }
            }
        }
        stable_fluids_set(fluid, component, values, count);
    }
    stable_fluids_step(fluid, 0.5f / (float)n, 40);
    statistics.size = sizeof statistics;
    stable_fluids_statistics_of(fluid, &statistics);
    same = is(statistics.kinetic_energy, then_told->kinetic_energy) &&
           is(statistics.largest_speed, then_told->largest_speed);
    if (!same) {
        printf("    {%d, %d, %d, %.9g, %.9g},\n", then_told->nz, then_told->advection,
               then_told->splitting, statistics.kinetic_energy, statistics.largest_speed);
    }
    stable_fluids_destroy(fluid);
    return same;
}

/* Compares `count` of them. */
static void check_flows(const told_then* all, int count) {
    int n;
    for (n = 0; n < count; ++n) {
        CHECK(flows_as_then(&all[n]));
    }
}
