/**
 * @file stable_fluids.h
 * The workbook's fluid as a library, for C and for every language that can call C.
 *
 * A box of nx x ny x nz cells, each h metres wide, holds one fluid and up to 64 scalars that it
 * carries, such as dye, heat or smoke. The grid is staggered (Harlow and Welch 1965). u is stored
 * on the cell faces that look along x, v and w on those that look along y and z, and everything
 * else at the centres. A time step carries the velocity along itself, adds the forces (those that
 * are set, then buoyancy, then vorticity confinement), applies viscosity, and removes the
 * divergence, or leaves as much as is prescribed. Then the step adds the sources to each scalar,
 * carries it, and lets it diffuse and decay (Stam 1999, "Stable Fluids", section 2). With
 * STABLE_FLUIDS_STRANG, half of the forces and of the pressure acts before the velocity is carried.
 * STABLE_FLUIDS_MIDPOINT does so, too, and carries along the velocity in the middle of the step.
 *
 * Arrays hold floats without gaps, and i runs fastest, then j, then k. With nz = 1 the fluid is
 * flat, and has no w and no faces along z.
 *
 * Functions return a status, and never throw, print or abort. If it is not STABLE_FLUIDS_OK,
 * stable_fluids_error() returns one line that names the cause and the fix, and the call has changed
 * nothing. A step is the exception. After a failing step the fields hold what has been computed so
 * far, and may be set again.
 *
 * Threads: any calls may run at the same time that use different handles, or none. Each thread has
 * an error line of its own for calls without a handle. Two calls with the same handle may never run
 * at the same time, not even two that only read. A thread may use a handle that another thread has
 * made or used, when that call has returned and it knows so, such as by a mutex. What a view shows
 * may be read by any number of threads while no call with its handle runs. A call may use several
 * threads itself, which rest when it has returned. All
 * fluids that ask for as many threads share them: while one of them has them, another one computes
 * in the thread that called. After a fork, the child may use the fluids on
 * the host that no other thread was using.
 *
 * Paths of files are in UTF-8 on Windows. Everywhere else they are bytes, which go to the system as
 * they are.
 *
 * A program that was compiled with the header of an earlier version also works with this library.
 * Its description or statistics are smaller, as `size` says, and end before the members that came
 * later. Then the later members of the description have no effect, and those of the statistics are
 * not filled in. With a description from before version 1.4, each face also has a trace of its own,
 * and the projection begins with a pressure of 0 and makes the V-cycles of before. So the results
 * are those of that version, but for rounding.
 *
 * A stable_fluids_scalar or a stable_fluids_buoyancy may grow at its end as well, and `scalar_size`
 * and `buoyancy_size` in the description say which size yours have. A stable_fluids_face and a
 * stable_fluids_scalar_face stay as they are: what a later version says of the six faces will stand
 * at the end of the description or of the scalar.
 *
 * Solids may stand in the fluid or move through it. They are given as fields, the fluid's share of
 * each cell and face, which stable_fluids_set_solid() computes from a signed distance. The pressure
 * is solved with these shares as weights (Batty, Bertails and Bridson 2007; Ng, Min and Gibou 2009,
 * equation 12).
 */
#ifndef STABLE_FLUIDS_H
#define STABLE_FLUIDS_H

#include <stddef.h>
#include <stdint.h>

#define STABLE_FLUIDS_VERSION_MAJOR 1
#define STABLE_FLUIDS_VERSION_MINOR 4
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

/** The status that a function returns. */
typedef enum stable_fluids_status {
    STABLE_FLUIDS_OK = 0,
    STABLE_FLUIDS_INVALID = 1, /**< an argument, or something in the description, is wrong */
    STABLE_FLUIDS_OUT_OF_MEMORY = 2, /**< the memory of the computer or of the GPU is full */
    STABLE_FLUIDS_NO_DEVICE =
        3, /**< CUDA was asked for, and there is no GPU, driver or CUDA code */
    STABLE_FLUIDS_DEVICE_ERROR = 4, /**< CUDA reported an error: the handle can only be destroyed */
    STABLE_FLUIDS_NOT_FINITE =
        5, /**< a number no longer fits into a float; not checked with tolerance 0 */
    STABLE_FLUIDS_INTERNAL = 6, /**< an error in the library: please report it */
    STABLE_FLUIDS_FILE_ERROR = 7 /**< a file cannot be written. Since version 1.4 */
} stable_fluids_status;

/* ---- The description ------------------------------------------------------------------------- */

/** The six faces of the box. STABLE_FLUIDS_LEFT is at x = 0, STABLE_FLUIDS_TOP at y = 0, and
 * STABLE_FLUIDS_FRONT at z = 0. These names suit a y axis that points down, as in the workbook. To
 * the library the direction makes no difference. */
enum {
    STABLE_FLUIDS_LEFT = 0,
    STABLE_FLUIDS_RIGHT = 1,
    STABLE_FLUIDS_TOP = 2,
    STABLE_FLUIDS_BOTTOM = 3,
    STABLE_FLUIDS_FRONT = 4,
    STABLE_FLUIDS_BACK = 5
};

