#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "larger.hpp"
#include "many.hpp"

// No MPI here: each rank is a thread, and what MPI would send lies in memory that they share. That
// MPI and PETSc do the same is tested by ranks.py.

namespace {

std::string name_of(const Three& n) {
    return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

void make_bumpy(Field& field, std::uint32_t seed) {
    for (double& value : field.values) {
        seed = seed * 1664525u + 1013904223u;
        value = static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
    }
}

double distance(const Field& a, const Field& b) {
    REQUIRE(a.values.size() == b.values.size());
    double found = 0.0;
    for (std::size_t point = 0; point < a.values.size(); ++point) {
        found = larger(found, std::abs(a.values[point] - b.values[point]));
    }
    return found;
}

// ---- Ranks that are threads
// ----------------------------------------------------------------------

/// What all ranks share in place of a network.
class Network {
  public:
    const int ranks;
    std::mutex mutex;
    std::string problem;  ///< the first
    int messages = 0;
    double numbers_sent = 0.0;
    std::map<std::pair<int, int>, const std::vector<double>*> mail;  ///< from whom, and to whom
    std::vector<double> sums;
    double most = 0.0;
    std::vector<std::vector<double>> lists;

    // A x = b.
    std::vector<Eigen::Triplet<double>> entries;
    std::map<int, double> rhs;
    std::map<std::size_t, int> first_of_closed;
    Eigen::VectorXd solution;

    explicit Network(int count) : ranks(count), lists(count) {}

    void report(const std::string& words) {
        const std::lock_guard<std::mutex> lock(mutex);
        problem = problem.empty() ? words : problem;
        all_.notify_all();
    }

    /// Returns once all ranks have called it. Throws if one does not come.
    void meet() {
        std::unique_lock<std::mutex> lock(mutex);
        const int meeting = meetings_;
        ++arrived_;
        if (arrived_ == ranks) {
            arrived_ = 0;
            ++meetings_;
            all_.notify_all();
            return;
        }
        const auto is_over = [this, meeting] { return meetings_ != meeting || !problem.empty(); };
        if (!all_.wait_for(lock, std::chrono::seconds(10), is_over)) {
            problem = "a rank waits for another that does not come";
            all_.notify_all();
        }
        if (meetings_ == meeting) {
            throw std::runtime_error(problem);
        }
    }

  private:
    std::condition_variable all_;
    int arrived_ = 0, meetings_ = 0;
};

/// One rank, as a thread.
class Thread : public Ranks {
  public:
    Thread(Network& network, int rank) : network_(network), rank_(rank) {}

    int count() const override { return network_.ranks; }
    int rank() const override { return rank_; }

    void send(int to, const std::vector<double>& numbers) override {
        if (numbers.empty()) {
            return;
        }
        const std::lock_guard<std::mutex> lock(network_.mutex);
        network_.mail[{rank_, to}] = &numbers;
        network_.messages += 1;
        network_.numbers_sent += static_cast<double>(numbers.size());
    }

    void receive(int from, std::vector<double>& numbers) override {
        if (!numbers.empty()) {
            expected_.emplace_back(from, &numbers);
        }
    }

    void wait() override {
        network_.meet();
        for (const auto& [from, numbers] : expected_) {
            const auto found = network_.mail.find({from, rank_});
            const std::size_t size = found == network_.mail.end() ? 0 : found->second->size();
            if (size == numbers->size()) {
                *numbers = *found->second;
            } else {
                network_.report("rank " + std::to_string(rank_) + " expects " +
                                std::to_string(numbers->size()) + " numbers of rank " +
                                std::to_string(from) + ", which sends it " + std::to_string(size));
            }
        }
        expected_.clear();
        network_.meet();
        if (rank_ == 0) {
            network_.mail.clear();
        }
        network_.meet();
    }

    void sum(std::vector<double>& numbers) override {
        const std::vector<double> all = join(numbers);
        for (std::size_t at = 0; at < numbers.size(); ++at) {
            numbers[at] = 0.0;
            for (int rank = 0; rank < count(); ++rank) {
                numbers[at] += all.at(at + rank * numbers.size());
            }
        }
    }

    double largest(double number) override {
        const std::vector<double> all = join({number});
        return *std::max_element(all.begin(), all.end());
    }

    std::vector<double> join(const std::vector<double>& numbers) override {
        network_.lists[rank_] = numbers;
        network_.meet();
        std::vector<double> all;
        for (const std::vector<double>& list : network_.lists) {
            all.insert(all.end(), list.begin(), list.end());
        }
        network_.meet();
        return all;
    }

    std::vector<double> solve(const Part& part, const std::string&, const Matrix& A, Field& x,
                              const Field& b) override {
        Field numbers = A.diagonal;
        number_points(part, numbers, *this);
        const Three extra = extra_points(part.fluid, A.diagonal);
        const int points = (part.n[0] + extra[0]) * (part.n[1] + extra[1]) * (part.n[2] + extra[2]);
        const Points owned = owned_points(part, rank_, extra);
        {
            const std::lock_guard<std::mutex> lock(network_.mutex);
            for_each_point_of(part, owned, [&](int i, int j, int k) {
                const int row = static_cast<int>(numbers(i, j, k));
                for (const Entry& entry : matrix_row(A, numbers, i, j, k)) {
                    network_.entries.emplace_back(row, static_cast<int>(entry.column), entry.value);
                }
                network_.rhs[row] = right_hand_side_at(A, x, b, i, j, k);
            });
            note_closed(part, A, numbers);
        }
        network_.meet();
        if (rank_ == 0) {
            solve_all(points);
        }
        network_.meet();
        for_each_point_of(part, owned, [&](int i, int j, int k) {
            const int row = static_cast<int>(numbers(i, j, k));
            if (A.has(i, j, k) && 0 <= row && row < points) {
                x(i, j, k) = network_.solution[row];
            }
        });
        network_.meet();
        return {1.0, 0.0};
    }

  private:
    Network& network_;
    int rank_;
    std::vector<std::pair<int, std::vector<double>*>> expected_;

    /// The least number of each closed component.
    void note_closed(const Part& part, const Matrix& A, const Field& numbers) {
        if (&A != &part.fluid.matrix) {
            return;
        }
        for (std::size_t at = 0; at < part.fluid.closed.size(); ++at) {
            for (const int point : part.fluid.closed[at]) {
                const int number = static_cast<int>(numbers.values[point]);
                const auto first = network_.first_of_closed.try_emplace(at, number).first;
                first->second = std::min(first->second, number);
            }
        }
    }

    void solve_all(int points) {
        Eigen::VectorXd right = Eigen::VectorXd::Zero(points);
        const auto is_in_box = [points](int number) { return 0 <= number && number < points; };
        for (const auto& entry : network_.entries) {
            if (!is_in_box(entry.row()) || !is_in_box(entry.col())) {
                network_.report("a row or a column has a number that no point has");
                network_.entries.clear();
                break;
            }
        }
        for (const auto& [row, value] : network_.rhs) {
            if (is_in_box(row)) {
                right[row] = value;
            }
        }
        for (const auto& [at, number] : network_.first_of_closed) {
            network_.entries.emplace_back(number, number, 1.0);
        }
        Eigen::SparseMatrix<double> matrix(points, points);
        matrix.setFromTriplets(network_.entries.begin(), network_.entries.end());
        const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
        network_.solution = right;
        if (factors.info() == Eigen::Success) {
            network_.solution = factors.solve(right);
        }
        network_.entries.clear();
        network_.rhs.clear();
        network_.first_of_closed.clear();
    }
};

/// Lets each rank do the same with its part, all at the same time. Returns what went wrong, or "".
std::string on_all(Network& network, std::vector<Part>& parts,
                   const std::function<void(Part&, Ranks&)>& act) {
    std::vector<std::thread> threads;
    for (Part& part : parts) {
        threads.emplace_back([&network, &part, &act] {
            Thread rank(network, part.rank);
            try {
                act(part, rank);
            } catch (const std::exception& error) {
                network.report(error.what());
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return network.problem;
}

// ---- The box and its parts, without the reader's functions
// ---------------------------------------

Three size_of(const Fluid& fluid) {
    return {fluid.nx, fluid.ny, fluid.nz};
}

/// The cells that a rank owns; along an axis that has one more point, this point is the last one's.
Points expected_points(const Three& n, const Three& shares, int rank, const Three& extra) {
    const Three at = {rank % shares[0], rank / shares[0] % shares[1], rank / shares[0] / shares[1]};
    Points points;
    for (int axis = 0; axis < 3; ++axis) {
        points.begin[axis] = n[axis] * at[axis] / shares[axis];
        points.end[axis] = n[axis] * (at[axis] + 1) / shares[axis];
        if (at[axis] == shares[axis] - 1) {
            points.end[axis] += extra[axis];
        }
    }
    return points;
}

/// Calls visit(place in the box, place in the part) for these points.
void visit_points(const Part& part, const Points& points,
                  const std::function<void(const Three&, const Three&)>& visit) {
    for (int k = points.begin[2]; k < points.end[2]; ++k) {
        for (int j = points.begin[1]; j < points.end[1]; ++j) {
            for (int i = points.begin[0]; i < points.end[0]; ++i) {
                visit({i, j, k}, {i - part.first[0], j - part.first[1], k - part.first[2]});
            }
        }
    }
}

double at(const Field& field, const Three& point) {
    return field(point[0], point[1], point[2]);
}

double& at(Field& field, const Three& point) {
    return field(point[0], point[1], point[2]);
}

Points expected_points(const Part& part, const Field& field) {
    return expected_points(part.n, part.shares, part.rank, extra_points(part.fluid, field));
}

/// The parts of a fluid. Solids, sources and given velocities are known in ghost cells, too; all
/// else is 0 there.
std::vector<Part> parts_of(const Fluid& whole, const Three& shares, int ghosts) {
    const Three n = size_of(whole);
    std::array<Side, 6> sides;
    std::copy(std::begin(whole.sides), std::end(whole.sides), sides.begin());
    std::vector<Part> parts;
    for (int rank = 0; rank < shares[0] * shares[1] * shares[2]; ++rank) {
        const Points own = expected_points(n, shares, rank, {0, 0, 0});
        Part part = {n, shares, rank, ghosts, {0, 0, 0}, sides, Fluid(1, 1, 1)};
        Three cells;
        for (int axis = 0; axis < 3; ++axis) {
            part.first[axis] = std::max(0, own.begin[axis] - ghosts);
            cells[axis] = std::min(n[axis], own.end[axis] + ghosts) - part.first[axis];
        }
        part.fluid = Fluid(cells[0], cells[1], cells[2]);
        copy_numbers(whole, part.fluid);
        set_sides(part);
        set_origins(part);
        for (Field Fluid::*name :
             {&Fluid::solid, &Fluid::source, &Fluid::u_given, &Fluid::v_given, &Fluid::w_given}) {
            Field& field = part.fluid.*name;
            for_each_point(field, [&](int i, int j, int k) {
                field(i, j, k) =
                    (whole.*name)(i + part.first[0], j + part.first[1], k + part.first[2]);
            });
        }
        for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density,
                                   &Fluid::temperature, &Fluid::smoke, &Fluid::pressure}) {
            Field& field = part.fluid.*name;
            visit_points(part, expected_points(part, field),
                         [&](const Three& point, const Three& place) {
                             at(field, place) = at(whole.*name, point);
                         });
        }
        parts.push_back(part);
    }
    return parts;
}

/// The fields of a fluid that its parts have, put together again.
Fluid together(const Fluid& whole, const std::vector<Part>& parts) {
    Fluid result = whole;
    for (const Part& part : parts) {
        for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density,
                                   &Fluid::temperature, &Fluid::smoke, &Fluid::pressure}) {
            const Field& field = part.fluid.*name;
            visit_points(part, expected_points(part, field),
                         [&](const Three& point, const Three& place) {
                             at(result.*name, point) = at(field, place);
                         });
        }
    }
    return result;
}

// ---- Fluids
// --------------------------------------------------------------------------------------

/// A closed box whose fluid flows along every axis, with dye, smoke, warmth and a force.
Fluid bumpy_fluid(const Three& n) {
    Fluid fluid(n[0], n[1], n[2]);
    fluid.h = 0.5;
    fluid.force_x = 0.2;
    fluid.force_y = -0.3;
    fluid.tolerance = 1e-13;
    fluid.iterations = 2000;
    fluid.solver = Solver::DIRECT;
    make_bumpy(fluid.u, 1);
    make_bumpy(fluid.v, 2);
    make_bumpy(fluid.w, 3);
    make_bumpy(fluid.density, 4);
    make_bumpy(fluid.temperature, 5);
    make_bumpy(fluid.smoke, 6);
    set_bnd(fluid);
    return fluid;
}

/// A channel: inflow at the left, outflow at the right, a body in the middle, viscosity.
Fluid channel(const Three& n) {
    Fluid fluid = bumpy_fluid(n);
    fluid.advection = Advection::SHARP;
    fluid.nu = 0.05;
    fluid.sides[0].opening = Opening::INFLOW;
    fluid.sides[0].velocity = {0.8, 0.1, 0.0};
    fluid.sides[1].opening = Opening::OUTFLOW;
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            fluid.u_given(0, j, k) = 0.8;
            for (int i = 0; i < n[0]; ++i) {
                const bool is_body = 2 * std::abs(2 * i - n[0]) + std::abs(2 * j - n[1]) < 9;
                fluid.solid(i, j, k) = is_body ? 1.0 : 0.0;
            }
        }
    }
    set_bnd(fluid);
    return fluid;
}

