/* A program of version 1.1: see old_program.h. */
#include "old_flows.h"

#if STABLE_FLUIDS_VERSION_MINOR != 1
#error "this is not the header of version 1.1"
#endif

/* As version 1.2 said, the first whose numbers were kept: MacCormack's method in a flat box, then
 * the linear one there and in a deep box. */
static const told_then then[] = {
    {1, 1, 0, 0.0171853272, 0.36053744},
    {1, 0, 0, 0.0165805666, 0.354592025},
    {12, 0, 0, 0.0068724954, 0.304705709},
};

/* What this version brought. */
static void check_defaults(void) {
    stable_fluids_description description;
    stable_fluids_describe(&description);
    CHECK(description.buoyancy_direction[1] == -1.0f && description.confinement == 0.0f);
}

int main(void) {
    use_the_library();
    check_flows(then, (int)(sizeof then / sizeof *then));
    check_defaults();
    return report();
}
