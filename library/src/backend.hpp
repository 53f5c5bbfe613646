// What a step is made of, wherever it is done: arrays in the backend's memory, and the operations
// of operations.hpp on all their places. The solver asks for them, host.cpp and device.cu do them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "library/src/operations.hpp"

namespace box {

/// Thrown when something cannot be done: what to return, and one line that says why.
struct Failure : std::runtime_error {
    int status;  ///< a stable_fluids_status
    Failure(int what, const std::string& why) : std::runtime_error(why), status(what) {}
};

/// What a V-cycle does on one box without a look at another one: it takes in what the next coarser
/// box has found, sweeps, and passes on what is left.
struct Smoothing {
    const Prolong* prolong = nullptr;  ///< done first, if there is one
    Relax relax;
    int sweeps;
    const SetBnd* wraps;  ///< as for relax(); at the end the ghosts are up to date
    int wrap_count;
    bool look = false;  ///< whether to work out b - A x, into `residual.r`
    bool measure = false;  ///< whether to add up its squares as well
    Residual residual = {};
    const Restrict* restrict_to = nullptr;  ///< done last, from `residual.r`, if there is one
};

/// Sums over all places, for what x and y leave of b: the squares of b - A x, those of b - A y, and
/// one times the other.
struct Left {
    double of_x, of_y, of_both;
};

/// Operations are queued in order; what they return, and downloads, are waited for. A backend may
/// hold some back, to do them together with later ones, until it is told to submit them.
class Backend {
  public:
    virtual ~Backend() = default;

    /// Throws a Failure if there can be no room for so many bytes.
    virtual void check_room(double /*bytes*/) {}

    /// Memory for so many floats, all 0. Throws std::bad_alloc or a Failure.
    virtual float* allocate(std::size_t count) = 0;
    virtual void release(float* data) noexcept = 0;

    virtual void clear(float* data, std::size_t count) = 0;
    virtual void copy(float* to, const float* from, std::size_t count) = 0;
    virtual void upload(float* to, const float* from, std::size_t count) = 0;
    virtual void download(float* to, const float* from, std::size_t count) = 0;

#define RUN(Op, name) virtual void run(const Op& op) = 0;
    FOR_OPERATIONS(RUN)
    FOR_OPERATIONS_OF_SOLIDS(RUN)
#undef RUN

    /// Begins to add up the energies of a velocity that is carried by MacCormack's method.
    virtual void begin_energies() = 0;
    /// Corrects a component, and adds up its energies, in an order that does not depend on the
    /// threads.
    virtual void correct(const Correct& op, const Energy& energy) = 0;
    /// Adds what comes in to the energy that there was before, likewise.
#define ADD_ENERGY(Op, name) virtual void add_energy(const Op& op) = 0;
    FOR_ENERGIES(ADD_ENERGY)
    FOR_ENERGIES_OF_SOLIDS(ADD_ENERGY)
#undef ADD_ENERGY
    /// Leaves the largest share of the correction that the energies allow, in `count` components.
    /// op.share is not looked at.
    virtual void limit(const Blend* ops, int count) = 0;
    /// That share. It is waited for.
    virtual double share() = 0;

    /// Does them, and what `ends` says at the ends of the rows that are written.
#define RUN_TO_ENDS(Op, name)                                    \
    virtual void run_to_ends(const Op& op, const SetBnd& ends) { \
        run(op);                                                 \
        run(ends);                                               \
    }
    FOR_OPERATIONS_TO_ENDS(RUN_TO_ENDS)
#undef RUN_TO_ENDS

    /// Whole red-black sweeps: the reds, then the blacks, `sweeps` times over; op.colour is not
    /// looked at. Where faces are joined, `wraps` are the operations, at most three, that bring
    /// their ghosts up to date: they are done before each colour.
    virtual void relax(Relax op, int sweeps, const SetBnd* wraps, int count) = 0;
    /// Likewise between solids.
    virtual void relax_cut(CutRelax op, int sweeps, const SetBnd* wraps, int count) {
        for (int half = 0; half < 2 * sweeps; ++half) {
            for (int n = 0; n < count; ++n) {
                run(wraps[n]);
            }
            op.colour = half % 2;
            run(op);
        }
    }

    /// Does all of it, one after the other. Returns the sum of the squares, or 0. What is in
    /// `residual.r` afterwards is not said: a backend may keep it for itself.
    virtual double smooth(const Smoothing& op) {
        if (op.prolong != nullptr) {
            run(*op.prolong);
        }
        relax(op.relax, op.sweeps, op.wraps, op.wrap_count);
        for (int n = 0; n < op.wrap_count; ++n) {
            run(op.wraps[n]);
        }
        double sum = 0.0;
        if (op.look && op.measure) {
            sum = squares(op.residual);
        } else if (op.look) {
            run(op.residual);
        }
        if (op.restrict_to != nullptr) {
            run(*op.restrict_to);
        }
        return sum;
    }

    /// What they return, added up in double, in an order that does not depend on the threads.
#define SUM(Op, name) virtual double sum(const Op& op) = 0;
    FOR_SUMS(SUM)
    FOR_SUMS_OF_SOLIDS(SUM)
#undef SUM
    /// The squares of what they return, added up likewise.
#define SQUARES(Op, name) virtual double squares(const Op& op) = 0;
    FOR_SQUARES(SQUARES)
    FOR_SQUARES_OF_SOLIDS(SQUARES)
#undef SQUARES
    /// For the x of one residual and that of the other, which have the same b. What is in their `r`
    /// afterwards is not said.
    virtual Left left_by(const Residual& x, const Residual& y) {
        return left_by_any(x, y);
    }
    virtual Left left_by(const CutResidual& x, const CutResidual& y) {
        return left_by_any(x, y);
    }
    /// The largest size of what they return; NaN if one is.
    virtual double largest(const Value& op) = 0;

    /// Calls work(begin, end) for parts of 0 to count - 1, all at once where there are threads. It
    /// is for what is worked out in the computer's memory, and must not throw.
    virtual void for_parts(int count, const std::function<void(int, int)>& work) {
        work(0, count);
    }

    /// Queues what it holds back, for whoever goes on in stream().
    virtual void submit() {}
    /// Waits for all there is.
    virtual void wait() = 0;

    /// Whether that is an address in its own memory, whoever has asked for it.
    virtual bool holds(const void* /*address*/) const {
        return false;
    }
    /// Waits for what somebody else has queued there.
    virtual void wait_for(void* /*stream*/) {}

    virtual bool on_device() const = 0;
    virtual void* stream() const = 0;

  private:
    template <class Op>
    Left left_by_any(const Op& x, const Op& y) {
        const double of_x = squares(x);
        const double of_y = squares(y);
        return {of_x, of_y, sum(Product{places_of(x), x.r, y.r})};
    }
};

std::unique_ptr<Backend> make_host(int threads);

/// Throws a Failure where CUDA cannot be used.
std::unique_ptr<Backend> make_device();

/// Why CUDA cannot be used, in one line; nothing if it can.
std::string why_no_device();

}  // namespace box
