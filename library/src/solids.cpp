// Solids in the fluid: what follows from the fractions of cells and faces, and the parts of a step
// that are done otherwise where there are any.
#include "library/src/solids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "library/src/fractions.hpp"
#include "library/src/solver.hpp"

namespace box {

/// Numbers in the computer's memory, laid out as a field.
struct Numbers {
    std::vector<float> all;
    Array array;

    explicit Numbers(const Layout& layout)
        : all(layout.size, 0.0f), array{all.data() + layout.origin, layout.row, layout.layer} {}
    Numbers(Numbers&&) = default;
    Numbers& operator=(Numbers&&) = default;
};

namespace {

/// Calls visit(i, j, k) for each place from 0 to n - 1 along each axis, several at once where there
/// are threads. It must not throw.
template <class Visit>
void for_each_place_at_once(Backend& backend, int nx, int ny, int nz, const Visit& visit) {
    const bool deep = nz > 1;
    backend.for_parts(deep ? nz : ny, [&](int begin, int end) {
        for (int k = deep ? begin : 0; k < (deep ? end : nz); ++k) {
            for (int j = deep ? 0 : begin; j < (deep ? ny : end); ++j) {
                for (int i = 0; i < nx; ++i) {
                    visit(i, j, k);
                }
            }
        }
    });
}

/// Likewise, but one after the other.
template <class Visit>
void for_each_place(int nx, int ny, int nz, const Visit& visit) {
    for (int k = 0; k < nz; ++k) {
        for (int j = 0; j < ny; ++j) {
            for (int i = 0; i < nx; ++i) {
                visit(i, j, k);
            }
        }
    }
}

const Axis& axis_of(const Equations& e, int axis) {
    return axis == 0 ? e.x : axis == 1 ? e.y : e.z;
}

Range& range_of(Extent& over, int axis) {
    return axis == 0 ? over.x : axis == 1 ? over.y : over.z;
}

bool any_below_1(const Array& array, const Extent& over) {
    for (int k = 0; k <= over.z.last; ++k) {
        for (int j = 0; j <= over.y.last; ++j) {
            for (int i = 0; i <= over.x.last; ++i) {
                if (array(i, j, k) < 1.0f) {
                    return true;
                }
            }
        }
    }
    return false;
}

float at(const Array& array, const int place[3]) {
    return array(place[0], place[1], place[2]);
}

/// What lies behind a face of a cell, as the pressure sees it.
enum class Behind { NEXT, WALL, OUTSIDE };

Behind behind(const Axis& axis, int place, bool high) {
    const bool at_end = high ? place == axis.range.last : place == axis.range.first;
    const float counts = !at_end ? 1.0f : high ? axis.high : axis.low;
    return counts == 0.0f ? Behind::WALL : counts == 1.0f ? Behind::NEXT : Behind::OUTSIDE;
}

/// 1 in each cell that has a face through which something may flow.
Numbers alive_of(Backend& backend, const Layout& layout, const Equations& e,
                 const std::vector<Numbers>& f) {
    Numbers alive(layout);
    for_each_place_at_once(
        backend, e.x.range.last + 1, e.y.range.last + 1, e.z.range.last + 1,
        [&](int i, int j, int k) {
            bool open = false;
            for (int axis = 0; axis < (e.deep ? 3 : 2); ++axis) {
                for (const bool high : {false, true}) {
                    int face[3] = {i, j, k};
                    const int place = face[axis];
                    face[axis] += high ? 1 : 0;
                    const Array& share = f[static_cast<std::size_t>(axis)].array;
                    open = open || (behind(axis_of(e, axis), place, high) != Behind::WALL &&
                                    at(share, face) > 0.0f);
                }
            }
            alive.array(i, j, k) = open ? 1.0f : 0.0f;
        });
    return alive;
}

/// The fractions of a coarser box's faces along an axis: the mean of the finer faces under each;
/// between two layers of them, the mean of both as it is near them.
Numbers coarser(Backend& backend, const Numbers& fine, const int n[3], const Layout& layout,
                const int m[3], int axis, bool deep) {
    Numbers coarse(layout);
    int count[3] = {m[0], m[1], m[2]};
    ++count[axis];
    const auto ratio = [&](int along) {
        return static_cast<float>(n[along]) / static_cast<float>(m[along]);
    };
    for_each_place_at_once(backend, count[0], count[1], count[2], [&](int i, int j, int k) {
        const int place[3] = {i, j, k};
        Under in[3];
        for (int along = 0; along < 3; ++along) {
            in[along] = {0, {1.0f, 0.0f, 0.0f}};
            if (along == axis) {
                const float x = ratio(along) * static_cast<float>(place[along]);
                const int before = std::min(static_cast<int>(x), n[along] - 1);
                const float s = x - static_cast<float>(before);
                in[along] = {before, {1.0f - s, s, 0.0f}};
            } else if (along < 2 || deep) {
                in[along] = under(place[along], ratio(along), n[along]);
            }
        }
        float sum = 0.0f;
        float all = 0.0f;
        for (int c = 0; c < 3; ++c) {
            for (int b = 0; b < 3; ++b) {
                for (int a = 0; a < 3; ++a) {
                    const float share = in[0].share[a] * in[1].share[b] * in[2].share[c];
                    if (share > 0.0f) {
                        sum +=
                            share * fine.array(in[0].first + a, in[1].first + b, in[2].first + c);
                        all += share;
                    }
                }
            }
        }
        coarse.array(i, j, k) = sum / all;
    });
    return coarse;
}

}  // namespace

// ---- What is given -----------------------------------------------------------------------------

/// Room for all that solids need, with none there.
void Solver::make_solids() {
    if (solids) {
        return;
    }
    const std::uint64_t before = bytes;
    try {
        auto made = std::make_unique<Solids>();
        made->fraction = make(layout);
        for (int axis = 0; axis < dimensions(); ++axis) {
            made->f[axis] = make(layout);
            made->s[axis] = make(layout);
            backend->run(Scale{elements(axis), made->f[axis].array(), 1.0f, 1.0f});
        }
        backend->run(Scale{cells(), made->fraction.array(), 1.0f, 1.0f});
        for (Field* field : {&made->alive, &made->wanted, &made->z, &made->p, &made->y}) {
            *field = make(layout);
        }
        made->levels.resize(levels.size());
        for (std::size_t l = 1; l < levels.size(); ++l) {
            for (int axis = 0; axis < dimensions(); ++axis) {
                made->levels[l].f[axis] = make(levels[l].layout);
            }
            made->levels[l].alive = make(levels[l].layout);
        }
        made->bytes = bytes - before;
        solids = std::move(made);
    } catch (...) {
        bytes = before;
        throw;
    }
}

/// To be called before anything changes that settle_solids() looks at.
void Solver::note_solids() {
    if (solids && !solids->changed) {
        push_solids();
        solids->changed = true;
    }
}

void Solver::set_solid(const float* distance) {
    undisturbed = 0;
    if (distance == nullptr) {
        if (solids) {
            settle_pressure();
            bytes -= solids->bytes;
            solids.reset();
        }
        return;
    }
    const std::size_t row = static_cast<std::size_t>(nx) + 1;
    const std::size_t layer = row * (static_cast<std::size_t>(ny) + 1);
    const auto first_corner = [&](int i, int j, int k) {
        return distance + (static_cast<std::size_t>(i) + row * static_cast<std::size_t>(j) +
                           layer * static_cast<std::size_t>(k));
    };
    /// The share of a box of so many more corners along each axis.
    const auto share = [&](int i, int j, int k, int in_x, int in_y, int in_z) {
        const float* const first = first_corner(i, j, k);
        double corners[8];
        int count = 0;
        for (int c = 0; c <= in_z; ++c) {
            for (int b = 0; b <= in_y; ++b) {
                for (int a = 0; a <= in_x; ++a) {
                    corners[count++] =
                        static_cast<double>(first[a + (b == 0 ? 0 : row) + (c == 0 ? 0 : layer)]);
                }
            }
        }
        return static_cast<float>(count == 2   ? fraction_of_segment(corners[0], corners[1])
                                  : count == 4 ? fraction_of_square(corners)
                                               : fraction_of_cube(corners));
    };
    const int in_z = deep ? 1 : 0;
    /// 1 if all corners of a cell are in the fluid, 0 if none is, else -1.
    const auto plain = [&](int i, int j, int k) {
        const float* const a = first_corner(i, j, k);
        const float* const b = a + (deep ? layer : 0);
        const float ends[] = {a[0], a[1], a[row], a[row + 1], b[0], b[1], b[row], b[row + 1]};
        const float low = *std::min_element(ends, ends + 8);
        const float high = *std::max_element(ends, ends + 8);
        return low > 0.0f ? 1.0f : high > 0.0f ? -1.0f : 0.0f;
    };
    std::vector<Numbers> found;
    found.reserve(4);
    for (int which = 0; which < 1 + dimensions(); ++which) {
        found.emplace_back(layout);
    }
    for_each_place_at_once(*backend, nx + 1, ny + 1, nz + in_z, [&](int i, int j, int k) {
        const bool inside = i < nx && j < ny && k < nz;
        const float whole = inside ? plain(i, j, k) : -1.0f;
        for (int which = 0; which < 1 + dimensions(); ++which) {
            const int x = which == 1 ? 0 : 1;
            const int y = which == 2 ? 0 : 1;
            const int z = which == 3 ? 0 : in_z;
            if (whole >= 0.0f) {  // then so are its faces
                found[static_cast<std::size_t>(which)].array(i, j, k) = whole;
            } else if (i + x <= nx && j + y <= ny && k + z <= nz - 1 + in_z) {
                found[static_cast<std::size_t>(which)].array(i, j, k) = share(i, j, k, x, y, z);
            }
        }
    });
    make_solids();
    note_solids();
    backend->upload(solids->fraction.data(), found[0].all.data(), layout.size);
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Numbers& faces = found[static_cast<std::size_t>(axis) + 1];
        backend->upload(solids->f[axis].data(), faces.all.data(), layout.size);
    }
    backend->wait();
}