/** The boundary condition of the flow at a face of the box. */
typedef enum stable_fluids_boundary {
    STABLE_FLUIDS_NO_SLIP =
        0, /**< a wall that the fluid sticks to, and which may itself move along the face */
    STABLE_FLUIDS_FREE_SLIP = 1, /**< a wall that the fluid slides along without friction */
    STABLE_FLUIDS_INFLOW = 2, /**< fluid comes in (or goes out) at a given velocity */
    STABLE_FLUIDS_OUTFLOW =
        3, /**< open: the pressure outside is given, and the fluid may go out or come in. Fluid that
              comes in is as fast as that at the face, so nothing stops a wind that blows in at one
              open face and out at another. */
    STABLE_FLUIDS_PERIODIC = 4, /**< joined to the opposite face, which must be periodic as well */
    STABLE_FLUIDS_TOTAL_PRESSURE =
        5 /**< open as with STABLE_FLUIDS_OUTFLOW, but fluid that comes in was at rest outside.
             Where it comes in, the pressure in the face is lower than `pressure` by half the square
             of its velocity across the face (Bernoulli), so a wind that blows in at one open face
             and out at another slows down. That part of the pressure follows the velocity with a
             delay of about the time in which the flow crosses a cell.
             The part of the velocity along the face stays as with STABLE_FLUIDS_OUTFLOW. Since
             version 1.4. */
} stable_fluids_boundary;

/** The boundary condition of the flow at one face of the box, with its values. A flat fluid has no
 * front and no back face, and ignores what is said of them. */
typedef struct stable_fluids_face {
    int32_t flow; /**< a stable_fluids_boundary */
    float u, v, w; /**< m/s. With no slip, the velocity of the wall, which must be 0 across
                        the face. At an inflow, the velocity of the fluid. Otherwise ignored. */
    float pressure; /**< at an outflow or with a total pressure: the pressure outside over the
                         fluid's density, in m2/s2 */
} stable_fluids_face;

/** The boundary condition of a scalar at a face of the box. Scalars must be periodic where the flow
 * is, and only there. */
typedef enum stable_fluids_scalar_boundary {
    STABLE_FLUIDS_ZERO_FLUX = 0, /**< nothing diffuses through the face */
    STABLE_FLUIDS_FIXED_VALUE = 1, /**< it has a given value there */
    STABLE_FLUIDS_SCALAR_PERIODIC = 2, /**< joined to the opposite face */
    STABLE_FLUIDS_FIXED_FLUX = 3 /**< so much diffuses in through the face (or, less than 0, out),
                                    as through a heated wall. The scalar's diffusion must be more
                                    than 0. Since version 1.4. */
} stable_fluids_scalar_boundary;

/** The boundary condition of a scalar at one face of the box, with its value. */
typedef struct stable_fluids_scalar_face {
    int32_t flow; /**< a stable_fluids_scalar_boundary */
    float value; /**< for STABLE_FLUIDS_FIXED_VALUE, in the scalar's unit; for
                      STABLE_FLUIDS_FIXED_FLUX, in that unit times m/s */
} stable_fluids_scalar_face;

/** One scalar. */
typedef struct stable_fluids_scalar {
    float diffusion; /**< m2/s, 0 or more: how fast it spreads */
    float dissipation; /**< 1/s, 0 or more: how fast it decays */
    float initial; /**< the value in every cell at first */
    int32_t conserve; /**< if not 0, advection keeps the total, which semi-Lagrangian advection
                         alone does not. Only for amounts that are nowhere negative, and only if
                         all faces have zero flux or are periodic and no fluid enters or leaves. */
    stable_fluids_scalar_face faces[6];

    /* Since version 1.4. */
    stable_fluids_scalar_face
        solid; /**< what it meets at the surface of all solids, which must not be
                    STABLE_FLUIDS_SCALAR_PERIODIC. With STABLE_FLUIDS_FIXED_VALUE they are kept at a
                    temperature, with STABLE_FLUIDS_FIXED_FLUX they are heated. The surface in a cut
                    cell is a plane, and is h/100 or more away from the middle of the cell. Between
                    solids this is of first order in h. */
} stable_fluids_scalar;

/** What one scalar adds to the force of buoyancy (Fedkiw, Stam and Jensen 2001, "Visual Simulation
 * of Smoke", equation 8). Each cell adds half of its push to each of its two faces along an axis,
 * so a face gets the mean of the pushes of its two cells. Beyond an open face, the scalar has its
 * ambient value. */
typedef struct stable_fluids_buoyancy {
    float share; /**< m/s2 for each unit of the scalar. More than 0, the scalar pushes the fluid
                      along buoyancy_direction, as heat does. Less than 0, it pulls it back, as the
                      weight of smoke does. */
    float ambient; /**< the value at which the scalar does not push, in its unit */
} stable_fluids_buoyancy;

