#include "common/io/output.hpp"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#if defined(__EMSCRIPTEN__)
extern "C" void workbook_written(const char* path);  // common/browser/library.js
#endif

namespace workbook {

namespace fs = std::filesystem;

namespace {

template <class Real>
void append_rounded(std::string& text, Real number, int precision) {
    char digits[40];
#if defined(__cpp_lib_to_chars)
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number,
                                            std::chars_format::general, precision);
    text.append(digits, end);
#else  // a standard library without it; no locale is ever set, so that the point is a point
    std::snprintf(digits, sizeof digits, "%.*g", precision, static_cast<double>(number));
    text += digits;
#endif
}

template <class Real>
std::string fewest_digits(Real number) {
    std::string text;
    for (int precision = 6; precision <= 17; ++precision) {
        text.clear();
        append_rounded(text, number, precision);
        if (static_cast<Real>(std::strtod(text.c_str(), nullptr)) == number) {
            break;
        }
    }
    return text;
}

}  // namespace

OutputFile::OutputFile(const std::string& what, const std::string& path)
    : OutputFile(what, path, fs::path(path)) {}

OutputFile::OutputFile(const std::string& what, const std::string& path, const fs::path& place)
    : what_(what), asked_(path) {
    std::error_code error;
    path_ = fs::weakly_canonical(place, error);  // through a link, to the file that is meant
    if (error || path.empty()) {
        path_ = place;
    }
    const fs::file_status there = fs::status(path_, error);
    if (path.empty() || (fs::exists(there) && !fs::is_regular_file(there))) {
        throw InputError(what_ + " " + path + ": not a file name we can write to" +
                         (fs::is_directory(there) ? " (it is a folder)" : ""));
    }
    std::random_device random;
    fs::path name = path_.stem();
    name += "-";
    name += std::to_string(random());
    name += path_.extension();
    temporary_ = path_;
    temporary_.replace_filename(name);
    errno = 0;
    if (!std::ofstream(temporary_, std::ios::binary)) {
        throw write_error(std::strerror(errno));
    }
}

OutputFile::~OutputFile() {
    if (!committed_) {
        std::error_code ignored;
        fs::remove(temporary_, ignored);
    }
}

void OutputFile::commit() {
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) {
        throw write_error(error.message());
    }
    committed_ = true;
#if defined(__EMSCRIPTEN__)
    workbook_written(path_.c_str());
#endif
}

std::ofstream OutputFile::open() const {
    errno = 0;
    return std::ofstream(temporary_, std::ios::binary);
}

void OutputFile::close(std::ofstream& file) const {
    file.close();
    if (!file) {
        throw write_error(errno != 0 ? std::strerror(errno) : "is the disk full?");
    }
}

void OutputFile::write(const std::string& bytes) const {
    std::ofstream file = open();
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    close(file);
}

InputError OutputFile::write_error(const std::string& cause) const {
    return InputError(what_ + " " + asked_ + ": cannot be written (" + cause + ")");
}

void check_writable(const std::string& what, const std::string& path) {
    const OutputFile removed_at_once(what, path);
}

void append_digits(std::string& text, float number) {
    append_rounded(text, number, 9);
}

void append_digits(std::string& text, double number) {
    append_rounded(text, number, 17);
}

std::string few_digits(float number) {
    return fewest_digits(number);
}

std::string few_digits(double number) {
    return fewest_digits(number);
}

}  // namespace workbook
