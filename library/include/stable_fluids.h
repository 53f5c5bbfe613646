/**
 * @file stable_fluids.h
 * The workbook's fluid as a library, for C and for whatever can call C.
 *
 * A box of nx x ny x nz cells, each h metres wide, holds one fluid and any number of scalars that
 * it carries: dye, heat, smoke. The grid is staggered (Harlow and Welch 1965): u lives
 * on the cell faces that look along x, v and w on those that look along y and z, and everything
 * else at the centres. A time step carries the velocity along itself, adds the forces, lets
 * viscosity work, and takes the divergence out of it; then it adds the sources to each scalar,
 * carries it, and lets it spread and decay (Stam 1999, "Stable Fluids", section 2).
 *
 * Arrays are rows of floats, i fastest, then j, then k, without gaps. With nz = 1 the fluid is
 * flat: it has no w, no faces along z, and everything that is said here of z does not exist.
 *
 * Functions return a status; nothing is thrown, printed or aborted. Where they return anything but
 * STABLE_FLUIDS_OK, stable_fluids_error() has one line that names the cause and the fix, and what
 * was asked for was not done at all; except for steps, which cannot be undone: after a failing one
 * the fields hold what they have become, and may be set anew.
 *
 * Different handles may be used by different threads at once; one handle by one thread at a time.
 */
#ifndef STABLE_FLUIDS_H
#define STABLE_FLUIDS_H

#include <stddef.h>
#include <stdint.h>

#define STABLE_FLUIDS_VERSION_MAJOR 1
#define STABLE_FLUIDS_VERSION_MINOR 0
#define STABLE_FLUIDS_VERSION_PATCH 0

#if defined(_WIN32) && defined(STABLE_FLUIDS_SHARED)
#ifdef STABLE_FLUIDS_BUILD
#define STABLE_FLUIDS_API __declspec(dllexport)
#else
#define STABLE_FLUIDS_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define STABLE_FLUIDS_API __attribute__((visibility("default")))
#else
#define STABLE_FLUIDS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is returned ------------------------------------------------------------------------ */

/** What a function returns. */
typedef enum stable_fluids_status {
    STABLE_FLUIDS_OK = 0,
    STABLE_FLUIDS_INVALID = 1, /**< an argument or a description that makes no sense */
    STABLE_FLUIDS_OUT_OF_MEMORY = 2, /**< of the computer's or of the GPU's */
    STABLE_FLUIDS_NO_DEVICE =
        3, /**< CUDA was asked for, and there is no GPU, driver or CUDA code */
    STABLE_FLUIDS_DEVICE_ERROR = 4, /**< CUDA reported an error: the handle can only be destroyed */
    STABLE_FLUIDS_NOT_FINITE =
        5, /**< a number has grown beyond what a float holds; not looked at with tolerance 0 */
    STABLE_FLUIDS_INTERNAL = 6 /**< a mistake of ours: please report it */
} stable_fluids_status;

/* ---- The description ------------------------------------------------------------------------- */

/** The six faces of the box. STABLE_FLUIDS_LEFT is at x = 0, STABLE_FLUIDS_TOP at y = 0 (y points
 * down, as in the workbook, but nothing depends on it), STABLE_FLUIDS_FRONT at z = 0. */
enum {
    STABLE_FLUIDS_LEFT = 0,
    STABLE_FLUIDS_RIGHT = 1,
    STABLE_FLUIDS_TOP = 2,
    STABLE_FLUIDS_BOTTOM = 3,
    STABLE_FLUIDS_FRONT = 4,
    STABLE_FLUIDS_BACK = 5
};

/** What the fluid meets at a face of the box. */
typedef enum stable_fluids_boundary {
    STABLE_FLUIDS_NO_SLIP =
        0, /**< a wall that the fluid sticks to; it may itself slide along the face */
    STABLE_FLUIDS_FREE_SLIP = 1, /**< a wall that the fluid slides along without friction */
    STABLE_FLUIDS_INFLOW = 2, /**< fluid comes in (or is sucked out) at a given velocity */
    STABLE_FLUIDS_OUTFLOW =
        3, /**< open: the pressure is given, the fluid comes and goes as it likes */
    STABLE_FLUIDS_PERIODIC = 4 /**< joined to the opposite face, which must be periodic as well */
} stable_fluids_boundary;

