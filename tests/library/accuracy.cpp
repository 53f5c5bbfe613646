// How close the library comes to known flows with STABLE_FLUIDS_MIDPOINT, and MacCormack's
// advection or central differences.
//
// usage: stable_fluids_accuracy [readme FILE] [splitting NUMBER] FLOW... [central FLOW...]
//
// FLOW is one of
//     orders            flat whirls whose cells and steps are halved together
//     green CELLS DT    Taylor and Green's vortex (1937) at a Reynolds number of 1600
//     cavity CELLS      a cube under a moving lid, at 1000; CELLS is even, and at least 28
//     sphere CELLS      a stream past a sphere at 300; CELLS fit into its diameter
//
// It prints what comes out, and fails if that is further from what is known than README.md says.
// With another splitting (0 is Lie's, 1 Strang's) nothing fails. What comes after `central` is
// carried by STABLE_FLUIDS_CENTRAL. After `readme`, the figures must be those of its table.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <vector>

#include "stable_fluids.h"

namespace {

constexpr double pi = std::numbers::pi;

int splitting = STABLE_FLUIDS_MIDPOINT;
int advection = STABLE_FLUIDS_MACCORMACK;
int problems = 0;

void require(stable_fluids_status status, const stable_fluids* fluid) {
    if (status != STABLE_FLUIDS_OK) {
        std::fprintf(stderr, "stable_fluids_accuracy: %s\n", stable_fluids_error(fluid));
        std::exit(2);
    }
}

void check(bool good, const std::string& what) {
    if (!good && splitting == STABLE_FLUIDS_MIDPOINT) {
        std::printf("  FAILED: %s\n", what.c_str());
        ++problems;
    }
}

std::string readme;  ///< its text, if any was given

/// Checks that a line of the README's table has this figure in its last column, which is that of
/// STABLE_FLUIDS_CENTRAL, or in the one before.
void check_readme(const char* format, double first, double second = 0.0) {
    char figure[64];
    std::snprintf(figure, sizeof figure, format, first, second);
    const char* const end = advection == STABLE_FLUIDS_CENTRAL ? " |\n" : " | ";
    const bool there = readme.find(std::string("| ") + figure + end) != std::string::npos;
    check(readme.empty() || there, std::string("README.md does not say ") + figure);
}

/// A fluid of the library, whose cells are h wide.
class Fluid {
  public:
    Fluid(int nx, int ny, int nz, double cell_size, double viscosity, int face) : h(cell_size) {
        stable_fluids_describe(&description);
        description.nx = nx;
        description.ny = ny;
        description.nz = nz;
        description.h = static_cast<float>(h);
        description.viscosity = static_cast<float>(viscosity);
        description.advection = advection;
        description.splitting = splitting;
        description.backend = STABLE_FLUIDS_HOST;
        for (stable_fluids_face& one : description.faces) {
            one.flow = face;
        }
    }
    ~Fluid() { stable_fluids_destroy(fluid); }
    Fluid(const Fluid&) = delete;
    Fluid& operator=(const Fluid&) = delete;

    /// Makes it; until then the description may be changed.
    void create() { require(stable_fluids_create(&description, &fluid), nullptr); }

    std::vector<float> read(int field) const {
        int n[3];
        require(stable_fluids_shape(fluid, field, n), fluid);
        std::vector<float> values(static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                                  static_cast<std::size_t>(n[2]));
        require(stable_fluids_read(fluid, field, values.data(), values.size()), fluid);
        return values;
    }

    /// Calls visit(x, y, z, value) for each place of a component, and then sets them.
    template <class Visit>
    void visit(int component, const Visit& visit) {
        int n[3];
        require(stable_fluids_shape(fluid, component, n), fluid);
        std::vector<float> values = read(component);
        std::size_t at = 0;
        const auto place = [&](int axis, int number) {
            return h * (number + (axis == component ? 0.0 : 0.5));
        };
        for (int k = 0; k < n[2]; ++k) {
            for (int j = 0; j < n[1]; ++j) {
                for (int i = 0; i < n[0]; ++i, ++at) {
                    visit(place(0, i), place(1, j), place(2, k), values[at]);
                }
            }
        }
        require(stable_fluids_set(fluid, component, values.data(), values.size()), fluid);
    }

