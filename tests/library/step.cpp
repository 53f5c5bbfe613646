// A whole step of the library beside one that does the same as plainly as can be: in double, places
// read through functions that know the walls, equations solved by sweeping until nothing changes.
// On random numbers, in boxes without symmetry, for each mix of walls: whatever is forgotten,
// exchanged or counted twice shows.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "fluid_box.hpp"

namespace {

using namespace fluid_box;

/// Where a quantity lives: 0, 1, 2 on the faces that look along x, y, z; 3 at the centres.
constexpr int centre = 3;

using Point = std::array<double, 3>;

/// How a quantity goes on beyond a face of the box: joined, as it is inside (mirrored), or through
/// a given value in the face.
struct End {
    enum Kind { JOINED, MIRRORED, GIVEN } kind = MIRRORED;
    double value = 0.0;
};

struct Quantity {
    Triple cells = {1, 1, 1};
    bool deep = false;
    int where = centre;
    std::array<End, 6> ends;
    Triple n = {1, 1, 1};  ///< places
    std::vector<double> values;

    int axes() const { return deep ? 3 : 2; }
    std::size_t at(const Triple& p) const {
        return static_cast<std::size_t>(p[0] + n[0] * (p[1] + n[1] * p[2]));
    }
    const End& low(int axis) const { return ends[static_cast<std::size_t>(2 * axis)]; }
    const End& high(int axis) const { return ends[static_cast<std::size_t>(2 * axis + 1)]; }

    /// The value at any place. Along its own axis there is none beyond the faces, unless joined.
    double operator()(Triple p) const {
        for (int axis = 0; axis < axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const int count = cells[a];
            if (low(axis).kind == End::JOINED) {
                p[a] = ((p[a] % count) + count) % count;
            } else if (axis != where && (p[a] < 0 || p[a] >= count)) {
                const End& end = p[a] < 0 ? low(axis) : high(axis);
                p[a] = p[a] < 0 ? -1 - p[a] : 2 * count - 1 - p[a];
                const double image = (*this)(p);
                return end.kind == End::GIVEN ? 2.0 * end.value - image : image;
            }
        }
        return values[at(p)];
    }

    /// Whether the value there is computed: not in a wall, and not the second of two joined faces.
    bool is_free(const Triple& p) const {
        if (where == centre) {
            return true;
        }
        const int place = p[static_cast<std::size_t>(where)];
        const int last = cells[static_cast<std::size_t>(where)];
        if (low(where).kind == End::JOINED) {
            return place < last;
        }
        return !(place == 0 && low(where).kind == End::GIVEN) &&
               !(place == last && high(where).kind == End::GIVEN);
    }

    /// What the walls say about the places in them.
    void set_walls() {
        for_each(n, [&](int i, int j, int k) {
            const Triple p = {i, j, k};
            if (!is_free(p)) {
                Triple other = p;
                const auto a = static_cast<std::size_t>(where);
                if (low(where).kind == End::JOINED) {
                    other[a] = 0;
                    values[at(p)] = values[at(other)];
                } else {
                    values[at(p)] = p[a] == 0 ? low(where).value : high(where).value;
                }
            }
        });
    }

    /// Linear interpolation, and the smallest and largest of what it looks at (not behind walls).
    double read(const Point& x, double* least = nullptr, double* most = nullptr) const {
        Triple before = {0, 0, 0};
        Point share = {0.0, 0.0, 0.0};
        for (int axis = 0; axis < axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            double place = axis == where ? x[a] : x[a] - 0.5;
            if (std::abs(place - std::round(place)) < 1e-9) {
                place =
                    std::round(place);  // what did not move along this axis is still in its place
            }
            int first = static_cast<int>(std::floor(place));
            if (axis == where && first == cells[a]) {
                --first;  // the last face, which has no next one
            }
            before[a] = first;
            share[a] = place - first;
        }
        double sum = 0.0;
        for (int corner = 0; corner < (deep ? 8 : 4); ++corner) {
            Triple p = before;
            double weight = 1.0;
            for (int axis = 0; axis < axes(); ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                const int next = corner >> axis & 1;
                p[a] += next;
                weight *= next == 1 ? share[a] : 1.0 - share[a];
            }
            sum += weight * (*this)(p);
            for (int axis = 0; axis < axes(); ++axis) {
                const auto a = static_cast<std::size_t>(axis);
                if (axis != where && low(axis).kind != End::JOINED) {
                    p[a] = std::clamp(p[a], 0, cells[a] - 1);
                }
            }
            if (least != nullptr) {
                const double value = (*this)(p);
                *least = corner == 0 ? value : std::min(*least, value);
                *most = corner == 0 ? value : std::max(*most, value);
            }
        }
        if (least != nullptr) {
            *least = std::min(*least, sum);
            *most = std::max(*most, sum);
        }
        return sum;
    }

    Point place_of(const Triple& p) const {
        Point x = {0.0, 0.0, 0.0};
        for (int axis = 0; axis < axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            x[a] = p[a] + (axis == where ? 0.0 : 0.5);
        }
        return x;
    }

    template <class Visit>
    void for_free(const Visit& visit) const {
        for_each(n, [&](int i, int j, int k) {
            if (is_free({i, j, k})) {
                visit(Triple{i, j, k});
            }
        });
    }
};

/// The plain fluid.
class Plain {
  public:
    explicit Plain(const Plan& plan) : plan_(plan) {
        for (int axis = 0; axis < plan.axes(); ++axis) {
            velocity.push_back(quantity(axis, [&](int face) {
                const stable_fluids_face& f = plan.d.faces[face];
                const float parts[] = {f.u, f.v, f.w};
                const bool across = face / 2 == axis;
                switch (f.flow) {
                    case STABLE_FLUIDS_PERIODIC:
                        return End{End::JOINED};
                    case STABLE_FLUIDS_OUTFLOW:
                        return End{End::MIRRORED};
                    case STABLE_FLUIDS_FREE_SLIP:
                        return across ? End{End::GIVEN, 0.0} : End{End::MIRRORED};
                    default:
                        return End{End::GIVEN, static_cast<double>(parts[axis])};
                }
            }));
            force.push_back(velocity.back());
        }
        for (const stable_fluids_scalar& kind : plan.scalars) {
            scalars.push_back(quantity(centre, [&](int face) {
                const stable_fluids_scalar_face& f = kind.faces[face];
                return f.flow == STABLE_FLUIDS_SCALAR_PERIODIC ? End{End::JOINED}
                       : f.flow == STABLE_FLUIDS_FIXED_VALUE
                           ? End{End::GIVEN, static_cast<double>(f.value)}
                           : End{End::MIRRORED};
            }));
            sources.push_back(scalars.back());
        }
        pressure = quantity(centre, [&](int face) {
            const stable_fluids_face& f = plan.d.faces[face];
            return f.flow == STABLE_FLUIDS_PERIODIC ? End{End::JOINED}
                   : f.flow == STABLE_FLUIDS_OUTFLOW
                       ? End{End::GIVEN, static_cast<double>(f.pressure)}
                       : End{End::MIRRORED};
        });
    }

