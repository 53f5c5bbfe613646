// The fluid behind stable_fluids.h: a staggered grid in any box, in the memory of any backend. What
// is done in a step, and in which order, is said in step.cpp; what is done to a cell, in the files
// that operations.hpp lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "library/src/backend.hpp"
#include "library/src/field.hpp"
#include "library/src/multigrid.hpp"
#include "library/src/numbers.hpp"
#include "library/src/regions.hpp"
#include "library/src/solids.hpp"
#include "library/src/sweeps.hpp"
#include "library/src/walls.hpp"
#include "stable_fluids.h"

namespace box {

/// How much of what is given at open faces counts in equations for q: the pressures outside and the
/// dynamic pressures, and the changes of the latter.
struct Given {
    float pressure = 0.0f;
    float change = 0.0f;
};

/// The arrays of a system of equations A x = b, with room for b - A x.
struct Unknown {
    Array x, b, r;
};

class Solver {
  public:
    /// A web page has no STABLE_FLUIDS_MIDPOINT: none asks for it, and each would load its code.
    static constexpr int last_splitting =
        is_small ? int{STABLE_FLUIDS_STRANG} : int{STABLE_FLUIDS_MIDPOINT};

    /// Nor has it STABLE_FLUIDS_CENTRAL.
    static constexpr int last_advection =
        is_small ? int{STABLE_FLUIDS_MACCORMACK} : int{STABLE_FLUIDS_CENTRAL};

    /// The description must have been found good. Throws std::bad_alloc or a Failure.
    Solver(const stable_fluids_description& description, std::unique_ptr<Backend> where);

    /// Lets dt seconds pass so many times. Throws a Failure if a number is no longer finite.
    void step(float dt, int count);
    /// The part of a step that lets all forces act for dt seconds.
    void add_forces(float dt);

    /// Elements along each axis; false if there is no such field.
    bool shape(int field, int counts[3]) const;
    /// Whether it may be set.
    static bool may_be_set(int field);
    /// Whether its values must be from 0 to 1.
    static bool is_fraction(int field);

    static bool is_of_solid(int field);

    /// Copies a field, without ghosts and gaps, there and back.
    void write(int field, const float* values);
    /// As write(), with one value everywhere.
    void fill(int field, float value);
    /// As write(), from the device's memory. It is not for the fields of solids.
    void write_from_device(int field, const float* values);
    /// Whether all values for a field are finite, in the device's memory.
    bool is_finite(int field, const float* values);
    void read(int field, float* values);
    /// Where a field lies. What is computed for it lies in `next[0]`, until something else does.
    Array place(int field);

    /// Likewise, for somebody who keeps the address: what may be set, but for solids, is there
    /// again whenever steps are done.
    Array keep_place(int field);

    /// Works out all fractions from the distance to the solids' surface, at the cells' corners; or,
    /// with a null pointer, takes all solids out.
    void set_solid(const float* distance);

    /// Names the body of each cell (bodies.cpp); or, with a null pointer, takes all bodies out.
    void set_bodies(const std::int32_t* labels);
    /// How many bodies there are.
    int body_count() const;
    /// Whether a step has been made since they were named.
    bool knows_forces() const;
    /// The force of the fluid on a body in the last step, and its torque about a pivot in metres.
    void find_forces(int body, const double pivot[3], stable_fluids_forces& forces);

    /// All that the next steps depend on (state.cpp): how long it is, to there, and from there.
    std::size_t state_size();
    void get_state(unsigned char* state);
    void set_state(const unsigned char* state, std::size_t size);
    double seconds() const { return time; }

    void fill(stable_fluids_statistics& statistics);
    /// What the projection left over what was there, the last time that it made all cycles and left
    /// more than the tolerance in the last call of step(); 0 if it never did.
    double unsolved() const { return unsolved_residual; }
    /// A scalar whose total the last call of step() could not keep, or -1.
    int lost() const { return lost_scalar; }
    int most_cycles() const { return cycles; }
    float wanted() const { return tolerance; }
    Backend& where() { return *backend; }
    float cell_size() const { return h; }

  private:
    int dimensions() const { return deep ? 3 : 2; }
    bool needs_second_spare() const {
        return central || (maccormack && !deep && scalar_kinds.size() > 1);
    }
    Extent cells() const;
    Extent with_ghosts() const;
    Extent elements(int field) const;
    Flow flow() const { return flow_of(velocity); }
    Flow flow_of(const Field* components) const;
    Field make(const Layout& layout);

    // The parts of a step (step.cpp).
    void step(float dt);
    /// A velocity or a solid is set: what was found of the velocity holds no longer.
    void disturb() {
        undisturbed = 0;
        halfway_steps = 0.0f;
    }
    void bring_home();
    void look_ahead(float dt);
    void look_between();
    void push_ahead(float dt);