    void step(double dt, int count) {
        require(stable_fluids_step(fluid, static_cast<float>(dt), count), fluid);
    }
    stable_fluids_statistics statistics() const {
        stable_fluids_statistics all;
        all.size = sizeof all;
        require(stable_fluids_statistics_of(fluid, &all), fluid);
        return all;
    }

    stable_fluids_description description;
    stable_fluids* fluid = nullptr;
    double h;
};

// ---- Orders ------------------------------------------------------------------------------------

/// A pattern of whirls that a stream carries along, and that viscosity wears down: an exact
/// solution (Taylor 1923). Returns the error after a second, as a root mean square, in m/s.
double error_of_whirls(int n, double viscosity) {
    Fluid fluid(n, n, 1, 1.0 / n, viscosity, STABLE_FLUIDS_PERIODIC);
    fluid.description.tolerance = 1e-5f;
    fluid.create();
    const auto exact = [&](int component, double x, double y, double t) {
        const double left = std::exp(-8.0 * pi * pi * viscosity * t);
        const double a = 2.0 * pi * (x - t);
        const double b = 2.0 * pi * (y - 0.5 * t);
        return component == 0 ? 1.0 + left * std::sin(a) * std::cos(b)
                              : 0.5 - left * std::cos(a) * std::sin(b);
    };
    for (const int component : {0, 1}) {
        fluid.visit(component, [&](double x, double y, double, float& value) {
            value = static_cast<float>(exact(component, x, y, 0.0));
        });
    }
    fluid.step(0.5 / n, 2 * n);
    double sum = 0.0;
    double count = 0.0;
    for (const int component : {0, 1}) {
        fluid.visit(component, [&](double x, double y, double, float& value) {
            sum += std::pow(static_cast<double>(value) - exact(component, x, y, 1.0), 2.0);
            ++count;
        });
    }
    return std::sqrt(sum / count);
}

/// Two whirls that turn about each other for a second, without viscosity: u on 33 x 32 faces, each
/// the mean of those of a finer grid.
std::vector<double> pair_of_whirls(int n) {
    Fluid fluid(n, n, 1, 1.0 / n, 0.0, STABLE_FLUIDS_FREE_SLIP);
    fluid.description.tolerance = 1e-5f;
    fluid.create();
    const auto stream = [](double x, double y) {
        const auto whirl = [&](double middle_x, double middle_y) {
            const double far = std::hypot(x - middle_x, y - middle_y);
            return 0.1 * std::exp(-100.0 * far * far);
        };
        return whirl(0.37, 0.48) + whirl(0.63, 0.54);
    };
    const double half = 0.5 / n;
    fluid.visit(0, [&](double x, double y, double, float& value) {
        value = static_cast<float>((stream(x, y + half) - stream(x, y - half)) * n);
    });
    fluid.visit(1, [&](double x, double y, double, float& value) {
        value = static_cast<float>((stream(x - half, y) - stream(x + half, y)) * n);
    });
    fluid.step(0.5 / n, 2 * n);
    const std::vector<float> u = fluid.read(STABLE_FLUIDS_U);
    std::vector<double> means(33 * 32);
    const int fine = n / 32;
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= 32; ++i) {
            means[static_cast<std::size_t>(33 * (j / fine) + i)] +=
                static_cast<double>(u[static_cast<std::size_t>((n + 1) * j + fine * i)]) / fine;
        }
    }
    return means;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t at = 0; at < a.size(); ++at) {
        sum += (a[at] - b[at]) * (a[at] - b[at]);
    }
    return std::sqrt(sum / static_cast<double>(a.size()));
}

