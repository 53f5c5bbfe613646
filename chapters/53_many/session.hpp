// Given: a program on many ranks. The first one has the window, or the command line, and a copy of
// the whole fluid; the others do what it tells them, each with its own part. Include many.hpp
// first.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "53_many/petsc.hpp"
#include "common/io/output.hpp"
#include "common/io/vti.hpp"

namespace many {

/// What the first rank tells all to do.
enum class Order { QUIT, BEGIN, SCATTER, STEP, SOLVE, GATHER, WRITE };

/// An order and what goes with it, as all ranks get it.
struct Message {
    Order order = Order::QUIT;
    Three n = {1, 1, 1};
    double dt = 0.0;
    std::array<double, std::size(numbers_of_fluid)> numbers = {};
    int iterations = 200;
    Advection advection = Advection::LINEAR;
    bool reflects_next = false;
    bool has_matrix = false;  ///< whether the last pressure's matrix is still that of the fluid
    std::array<Side, 6> sides;
    char path[1024] = {};  ///< of a file, without its ending

    /// Tells all ranks the numbers and the sides of a fluid.
    void take(const Fluid& fluid) {
        n = {fluid.nx, fluid.ny, fluid.nz};
        for (std::size_t at = 0; at < numbers.size(); ++at) {
            numbers[at] = fluid.*numbers_of_fluid[at];
        }
        iterations = fluid.iterations;
        advection = fluid.advection;
        reflects_next = fluid.reflects_next;
        std::copy(std::begin(fluid.sides), std::end(fluid.sides), sides.begin());
    }

    /// Gives a fluid these numbers.
    void give(Fluid& fluid) const {
        for (std::size_t at = 0; at < numbers.size(); ++at) {
            fluid.*numbers_of_fluid[at] = numbers[at];
        }
        fluid.iterations = iterations;
        fluid.advection = advection;
        fluid.reflects_next = reflects_next;
    }
};

/// The cells that a rank owns, and what its last step took.
struct RankState {
    Three begin, end;
    Costs costs;
    int ghosts;
};

/// Why the ranks cannot share a box of n cells, or "".
inline std::string why_not(const Three& n) {
    if (share_box(n, count_ranks())[0] > 0) {
        return "";
    }
    return std::to_string(count_ranks()) + " ranks cannot share " + std::to_string(n[0]) + " x " +
           std::to_string(n[1]) + " x " + std::to_string(n[2]) +
           " cells, since each must own one along every axis; choose fewer ranks";
}

/// MPI and PETSc from their beginning to their end, and what a rank has.
class Session {
  public:
    std::vector<RankState> ranks;  ///< of all, on the first rank

    /// Begins MPI and PETSc, which gets what follows a lone --; argc no longer counts that. Only
    /// the first rank comes back from here: the others do what it tells them, and end when it does.
    Session(int& argc, char** argv) {
        int own = 1;
        while (own < argc && std::strcmp(argv[own], "--") != 0) {
            ++own;
        }
        given_.push_back(argv[0]);
        given_.insert(given_.end(), argv + std::min(own + 1, argc), argv + argc);
        given_.push_back(nullptr);
        int count = static_cast<int>(given_.size()) - 1;
        char** words = given_.data();
        argc = own;
        setenv("HWLOC_COMPONENTS", "-gl", 0);  // MPI needs no display to find the cores
        PetscInitialize(&count, &words, nullptr, nullptr);
        PetscPushErrorHandler(on_error, nullptr);
        current() = this;
        if (!is_first()) {
            follow();
            ranks_of_mpi_.clear();
            PetscFinalize();
            std::exit(0);
        }
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        send({});
        ranks_of_mpi_.clear();
        PetscFinalize();
    }

    bool is_first() const { return rank_of_this() == 0; }

    /// The pressure's equations, as PETSc has them.
    const System& pressure() const { return *ranks_of_mpi_.system("pressure"); }

    /// The session that there is.
    static Session*& current() {
        static Session* one = nullptr;
        return one;
    }

    /// Makes a step of a fluid, or several, on all ranks. The whole fluid gets what the step says
    /// of itself, and its matrix, too, for those who look at what the pressure leaves.
    void make_steps(Fluid& fluid, double dt, int count) {
        set_bnd(fluid);
        hand_out(fluid);
        update_matrix(fluid);
        for (int made = 0; made < count; ++made) {
            order(Order::STEP, fluid, dt);
            copy_numbers(part_.fluid, fluid);
        }
        order(Order::GATHER, fluid);
    }

