#pragma once

#include <filesystem>
#include <iosfwd>
#include <stdexcept>
#include <string>

namespace workbook {

/// Something the user gave us is wrong: a flag, a file, a folder. The message is one line that
/// names the cause and, where it is not plain, the fix. A program that meets one exits with
/// status 2.
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A file that appears whole or not at all: it is written beside its place under another name and
/// moved there by commit(). Without commit() nothing stays behind.
class OutputFile {
  public:
    /// Creates the temporary file. Throws InputError if `path` cannot be written: its folder is
    /// missing or closed to us, or something stands there that is not a regular file. `what` names
    /// the flag in the message.
    OutputFile(const std::string& what, const std::string& path);
    /// Likewise, where `path` is only what messages call the file.
    OutputFile(const std::string& what, const std::string& path,
               const std::filesystem::path& place);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Where to write. It ends like the path asked for.
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Where the finished file will lie.
    const std::filesystem::path& path() const { return path_; }

    /// Opens temporary() to be written.
    std::ofstream open() const;

    /// Closes what open() has opened. Throws InputError unless all that was written has arrived.
    void close(std::ofstream& file) const;

    /// Writes these bytes to temporary(), and nothing else. Throws InputError as close() does.
    void write(const std::string& bytes) const;

    /// Puts the finished file in its place. Throws InputError if that fails.
    void commit();

    /// The error to throw when writing to temporary() failed.
    InputError write_error(const std::string& cause) const;

  private:
    std::string what_, asked_;
    std::filesystem::path path_, temporary_;
    bool committed_ = false;
};

/// Throws what OutputFile would throw, so that a long run does not end in that message.
void check_writable(const std::string& what, const std::string& path);

/// Appends a number in nine significant digits, or 17 for a double: enough to read back the very
/// same number, whatever the user's locale.
void append_digits(std::string& text, float number);
void append_digits(std::string& text, double number);

/// A number for people: in at least six significant digits, and in no more of them than it takes to
/// read back the very same number.
std::string few_digits(float number);
std::string few_digits(double number);

}  // namespace workbook
