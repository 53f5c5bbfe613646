// Water and air in the windows of this chapter and of those that follow: scenes, a box that tilts,
// a filled surface with foam, readouts, columns of the state file and of --history.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "41_particles/particles.hpp"
#include "42_water/surface.hpp"
#include "common/app/box.hpp"
#include "common/app/history.hpp"
#include "common/app/program.hpp"
#include "common/draw/colour.hpp"
#include "common/io/vti.hpp"

/// What a window can do with water.
template <class Fluid>
class Water {
    using Particle = typename decltype(Fluid{1, 1, 1}.particles)::value_type;

  public:
    Water(Fluid& fluid, workbook::Choice& advection, const workbook::BoxWindow& window)
        : fluid_(fluid), advection_(advection), window_(window) {}

    /// Adds all this to the program, which must have its own parameters, scenes, keys and state
    /// already. All must stay where they are.
    /// The particles are not shown as dots, until their key is pressed.
    void connect(workbook::Program& program, Particles<Fluid>& particles) {
        program_ = &program;
        particles.show_dots(false);
        program.description.parameters.push_back(
            {"kappa", &fluid_.kappa, "of an error of the volume, corrected in a step", 1.0});
        program.description.keys.push_back(
            {'<', "tilt the box to the left (left arrow)", [this] { tilt(-1); }});
        program.description.keys.push_back(
            {'>', "tilt it to the right (right arrow)", [this] { tilt(1); }});
        program.description.keys.push_back({'^', "upright again (up arrow)", [this] { tilt(0); }});
        for (workbook::Readout& readout : program.description.readouts) {
            change(readout);
        }
        program.description.outputs.push_back(
            {"--vti", "write phi and the velocity for ParaView",
             [this](const workbook::OutputFile& file) { save(file); }});
        program.description.readouts.push_back({"volume", [this] { return volume(); }});
        add_scenes();
        add_state();
        program.simulation.start = [start = program.simulation.start](workbook::Box box) {
            return box == workbook::Box{64, 64, 1} ? workbook::Start{"dam", 1.0 / 60.0, true}
                                                   : start(box);
        };
        program.simulation.reset_box = [this,
                                        reset = program.simulation.reset_box](workbook::Box box) {
            reset(box);
            unit_ = 0.0;
            nozzle_ = 0.0;
            degrees_ = 0;
        };
    }

    /// Lets `dt` seconds pass, in steps that are not too long for water.
    void step(double dt) {
        step_in_parts(fluid_, dt, most_parts, [this] { fill_at_nozzle(); });
    }

    /// Gives --history the columns of this chapter.
    void connect_history(workbook::History& history) const {
        const auto in_columns = [this](double length) {
            return unit_ > 0.0 ? length / unit_ : 0.0;
        };
        history.replace_columns(
            {{"front", [this, in_columns] { return in_columns(front(fluid_)); }},
             {"height", [this, in_columns] { return in_columns(height(fluid_)); }},
             {"volume", [this] { return volume(); }}});
    }

    /// Covers what is air, and draws foam where particles fly alone. The water has the colours of
    /// the field that is shown; with dye it is blue.
    void draw(workbook::Picture& picture, const workbook::View& view) const {
        if (!fluid_.has_air) {
            return;
        }
        const std::vector<double> phi_of_cells = phi_of_layer();
        const bool is_dye = program_->shown_field().name == "dye";
        const int left = static_cast<int>(std::lround(view.left));
        const int top = static_cast<int>(std::lround(view.top));
        const int right = static_cast<int>(std::lround(view.left + view.cell * view.columns));
        const int bottom = static_cast<int>(std::lround(view.top + view.cell * view.rows));
        for (int y = top; y < bottom; ++y) {
            for (int x = left; x < right; ++x) {
                const double phi =
                    phi_at(phi_of_cells, (x + 0.5 - left) / view.cell, (y + 0.5 - top) / view.cell);
                if (phi >= 0.0) {
                    picture.pixel(x, y, air);
                } else if (is_dye) {
                    picture.pixel(x, y, phi > -0.15 * fluid_.h ? crest : water);
                }
            }
        }
        const int size = std::max(2, static_cast<int>(0.3f * view.cell));
        for (const Particle& particle : fluid_.particles) {
            const auto [x, y, z] = particle.place;
            const double i = x / fluid_.h, j = y / fluid_.h;
            const int k = std::min(static_cast<int>(z / fluid_.h), fluid_.nz - 1);
            if (k == window_.layer && phi_at(phi_of_cells, i, j) > -0.1 * fluid_.h) {
                picture.rectangle(static_cast<int>(view.left + view.cell * i) - size / 2,
                                  static_cast<int>(view.top + view.cell * j) - size / 2, size, size,
                                  foam);
            }
        }
    }

