// Particles in the windows of this chapter and of those that follow: they are seeded, drawn as
// dots, saved and loaded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "11_mac/measures.hpp"
#include "41_particles/seed.hpp"
#include "common/app/box.hpp"
#include "common/app/history.hpp"
#include "common/app/program.hpp"
#include "common/draw/colour.hpp"
#include "common/draw/faces.hpp"
#include "common/io/state.hpp"

/// What a window can do with particles: a key for the transfer, a key for the dots, readouts, and
/// the file beside the state file.
template <class Fluid>
class Particles {
    using Particle = typename decltype(Fluid{1, 1, 1}.particles)::value_type;

  public:
    Particles(Fluid& fluid, workbook::Choice& advection, const workbook::BoxWindow& window)
        : fluid_(fluid), advection_(advection), window_(window) {}

    /// Fills the box with particles, if they are to carry the fluid and there are none. They know
    /// at once what the grid holds.
    void seed() {
        if (is_chosen() && fluid_.particles.empty()) {
            seed_particles(fluid_);
            grid_to_particles(fluid_);
            fluid_.brought = {fluid_.u, fluid_.v, fluid_.w, fluid_.density};
        }
    }

    /// Adds all this to the program, which must have its own parameters, scenes and state already.
    /// All must stay where they are.
    void connect(workbook::Program& program) {
        program_ = &program;
        program.description.parameters.push_back(
            {"flip_share", &fluid_.flip_share, "of FLIP in FLIP: the rest is PIC", 1.0});
        program.description.keys.push_back({'t', "the next transfer", [this] { next_transfer(); }});
        program.description.keys.push_back(
            {'d', "the particles as dots", [this] { dots_ = !dots_; }});
        program.description.readouts.push_back(
            {"particles", [this] { return static_cast<double>(fluid_.particles.size()); }});
        program.description.readouts.push_back({"empty cells", [this] { return empty_cells(); }});
        const auto dye =
            std::find_if(program.description.fields.begin(), program.description.fields.end(),
                         [](const auto& field) { return field.name == "dye"; });
        std::rotate(program.description.fields.begin(), dye, dye + 1);
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            return box == workbook::Box{64, 64, 1} ? workbook::Start{"vortices", 0.03, true}
                                                   : start(box);
        };
        program.simulation.bytes = [this, bytes = program.simulation.bytes](workbook::Box box) {
            const double each = box.nz == 1 ? 4.0 : 8.0;  // in a cell
            const double cells = 1.0 * box.nx * box.ny * box.nz;
            return bytes(box) + (is_chosen() ? each * cells * sizeof(Particle) : 0.0);
        };
        refuse_openings();
        add_state();
        program.description.companions.push_back(
            {".particles.csv", [this](const workbook::OutputFile& output) { write(output); },
             [this](const std::string& path) { read(path); }});
    }

    /// Gives --history the columns of this chapter.
    void connect_history(workbook::History& history) const {
        history.replace_columns({{"kinetic_energy", [this] { return kinetic_energy(fluid_); }},
                                 {"particle_dye", [this] { return particle_dye(); }},
                                 {"empty_cells", [this] { return empty_cells(); }}});
    }

    /// Shows the particles as dots, or does not, until their key is pressed.
    void show_dots(bool shown) { dots_ = shown; }

    /// Draws the particles of the layer that is shown, each in the colour of its dye.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        const int size = view.cell < 8.0f ? 1 : view.cell < 24.0f ? 2 : 3;
        for (const Particle& particle : fluid_.particles) {
            if (dots_ && layer_of(particle) == window_.layer) {
                const double scale = view.cell / fluid_.h;
                const int x = static_cast<int>(view.left + scale * particle.place.x) - size / 2;
                const int y = static_cast<int>(view.top + scale * particle.place.y) - size / 2;
                const auto dye = static_cast<float>(particle.values[3]);
                picture.rectangle(x, y, size, size,
                                  workbook::sequential_colour(0.25f + 0.75f * dye));
            }
        }
    }

  private:
    static constexpr int first_transfer = 3, numbers_each = 16;  // PIC, of the advections
    static constexpr const char* header = "x,y,z,u,v,w,dye,u_x,u_y,u_z,v_x,v_y,v_z,w_x,w_y,w_z";

    bool is_chosen() const { return advection_.chosen >= first_transfer; }

    int layer_of(const Particle& particle) const {
        return std::min(static_cast<int>(particle.place.z / fluid_.h), fluid_.nz - 1);
    }

    void next_transfer() {
        const int before = advection_.chosen;
        const int count = static_cast<int>(advection_.names.size());
        advection_.chosen = is_chosen() && before + 1 < count ? before + 1 : first_transfer;
        const std::string reason = why_not_open();
        if (!reason.empty()) {
            advection_.chosen = before;
        }
        program_->screen.say(reason.empty() ? advection_.names[advection_.chosen] : reason);
    }

    /// The dye of all particles.
    double particle_dye() const {
        double sum = 0.0;
        for (const Particle& particle : fluid_.particles) {
            sum += particle.values[3];
        }
        return sum;
    }

    /// How many cells of fluid no particle is in.
    double empty_cells() const {
        if (fluid_.particles.empty()) {
            return 0.0;
        }
        std::vector<bool> is_full(fluid_.density.values.size(), false);
        for (const Particle& particle : fluid_.particles) {
            const auto place = particle.place;
            const int i = std::min(static_cast<int>(place.x / fluid_.h), fluid_.nx - 1);
            const int j = std::min(static_cast<int>(place.y / fluid_.h), fluid_.ny - 1);
            is_full[static_cast<std::size_t>(fluid_.density.IX(i, j, layer_of(particle)))] = true;
        }
        double empty = 0.0;
        for (std::size_t cell = 0; cell < is_full.size(); ++cell) {
            empty += is_full[cell] || fluid_.solid.values[cell] == 1.0 ? 0.0 : 1.0;
        }
        return empty;
    }

    // ---- Openings ------------------------------------------------------------------------------

    bool is_open() const {
        const auto names = {"left", "right", "above", "below", "before", "behind"};
        return std::any_of(names.begin(), names.end(), [&](const char* side) {
            return program_->description.parameter(side) != 0.0;
        });
    }

    /// A reason why particles will not do, or "".
    std::string why_not_open() const {
        return is_chosen() && is_open() ? "particles need a closed box: close its sides, or choose "
                                          "--advection reflected"
                                        : "";
    }

    /// A scene or a file whose box is open is carried by the grid, unless the reader asks for
    /// particles.
    std::string without_particles() {
        if (is_chosen() && is_open() && !program_->session.was_given("advection")) {
            advection_.chosen = first_transfer - 1;
        }
        return why_not_open();
    }

    void refuse_openings() {
        program_->simulation.refuse = [this,
                                       refuse = program_->simulation.refuse](workbook::Box box) {
            const std::string reason = refuse(box);
            return reason.empty() ? why_not_open() : reason;
        };
        for (workbook::OwnScene& scene : program_->description.scenes) {
            scene.play = [this, play = scene.play] {
                play();
                const std::string reason = without_particles();
                if (!reason.empty()) {
                    throw workbook::InputError("--advection " +
                                               advection_.names[advection_.chosen] + ": " + reason);
                }
            };
        }
    }

    // ---- The state file ------------------------------------------------------------------------

    void add_state() {
        const char* const names[] = {"u_brought", "v_brought", "w_brought", "density_brought"};
        for (std::size_t n = 0; n < 4; ++n) {
            program_->description.state.push_back({names[n], [this, n](int i, int j, int k) {
                                                       auto& field = fluid_.brought[n];
                                                       return field.has(i, j, k) ? &field(i, j, k)
                                                                                 : nullptr;
                                                   }});
        }
        program_->description.state.push_back(
            {"particles", [this](int i, int j, int k) {
                 saved_count_ = i + j + k == 0  // a file is read through it
                                    ? static_cast<double>(fluid_.particles.size())
                                    : saved_count_;
                 return i + j + k == 0 ? &saved_count_ : nullptr;
             }});
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            const auto brought = fluid_.brought;  // to mark the solids anew would change it
            std::string reason = refuse();
            fluid_.brought = brought;
            return reason.empty() ? without_particles() : reason;
        };
    }

    void write(const workbook::OutputFile& output) const {
        std::vector<double> values;
        for (const Particle& particle : fluid_.particles) {
            values.insert(values.end(), {particle.place.x, particle.place.y, particle.place.z});
            values.insert(values.end(), particle.values.begin(), particle.values.end());
            for (std::size_t n = 0; n < 3; ++n) {
                const auto gradient = particle.gradients[n];
                values.insert(values.end(), {gradient.x, gradient.y, gradient.z});
            }
        }
        workbook::save_table(output, header, values);
    }

    void read(const std::string& path) {
        if (!std::filesystem::exists(path)) {
            throw workbook::InputError("--load " + path +
                                       ": is missing; a state file goes together with the file of "
                                       "its particles");
        }
        const std::vector<double> values = workbook::load_table(path, header);
        const std::size_t count = values.size() / numbers_each;
        fluid_.particles.clear();
        for (std::size_t row = 0; row < count; ++row) {
            const double* value = values.data() + numbers_each * row;
            Particle particle = {};
            particle.place = {value[0], value[1], value[2]};
            std::copy(value + 3, value + 7, particle.values.begin());
            for (std::size_t n = 0; n < 3; ++n) {
                particle.gradients[n] = {value[7 + 3 * n], value[8 + 3 * n], value[9 + 3 * n]};
            }
            const double x = value[0] / fluid_.h, y = value[1] / fluid_.h, z = value[2] / fluid_.h;
            if (!(0.0 <= x && x <= fluid_.nx && 0.0 <= y && y <= fluid_.ny && 0.0 <= z &&
                  z <= fluid_.nz)) {
                throw workbook::InputError(path + ", line " + std::to_string(row + 2) +
                                           ": the particle lies outside of the box");
            }
            fluid_.particles.push_back(particle);
        }
        if (static_cast<double>(count) != saved_count_) {
            throw workbook::InputError(
                path + ": has " + std::to_string(count) + " particles, and the state file says " +
                workbook::in_few_words(saved_count_) + ": it is that of another run");
        }
    }

    Fluid& fluid_;
    workbook::Choice& advection_;
    const workbook::BoxWindow& window_;
    workbook::Program* program_ = nullptr;
    bool dots_ = true;
    double saved_count_ = 0.0;
};