    std::vector<Quantity> velocity, force, scalars, sources;
    Quantity pressure;
    bool doubtful =
        false;  ///< whether rounding may have decided between two limits of MacCormack's

    void step(double dt) {
        const bool halves = plan_.d.splitting != STABLE_FLUIDS_LIE && steps_++ > 1;
        const bool midpoint = halves && plan_.d.splitting == STABLE_FLUIDS_MIDPOINT;
        const std::vector<Quantity> flow = velocity;
        const double before = midpoint ? share_of_viscosity_before(dt) : 0.0;
        if (midpoint) {
            for (Quantity& u : velocity) {
                spread_explicitly(u, before * dt * static_cast<double>(plan_.d.viscosity));
            }
        }
        if (halves) {
            push(0.5 * dt, 0.5 * dt);
        }
        carry_velocity(midpoint ? ahead(flow, std::min(0.5 * dt / last_dt_, 1.0)) : flow, dt);
        earlier_ = flow;
        last_dt_ = dt;
        push(halves ? 0.5 * dt : dt, halves ? 0.5 * dt : 0.0);
        for (Quantity& u : velocity) {
            spread(u, (1.0 - before) * dt * static_cast<double>(plan_.d.viscosity), 1.0);
        }
        if (halves) {
            push(0.0, -dt);  // the projection is to find the whole pressure
        }
        project(dt);
        for (std::size_t n = 0; n < scalars.size(); ++n) {
            Quantity& c = scalars[n];
            c.for_free([&](const Triple& p) { c.values[c.at(p)] += dt * sources[n](p); });
            carry(c, plan_.d.splitting == STABLE_FLUIDS_MIDPOINT ? between() : velocity, dt);
            spread(c, dt * static_cast<double>(plan_.scalars[n].diffusion),
                   1.0 + dt * static_cast<double>(plan_.scalars[n].dissipation));
        }
    }

    /// How much of MacCormack's correction of the velocity stayed in the last step.
    double share() const { return share_; }

    /// How many stages the methods had by which central differences were carried.
    const std::set<int>& stages_made() const { return stages_made_; }

  private:
    Quantity quantity(int where, const std::function<End(int)>& end) const {
        Quantity made;
        made.cells = plan_.size();
        made.deep = plan_.deep();
        made.where = where;
        for (int face = 0; face < 6; ++face) {
            made.ends[static_cast<std::size_t>(face)] = end(face);
        }
        made.n = made.cells;
        if (where != centre) {
            ++made.n[static_cast<std::size_t>(where)];
        }
        made.values.assign(static_cast<std::size_t>(made.n[0]) *
                               static_cast<std::size_t>(made.n[1]) *
                               static_cast<std::size_t>(made.n[2]),
                           0.0);
        if (where != centre) {
            made.set_walls();
        }
        return made;
    }

    double h() const { return static_cast<double>(plan_.d.h); }

    /// The velocity so many of the last steps later.
    std::vector<Quantity> ahead(std::vector<Quantity> flow, double steps) const {
        for (std::size_t axis = 0; axis < flow.size(); ++axis) {
            Quantity& u = flow[axis];
            for (std::size_t at = 0; at < u.values.size(); ++at) {
                u.values[at] += steps * (u.values[at] - earlier_[axis].values[at]);
            }
        }
        return flow;
    }

    /// The mean of the velocities at both ends of the step.
    std::vector<Quantity> between() const {
        std::vector<Quantity> mean = velocity;
        for (std::size_t axis = 0; axis < mean.size(); ++axis) {
            for (std::size_t at = 0; at < mean[axis].values.size(); ++at) {
                mean[axis].values[at] =
                    0.5 * (velocity[axis].values[at] + earlier_[axis].values[at]);
            }
        }
        return mean;
    }

    /// Half, or so much that the shortest wave there is, which loses 4 a along each axis, becomes
    /// its own opposite.
    double share_of_viscosity_before(double dt) const {
        const double a = dt * static_cast<double>(plan_.d.viscosity) / (h() * h());
        return a > 0.0 ? std::min(0.5, 2.0 / (4.0 * plan_.axes() * a)) : 0.0;
    }

    /// q += amount Laplacian q.
    void spread_explicitly(Quantity& q, double amount) const {
        const Quantity old = q;
        const double a = amount / (h() * h());
        q.for_free([&](const Triple& p) {
            for_neighbours(old, p, [&](double weight, double known) {
                q.values[q.at(p)] += a * (known - weight * old(p));
            });
            for (int axis = 0; axis < old.axes(); ++axis) {
                q.values[q.at(p)] += 2.0 * a * lacking_friction(old, p, axis);
            }
        });
        q.set_walls();
    }

    /// The parabola through the value in a wall half a place away and the two places before it has
    /// another slope in the wall than a straight line. How much more that is, times h, for all
    /// walls across an axis.
    static double lacking_friction(const Quantity& q, const Triple& p, int axis) {
        const auto a = static_cast<std::size_t>(axis);
        double sum = 0.0;
        for (const int side : {-1, 1}) {
            const End& end = side < 0 ? q.low(axis) : q.high(axis);
            const bool beside = p[a] == (side < 0 ? 0 : q.cells[a] - 1);
            if (axis != q.where && end.kind == End::GIVEN && beside && q.cells[a] > 1) {
                Triple second = p;
                second[a] -= side;
                const double straight = 2.0 * (end.value - q(p));
                sum += (8.0 * end.value - 9.0 * q(p) + q(second)) / 3.0 - straight;
            }
        }
        return sum;
    }

    /// A point is brought back into the box.
    Point inside(Point x) const {
        const Triple n = plan_.size();
        for (int axis = 0; axis < plan_.axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (plan_.d.faces[2 * axis].flow == STABLE_FLUIDS_PERIODIC) {
                x[a] -= n[a] * std::floor(x[a] / n[a]);
            }
            x[a] = std::clamp(x[a], 0.0, static_cast<double>(n[a]));
        }
        return x;
    }

    /// Where what arrives at x was: half the way with the velocity here, the whole with that there.
    Point trace(const std::vector<Quantity>& flow, const Point& x, double dt) const {
        const auto moved = [&](const Point& with, double time) {
            Point y = x;
            for (std::size_t axis = 0; axis < flow.size(); ++axis) {
                y[axis] -= time / h() * flow[axis].read(with);
            }
            return inside(y);
        };
        return moved(moved(x, 0.5 * dt), dt);
    }

    /// The velocity half the way back from a cell's centre.
    Point halfway(const std::vector<Quantity>& flow, Triple cell, double dt) const {
        const Triple n = plan_.size();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            cell[axis] = (cell[axis] + n[axis]) % n[axis];  // joined
        }
        const Point x = pressure.place_of(cell);
        Point y = x;
        for (std::size_t axis = 0; axis < flow.size(); ++axis) {
            y[axis] -= 0.5 * dt / h() * flow[axis].read(x);
        }
        y = inside(y);
        Point found = {0.0, 0.0, 0.0};
        for (std::size_t axis = 0; axis < flow.size(); ++axis) {
            found[axis] = flow[axis].read(y);
        }
        return found;
    }

