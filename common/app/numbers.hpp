#pragma once

#include <optional>
#include <string>
#include <vector>

namespace workbook {

/// The table behind `--numbers`: what the source texts print beside what the chapter computes.
class Numbers {
  public:
    explicit Numbers(std::string title) : title_(std::move(title)) {}

    /// A setting that a text states and the chapter takes over.
    void setting(const std::string& what, double stated, double ours, const std::string& where);

    /// A result that a text prints. `where` names the text and its section.
    void printed(const std::string& what, double printed, double ours, const std::string& where);

    /// A result that no text prints, beside a value found another way (`how`: by hand, in double
    /// precision...). They may differ by `tolerance`.
    void checked(const std::string& what, double expected, double ours, double tolerance,
                 const std::string& how);

    /// The same for several numbers at once: a row of a matrix, an array. Both must be as long.
    void printed(const std::string& what, const std::vector<double>& printed,
                 const std::vector<double>& ours, const std::string& where);
    void checked(const std::string& what, const std::vector<double>& expected,
                 const std::vector<double>& ours, double tolerance, const std::string& how);

    /// Prints the table. True if every row agrees: settings and printed results to float's
    /// rounding, the others within their tolerance.
    bool print() const;

  private:
    struct Row {
        char kind;
        std::string what;
        std::vector<double> expected, ours;
        double tolerance;
        std::string where;
    };
    std::string title_;
    std::vector<Row> rows_;
};

}  // namespace workbook