/// A plume: open above, a source, warm walls, buoyancy, cooling, confinement.
Fluid plume(const Three& n) {
    Fluid fluid = bumpy_fluid(n);
    fluid.advection = Advection::SHARP;
    fluid.alpha = 0.3;
    fluid.beta = 1.5;
    fluid.kappa = 0.02;
    fluid.cooling = 0.2;
    fluid.epsilon = 0.4;
    fluid.nu = 0.01;
    fluid.sides[2].opening = Opening::OUTFLOW;
    fluid.sides[3].heats = true;
    fluid.sides[3].temperature = 0.7;
    fluid.sides[0].velocity = {0.0, 0.5, 0.0};
    for_each_point(fluid.source, [&](int i, int j, int k) {
        const bool is_source = j > n[1] / 2 && std::abs(2 * i - n[0]) < 5 && 2 * k <= n[2] + 1;
        fluid.source(i, j, k) = is_source ? 3.0 : 0.0;
    });
    set_bnd(fluid);
    return fluid;
}

/// Two rooms that wind through the box and a third one that is open to the right; walls of one cell
/// between them.
Fluid rooms(const Three& n) {
    Fluid fluid = bumpy_fluid(n);
    fluid.sides[1].opening = Opening::OUTFLOW;
    for_each_point(fluid.solid, [&](int i, int j, int k) {
        const bool is_wall = j % 4 == 3 && (j != 3 || i != 0) && (j != 7 || i < n[0] - 2);
        const bool is_shut = j < 12 && i == n[0] - 1;
        fluid.solid(i, j, k) = is_wall || is_shut ? 1.0 : 0.0;
    });
    set_bnd(fluid);
    return fluid;
}