void print_orders() {
    for (const double viscosity : {0.0, 1e-3, 1e-2}) {
        const double coarse = error_of_whirls(64, viscosity);
        const double fine = error_of_whirls(128, viscosity);
        const double order = std::log2(coarse / fine);
        std::printf("whirls in a stream, viscosity %g: errors %.5f and %.5f m/s, order %.2f\n",
                    viscosity, coarse, fine, order);
        // Where viscosity leaves the larger part of so small an error, the order is a little less.
        const bool mixed = advection == STABLE_FLUIDS_CENTRAL && viscosity > 0.0;
        check(order >= (mixed ? 1.8 : 1.9), "the order is less than it should be");
        if (viscosity != 1e-3) {
            check_readme("%.5f m/s, order %.2f", fine, order);
        }
    }
    const std::vector<double> of_64 = pair_of_whirls(64);
    const std::vector<double> of_128 = pair_of_whirls(128);
    const std::vector<double> of_256 = pair_of_whirls(256);
    const double order = std::log2(apart(of_64, of_128) / apart(of_128, of_256));
    std::printf("a pair of whirls: %.5f and %.5f m/s apart, order %.2f\n", apart(of_64, of_128),
                apart(of_128, of_256), order);
    check(order >= 1.9, "the order is less than 1.9");
    check_readme("%.5f m/s, order %.2f", apart(of_128, of_256), order);
}

// ---- Taylor and Green's vortex -----------------------------------------------------------------

/// The sum of the squared differences between neighbours of a component, along all axes.
double squared_differences(const std::vector<float>& u, int n, int component) {
    const int row = n + (component == 0 ? 1 : 0);
    const int layer = row * (n + (component == 1 ? 1 : 0));
    const auto at = [&](int i, int j, int k) {
        return static_cast<double>(
            u[static_cast<std::size_t>(i % n + row * (j % n) + layer * (k % n))]);
    };
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                const double here = at(i, j, k);
                sum += std::pow(at(i + 1, j, k) - here, 2.0) +
                       std::pow(at(i, j + 1, k) - here, 2.0) +
                       std::pow(at(i, j, k + 1) - here, 2.0);
            }
        }
    }
    return sum;
}

/// Its energy in a spectral computation with 512^3 modes, after 1, 2, ... 10 seconds (case C3.5 of
/// the International Workshop on High-Order CFD Methods). It falls fastest after 8.97 s, by 0.01286
/// m2/s3.
constexpr double energy_of_green[] = {0.124515, 0.123917, 0.123024, 0.121508, 0.118436,
                                      0.113581, 0.107025, 0.098290, 0.086404, 0.074479};

/// Ten seconds of it: how far the energy is from that, at most, how much of it is lost or gained
/// other than by viscosity, in percent of that at the start, and when it falls fastest.
void print_green(int n, double dt) {
    const double h = 2.0 * pi / n;
    const double viscosity = 1.0 / 1600.0;
    Fluid fluid(n, n, n, h, viscosity, STABLE_FLUIDS_PERIODIC);
    fluid.create();
    fluid.visit(0, [](double x, double y, double z, float& value) {
        value = static_cast<float>(std::sin(x) * std::cos(y) * std::cos(z));
    });
    fluid.visit(1, [](double x, double y, double z, float& value) {
        value = static_cast<float>(-std::cos(x) * std::sin(y) * std::cos(z));
    });
    const auto energy = [&] { return fluid.statistics().kinetic_energy / std::pow(2.0 * pi, 3.0); };
    const auto by_viscosity = [&] {
        double sum = 0.0;
        for (const int component : {0, 1, 2}) {
            sum += squared_differences(fluid.read(component), n, component);
        }
        return viscosity * sum / (h * h) / std::pow(n, 3.0);
    };
    const double at_start = energy();
    double before = at_start;
    double rate_before = by_viscosity();
    double lost_to_viscosity = 0.0;
    double numerical = 0.0;
    double off = 0.0;
    double fastest = 0.0;
    double when = 0.0;
    const double between = 0.25;
    for (double time = between; time < 10.0 + 0.5 * between; time += between) {
        fluid.step(dt, static_cast<int>(std::lround(between / dt)));
        const double now = energy();
        const double rate = by_viscosity();
        lost_to_viscosity += 0.5 * between * (rate_before + rate);
        const double other = 100.0 * (at_start - now - lost_to_viscosity) / at_start;
        numerical = std::abs(other) > std::abs(numerical) ? other : numerical;
        const double second = std::round(time);
        if (std::abs(time - second) < 1e-6) {
            const double known = energy_of_green[static_cast<std::size_t>(second) - 1];
            const double apart = 100.0 * (now / known - 1.0);
            off = std::abs(apart) > std::abs(off) ? apart : off;
        }
        if (before - now > fastest * between) {
            fastest = (before - now) / between;
            when = time - 0.5 * between;
        }
        before = now;
        rate_before = rate;
    }
    std::printf(
        "Taylor and Green, %d^3, dt %g: energy %+.1f %%, lost other than by viscosity %+.1f %%, "
        "falls fastest after %.1f s\n",
        n, dt, off, numerical, when);
    check(n < 64 || std::abs(off) <= 4.0, "the energy is more than 4 % off");
    check(n < 64 || std::abs(numerical) <= 10.0, "more than 10 % is lost other than by viscosity");
    check_readme("%+.1f %%", off);
    check_readme("%+.1f %%", numerical);
    check_readme("%.1f s", when);
}

