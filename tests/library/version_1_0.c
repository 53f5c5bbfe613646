/* A program of version 1.0: see old_program.h. */
#include "old_program.h"

#if STABLE_FLUIDS_VERSION_MINOR != 0
#error "this is not the header of version 1.0"
#endif

int main(void) {
    use_the_library();
    return report();
}
