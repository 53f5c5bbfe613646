/* Calls each function of the library once. The reference in the browser edition shows each
 * paragraph below beside the function that its first comment names.
 *
 * usage: calls [FOLDER]      (writes calls.vti there; the current folder unless told otherwise)
 *
 * With the library installed:  cc -std=c99 calls.c $(pkg-config --cflags --libs stable_fluids)
 */
#include <stable_fluids.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 32, CELLS = NX * NY };

static float values[CELLS];
static int32_t labels[CELLS];
static float distance[(NX + 1) * (NY + 1)];

/* Ends the program with the library's line if a call has failed. */
static void must(stable_fluids_status status, const stable_fluids* fluid) {
    if (status != STABLE_FLUIDS_OK) {
        fprintf(stderr, "calls: %s\n", stable_fluids_error(fluid));
        exit(EXIT_FAILURE);
    }
}

/* What is done before there is a fluid. */
static stable_fluids* make_fluid(void) {
    stable_fluids_description description;
    stable_fluids_description another;
    stable_fluids_scalar heat;
    stable_fluids* fluid = NULL;

    /* stable_fluids_version(): is the library that runs older than the header? */
    if (stable_fluids_version() <
        10000 * STABLE_FLUIDS_VERSION_MAJOR + 100 * STABLE_FLUIDS_VERSION_MINOR) {
        fprintf(stderr,
                "calls: this library is too old: install the one that came with the header\n");
        exit(EXIT_FAILURE);
    }

    /* stable_fluids_describe(): a box 1.5 m long and 1 m high, through which air blows. */
    stable_fluids_describe(&description);
    description.nx = NX;
    description.ny = NY;
    description.h = 1.0f / NY;
    description.faces[STABLE_FLUIDS_LEFT].flow = STABLE_FLUIDS_INFLOW;
    description.faces[STABLE_FLUIDS_LEFT].u = 0.5f;
    description.faces[STABLE_FLUIDS_RIGHT].flow = STABLE_FLUIDS_OUTFLOW;

    /* stable_fluids_describe_sized(): the same for a program of versions 1.1 to 1.3. */
    stable_fluids_describe_sized(&another, sizeof another);

    /* stable_fluids_describe_sizes(): the same for a program that looks the function up by its
     * name. */
    stable_fluids_describe_sizes(&another, sizeof another, sizeof(stable_fluids_scalar),
                                 sizeof(stable_fluids_buoyancy));

    /* stable_fluids_describe_scalar_sized(): likewise, for a scalar. */
    stable_fluids_describe_scalar_sized(&heat, sizeof heat);

    /* stable_fluids_describe_scalar(): heat that fades, that begins at 20 degrees, and that the
     * pillar gives off, which is kept at 80. */
    stable_fluids_describe_scalar(&heat);
    heat.initial = 20.0f;
    heat.dissipation = 0.01f;
    heat.diffusion = 1e-4f;
    heat.solid.flow = STABLE_FLUIDS_FIXED_VALUE;
    heat.solid.value = 80.0f;
    description.scalar_count = 1;
    description.scalars = &heat;

    /* stable_fluids_why_no_cuda(): says why the processor computes. */
    if (stable_fluids_why_no_cuda()[0] != '\0') {
        printf("on the processor: %s\n", stable_fluids_why_no_cuda());
    }

    /* stable_fluids_error(): with a null pointer it is about a call that had no fluid. */
    another.h = -1.0f;
    if (stable_fluids_create(&another, &fluid) == STABLE_FLUIDS_INVALID) {
        printf("refused: %s\n", stable_fluids_error(NULL));
    }

    /* stable_fluids_create(): if it fails, `fluid` is a null pointer. */
    must(stable_fluids_create(&description, &fluid), NULL);

    return fluid;
}

/* What stands in the fluid, and what is in it at first. */
static void fill(stable_fluids* fluid) {
    int32_t shape[3];
    int i, j;

    /* stable_fluids_shape(): one column of faces more than there are cells. */
    must(stable_fluids_shape(fluid, STABLE_FLUIDS_U, shape), fluid);
    printf("u has %d x %d x %d faces\n", (int)shape[0], (int)shape[1], (int)shape[2]);

    /* stable_fluids_set_solid(): a square pillar, by the distance of each corner of a cell from its
     * surface. */
    for (j = 0; j <= NY; ++j) {
        for (i = 0; i <= NX; ++i) {
            const int across = abs(i - NX / 3), along = abs(j - NY / 2);
            distance[j * (NX + 1) + i] = (float)((across > along ? across : along) - 4) / NY;
        }
    }
    must(stable_fluids_set_solid(fluid, distance, sizeof distance / sizeof *distance), fluid);

    /* stable_fluids_set_bodies(): the pillar is number 0. One cell inside is enough to say so. */
    for (i = 0; i < CELLS; ++i) {
        labels[i] = i == NY / 2 * NX + NX / 3 ? 0 : -1;
    }
    must(stable_fluids_set_bodies(fluid, labels, CELLS), fluid);

    /* stable_fluids_set(): a hot lower half. */
    for (i = 0; i < CELLS; ++i) {
        values[i] = i >= CELLS / 2 ? 60.0f : 20.0f;
    }
    must(stable_fluids_set(fluid, STABLE_FLUIDS_SCALAR(0), values, CELLS), fluid);

    /* stable_fluids_fill(): heated by half a degree a second, everywhere. */
    must(stable_fluids_fill(fluid, STABLE_FLUIDS_SOURCE(0), 0.5f), fluid);

    /* stable_fluids_add(): five degrees more, everywhere. */
    for (i = 0; i < CELLS; ++i) {
        values[i] = 5.0f;
    }
    must(stable_fluids_add(fluid, STABLE_FLUIDS_SCALAR(0), values, CELLS), fluid);

    /* stable_fluids_set_from_device(): for values that a kernel has left on the GPU. On the
     * processor it refuses. */
    if (stable_fluids_set_from_device(fluid, STABLE_FLUIDS_SCALAR(0), values, CELLS, NULL) !=
        STABLE_FLUIDS_OK) {
        printf("not from a GPU: %s\n", stable_fluids_error(fluid));
    }
}

