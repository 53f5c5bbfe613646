#include "library/src/regions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace box {

namespace {

bool any_below_1(const Array& array, const int n[3]) {
    for (int k = 0; k < n[2]; ++k) {
        for (int j = 0; j < n[1]; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                if (array(i, j, k) < 1.0f) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// What lies behind a face of a cell, as the pressure sees it.
enum class Behind { NEXT, WALL, OUTSIDE };

Behind behind(const Axis& axis, int place, bool high) {
    const bool at_end = high ? place == axis.range.last : place == axis.range.first;
    const float counts = !at_end ? 1.0f : high ? axis.high : axis.low;
    return counts == 0.0f ? Behind::WALL : counts == 1.0f ? Behind::NEXT : Behind::OUTSIDE;
}

/// A cell's place, and its number in an array of all cells.
struct Cell {
    int place[3];
    int number;
};

/// The place of the cell's face at the low or the high end of an axis.
struct FacePlace {
    int place[3];

    FacePlace(const int cell[3], int axis, bool high) : place{cell[0], cell[1], cell[2]} {
        place[axis] += high ? 1 : 0;
    }
};

/// Calls visit(cell) for each cell, one after the other.
template <class Visit>
void for_each_cell(const int n[3], const Visit& visit) {
    int number = 0;
    for_each_place(n[0], n[1], n[2], [&](int i, int j, int k) {
        visit(Cell{{i, j, k}, number});
        ++number;
    });
}

/// The axis along which cells are shared out among threads: that of the layers, or in a flat box
/// that of the rows.
int axis_of_parts(const int n[3]) {
    return n[2] > 1 ? 2 : 1;
}

/// Calls visit(cell) for the cells whose place along that axis is from `begin` to before `end`.
template <class Visit>
void for_cells_of_part(const int n[3], int begin, int end, const Visit& visit) {
    const bool by_layer = axis_of_parts(n) == 2;
    const Range layers = by_layer ? Range{begin, end - 1} : Range{0, 0};
    const Range rows = by_layer ? Range{0, n[1] - 1} : Range{begin, end - 1};
    for (int k = layers.first; k <= layers.last; ++k) {
        for (int j = rows.first; j <= rows.last; ++j) {
            for (int i = 0; i < n[0]; ++i) {
                visit(Cell{{i, j, k}, i + n[0] * (j + n[1] * k)});
            }
        }
    }
}

const Array& array_of(const std::vector<Numbers>& all, int axis) {
    return all[static_cast<std::size_t>(axis)].array;
}

}  // namespace

// ---- Where there is fluid ----------------------------------------------------------------------

bool SolidsGiven::cut(const Grid& finest) const {
    for (std::size_t axis = 0; axis < f.size() && axis < 3; ++axis) {
        int faces[3] = {finest.n[0], finest.n[1], finest.n[2]};
        ++faces[axis];
        if (any_below_1(f[axis].array, faces)) {
            return true;
        }
    }
    return any_below_1(fraction.array, finest.n);
}

bool SolidsGiven::moves() const {
    const auto is_not_0 = [](float speed) { return speed != 0.0f; };
    return std::any_of(s.begin(), s.end(), [&](const Numbers& along) {
        return std::any_of(along.all.begin(), along.all.end(), is_not_0);
    });
}

Numbers alive_of(Backend& backend, const Grid& grid, const std::vector<Numbers>& f) {
    Numbers alive(grid.layout);
    const Equations& e = grid.equations;
    for_each_place_at_once(backend, grid.n[0], grid.n[1], grid.n[2], [&](int i, int j, int k) {
        const int cell[3] = {i, j, k};
        bool open = false;
        for (int axis = 0; axis < (e.deep ? 3 : 2); ++axis) {
            for (const bool high : {false, true}) {
                const FacePlace face(cell, axis, high);
                open = open || (behind(axis_of(e, axis), cell[axis], high) != Behind::WALL &&
                                at(array_of(f, axis), face.place) > 0.0f);
            }
        }
        alive.array(i, j, k) = open ? 1.0f : 0.0f;
    });
    return alive;
}

namespace {

/// Which fine faces along `axis` lie under each coarse one, as places along the axis `along`.
std::vector<Under> all_under(int along, int axis, const Grid& fine, const Grid& coarse) {
    const int n = fine.n[along];
    const float ratio = static_cast<float>(n) / static_cast<float>(coarse.n[along]);
    const int count = coarse.n[along] + (along == axis ? 1 : 0);
    std::vector<Under> found(static_cast<std::size_t>(count), {0, {1.0f, 0.0f, 0.0f}});
    for (int place = 0; place < count; ++place) {
        Under& here = found[static_cast<std::size_t>(place)];
        if (along == axis) {
            const float x = ratio * static_cast<float>(place);
            const int before = std::min(static_cast<int>(x), n - 1);
            const float s = x - static_cast<float>(before);
            here = {before, {1.0f - s, s, 0.0f}};
        } else if (along < 2 || fine.equations.deep) {
            here = under(place, ratio, n);
        }
    }
    return found;
}

}  // namespace

Numbers coarser(Backend& backend, const Numbers& fine, const Grid& of_fine, const Grid& of_coarse,
                int axis) {
    Numbers coarse(of_coarse.layout);
    const std::vector<Under> under_x = all_under(0, axis, of_fine, of_coarse);
    const std::vector<Under> under_y = all_under(1, axis, of_fine, of_coarse);
    const std::vector<Under> under_z = all_under(2, axis, of_fine, of_coarse);
    int count[3] = {of_coarse.n[0], of_coarse.n[1], of_coarse.n[2]};
    ++count[axis];
    for_each_place_at_once(backend, count[0], count[1], count[2], [&](int i, int j, int k) {
        const Under& x = under_x[static_cast<std::size_t>(i)];
        const Under& y = under_y[static_cast<std::size_t>(j)];
        const Under& z = under_z[static_cast<std::size_t>(k)];
        float sum = 0.0f;
        float all = 0.0f;
        for (int c = 0; c < 3; ++c) {
            for (int b = 0; b < 3; ++b) {
                for (int a = 0; a < 3; ++a) {
                    const float share = x.share[a] * y.share[b] * z.share[c];
                    if (share > 0.0f) {
                        sum += share * fine.array(x.first + a, y.first + b, z.first + c);
                        all += share;
                    }
                }
            }
        }
        coarse.array(i, j, k) = sum / all;
    });
    return coarse;
}

// ---- The regions -------------------------------------------------------------------------------

int Regions::closed_count() const {
    return static_cast<int>(std::count(is_closed.begin(), is_closed.end(), 1));
}

namespace {

/// Sets of cells that are joined (union-find). Each entry is the number of an earlier cell of the
/// same set, or the cell's own if it is the first. A cell without an open face has -1.
class JoinedCells {
  public:
    explicit JoinedCells(std::size_t count) : entries(count, -1) {}

    int& entry_of(int cell) { return entries[static_cast<std::size_t>(cell)]; }
    int first_of(int cell) {
        while (entry_of(cell) != cell) {
            const int earlier = entry_of(entry_of(cell));
            entry_of(cell) = earlier;
            cell = earlier;
        }
        return cell;
    }
    void join(int cell, int other) {
        const int a = first_of(cell);
        const int b = first_of(other);
        entry_of(std::max(a, b)) = std::min(a, b);
    }

    std::vector<int> entries;
};

/// Joins a cell that is the last one along an axis with the first one, where the box's faces there
/// are joined.
void join_around(const Surroundings& around, const std::vector<Numbers>& f, const Cell& cell,
                 JoinedCells& sets) {
    const int* const n = around.grids[0].n;
    const int step_to_next[3] = {1, n[0], n[0] * n[1]};
    for (int axis = 0; axis < around.axes(); ++axis) {
        const int place = cell.place[axis];
        if (place == n[axis] - 1 && around.joined[axis]) {
            const FacePlace last(cell.place, axis, true);
            if (at(array_of(f, axis), last.place) > 0.0f) {
                sets.join(cell.number, cell.number - step_to_next[axis] * place);
            }
        }
    }
}

/// Joins cells that have an open face between them. Each thread joins those of its own part; what
/// lies between two parts, and where the box's faces are joined, comes afterwards. In which order
/// it is done makes no difference: the first cell of a set is the same.
JoinedCells join_cells(Backend& backend, const Surroundings& around, const Numbers& alive,
                       const std::vector<Numbers>& f) {
    const int* const n = around.grids[0].n;
    const int step_to_next[3] = {1, n[0], n[0] * n[1]};
    JoinedCells sets(static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]) *
                     static_cast<std::size_t>(n[2]));
    const auto join_with_before = [&](const Cell& cell, int axis, int first) {
        if (cell.place[axis] > first && at(array_of(f, axis), cell.place) > 0.0f) {
            sets.join(cell.number, cell.number - step_to_next[axis]);
        }
    };
    const int across = axis_of_parts(n);
    std::vector<char> begins_part(static_cast<std::size_t>(n[across]), 0);
    backend.for_parts(n[across], [&](int begin, int end) {
        begins_part[static_cast<std::size_t>(begin)] = 1;
        for_cells_of_part(n, begin, end, [&](const Cell& cell) {
            if (!(at(alive.array, cell.place) > 0.0f)) {
                return;
            }
            sets.entry_of(cell.number) = cell.number;
            for (int axis = 0; axis < around.axes(); ++axis) {
                join_with_before(cell, axis, axis == across ? begin : 0);
            }
        });
    });
    const bool any_joined = around.joined[0] || around.joined[1] || around.joined[2];
    for (int part = 0; part < n[across]; ++part) {
        if (begins_part[static_cast<std::size_t>(part)] == 0 && !any_joined) {
            continue;
        }
        for_cells_of_part(n, part, part + 1, [&](const Cell& cell) {
            if (sets.entry_of(cell.number) >= 0) {
                join_with_before(cell, across, 0);
                join_around(around, f, cell, sets);
            }
        });
    }
    return sets;
}

/// Whether a cell has an open face to the outside.
bool has_outlet(const Surroundings& around, const std::vector<Numbers>& f, const Cell& cell) {
    for (int axis = 0; axis < around.axes(); ++axis) {
        const Axis& along = axis_of(around.grids[0].equations, axis);
        for (const bool high : {false, true}) {
            if (behind(along, cell.place[axis], high) != Behind::OUTSIDE) {
                continue;
            }
            const FacePlace face(cell.place, axis, high);
            if (at(array_of(f, axis), face.place) > 0.0f) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

Regions find_regions(Backend& backend, const Surroundings& around, const Numbers& alive,
                     const std::vector<Numbers>& f) {
    JoinedCells sets = join_cells(backend, around, alive, f);
    Regions found;
    // Each entry becomes the region's number. The earlier cell has it already.
    for_each_cell(around.grids[0].n, [&](const Cell& cell) {
        int& entry = sets.entry_of(cell.number);
        if (entry < 0) {
            return;
        }
        if (entry == cell.number) {
            entry = static_cast<int>(found.is_closed.size());
            found.is_closed.push_back(1);
        } else {
            entry = sets.entry_of(entry);
        }
        if (has_outlet(around, f, cell)) {
            found.is_closed[static_cast<std::size_t>(entry)] = 0;
        }
    });
    found.region = std::move(sets.entries);
    return found;
}

std::vector<ClosedRegion> closed_regions(const Grid& finest, const Regions& regions,
                                         Numbers& numbers) {
    std::vector<ClosedRegion> found;
    std::vector<int> number_of(regions.is_closed.size(), -1);
    for_each_cell(finest.n, [&](const Cell& cell) {
        const int label = regions.region[static_cast<std::size_t>(cell.number)];
        if (label < 0) {
            return;
        }
        int& number = number_of[static_cast<std::size_t>(label)];
        if (regions.is_closed[static_cast<std::size_t>(label)] != 0) {
            if (number < 0) {
                found.emplace_back();
                number = static_cast<int>(found.size());
                for (int axis = 0; axis < 3; ++axis) {
                    range_of(found.back().within, axis) = {cell.place[axis], cell.place[axis]};
                }
            }
            ClosedRegion& here = found[static_cast<std::size_t>(number) - 1];
            here.cells += 1.0;
            for (int axis = 0; axis < 3; ++axis) {
                Range& range = range_of(here.within, axis);
                range.first = std::min(range.first, cell.place[axis]);
                range.last = std::max(range.last, cell.place[axis]);
            }
        }
        numbers.array(cell.place[0], cell.place[1], cell.place[2]) = static_cast<float>(number);
    });
    return found;
}

// ---- What they are to leave --------------------------------------------------------------------

namespace {

/// Sums over the cells of each closed region.
struct RegionSums {
    std::vector<double> cells;
    std::vector<double> forced;  ///< what solids and walls push out of it, in m/s
    std::vector<double> expanded;  ///< 1/s
};

/// What solids and walls push out through the faces of a cell.
double forced_out(const Surroundings& around, const SolidsGiven& given, const Cell& cell,
                  double sum) {
    for (int axis = 0; axis < around.axes(); ++axis) {
        const Axis& along = axis_of(around.grids[0].equations, axis);
        for (const bool high : {false, true}) {
            const FacePlace face(cell.place, axis, high);
            const double share = static_cast<double>(at(array_of(given.f, axis), face.place));
            const double speed = static_cast<double>(at(array_of(given.s, axis), face.place));
            double out = (1.0 - share) * speed;
            if (behind(along, cell.place[axis], high) == Behind::WALL) {
                out += share * around.wall_velocity[axis][high ? 1 : 0];
            }
            sum += high ? out : -out;
        }
    }
    return sum;
}

RegionSums sums_of(const Surroundings& around, const Regions& regions, const SolidsGiven& given) {
    const std::size_t count = regions.is_closed.size();
    RegionSums sums = {std::vector<double>(count), std::vector<double>(count),
                       std::vector<double>(count)};
    if (regions.closed_count() == 0) {
        return sums;
    }
    for_each_cell(around.grids[0].n, [&](const Cell& cell) {
        const int label = regions.region[static_cast<std::size_t>(cell.number)];
        if (label < 0 || regions.is_closed[static_cast<std::size_t>(label)] == 0) {
            return;
        }
        const auto which = static_cast<std::size_t>(label);
        sums.cells[which] += 1.0;
        sums.expanded[which] += static_cast<double>(at(given.expansion.array, cell.place));
        sums.forced[which] = forced_out(around, given, cell, sums.forced[which]);
    });
    return sums;
}

}  // namespace

Wanted find_wanted(Backend& backend, const Surroundings& around, const Regions& regions,
                   const SolidsGiven& given) {
    Wanted wanted = {Numbers(around.grids[0].layout), false, 0.0};
    const RegionSums sums = sums_of(around, regions, given);
    const double size = static_cast<double>(around.h);
    for (std::size_t which = 0; which < sums.cells.size(); ++which) {
        if (regions.is_closed[which] != 0) {
            const double mean = sums.forced[which] / (sums.cells[which] * size);
            wanted.largest_forced = std::max(wanted.largest_forced, std::abs(mean));
        }
    }
    if (regions.closed_count() == 0 && !given.expands) {
        return wanted;
    }
    const int* const n = around.grids[0].n;
    const int across = axis_of_parts(n);
    std::vector<char> any(static_cast<std::size_t>(n[across]), 0);
    const auto find = [&](const Cell& cell) {
        const int label = regions.region[static_cast<std::size_t>(cell.number)];
        if (label < 0) {
            return;
        }
        const auto which = static_cast<std::size_t>(label);
        double value = size * static_cast<double>(at(given.expansion.array, cell.place));
        if (regions.is_closed[which] != 0) {
            value += (sums.forced[which] - size * sums.expanded[which]) / sums.cells[which];
        }
        const float rounded = static_cast<float>(value);
        wanted.divergence.array(cell.place[0], cell.place[1], cell.place[2]) = rounded;
        if (rounded != 0.0f) {
            any[static_cast<std::size_t>(cell.place[across])] = 1;
        }
    };
    backend.for_parts(n[across],
                      [&](int begin, int end) { for_cells_of_part(n, begin, end, find); });
    wanted.any = std::find(any.begin(), any.end(), 1) != any.end();
    return wanted;
}

// ---- The surface -------------------------------------------------------------------------------

bool open_walls(const Surroundings& around, const Numbers& fraction, std::vector<Numbers>& f) {
    const Grid& finest = around.grids[0];
    bool any = false;
    for (int axis = 0; axis < around.axes(); ++axis) {
        const Array& share = array_of(f, axis);
        for (const bool high : {false, true}) {
            const int last = high ? finest.n[axis] - 1 : 0;
            const Axis& along = axis_of(finest.equations, axis);
            if (around.joined[axis] || behind(along, last, high) != Behind::WALL) {
                continue;
            }
            int count[3] = {finest.n[0], finest.n[1], finest.n[2]};
            count[axis] = 1;
            for_each_place(count[0], count[1], count[2], [&](int i, int j, int k) {
                int cell[3] = {i, j, k};
                cell[axis] = last;
                const FacePlace face(cell, axis, high);
                if (at(share, face.place) == 0.0f && at(fraction.array, cell) == 1.0f) {
                    share(face.place[0], face.place[1], face.place[2]) = 1.0f;
                    any = true;
                }
            });
        }
    }
    return any;
}

namespace {

/// The range from the first of two to the last of them, where either may be empty.
Range together(Range a, Range b) {
    if (is_empty(a)) {
        return b;
    }
    if (is_empty(b)) {
        return a;
    }
    return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

/// From the first fraction of a row that is less than 1 to the last.
Range cut_part(const float* row, int count) {
    const auto is_cut = [](float share) { return share < 1.0f; };
    const float* const first = std::find_if(row, row + count, is_cut);
    if (first == row + count) {
        return {};
    }
    int last = count - 1;
    while (!is_cut(row[last])) {
        --last;
    }
    return {static_cast<int>(first - row), last};
}

/// For each row, or layer, from -1 to n + 1: the ones to look at. What a ghost holds is that of a
/// place near one of the ends. There are n + 1 faces across the axis, and n of all else.
std::vector<std::vector<int>> rows_to_look_at(int n, bool across) {
    const int last = across ? n : n - 1;
    std::vector<std::vector<int>> all;
    all.reserve(static_cast<std::size_t>(n) + 3);
    for (int row = -1; row <= n + 1; ++row) {
        const bool is_cell = row >= 0 && row < n;
        all.push_back(is_cell ? std::vector<int>{row}
                              : std::vector<int>{0, std::min(1, last), n - 1, last});
    }
    return all;
}

/// Which places of each row have fractions less than 1, from the first to the last, the rows of
/// ghosts included.
std::vector<Range> find_solids_in_rows(Backend& backend, const Grid& grid,
                                       const std::vector<Array>& fractions) {
    const int* const n = grid.n;
    const bool deep = grid.equations.deep;
    std::vector<std::vector<std::vector<int>>> from_rows;
    std::vector<std::vector<std::vector<int>>> from_layers;
    for (std::size_t which = 0; which < fractions.size(); ++which) {
        from_rows.push_back(rows_to_look_at(n[1], which == 1));
        from_layers.push_back(deep ? rows_to_look_at(n[2], which == 2)
                                   : std::vector<std::vector<int>>{{0}});
    }
    const std::size_t rows = from_rows[0].size();
    const std::size_t layers = from_layers[0].size();
    std::vector<Range> found(rows * layers);
    const auto find = [&](std::size_t row, std::size_t layer) {
        Range here;
        for (std::size_t which = 0; which < fractions.size(); ++which) {
            const int count = n[0] + (which == 0 ? 1 : 0);
            for (const int k : from_layers[which][layer]) {
                for (const int j : from_rows[which][row]) {
                    here = together(here, cut_part(&fractions[which](0, j, k), count));
                }
            }
        }
        const bool ghosts_too = here.first <= 1 || here.last >= n[0] - 1;
        return !is_empty(here) && ghosts_too ? Range{-1, n[0] + 1} : here;
    };
    for_each_place_at_once(backend, 1, static_cast<int>(rows), static_cast<int>(layers),
                           [&](int, int j, int k) {
                               const std::size_t row = static_cast<std::size_t>(j);
                               const std::size_t layer = static_cast<std::size_t>(k);
                               found[layer * rows + row] = find(row, layer);
                           });
    return found;
}

}  // namespace

NearSolids find_near_solids(Backend& backend, const Grid& grid,
                            const std::vector<Array>& fractions) {
    const std::vector<Range> at_solid = find_solids_in_rows(backend, grid, fractions);
    const int rows = grid.n[1] + 3;
    const int layers = static_cast<int>(at_solid.size()) / rows;
    NearSolids found;
    found.of_rows.reserve(at_solid.size());
    for (int layer = 0; layer < layers; ++layer) {
        for (int row = 0; row < rows; ++row) {
            Range near;
            for (int c = std::max(layer - 2, 0); c <= std::min(layer + 1, layers - 1); ++c) {
                for (int b = std::max(row - 2, 0); b <= std::min(row + 1, rows - 1); ++b) {
                    near = together(near, at_solid[static_cast<std::size_t>(c * rows + b)]);
                }
            }
            if (!is_empty(near)) {
                near = {near.first - 1, near.last + 2};
                const int k = grid.equations.deep ? layer - 1 : 0;
                found.y = together(found.y, {row - 1, row - 1});
                found.z = together(found.z, {k, k});
            }
            found.of_rows.push_back(near);
        }
    }
    return found;
}

Extent rows_near(const NearSolids& near, Extent over) {
    over.y = {std::max(over.y.first, near.y.first), std::min(over.y.last, near.y.last)};
    over.z = {std::max(over.z.first, near.z.first), std::min(over.z.last, near.z.last)};
    return over;
}

Surface find_surface(Backend& backend, const Grid& finest, const SolidsGiven& given,
                     const Numbers& alive) {
    Surface found = {Numbers(finest.layout), Numbers(finest.layout)};
    for_each_place_at_once(
        backend, finest.n[0], finest.n[1], finest.n[2], [&](int i, int j, int k) {
            const int cell[3] = {i, j, k};
            float squares = 0.0f;
            float largest = 0.0f;
            for (int axis = 0; axis < (finest.equations.deep ? 3 : 2); ++axis) {
                const Array& share = array_of(given.f, axis);
                const FacePlace after(cell, axis, true);
                const float seen = at(share, after.place) - at(share, cell);
                squares += seen * seen;
                largest = std::max(largest, std::abs(seen));
            }
            if (at(alive.array, cell) > 0.0f && squares > 0.0f) {
                const float size = std::sqrt(squares);
                const float distance = (at(given.fraction.array, cell) - 0.5f) * largest / size;
                found.area.array(i, j, k) = size;
                found.nearness.array(i, j, k) = size / std::max(distance, 0.01f);
            }
        });
    return found;
}

}  // namespace box