    /// Where what arrives at a place was. With linear interpolation and STABLE_FLUIDS_LIE, a face
    /// takes the mean of the velocities half the way back from its two cells.
    Point way_back(const std::vector<Quantity>& flow, const Quantity& q, const Triple& p,
                   double dt) const {
        const bool shared = plan_.d.advection == STABLE_FLUIDS_LINEAR &&
                            plan_.d.splitting == STABLE_FLUIDS_LIE &&
                            plan_.d.size == sizeof plan_.d;
        const auto a = static_cast<std::size_t>(q.where);
        const bool at_open_end = q.where != centre && q.low(q.where).kind != End::JOINED &&
                                 (p[a] == 0 || p[a] == q.cells[a]);
        if (!shared || at_open_end) {
            return trace(flow, q.place_of(p), dt);
        }
        Triple before = p;
        if (q.where != centre) {
            --before[a];
        }
        const Point one = halfway(flow, before, dt);
        const Point other = halfway(flow, p, dt);
        Point x = q.place_of(p);
        for (std::size_t axis = 0; axis < flow.size(); ++axis) {
            x[axis] -= dt / h() * 0.5 * (one[axis] + other[axis]);
        }
        return inside(x);
    }

    /// How far x is from the middle between the two ends of its traces: twice that, squared.
    double disagreement(const Point& x, const Point& upstream, const Point& downstream) const {
        double sum = 0.0;
        for (int axis = 0; axis < plan_.axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            double apart = upstream[a] + downstream[a] - 2.0 * x[a];
            if (plan_.d.faces[2 * axis].flow == STABLE_FLUIDS_PERIODIC) {
                apart = std::remainder(apart, static_cast<double>(plan_.size()[a]));
            }
            sum += apart * apart;
        }
        return sum;
    }

    /// The limits jump where the point upstream passes one of the places. (Not so where it hardly
    /// moves: then nothing needs to be limited.)
    void look_at(const Quantity& q, const Point& x, const Point& upstream) {
        for (int axis = 0; axis < q.axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            const double place = axis == q.where ? upstream[a] : upstream[a] - 0.5;
            const double beside = std::abs(place - std::round(place));
            if (beside > 1e-9 && beside < 1e-4 && std::abs(upstream[a] - x[a]) > 1e-3) {
                doubtful = true;
            }
        }
    }

    /// The velocity's energy, over that of a cell's mass at 1 m/s.
    static double energy(const std::vector<Quantity>& u) {
        double sum = 0.0;
        for (const Quantity& q : u) {
            q.for_free([&](const Triple& p) { sum += 0.5 * q(p) * q(p); });
        }
        return sum;
    }

    /// What enters the box in a time step: through each face, so many cells full of fluid that is
    /// as fast as that in the face.
    double energy_that_enters(const std::vector<Quantity>& flow, double dt) const {
        double sum = 0.0;
        for (const Quantity& q : flow) {
            const auto a = static_cast<std::size_t>(q.where);
            for_each(q.n, [&](int i, int j, int k) {
                const Triple p = {i, j, k};
                const bool at_end = p[a] == 0 || p[a] == q.cells[a];
                if (at_end && q.low(q.where).kind != End::JOINED) {
                    const double inwards = p[a] == 0 ? q(p) : -q(p);
                    for (const Quantity& other : flow) {
                        const double speed = other.read(q.place_of(p));
                        sum += 0.5 * std::max(0.0, inwards) * dt / h() * speed * speed;
                    }
                }
            });
        }
        return sum;
    }

    /// The value at a place, or at the last face that there is along the quantity's own axis.
    static double at_or_last(const Quantity& q, Triple p) {
        const auto a = static_cast<std::size_t>(q.where);
        if (q.low(q.where).kind != End::JOINED) {
            p[a] = std::clamp(p[a], 0, q.cells[a]);
        }
        return q(p);
    }

    static Triple moved(Triple p, int axis, int places) {
        p[static_cast<std::size_t>(axis)] += places;
        return p;
    }

    /// What carries between a place of u and the next one along an axis.
    static double carrier(const Quantity& u, const Quantity& along, const Triple& p) {
        const Triple next = moved(p, along.where, 1);
        const Triple other = along.where == u.where ? p : moved(next, u.where, -1);
        return 0.5 * (at_or_last(along, next) + at_or_last(along, other));
    }

    /// What u loses at a place, times h, along an axis: the sum over the other places, each
    /// times its coefficient. A pair of neighbours has half of what carries between them. Three
    /// neighbours in a row add a twelfth of what carries in the middle to both pairs, and subtract
    /// it from that of the outer two.
    static double lost(const Quantity& u, const Quantity& along, const Triple& p) {
        const int axis = along.where;
        const auto a = static_cast<std::size_t>(axis);
        const auto value = [&](int places) { return at_or_last(u, moved(p, axis, places)); };
        const auto carries = [&](int places) { return carrier(u, along, moved(p, axis, places)); };
        const int last = axis == u.where ? u.cells[a] : u.cells[a] - 1;
        double sum = 0.5 * carries(0) * value(1) - 0.5 * carries(-1) * value(-1);
        for (const int middle : {-1, 0, 1}) {
            const int place = p[a] + middle;
            if (u.low(axis).kind != End::JOINED && (place < 1 || place + 1 > last)) {
                continue;
            }
            const double share = (carries(middle - 1) + carries(middle)) / 24.0;
            sum += middle == 0    ? share * (value(1) - value(-1))
                   : middle == -1 ? share * (value(-2) - value(-1))
                                  : share * (value(1) - value(2));
        }
        return sum;
    }

    /// How many cells the flow crosses in a step, at most, along all axes together.
    double cells_crossed(const std::vector<Quantity>& flow, double dt) const {
        double most = 0.0;
        for_each(plan_.size(), [&](int i, int j, int k) {
            double sum = 0.0;
            for (const Quantity& u : flow) {
                const Triple p = {i, j, k};
                sum += std::max(std::abs(u(p)), std::abs(u(moved(p, u.where, 1))));
            }
            most = std::max(most, sum * dt / h());
        });
        return most;
    }

    /// Central differences, by the method of Wicker and Skamarock, that of Runge and Kutta or that
    /// of Kinnmark and Gray, whichever has the fewest stages.
    void carry_by_differences(Quantity& u, const std::vector<Quantity>& flow, double dt) {
        const double crossed = cells_crossed(flow, dt);
        double parts = 0.0;
        std::vector<double> divisors;
        const auto look_at = [&](double most_crossed, const std::vector<double>& those) {
            const double needed = std::max(1.0, std::ceil(crossed / most_crossed));
            const auto work = [](double times, const std::vector<double>& stages) {
                return times * static_cast<double>(stages.size());
            };
            if (divisors.empty() || work(needed, those) < work(parts, divisors)) {
                parts = needed;
                divisors = those;
            }
        };
        look_at(1.2, {3.0, 2.0, 1.0});
        look_at(1.95, {4.0, 3.0, 2.0, 1.0});
        look_at(2.65, {5.0, 5.0, 3.0, 2.0, 1.0});
        stages_made_.insert(static_cast<int>(divisors.size()));
        for (int part = 0; part < static_cast<int>(parts); ++part) {
            const Quantity start = u;
            for (const double divisor : divisors) {
                const Quantity now = u;
                u.for_free([&](const Triple& p) {
                    double sum = 0.0;
                    for (const Quantity& along : flow) {
                        sum += lost(now, along, p);
                    }
                    u.values[u.at(p)] = start(p) - dt / parts / divisor / h() * sum;
                });
                u.set_walls();
            }
        }
    }