/** One face of the box, as the fluid sees it. */
typedef struct stable_fluids_face {
    int32_t flow; /**< a stable_fluids_boundary */
    float u, v, w; /**< m/s. No slip: the wall's velocity; what looks into the wall must be 0.
                        Inflow: the fluid's. Otherwise not looked at. */
    float pressure; /**< outflow: the pressure outside over the fluid's density, in m2/s2 */
} stable_fluids_face;

/** What a scalar meets at a face of the box. Where the flow is periodic the scalars must be, too,
 * and nowhere else. */
typedef enum stable_fluids_scalar_boundary {
    STABLE_FLUIDS_ZERO_FLUX = 0, /**< none of it passes */
    STABLE_FLUIDS_FIXED_VALUE = 1, /**< it has a given value there */
    STABLE_FLUIDS_SCALAR_PERIODIC = 2 /**< joined to the opposite face */
} stable_fluids_scalar_boundary;

/** One face of the box, as a scalar sees it. */
typedef struct stable_fluids_scalar_face {
    int32_t flow; /**< a stable_fluids_scalar_boundary */
    float value; /**< for STABLE_FLUIDS_FIXED_VALUE, in the scalar's unit */
} stable_fluids_scalar_face;

/** One scalar. */
typedef struct stable_fluids_scalar {
    float diffusion; /**< m2/s, 0 or more: how fast it spreads */
    float dissipation; /**< 1/s, 0 or more: how fast it decays */
    float initial; /**< what every cell holds at first */
    int32_t conserve; /**< not 0: being carried changes nothing of its total (advection by
                         back-tracing does not see to that by itself). Only for amounts that are
                         nowhere negative, and only where all faces have zero flux or are periodic
                         and no fluid enters or leaves. */
    stable_fluids_scalar_face faces[6];
} stable_fluids_scalar;

/** How velocity and scalars are carried. Points are traced back with two stages (RK2) in both. */
typedef enum stable_fluids_advection {
    STABLE_FLUIDS_LINEAR = 0, /**< linear interpolation: first order, smooth, never overshoots */
    STABLE_FLUIDS_MACCORMACK = 1 /**< forward and back to find the error and remove it, limited to
                                    what the cells around hold (Selle et al. 2008): second order */
} stable_fluids_advection;

/** Where the fluid lives and is computed. */
typedef enum stable_fluids_backend {
    STABLE_FLUIDS_BEST = 0, /**< CUDA if it can be used, else the host */
    STABLE_FLUIDS_HOST = 1, /**< the processor, with threads */
    STABLE_FLUIDS_CUDA = 2 /**< an NVIDIA GPU */
} stable_fluids_backend;

/** What a fluid is to be. Fill it with stable_fluids_describe(), then change what should be
 * different. */
typedef struct stable_fluids_description {
    uint32_t size; /**< sizeof(stable_fluids_description), so that later versions know yours */
    int32_t nx, ny, nz; /**< cells along each axis, each at least 1; nz = 1 is a flat fluid */
    float h; /**< a cell's width in metres, more than 0 */
    float viscosity; /**< kinematic, m2/s, 0 or more */
    int32_t advection; /**< a stable_fluids_advection */
    float tolerance; /**< 0 or more, less than 1. Until what is left of the divergence is at most
                          this part of what was there before the projection (root mean square),
                          V-cycles are made; or until float has no more to give, which is at about
                          1e-7 of the speed over h. 0: as many cycles as `cycles` says, without
                          looking. Viscosity and diffusion are solved to the same part of what they
                          change, or as far as 2000 sweeps go: enough while viscosity dt / h2 is
                          below some 10000. */
    int32_t cycles; /**< at most so many V-cycles a step, 1 to 1000 */
    int32_t scalar_count; /**< how many scalars, 0 to 64 */
    const stable_fluids_scalar* scalars; /**< that many; only read by stable_fluids_create() */
    stable_fluids_face faces[6];
    int32_t backend; /**< a stable_fluids_backend */
    int32_t threads; /**< on the host: how many work at once, at most 1024; 0 for as many as there
                        are cores. The result is the same to the last bit whatever their number. */
} stable_fluids_description;

/** A fluid. */
typedef struct stable_fluids stable_fluids;

/* ---- Fields ---------------------------------------------------------------------------------- */

