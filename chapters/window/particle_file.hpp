// Particles beside the state file: a table of all that they carry, and what they brought to the
// grid.
//
//     ParticleFile particle_file(window);  // after Bodies, which mark their cells in a loaded
//     fluid
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/app/program.hpp"
#include "common/draw/faces.hpp"
#include "common/io/output.hpp"
#include "common/io/state.hpp"
#include "window/window.hpp"

/// Saves and loads fluid.particles in a file of their own, whose name ends with .particles.csv, and
/// fluid.brought in the state file. It must stay where it is.
template <class Fluid>
class ParticleFile {
    using Particle = typename decltype(Fluid::particles)::value_type;

  public:
    explicit ParticleFile(Window<Fluid>& window) : fluid_(window.fluid), brought_(fluid_.brought) {
        constexpr std::array names = {"u_brought", "v_brought", "w_brought", "density_brought"};
        for (std::size_t n = 0; n < names.size(); ++n) {
            window.save(names[n], fluid_.brought[n]);
        }
        window.save_rows("particles", 1, [this](int) {
            count_ = static_cast<double>(fluid_.particles.size());
            return &count_;  // a file is read through it
        });
        window.program.description.companions.push_back(
            {".particles.csv", [this](const workbook::OutputFile& output) { write(output); },
             [this](const std::string& path) {
                 read(path);
                 brought_ = fluid_.brought;
             }});
        window.refuse_state.add([this] {
            fluid_.brought = brought_;  // to mark the solids anew has changed it
            return std::string();
        });
    }
    ParticleFile(const ParticleFile&) = delete;  // the window refers to it
    ParticleFile& operator=(const ParticleFile&) = delete;

  private:
    static constexpr const char* header = "x,y,z,u,v,w,dye,u_x,u_y,u_z,v_x,v_y,v_z,w_x,w_y,w_z";
    static constexpr std::size_t columns = 16;

    void write(const workbook::OutputFile& output) const {
        std::vector<double> numbers;
        for (const Particle& particle : fluid_.particles) {
            numbers.insert(numbers.end(), {particle.place.x, particle.place.y, particle.place.z});
            numbers.insert(numbers.end(), particle.values.begin(), particle.values.end());
            for (std::size_t n = 0; n < 3; ++n) {
                const auto gradient = particle.gradients[n];
                numbers.insert(numbers.end(), {gradient.x, gradient.y, gradient.z});
            }
        }
        workbook::save_table(output, header, numbers);
    }

    void read(const std::string& path) {
        if (!std::filesystem::exists(path)) {
            throw workbook::InputError("--load " + path +
                                       ": is missing; a state file goes together with the file of "
                                       "its particles");
        }
        const std::vector<double> numbers = workbook::load_table(path, header);
        const std::size_t count = numbers.size() / columns;
        fluid_.particles.clear();
        for (std::size_t row = 0; row < count; ++row) {
            fluid_.particles.push_back(particle_from(numbers.data() + columns * row));
            if (!is_in_box(fluid_.particles.back())) {
                throw workbook::InputError(path + ", line " + std::to_string(row + 2) +
                                           ": the particle lies outside of the box");
            }
        }
        if (static_cast<double>(count) != count_) {
            throw workbook::InputError(
                path + ": has " + std::to_string(count) + " particles, and the state file says " +
                workbook::in_few_words(count_) + ": it is that of another run");
        }
    }

    /// Makes a particle of the numbers in a row of the table.
    static Particle particle_from(const double* number) {
        Particle particle = {};
        particle.place = {number[0], number[1], number[2]};
        std::copy(number + 3, number + 7, particle.values.begin());
        for (std::size_t n = 0; n < 3; ++n) {
            const double* gradient = number + 7 + 3 * n;
            particle.gradients[n] = {gradient[0], gradient[1], gradient[2]};
        }
        return particle;
    }

    bool is_in_box(const Particle& particle) const {
        const double x = particle.place.x / fluid_.h;
        const double y = particle.place.y / fluid_.h;
        const double z = particle.place.z / fluid_.h;
        return 0.0 <= x && x <= fluid_.nx && 0.0 <= y && y <= fluid_.ny && 0.0 <= z &&
               z <= fluid_.nz;
    }

    Fluid& fluid_;
    decltype(Fluid::brought) brought_;  ///< as the state file says it
    double count_ = 0.0;  ///< of the particles, as the state file says it
};
