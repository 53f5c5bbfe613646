/* Water runs through a channel from left to right. A nozzle in it adds dye, and blows up and down
 * in turn. After ten seconds the dye is written as a picture.
 *
 * usage: channel [PICTURE.pgm]      (channel.pgm unless told otherwise)
 *
 * With the library installed:  cc -std=c99 channel.c $(pkg-config --cflags --libs stable_fluids)
 */
#include <stable_fluids.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 192, NY = 64, STEPS = 600 };

static const float seconds_a_step = 1.0f / 60.0f;

/* Every function of the library returns a status. This one says what went wrong, and where. */
static int failed(stable_fluids_status status, const stable_fluids* fluid, const char* doing) {
    if (status == STABLE_FLUIDS_OK) {
        return 0;
    }
    fprintf(stderr, "channel: %s: %s\n", doing, stable_fluids_error(fluid));
    return 1;
}

/* The nozzle: a block of cells near the left end, halfway up. Sets `value` there, and 0 elsewhere,
 * in an array whose rows have `width` elements. */
static void fill_nozzle(float* values, int width, int height, float value) {
    int i, j;
    for (j = 0; j < height; ++j) {
        for (i = 0; i < width; ++i) {
            const int inside = i >= 12 && i < 18 && j >= 29 && j < 35;
            values[j * width + i] = inside ? value : 0.0f;
        }
    }
}

/* Writes dye from 0 to 1 as a grey picture, dark where there is much. It gets its name
 * only when it is complete, so that no program ever reads half of it. */
static int write_picture(const char* name, const float* dye) {
    char partial[1024];
    unsigned char row[NX];
    FILE* file;
    int i, j, good;

    if (snprintf(partial, sizeof partial, "%s.part", name) >= (int)sizeof partial) {
        fprintf(stderr, "channel: the picture's name is too long: use at most 1000 characters\n");
        return 1;
    }
    file = fopen(partial, "wb");
    if (file == NULL) {
        fprintf(stderr, "channel: cannot write %s: is the folder there, and may you write to it?\n",
                partial);
        return 1;
    }
    good = fprintf(file, "P5\n%d %d\n255\n", (int)NX, (int)NY) > 0;
    for (j = 0; j < NY && good; ++j) {
        for (i = 0; i < NX; ++i) {
            float value = dye[j * NX + i];
            value = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
            row[i] = (unsigned char)(255.0f * (1.0f - value) + 0.5f);
        }
        good = fwrite(row, 1, NX, file) == NX;
    }
    good = fclose(file) == 0 && good; /* a full disk may show only here */
#ifdef _WIN32
    if (good) {
        remove(name); /* there, rename() does not replace a file */
    }
#endif
    if (!good || rename(partial, name) != 0) {
        remove(partial);
        fprintf(stderr, "channel: cannot write %s: is the disk full?\n", name);
        return 1;
    }
    return 0;
}

/* Does all the steps, and writes the picture. The caller destroys the fluid, even after an error.
 */
static int run(stable_fluids* fluid, const char* picture) {
    static float dye[NX * NY];
    static float force[NX * (NY + 1)]; /* enough for faces of either kind */
    stable_fluids_statistics statistics;
    int step;

    /* The nozzle adds dye all the time. Sources act in each step until they are changed. */
    fill_nozzle(dye, NX, NY, 2.0f);
    if (failed(stable_fluids_set(fluid, STABLE_FLUIDS_SOURCE(0), dye, NX * NY), fluid,
               "the source")) {
        return 1;
    }
    for (step = 0; step < STEPS; ++step) {
        /* It blows up and down in turn. y points down. */
        if (step % 60 == 0) {
            fill_nozzle(force, NX, NY + 1, step % 120 == 0 ? -4.0f : 4.0f);
            if (failed(stable_fluids_set(fluid, STABLE_FLUIDS_FORCE_Y, force, NX * (NY + 1)), fluid,
                       "the nozzle")) {
                return 1;
            }
        }
        if (failed(stable_fluids_step(fluid, seconds_a_step, 1), fluid, "a step")) {
            return 1;
        }
        /* A game would draw now. stable_fluids_view() gives access to a field without a copy. */
    }

    /* `size` says which version of the struct this program was compiled with. */
    memset(&statistics, 0, sizeof statistics);
    statistics.size = (uint32_t)sizeof statistics;
    if (failed(stable_fluids_statistics_of(fluid, &statistics), fluid, "the statistics") ||
        failed(stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(0), dye, NX * NY), fluid,
               "the dye") ||
        write_picture(picture, dye)) {
        return 1;
    }
    printf(
        "%s: %ld steps, %.1f s, fastest %.2f m/s, largest divergence %.1e 1/s, %d V-cycles, on the "
        "%s\n",
        picture, (long)statistics.steps, statistics.time, statistics.largest_speed,
        statistics.largest_divergence, (int)statistics.pressure_cycles,
        statistics.backend == STABLE_FLUIDS_CUDA ? "GPU" : "host");
    return 0;
}

int main(int argc, char** argv) {
    stable_fluids_description description;
    stable_fluids_scalar dye;
    stable_fluids* fluid = NULL;
    int status;

    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: channel [PICTURE.pgm]\n");
        return 2;
    }

    /* One scalar that spreads a little and fades a little. */
    stable_fluids_describe_scalar(&dye);
    dye.diffusion = 1e-5f;
    dye.dissipation = 0.05f;

    /* A channel, 3 m long and 1 m high: water comes in at the left with 0.3 m/s and leaves at the
     * right. Top and bottom are walls, as every face is at first. */
    stable_fluids_describe(&description);
    description.nx = NX;
    description.ny = NY;
    description.h = 1.0f / (float)NY;
    description.viscosity = 1e-4f;
    description.advection = STABLE_FLUIDS_MACCORMACK;
    description.faces[STABLE_FLUIDS_LEFT].flow = STABLE_FLUIDS_INFLOW;
    description.faces[STABLE_FLUIDS_LEFT].u = 0.3f;
    description.faces[STABLE_FLUIDS_RIGHT].flow = STABLE_FLUIDS_OUTFLOW;
    description.scalar_count = 1;
    description.scalars = &dye;

    /* If it fails there is no handle, so a null pointer asks for this thread's last error. */
    if (failed(stable_fluids_create(&description, &fluid), NULL, "the fluid")) {
        return EXIT_FAILURE;
    }
    status = run(fluid, argc == 2 ? argv[1] : "channel.pgm");
    stable_fluids_destroy(fluid);
    return status == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