/** The fields of a fluid, by number. Each has a shape, which stable_fluids_shape() tells. */
enum {
    /* May be set, added to, read and viewed. */
    STABLE_FLUIDS_U = 0, /**< m/s, (nx + 1) x ny x nz: the face left of cell (i, j, k) */
    STABLE_FLUIDS_V = 1, /**< m/s, nx x (ny + 1) x nz: the face above the cell */
    STABLE_FLUIDS_W = 2, /**< m/s, nx x ny x (nz + 1): the face in front of the cell */

    /* May be set, added to, read and viewed. They act in each step until they are changed; at first
     * they are 0. */
    STABLE_FLUIDS_FORCE_X = 3, /**< m/s2 (force over mass), on the faces where u is */
    STABLE_FLUIDS_FORCE_Y = 4, /**< likewise, where v is */
    STABLE_FLUIDS_FORCE_Z = 5, /**< likewise, where w is */

    /* May be read and viewed. All are at the cell centres, nx x ny x nz. */
    STABLE_FLUIDS_PRESSURE = 6, /**< m2/s2 (pressure over density), of the last step */
    STABLE_FLUIDS_DIVERGENCE = 7, /**< 1/s */
    STABLE_FLUIDS_SPEED = 8, /**< m/s */
    STABLE_FLUIDS_VORTICITY = 9, /**< 1/s: dv/dx - du/dy in a flat fluid, else the curl's length */
    STABLE_FLUIDS_VORTICITY_X = 10, /**< 1/s: dw/dy - dv/dz; not in a flat fluid */
    STABLE_FLUIDS_VORTICITY_Y = 11, /**< 1/s: du/dz - dw/dx; not in a flat fluid */
    STABLE_FLUIDS_VORTICITY_Z = 12, /**< 1/s: dv/dx - du/dy */

    /* STABLE_FLUIDS_SCALAR(n) and STABLE_FLUIDS_SOURCE(n), with n from 0 to scalar_count - 1, at
     * the cell centres. Both may be set, added to, read and viewed. */
    STABLE_FLUIDS_FIRST_SCALAR = 100,
    STABLE_FLUIDS_FIRST_SOURCE = 200
};

/** Scalar n, in its own unit. */
#define STABLE_FLUIDS_SCALAR(n) (STABLE_FLUIDS_FIRST_SCALAR + (n))
/** What is added to scalar n each second, in its unit. It acts in each step until it is changed. */
#define STABLE_FLUIDS_SOURCE(n) (STABLE_FLUIDS_FIRST_SOURCE + (n))

/** A field where it lies: element (i, j, k) is
 * data[i * strides[0] + j * strides[1] + k * strides[2]]. It holds until the next call with this
 * handle that is not stable_fluids_view() or stable_fluids_shape(); a view of SPEED, VORTICITY or
 * DIVERGENCE, moreover, until the next view of one of these. */
typedef struct stable_fluids_view_of_field {
    uint32_t size; /**< sizeof(stable_fluids_view_of_field) */
    const float* data; /**< in the computer's memory, or in the GPU's if on_device is not 0 */
    int32_t shape[3]; /**< how many elements there are along x, y and z */
    ptrdiff_t strides[3]; /**< floats from one to the next along x, y and z */
    int32_t on_device; /**< whether `data` is an address on the GPU */
    void* stream; /**< on the GPU: the cudaStream_t in whose order the data is written. Work queued
                       in it may read the data; else wait for it first. On the host: null. */
} stable_fluids_view_of_field;

/** What can be said of a fluid in numbers. */
typedef struct stable_fluids_statistics {
    uint32_t size; /**< sizeof(stable_fluids_statistics) */
    int32_t backend; /**< STABLE_FLUIDS_HOST or STABLE_FLUIDS_CUDA */
    int64_t steps; /**< so far */
    double time; /**< s, so far */
    double kinetic_energy; /**< half the sum of u2 + v2 + w2 times each face's share of the box,
                              over the fluid's density: m5/s2 (flat: m4/s2) */
    double largest_divergence; /**< 1/s: the largest size of all */
    double largest_speed; /**< m/s: the largest size of a component on any face */
    double cfl; /**< how many cells the fastest component crosses in a step like the last
                     (the field as it is now) */
    double pressure_residual; /**< of the last projection: what was left of the divergence over what
                                   was there before (root mean square); 0 with fixed work */
    int32_t pressure_cycles; /**< how many V-cycles that took */
    int32_t viscosity_sweeps; /**< how many sweeps viscosity took in the last step, its slowest
                                 component */
    double viscosity_residual; /**< what they left, over the right-hand side */
    uint64_t bytes; /**< memory of the backend that the fields and the solver take */
} stable_fluids_statistics;