/// The ways in which 1 to 4 ranks, or more, share a box.
const std::vector<Three> flat_shares = {{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {2, 2, 1}};
const std::vector<Three> deep_shares = {{1, 1, 1}, {1, 1, 2}, {3, 1, 1}, {1, 2, 2}};

}  // namespace

TEST_CASE("the ranks share a box so that the fewest faces are cut", "[53_many]") {
    const struct {
        Three n;
        int ranks;
        Three expected;
    } cases[] = {{{64, 32, 1}, 2, {2, 1, 1}},  {{32, 64, 1}, 2, {1, 2, 1}},
                 {{64, 64, 1}, 4, {2, 2, 1}},  {{30, 20, 1}, 6, {3, 2, 1}},
                 {{16, 20, 24}, 8, {2, 2, 2}}, {{9, 2, 40}, 4, {1, 1, 4}},
                 {{64, 60, 50}, 1, {1, 1, 1}}, {{40, 30, 1}, 3, {3, 1, 1}}};
    for (const auto& [n, ranks, expected] : cases) {
        const Three found = share_box(n, ranks);
        INFO(ranks << " ranks, " << name_of(n) << ": " << name_of(found) << " of them, not "
                   << name_of(expected) << ", which cuts fewer faces");
        CHECK((found == expected));
    }
    for (const auto& [n, ranks] : {std::pair(Three{3, 1, 1}, 4),
                                   {Three{6, 6, 1}, 7},
                                   {Three{2, 2, 2}, 16},
                                   {Three{1, 1, 1}, 2}}) {
        INFO(ranks << " ranks cannot each own a cell along every axis of " << name_of(n));
        CHECK((share_box(n, ranks) == Three{0, 0, 0}));
    }
}

