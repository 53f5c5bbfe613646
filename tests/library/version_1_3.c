/* A program of version 1.3: see old_program.h. */
#include "old_flows.h"

#if STABLE_FLUIDS_VERSION_MINOR != 3
#error "this is not the header of version 1.3"
#endif

/* What the library of version 1.3 said: as version 1.2, and of MacCormack's method in a deep box.
 */
static const told_then then[] = {
    {1, 1, 0, 0.0171853272, 0.36053744},   {1, 1, 1, 0.017229994, 0.361045212},
    {1, 0, 0, 0.0165805666, 0.354592025},  {12, 0, 0, 0.0068724954, 0.304705709},
    {12, 0, 1, 0.00700560433, 0.30755055}, {12, 1, 0, 0.00987354166, 0.382188439},
    {12, 1, 1, 0.0101134309, 0.385575414},
};

/* What this version brought. A program of this version is not warned of its description. */
static void check_warning(void) {
    stable_fluids_description description;
    stable_fluids* fluid = NULL;
    stable_fluids_describe(&description);
    description.backend = STABLE_FLUIDS_HOST;
    CHECK(stable_fluids_create(&description, &fluid) == STABLE_FLUIDS_OK);
    CHECK(strlen(stable_fluids_warning(fluid)) == 0);
    stable_fluids_destroy(fluid);
}

int main(void) {
    use_the_library();
    check_flows(then, (int)(sizeof then / sizeof *then));
    check_warning();
    return report();
}