/* ---- Functions ------------------------------------------------------------------------------- */

/** The library's version, as 10000 major + 100 minor + patch. Compare it with your header's. */
STABLE_FLUIDS_API int32_t stable_fluids_version(void);

/** Fills a description: a flat box of 64 x 64 cells, 1 m wide, with no-slip walls that stand still,
 * one scalar-free fluid without viscosity, linear advection, tolerance 1e-4, at most 50 cycles, the
 * best backend. Does nothing with a null pointer. */
STABLE_FLUIDS_API void stable_fluids_describe(stable_fluids_description* description);

/** Fills a scalar: neither diffusion nor dissipation, 0 at first, zero flux at all faces. Does
 * nothing with a null pointer. */
STABLE_FLUIDS_API void stable_fluids_describe_scalar(stable_fluids_scalar* scalar);

/** Makes a fluid at rest. `*fluid` becomes its handle; null if anything is wrong with the
 * description: a size or a number out of range or not finite, a periodic face whose opposite is
 * not, a wall that moves into itself, an inflow through closed walls that does not add up to 0, too
 * little memory, no GPU where CUDA is asked for. */
STABLE_FLUIDS_API stable_fluids_status
stable_fluids_create(const stable_fluids_description* description, stable_fluids** fluid);

/** Gives everything back. Does nothing with a null pointer. */
STABLE_FLUIDS_API void stable_fluids_destroy(stable_fluids* fluid);

/** What the last failing call with this handle had to say, in one line; empty if none has failed.
 * With a null pointer: what this thread's last failing call without a handle had to say, such as
 *  stable_fluids_create(). The text holds until the next failing call. */
STABLE_FLUIDS_API const char* stable_fluids_error(const stable_fluids* fluid);

/** Why CUDA cannot be used, in one line; empty if it can. The text holds until this thread's next
 * call. */
STABLE_FLUIDS_API const char* stable_fluids_why_no_cuda(void);

/** How many elements a field has along x, y and z. A field that this fluid does not have is
 * INVALID. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_shape(stable_fluids* fluid, int32_t field,
                                                           int32_t shape[3]);

/** Sets a field: `count` values, as many as its shape has elements. A value that is not finite, a
 * wrong count, or a field that may only be read is INVALID. Faces whose velocity the description
 * gives (walls, inflow) keep that one, and of two faces that are joined the first counts. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set(stable_fluids* fluid, int32_t field,
                                                         const float* values, size_t count);

/** Adds to a field, as stable_fluids_set() sets it. A sum that is not finite is NOT_FINITE. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_add(stable_fluids* fluid, int32_t field,
                                                         const float* values, size_t count);

/** Copies a field to `values`, which has room for `count`, as many as its shape has elements. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_read(stable_fluids* fluid, int32_t field,
                                                          float* values, size_t count);

/** Shows a field where it lies. `view->size` must have been set. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_view(stable_fluids* fluid, int32_t field,
                                                          stable_fluids_view_of_field* view);

/** Lets `count` times `dt` seconds pass. dt must be more than 0, count 0 or more. Any dt is stable;
 * the error grows with it. On the GPU with a tolerance of 0 it returns while
 * the last step is under way; with another tolerance it waits for each residual, and so for each
 * step. Returns STABLE_FLUIDS_INVALID if dt or count is out of range, STABLE_FLUIDS_NOT_FINITE if
 * the flow is no longer finite, STABLE_FLUIDS_DEVICE_ERROR if the GPU failed. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_step(stable_fluids* fluid, float dt,
                                                          int32_t count);

/** Waits until all steps are done. On the host they are. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_wait(stable_fluids* fluid);

/** Fills in the statistics. `statistics->size` must have been set. */
STABLE_FLUIDS_API stable_fluids_status
stable_fluids_statistics_of(stable_fluids* fluid, stable_fluids_statistics* statistics);

#ifdef __cplusplus
}
#endif

#endif