// ---- The cube under a lid ----------------------------------------------------------------------

/// A share of the way from the second of four values side by side to the third, by the cubic
/// polynomial through them. Linear interpolation would make the peaks of the cube's flow up to 1 %
/// lower.
double between_middle_two(const std::array<double, 4>& values, double share) {
    const double place = share + 1.0;  // from the first one
    double sum = 0.0;
    for (std::size_t one = 0; one < 4; ++one) {
        double term = values[one];
        for (std::size_t other = 0; other < 4; ++other) {
            if (other != one) {
                term *= (place - static_cast<double>(other)) /
                        (static_cast<double>(one) - static_cast<double>(other));
            }
        }
        sum += term;
    }
    return sum;
}

/// The velocity where it is largest on the two middle lines, but for the lid, beside a spectral
/// solution (Albensoeder and Kuhlmann 2005, "Accurate three-dimensional lid-driven cavity flow",
/// tables 5 and 6), after so many seconds that it changes no more.
void print_cavity(int n) {
    const double h = 1.0 / n;
    Fluid fluid(n, n, n, h, 1e-3, STABLE_FLUIDS_NO_SLIP);
    fluid.description.faces[STABLE_FLUIDS_BOTTOM].u = 1.0f;  // the high end of y
    fluid.create();
    fluid.step(2.0 * h, 25 * n);
    const std::vector<float> u = fluid.read(STABLE_FLUIDS_U);
    const std::vector<float> v = fluid.read(STABLE_FLUIDS_V);
    // What there is at a place on a line, which tells its value at whole numbers.
    const auto value_at = [](double place, const auto& line) {
        const int second = static_cast<int>(place);
        return between_middle_two(
            {line(second - 1), line(second), line(second + 1), line(second + 2)}, place - second);
    };
    // The middle lines lie on faces, as n is even, and between cells k.
    const double middle = 0.5 * (n - 1);
    const auto u_in_row = [&](int j) {
        return value_at(middle, [&](int k) {
            return static_cast<double>(u[static_cast<std::size_t>(n / 2 + (n + 1) * (j + n * k))]);
        });
    };
    const auto v_in_column = [&](int i) {
        return value_at(middle, [&](int k) {
            return static_cast<double>(v[static_cast<std::size_t>(i + n * (n / 2 + (n + 1) * k))]);
        });
    };
    const auto compare = [&](const char* what, const auto& line, int place_of_129, double known) {
        const double found = value_at(place_of_129 * n / 128.0 - 0.5, line);
        const double off = 100.0 * (found / known - 1.0);
        std::printf("the cube, %d^3: %s %.4f, should be %.4f: %+.1f %%\n", n, what, found, known,
                    off);
        const int most = advection == STABLE_FLUIDS_CENTRAL ? 5 : 10;
        check(n < 64 || std::abs(off) <= most, "more than " + std::to_string(most) + " % off");
    };
    // The published places are those of a grid with 129 points, rounded.
    compare("u at y = 0.1016", u_in_row, 13, -0.27293);
    compare("v at x = 0.0938", v_in_column, 12, 0.24407);
    compare("v at x = 0.9063", v_in_column, 116, -0.43423);
}

// ---- The sphere --------------------------------------------------------------------------------