/** How velocity and scalars are carried. The first two ways trace back with two stages (RK2). */
typedef enum stable_fluids_advection {
    STABLE_FLUIDS_LINEAR = 0, /**< linear interpolation: first order, smooth, never overshoots.
                                 With STABLE_FLUIDS_LIE, the velocity half the way back is looked
                                 for at each cell's centre, and a face takes the mean of its two
                                 cells. Until version 1.3, and with the other ways to split a
                                 step, each face has a trace of its own. */
    STABLE_FLUIDS_MACCORMACK = 1, /**< second order: carried forward and back to find the error,
                                    which is subtracted within limits (Selle et al. 2008). Less
                                    is subtracted where the trace forward does not undo the trace
                                    back, and nothing where it misses by half a cell. That happens
                                    where neighbouring velocities differ much and the flow crosses
                                    several cells in a step. In a deep fluid, only so much is
                                    subtracted from the velocity that it has no more energy than
                                    before, with what flows in, or than without the correction.
                                    For that, a face counts by its fraction. */
    STABLE_FLUIDS_CENTRAL = 2 /**< the velocity by central differences, in which no pair of faces
                                 gains energy (Verstappen and Veldman 2003). They are of fourth
                                 order in h in a constant stream, and else of second order. Near
                                 walls and open faces they are of second order. In time, a
                                 Runge-Kutta method carries the velocity: that of Wicker and
                                 Skamarock (2002), the classic one of fourth order, or that of
                                 Kinnmark and Gray (1984). Their 3, 4 and 5 stages are stable while
                                 |u| + |v| + |w| crosses 1.2, 1.95 and 2.65 cells. A longer step is
                                 made in several parts, by the method that needs the fewest stages
                                 in all. It is closest with STABLE_FLUIDS_MIDPOINT. If a step
                                 crosses more than 38 cells, or between solids, or where expansion
                                 is given, the velocity is carried as with
                                 STABLE_FLUIDS_MACCORMACK. Scalars always are. Edges of the
                                 velocity that are thinner than a few cells get ripples. Since
                                 version 1.4. */
} stable_fluids_advection;

/** How a step is split into parts that act one after the other. */
typedef enum stable_fluids_splitting {
    STABLE_FLUIDS_LIE = 0, /**< the velocity is carried, then forces, viscosity and pressure act in
                              whole (Stam 1999). The error is of first order in dt. If there is a
                              tolerance, the projection begins with the last step's pressure and
                              as much of the change before it as leaves least (Fischer 1998). The
                              less the flow changes in a step, the fewer cycles it needs. Once a
                              velocity or a solid is set, the next one begins with 0. */
    STABLE_FLUIDS_STRANG = 1, /**< half of the forces and of the pressure acts before the velocity
                                is carried, and half after (Strang 1968). The pressure is that of
                                the step before, to which the projection adds what is missing (Goda
                                1979). Whirls keep more of their energy, and drag and lift are
                                closer. Two errors are still of first order in dt. One is from
                                viscosity, the other from advection, which uses the velocity at the
                                start of the step. After a velocity or a
                                solid is set, the next two steps are as with STABLE_FLUIDS_LIE,
                                except that each face has a trace of its own, and that the
                                projection begins with a pressure of 0. So all steps are if a
                                solid is set again before each of them. */
    STABLE_FLUIDS_MIDPOINT = 2 /**< as STABLE_FLUIDS_STRANG, and without its two errors of first
                                  order. The velocity is carried along the one in the middle of
                                  the step, which is extrapolated from this step's start and the
                                  last step's (Temperton and Staniforth 1987). Half of the
                                  viscosity acts before, and half after (Crank and Nicolson 1947):
                                  less than half before where viscosity dt / h2 is above 1/2 in a
                                  flat fluid or 1/3 in a deep one, and none between solids. The
                                  part that acts before also corrects the friction at walls. Its
                                  slope there is that of a parabola through the wall and the two
                                  places beside it, so it is of second order in h. With
                                  STABLE_FLUIDS_MACCORMACK, a smooth flow is of second order in h
                                  and dt together. Scalars are carried along the mean of the
                                  velocities at both ends of the step. Since version 1.4. */
} stable_fluids_splitting;

/** Where the fluid is stored and computed. */
typedef enum stable_fluids_backend {
    STABLE_FLUIDS_BEST = 0, /**< CUDA if it can be used, else the host */
    STABLE_FLUIDS_HOST = 1, /**< the processor, with threads */
    STABLE_FLUIDS_CUDA = 2 /**< an NVIDIA GPU */
} stable_fluids_backend;

/** The description of a fluid to create. Fill it with stable_fluids_describe(), then change what
 * should be different. */
