#include "state.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>
#include <string_view>

#include "flags.hpp"

namespace workbook {
namespace {

constexpr std::size_t longest_line = 1000;

std::string header_of(const std::vector<StateColumn>& columns) {
    std::string header = "i,j";
    for (const StateColumn& column : columns) {
        header += "," + column.name;
    }
    return header;
}

/// Reads a whole word as a number, whatever the user's locale. False if it is anything else.
bool read_number(std::string_view word, float& number) {
#if defined(__cpp_lib_to_chars)
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
#else  // a standard library that cannot read floats that way yet, as on older macOS
    std::istringstream stream{std::string(word)};
    stream.imbue(std::locale::classic());
    return !word.empty() && std::isspace(static_cast<unsigned char>(word[0])) == 0 &&
           static_cast<bool>(stream >> number) && stream.peek() == EOF;
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
    int i, j;
};

/// Takes `i,j,value,...` apart.
Row read_row(const Reader& reader, const std::string& line, const std::vector<StateColumn>& columns,
             std::vector<float>& values) {
    const std::size_t words = 2 + columns.size();
    const auto found = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
    if (found != words) {
        throw reader.error("has " + std::to_string(found) + " values where the header names " +
                           std::to_string(words));
    }
    Row row{};
    std::string_view rest = line;
    for (std::size_t k = 0; k < words; ++k) {
        const std::string_view word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        if (k < 2) {
            int& index = k == 0 ? row.i : row.j;
            if (!read_number(word, index) || index < 0 || index > largest_N + 1) {
                throw reader.error(std::string(k == 0 ? "i" : "j") + " is '" + std::string(word) +
                                   "', not a cell index from 0 to " +
                                   std::to_string(largest_N + 1));
            }
            continue;
        }
        float value = 0.0f;
        if (!read_number(word, value) || !std::isfinite(value)) {
            throw reader.error(columns[k - 2].name + " is '" + std::string(word) +
                               "', not a finite number");
        }
        values.push_back(value);
    }
    return row;
}

std::string name_of(Row cell) {
    return "cell (" + std::to_string(cell.i) + ", " + std::to_string(cell.j) + ")";
}

}  // namespace

State load_state(const std::string& path, const std::vector<StateColumn>& columns) {
    Reader reader(path);
    std::string line;
    if (!reader.next(line) || line != header_of(columns)) {
        throw reader.error("the header is '" + line.substr(0, 60) + "', this chapter's is '" +
                           header_of(columns) + "'");
    }
    std::vector<Row> rows;
    std::vector<float> unordered;
    int largest = 0;
    const std::size_t longest_row = largest_N + 2;
    const std::size_t most_rows = longest_row * longest_row;
    while (reader.next(line)) {
        if (rows.size() == most_rows) {
            throw reader.error("more cells than the largest grid has");
        }
        rows.push_back(read_row(reader, line, columns, unordered));
        largest = std::max({largest, rows.back().i, rows.back().j});
    }

    const int N = largest - 1;
    if (N < 1) {
        throw reader.error("the file ends after " + std::to_string(rows.size()) +
                           " cells; the smallest grid, N = 1, has 9, walls included");
    }
    const auto width = static_cast<std::size_t>(N + 2);
    State state{N, std::vector<float>(width * width * columns.size())};
    std::vector<bool> seen(width * width, false);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t cell =
            static_cast<std::size_t>(rows[k].i) + width * static_cast<std::size_t>(rows[k].j);
        if (seen[cell]) {
            throw reader.error_at(k + 2, name_of(rows[k]) + " comes a second time");
        }
        seen[cell] = true;
        std::copy_n(unordered.begin() + static_cast<std::ptrdiff_t>(k * columns.size()),
                    columns.size(),
                    state.values.begin() + static_cast<std::ptrdiff_t>(cell * columns.size()));
    }
    const auto gap = std::find(seen.begin(), seen.end(), false);
    if (gap != seen.end()) {
        const int cell = static_cast<int>(gap - seen.begin());
        throw reader.error("the file ends after " + std::to_string(rows.size()) +
                           " cells without " + name_of({cell % (N + 2), cell / (N + 2)}) +
                           "; N = " + std::to_string(N) + " has " + std::to_string(width * width) +
                           " of them");
    }
    return state;
}

void save_state(const OutputFile& output, int N, const std::vector<StateColumn>& columns) {
    errno = 0;
    std::ofstream file(output.temporary(), std::ios::binary);
    std::string text = header_of(columns) + "\n";
    for (int j = 0; j <= N + 1; ++j) {
        for (int i = 0; i <= N + 1; ++i) {
            text += std::to_string(i) + "," + std::to_string(j);
            for (const StateColumn& column : columns) {
                const float value = column.cell(i, j);
                if (!std::isfinite(value)) {
                    throw output.write_error(column.name + " in " + name_of({i, j}) +
                                             " is not a finite number: the run has blown up");
                }
                char digits[40];
                const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value,
                                                        std::chars_format::general, 9);
                text += ',';
                text.append(digits, end);
            }
            text += '\n';
        }
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    }
    file.close();
    if (!file) {
        throw output.write_error(errno != 0 ? std::strerror(errno) : "is the disk full?");
    }
}

}  // namespace workbook
