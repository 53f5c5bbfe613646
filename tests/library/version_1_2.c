/* A program of version 1.2: compiled with the header as it was then (version_1_2/), and run with
 * the library as it is now. It must not notice. */
#include <stable_fluids.h>
#include <stdio.h>
#include <string.h>

#if STABLE_FLUIDS_VERSION_MINOR != 2
#error "this is not the header of version 1.2"
#endif

#define CHECK(good)                                           \
    do {                                                      \
        if (!(good)) {                                        \
            printf("FAILED: line %d: %s\n", __LINE__, #good); \
            ++problems;                                       \
        }                                                     \
    } while (0)

enum { NX = 12, NY = 10 };

/* What the library of version 1.2 said of a whirl in a box, with 64 x 48 x 1 cells carried by
 * MacCormack's method, and with 20 x 16 x 12 cells carried linearly. */
typedef struct {
    int nz, advection, splitting;
    double kinetic_energy, largest_speed;
} told_then;

static const told_then then[] = {{1, 1, 0, 0.0171853272, 0.36053744},
                                 {1, 1, 1, 0.017229994, 0.361045212},
                                 {1, 0, 0, 0.0165805666, 0.354592025},
                                 {12, 0, 0, 0.0068724954, 0.304705709},
                                 {12, 0, 1, 0.00700560433, 0.30755055}};

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
    description.splitting = then_told->splitting;
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

int main(void) {
    /* What a newer library must leave alone lies right behind what this program knows. */
    struct {
        stable_fluids_description description;
        unsigned char behind[256];
    } memory;
    stable_fluids_description* description = &memory.description;
    stable_fluids_scalar scalar;
    stable_fluids_view_of_field view;
    struct {
        stable_fluids_statistics statistics;
        unsigned char behind[256];
    } told;
    stable_fluids* fluid = NULL;
    float values[NX * NY];
    int problems = 0;
    int n;

    memset(&memory, 0xA5, sizeof memory);
    stable_fluids_describe(description);
    for (n = 0; n < 256; ++n) {
        CHECK(memory.behind[n] == 0xA5);
    }
    CHECK(description->size == sizeof *description);
    CHECK(description->buoyancy_direction[1] == -1.0f && description->confinement == 0.0f);
    CHECK(description->nx == 64 && description->cycles == 50 && description->scalars == NULL);
    CHECK(stable_fluids_version() / 10000 == STABLE_FLUIDS_VERSION_MAJOR);

    stable_fluids_describe_scalar(&scalar);
    scalar.initial = 1.0f;
    description->nx = NX;
    description->ny = NY;
    description->scalars = &scalar;
    description->scalar_count = 1;
    description->backend = STABLE_FLUIDS_HOST;
    CHECK(stable_fluids_create(description, &fluid) == STABLE_FLUIDS_OK);
    if (fluid == NULL) {
        printf("FAILED: %s\n", stable_fluids_error(NULL));
        return 1;
    }
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
    view.size = sizeof view;
    CHECK(stable_fluids_view(fluid, STABLE_FLUIDS_U, &view) == STABLE_FLUIDS_OK);
    CHECK(view.shape[0] == NX + 1 && view.data[0] == 0.0f);
    stable_fluids_destroy(fluid);

    for (n = 0; n < (int)(sizeof then / sizeof *then); ++n) {
        CHECK(flows_as_then(&then[n]));
    }

    /* A size that no version has is still refused. */
    description->size -= 4;
    CHECK(stable_fluids_create(description, &fluid) == STABLE_FLUIDS_INVALID);
    printf("version 1.2 with library %d: %d problems\n", (int)stable_fluids_version(), problems);
    return problems == 0 ? 0 : 1;
}
