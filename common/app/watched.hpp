// What `workbook watch` needs of a program that it runs. Each time the reader's file is saved,
// another program takes the place of the one that runs, and goes on where that one is.
#pragma once

#include <string>
#include <vector>

namespace workbook {

struct Program;

/// The folder through which the programs that `workbook watch` runs one after the other are
/// connected; "" if this is none of them.
std::string watched_folder();

/// Tells `workbook watch` something, in one line. The solver may print what it wants: such a line
/// begins with a character that nobody prints.
void tell_watch(const std::string& line);

/// Takes up the fluid, the panel and the look of the program that ran before, and leaves its own
/// for the one that comes. It does nothing in a program that `workbook watch` does not run.
class Watched {
  public:
    explicit Watched(Program& program);

    /// Saves now and then, since the reader's solver may crash at any time. To be called between
    /// steps.
    void save_sometimes();

    /// Saves what the next program goes on with.
    void save();

  private:
    void take_up_panel();
    void take_up_fluid();
    void save_panel() const;
    void save_fluid();

    Program& program_;
    std::string folder_;
    std::vector<double> begun_;  ///< the parameters, as this solver begins with them
    double begun_dt_ = 0.0;
    bool saves_first_ = true;  ///< of two folders for the fluid, the one that is written next
    double saved_at_ = 0.0, save_took_ = 0.0;  ///< in seconds
};

}  // namespace workbook