    /// In a deep box, so much of MacCormack's correction is left out that no energy comes from
    /// nothing. The largest share that may stay is found by halving intervals.
    void carry_velocity(const std::vector<Quantity>& flow, double dt) {
        if (plan_.d.advection == STABLE_FLUIDS_CENTRAL) {
            for (Quantity& u : velocity) {
                carry_by_differences(u, flow, dt);
            }
            return;
        }
        share_ = plan_.d.advection == STABLE_FLUIDS_LINEAR ? 0.0 : 1.0;
        const double had = energy(velocity) + energy_that_enters(flow, dt);
        std::vector<Quantity> linear;
        for (Quantity& u : velocity) {
            linear.push_back(carry(u, flow, dt));
        }
        if (!plan_.deep()) {
            return;
        }
        const double most = std::max(had, energy(linear));
        const std::vector<Quantity> corrected = velocity;
        double low = 0.0;
        double high = 1.0;
        for (double share = 1.0; high - low > 1e-12; share = 0.5 * (low + high)) {
            for (std::size_t axis = 0; axis < velocity.size(); ++axis) {
                for (std::size_t at = 0; at < velocity[axis].values.size(); ++at) {
                    const double from = linear[axis].values[at];
                    velocity[axis].values[at] = from + share * (corrected[axis].values[at] - from);
                }
            }
            (energy(velocity) <= most ? low : high) = share;
        }
        share_ = high;
    }

    /// Carries a quantity. Returns what linear interpolation alone makes of it.
    Quantity carry(Quantity& q, const std::vector<Quantity>& flow, double dt) {
        const Quantity old = q;
        q.for_free(
            [&](const Triple& p) { q.values[q.at(p)] = old.read(way_back(flow, old, p, dt)); });
        if (q.where != centre) {
            q.set_walls();
        }
        if (plan_.d.advection == STABLE_FLUIDS_LINEAR) {
            return q;
        }
        const Quantity first = q;
        q.for_free([&](const Triple& p) {
            double least = 0.0;
            double most = 0.0;
            const Point x = old.place_of(p);
            const Point upstream = trace(flow, x, dt);
            look_at(old, x, upstream);
            old.read(upstream, &least, &most);
            const Point downstream = trace(flow, x, -dt);
            const double share = std::max(0.0, 0.5 - 2.0 * disagreement(x, upstream, downstream));
            const double back = first.read(downstream);
            q.values[q.at(p)] = std::clamp(first(p) + share * (old(p) - back), least, most);
        });
        if (q.where != centre) {
            q.set_walls();
        }
        return first;
    }

    /// Sweeps over `x` until what `asked(p)` wants is there.
    template <class Asked>
    static void sweep(Quantity& x, const Asked& asked) {
        double change = 1.0;
        for (int sweeps = 0; change > 1e-12 && sweeps < 20000; ++sweeps) {
            change = 0.0;
            x.for_free([&](const Triple& p) {
                double& value = x.values[x.at(p)];
                const double wanted = asked(p);
                change = std::max(change, std::abs(wanted - value));
                value = wanted;
            });
            if (x.where != centre) {
                x.set_walls();
            }
        }
        REQUIRE(change <= 1e-12);
    }

    /// factor q - amount Laplacian q = q as it was, by elimination. (No pivot is looked for: in
    /// each row the diagonal outweighs the others.)
    void spread(Quantity& q, double amount, double factor) const {
        const double a = amount / (h() * h());
        std::vector<Triple> places;
        std::vector<double> b;
        q.for_free([&](const Triple& p) {
            places.push_back(p);
            b.push_back(q(p));
        });
        const std::size_t n = places.size();
        const auto put = [&](std::size_t at, double value) {
            q.values[q.at(places[at])] = value;
            if (q.where != centre) {
                q.set_walls();
            }
        };
        const auto left_side = [&](const Triple& p) {
            double sum = factor * q(p);
            for_neighbours(
                q, p, [&](double weight, double known) { sum += a * (weight * q(p) - known); });
            return sum;
        };
        for (std::size_t at = 0; at < n; ++at) {
            put(at, 0.0);
        }
        std::vector<double> given(n);
        for (std::size_t row = 0; row < n; ++row) {
            given[row] = left_side(places[row]);
            b[row] -= given[row];
        }
        std::vector<double> matrix(n * n);
        for (std::size_t column = 0; column < n; ++column) {
            put(column, 1.0);
            for (std::size_t row = 0; row < n; ++row) {
                matrix[row * n + column] = left_side(places[row]) - given[row];
            }
            put(column, 0.0);
        }
        for (std::size_t pivot = 0; pivot < n; ++pivot) {
            for (std::size_t row = pivot + 1; row < n; ++row) {
                const double share = matrix[row * n + pivot] / matrix[pivot * n + pivot];
                for (std::size_t column = pivot; column < n && share != 0.0; ++column) {
                    matrix[row * n + column] -= share * matrix[pivot * n + column];
                }
                b[row] -= share * b[pivot];
            }
        }
        for (std::size_t row = n; row-- > 0;) {
            double sum = b[row];
            for (std::size_t column = row + 1; column < n; ++column) {
                sum -= matrix[row * n + column] * q.values[q.at(places[column])];
            }
            put(row, sum / matrix[row * n + row]);
        }
    }

    /// Calls visit(what p itself counts, what is to be added) for each neighbour that matters:
    /// where the neighbour is an image of p, its value is `known` less or more than p's.
    template <class Visit>
    static void for_neighbours(const Quantity& q, const Triple& p, const Visit& visit) {
        for (int axis = 0; axis < q.axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            for (const int side : {-1, 1}) {
                Triple next = p;
                next[a] += side;
                const int last = axis == q.where ? q.cells[a] : q.cells[a] - 1;
                const End& end = side < 0 ? q.low(axis) : q.high(axis);
                if (end.kind != End::JOINED && (next[a] < 0 || next[a] > last)) {
                    if (end.kind == End::GIVEN) {  // (2 value - p) - p
                        visit(2.0, 2.0 * end.value);
                    }
                } else if (q.at(p) != q.at(next_inside(q, next))) {
                    visit(1.0, q(next));
                }
            }
        }
    }

    static Triple next_inside(const Quantity& q, Triple p) {
        for (int axis = 0; axis < q.axes(); ++axis) {
            const auto a = static_cast<std::size_t>(axis);
            if (q.low(axis).kind == End::JOINED) {
                p[a] = (p[a] + q.cells[a]) % q.cells[a];
            }
        }
        return p;
    }