// ---- What follows from it ----------------------------------------------------------------------

/// Brings everything up to date that follows from the fractions, the solid's velocity and the
/// expansion. Changes nothing if there is not enough memory for it.
void Solver::settle_solids() {
    if (!solids || !solids->changed) {
        return;
    }
    const auto downloaded = [&](const Field& field) {
        Numbers numbers(layout);
        backend->download(numbers.all.data(), field.data(), layout.size);
        return numbers;
    };
    for (int axis = 0; axis < dimensions(); ++axis) {
        set_bnd(solids->f[axis].array(), curl_walls[axis]);
        set_bnd(solids->s[axis].array(), curl_walls[axis]);
    }
    set_bnd(solids->fraction.array(), curl_walls[3]);
    const Numbers fraction = downloaded(solids->fraction);
    std::vector<Numbers> f;
    std::vector<Numbers> s;
    bool cuts = false;
    bool moves = false;
    for (int axis = 0; axis < dimensions(); ++axis) {
        f.push_back(downloaded(solids->f[axis]));
        s.push_back(downloaded(solids->s[axis]));
        const std::vector<float>& speeds = s.back().all;
        moves = moves || std::any_of(speeds.begin(), speeds.end(),
                                     [](float speed) { return speed != 0.0f; });
        cuts = cuts || any_below_1(f.back().array, elements(axis));
    }
    cuts = cuts || any_below_1(fraction.array, cells());
    if (!cuts) {
        solids->cut = false;
        solids->changed = false;
        return;
    }

    const Equations& e = levels[0].walls.equations;
    const Numbers alive = alive_of(*backend, layout, e, f);
    std::vector<std::vector<Numbers>> coarse_f(levels.size());
    std::vector<Numbers> coarse_alive;
    for (std::size_t l = 1; l < levels.size(); ++l) {
        const Level& fine = levels[l - 1];
        const Level& coarse = levels[l];
        for (int axis = 0; axis < dimensions(); ++axis) {
            const Numbers& of_fine = (l == 1 ? f : coarse_f[l - 1])[static_cast<std::size_t>(axis)];
            coarse_f[l].push_back(coarser(*backend, of_fine, fine.n.data(), coarse.layout,
                                          coarse.n.data(), axis, deep));
        }
        coarse_alive.push_back(
            alive_of(*backend, coarse.layout, coarse.walls.equations, coarse_f[l]));
    }

    // The regions: cells that are joined by open faces (union-find). At first, a cell's entry is
    // the number of an earlier cell of its region, or its own if it is the first. A cell without an
    // open face has -1.
    const int n[3] = {nx, ny, nz};
    const int steps_to_next[3] = {1, nx, nx * ny};
    std::vector<int> region(
        static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz),
        -1);
    const auto number_of = [&](const int place[3]) {
        return static_cast<std::size_t>(place[0] + nx * (place[1] + ny * place[2]));
    };
    const auto entry_of = [&](int cell) -> int& { return region[static_cast<std::size_t>(cell)]; };
    const auto first_of = [&](int cell) {
        while (entry_of(cell) != cell) {
            cell = entry_of(cell) = entry_of(entry_of(cell));
        }
        return cell;
    };
    const auto join = [&](int cell, int other) {
        const int a = first_of(cell);
        const int b = first_of(other);
        entry_of(std::max(a, b)) = std::min(a, b);
    };
    for_each_place(nx, ny, nz, [&](int i, int j, int k) {
        if (!(alive.array(i, j, k) > 0.0f)) {
            return;
        }
        const int place[3] = {i, j, k};
        const int cell = static_cast<int>(number_of(place));
        entry_of(cell) = cell;
        for (int axis = 0; axis < dimensions(); ++axis) {
            const Array& share = f[static_cast<std::size_t>(axis)].array;
            const int step = steps_to_next[axis];
            if (place[axis] > 0 && share(i, j, k) > 0.0f) {
                join(cell, cell - step);
            }
            if (place[axis] == n[axis] - 1 && joined[axis]) {
                const int face[3] = {i + (axis == 0 ? 1 : 0), j + (axis == 1 ? 1 : 0),
                                     k + (axis == 2 ? 1 : 0)};
                if (at(share, face) > 0.0f) {
                    join(cell, cell - step * place[axis]);
                }
            }
        }
    });
    // Then the entry becomes the region's number. The earlier cell has it already.
    std::vector<char> is_closed;
    for_each_place(nx, ny, nz, [&](int i, int j, int k) {
        const int place[3] = {i, j, k};
        const int cell = static_cast<int>(number_of(place));
        int& entry = entry_of(cell);
        if (entry < 0) {
            return;
        }
        if (entry == cell) {
            entry = static_cast<int>(is_closed.size());
            is_closed.push_back(1);
        } else {
            entry = entry_of(entry);
        }
        for (int axis = 0; axis < dimensions(); ++axis) {
            for (const bool high : {false, true}) {
                if (place[axis] == (high ? n[axis] - 1 : 0) &&
                    behind(axis_of(e, axis), place[axis], high) == Behind::OUTSIDE) {
                    int face[3] = {i, j, k};
                    face[axis] += high ? 1 : 0;
                    if (at(f[static_cast<std::size_t>(axis)].array, face) > 0.0f) {
                        is_closed[static_cast<std::size_t>(entry)] = 0;
                    }
                }
            }
        }
    });

    // What solids and walls force into each closed region, and what is to expand there.
    Numbers wanted(layout);
    const Numbers expands = expansion ? downloaded(expansion) : Numbers(layout);
    /// The velocity across a wall of the box.
    const auto wall_velocity = [&](int axis, bool high) {
        const SetBnd& op = velocity_walls[axis].ghosts[axis];
        for (int m = 0; m < op.count; ++m) {
            if (op.mirrors[m].at == (high ? n[axis] : 0) && op.mirrors[m].times == 0.0f) {
                return static_cast<double>(op.mirrors[m].plus);
            }
        }
        return 0.0;
    };
    std::vector<double> cells_of(is_closed.size()), forced(cells_of), expanded(cells_of);
    const bool any_closed = std::count(is_closed.begin(), is_closed.end(), 1) > 0;
    for_each_place(any_closed ? nx : 0, ny, nz, [&](int i, int j, int k) {
        const int cell[3] = {i, j, k};
        const int label = region[number_of(cell)];
        if (label < 0 || is_closed[static_cast<std::size_t>(label)] == 0) {
            return;
        }
        const auto which = static_cast<std::size_t>(label);
        cells_of[which] += 1.0;
        expanded[which] += static_cast<double>(at(expands.array, cell));
        for (int axis = 0; axis < dimensions(); ++axis) {
            const auto along = static_cast<std::size_t>(axis);
            for (const bool high : {false, true}) {
                int face[3] = {i, j, k};
                face[axis] += high ? 1 : 0;
                const double share = static_cast<double>(at(f[along].array, face));
                double out = (1.0 - share) * static_cast<double>(at(s[along].array, face));
                if (behind(axis_of(e, axis), cell[axis], high) == Behind::WALL) {
                    out += share * wall_velocity(axis, high);
                }
                forced[which] += high ? out : -out;
            }
        }
    });
    bool any_wanted = false;
    for_each_place(any_closed || expansion ? nx : 0, ny, nz, [&](int i, int j, int k) {
        const int cell[3] = {i, j, k};
        const int label = region[number_of(cell)];
        if (label < 0) {
            return;
        }
        const auto which = static_cast<std::size_t>(label);
        const double size = static_cast<double>(h);
        double value = size * static_cast<double>(expands.array(i, j, k));
        if (is_closed[which] != 0) {
            value += (forced[which] - size * expanded[which]) / cells_of[which];
        }
        wanted.array(i, j, k) = static_cast<float>(value);
        any_wanted = any_wanted || wanted.array(i, j, k) != 0.0f;
    });

    // What flows in through a wall of the box, the solid's velocity may say. It is no solid itself.
    bool any_seen = false;
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Array& share = f[static_cast<std::size_t>(axis)].array;
        for (const bool high : {false, true}) {
            const int last = n[axis] - 1;
            if (joined[axis] || behind(axis_of(e, axis), high ? last : 0, high) != Behind::WALL) {
                continue;
            }
            int count[3] = {nx, ny, nz};
            count[axis] = 1;
            for_each_place(count[0], count[1], count[2], [&](int i, int j, int k) {
                int face[3] = {i, j, k};
                int cell[3] = {i, j, k};
                face[axis] = high ? n[axis] : 0;
                cell[axis] = high ? last : 0;
                if (at(share, face) == 0.0f && at(fraction.array, cell) == 1.0f) {
                    share(face[0], face[1], face[2]) = 1.0f;
                    any_seen = true;
                }
            });
        }
    }
    for (int axis = 0; any_seen && axis < dimensions(); ++axis) {
        if (!solids->seen[axis]) {
            solids->seen[axis] = make(layout);
            solids->bytes += layout.size * sizeof(float);
        }
    }

    settle_surfaces(fraction, f, alive);
    // Nothing asks for memory from here on.
    for (int axis = 0; any_seen && axis < dimensions(); ++axis) {
        const Numbers& faces = f[static_cast<std::size_t>(axis)];
        backend->upload(solids->seen[axis].data(), faces.all.data(), layout.size);
        set_bnd(solids->seen[axis].array(), curl_walls[axis]);
    }
    solids->any_seen = any_seen;
    if (solids->cut) {  // so that cells which the solid has left find something
        for (Field& scalar : scalars) {
            extend_scalar(scalar.array());
        }
    }
    backend->upload(solids->alive.data(), alive.all.data(), layout.size);
    set_bnd(solids->alive.array(), curl_walls[3]);
    backend->upload(solids->wanted.data(), wanted.all.data(), layout.size);
    for (std::size_t l = 1; l < levels.size(); ++l) {
        CutLevel& level = solids->levels[l];
        const std::size_t size = levels[l].layout.size;
        for (int axis = 0; axis < dimensions(); ++axis) {
            backend->upload(level.f[axis].data(),
                            coarse_f[l][static_cast<std::size_t>(axis)].all.data(), size);
        }
        backend->upload(level.alive.data(), coarse_alive[l - 1].all.data(), size);
        mirror_alive(l);
    }
    solids->closed_regions = 0;
    solids->closed_divergence = 0.0;
    for (std::size_t which = 0; which < is_closed.size(); ++which) {
        if (is_closed[which] != 0) {
            ++solids->closed_regions;
            const double mean = forced[which] / (cells_of[which] * static_cast<double>(h));
            solids->closed_divergence = std::max(solids->closed_divergence, std::abs(mean));
        }
    }
    solids->moves = moves;
    solids->any_wanted = any_wanted;
    solids->region.swap(region);
    solids->is_closed.swap(is_closed);
    solids->cut = true;
    solids->changed = false;
    set_velocity_bnd();
    for (std::size_t which = 0; which < scalars.size(); ++which) {
        backend->run(Mask{cells(), scalars[which].array(), solids->alive.array()});
        set_bnd(scalars[which].array(), scalar_walls[which]);
    }
}

