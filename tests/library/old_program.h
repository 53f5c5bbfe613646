/* What a program of an older version does, whichever it is. It is compiled with the header as it
 * was then, and run with the library as it is now. It must not notice. */
#pragma once

#include <stable_fluids.h>
#include <stdio.h>
#include <string.h>

#define CHECK(good)                                           \
    do {                                                      \
        if (!(good)) {                                        \
            printf("FAILED: line %d: %s\n", __LINE__, #good); \
            ++problems;                                       \
        }                                                     \
    } while (0)

enum { NX = 12, NY = 10 };

static int problems = 0;

/* Describes a fluid, makes it, lets it rest for two steps, reads it, and makes a mistake. */
static void use_the_library(void) {
    /* What a newer library must leave alone lies right behind what this program knows. */
    struct {
        stable_fluids_description description;
        unsigned char behind[256];
    } memory;
    struct {
        stable_fluids_statistics statistics;
        unsigned char behind[256];
    } told;
    stable_fluids_description* description = &memory.description;
    stable_fluids_scalar scalars[2]; /* one behind the other, as long as they were then */
    stable_fluids_view_of_field view;
    stable_fluids* fluid = NULL;
    float values[NX * NY];
    int n;

    memset(&memory, 0xA5, sizeof memory);
    stable_fluids_describe(description);
    for (n = 0; n < 256; ++n) {
        CHECK(memory.behind[n] == 0xA5);
    }
    CHECK(description->size == sizeof *description);
    CHECK(description->nx == 64 && description->cycles == 50 && description->scalars == NULL);
    CHECK(stable_fluids_version() / 10000 == STABLE_FLUIDS_VERSION_MAJOR);

    memset(scalars, 0xA5, sizeof scalars);
    stable_fluids_describe_scalar(&scalars[0]);
    CHECK(((unsigned char*)&scalars[1])[0] == 0xA5);
    stable_fluids_describe_scalar(&scalars[1]);
    scalars[0].initial = 1.0f;
    scalars[1].initial = 2.0f;
    description->nx = NX;
    description->ny = NY;
    description->scalars = scalars;
    description->scalar_count = 2;
    description->backend = STABLE_FLUIDS_HOST;
    CHECK(stable_fluids_create(description, &fluid) == STABLE_FLUIDS_OK);
    if (fluid == NULL) {
        printf("FAILED: %s\n", stable_fluids_error(NULL));
        return;
    }
    /* Had it looked behind the description, the scalar would push. */
    CHECK(stable_fluids_step(fluid, 0.1f, 2) == STABLE_FLUIDS_OK);
    memset(&told, 0xA5, sizeof told);
    told.statistics.size = sizeof told.statistics;
    CHECK(stable_fluids_statistics_of(fluid, &told.statistics) == STABLE_FLUIDS_OK);
    CHECK(told.statistics.steps == 2 && told.statistics.kinetic_energy == 0.0);
    for (n = 0; n < 256; ++n) {
        CHECK(told.behind[n] == 0xA5);
    }
    CHECK(stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(0), values, NX * NY) == STABLE_FLUIDS_OK);
    CHECK(values[0] > 0.99f && values[0] < 1.01f);
    CHECK(stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(1), values, NX * NY) == STABLE_FLUIDS_OK);
    CHECK(values[7] > 1.99f && values[7] < 2.01f);
    view.size = sizeof view;
    CHECK(stable_fluids_view(fluid, STABLE_FLUIDS_U, &view) == STABLE_FLUIDS_OK);
    CHECK(view.shape[0] == NX + 1 && view.data[0] == 0.0f);
    stable_fluids_destroy(fluid);

    /* A size that no version has is still refused. */
    description->size -= 4;
    CHECK(stable_fluids_create(description, &fluid) == STABLE_FLUIDS_INVALID);
}

/* Returns the status of the program. */
static int report(void) {
    printf("version %d.%d with library %d: %d problems\n", STABLE_FLUIDS_VERSION_MAJOR,
           STABLE_FLUIDS_VERSION_MINOR, (int)stable_fluids_version(), problems);
    return problems == 0 ? 0 : 1;
}