    /// Lets the forces act, and the pressure, each for so many seconds.
    void push(double of_forces, double of_pressure) {
        for (std::size_t axis = 0; axis < velocity.size(); ++axis) {
            velocity[axis].for_free([&](const Triple& p) {
                Triple before = p;
                --before[axis];
                velocity[axis].values[velocity[axis].at(p)] +=
                    of_forces * force[axis](p) -
                    of_pressure / h() * (pressure(p) - pressure(before));
            });
            velocity[axis].set_walls();
        }
    }

    double divergence(const Triple& p) const {
        double sum = 0.0;
        for (std::size_t axis = 0; axis < velocity.size(); ++axis) {
            Triple next = p;
            ++next[axis];
            sum += velocity[axis](next) - velocity[axis](p);
        }
        return sum / h();
    }

    void project(double dt) {
        sweep(pressure, [&](const Triple& p) {
            double sum = -h() * h() / dt * divergence(p);
            double diagonal = 0.0;
            for_neighbours(pressure, p, [&](double weight, double known) {
                diagonal += weight;
                sum += known;
            });
            return diagonal > 0.0 ? sum / diagonal : 0.0;
        });
        push(0.0, dt);
    }

    Plan plan_;
    int steps_ = 0;
    std::vector<Quantity> earlier_;  ///< the velocity before the last step
    double last_dt_ = 0.0;
    double share_ = 1.0;
    std::set<int> stages_made_;
};

/// The same random numbers for both. A field that is shown as float holds what the other one holds.
void begin(Fluid& fluid, Plain& plain, std::uint32_t seed) {
    const auto put = [&](int field, Quantity& q) {
        Field values = bumpy(q.n, ++seed);
        fluid.set(field, values);
        q.values.assign(values.values.begin(), values.values.end());
        if (q.where != centre) {
            q.set_walls();
        }
    };
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        put(component(axis), plain.velocity[static_cast<std::size_t>(axis)]);
        put(force(axis), plain.force[static_cast<std::size_t>(axis)]);
    }
    for (int n = 0; n < static_cast<int>(plain.scalars.size()); ++n) {
        put(STABLE_FLUIDS_SCALAR(n), plain.scalars[static_cast<std::size_t>(n)]);
        put(STABLE_FLUIDS_SOURCE(n), plain.sources[static_cast<std::size_t>(n)]);
    }
}

Field as_field(const Quantity& q) {
    Field field(q.n);
    for (std::size_t at = 0; at < q.values.size(); ++at) {
        field.values[at] = static_cast<float>(q.values[at]);
    }
    return field;
}

/// Lets both go on, and compares all they hold. `beside` is added to how far they may differ.
/// Returns how many stages the methods had by which central differences were carried.
std::set<int> check_steps(Plan plan, const std::string& what, std::uint32_t seed,
                          const std::vector<double>& steps, double beside = 0.0) {
    plan.d.tolerance = 1e-6f;
    plan.d.cycles = 100;
    Fluid fluid(plan);
    Plain plain(plan);
    const Plain at_rest = plain;
    do {  // other numbers where rounding would decide
        plain = at_rest;
        begin(fluid, plain, seed);
        for (const double dt : steps) {
            plain.step(dt);
        }
        seed += 10000;
        REQUIRE(seed < 1000000);
    } while (plain.doubtful);
    for (const double dt : steps) {
        fluid.step(dt);
    }
    const double dt = *std::max_element(steps.begin(), steps.end());
    INFO(name_of_size(plan.size())
         << ", " << name_of_advection(plan.d.advection) << ", dt " << dt << ", " << what);
    // Equations that are solved to 1e-6, and rounding, leave the velocity some 1e-5 beside the true
    // one. What is carried along it is read that far beside, times the cells it crosses, and
    // differs by up to 2 from cell to cell.
    const double bound = 4e-5 * static_cast<double>(steps.size()) * (1.0 + dt / 0.4) + beside;
    for (int axis = 0; axis < fluid.axes(); ++axis) {
        check_close(name_of_field(component(axis)), fluid.read(component(axis)),
                    as_field(plain.velocity[static_cast<std::size_t>(axis)]), bound);
    }
    for (int n = 0; n < static_cast<int>(plain.scalars.size()); ++n) {
        check_close(name_of_field(STABLE_FLUIDS_SCALAR(n)), fluid.read(STABLE_FLUIDS_SCALAR(n)),
                    as_field(plain.scalars[static_cast<std::size_t>(n)]), bound);
    }
    bool open = false;
    for (int face = 0; face < 2 * plan.axes(); ++face) {
        open = open || plan.d.faces[face].flow == STABLE_FLUIDS_OUTFLOW;
    }
    Field pressure = as_field(plain.pressure);
    Field found = fluid.read(STABLE_FLUIDS_PRESSURE);
    if (!open) {  // nothing says what the average is: by convention it is 0
        INFO("the average pressure");
        CHECK(std::abs(total(found)) <= 1e-3 * static_cast<double>(found.values.size()));
        const double average = total(pressure) / static_cast<double>(pressure.values.size());
        for (float& value : pressure.values) {
            value -= static_cast<float>(average);
        }
    }
    check_close("the pressure", found, pressure,
                20.0 * bound / std::min(*std::min_element(steps.begin(), steps.end()), 1.0));
    return plain.stages_made();
}

/// Likewise, for so many steps of dt seconds.
void check_steps(const Plan& plan, const std::string& what, std::uint32_t seed, double dt,
                 int steps, double beside = 0.0) {
    check_steps(plan, what, seed, std::vector<double>(static_cast<std::size_t>(steps), dt), beside);
}

/// Which flow at each of the six faces. Where nothing is open, nothing comes in either.
Plan with_flows(const Triple& n, const std::array<int, 6>& flows) {
    Plan plan(n, 0.4f);
    bool open = false;
    bool sticky = false;
    for (int face = 0; face < (n[2] > 1 ? 6 : 4); ++face) {
        open = open || flows[static_cast<std::size_t>(face)] == STABLE_FLUIDS_OUTFLOW;
        sticky = sticky || flows[static_cast<std::size_t>(face)] == STABLE_FLUIDS_NO_SLIP;
    }
    for (int face = 0; face < 6; ++face) {
        const int flow = flows[static_cast<std::size_t>(face)];
        std::array<float, 3> velocity = {0.0f, 0.0f, 0.0f};
        // In a corner between a wall that holds fluid fast and a face where it comes in, any
        // velocity is as right as another: there nothing comes in.
        if (flow == STABLE_FLUIDS_INFLOW && open && !sticky) {
            velocity[static_cast<std::size_t>(face / 2)] = face % 2 == 0 ? 0.6f : -0.5f;
        }
        plan.face(face, flow, velocity, 0.1f * static_cast<float>(face) - 0.2f);
    }
    stable_fluids_scalar& first = plan.scalar();
    first.diffusion = 0.04f;
    first.dissipation = 0.3f;
    stable_fluids_scalar& second = plan.scalar();
    second.dissipation = 0.2f;
    return plan;
}