/// Works out how large the surface in each cell is, and how near to its middle, if any scalar
/// meets something there. What a surface leaves open of opposite faces differs by its own area, as
/// seen along the axis. If it is a plane, it divides the cell in two halves when it goes through
/// the middle.
void Solver::settle_surfaces(const Numbers& fraction, const std::vector<Numbers>& f,
                             const Numbers& alive) {
    const bool wanted =
        std::any_of(scalar_kinds.begin(), scalar_kinds.end(), [](const stable_fluids_scalar& kind) {
            return kind.solid.flow != STABLE_FLUIDS_ZERO_FLUX && kind.diffusion > 0.0f;
        });
    if (!wanted) {
        return;
    }
    Numbers area(layout);
    Numbers nearness(layout);
    for_each_place_at_once(*backend, nx, ny, nz, [&](int i, int j, int k) {
        float squares = 0.0f;
        float largest = 0.0f;
        for (int axis = 0; axis < dimensions(); ++axis) {
            const Array& share = f[static_cast<std::size_t>(axis)].array;
            const float seen =
                share(i + (axis == 0), j + (axis == 1), k + (axis == 2)) - share(i, j, k);
            squares += seen * seen;
            largest = std::max(largest, std::abs(seen));
        }
        if (alive.array(i, j, k) > 0.0f && squares > 0.0f) {
            const float size = std::sqrt(squares);
            const float distance = (fraction.array(i, j, k) - 0.5f) * largest / size;
            area.array(i, j, k) = size;
            nearness.array(i, j, k) = size / std::max(distance, 0.01f);
        }
    });
    for (Field* field : {&solids->area, &solids->nearness}) {
        if (!*field) {
            *field = make(layout);
            solids->bytes += layout.size * sizeof(float);
        }
    }
    backend->upload(solids->area.data(), area.all.data(), layout.size);
    backend->upload(solids->nearness.data(), nearness.all.data(), layout.size);
}