    // At the faces of the box (walls.cpp).
    void make_walls(const stable_fluids_description& description);
    /// From that axis on. The ghosts along those before have been set.
    void set_bnd(const Array& x, const Walls& walls, int first_axis = 0);
    void set_velocity_bnd(int first_axis = 0);
    void apply(const SetBnd* operations, const Array& x, float given);

    // The grid hierarchies (multigrid.cpp).
    void make_levels(const stable_fluids_description& description);
    void make_memory(Level& level, const Layout& some);
    std::vector<Level> make_spreading(const Walls& walls);
    double smooth(std::vector<Level>& grids, std::size_t l, const Cycle& cycle, Sweeps how);
    void correct(std::vector<Level>& grids, std::size_t l, const Cycle& cycle);

    // What pushes (forces.cpp).
    void make_forces(const stable_fluids_description& description);
    void add(Field& x, const Field& what, const Walls& walls, float dt);
    void add_buoyancy(float dt);
    void add_confinement(float dt);
    void push(const Array& centres, int component, float factor);

    // What is carried (advection.cpp).
    void carry_velocity(const Field* before, const Flow& along, float dt);
    double cells_crossed(const Flow& along, float dt);
    void carry_by_differences(const Field* before, const Flow& along, float dt, double crossed);
    void carry_by_traces(const Field* before, const Flow& along, float dt);
    void add_energy_that_comes_in(const Flow& along, float dt);
    bool shares_traces() const;
    void find_halfway(const Flow& along, float steps);
    void advect_along_halfway(Advect op);
    void carry(const Field* from, Field* const* to, Field* const* tries, const Walls* walls,
               int count, int where, const Flow& along, float steps);
    void step_scalars(float dt);
    void step_scalars(int first, int count, float dt);
    void finish_scalar(std::size_t n, double before, float dt);
    double amount_of(const Field& scalar);

    // What spreads (diffusion.cpp).
    double over_relax(Smoothing smoothing);
    Solved diffuse(Field& x, const Walls& walls, std::vector<Level>& grids, float centre,
                   float asked);
    Solved diffuse_by_sweeps(const Unknown& u, const Walls& walls, float centre, float a,
                             const SweepPlan& plan);
    Solved diffuse_by_cycles(const Unknown& u, std::vector<Level>& grids, float centre, float a);
    float share_ahead(float dt) const;
    void add_friction_at_walls(const Array& u, const Array& change, const Equations& equations,
                               float a);
    void diffuse_ahead(float dt);

    // The projection (pressure.cpp).
    bool has_total_pressure() const { return !is_small && any_total_pressure; }
    void project(float dt, bool goes_on);
    void find_dynamic_pressure(float dt);
    void subtract_dynamic(const Array& x, const Given& given);
    float mean_of(const Field& x);
    double prepare(const Given& given);
    double before_pressure(float dt);
    double length_of_residual();
    void start(const Given& given);
    Left left_by_last_pressures(float dt);
    bool start_with_guess(float dt, double left_by_nothing);
    Cycle pressure_cycle() const;
    int solve(double enough);
    void subtract_gradient(const Array& q, const Given& given);
    void subtract_pressure(float dt);
    void set_pressure_bnd(const SetBnd* operations, const Array& x, const Given& given);
    void settle_pressure();
    void unsettle_pressure();

    // The fields by number (fields.cpp).
    Field& stored(int field);
    Field& begin_write(int field);
    void finish_write(int field);
    void check_velocity();
    void check_scalars();
    double share_of_correction();

    // The state as bytes (state.cpp).
    struct StateKind;
    struct StateHead;
    StateKind state_kind() const;
    StateHead state_head(const unsigned char* state, std::size_t size) const;
    std::vector<Field*> state_fields();
    void check_state_values(const unsigned char* values, std::size_t size, bool has_solids) const;
    bool is_in_state(const Field& field, const StateHead& head) const;
    void set_numbers(const StateHead& head);

    // In a box with solids (solids.cpp).
    bool cut() const { return !is_small && solids && solids->cut; }
    void make_solids();
    void note_solids();
    Numbers downloaded(const Field& field) const;
    void settle_solids();
    std::vector<Numbers> fractions_of(const float* distance) const;
    SolidsGiven solids_given();
    Surroundings surroundings() const;
    SolidsFound find_solids(SolidsGiven& given) const;
    bool has_heated_solids() const;
    void make_room_for(const SolidsFound& found);
    void upload_solids(const SolidsGiven& given, const SolidsFound& found);
    void mirror_alive(std::size_t l);
    const Field& surfaces(int axis) const;
    CutDivergence cut_divergence(const Array& x, float factor) const;
    Cut cut_pressure(std::size_t l) const;
    RowsNearSolids rows_at(const NearSolids& near, std::size_t l = 0) const;
    void enforce(const Array& u, int component);
    void enforce_velocity();
    void extend_velocity();
    void extend_scalar(const Array& x);
    Viscosity viscosity_of(int component) const;
    Solved cut_viscosity(int component, float a);
    void cut_diffusion(std::size_t n, float centre, float asked);
    Solved relax_cut(const Unknown& u, const Walls& walls, const Cut& cut);
    int solve_cut(double enough);
    void correct_cut(std::size_t l, const Array& x, const Array& b, const Array& r);
    void smooth_cut(std::size_t l, const Array& x, const Array& b);
    void settle_cut_pressure();
    void push_solids();