std::string name_of_flows(const Plan& plan) {
    std::string name;
    for (int face = 0; face < 2 * plan.axes(); ++face) {
        name += std::string(face == 0 ? "" : ", ") + name_of_flow(plan.d.faces[face].flow);
    }
    return name;
}

}  // namespace

namespace {

/// All kinds of walls, beside all others and along each axis.
std::vector<std::array<int, 6>> kinds_of_walls() {
    const int none = STABLE_FLUIDS_NO_SLIP;
    const int slip = STABLE_FLUIDS_FREE_SLIP;
    const int in = STABLE_FLUIDS_INFLOW;
    const int out = STABLE_FLUIDS_OUTFLOW;
    const int join = STABLE_FLUIDS_PERIODIC;
    return {std::array{none, none, none, none, none, none},
            {slip, slip, slip, slip, slip, slip},
            {join, join, join, join, join, join},
            {out, out, out, out, out, out},
            {none, slip, slip, none, slip, none},
            {in, out, slip, none, join, join},
            {out, in, none, none, slip, none},
            {join, join, in, out, none, slip},
            {slip, none, out, in, join, join},
            {none, slip, join, join, in, out},
            {join, join, none, slip, out, in},
            {in, in, out, out, slip, slip},
            {none, out, join, join, out, slip},
            {in, out, slip, slip, out, out},
            {slip, slip, out, in, join, join},
            {join, join, slip, out, in, out}};
}

/// Calls `check` with a small box for each kind of wall, both advections, and this splitting.
void for_each_kind_of_walls(int splitting, const std::function<void(Plan&)>& check) {
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const Triple& n : {Triple{7, 5, 1}, {4, 6, 1}, {5, 4, 3}}) {
                if (sanitized && n[2] > 1) {
                    continue;
                }
                Plan plan = with_flows(n, flows);
                plan.d.advection = advection;
                plan.d.splitting = splitting;
                check(plan);
            }
        }
    }
}

}  // namespace

TEST_CASE("a step is what its parts say, for each kind of wall along each axis", "[step]") {
    std::uint32_t seed = 100;
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const Triple& n : {Triple{7, 5, 1}, {4, 6, 1}, {5, 4, 3}, {3, 4, 6}}) {
                Plan plan = with_flows(n, flows);
                plan.d.advection = advection;
                for (const float viscosity : {0.0f, 0.07f}) {
                    plan.d.viscosity = viscosity;
                    check_steps(plan, name_of_flows(plan), ++seed, viscosity > 0.0f ? 0.3 : 1.1,
                                viscosity > 0.0f ? 2 : 1);
                }
            }
        }
    }
}

TEST_CASE("with a description of version 1.2, each face has a trace of its own", "[step]") {
    std::uint32_t seed = 150;
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const Triple& n : {Triple{7, 5, 1}, {5, 4, 3}}) {
            Plan plan = with_flows(n, flows);
            plan.scalars.resize(1);
            plan.d.size = offsetof(stable_fluids_description, scalar_size);
            check_steps(plan, name_of_flows(plan), ++seed, 0.7, 2);
        }
    }
}

TEST_CASE("faces that share the traces of cells are carried as closely as by their own", "[step]") {
    constexpr int n = 32;
    constexpr double h = 1.0 / n;
    constexpr double end = 0.5;
    constexpr int steps = 9;  // of up to three cells
    constexpr double wave = 2.0 * std::numbers::pi;
    // Whirls that a stream of 0.7 and 0.4 m/s carries along.
    const auto u_at = [](double x, double y, double t) {
        return 0.7 + std::cos(wave * (x - 0.7 * t)) * std::sin(wave * (y - 0.4 * t));
    };
    const auto v_at = [](double x, double y, double t) {
        return 0.4 - std::sin(wave * (x - 0.7 * t)) * std::cos(wave * (y - 0.4 * t));
    };
    const auto error_of = [&](std::size_t size) {
        Plan plan({n, n, 1}, static_cast<float>(h));
        plan.all(STABLE_FLUIDS_PERIODIC);
        plan.d.size = static_cast<std::uint32_t>(size);
        plan.d.tolerance = 1e-5f;
        Fluid fluid(plan);
        fluid.fill(STABLE_FLUIDS_U,
                   [&](int i, int j, int) { return u_at(i * h, (j + 0.5) * h, 0.0); });
        fluid.fill(STABLE_FLUIDS_V,
                   [&](int i, int j, int) { return v_at((i + 0.5) * h, j * h, 0.0); });
        fluid.step(end / steps, steps);
        const Field u = fluid.read(STABLE_FLUIDS_U);
        const Field v = fluid.read(STABLE_FLUIDS_V);
        double squares = 0.0;
        for_each(Triple{n, n, 1}, [&](int i, int j, int k) {
            const double of_u = static_cast<double>(u(i, j, k)) - u_at(i * h, (j + 0.5) * h, end);
            const double of_v = static_cast<double>(v(i, j, k)) - v_at((i + 0.5) * h, j * h, end);
            squares += of_u * of_u + of_v * of_v;
        });
        return std::sqrt(squares / (2.0 * n * n));
    };
    const double own = error_of(offsetof(stable_fluids_description, scalar_size));
    const double shared = error_of(sizeof(stable_fluids_description));
    INFO("errors of " << own << " and " << shared << " m/s");
    CHECK_THAT(shared / own, WithinAbs(0.998, 0.0005));
}

TEST_CASE("Strang's splitting is what its parts say, from the third step on", "[step]") {
    std::uint32_t seed = 200;
    for_each_kind_of_walls(STABLE_FLUIDS_STRANG, [&](Plan& plan) {
        plan.d.viscosity = 0.07f;
        check_steps(plan, name_of_flows(plan), ++seed, 0.3, 4);
    });
}

TEST_CASE("central differences are what their pairs say, for each kind of wall", "[step]") {
    std::uint32_t seed = 300;
    std::set<int> stages_made;
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const Triple& n : {Triple{9, 5, 1}, {1, 6, 1}, {5, 4, 3}, {2, 3, 6}}) {
            Plan plan = with_flows(n, flows);
            plan.d.advection = STABLE_FLUIDS_CENTRAL;
            plan.d.splitting = STABLE_FLUIDS_MIDPOINT;
            stages_made.merge(check_steps(plan, name_of_flows(plan), ++seed, {0.3, 0.2, 0.4}));
        }
    }
    CHECK(stages_made == std::set{3, 4, 5});  // each of the methods has been looked at
}

TEST_CASE("the velocity in the middle of a step carries, and half of viscosity acts before",
          "[step]") {
    std::uint32_t seed = 250;
    for_each_kind_of_walls(STABLE_FLUIDS_MIDPOINT, [&](Plan& plan) {
        // The first lets all of a half act before, the second does not.
        for (const float a : {0.2f, 1.3f}) {
            plan.d.viscosity = a * plan.d.h * plan.d.h / 0.3f;
            INFO("dt nu / h2 " << a);
            check_steps(plan, name_of_flows(plan), ++seed, {0.3, 0.3, 0.2, 0.3, 0.1, 0.3});
        }
    });
}

