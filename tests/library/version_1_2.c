/* A program of version 1.2: see old_program.h. */
#include "old_flows.h"

#if STABLE_FLUIDS_VERSION_MINOR != 2
#error "this is not the header of version 1.2"
#endif

/* What the library of version 1.2 said: MacCormack's method in a flat box, then the linear one
 * there and in a deep box. */
static const told_then then[] = {
    {1, 1, 0, 0.0171853272, 0.36053744},   {1, 1, 1, 0.017229994, 0.361045212},
    {1, 0, 0, 0.0165805666, 0.354592025},  {12, 0, 0, 0.0068724954, 0.304705709},
    {12, 0, 1, 0.00700560433, 0.30755055},
};

int main(void) {
    use_the_library();
    check_flows(then, (int)(sizeof then / sizeof *then));
    return report();
}