/// The fractions of faces from which the solids' surfaces follow.
const Array& Solver::surfaces(int axis) const {
    return (solids->any_seen ? solids->seen : solids->f)[axis].array();
}

/// Behind a wall, a coarse cell is what it is before it.
void Solver::mirror_alive(std::size_t l) {
    for (int axis = 0; axis < dimensions(); ++axis) {
        SetBnd op = levels[l].walls.ghosts[axis];
        op.x = solids->levels[l].alive.array();
        for (Mirror& mirror : op.mirrors) {
            mirror.times = 1.0f;
            mirror.plus = 0.0f;
        }
        backend->run(op);
    }
}

// ---- Velocity and scalars at solids ------------------------------------------------------------

/// Gives a component the solid's velocity on faces that are closed.
void Solver::enforce(const Array& u, int component) {
    if (cut() && !solids->changed) {  // else settle_solids() does it
        backend->run(Enforce{elements(component), u, solids->f[component].array(),
                             solids->s[component].array()});
    }
}

void Solver::enforce_velocity() {
    for (int component = 0; component < dimensions(); ++component) {
        enforce(velocity[component].array(), component);
    }
}

void Solver::extend_velocity() {
    if (!cut()) {
        return;
    }
    for (int component = 0; component < dimensions(); ++component) {
        backend->run(ExtendFaces{elements(component), velocity[component].array(),
                                 solids->f[component].array(), solids->s[component].array(),
                                 solids->alive.array(), component, !(viscosity > 0.0f), deep});
    }
}

