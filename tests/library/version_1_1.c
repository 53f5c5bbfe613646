/* A program of version 1.1: see old_program.h. */
#include "old_program.h"

#if STABLE_FLUIDS_VERSION_MINOR != 1
#error "this is not the header of version 1.1"
#endif

/* What this version brought. */
static void check_defaults(void) {
    stable_fluids_description description;
    stable_fluids_describe(&description);
    CHECK(description.buoyancy_direction[1] == -1.0f && description.confinement == 0.0f);
}

int main(void) {
    use_the_library();
    check_defaults();
    return report();
}