typedef struct stable_fluids_description {
    uint32_t size; /**< sizeof(stable_fluids_description), so that later versions know yours */
    int32_t nx, ny, nz; /**< cells along each axis, each at least 1; nz = 1 is a flat fluid */
    float h; /**< a cell's width in metres, more than 0 */
    float viscosity; /**< kinematic, m2/s, 0 or more */
    int32_t advection; /**< a stable_fluids_advection */
    float tolerance; /**< 0 or more, less than 1. The projection makes V-cycles until the unwanted
                          divergence, which is the divergence less the prescribed one (root mean
                          square), is at most this fraction of what it was before. It
                          stops earlier at the limit of float, which is about 1e-7 times the speed
                          over h. With 0 it makes as many cycles as `cycles` says, and measures
                          nothing. Viscosity and diffusion are solved to the same fraction of what
                          they change, however long the step. Where viscosity dt / h2 is above
                          1e6, it counts as 1e6. */
    int32_t cycles; /**< the most V-cycles in a step, 1 to 1000 */
    int32_t scalar_count; /**< how many scalars, 0 to 64 */
    const stable_fluids_scalar* scalars; /**< that many, read only by stable_fluids_create() */
    stable_fluids_face faces[6];
    int32_t backend; /**< a stable_fluids_backend */
    int32_t threads; /**< on the host: how many threads compute, at most 1024, or 0 for one a core.
                        The result is the same to the last bit whatever their number. More threads
                        than cores are slower, and many more are slower by a lot. */

    /* Since version 1.1. */
    const stable_fluids_buoyancy* buoyancy; /**< one for each scalar, scalar_count in all, read only
                                               by stable_fluids_create(). Null: no scalar pushes. */
    float
        buoyancy_direction[3]; /**< the direction along x, y and z in which a positive share
                                    pushes. Its length makes no difference, but must be more than 0
                                    if any share is not 0. A flat fluid ignores the part along z. */
    float confinement; /**< 1/s, 0 or more: the strength epsilon of the vorticity confinement, which
                            is the force epsilon h (N x omega). omega is the vorticity, and N the
                            direction in which its length grows fastest. It speeds up whirls that
                            the grid has blurred (Steinhoff and Underhill 1994; Fedkiw, Stam and
                            Jensen 2001, equations 9 to 11). The factor h makes it smaller on a
                            finer grid, which blurs less. */

    /* Since version 1.2. */
    int32_t splitting; /**< a stable_fluids_splitting */

    /* Since version 1.4. */
    size_t scalar_size; /**< sizeof(stable_fluids_scalar), from one of `scalars` to the next, so
                           that later versions know yours; 0 for that of version 1.0 */
    size_t buoyancy_size; /**< sizeof(stable_fluids_buoyancy) likewise; 0 for that of version 1.1 */
} stable_fluids_description;

/** A fluid. */
typedef struct stable_fluids stable_fluids;

/* ---- Fields ---------------------------------------------------------------------------------- */

/** The fields of a fluid, by number. stable_fluids_shape() returns the shape of each. */
enum {
    /* These may be set, added to, read and viewed. */
    STABLE_FLUIDS_U = 0, /**< m/s, (nx + 1) x ny x nz: the face left of cell (i, j, k) */
    STABLE_FLUIDS_V = 1, /**< m/s, nx x (ny + 1) x nz: the face above the cell */
    STABLE_FLUIDS_W = 2, /**< m/s, nx x ny x (nz + 1): the face in front of the cell */

    /* These may be set, added to, read and viewed. They act in each step until they are changed; at
     * first they are 0. */
    STABLE_FLUIDS_FORCE_X = 3, /**< m/s2 (force over mass), on the faces where u is */
    STABLE_FLUIDS_FORCE_Y = 4, /**< likewise, where v is */
    STABLE_FLUIDS_FORCE_Z = 5, /**< likewise, where w is */

    /* These may be read and viewed. All are at the cell centres, nx x ny x nz. */
    STABLE_FLUIDS_PRESSURE = 6, /**< m2/s2 (pressure over density), of the last step */
    STABLE_FLUIDS_DIVERGENCE = 7, /**< 1/s */
    STABLE_FLUIDS_SPEED = 8, /**< m/s */
    STABLE_FLUIDS_VORTICITY = 9, /**< 1/s: dv/dx - du/dy in a flat fluid, else the curl's length */
    STABLE_FLUIDS_VORTICITY_X = 10, /**< 1/s: dw/dy - dv/dz; not in a flat fluid */
    STABLE_FLUIDS_VORTICITY_Y = 11, /**< 1/s: du/dz - dw/dx; not in a flat fluid */
    STABLE_FLUIDS_VORTICITY_Z = 12, /**< 1/s: dv/dx - du/dy */

    /* This may be set, added to, read and viewed. It is at the cell centres, nx x ny x nz, acts in
     * each step until it is changed, and is 0 at first. */
    STABLE_FLUIDS_EXPANSION = 13, /**< 1/s: the divergence that the projection is to leave in each
                                     cell, such as that of a gas that burns. In a box, or a region
                                     between solids, without an outflow, its average over the cells
                                     is subtracted first, because what expands must go somewhere. */

