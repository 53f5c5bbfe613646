#include "common/io/state.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <string_view>
#include <type_traits>

namespace workbook {
namespace {

constexpr std::size_t longest_line = 1000;

/// A number's place in memory.
using NumberPlace = std::variant<float*, double*>;

NumberPlace number_place(const StateColumn& column, int i, int j, int k) {
    if (const auto* flat = std::get_if<0>(&column.cell)) {
        return &(*flat)(i, j);
    }
    if (const auto* deep = std::get_if<1>(&column.cell)) {
        return &(*deep)(i, j, k);
    }
    return std::get<2>(column.cell)(i, j, k);
}

bool is_double(const StateColumn& column) {
    return std::holds_alternative<std::function<double*(int, int, int)>>(column.cell);
}

std::size_t count_of(Box rows) {
    return static_cast<std::size_t>(rows.nx) * static_cast<std::size_t>(rows.ny) *
           static_cast<std::size_t>(rows.nz);
}

std::size_t index_words(Shape shape) {
    return shape == Shape::square ? 2 : 3;
}

std::string header_of(const std::vector<StateColumn>& columns, Shape shape) {
    std::string header = shape == Shape::square ? "i,j" : "i,j,k";
    for (const StateColumn& column : columns) {
        header += "," + column.name;
    }
    return header;
}

/// Says which column a header lacks, if it lacks one.
std::string missing_from(const std::string& header, const std::vector<StateColumn>& columns) {
    for (const StateColumn& column : columns) {
        if ((header + ",").find("," + column.name + ",") == std::string::npos) {
            return " (" + column.name + " is missing)";
        }
    }
    return "";
}

/// Reads a whole word as a number, whatever the user's locale. False if it is anything else.
template <class Real>
bool read_number(std::string_view word, Real& number) {
#if defined(__cpp_lib_to_chars)
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
#else  // a standard library that cannot read floats that way yet, as on older macOS
    std::istringstream stream{std::string(word)};
    stream.imbue(std::locale::classic());
    number = 0;
    stream >> number;
    if (std::fpclassify(number) == FP_SUBNORMAL) {
        stream.clear();  // some read numbers that small, and call them out of range
    }
    return !word.empty() && std::isspace(static_cast<unsigned char>(word[0])) == 0 && stream &&
           stream.peek() == EOF;
#endif
}

bool read_number(std::string_view word, int& number) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
}

/// A state file being read, line by line.
class Reader {
  public:
    explicit Reader(const std::string& path) : path_(path) {
        if (std::filesystem::is_directory(path)) {
            throw InputError("--load " + path + ": is a folder, not a state file");
        }
        errno = 0;
        file_.open(path, std::ios::binary);
        if (!file_) {
            throw InputError("--load " + path + ": cannot be read (" + std::strerror(errno) + ")");
        }
    }

    /// Reads the next line, without its end. False when there is none.
    bool next(std::string& line) {
        line.clear();
        ++number_;
        for (int c = file_.get(); c != '\n'; c = file_.get()) {
            if (c == EOF) {
                if (file_.bad()) {
                    throw error("cannot be read to its end");
                }
                if (!line.empty()) {
                    throw error("the file breaks off in the middle of a line");
                }
                return false;
            }
            line.push_back(static_cast<char>(c));
            if (line.size() > longest_line) {
                throw error("too long for a state file");
            }
        }
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        return true;
    }

    InputError error(const std::string& cause) const { return error_at(number_, cause); }

    InputError error_at(std::size_t line, const std::string& cause) const {
        return InputError(path_ + ", line " + std::to_string(line) + ": " + cause);
    }