/// How often the wake of a sphere sheds whirls, times its diameter over the speed of the stream.
/// Johnson and Patel 1999 have 0.137, Tomboulides and Orszag 2000 have 0.136.
void print_sphere(int cells, double seconds) {
    const double h = 1.0 / cells;
    const int nx = 10 * cells;
    const int ny = 5 * cells;
    Fluid fluid(nx, ny, ny, h, 1.0 / 300.0, STABLE_FLUIDS_FREE_SLIP);
    fluid.description.faces[STABLE_FLUIDS_LEFT].flow = STABLE_FLUIDS_INFLOW;
    fluid.description.faces[STABLE_FLUIDS_LEFT].u = 1.0f;
    fluid.description.faces[STABLE_FLUIDS_RIGHT].flow = STABLE_FLUIDS_OUTFLOW;
    fluid.description.tolerance = 1e-3f;
    fluid.create();
    std::vector<float> distance;
    for (int k = 0; k <= ny; ++k) {
        for (int j = 0; j <= ny; ++j) {
            for (int i = 0; i <= nx; ++i) {
                distance.push_back(
                    static_cast<float>(std::hypot(i * h - 2.5, j * h - 2.5, k * h - 2.5) - 0.5));
            }
        }
    }
    require(stable_fluids_set_solid(fluid.fluid, distance.data(), distance.size()), fluid.fluid);
    fluid.visit(0, [](double, double, double, float& value) { value = 1.0f; });
    // A breath from below, so that the wake need not wait for rounding to tip it over.
    fluid.visit(1, [](double x, double, double, float& value) {
        value = x > 3.0 && x < 5.0 ? 0.2f : 0.0f;
    });
    const double dt = 0.6 * h;
    std::vector<double> lifts;
    for (double time = dt; time < seconds; time += dt) {
        fluid.step(dt, 1);
        lifts.push_back(fluid.statistics().solid_force[1]);
        if (lifts.size() % 100 == 0) {
            std::printf("# %.1f s: drag %.3f, lift %.4f\n", time,
                        fluid.statistics().solid_force[0] * 8.0 / pi, lifts.back() * 8.0 / pi);
            std::fflush(stdout);
        }
    }
    // In the last 40 seconds: when the lift rises through its mean.
    const std::size_t count = std::min(lifts.size(), static_cast<std::size_t>(40.0 / dt));
    double mean = 0.0;
    for (std::size_t at = lifts.size() - count; at < lifts.size(); ++at) {
        mean += lifts[at] / static_cast<double>(count);
    }
    std::vector<double> rises;
    for (std::size_t at = lifts.size() - count + 1; at < lifts.size(); ++at) {
        const double before = lifts[at - 1] - mean;
        const double now = lifts[at] - mean;
        if (before < 0.0 && now >= 0.0) {
            rises.push_back(dt * (static_cast<double>(at) - now / (now - before)));
        }
    }
    const double strouhal =
        rises.size() > 1 ? static_cast<double>(rises.size() - 1) / (rises.back() - rises.front())
                         : 0.0;
    const double drag = fluid.statistics().solid_force[0] * 8.0 / pi;
    std::printf("the sphere, %d cells: Strouhal number %.4f, drag %.3f, %zu whirls\n", cells,
                strouhal, drag, rises.size());
    check(cells < 16 || std::abs(strouhal / 0.136 - 1.0) <= 0.1, "more than 10 % from 0.136");
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    std::size_t at = 0;
    const auto next = [&]() -> std::string { return at < words.size() ? words[at++] : ""; };
    while (at < words.size()) {
        const std::string flow = next();
        if (flow == "readme") {
            std::ifstream file(next());
            readme.assign(std::istreambuf_iterator<char>(file), {});
            check(!readme.empty(), "there is no such README");
        } else if (flow == "splitting") {
            splitting = std::atoi(next().c_str());
        } else if (flow == "central") {
            advection = STABLE_FLUIDS_CENTRAL;
        } else if (flow == "orders") {
            print_orders();
        } else if (flow == "green") {
            const int cells = std::atoi(next().c_str());
            print_green(cells, std::atof(next().c_str()));
        } else if (flow == "cavity") {
            print_cavity(std::atoi(next().c_str()));
        } else if (flow == "sphere") {
            print_sphere(std::atoi(next().c_str()), 110.0);
        } else {
            std::fprintf(stderr,
                         "stable_fluids_accuracy: %s: give orders, green CELLS DT, cavity CELLS or "
                         "sphere CELLS\n",
                         flow.c_str());
            return 2;
        }
        std::fflush(stdout);
    }
    return problems == 0 ? 0 : 1;
}
