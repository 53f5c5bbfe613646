// What a step of the ranks sends, by formulas and by count. Include many.hpp first.
#pragma once

#include <string>
#include <vector>

namespace many {

/// What goes from ranks to other ranks.
struct Sent {
    double bytes = 0.0;
    double messages = 0.0;
};

/// How many ghost points all ranks have of a field with so many points. Along an axis of n points
/// the blocks of p ranks are n + 2 layers (p - 1) points long together. No rank may have fewer
/// cells along an axis than there are layers, here and below.
inline double ghost_points(const Three& points, const Three& shares, int layers) {
    double in_blocks = 1.0;
    double in_box = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        in_blocks *= points[axis] + 2.0 * layers * (shares[axis] - 1);
        in_box *= points[axis];
    }
    return in_blocks - in_box;
}

/// How many messages all ranks send in an exchange: one for each rank and neighbour, also those
/// across a corner. Along an axis of p ranks there are 3 p - 2 pairs of a rank and itself or a
/// neighbour.
inline double messages_of_exchange(const Three& shares) {
    double pairs = 1.0;
    double ranks = 1.0;
    for (int axis = 0; axis < 3; ++axis) {
        pairs *= 3.0 * shares[axis] - 2.0;
        ranks *= shares[axis];
    }
    return pairs - ranks;
}

/// What a step exchanges.
struct Exchanges {
    int times;
    int velocities;  ///< each is u, v and w
    int cells;  ///< fields at the centres of cells
};

/// What a step of a fluid exchanges if no body has moved and no rank needs more layers: u, v, w,
/// density, temperature and smoke at its beginning, the velocity before its divergence, and the
/// pressure before its gradient. Sharp advection exchanges what it has carried.
inline Exchanges exchanges_of_step(const Fluid& fluid) {
    Exchanges step = {3, 2, 4};
    if (fluid.advection != Advection::LINEAR) {
        step.times += 2;
        step.velocities += 1;
        step.cells += 3;
    }
    if (fluid.epsilon != 0.0) {
        step.times += 1;
        step.velocities += 1;
    }
    if (fluid.advection == Advection::REFLECTED && fluid.reflects_next) {
        step.times += 1;
        step.velocities += 1;
    }
    return step;
}

/// What all ranks send in the exchanges of a step, by formula. `part` is that of any of them. What
/// PETSc's solvers send comes on top.
inline Sent sent_by_formula(const Part& part) {
    const auto [x, y, z] = part.n;
    const auto ghosts_of = [&part](const Three& points) {
        return ghost_points(points, part.shares, part.ghosts);
    };
    const double cells = ghosts_of(part.n);
    const double velocity =
        ghosts_of({x + 1, y, z}) + ghosts_of({x, y + 1, z}) + ghosts_of({x, y, z + 1});
    const Exchanges step = exchanges_of_step(part.fluid);
    return {(step.velocities * velocity + step.cells * cells) * sizeof(double),
            step.times * messages_of_exchange(part.shares)};
}

/// What all ranks send in a product with the pressure's matrix, by formula: the cells on both sides
/// of each cut, which is a message each way between neighbours that share faces.
inline Sent sent_by_product(const Three& n, const Three& shares) {
    Sent sent;
    for (int axis = 0; axis < 3; ++axis) {
        const int one = (axis + 1) % 3;
        const int other = (axis + 2) % 3;
        const double cuts = 2.0 * (shares[axis] - 1);
        sent.bytes += cuts * n[one] * n[other] * sizeof(double);
        sent.messages += cuts * shares[one] * shares[other];
    }
    return sent;
}

/// One of many ranks that only counts what it would send. There are no others: it receives zeros,
/// and solves nothing.
class CountingRanks : public Ranks {
  public:
    Sent sent;

    CountingRanks(int count, int rank) : count_(count), rank_(rank) {}
    int count() const override { return count_; }
    int rank() const override { return rank_; }

    void send(int, const std::vector<double>& numbers) override {
        if (!numbers.empty()) {
            sent.bytes += static_cast<double>(numbers.size() * sizeof(double));
            sent.messages += 1.0;
        }
    }
    void receive(int, std::vector<double>&) override {}
    void wait() override {}
    void sum(std::vector<double>&) override {}
    double largest(double number) override { return number; }
    std::vector<double> join(const std::vector<double>& numbers) override { return numbers; }
    std::vector<double> solve(const Part&, const std::string&, const Matrix&, Field&,
                              const Field&) override {
        return {1.0, 0.0};
    }

  private:
    int count_;
    int rank_;
};

/// What all ranks send in a step of a fluid at rest, by count: each rank makes the step on its own
/// part of a closed box. `like` has the parameters.
inline Sent sent_by_count(const Three& n, const Three& shares, int layers, const Fluid& like) {
    Sent all;
    const int ranks = shares[0] * shares[1] * shares[2];
    for (int rank = 0; rank < ranks; ++rank) {
        CountingRanks counting(ranks, rank);
        Part part = make_part(n, shares, rank, layers, like, {});
        step(part, 0.1, counting);  // finds the matrix, too
        part.fluid.reflects_next = like.reflects_next;
        counting.sent = {};
        step(part, 0.1, counting);
        all.bytes += counting.sent.bytes;
        all.messages += counting.sent.messages;
    }
    return all;
}

}  // namespace many