    // The bodies among the solids (bodies.cpp).
    bool has_bodies() const { return !is_small && solids && solids->bodies; }
    void take_bodies_out();
    void spread_labels(std::vector<int>& label) const;
    void keep_sheared(int component);
    void note_step_of_bodies();
    void find_surface_forces();
    void find_pressure_forces();
    void find_friction_forces(int component);
    SurfaceForce friction_on_face(const Friction& friction, const int face[3]) const;
    int body_at_face(const Array& fraction, int component, const int face[3]) const;

    std::unique_ptr<Backend> backend;
    int nx, ny, nz;
    bool deep;
    float h, viscosity, tolerance;
    int cycles;
    /// Whether the description is one of version 1.4. Those of the versions before give the results
    /// that they gave: each place has a trace of its own, and cycles are as they were.
    bool since_1_4;
    /// Whether the solver begins with a guess at the pressure. With Strang's splitting, the
    /// pressure of the last step has acted already.
    bool begins_with_guess;
    bool central;  ///< whether the velocity is carried by central differences where it can be
    bool maccormack;  ///< whether MacCormack's method carries everything else
    bool limited;  ///< whether the energy of the corrected velocity is: it is bounded in a flat box
    bool strang;  ///< whether forces and pressure act in two halves
    bool midpoint;  ///< whether, besides, the velocity in the middle of a step carries
    bool joined[3] = {};
    bool any_open = false;
    bool comes_in[6] = {};  ///< whether fluid may come in through a face of the box
    bool any_given = false;  ///< whether a pressure that is not the average stands at a face
    bool any_total_pressure = false;  ///< whether the total pressure stands at a face
    float outside = 0.0f;  ///< the average of the pressures given outside: only differences push
    std::int32_t face_kinds[6];  ///< what the fluid meets at each face of the box
    std::vector<stable_fluids_scalar> scalar_kinds;
    std::vector<stable_fluids_buoyancy> buoyancy;  ///< of each scalar; none if no scalar pushes
    float buoyancy_direction[3] = {};  ///< of length 1
    float confinement;

    Layout layout;
    Field velocity[3], force[3];
    Field next[3];  ///< what the velocity becomes; otherwise free for all (see Lent)
    Field pushed[3];  ///< with Strang's splitting: what becomes the velocity; otherwise free
    Field earlier[3];  ///< for STABLE_FLUIDS_MIDPOINT: the velocity before the last step
    /// Where traces are shared: the velocity half the way back from each cell's centre.
    Field halfway[3];
    Field spare;  ///< MacCormack's first try, and what the pressure is solved in
    /// The first try of a second scalar, where next[2] is not there for it, and what central
    /// differences make in between.
    Field second_spare;
    Field pressure;
    Field pressure_before;  ///< that of the step before the last, if a step begins with a guess
    std::vector<Field> scalars, sources;
    std::vector<std::pair<Field*, float*>> homes;  ///< fields whose memory somebody looks at
    Field expansion;
    float expansion_shift = 0.0f;  ///< added to it, so that it can be reached in a closed box
    /// With a total pressure: half the square of the velocity that comes in, in the cells beyond
    /// such faces; and what it is in the step that is under way.
    Field dynamic_pressure, next_dynamic_pressure;
    Walls velocity_walls[3], pressure_walls;
    std::vector<Walls> scalar_walls;
    Walls push_walls;  ///< of a push at the centres: nothing pushes beyond the box
    Walls curl_walls[4];  ///< of what the confinement looks at: velocities, and (3) the vorticity
    std::vector<Level> levels;  ///< of the pressure
    std::vector<Level> velocity_grids[3];  ///< of viscosity; they borrow the memory of `levels`
    std::vector<std::vector<Level>> scalar_grids;  ///< of each scalar's diffusion, likewise
    std::unique_ptr<Solids> solids;  ///< none, until any are set

    std::int64_t steps = 0;
    std::int64_t unsolved_steps = 0;
    double unsolved_residual = 0.0;
    int lost_scalar = -1;
    double time = 0.0;
    float last_dt = 0.0f;
    /// For which Advect::steps `halfway` has been found, with the velocity as it is; or 0.
    float halfway_steps = 0.0f;
    Solved last_pressure, last_viscosity;
    bool pressure_settled = false;
    /// The share of the correction, in a state that was set or where none is made; else less than
    /// 0.
    double last_share = -1.0;
    int undisturbed = 0;  ///< steps since a velocity, or a solid, was set
    std::uint64_t bytes = 0;
};

}  // namespace box