TEST_CASE("what spreads across the whole box in a step", "[step][large]") {
    std::uint32_t seed = 300;
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const Triple& n : {Triple{7, 5, 1}, {9, 12, 1}, {5, 4, 3}, {3, 7, 6}}) {
            for (const float a : {7.0f, 100.0f, 1e4f, 1e5f}) {
                const float dt = 0.25f;
                Plan plan = with_flows(n, flows);
                plan.d.viscosity = a * plan.d.h * plan.d.h / dt;
                plan.scalars[0].diffusion = 0.8f * plan.d.viscosity;
                plan.scalars[1].diffusion = 0.7f * plan.d.viscosity;
                // Not along two axes: in a corner between two given values, any is right.
                for (const int face : {2, 3}) {
                    if (plan.d.faces[face].flow != STABLE_FLUIDS_PERIODIC) {
                        plan.scalars[1].faces[face] = {STABLE_FLUIDS_FIXED_VALUE,
                                                       0.9f * static_cast<float>(face) - 2.0f};
                    }
                }
                // What is left of the equations, 1e-6 of up to 12 a, may all lie in the longest
                // wave, which counts 2 - 2 cos(pi / 12) = 0.068 times a in them. And what the
                // average is counts 1 beside up to 12 a, of which a float holds 6e-8.
                const double beside = 1e-6 * 12.0 / 0.068 + 6e-8 * static_cast<double>(a);
                check_steps(plan, name_of_flows(plan) + ", dt nu / h2 " + std::to_string(a), ++seed,
                            static_cast<double>(dt), 1, beside);
            }
        }
    }
}

TEST_CASE("sliding walls, slanting inflow and values of scalars, each along each axis", "[step]") {
    std::uint32_t seed = 500;
    for (int axis = 0; axis < 3; ++axis) {
        for (const int end : {0, 1}) {
            for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_INFLOW}) {
                for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
                    for (const Triple& n : {Triple{6, 5, 1}, {4, 3, 5}}) {
                        if (axis == 2 && n[2] == 1) {
                            continue;
                        }
                        Plan plan(n, 0.4f);
                        plan.all(STABLE_FLUIDS_OUTFLOW);
                        std::array<float, 3> velocity = {0.7f, -0.5f, n[2] > 1 ? 0.3f : 0.0f};
                        if (flow == STABLE_FLUIDS_NO_SLIP) {
                            velocity[static_cast<std::size_t>(axis)] = 0.0f;
                        }
                        plan.face(2 * axis + end, flow, velocity);
                        plan.scalar().diffusion = 0.1f;
                        plan.scalars.back().faces[2 * axis + end] = {STABLE_FLUIDS_FIXED_VALUE,
                                                                     0.8f};
                        plan.d.viscosity = 0.1f;
                        plan.d.advection = advection;
                        check_steps(plan, name_of_flows(plan), ++seed, 0.4, 2);
                    }
                }
            }
        }
    }
}

