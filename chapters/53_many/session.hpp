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
    double h = 1.0, rho = 1.0, force_x = 0.0, force_y = 0.0, force_z = 0.0;
    double tolerance = 1e-10, dt = 0.0;
    int iterations = 200;
    char path[1024] = {};  ///< of a file, without its ending
};

/// The cells that a rank owns, and what its last step took.
struct RankState {
    Three begin, end;
    Costs costs;
    int ghosts;
};

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
            box_.reset();
            PetscFinalize();
            std::exit(0);
        }
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session() {
        send({});
        box_.reset();
        PetscFinalize();
    }

    bool is_first() const { return rank_of_this() == 0; }

    /// What PETSc has made of the equations of the last fluid.
    const Equations& equations() const { return box_->equations; }

    /// The session that there is.
    static Session*& current() {
        static Session* one = nullptr;
        return one;
    }

    /// Makes a step of a fluid, or several, on all ranks. Leaves the matrix of the whole box in it,
    /// too, for those who look at what the pressure leaves.
    void make_steps(Fluid& fluid, double dt, int count) {
        fluid.matrix = pressure_matrix(fluid);
        hand_out(fluid);
        for (int made = 0; made < count; ++made) {
            order(Order::STEP, fluid, dt);
        }
        order(Order::GATHER, fluid);
        fluid.residuals = box_->residuals;
    }

    /// Solves for the pressure of a fluid with the right-hand side that it has, on all ranks.
    void solve(Fluid& fluid) {
        hand_out(fluid);
        order(Order::SOLVE, fluid);
        order(Order::GATHER, fluid);
        fluid.residuals = box_->residuals;
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
    std::optional<Ranks> box_;
    Part part_;
    Three n_ = {0, 0, 0};

    static constexpr Field Fluid::*state_[] = {&Fluid::u,       &Fluid::v,        &Fluid::w,
                                               &Fluid::density, &Fluid::pressure, &Fluid::rhs};

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
        Message message = {what,
                           {fluid.nx, fluid.ny, fluid.nz},
                           fluid.h,
                           fluid.rho,
                           fluid.force_x,
                           fluid.force_y,
                           fluid.force_z,
                           fluid.tolerance,
                           dt,
                           fluid.iterations,
                           {}};
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
        Fluid like(1, 1, 1);
        like.h = message.h;
        like.rho = message.rho;
        like.force_x = message.force_x;
        like.force_y = message.force_y;
        like.force_z = message.force_z;
        like.tolerance = message.tolerance;
        like.iterations = message.iterations;
        Ranks::set_parameters(part_.fluid, like);
        switch (message.order) {
            case Order::QUIT:
                break;
            case Order::BEGIN:
                begin(message.n, like);
                break;
            case Order::SCATTER:
                for (Field Fluid::*field : state_) {
                    box_->scatter(part_, whole ? &(whole->*field) : nullptr, part_.fluid.*field);
                }
                break;
            case Order::STEP:
                make_step(message.dt);
                break;
            case Order::SOLVE:
                box_->solve_pressure(part_);
                break;
            case Order::GATHER:
                for (Field Fluid::*field : state_) {
                    box_->gather(part_, part_.fluid.*field, whole ? &(whole->*field) : nullptr);
                }
                break;
            case Order::WRITE:
                write_piece(message.path);
                break;
        }
    }

    void begin(const Three& n, const Fluid& like) {
        n_ = {0, 0, 0};
        box_.emplace();
        part_ = box_->begin(n, like);
        n_ = n;
        const std::string unused = box_->unused_option();
        if (!unused.empty()) {
            throw Refused(unused + ": PETSc makes no use of this option here; -- -help lists some");
        }
        tell_state();
    }

    void make_step(double dt) {
        box_->costs = {};
        const auto [bytes, messages] = sent_so_far();
        const double began = MPI_Wtime(), waited = seconds_waited();
        step(part_, dt, *box_);
        box_->costs.seconds = MPI_Wtime() - began;
        box_->costs.waiting = seconds_waited() - waited;
        box_->costs.bytes = sent_so_far().first - bytes;
        box_->costs.messages = sent_so_far().second - messages;
        tell_state();
    }

    /// Tells the first rank what this one owns and what its last step took.
    void tell_state() {
        const RankState own = {part_.begin, part_.end, box_->costs, box_->ghosts()};
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
            const auto [x, y, z] = part_.begin;
            const Three offset = {x - part_.first[0], y - part_.first[1], z - part_.first[2]};
            const auto value = [&](int component, int i, int j, int k) {
                const Fluid& fluid = part_.fluid;
                const auto [a, b, c] = Three{i + offset[0], j + offset[1], k + offset[2]};
                return static_cast<float>(
                    component == 0   ? 0.5 * (fluid.u(a, b, c) + fluid.u(a + 1, b, c))
                    : component == 1 ? 0.5 * (fluid.v(a, b, c) + fluid.v(a, b + 1, c))
                                     : 0.5 * (fluid.w(a, b, c) + fluid.w(a, b, c + 1)));
            };
            const auto number = [&](const Field& field) {
                return [&](int, int i, int j, int k) {
                    return static_cast<float>(field(i + offset[0], j + offset[1], k + offset[2]));
                };
            };
            workbook::save_vti(*file, {part_.end[0] - x, part_.end[1] - y, part_.end[2] - z}, 0.0,
                               part_.fluid.h,
                               {{"density", 1, number(part_.fluid.density)},
                                {"pressure", 1, number(part_.fluid.pressure)},
                                {"velocity", 3, value}},
                               {x, y, z});
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
        for (const auto& [name, components] :
             {std::pair("density", 1), {"pressure", 1}, {"velocity", 3}}) {
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