void Solver::extend_scalar(const Array& x) {
    if (cut()) {
        backend->run(ExtendCells{cells(), x, solids->alive.array(), deep});
    }
}

/// Solves A x = b by red-black sweeps with over-relaxation. Where an odd number of places is
/// joined, the first and the last are neighbours of the same colour, so the last layer has a turn
/// of its own: over-relaxed, both at once would grow.
Solved Solver::relax_cut(const Array& x, const Array& b, const Array& r, const Walls& walls,
                         const Cut& given) {
    SetBnd wraps[3];
    Extent parts[8] = {walls.equations.over()};
    int part_count = 1;
    for (int axis = 0; axis < dimensions(); ++axis) {
        SetBnd op = walls.given[axis];
        op.x = x;
        backend->run(op);
        wraps[axis] = walls.wraps[axis];
        wraps[axis].x = x;
        const int last = axis_of(walls.equations, axis).range.last;
        if (joined[axis] && last > 0 && last % 2 == 0) {
            for (int n = 0; n < part_count; ++n) {
                parts[part_count + n] = parts[n];
                range_of(parts[part_count + n], axis) = {last, last};
                range_of(parts[n], axis) = {0, last - 1};
            }
            part_count *= 2;
        }
    }
    const auto wrap = [&] {
        for (int n = 0; n < walls.wrap_count; ++n) {
            backend->run(wraps[n]);
        }
    };
    const Extent over = walls.equations.over();
    const double around = 2.0 * dimensions() * static_cast<double>(given.whole.x.weight);
    const double jacobi = around / (static_cast<double>(given.whole.centre) + around);
    const double best = 2.0 / (1.0 + std::sqrt((1.0 - jacobi) * (1.0 + jacobi)));
    const double omega = std::min(1.9986, best);
    const double wanted = tolerance > 0.0f ? static_cast<double>(tolerance) : 1e-4;
    const double shrinks = std::max(omega - 1.0, 1e-6);
    constexpr int most = 2000;
    const int first = static_cast<int>(
        std::min<double>(most, 2.0 + std::log(wanted) / std::log(std::min(shrinks, 0.9999))));
    const int more = std::max(1, first / 4);

    const auto residual = [&] {
        wrap();
        backend->run(CutResidual{over, given, x, b, r});
        return std::sqrt(backend->squares(Value{over, r}));
    };
    const bool measure = tolerance > 0.0f;
    const double before = measure ? residual() : 0.0;
    Solved solved;
    if (measure && !(before > 0.0)) {  // x is the solution
        set_bnd(x, walls);
        return solved;
    }
    for (int sweeps = first; solved.work < most; sweeps = more) {
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for (int n = 0; n < part_count; ++n) {
                for (const int colour : {0, 1}) {
                    wrap();
                    backend->run(
                        CutRelax{parts[n], given, x, b, static_cast<float>(omega), colour});
                }
            }
        }
        solved.work += sweeps;
        if (!measure) {
            break;
        }
        const double left = residual() / before;
        const bool stuck = solved.work > first && !(left < 0.9 * solved.residual);
        solved.residual = left;
        if (left <= wanted || stuck) {
            break;
        }
    }
    set_bnd(x, walls);
    return solved;
}