    /// Solves for the pressure of a fluid with the right-hand side that it has, on all ranks.
    void solve(Fluid& fluid) {
        hand_out(fluid);
        order(Order::SOLVE, fluid);
        copy_numbers(part_.fluid, fluid);
        order(Order::GATHER, fluid);
    }

    /// Lets each rank write a piece of a fluid for ParaView, and writes the file that names them.
    void write(const Fluid& fluid, const workbook::OutputFile& output) {
        Fluid copy = fluid;
        hand_out(copy);
        std::string stem = output.path().string();
        stem.resize(stem.size() - output.path().extension().string().size());
        if (stem.size() >= sizeof Message::path) {
            throw output.write_error("its name is too long");
        }
        order(Order::WRITE, copy, 0.0, stem);
        write_index(fluid, output, stem);
    }

  private:
    std::vector<char*> given_;  // PETSc keeps its arguments
    MpiRanks ranks_of_mpi_;
    Part part_;
    Three n_ = {0, 0, 0};
    Costs costs_;  // of the last step
    bool has_asked_for_options_ = false;

    static void send(Message message) {
        MPI_Request sent;
        MPI_Ibcast(&message, sizeof message, MPI_BYTE, 0, MPI_COMM_WORLD, &sent);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }

    /// Waits for an order without keeping a core busy.
    static Message receive() {
        Message message;
        MPI_Request request;
        MPI_Ibcast(&message, sizeof message, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
        int arrived = 0;
        for (int looked = 0; !arrived; ++looked) {
            MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
            if (!arrived && looked > 1000) {
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        }
        return message;
    }

    /// What all but the first rank do until that is at its end.
    void follow() {
        for (Message message = receive(); message.order != Order::QUIT; message = receive()) {
            try {
                carry_out(message, nullptr);
            } catch (const Refused&) {  // the first rank has caught the same
            } catch (const std::bad_alloc&) {
                end_all_ranks("not enough memory; choose a smaller --n");
            }
        }
    }

    /// Sees to it that the ranks have parts of this fluid.
    void hand_out(Fluid& fluid) {
        if (n_ != Three{fluid.nx, fluid.ny, fluid.nz}) {
            order(Order::BEGIN, fluid);
        }
        order(Order::SCATTER, fluid);
    }

    /// Tells all ranks to do something, and does it here as well.
    void order(Order what, Fluid& fluid, double dt = 0.0, const std::string& path = "") {
        Message message;
        message.order = what;
        message.dt = dt;
        message.take(fluid);
        if (what == Order::SCATTER) {
            message.has_matrix = fluid.matrix == pressure_matrix(fluid);
        }
        std::copy(path.begin(), path.end(), message.path);
        send(message);
        try {
            carry_out(message, &fluid);
        } catch (const Refused& refused) {
            throw workbook::InputError(refused.what());
        } catch (const std::bad_alloc&) {
            end_all_ranks("not enough memory; choose a smaller --n");
        }
    }

    /// What each rank does; `whole` is the fluid on the first one, and null elsewhere.
    void carry_out(const Message& message, Fluid* whole) {
        message.give(part_.fluid);
        part_.sides = message.sides;
        set_sides(part_);
        switch (message.order) {
            case Order::QUIT:
                break;
            case Order::BEGIN:
                begin(message);
                break;
            case Order::SCATTER:
                scatter(whole);
                if (message.has_matrix) {
                    update_matrix(part_, ranks_of_mpi_);
                }
                break;
            case Order::STEP:
                make_step(message.dt);
                break;
            case Order::SOLVE:
                update_matrix(part_, ranks_of_mpi_);
                solve_pressure(part_, ranks_of_mpi_);
                refuse_unused_option();
                break;
            case Order::GATHER:
                gather(whole);
                break;
            case Order::WRITE:
                write_piece(message.path);
                break;
        }
    }

    /// Makes this rank's part of a box. Throws Refused if the ranks cannot share it.
    void begin(const Message& message) {
        n_ = {0, 0, 0};
        const std::string wrong = why_not(message.n);
        if (!wrong.empty()) {
            throw Refused(wrong);
        }
        ranks_of_mpi_.clear();
        const Three shares = share_box(message.n, count_ranks());
        const Fluid like = part_.fluid;
        part_ = make_part(message.n, shares, rank_of_this(), 1, like, message.sides);
        n_ = message.n;
        costs_ = {};
        tell_state();
    }

    /// The fields that the first rank hands out and collects.
    static std::vector<Field*> fields_of(Fluid& fluid) {
        std::vector<Field*> fields = state_of(fluid);
        fields.push_back(&fluid.rhs);
        return fields;
    }

    /// Copies the fields of the whole box, which the first rank has, into the parts, ghost cells
    /// included.
    void scatter(Fluid* whole) {
        std::vector<std::vector<double>> sent(count_ranks());
        std::vector<double> received(count_values(rank_of_this()));
        ranks_of_mpi_.receive(0, received);
        for (int rank = 0; whole && rank < count_ranks(); ++rank) {
            for (const Field* field : fields_of(*whole)) {
                const Points points = with_ghosts(part_, rank, extra_points(*whole, *field));
                for_each_point_in(
                    points, [&](int i, int j, int k) { sent[rank].push_back((*field)(i, j, k)); });
            }
            ranks_of_mpi_.send(rank, sent[rank]);
        }
        ranks_of_mpi_.wait();
        std::size_t next = 0;
        for (Field* field : fields_of(part_.fluid)) {
            const Three extra = extra_points(part_.fluid, *field);
            for_each_point_of(part_, with_ghosts(part_, part_.rank, extra),
                              [&](int i, int j, int k) {
                                  (*field)(i, j, k) = received[next];
                                  ++next;
                              });
        }
    }

    /// How many values the block of a rank has in all fields.
    std::size_t count_values(int rank) {
        std::size_t count = 0;
        for (const Field* field : fields_of(part_.fluid)) {
            count += count_points(with_ghosts(part_, rank, extra_points(part_.fluid, *field)));
        }
        return count;
    }

    /// Copies what the ranks own into the fields of the whole box, on the first rank.
    void gather(Fluid* whole) {
        std::vector<double> sent;
        for (const Field* field : fields_of(part_.fluid)) {
            const Three extra = extra_points(part_.fluid, *field);
            for_each_point_of(part_, owned_points(part_, part_.rank, extra),
                              [&](int i, int j, int k) { sent.push_back((*field)(i, j, k)); });
        }
        ranks_of_mpi_.send(0, sent);
        std::vector<std::vector<double>> received(count_ranks());
        for (int rank = 0; whole && rank < count_ranks(); ++rank) {
            std::size_t count = 0;
            for (const Field* field : fields_of(*whole)) {
                count += count_points(owned_points(part_, rank, extra_points(*whole, *field)));
            }
            received[rank].resize(count);
            ranks_of_mpi_.receive(rank, received[rank]);
        }
        ranks_of_mpi_.wait();
        for (int rank = 0; whole && rank < count_ranks(); ++rank) {
            std::size_t next = 0;
            for (Field* field : fields_of(*whole)) {
                const Points own = owned_points(part_, rank, extra_points(*whole, *field));
                for_each_point_in(own, [&](int i, int j, int k) {
                    (*field)(i, j, k) = received[rank][next];
                    ++next;
                });
            }
        }
    }

    /// Calls action(i, j, k) for these points, by their places in the whole box.
    template <class Action>
    static void for_each_point_in(const Points& points, Action action) {
        for_each_point_of(Part(), points, action);
    }

    void make_step(double dt) {
        const Sent sent = sent_so_far();
        const double began = MPI_Wtime(), waited = seconds_waited();
        step(part_, dt, ranks_of_mpi_);
        costs_.seconds = MPI_Wtime() - began;
        costs_.waiting = seconds_waited() - waited;
        costs_.bytes = sent_so_far().bytes - sent.bytes;
        costs_.messages = sent_so_far().messages - sent.messages;
        tell_state();
        refuse_unused_option();
    }

    /// Throws Refused if PETSc has made no use of something that follows the lone --.
    void refuse_unused_option() {
        if (has_asked_for_options_) {
            return;
        }
        has_asked_for_options_ = true;
        PetscInt count = 0;
        char **names = nullptr, **values = nullptr;
        PetscOptionsLeftGet(nullptr, &count, &names, &values);
        const std::string first = count > 0 ? std::string("-") + names[0] : "";
        PetscOptionsLeftRestore(nullptr, &count, &names, &values);
        if (!first.empty()) {
            throw Refused(first + ": PETSc makes no use of this option here; -- -help lists some");
        }
    }

    /// Tells the first rank what this one owns and what its last step took.
    void tell_state() {
        const Points cells = owned_points(part_, part_.rank, {0, 0, 0});
        const RankState own = {cells.begin, cells.end, costs_, part_.ghosts};
        ranks.resize(is_first() ? static_cast<std::size_t>(count_ranks()) : 1);
        MPI_Gather(&own, sizeof own, MPI_BYTE, ranks.data(), sizeof own, MPI_BYTE, 0,
                   MPI_COMM_WORLD);
    }

    /// Writes what this rank owns. All ranks' pieces appear, or none. Throws Refused, on all ranks.
    void write_piece(const std::string& stem) {
        std::string wrong;
        std::optional<workbook::OutputFile> file;
        try {
            file.emplace("--pvti", stem + "_" + std::to_string(rank_of_this()) + ".vti");
            const auto [begin, end] = owned_points(part_, part_.rank, {0, 0, 0});
            const Three cells = {end[0] - begin[0], end[1] - begin[1], end[2] - begin[2]};
            workbook::save_vti(*file, cells, 0.0, part_.fluid.h, own_values(begin), begin);
        } catch (const workbook::InputError& error) {
            wrong = error.what();
        }
        refuse_if_any(wrong);
        try {
            file->commit();
        } catch (const workbook::InputError& error) {
            wrong = error.what();
        }
        refuse_if_any(wrong);
    }

    /// The values of the cells that this rank owns, of which `begin` is the first. The velocity is
    /// the mean of that of a cell's two faces.
    std::vector<workbook::VtiField> own_values(const Three& begin) const {
        const Three first = {begin[0] - part_.first[0], begin[1] - part_.first[1],
                             begin[2] - part_.first[2]};
        const Fluid& fluid = part_.fluid;
        const auto number = [first](const Field& field) {
            return [&field, first](int, int i, int j, int k) {
                return static_cast<float>(field(first[0] + i, first[1] + j, first[2] + k));
            };
        };
        const auto velocity = [&fluid, first](int component, int i, int j, int k) {
            const auto [a, b, c] = Three{first[0] + i, first[1] + j, first[2] + k};
            const double sums[] = {fluid.u(a, b, c) + fluid.u(a + 1, b, c),
                                   fluid.v(a, b, c) + fluid.v(a, b + 1, c),
                                   fluid.w(a, b, c) + fluid.w(a, b, c + 1)};
            return static_cast<float>(0.5 * sums[component]);
        };
        return {{"density", 1, number(fluid.density)},
                {"smoke", 1, number(fluid.smoke)},
                {"temperature", 1, number(fluid.temperature)},
                {"pressure", 1, number(fluid.pressure)},
                {"solid", 1, number(fluid.solid)},
                {"velocity", 3, velocity}};
    }

    /// Throws Refused on all ranks if something is wrong on one, with the first such rank's words.
    static void refuse_if_any(const std::string& wrong) {
        int first = wrong.empty() ? count_ranks() : rank_of_this();
        MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (first < count_ranks()) {
            std::array<char, 1024> words = {};
            wrong.copy(words.data(), words.size() - 1);
            MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_CHAR, first,
                      MPI_COMM_WORLD);
            throw Refused(words.data());
        }
    }

    /// The file that names the pieces: VTK's PImageData.
    void write_index(const Fluid& fluid, const workbook::OutputFile& output,
                     const std::string& stem) const {
        const auto extent = [](const Three& begin, const Three& end) {
            std::string words;
            for (int axis = 0; axis < 3; ++axis) {
                words += (axis > 0 ? " " : "") + std::to_string(begin[axis]) + " " +
                         std::to_string(end[axis]);
            }
            return words;
        };
        std::string width;
        workbook::append_digits(width, fluid.h);
        const std::string spacing = width + " " + width + " " + width;
        std::string text =
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PImageData\" version=\"1.0\" byte_order=\"" +
            std::string(std::endian::native == std::endian::little ? "Little" : "Big") +
            "Endian\" header_type=\"UInt64\">\n<PImageData WholeExtent=\"" +
            extent({0, 0, 0}, {fluid.nx, fluid.ny, fluid.nz}) +
            "\" GhostLevel=\"0\" Origin=\"0 0 0\" Spacing=\"" + spacing + "\">\n<PCellData>\n";
        for (const auto& [name, components] : {std::pair("density", 1),
                                               {"smoke", 1},
                                               {"temperature", 1},
                                               {"pressure", 1},
                                               {"solid", 1},
                                               {"velocity", 3}}) {
            text += std::string("<PDataArray type=\"Float32\" Name=\"") + name +
                    "\" NumberOfComponents=\"" + std::to_string(components) + "\"/>\n";
        }
        text += "</PCellData>\n";
        const std::string file = std::filesystem::path(stem).filename().string();
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            text += "<Piece Extent=\"" + extent(ranks[rank].begin, ranks[rank].end) +
                    "\" Source=\"" + file + "_" + std::to_string(rank) + ".vti\"/>\n";
        }
        text += "</PImageData>\n</VTKFile>\n";
        output.write(text);
    }
};

/// The session that main has begun.
inline Session* session() {
    return Session::current();
}

}  // namespace many