/* Two seconds of time, and what one can ask afterwards. */
static void run(stable_fluids* fluid) {
    const double middle[3] = {(double)(NX / 3) / NY, 0.5, 0.0};
    stable_fluids_statistics statistics;
    stable_fluids_forces forces;

    /* stable_fluids_step(): 120 steps of a sixtieth of a second. */
    must(stable_fluids_step(fluid, 1.0f / 60.0f, 120), fluid);

    /* stable_fluids_warning(): an empty text, or what the steps could not do as asked. */
    if (stable_fluids_warning(fluid)[0] != '\0') {
        fprintf(stderr, "calls: %s\n", stable_fluids_warning(fluid));
    }

    /* stable_fluids_wait(): for a GPU, which may still be computing. */
    must(stable_fluids_wait(fluid), fluid);

    /* stable_fluids_statistics_of(): how many cells the fastest fluid crosses in a step. */
    statistics.size = sizeof statistics;
    must(stable_fluids_statistics_of(fluid, &statistics), fluid);
    printf("in a step the flow crosses at most %.2f cells\n", (double)statistics.cfl);

    /* stable_fluids_forces_on(): how hard does the air push the pillar, and how hard does it turn
     * it about its middle? */
    forces.size = sizeof forces;
    must(stable_fluids_forces_on(fluid, 0, middle, &forces), fluid);
    printf("the drag is %.3f m3/s2, the torque %.4f m4/s2\n",
           forces.pressure[0] + forces.friction[0],
           forces.pressure_torque[2] + forces.friction_torque[2]);
}

/* Puts the fluid aside, and goes on from there. */
static void save_and_restore(stable_fluids* fluid) {
    size_t size;
    void* state;

    /* stable_fluids_time(): how long has it flowed? */
    printf("%.3f seconds have passed\n", stable_fluids_time(fluid));

    /* stable_fluids_state_size(): in bytes. */
    must(stable_fluids_state_size(fluid, &size), fluid);
    state = malloc(size);
    if (state == NULL) {
        fprintf(stderr, "calls: there is not enough memory: close something else\n");
        exit(EXIT_FAILURE);
    }

    /* stable_fluids_get_state(): all that the next steps depend on. It may be written to a file. */
    must(stable_fluids_get_state(fluid, state, size), fluid);

    /* stable_fluids_set_state(): ten steps later, back to that moment. */
    must(stable_fluids_step(fluid, 1.0f / 60.0f, 10), fluid);
    must(stable_fluids_set_state(fluid, state, size), fluid);

    free(state);
}

/* How the fields come out. */
static void look(stable_fluids* fluid, const char* folder) {
    stable_fluids_view_of_field view;
    const int32_t fields[] = {STABLE_FLUIDS_U, STABLE_FLUIDS_SCALAR(0)};
    char path[1024];

    /* stable_fluids_read(): a copy of the temperatures. */
    must(stable_fluids_read(fluid, STABLE_FLUIDS_SCALAR(0), values, CELLS), fluid);
    printf("below the pillar it is %.1f degrees\n", (double)values[(NY - 4) * NX + NX / 3]);

    /* stable_fluids_view(): the same number without a copy. */
    view.size = sizeof view;
    must(stable_fluids_view(fluid, STABLE_FLUIDS_SCALAR(0), &view), fluid);
    printf("and by a view %.1f\n",
           (double)view.data[NX / 3 * view.strides[0] + (NY - 4) * view.strides[1]]);

    /* stable_fluids_save_vti(): velocity and temperature, for ParaView. */
    if (snprintf(path, sizeof path, "%s/calls.vti", folder) >= (int)sizeof path) {
        fprintf(stderr, "calls: the folder's name is too long: use at most 1000 characters\n");
        exit(EXIT_FAILURE);
    }
    must(stable_fluids_save_vti(fluid, path, fields, 2), fluid);

    /* stable_fluids_save_vdb(): for Blender. A library that was built without OpenVDB refuses. */
    snprintf(path, sizeof path, "%s/calls.vdb", folder);
    if (stable_fluids_save_vdb(fluid, path, fields, 2) != STABLE_FLUIDS_OK) {
        printf("no .vdb file: %s\n", stable_fluids_error(fluid));
    }
}

int main(int argc, char** argv) {
    stable_fluids* fluid = make_fluid();
    fill(fluid);
    run(fluid);
    save_and_restore(fluid);
    look(fluid, argc > 1 ? argv[1] : ".");

    /* stable_fluids_destroy(): its views are no longer valid afterwards. */
    stable_fluids_destroy(fluid);

    return EXIT_SUCCESS;
}