TEST_CASE("each point has one owner", "[53_many]") {
    for (const auto& [n, shares] : {std::pair(Three{7, 5, 4}, Three{2, 3, 2}),
                                    {Three{10, 3, 1}, Three{4, 1, 1}},
                                    {Three{4, 4, 9}, Three{1, 2, 5}}}) {
        const Fluid whole(n[0], n[1], n[2]);
        for (const Field* field : {&whole.density, &whole.u, &whole.v, &whole.w}) {
            const Three extra = extra_points(whole, *field);
            Field owners = *field;
            Part part;
            part.n = n;
            part.shares = shares;
            for (int rank = 0; rank < shares[0] * shares[1] * shares[2]; ++rank) {
                const Points found = owned_points(part, rank, extra);
                const Points expected = expected_points(n, shares, rank, extra);
                INFO("rank "
                     << rank << " of " << name_of(shares) << " in " << name_of(n)
                     << ", extra points " << name_of(extra) << ": from " << name_of(found.begin)
                     << " to " << name_of(found.end) << ", expected from "
                     << name_of(expected.begin) << " to " << name_of(expected.end)
                     << " (along x the ranks count fastest; the last one owns the last face)");
                REQUIRE((found.begin == expected.begin && found.end == expected.end));
                visit_points(part, found,
                             [&](const Three& point, const Three&) { at(owners, point) += 1.0; });
            }
            CHECK(std::count(owners.values.begin(), owners.values.end(), 1.0) ==
                  static_cast<std::ptrdiff_t>(owners.values.size()));
        }
    }
}

TEST_CASE("a block has ghost points on each side that is not the box's", "[53_many]") {
    Part part;
    part.n = {12, 9, 7};
    part.shares = {3, 3, 2};
    part.ghosts = 2;
    const Points middle = with_ghosts(part, 4, {1, 0, 0});
    INFO("rank 4 of 3 x 3 x 2 in 12 x 9 x 7, two layers: " << name_of(middle.begin) << " to "
                                                           << name_of(middle.end));
    CHECK((middle.begin == Three{2, 1, 0}));
    CHECK((middle.end == Three{10, 8, 5}));
    const Points last = with_ghosts(part, 17, {0, 1, 0});
    INFO("the last rank, v: none beyond the box, whose v has one face more: "
         << name_of(last.begin) << " to " << name_of(last.end));
    CHECK((last.begin == Three{6, 4, 1}));
    CHECK((last.end == Three{12, 10, 7}));
    part.ghosts = 100;
    const Points all = with_ghosts(part, 4, {0, 0, 1});
    INFO("with a hundred layers, a block is the whole box");
    CHECK((all.begin == Three{0, 0, 0}));
    CHECK((all.end == Three{12, 9, 8}));
}

TEST_CASE("an exchange fills the ghost points with what their owners have", "[53_many]") {
    for (const auto& [n, shares] : {std::pair(Three{7, 6, 1}, Three{2, 2, 1}),
                                    {Three{7, 5, 6}, Three{2, 2, 2}},
                                    {Three{9, 4, 3}, Three{4, 1, 1}}}) {
        const Fluid whole = bumpy_fluid(n);
        for (const int ghosts : {1, 3}) {
            std::vector<Part> parts = parts_of(whole, shares, ghosts);
            for (Part& part : parts) {
                for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
                    Field& field = part.fluid.*name;
                    const Field own = field;
                    std::fill(field.values.begin(), field.values.end(), 99.0);
                    visit_points(part, expected_points(part, field),
                                 [&](const Three&, const Three& place) {
                                     at(field, place) = at(own, place);
                                 });
                }
            }
            Network network(static_cast<int>(parts.size()));
            INFO(name_of(n) << " on " << name_of(shares) << " ranks, " << ghosts << " layers");
            const std::string problem = on_all(network, parts, [](Part& part, Ranks& ranks) {
                Fluid& fluid = part.fluid;
                exchange(part, {&fluid.u, &fluid.density, &fluid.w, &fluid.v}, ranks);
            });
            INFO("what it sends, the other must expect, and in the same order");
            REQUIRE(problem == "");
            double ghost_points = 0.0;
            for (const Part& part : parts) {
                for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
                    const Field& field = part.fluid.*name;
                    const Three extra = extra_points(part.fluid, field);
                    Points block = expected_points(part, field);
                    ghost_points -= count_points(block);
                    for (int axis = 0; axis < 3; ++axis) {
                        block.begin[axis] = std::max(0, block.begin[axis] - ghosts);
                        block.end[axis] = std::min(n[axis] + extra[axis], block.end[axis] + ghosts);
                    }
                    ghost_points += count_points(block);
                    double wrong = 0.0;
                    visit_points(part, block, [&](const Three& point, const Three& place) {
                        wrong = larger(wrong, std::abs(at(field, place) - at(whole.*name, point)));
                    });
                    INFO(
                        "rank " << part.rank << ", field with extra points " << name_of(extra)
                                << ": each ghost point has its owner's value, at the corners, too");
                    CHECK(wrong == 0.0);
                    INFO("faces beyond the ghost points are left as they are");
                    CHECK(std::count(field.values.begin(), field.values.end(), 99.0) ==
                          static_cast<std::ptrdiff_t>(field.values.size()) - count_points(block));
                }
            }
            INFO("each ghost point's value travels once, and all fields of a rank in one message");
            CHECK(network.numbers_sent == ghost_points);
            CHECK(network.messages <=
                  static_cast<int>(parts.size()) * (static_cast<int>(parts.size()) - 1));
            CHECK(network.messages > 0);
        }
    }
}