    /* Since version 1.2. Solids. These may be set, added to, read and viewed, and act until they
     * are changed. A change takes effect in the next step, or when a computed field or the
     * statistics are asked for before. The fractions are from 0 to 1, and 1 at first. The
     * velocities are 0 at first. No fluid passes a face whose fraction is 0. There the velocity is
     * that of the solid, also on a face of the box, so that an inflow may differ from place to
     * place. A cell without any open face is solid, and its scalars, pressure and divergence are 0.
     * In every other cell, the divergence is the sum over its faces of what flows out, over h.
     * Through the open part of a face flows fluid, and through the rest moves the solid. If
     * viscosity is not 0, the fluid sticks to solids, otherwise it slides. Scalars do not pass into
     * them. */
    STABLE_FLUIDS_FRACTION = 14, /**< the fluid's share of each cell, nx x ny x nz */
    STABLE_FLUIDS_FRACTION_X = 15, /**< the fluid's share of each face, where u is */
    STABLE_FLUIDS_FRACTION_Y = 16, /**< likewise, where v is */
    STABLE_FLUIDS_FRACTION_Z = 17, /**< likewise, where w is */
    STABLE_FLUIDS_SOLID_U = 18, /**< m/s: the solid's velocity along x, where u is */
    STABLE_FLUIDS_SOLID_V = 19, /**< likewise along y, where v is */
    STABLE_FLUIDS_SOLID_W = 20, /**< likewise along z, where w is */

    /* STABLE_FLUIDS_SCALAR(n) and STABLE_FLUIDS_SOURCE(n), with n from 0 to scalar_count - 1, at
     * the cell centres. Both may be set, added to, read and viewed. */
    STABLE_FLUIDS_FIRST_SCALAR = 100,
    STABLE_FLUIDS_FIRST_SOURCE = 200
};

/** Scalar n, in its own unit. */
#define STABLE_FLUIDS_SCALAR(n) (STABLE_FLUIDS_FIRST_SCALAR + (n))
/** What is added to scalar n each second, in its unit. It acts in each step until it is changed. */
#define STABLE_FLUIDS_SOURCE(n) (STABLE_FLUIDS_FIRST_SOURCE + (n))

/** A view of a field, without a copy. Element (i, j, k) is
 * data[i * strides[0] + j * strides[1] + k * strides[2]]. Since version 1.3, a view of U, V, W, a
 * force, the expansion, a scalar or a source is valid as long as the fluid, and after each call it
 * shows what the field is then. For that, a step may copy the field once. A view of any other field
 * is valid until the next call with this handle, calls of stable_fluids_view(),
 * stable_fluids_shape() and stable_fluids_wait() excepted. The fields from DIVERGENCE to
 * VORTICITY_Z share their memory, so a view of one ends with the next view of any of them. */
typedef struct stable_fluids_view_of_field {
    uint32_t size; /**< sizeof(stable_fluids_view_of_field) */
    const float* data; /**< in the computer's memory, or in the GPU's if on_device is not 0 */
    int32_t shape[3]; /**< how many elements there are along x, y and z */
    ptrdiff_t strides[3]; /**< floats from one to the next along x, y and z */
    int32_t on_device; /**< whether `data` is an address on the GPU */
    void* stream; /**< on the GPU, the cudaStream_t that writes the data. Work queued in it may
                       read the data, and other work must wait for it first. On the host, null. */
} stable_fluids_view_of_field;

/** Numbers that describe the state of a fluid and the work of the last step. */
typedef struct stable_fluids_statistics {
    uint32_t size; /**< sizeof(stable_fluids_statistics) */
    int32_t backend; /**< STABLE_FLUIDS_HOST or STABLE_FLUIDS_CUDA */
    int64_t steps; /**< so far */
    double time; /**< s, so far */
    double kinetic_energy; /**< half the sum of u2 + v2 + w2 times each face's share of the box,
                              over the fluid's density: m5/s2 (flat: m4/s2) */
    double largest_divergence; /**< 1/s: the largest absolute value */
    double largest_speed; /**< m/s: the largest absolute value of a component on any face */
    double cfl; /**< how many cells that component crosses in the time of the last step */
    double pressure_residual; /**< of the last projection: the unwanted divergence after it over
                                   that before it (root mean square); 0 with a tolerance of 0. With
                                   STABLE_FLUIDS_STRANG or _MIDPOINT, the divergence before it is
                                   taken without the pressure of the step before. */
    int32_t pressure_cycles; /**< how many V-cycles the last projection took */
    int32_t viscosity_sweeps; /**< how many sweeps over the whole box the slowest component took for
                                 viscosity in the last step, on their own or in multigrid cycles */
    double viscosity_residual; /**< the residual after them, over the right-hand side */
    uint64_t bytes; /**< memory that the fields and the solver take, on the host or on the GPU */

    /* Since version 1.2. */
    double solid_force[3]; /**< the force along x, y and z of the fluid on all solids in the last
                                step, by its pressure and its friction, over its density: m4/s2
                                (flat: m3/s2). In a stream this is drag and lift. */
    int32_t closed_regions; /**< how many regions of fluid, cut off from each other by solids, have
                                 no outflow. Without solids it is 1 for a box without an outflow,
                                 else 0. */
    double closed_divergence; /**< 1/s: the divergence that moving solids force on such a region.
                                   The projection leaves it in each of the region's cells. The
                                   largest absolute value of all regions. */

    /* Since version 1.3. */
    double corrected; /**< the share of MacCormack's correction of the velocity that the last step
                           added: less than 1 only in a deep fluid, where all of it would have made
                           energy from nothing. 0 with STABLE_FLUIDS_LINEAR. */
    int64_t unsolved_steps; /**< so far: steps whose projection made all its `cycles` and left more
                                 of the divergence than the tolerance. With a tolerance of 0 nothing
                                 is measured, and it is 0. */
} stable_fluids_statistics;