  private:
    std::string path_;
    std::ifstream file_;
    std::size_t number_ = 0;
};

struct Row {
    int i, j, k;
};

std::string name_of(Row cell, Shape shape) {
    return "cell (" + std::to_string(cell.i) + ", " + std::to_string(cell.j) +
           (shape == Shape::square ? "" : ", " + std::to_string(cell.k)) + ")";
}

/// The largest index that a row of the largest grid has.
int largest_index(Shape shape) {
    return shape == Shape::square ? largest_N + 1
           : shape == Shape::cube ? largest_N_3d - 1
                                  : largest_N;
}

int read_index(const Reader& reader, std::string_view word, char name, int largest) {
    int index = 0;
    if (!read_number(word, index) || index < 0 || index > largest) {
        throw reader.error(std::string(1, name) + " is '" + std::string(word) +
                           "', not a cell index from 0 to " + std::to_string(largest));
    }
    return index;
}

double read_value(const Reader& reader, std::string_view word, const StateColumn& column) {
    float single = 0.0f;
    double value = 0.0;
    if (is_double(column) && word.empty()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    const bool good = is_double(column) ? read_number(word, value) : read_number(word, single);
    value = is_double(column) ? value : double{single};
    if (!good || !std::isfinite(value)) {
        throw reader.error(column.name + " is '" + std::string(word) + "', not a finite number");
    }
    return value;
}

/// Takes `i,j,value,...` or `i,j,k,value,...` apart.
Row read_row(const Reader& reader, const std::string& line, const std::vector<StateColumn>& columns,
             Shape shape, std::vector<double>& values) {
    const std::size_t indices = index_words(shape);
    const std::size_t words = indices + columns.size();
    const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (found != words) {
        throw reader.error("has " + std::to_string(found) + " values where the header names " +
                           std::to_string(words));
    }
    int index[3] = {0, 0, 0};
    std::string_view rest = line;
    for (std::size_t w = 0; w < words; ++w) {
        const std::string_view word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        if (w < indices) {
            index[w] = read_index(reader, word, "ijk"[w], largest_index(shape));
        } else {
            values.push_back(read_value(reader, word, columns[w - indices]));
        }
    }
    return {index[0], index[1], index[2]};
}

/// The grid whose largest indices these are.
Box box_from(const Reader& reader, Row largest, Shape shape, std::size_t rows) {
    const int longest = std::max({largest.i, largest.j, largest.k});
    Box box = box_of(shape, shape == Shape::square ? longest - 1 : longest + 1);
    if (shape == Shape::box) {
        box = {largest.i, largest.j, largest.k};
    }
    const int least = shape == Shape::cube ? smallest_cube : 1;
    if (std::min({box.nx, box.ny, shape == Shape::square ? least : box.nz}) < least) {
        const Box smallest = box_of(shape, least);
        throw reader.error("the file ends after " + std::to_string(rows) +
                           " cells; the smallest grid, " + words_of(shape, smallest) + ", has " +
                           std::to_string(count_of(rows_of(shape, smallest))) +
                           (shape == Shape::box ? "" : ", walls included"));
    }
    if (shape == Shape::box && box.nz > 1 && longest > largest_N_3d) {
        throw reader.error("has a grid of " + words_of(shape, box) + "; in three dimensions " +
                           std::to_string(largest_N_3d) + " cells a side are the most");
    }
    return box;
}

/// Where each row of the file belongs: one row for each cell.
std::vector<std::size_t> places_of(const Reader& reader, const std::vector<Row>& rows, Box box,
                                   Shape shape) {
    const Box size = rows_of(shape, box);
    const auto nx = static_cast<std::size_t>(size.nx);
    const auto ny = static_cast<std::size_t>(size.ny);
    std::vector<bool> seen(count_of(size), false);
    std::vector<std::size_t> places;
    places.reserve(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t cell =
            static_cast<std::size_t>(rows[k].i) +
            nx * (static_cast<std::size_t>(rows[k].j) + ny * static_cast<std::size_t>(rows[k].k));
        if (seen[cell]) {
            throw reader.error_at(k + 2, name_of(rows[k], shape) + " comes a second time");
        }
        seen[cell] = true;
        places.push_back(cell);
    }
    const auto gap = std::find(seen.begin(), seen.end(), false);
    if (gap != seen.end()) {
        const auto cell = static_cast<std::size_t>(gap - seen.begin());
        const Row missing = {static_cast<int>(cell % nx), static_cast<int>(cell / nx % ny),
                             static_cast<int>(cell / nx / ny)};
        throw reader.error("the file ends after " + std::to_string(rows.size()) +
                           " cells without " + name_of(missing, shape) + "; " +
                           words_of(shape, box) + " has " + std::to_string(seen.size()) +
                           " of them");
    }
    return places;
}

/// Calls `visit(i, j, k)` for each row of a state file, in the order of the file.
template <class Visit>
void for_each_row(Box size, Visit visit) {
    for (int k = 0; k < size.nz; ++k) {
        for (int j = 0; j < size.ny; ++j) {
            for (int i = 0; i < size.nx; ++i) {
                visit(i, j, k);
            }
        }
    }
}

/// Appends the value's digits; nothing if there is no value.
void append_value(std::string& text, NumberPlace place) {
    const auto append = [&](auto* value) {
        if (value != nullptr) {
            append_digits(text, *value);
        }
    };
    std::visit(append, place);
}

bool is_finite(NumberPlace place) {
    return std::visit([](auto* value) { return value == nullptr || std::isfinite(*value); }, place);
}

}  // namespace

State load_state(const std::string& path, const std::vector<StateColumn>& columns, Shape shape) {
    Reader reader(path);
    std::string line;
    if (!reader.next(line) || line != header_of(columns, shape)) {
        throw reader.error("the header is '" + line.substr(0, 60) + "'" +
                           missing_from(line, columns) + ", this chapter's is '" +
                           header_of(columns, shape) + "'");
    }
    std::vector<Row> rows;
    std::vector<double> unordered;
    Row largest{};
    const int most = shape == Shape::cube ? largest_N_3d : largest_N;
    const std::size_t most_rows = count_of(rows_of(shape, box_of(shape, most)));
    const std::size_t most_rows_3d =
        count_of(rows_of(shape, {largest_N_3d, largest_N_3d, largest_N_3d}));
    while (reader.next(line)) {
        if (rows.size() == std::max(most_rows, most_rows_3d)) {
            throw reader.error("more cells than the largest grid has");
        }
        rows.push_back(read_row(reader, line, columns, shape, unordered));
        largest = {std::max(largest.i, rows.back().i), std::max(largest.j, rows.back().j),
                   std::max(largest.k, rows.back().k)};
    }

    State state{box_from(reader, largest, shape, rows.size()), {}, path, {}};
    const std::vector<std::size_t> places = places_of(reader, rows, state.box, shape);
    const bool may_be_empty = std::any_of(columns.begin(), columns.end(), is_double);
    state.lines.resize(may_be_empty ? rows.size() : 0);
    for (std::size_t k = 0; k < state.lines.size(); ++k) {
        state.lines[places[k]] = static_cast<std::uint32_t>(k + 2);
    }
    if (std::is_sorted(places.begin(), places.end())) {  // as save_state writes them
        state.values = std::move(unordered);
        return state;
    }
    state.values.resize(unordered.size());
    for (std::size_t k = 0; k < places.size(); ++k) {
        std::copy_n(unordered.begin() + static_cast<std::ptrdiff_t>(k * columns.size()),
                    columns.size(),
                    state.values.begin() + static_cast<std::ptrdiff_t>(places[k] * columns.size()));
    }
    return state;
}

void restore_state(const State& state, const std::vector<StateColumn>& columns, Shape shape) {
    std::size_t at = 0;
    for_each_row(rows_of(shape, state.box), [&](int i, int j, int k) {
        for (const StateColumn& column : columns) {
            const double value = state.values[at];
            const NumberPlace place = number_place(column, i, j, k);
            const bool owned = std::visit([](auto* p) { return p != nullptr; }, place);
            if (owned == std::isnan(value)) {
                const std::string where = state.path + ", line " +
                                          std::to_string(state.lines[at / columns.size()]) + ": ";
                throw InputError(where + name_of({i, j, k}, shape) +
                                 (owned ? " needs a value for " : " must have no value for ") +
                                 column.name);
            }
            if (owned) {
                std::visit([&](auto* p) { *p = static_cast<std::decay_t<decltype(*p)>>(value); },
                           place);
            }
            ++at;
        }
    });
}

void save_state(const OutputFile& output, Box box, const std::vector<StateColumn>& columns,
                Shape shape) {
    std::ofstream file = output.open();
    std::string text = header_of(columns, shape) + "\n";
    const Box size = rows_of(shape, box);
    for_each_row(size, [&](int i, int j, int k) {
        text += std::to_string(i) + "," + std::to_string(j);
        text += shape == Shape::square ? "" : "," + std::to_string(k);
        for (const StateColumn& column : columns) {
            const NumberPlace place = number_place(column, i, j, k);
            if (!is_finite(place)) {
                throw output.write_error(column.name + " in " + name_of({i, j, k}, shape) +
                                         " is not a finite number: the run has blown up");
            }
            text += ',';
            append_value(text, place);
        }
        text += '\n';
        if (i == size.nx - 1) {
            file.write(text.data(), static_cast<std::streamsize>(text.size()));
            text.clear();
        }
    });
    output.close(file);
}

std::vector<double> load_table(const std::string& path, const std::string& header) {
    Reader reader(path);
    std::string line;
    if (!reader.next(line) || line != header) {
        throw reader.error("the header is '" + line.substr(0, 60) + "', it must be '" + header +
                           "'");
    }
    const auto words = std::count(header.begin(), header.end(), ',') + 1;
    std::vector<double> values;
    while (reader.next(line)) {
        const auto found = std::count(line.begin(), line.end(), ',') + 1;
        if (found != words) {
            throw reader.error("has " + std::to_string(found) + " values where the header names " +
                               std::to_string(words));
        }
        std::string_view rest = line;
        for (auto word = found; word > 0; --word) {
            const std::string_view digits = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(rest.size(), digits.size() + 1));
            double value = 0.0;
            if (!read_number(digits, value) || !std::isfinite(value)) {
                throw reader.error("'" + std::string(digits) + "' is not a finite number");
            }
            values.push_back(value);
        }
    }
    return values;
}

void save_table(const OutputFile& output, const std::string& header,
                const std::vector<double>& values) {
    const auto words = static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1;
    std::string text = header + "\n";
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k])) {
            throw output.write_error("row " + std::to_string(k / words + 1) +
                                     " has a number that is not finite: the run has blown up");
        }
        append_digits(text, values[k]);
        text += (k + 1) % words == 0 ? '\n' : ',';
    }
    output.write(text);
}

}  // namespace workbook