TEST_CASE("as many ghost cells as the fastest velocity crosses", "[53_many]") {
    Part part = parts_of(Fluid(30, 9, 6), {3, 3, 3}, 2)[13];
    part.fluid.h = 0.5;
    INFO("in a fluid at rest one layer is needed, for the divergence");
    CHECK(ghosts_needed(part, 0.1) == 1);
    const struct {
        Field Fluid::*name;
        double velocity;
        double dt;
        int expected;
    } cases[] = {{&Fluid::u, 3.0, 0.1, 1},    {&Fluid::u, 5.5, 0.1, 2},
                 {&Fluid::v, -10.5, 0.1, 3},  {&Fluid::w, 16.0, 0.25, 8},
                 {&Fluid::w, -16.5, 0.25, 9}, {&Fluid::v, 1.0, 1.0, 2}};
    for (const auto& [name, velocity, dt, expected] : cases) {
        Part moving = part;
        (moving.fluid.*name)(4, 3, 3) = velocity;
        INFO("velocity " << velocity << " for " << dt << " s, cells 0.5 wide: it crosses "
                         << std::abs(velocity) * dt / 0.5 << " of them, rounded up");
        CHECK(ghosts_needed(moving, dt) == expected);
    }
    Part beside = part;
    beside.fluid.u(0, 0, 0) = 1000.0;
    INFO("a ghost cell may hold what is old: only the rank's own velocities count");
    CHECK(ghosts_needed(beside, 0.1) == 1);
    for (const double wild : {std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::infinity(), -1e12}) {
        Part blown_up = part;
        blown_up.fluid.v(3, 3, 3) = wild;
        blown_up.fluid.v(4, 3, 3) = 1.0;
        blown_up.fluid.w(3, 3, 3) = 2.0;
        INFO("a velocity of " << wild << " among others: no more than the longest side, 30");
        CHECK(ghosts_needed(blown_up, 0.1) == 30);
    }
    Part sticky = part;
    sticky.fluid.nu = 0.1;
    INFO("viscosity needs two layers");
    CHECK(ghosts_needed(sticky, 0.1) == 2);
    sticky.fluid.epsilon = -0.1;
    INFO("confinement needs three layers");
    CHECK(ghosts_needed(sticky, 0.1) == 3);
}

TEST_CASE("each point has a number, and a ghost point that of its owner", "[53_many]") {
    const Fluid whole = bumpy_fluid({7, 5, 4});
    for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w, &Fluid::density}) {
        std::vector<Part> parts = parts_of(whole, {2, 2, 2}, 2);
        std::vector<Field> numbers(parts.size(), whole.density);
        Network network(static_cast<int>(parts.size()));
        const std::string problem = on_all(network, parts, [&](Part& part, Ranks& ranks) {
            numbers[part.rank] = part.fluid.*name;
            number_points(part, numbers[part.rank], ranks);
        });
        REQUIRE(problem == "");
        Field expected = whole.*name;
        double number = 0.0;
        for (const Part& part : parts) {
            visit_points(part, expected_points(part, part.fluid.*name),
                         [&](const Three& point, const Three&) {
                             at(expected, point) = number;
                             number += 1.0;
                         });
        }
        for (const Part& part : parts) {
            const Field& found = numbers[part.rank];
            const Field& field = part.fluid.*name;
            INFO("rank " << part.rank);
            REQUIRE(found.values.size() == field.values.size());
            double wrong_own = 0.0;
            visit_points(
                part, expected_points(part, field), [&](const Three& point, const Three& place) {
                    wrong_own = larger(wrong_own, std::abs(at(found, place) - at(expected, point)));
                });
            INFO("own points: row after row, after all points of the ranks before");
            CHECK(wrong_own == 0.0);
            Points block = expected_points(part, field);
            const Three extra = extra_points(part.fluid, field);
            for (int axis = 0; axis < 3; ++axis) {
                block.begin[axis] = std::max(0, block.begin[axis] - 2);
                block.end[axis] = std::min(part.n[axis] + extra[axis], block.end[axis] + 2);
            }
            double wrong = 0.0;
            visit_points(part, block, [&](const Three& point, const Three& place) {
                wrong = larger(wrong, std::abs(at(found, place) - at(expected, point)));
            });
            INFO("ghost points: the number that their owner gave them");
            CHECK(wrong == 0.0);
        }
    }
}