/// Viscosity for one component, implicitly, in control volumes around its faces that the solid
/// cuts, and to whose surface in them it sticks.
Solved Solver::cut_viscosity(int component, float asked) {
    const float a = std::min(asked, 1e6f);
    solids->friction[component] = 0.0;
    if (!(a > 0.0f)) {
        return {};
    }
    const Walls& walls = velocity_walls[component];
    const Array& u = velocity[component].array();
    const Array& s = solids->s[component].array();
    const Array& b = next[0].array();
    Viscosity op = {};
    op.over = op.places = walls.equations.over();
    op.over.x = {op.over.x.first, op.over.x.last + 1};
    op.over.y = {op.over.y.first, op.over.y.last + 1};
    op.over.z.last += deep ? 1 : 0;
    op.around.cell = solids->fraction.array();
    for (int axis = 0; axis < dimensions(); ++axis) {
        op.around.f[axis] = surfaces(axis);
    }
    op.around.axis = component;
    op.around.deep = deep;
    op.n[0] = nx;
    op.n[1] = ny;
    op.n[2] = nz;
    op.a = a;
    op.u = u;
    op.s = s;
    op.weight[0] = spare.array();
    op.weight[1] = solids->p.array();
    op.weight[2] = solids->y.array();
    op.share = solids->z.array();
    op.b = b;
    backend->run(op);

    Cut given = {walls.equations, op.weight[0], op.weight[1], op.weight[2], op.share};
    given.whole.centre = 1.0f;
    given.whole.x.weight = given.whole.y.weight = given.whole.z.weight = a;
    const Solved solved = relax_cut(u, b, next[1].array(), walls, given);
    enforce(u, component);
    const double size = static_cast<double>(h);
    const Friction friction = {
        op.places, op.around, u, s, {op.weight[0], op.weight[1], op.weight[2]}};
    solids->friction[component] =
        static_cast<double>(viscosity) * (deep ? size : 1.0) * backend->sum(friction);
    return solved;
}

