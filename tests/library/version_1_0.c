/* A program of version 1.0: see old_program.h. */
#include "old_flows.h"

#if STABLE_FLUIDS_VERSION_MINOR != 0
#error "this is not the header of version 1.0"
#endif

/* As version 1.2 said, the first whose numbers were kept: MacCormack's method in a flat box, then
 * the linear one there and in a deep box. */
static const told_then then[] = {
    {1, 1, 0, 0.0171853272, 0.36053744},
    {1, 0, 0, 0.0165805666, 0.354592025},
    {12, 0, 0, 0.0068724954, 0.304705709},
};

int main(void) {
    use_the_library();
    check_flows(then, (int)(sizeof then / sizeof *then));
    return report();
}