TEST_CASE("a row of the matrix names its neighbours by their numbers", "[53_many]") {
    Fluid fluid(3, 2, 2);
    Matrix A(fluid.density);
    make_bumpy(A.x, 6);
    make_bumpy(A.y, 7);
    make_bumpy(A.z, 8);
    Field numbers = fluid.density;
    for_each_point(numbers, [&](int i, int j, int k) {
        A.diagonal(i, j, k) = 10.0 + i + 2.0 * j + 4.0 * k;
        numbers(i, j, k) = 1000.0 - numbers.IX(i, j, k);
    });
    A.diagonal(2, 0, 0) = 0.0;  // no equation
    A.x(1, 1, 0) = 0.0;  // a wall left of cell (1, 1, 0)
    for_each_point(numbers, [&](int i, int j, int k) {
        std::map<double, double> found;
        for (const Entry& entry : matrix_row(A, numbers, i, j, k)) {
            found[entry.column] += entry.value;
            INFO("cell " << name_of({i, j, k}) << ": nothing stands where the weight is 0");
            CHECK(entry.value != 0.0);
        }
        std::map<double, double> expected;
        if (A.diagonal(i, j, k) == 0.0) {
            expected[numbers(i, j, k)] = 1.0;
        } else {
            expected[numbers(i, j, k)] = A.diagonal(i, j, k);
            for (int side = 0; side < 6; ++side) {
                const auto& [di, dj, dk] = neighbours[side];
                if (A.has(i + di, j + dj, k + dk) && A.weight(side, i, j, k) != 0.0) {
                    expected[numbers(i + di, j + dj, k + dk)] = -A.weight(side, i, j, k);
                }
            }
        }
        INFO("cell " << name_of({i, j, k})
                     << ": the diagonal, and minus the weight in the column of each neighbour that "
                        "has an equation; a point without an equation has a 1 and nothing else");
        CHECK((found == expected));
    });
}

TEST_CASE("what is known moves to the right-hand side", "[53_many]") {
    Fluid fluid(3, 3, 2);
    Matrix A(fluid.density);
    make_bumpy(A.x, 6);
    make_bumpy(A.y, 7);
    make_bumpy(A.z, 8);
    Field x = fluid.density, b = fluid.density;
    make_bumpy(x, 9);
    make_bumpy(b, 10);
    std::fill(A.diagonal.values.begin(), A.diagonal.values.end(), 2.0);
    A.diagonal(1, 1, 1) = 0.0;
    A.diagonal(0, 2, 0) = 0.0;
    for_each_point(x, [&](int i, int j, int k) {
        double expected = 0.0;
        if (A.diagonal(i, j, k) != 0.0) {
            expected = b(i, j, k);
            for (int side = 0; side < 6; ++side) {
                const auto& [di, dj, dk] = neighbours[side];
                const Three beside = {i + di, j + dj, k + dk};
                if (beside == Three{1, 1, 1} || beside == Three{0, 2, 0}) {
                    expected += A.weight(side, i, j, k) * at(x, beside);
                }
            }
        }
        INFO("cell " << name_of({i, j, k})
                     << ": b, and weight times x of each neighbour without an equation");
        CHECK(std::abs(right_hand_side_at(A, x, b, i, j, k) - expected) < 1e-14);
    });
}