/** The force and the torque of the fluid on one body in the last step, over the fluid's density. */
typedef struct stable_fluids_forces {
    uint32_t size; /**< sizeof(stable_fluids_forces) */
    double pressure[3]; /**< the force of the pressure along x, y and z: m4/s2 (flat: m3/s2) */
    double friction[3]; /**< the force of viscosity, likewise */
    double pressure_torque[3]; /**< the torque of the pressure about axes along x, y and z through
                                    the pivot, from x to y and so on: m5/s2 (flat: m4/s2, and only
                                    the one about z is not 0) */
    double friction_torque[3]; /**< the torque of viscosity, likewise */
} stable_fluids_forces;

/* ---- Functions ------------------------------------------------------------------------------- */

/** Returns the library's version, as 10000 major + 100 minor + patch. Compare it with your
 * header's. */
STABLE_FLUIDS_API int32_t stable_fluids_version(void);

/** Fills a description with a flat box of 64 x 64 cells, 1 m wide, with no-slip walls at rest, no
 * viscosity and no scalars, linear advection, tolerance 1e-4, at most 50 cycles, the best backend,
 * no confinement, and no buoyancy, whose direction is that of -y. Does nothing with a null pointer.
 *
 * In C and C++ this is a macro, which calls stable_fluids_describe_sizes() with your header's
 * sizes. The library's function of this name is for programs that were compiled with version 1.0.
 * It fills no more than the description of that version, so this header does not declare it. A
 * program that looks functions up by name calls stable_fluids_describe_sizes(). If it calls this
 * one by mistake, members that came later have no effect, and stable_fluids_warning() says so of
 * the new fluid. */
#ifdef STABLE_FLUIDS_BUILD
STABLE_FLUIDS_API void stable_fluids_describe(stable_fluids_description* description);
#else
#define stable_fluids_describe(description)                                        \
    stable_fluids_describe_sizes((description), sizeof(stable_fluids_description), \
                                 sizeof(stable_fluids_scalar), sizeof(stable_fluids_buoyancy))
#endif

/** Fills a description of `size` bytes as stable_fluids_describe() says, and sets its `size`,
 * `scalar_size` and `buoyancy_size`. If your header is newer than this library, the members that
 * came later are not set, and stable_fluids_create() will refuse the sizes. Does nothing with a
 * null pointer, or with a size of less than that of version 1.0. Since version 1.4. */
STABLE_FLUIDS_API void stable_fluids_describe_sizes(stable_fluids_description* description,
                                                    size_t size, size_t scalar_size,
                                                    size_t buoyancy_size);

/** As stable_fluids_describe_sizes(), but `scalar_size` and `buoyancy_size` become 0. Programs that
 * were compiled with versions 1.1 to 1.3 call it. Since version 1.1. */
STABLE_FLUIDS_API void stable_fluids_describe_sized(stable_fluids_description* description,
                                                    size_t size);

/** Fills a scalar that is 0 at first, without diffusion and dissipation, and with zero flux at all
 * faces. Does nothing with a null pointer.
 *
 * In C and C++ this is a macro, which calls stable_fluids_describe_scalar_sized() with your
 * header's size. The library's function of this name fills a scalar of version 1.0. */
#ifdef STABLE_FLUIDS_BUILD
STABLE_FLUIDS_API void stable_fluids_describe_scalar(stable_fluids_scalar* scalar);
#else
#define stable_fluids_describe_scalar(scalar) \
    stable_fluids_describe_scalar_sized((scalar), sizeof(stable_fluids_scalar))
#endif

/** Fills a scalar of `size` bytes as stable_fluids_describe_scalar() says. Does nothing with a null
 * pointer, or with a size of less than that of version 1.0. Since version 1.4. */
STABLE_FLUIDS_API void stable_fluids_describe_scalar_sized(stable_fluids_scalar* scalar,
                                                           size_t size);

/** Makes a fluid at rest, and sets `*fluid` to its handle, or to null if it fails. It fails if a
 * size or a number is out of range or not finite, if a face is periodic and its opposite is not, if
 * a wall moves across its own face, if all inflows together do not add up to 0 and no face is
 * open, if a scalar pushes and the direction of buoyancy is 0, if memory runs out, or if CUDA is
 * asked for and there is no GPU. */
STABLE_FLUIDS_API stable_fluids_status
stable_fluids_create(const stable_fluids_description* description, stable_fluids** fluid);

/** Destroys a fluid and frees its memory. Does nothing with a null pointer. */
STABLE_FLUIDS_API void stable_fluids_destroy(stable_fluids* fluid);