  private:
    static constexpr workbook::Colour air = {18, 20, 26}, water = {32, 104, 184},
                                      crest = {120, 180, 230}, foam = {225, 238, 250};
    static constexpr double gravity = 9.81, box_width = 2.0, tolerance = 1e-4;
    static constexpr int most_parts = 50;  ///< of a step

    /// Without air there is no surface, and no water to speak of.
    double volume() const { return fluid_.has_air ? water_volume(fluid_) : 0.0; }

    /// What the grid holds in the air is no water's.
    void change(workbook::Readout& readout) {
        const auto value = readout.value;
        if (readout.name == "max div") {
            readout.value = [this, value] {
                return fluid_.has_air ? largest_divergence_of_water(fluid_) : value();
            };
        } else if (readout.name == "energy") {
            readout.value = [this, value] {
                return fluid_.has_air ? energy_of_water(fluid_) : value();
            };
        } else if (readout.name == "empty cells") {
            readout.value = [this, value] { return fluid_.has_air ? 0.0 : value(); };
        }
    }

    /// phi at the centres of the layer that is shown, and half a cell beyond its sides.
    std::vector<double> phi_of_layer() const {
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>((fluid_.nx + 2) * (fluid_.ny + 2)));
        for (int j = -1; j <= fluid_.ny; ++j) {
            for (int i = -1; i <= fluid_.nx; ++i) {
                values.push_back(phi_beside(fluid_, i, j, window_.layer));
            }
        }
        return values;
    }

    /// phi at a place in cells from the corner, interpolated from the values of phi_of_layer.
    double phi_at(const std::vector<double>& values, double x, double y) const {
        const int i = std::clamp(static_cast<int>(std::floor(x - 0.5)), -1, fluid_.nx - 1),
                  j = std::clamp(static_cast<int>(std::floor(y - 0.5)), -1, fluid_.ny - 1);
        const double s = x - 0.5 - i, t = y - 0.5 - j;
        const int row = fluid_.nx + 2;
        const double* first = &values[static_cast<std::size_t>((j + 1) * row + i + 1)];
        return (1.0 - t) * ((1.0 - s) * first[0] + s * first[1]) +
               t * ((1.0 - s) * first[row] + s * first[row + 1]);
    }

    // ---- Weight --------------------------------------------------------------------------------

    /// Turns the weight by ten degrees, as if the box were tilted, or back to where it was.
    void tilt(int way) {
        weight_ = degrees_ == 0 ? std::hypot(fluid_.force_x, fluid_.force_y) : weight_;
        degrees_ = way == 0 ? 0 : (degrees_ + 10 * way) % 360;
        const double angle = degrees_ * std::numbers::pi / 180.0;
        fluid_.force_x = weight_ * std::sin(angle);
        fluid_.force_y = weight_ * std::cos(angle);
        program_->screen.say("tilted by " + std::to_string(degrees_) + " degrees");
    }

    // ---- Scenes --------------------------------------------------------------------------------

    /// A box that is two metres wide, on Earth, unless flags say otherwise. The unit of --history
    /// is set by the scene.
    template <class Fill>
    void begin(Fill fill) {
        if (advection_.chosen < static_cast<int>(first_transfer)) {
            throw workbook::InputError(
                "--advection " + advection_.names[advection_.chosen] +
                ": only particles know where there is air; choose pic, flip or apic");
        }
        fluid_.h = program_->session.was_given("cell_size") ? fluid_.h : box_width / fluid_.nx;
        fluid_.force_y = program_->session.was_given("force_y") ? fluid_.force_y : gravity;
        fluid_.nu = program_->session.was_given("nu") ? fluid_.nu : 0.0;
        fluid_.tolerance = program_->session.was_given("tolerance") ? fluid_.tolerance : tolerance;
        unit_ = 0.0;
        nozzle_ = 0.0;
        fill();
    }

    void add_scenes() {
        const auto add = [this](const std::string& name, const std::string& meaning, auto fill) {
            program_->description.scenes.push_back({name, meaning, [this, fill] { begin(fill); }});
        };
        add("dam", "a column of water that falls down", [this] { unit_ = fill_dam(fluid_); });
        add("drop", "a drop that falls into a pool", [this] { fill_drop(fluid_); });
        add("slosh", "the longest wave of a box", [this] {
            const double width = fluid_.h * fluid_.nx;
            fill_with_wave(fluid_, std::min(0.5 * width, 0.6 * fluid_.h * fluid_.ny), 0.05 * width);
        });
        add("fountain", "water that comes up from below", [this] {
            const double bottom = fluid_.h * fluid_.ny;
            fill_with_water(
                fluid_, [&](double, double y, double) { return y > 0.9 * bottom; }, 0.5);
            nozzle_ = 0.8 * std::sqrt(2.0 * gravity * bottom);
        });
    }

    // ---- The fountain --------------------------------------------------------------------------

    /// The bottom of the box is solid in the middle, and water comes out of it as if this solid
    /// moved up. New particles fill the cells above it, until the box is half full.
    void fill_at_nozzle() {
        if (nozzle_ == 0.0) {
            return;
        }
        const int half = std::max(1, fluid_.nx / 32), middle = fluid_.nx / 2;
        const bool is_full = 2.0 * volume() > fluid_.h * fluid_.h * fluid_.nx * fluid_.ny *
                                                  (fluid_.nz > 1 ? fluid_.h * fluid_.nz : 1.0);
        bool is_new = false;
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = std::max(0, middle - half); i < std::min(fluid_.nx, middle + half); ++i) {
                is_new = is_new || fluid_.solid(i, fluid_.ny - 1, k) == 0.0;
                fluid_.solid(i, fluid_.ny - 1, k) = 1.0;
                fluid_.v_given(i, fluid_.ny - 1, k) = is_full ? 0.0 : -nozzle_;
            }
        }
        if (is_new) {
            mark_solids(fluid_);
        }
        set_bnd(fluid_);
        if (!is_full) {
            fill_up(middle - half, middle + half, fluid_.ny - 2);
        }
    }

    /// Adds particles to cells of row j that hold fewer than they can.
    void fill_up(int first, int end, int j) {
        const int full = fluid_.nz == 1 ? 4 : 8;
        std::vector<int> counts(fluid_.phi.values.size(), 0);
        for (const Particle& particle : fluid_.particles) {
            const auto [x, y, z] = particle.place;
            ++counts[static_cast<std::size_t>(
                fluid_.phi.IX(std::min(static_cast<int>(x / fluid_.h), fluid_.nx - 1),
                              std::min(static_cast<int>(y / fluid_.h), fluid_.ny - 1),
                              std::min(static_cast<int>(z / fluid_.h), fluid_.nz - 1)))];
        }
        for (int k = 0; k < fluid_.nz; ++k) {
            for (int i = std::max(0, first); i < std::min(fluid_.nx, end) && j >= 0; ++i) {
                const int there = counts[static_cast<std::size_t>(fluid_.phi.IX(i, j, k))];
                for (int n = there; n < full; ++n) {
                    const int right = n % 2, below = n / 2 % 2, behind = n / 4;  // each 0 or 1
                    const double depth = fluid_.nz == 1 ? 0.5 : 0.25 + 0.5 * behind;
                    Particle particle = {};
                    particle.place = {fluid_.h * (i + 0.25 + 0.5 * right),
                                      fluid_.h * (j + 0.25 + 0.5 * below), fluid_.h * (k + depth)};
                    particle.values[1] = -nozzle_;
                    fluid_.particles.push_back(particle);
                }
            }
        }
    }

    // ---- Files ---------------------------------------------------------------------------------

    /// phi and the velocity at the centres of the cells, for ParaView: the water is where phi is
    /// below 0. As everywhere here, y points down. (ParaView opens the particles of --save, too.)
    void save(const workbook::OutputFile& file) const {
        const auto centre = [](const auto& faces, int i, int j, int k, int axis) {
            return 0.5 *
                   (faces(i, j, k) + faces(i + (axis == 0), j + (axis == 1), k + (axis == 2)));
        };
        workbook::save_vti(
            file, std::array<int, 3>{fluid_.nx, fluid_.ny, fluid_.nz}, 0.0, fluid_.h,
            {{"phi", 1,
              [this](int, int i, int j, int k) { return static_cast<float>(fluid_.phi(i, j, k)); }},
             {"velocity", 3, [this, centre](int axis, int i, int j, int k) {
                  const auto& faces = axis == 0 ? fluid_.u : axis == 1 ? fluid_.v : fluid_.w;
                  return static_cast<float>(centre(faces, i, j, k, axis));
              }}});
    }

    // ---- The state file ------------------------------------------------------------------------

    void add_state() {
        program_->description.state.push_back({"phi", [this](int i, int j, int k) {
                                                   return fluid_.phi.has(i, j, k)
                                                              ? &fluid_.phi(i, j, k)
                                                              : nullptr;
                                               }});
        // What scenes choose: weight, the width of a cell, the dam's column, the speed at the
        // nozzle.
        const auto one = [this](const std::string& name, double& value) {
            program_->description.state.push_back({name, [&value](int i, int j, int k) {
                                                       return i + j + k == 0 ? &value : nullptr;
                                                   }});
        };
        one("weight_x", fluid_.force_x);
        one("weight_y", fluid_.force_y);
        one("weight_z", fluid_.force_z);
        one("width_of_cell", fluid_.h);
        one("column", unit_);
        one("nozzle", nozzle_);
        program_->description.state.push_back({"air", [this](int i, int j, int k) {
                                                   if (i + j + k > 0) {
                                                       return static_cast<double*>(nullptr);
                                                   }
                                                   has_air_ = fluid_.has_air ? 1.0 : 0.0;
                                                   return &has_air_;  // a file is read through it
                                               }});
        program_->simulation.refuse_state = [this, refuse = program_->simulation.refuse_state] {
            fluid_.has_air = has_air_ != 0.0;
            if (fluid_.has_air) {
                fluid_.tolerance =
                    program_->session.was_given("tolerance") ? fluid_.tolerance : tolerance;
                fluid_.pressure.phi = fluid_.rhs.phi =
                    std::make_shared<const std::decay_t<decltype(fluid_.phi)>>(fluid_.phi);
            }
            return refuse();
        };
    }

    static constexpr int first_transfer = 3;  ///< PIC, of the advections

    Fluid& fluid_;
    workbook::Choice& advection_;
    const workbook::BoxWindow& window_;
    workbook::Program* program_ = nullptr;
    double unit_ = 0.0;  ///< the width of the dam's column
    double nozzle_ = 0.0;  ///< the speed of what comes out of it; 0: there is none
    double has_air_ = 0.0;  ///< fluid_.has_air, for the state file
    int degrees_ = 0;  ///< by which the box is tilted
    double weight_ = 0.0;  ///< before it was
};