TEST_CASE("a component that winds through several blocks is found", "[53_many]") {
    Fluid whole = rooms({9, 13, 1});
    const Matrix A = pressure_matrix(whole);
    const std::vector<std::vector<int>> expected = closed_components(A);
    REQUIRE(expected.size() == 1);
    Fluid shut = whole;
    shut.sides[1].opening = Opening::CLOSED;
    for (int i = 0; i < 9; ++i) {
        shut.solid(i, 5, 0) = 1.0;
    }
    const std::vector<std::vector<int>> expected_shut = closed_components(pressure_matrix(shut));
    REQUIRE(expected_shut.size() > 2);
    for (const auto& [fluid, closed] : {std::pair(whole, expected), {shut, expected_shut}}) {
        for (const Three& shares : {Three{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {2, 2, 1}, {3, 3, 1}}) {
            std::vector<Part> parts = parts_of(fluid, shares, 1);
            std::vector<std::vector<std::set<int>>> found(parts.size());
            Network network(static_cast<int>(parts.size()));
            const Fluid& box = fluid;
            const std::string problem = on_all(network, parts, [&](Part& part, Ranks& ranks) {
                part.fluid.matrix = pressure_matrix(part.fluid);
                const auto own = closed_components(part, part.fluid.matrix, ranks);
                for (const std::vector<int>& points : own) {
                    std::set<int> places;
                    for (const int point : points) {
                        const int i = point % part.fluid.nx + part.first[0];
                        const int j = point / part.fluid.nx + part.first[1];
                        places.insert(box.density.IX(i, j, 0));
                    }
                    found[part.rank].push_back(places);
                }
            });
            INFO("on " << name_of(shares) << " ranks");
            REQUIRE(problem == "");
            std::set<std::set<int>> joined, wanted;
            for (std::size_t which = 0; which < found[0].size(); ++which) {
                std::set<int> points;
                std::size_t count = 0;
                for (const auto& own : found) {
                    INFO("each rank has a list for each closed component, if only an empty one");
                    REQUIRE(own.size() == found[0].size());
                    points.insert(own[which].begin(), own[which].end());
                    count += own[which].size();
                }
                INFO("a rank lists the points that it owns");
                CHECK(count == points.size());
                joined.insert(points);
            }
            for (const std::vector<int>& points : closed) {
                wanted.insert(std::set<int>(points.begin(), points.end()));
            }
            INFO(found[0].size() << " closed components, not " << closed.size()
                                 << ": do labels spread until nothing changes on any rank?");
            CHECK((joined == wanted));
        }
    }
}

TEST_CASE("the least label of a component spreads over the block", "[53_many]") {
    Fluid fluid(5, 3, 1);  // a wall between two columns that are closed and two that are not
    fluid.sides[1].opening = Opening::OUTFLOW;
    Field labels = fluid.density;
    for (int j = 0; j < 3; ++j) {
        fluid.solid(2, j, 0) = 1.0;
        for (int i = 0; i < 5; ++i) {
            labels(i, j, 0) = 20.0 - 2.0 * i + 5.0 * j;
        }
    }
    labels(1, 2, 0) = 3.0;  // it came over the border
    const std::vector<Component> components = components_of_block(pressure_matrix(fluid));
    REQUIRE(components.size() == 2);
    const auto look = [&](bool has_changed, double closed, const std::string& what) {
        INFO(what);
        CHECK(spread_labels(components, labels) == has_changed);
        for (int j = 0; j < 3; ++j) {
            CHECK((labels(0, j, 0) == closed && labels(1, j, 0) == closed));
            CHECK((labels(3, j, 0) == -1.0 && labels(4, j, 0) == -1.0));
            CHECK(labels(2, j, 0) == 16.0 + 5.0 * j);
        }
    };
    look(true, 3.0, "all points get the least label, those of an open component -1, walls none");
    look(false, 3.0, "the same again changes nothing");
    labels(0, 0, 0) = 2.0;
    look(true, 2.0, "a label that another rank has found less");
    labels(1, 0, 0) = -1.0;
    look(true, -1.0, "the component is open in another rank's block");
}

TEST_CASE("the energy limit is that of the whole box", "[53_many]") {
    const Fluid whole = channel({14, 9, 1});
    Velocity before = {whole.u, whole.v, whole.w}, linear = before, correction = before;
    make_bumpy(linear.u, 21);
    make_bumpy(correction.u, 22);
    make_bumpy(correction.v, 23);
    for (Field* field : {&linear.u, &linear.v, &linear.w}) {
        for (double& value : field->values) {
            value *= 0.9;
        }
    }
    const double dt = 0.3;
    const double had = dot(before, before) + energy_flowing_in(whole, dt);
    const double expected = largest_share(linear, correction, std::max(had, dot(linear, linear)));
    REQUIRE(expected > 0.05);
    REQUIRE(expected < 0.95);
    for (const Three& shares : {Three{1, 1, 1}, {3, 1, 1}, {2, 2, 1}, {1, 4, 1}}) {
        std::vector<Part> parts = parts_of(whole, shares, 2);
        std::vector<double> found(parts.size());
        Network network(static_cast<int>(parts.size()));
        const std::string problem = on_all(network, parts, [&](Part& part, Ranks& ranks) {
            const auto block_of = [&](const Velocity& velocity) {
                Velocity block = {part.fluid.u, part.fluid.v, part.fluid.w};
                const Field* const from[] = {&velocity.u, &velocity.v, &velocity.w};
                Field* const to[] = {&block.u, &block.v, &block.w};
                for (int axis = 0; axis < 3; ++axis) {
                    for_each_point(*to[axis], [&](int i, int j, int k) {
                        (*to[axis])(i, j, k) =
                            (*from[axis])(i + part.first[0], j + part.first[1], k + part.first[2]);
                    });
                }
                return block;
            };
            const Velocity own = block_of(before);
            part.fluid.u = own.u;
            part.fluid.v = own.v;
            part.fluid.w = own.w;
            found[part.rank] =
                share_of_correction(part, own, block_of(linear), block_of(correction), dt, ranks);
        });
        REQUIRE(problem == "");
        for (const double share : found) {
            INFO("on " << name_of(shares) << " ranks: " << share << ", and in one box " << expected
                       << "; each face counts once, and what flows in, too");
            CHECK(std::abs(share - expected) < 1e-12);
        }
    }
}

namespace {

struct Scene {
    std::string name;
    Fluid fluid;
    double dt;
    int steps;
    std::vector<Three> shares;
    std::function<void(Fluid&, int made, const Three& first)> before_step;
};

/// Makes the steps of a scene in parts and in the whole box, and compares them.
void compare(const Scene& scene) {
    Fluid expected = scene.fluid;
    for (int made = 0; made < scene.steps; ++made) {
        if (scene.before_step) {
            scene.before_step(expected, made, {0, 0, 0});
        }
        step(expected, scene.dt);
    }
    for (const Three& shares : scene.shares) {
        std::vector<Part> parts = parts_of(scene.fluid, shares, 1);
        Network network(static_cast<int>(parts.size()));
        const std::string problem = on_all(network, parts, [&](Part& part, Ranks& ranks) {
            exchange(part, {&part.fluid.pressure}, ranks);
            for (int made = 0; made < scene.steps; ++made) {
                if (scene.before_step) {
                    scene.before_step(part.fluid, made, part.first);
                }
                step(part, scene.dt, ranks);
            }
        });
        INFO(scene.name << ", " << name_of(size_of(scene.fluid)) << " on " << name_of(shares)
                        << " ranks, " << scene.steps << " steps");
        REQUIRE(problem == "");
        const Fluid found = together(scene.fluid, parts);
        for (const auto& [name, words] : {std::pair(&Fluid::pressure, "pressure"),
                                          {&Fluid::u, "u"},
                                          {&Fluid::v, "v"},
                                          {&Fluid::w, "w"},
                                          {&Fluid::density, "density"},
                                          {&Fluid::temperature, "temperature"},
                                          {&Fluid::smoke, "smoke"}}) {
            const double off = distance(found.*name, expected.*name);
            INFO(words
                 << " is off by " << off
                 << ": was each field exchanged after it changed, before a neighbour reads it? "
                    "Is each number of the whole box a sum over all ranks?");
            CHECK(off < 1e-8);
        }
        for (const Part& part : parts) {
            for (Field Fluid::*name : {&Fluid::u, &Fluid::v, &Fluid::w}) {
                const Field& field = part.fluid.*name;
                const Three extra = extra_points(part.fluid, field);
                Points border = expected_points(part, field);
                for (int axis = 0; axis < 3; ++axis) {
                    if (extra[axis] == 1 && border.end[axis] <= part.n[axis]) {
                        border.begin[axis] = border.end[axis];
                        border.end[axis] += 1;
                        visit_points(part, border, [&](const Three& point, const Three& place) {
                            const double owners = at(found.*name, point);
                            INFO("what flows out of rank "
                                 << part.rank << "'s block flows into its neighbour's");
                            CHECK(std::abs(at(field, place) - owners) < 1e-12);
                        });
                    }
                }
            }
        }
        INFO("and something happens in a step");
        CHECK(distance(found.density, scene.fluid.density) > 0.1);
    }
}

}  // namespace

TEST_CASE("a step in parts is a step of the whole box", "[53_many]") {
    Fluid slow = bumpy_fluid({12, 10, 1});
    compare({"a closed box", slow, 0.4, 5, flat_shares, {}});
    compare({"a closed box", bumpy_fluid({7, 5, 6}), 0.4, 3, deep_shares, {}});
    compare({"one column", bumpy_fluid({1, 9, 8}), 0.3, 3, {{1, 2, 1}, {1, 2, 2}}, {}});
    slow.advection = Advection::SHARP;
    compare({"a closed box, carried sharply", slow, 0.4, 5, flat_shares, {}});
    slow.advection = Advection::REFLECTED;
    compare({"a closed box, reflected", slow, 0.2, 6, flat_shares, {}});
}

TEST_CASE("a channel in parts is the whole channel", "[53_many]") {
    compare({"a channel with a body", channel({15, 11, 1}), 0.3, 20, flat_shares, {}});
    Fluid linear = channel({9, 8, 4});
    linear.advection = Advection::LINEAR;
    compare({"a deep channel", linear, 0.4, 3, deep_shares, {}});
    const auto move = [](Fluid& fluid, int made, const Three& first) {
        for_each_point(fluid.solid, [&](int i, int j, int k) {
            const int x = i + first[0] - 4 - made;
            const int y = j + first[1] - 5;
            fluid.solid(i, j, k) = x * x + y * y < 4 ? 1.0 : 0.0;
        });
        for (double& velocity : fluid.v_given.values) {
            velocity = 0.3;
        }
    };
    Fluid moving = bumpy_fluid({15, 11, 1});
    moving.advection = Advection::REFLECTED;
    moving.nu = 0.02;
    compare({"a body that moves", moving, 0.2, 8, {{2, 1, 1}, {2, 2, 1}}, move});
    compare({"rooms that wind", rooms({9, 13, 1}), 0.2, 4, flat_shares, {}});
}

TEST_CASE("a plume in parts is the whole plume", "[53_many]") {
    compare({"a plume", plume({12, 17, 1}), 0.2, 20, flat_shares, {}});
    compare({"a deep plume", plume({8, 11, 7}), 0.2, 4, deep_shares, {}});
    Fluid still = plume({10, 13, 9});
    still.h = 0.1;  // no power of two, so places are rounded
    for (Field* field : {&still.u, &still.v, &still.w, &still.temperature, &still.smoke}) {
        std::fill(field->values.begin(), field->values.end(), 0.0);
    }
    compare({"smoke in still air", still, 0.05, 8, deep_shares, {}});
}

TEST_CASE("a step exchanges what it must, and not more", "[53_many]") {
    Fluid still = bumpy_fluid({20, 16, 1});
    for (Field* field : {&still.u, &still.v, &still.w}) {
        for (double& value : field->values) {
            value *= 0.1;  // one layer is enough
        }
    }
    for (const auto& [advection, most] :
         {std::pair(Advection::LINEAR, 12.2), {Advection::SHARP, 19.2}}) {
        still.advection = advection;
        std::vector<Part> parts = parts_of(still, {2, 2, 1}, 1);
        Network network(static_cast<int>(parts.size()));
        double before = 0.0;
        double ghost_cells = 0.0;
        const std::string problem = on_all(network, parts, [&](Part& part, Ranks& ranks) {
            step(part, 0.2, ranks);
            ranks.largest(0.0);
            if (part.rank == 0) {
                before = network.numbers_sent;
            }
            ranks.largest(0.0);
            step(part, 0.2, ranks);
        });
        REQUIRE(problem == "");
        for (const Part& part : parts) {
            ghost_cells += static_cast<double>(part.fluid.density.values.size());
        }
        ghost_cells -= static_cast<double>(still.density.values.size());
        // The tests' solver numbers the pressure's points: one field more.
        const double fields = (network.numbers_sent - before) / ghost_cells - 1.0;
        INFO("a step exchanges " << fields << " fields (in a flat box w counts twice), and at most "
                                 << most
                                 << " are needed: is one exchanged that was right already?");
        CHECK(fields <= most);
        CHECK(fields >= 11.0);
    }
}