TEST_CASE("scalars that share a trace are what each is alone, to the last bit", "[step]") {
    // Enough cells for several threads, where there are any.
    const bool few = sanitized || backend == STABLE_FLUIDS_CUDA;
    for (const Triple& n : {Triple{163, 107, 1}, {31, 29, 23}}) {
        for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
            for (const bool solid : {false, true}) {
                Plan plan(few ? Triple{13, 11, std::min(n[2], 7)} : n, 0.25f);
                const bool closed = solid == (advection == STABLE_FLUIDS_LINEAR);
                if (!closed) {
                    plan.face(STABLE_FLUIDS_LEFT, STABLE_FLUIDS_INFLOW, {0.8f, 0.0f, 0.0f});
                    plan.face(STABLE_FLUIDS_RIGHT, STABLE_FLUIDS_OUTFLOW);
                }
                plan.pair(1, STABLE_FLUIDS_PERIODIC);
                plan.d.advection = advection;
                plan.scalar().diffusion = 0.05f;
                plan.scalar().conserve = closed ? 1 : 0;
                plan.scalar().dissipation = 0.3f;
                plan.scalar().faces[STABLE_FLUIDS_LEFT] = {STABLE_FLUIDS_FIXED_VALUE, 0.7f};
                plan.scalar().initial = 0.4f;
                const std::vector<stable_fluids_scalar> kinds = plan.scalars;
                const int most = static_cast<int>(kinds.size());

                // The scalars from `first` on, so many of them, after two steps.
                const auto scalars_of = [&](int first, int count, int threads) {
                    plan.scalars.assign(kinds.begin() + first, kinds.begin() + first + count);
                    plan.d.threads = threads;
                    Fluid fluid(plan);
                    for (int axis = 0; axis < plan.axes(); ++axis) {
                        fluid.set(component(axis), bumpy(fluid.shape(component(axis)),
                                                         60 + static_cast<std::uint32_t>(axis)));
                    }
                    if (solid) {
                        const Triple size = plan.size();
                        Field distance = made(
                            {size[0] + 1, size[1] + 1, plan.deep() ? size[2] + 1 : 1},
                            [&](int i, int j, int k) {
                                return 0.25 * (std::hypot(i - 5.3, j - 4.6, 0.5 * k - 2.0) - 3.2);
                            });
                        REQUIRE(stable_fluids_set_solid(fluid.handle(), distance.values.data(),
                                                        distance.values.size()) ==
                                STABLE_FLUIDS_OK);
                    }
                    for (int at = 0; at < count; ++at) {
                        const auto seed = static_cast<std::uint32_t>(first + at);
                        fluid.set(STABLE_FLUIDS_SCALAR(at), bumpy(plan.size(), 70 + seed));
                        if (first + at != 1) {
                            fluid.set(STABLE_FLUIDS_SOURCE(at), bumpy(plan.size(), 80 + seed));
                        }
                    }
                    fluid.step(0.3, 2);
                    std::vector<Field> found;
                    for (int at = 0; at < count; ++at) {
                        found.push_back(fluid.read(STABLE_FLUIDS_SCALAR(at)));
                    }
                    return found;
                };

                std::vector<Field> alone;
                for (int at = 0; at < most; ++at) {
                    alone.push_back(scalars_of(at, 1, 1)[0]);
                    REQUIRE(largest(alone.back()) > 0.1);
                }
                for (int count = 2; count <= most; ++count) {
                    for (const int first : {0, most - count}) {
                        const int threads = 1 + (count + first) % 3;
                        const std::vector<Field> together = scalars_of(first, count, threads);
                        for (int at = 0; at < count; ++at) {
                            INFO(name_of_size(plan.size())
                                 << ", advection " << advection << ", solid " << solid
                                 << ", scalar " << first + at << " in " << count << ", " << threads
                                 << " threads");
                            CHECK(same_bytes(together[static_cast<std::size_t>(at)],
                                             alone[static_cast<std::size_t>(first + at)]));
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("of MacCormack's correction stays as much as makes no energy, in deep boxes", "[long]") {
    int shortened = 0;
    std::uint32_t seed = 700;
    for (const std::array<int, 6>& flows : kinds_of_walls()) {
        for (const int splitting : {STABLE_FLUIDS_LIE, STABLE_FLUIDS_STRANG}) {
            for (const Triple& n : {Triple{6, 5, 7}, {8, 6, 1}}) {
                if (sanitized && n[2] > 1) {
                    continue;
                }
                Plan plan = with_flows(n, flows);
                plan.scalars.clear();
                plan.d.advection = STABLE_FLUIDS_MACCORMACK;
                plan.d.splitting = splitting;
                plan.d.tolerance = 1e-6f;
                plan.d.cycles = 100;
                Fluid fluid(plan);
                Plan here = plan;
                here.d.backend = STABLE_FLUIDS_HOST;
                Fluid before(here);
                Plain plain(plan);
                for (int axis = 0; axis < plan.axes(); ++axis) {
                    const Quantity& q = plain.velocity[static_cast<std::size_t>(axis)];
                    const Field numbers = bumpy({6, 1, 1}, ++seed);
                    const Field smooth = made(q.n, [&](int i, int j, int k) {
                        const auto wave = [&](int cells, int place, int phase) {
                            return std::sin(2.0 * std::numbers::pi * place / cells +
                                            3.0 * static_cast<double>(numbers(phase, 0, 0)));
                        };
                        return wave(n[0], i, 0) * wave(n[1], j, 1) * wave(n[2], k, 2) +
                               0.3 * wave(n[0], i, 3) * wave(n[1], j, 4) * wave(n[2], k, 5);
                    });
                    before.set(component(axis), smooth);
                }
                // What is smooth loses energy by itself at first. Both go on from where it would
                // not.
                const double dt = 0.02;
                const int steps = splitting == STABLE_FLUIDS_LIE ? 2 : 4;
                before.step(dt, 300);
                for (int axis = 0; axis < plan.axes(); ++axis) {
                    Quantity& q = plain.velocity[static_cast<std::size_t>(axis)];
                    const Field now = before.read(component(axis));
                    fluid.set(component(axis), now);
                    q.values.assign(now.values.begin(), now.values.end());
                }
                double least = 1.0;
                for (int step = 0; step < steps; ++step) {
                    plain.step(dt);
                    fluid.step(dt);
                    least = std::min(least, plain.share());
                    INFO(name_of_size(n) << ", splitting " << splitting << ", "
                                         << name_of_flows(plan) << ", step " << step);
                    CHECK_THAT(fluid.statistics().corrected, WithinAbs(plain.share(), 1e-4));
                }
                shortened += least < 0.99 ? 1 : 0;
                if (plan.deep()) {
                    INFO(name_of_flows(plan) << ", splitting " << splitting);
                    for (int axis = 0; axis < 3; ++axis) {
                        check_close(name_of_field(component(axis)), fluid.read(component(axis)),
                                    as_field(plain.velocity[static_cast<std::size_t>(axis)]),
                                    4e-5 * steps);
                    }
                } else {
                    CHECK(fluid.statistics().corrected == 1.0);
                }
            }
        }
    }
    CHECK((shortened >= 8 || sanitized));  // of 16, with each splitting
}

TEST_CASE("boxes of one cell across, and steps of many cells", "[step]") {
    std::uint32_t seed = 900;
    for (const Triple& n : {Triple{1, 7, 1},
                            {6, 1, 1},
                            {1, 1, 1},
                            {2, 2, 1},
                            {1, 5, 3},
                            {4, 1, 2},
                            {1, 1, 4},
                            {2, 2, 2}}) {
        for (const int flow : {STABLE_FLUIDS_NO_SLIP, STABLE_FLUIDS_FREE_SLIP,
                               STABLE_FLUIDS_OUTFLOW, STABLE_FLUIDS_PERIODIC}) {
            for (const int advection : {STABLE_FLUIDS_LINEAR, STABLE_FLUIDS_MACCORMACK}) {
                Plan plan = with_flows(n, {flow, flow, flow, flow, flow, flow});
                plan.d.advection = advection;
                plan.d.viscosity = 0.05f;
                check_steps(plan, name_of_flow(flow), ++seed, 0.5, 1);
                check_steps(plan, name_of_flow(flow), ++seed, 2.0, 1);
            }
        }
    }
}

TEST_CASE("through a wall with a given flux comes that much, and between two it is a straight line",
          "[step]") {
    for (const Roles& roles : all_roles()) {
        for (const float diffusion : {0.002f, 2.0f}) {  // by sweeps, and by cycles
            for (const bool with_solid : {false, true}) {
                INFO(roles.name() << ", diffusion " << diffusion << ", solid " << with_solid);
                const Triple n = roles.size(9, 4, 3);
                const double h = 0.25;
                const double dt = 0.5;
                Plan plan(n, 0.25f);
                plan.d.tolerance = 1e-6f;
                stable_fluids_scalar& heat = plan.scalar();
                heat.diffusion = diffusion;
                heat.faces[low_face(roles.a)] = {STABLE_FLUIDS_FIXED_FLUX, 0.03f};
                stable_fluids_scalar& steady = plan.scalar();
                steady.diffusion = diffusion;
                steady.faces[low_face(roles.a)] = {STABLE_FLUIDS_FIXED_FLUX, 0.03f};
                steady.faces[high_face(roles.a)] = {STABLE_FLUIDS_FIXED_VALUE, 5.0f};
                Fluid fluid(plan);
                // Half of a line of cells along a is solid: the flux comes through what is open.
                const auto is_open = [&](int i, int j, int k) {
                    return !with_solid || part({i, j, k}, roles.b) > 0;
                };
                if (with_solid) {
                    fluid.fill(STABLE_FLUIDS_FRACTION,
                               [&](int i, int j, int k) { return is_open(i, j, k) ? 1.0 : 0.0; });
                    for (int axis = 0; axis < fluid.axes(); ++axis) {
                        fluid.fill(STABLE_FLUIDS_FRACTION_X + axis, [&](int i, int j, int k) {
                            const int across = part({i, j, k}, roles.b);
                            const bool closed = across == 0 || (axis == roles.b && across == 1);
                            return closed ? 0.0 : 1.0;
                        });
                    }
                }
                const double slope = 0.03 / static_cast<double>(diffusion);
                const Field line = made(n, [&](int i, int j, int k) {
                    const double from_wall = h * (part({i, j, k}, roles.a) + 0.5);
                    return is_open(i, j, k) ? 5.0 + slope * (9 * h - from_wall) : 0.0;
                });
                fluid.set(STABLE_FLUIDS_SCALAR(1), line);
                fluid.step(dt, 3);
                const Field now = fluid.read(STABLE_FLUIDS_SCALAR(0));
                double total = 0.0;
                for_each(n, [&](int i, int j, int k) {
                    total += static_cast<double>(now(i, j, k)) * h;
                });
                const int open_lines = (with_solid ? 3 : 4) * (roles.deep ? 3 : 1);
                CHECK_THAT(total / open_lines, WithinAbs(3 * dt * 0.03, 1e-5));
                check_close("the line", fluid.read(STABLE_FLUIDS_SCALAR(1)), line,
                            1e-4 * std::max(slope, 5.0));
            }
        }
    }
}