/** Returns the error line of the last failing call with this handle, or an empty text if none has
 * failed. With a null pointer it returns that of this thread's last failing call without a handle,
 * such as stable_fluids_create(). The text is valid until the next failing call. */
STABLE_FLUIDS_API const char* stable_fluids_error(const stable_fluids* fluid);

/** Returns one line on why CUDA cannot be used, or an empty text if it can. The text is valid until
 * this thread's next call. */
STABLE_FLUIDS_API const char* stable_fluids_why_no_cuda(void);

/** Sets `shape` to how many elements a field has along x, y and z. A field that this fluid does not
 * have is INVALID. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_shape(stable_fluids* fluid, int32_t field,
                                                           int32_t shape[3]);

/** Sets a field from `count` values, as many as its shape has elements. A null pointer, a wrong
 * count, a value that is not finite, a fraction that is not from 0 to 1, or a field that may only
 * be read is INVALID. Faces of walls and inflows keep the velocity of the description. Of two
 * periodic faces that are joined, the value of the first counts for both. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set(stable_fluids* fluid, int32_t field,
                                                         const float* values, size_t count);

/** Sets all of a field to one value, as stable_fluids_set() would, but without an array. It fails
 * as that function does. Since version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_fill(stable_fluids* fluid, int32_t field,
                                                          float value);

/** Adds `count` values to a field, and fails as stable_fluids_set() does. Also, a sum that is not
 * finite is NOT_FINITE, and a fraction's sum that is not from 0 to 1 is INVALID. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_add(stable_fluids* fluid, int32_t field,
                                                         const float* values, size_t count);

/** Sets a field as stable_fluids_set() does, from `count` values in the memory of the fluid's GPU,
 * without a copy in the computer's memory. First it waits for the work that has been queued in
 * `stream`, a cudaStream_t, or null for CUDA's default stream. When it returns, the values may be
 * changed or freed. It fails as stable_fluids_set() does. Also, a fluid on the host, or values that
 * are not in the memory of its GPU, are INVALID. Fractions and velocities of solids are copied
 * through the computer's memory, because they are analysed there. Since version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set_from_device(stable_fluids* fluid,
                                                                     int32_t field,
                                                                     const float* values,
                                                                     size_t count, void* stream);

/** Computes all fractions from the signed distance in metres to the surface of the solids, at the
 * cells' corners: (nx + 1) x (ny + 1) x (nz + 1) of them (flat: (nx + 1) x (ny + 1)). It is more
 * than 0 in the fluid. The corners, the middles of faces and the middle of a cell divide the cell
 * into triangles (flat) or tetrahedra. In each of these the distance is linear, so the surface is a
 * straight line or a plane. A share of less than 0.01 counts as 0. The solid's velocity stays as it
 * is. A null distance removes all solids and their velocity, and `count` is ignored. A distance
 * that is not finite or a wrong count is INVALID. Since version 1.2. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set_solid(stable_fluids* fluid,
                                                               const float* distance, size_t count);

/** Names the bodies among the solids: `labels` has the number of a body for each cell, from 0 to
 * 65535, or -1 for none, nx x ny x nz in all. The surface of solids in a cell belongs to the cell's
 * body. A cell with -1 gets the body of the nearest cell that has one, counted in faces to cross
 * (of several, that of the one that comes first in the array), so it is enough to label the cells
 * inside each solid. Friction on a face belongs to the body of that of its two cells which has less
 * fluid. Bodies make no difference to the flow, and no state contains them. When solids move, name
 * them again before the step. Taking all solids out takes the bodies out as well, and so does a
 * null pointer, with which `count` is ignored. A wrong count or label is INVALID. Since
 * version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set_bodies(stable_fluids* fluid,
                                                                const int32_t* labels,
                                                                size_t count);

/** Fills in the force and the torque of the fluid on a body in the last step. Set `forces->size`
 * first. `pivot` is the point about which the torque turns, in metres from the box's corner along
 * x, y and z (flat: the third is ignored). Between joined faces, each part of the surface counts
 * where it is nearest to the pivot. The pressure of a cell acts at the cell's centre, the friction
 * of a face at the face's centre. The forces on all bodies add up to the statistics' `solid_force`.
 * A null pointer, a pivot that is not finite, a wrong size, a body that is not there, or a fluid
 * that has not made a step since its bodies were named or its state was set is INVALID. Since
 * version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_forces_on(stable_fluids* fluid, int32_t body,
                                                               const double pivot[3],
                                                               stable_fluids_forces* forces);

/** Copies a field to `values`, which has room for `count`, as many as its shape has elements. A
 * null pointer, a wrong count, or a field that the fluid does not have is INVALID. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_read(stable_fluids* fluid, int32_t field,
                                                          float* values, size_t count);

/** Fills in a view of a field, without a copy. Set `view->size` first. A null pointer, a wrong
 * size, or a field that the fluid does not have is INVALID. A field that has never been set gets
 * its memory now. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_view(stable_fluids* fluid, int32_t field,
                                                          stable_fluids_view_of_field* view);

/** Writes `count` fields to one file that ParaView, VTK and VisIt read: VTK ImageData (.vti), with
 * the numbers at the cell centres, in metres and in the field's unit. U, V or W stands for
 * `velocity`, which has three components, each the mean of the cell's two faces. FORCE_X, FORCE_Y
 * or FORCE_Z likewise stands for `force`, FRACTION_X and so on for `face_fraction`, SOLID_U and so
 * on for `solid_velocity`, and VORTICITY_X, VORTICITY_Y or VORTICITY_Z for `curl`. All others have
 * one component and are called `pressure`, `divergence`, `speed`, `vorticity`, `expansion`,
 * `fraction`, `scalar_0`, `source_0` and so on. With null `fields`, the file gets the velocity,
 * the pressure, the divergence, the vorticity and all scalars, whatever `count` is. The file
 * appears whole or not at all. A null path, a count of 0 with `fields` that are not null, or a
 * field that the fluid does not have is INVALID, a number that is not finite is NOT_FINITE, and a
 * file that cannot be written is FILE_ERROR. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_save_vti(stable_fluids* fluid,
                                                              const char* path,
                                                              const int32_t* fields, size_t count);

/** Writes `count` fields to an OpenVDB file (.vdb), which Blender reads: the same fields under the
 * same names as stable_fluids_save_vti(), each as a grid of its own, in which cells that are 0 take
 * no room. It fails as that function does. If the library was built without OpenVDB, it is INVALID,
 * whatever the arguments. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_save_vdb(stable_fluids* fluid,
                                                              const char* path,
                                                              const int32_t* fields, size_t count);

/** Makes `count` steps of `dt` seconds. dt must be more than 0, count 0 or more. Linear advection
 * never makes a value larger than any was, however long dt is, but the error grows with dt. A flow
 * that is pushed so hard that it crosses more than about five cells in a step can become faster
 * from step to step: choose dt so that the statistics' `cfl` stays below 5. On the GPU with a
 * tolerance of 0 it returns while the last step is still being computed. With another tolerance it
 * waits for each residual, and so for each step.
 * Returns STABLE_FLUIDS_INVALID if dt or count is out of range, STABLE_FLUIDS_NOT_FINITE if the
 * flow is no longer finite, STABLE_FLUIDS_OUT_OF_MEMORY if there is no room for solids that have
 * changed, STABLE_FLUIDS_DEVICE_ERROR if the GPU failed. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_step(stable_fluids* fluid, float dt,
                                                          int32_t count);

/** Returns one line on what the last call of stable_fluids_step() did not do as asked, although it
 * succeeded, or an empty text. So far this is that a projection made all its `cycles` and left more
 * of the divergence than the tolerance, or that advection changed the total of a scalar that is to
 * be conserved by more than a factor of 2, so that it was left as it is. Before the first call it
 * may be about the description: that its size is the one of version 1.0 or 1.1, so that later
 * members had no effect (since version 1.4). The text is valid until the next call of
 * stable_fluids_step(). With a null pointer it is empty. Since version 1.3. */