/// Diffusion and decay of a scalar between solids, through which nothing passes.
void Solver::cut_diffusion(std::size_t n, float centre, float asked) {
    Field& x = scalars[n];
    const Walls& walls = scalar_walls[n];
    const Array& alive = solids->alive.array();
    backend->run(Mask{cells(), x.array(), alive});
    const float a = std::min(asked, 1e6f);
    if (a > 0.0f) {
        const Array& fraction = solids->fraction.array();
        const Array& b = next[0].array();
        backend->run(Multiply{cells(), fraction, x.array(), b});
        Cut given = {walls.equations, solids->f[0].array(), solids->f[1].array(),
                     solids->f[2].array(), fraction};
        const stable_fluids_scalar& kind = scalar_kinds[n];
        const float value = kind.solid.value;
        if (kind.solid.flow == STABLE_FLUIDS_FIXED_VALUE) {
            // One more neighbour, the surface: it counts on the diagonal as well.
            const Array& nearness = solids->nearness.array();
            backend->run(AddScaled{cells(), b, nearness, a * value});
            backend->copy(spare.data(), solids->fraction.data(), layout.size);
            backend->run(AddScaled{cells(), spare.array(), nearness, a / centre});
            given.share = spare.array();
        } else if (kind.solid.flow == STABLE_FLUIDS_FIXED_FLUX) {
            const float difference = h * (value / kind.diffusion);
            backend->run(AddScaled{cells(), b, solids->area.array(), a * difference});
        }
        given.whole.centre = centre;
        given.whole.x.weight = given.whole.y.weight = given.whole.z.weight = a;
        relax_cut(x.array(), b, next[1].array(), walls, given);
    } else if (centre > 1.0f) {
        backend->run(Scale{cells(), x.array(), 1.0f / centre, 0.0f});
    }
    set_bnd(x.array(), walls);
}

// ---- Pressure ----------------------------------------------------------------------------------

CutDivergence Solver::cut_divergence(const Array& x, float factor) const {
    CutDivergence op = {};
    op.over = cells();
    for (int axis = 0; axis < dimensions(); ++axis) {
        op.u[axis] = velocity[axis].array();
        op.f[axis] = solids->f[axis].array();
        op.s[axis] = solids->s[axis].array();
    }
    op.alive = solids->alive.array();
    op.x = x;
    op.factor = factor;
    op.deep = deep;
    return op;
}

/// The equations of a box of the hierarchy.
Cut Solver::cut_pressure(std::size_t l) const {
    const Field* const f = l == 0 ? solids->f : solids->levels[l].f;
    return {levels[l].walls.equations, f[0].array(), f[1].array(), f[2].array(), {}};
}