STABLE_FLUIDS_API const char* stable_fluids_warning(const stable_fluids* fluid);

/** Waits until all steps are done. On the host they always are. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_wait(stable_fluids* fluid);

/** Fills in the statistics. Set `statistics->size` first. A null pointer or a wrong size is
 * INVALID. On the GPU it waits for all steps. */
STABLE_FLUIDS_API stable_fluids_status
stable_fluids_statistics_of(stable_fluids* fluid, stable_fluids_statistics* statistics);

/** Returns how many seconds have passed in the fluid so far, as the statistics say, but without any
 * work; 0 with a null pointer. Since version 1.4. */
STABLE_FLUIDS_API double stable_fluids_time(const stable_fluids* fluid);

/** Sets `*size` to how many bytes stable_fluids_get_state() writes now. That changes when a force,
 * a source, the expansion or a solid is set for the first time. A null pointer is INVALID. Since
 * version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_state_size(stable_fluids* fluid, size_t* size);

/** Copies all that the next steps depend on, but for the description, to `size` bytes at `state`:
 * fields, solids, time, and what a step hands on to the next. A fluid with this state goes on to
 * the same bits, whatever the number of its threads. A null pointer or a wrong size is INVALID. On
 * the GPU it waits for all steps. Since version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_get_state(stable_fluids* fluid, void* state,
                                                               size_t size);

/** Gives a fluid the state that stable_fluids_get_state() has copied, from the same fluid or
 * another one on the host or on a GPU, also in another run of the program. The other's description
 * must have had as many cells, the same kinds of faces, and as many scalars with the same kinds of
 * faces. A null pointer, a state of another box or of another kind of computer, or bytes that are
 * no state are INVALID. Since version 1.4. */
STABLE_FLUIDS_API stable_fluids_status stable_fluids_set_state(stable_fluids* fluid,
                                                               const void* state, size_t size);

#ifdef __cplusplus
}
#endif

#endif