/// Conjugate gradients with a V(1, 1)-cycle for a preconditioner. It is another one in each
/// iteration, as far as float goes, so the directions are made as Polak and Ribiere do (Notay 2000,
/// "Flexible Conjugate Gradients"). Returns how many cycles there were.
int Solver::solve_cut(double enough) {
    const bool measure = tolerance > 0.0f;
    const int most = cycles - last_pressure.work;
    const Array& x = levels[0].x;
    const Array& r = levels[0].b;
    const Array& z = solids->z.array();
    const Array& p = solids->p.array();
    const Array& y = solids->y.array();
    const Cut equations = cut_pressure(0);
    backend->clear(solids->p.data(), layout.size);
    backend->clear(solids->y.data(), layout.size);
    backend->run(CutResidual{cells(), equations, x, r, r});
    double last = std::numeric_limits<double>::infinity();
    double along = 0.0;
    double before = 0.0;
    int since = 0;  // how many iterations ago it became much smaller
    for (int done = 0; true; ++done) {
        if (measure) {
            const double left = std::sqrt(backend->squares(Value{cells(), r}));
            since = left < 0.8 * last ? 0 : since + 1;
            last = since == 0 ? left : last;
            if (left <= enough || since == 6 || !(left < std::numeric_limits<double>::infinity())) {
                return done;
            }
        }
        if (done == most) {
            return done;
        }
        correct_cut(0, z, r, levels[0].r);
        const double now = backend->sum(Product{cells(), z, r});
        const double beta =
            done == 0 ? 0.0 : -along * backend->sum(Product{cells(), z, y}) / before;
        if (!(now > 0.0) || !std::isfinite(beta)) {
            return done;
        }
        backend->run(Combine{cells(), p, z, static_cast<float>(beta)});
        for (int n = 0; n < levels[0].walls.wrap_count; ++n) {
            SetBnd wrap = levels[0].walls.wraps[n];
            wrap.x = p;
            backend->run(wrap);
        }
        const double curve = backend->sum(CutApply{cells(), equations, p, y});
        along = now / curve;
        if (!(curve > 0.0) || !std::isfinite(along)) {
            return done;
        }
        backend->run(AddScaled{cells(), x, p, static_cast<float>(along)});
        backend->run(AddScaled{cells(), r, y, -static_cast<float>(along)});
        before = now;
    }
}

/// A red-black sweep. After the coarser box, the reds come first as well: the other way round, the
/// cycles would be symmetric, but many more.
void Solver::smooth_cut(std::size_t l, const Array& x, const Array& b) {
    const Walls& walls = levels[l].walls;
    for (const int half : {0, 1}) {
        for (int n = 0; n < walls.wrap_count; ++n) {
            SetBnd wrap = walls.wraps[n];
            wrap.x = x;
            backend->run(wrap);
        }
        backend->run(CutRelax{walls.equations.over(), cut_pressure(l), x, b, 1.0f, half});
    }
}

/// One V(1, 1)-cycle on level l, from x = 0. r is overwritten.
void Solver::correct_cut(std::size_t l, const Array& x, const Array& b, const Array& r) {
    const Level& level = levels[l];
    const Layout& room = l == 0 ? layout : level.layout;
    backend->clear(x.data - room.origin, room.size);
    smooth_cut(l, x, b);
    if (l + 1 < levels.size()) {
        const Level& coarse = levels[l + 1];
        for (int n = 0; n < level.walls.wrap_count; ++n) {
            SetBnd wrap = level.walls.wraps[n];
            wrap.x = x;
            backend->run(wrap);
        }
        const Extent over = level.walls.equations.over();
        backend->run(CutResidual{over, cut_pressure(l), x, b, r});
        const auto [in_x, in_y, in_z] = level.ratio;
        backend->run(Restrict{coarse.walls.equations.over(), r, coarse.b, level.n[0], level.n[1],
                              level.n[2], in_x, in_y, in_z});
        correct_cut(l + 1, coarse.x, coarse.b, coarse.r);
        set_bnd(coarse.x, coarse.walls);
        const Array& alive = l == 0 ? solids->alive.array() : solids->levels[l].alive.array();
        backend->run(CutProlong{over, coarse.x, solids->levels[l + 1].alive.array(), x, alive, in_x,
                                in_y, in_z, deep});
        smooth_cut(l, x, b);
    }
}

/// As settle_pressure(), region by region.
void Solver::settle_cut_pressure() {
    Numbers numbers(layout);
    backend->download(numbers.all.data(), pressure.data(), layout.size);
    std::vector<double> sums(solids->is_closed.size(), 0.0);
    std::vector<double> counts(sums.size(), 0.0);
    for (const bool adds : {true, false}) {
        std::size_t cell = 0;
        for_each_place(nx, ny, nz, [&](int i, int j, int k) {
            const int label = solids->region[cell++];
            if (label < 0) {
                return;
            }
            const auto which = static_cast<std::size_t>(label);
            float& value = numbers.array(i, j, k);
            if (adds) {
                sums[which] += static_cast<double>(value);
                counts[which] += 1.0;
            } else if (solids->is_closed[which] != 0) {
                value =
                    static_cast<float>(static_cast<double>(value) - sums[which] / counts[which]);
            } else {
                value += outside;
            }
        });
    }
    backend->upload(pressure.data(), numbers.all.data(), layout.size);
    pressure_settled = true;
}

/// Works out the force of the pressure on all solids, if the last step has changed it.
void Solver::push_solids() {
    if (!cut() || solids->pushed || steps == 0) {
        return;
    }
    settle_pressure();
    const double size = static_cast<double>(h);
    for (int axis = 0; axis < dimensions(); ++axis) {
        const Push op = {cells(), pressure.array(), surfaces(axis), axis};
        solids->push[axis] = size * (deep ? size : 1.0) * backend->sum(op);
    }
    solids->pushed = true;
}

}  // namespace box
