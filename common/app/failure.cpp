#include "common/app/failure.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>

#include "common/io/output.hpp"

namespace workbook {
namespace {

constexpr int exit_bad_input = 2;
constexpr int exit_no_display = 3;
constexpr int exit_failure = 4;

int tell(const std::string& program, std::string words, int status) {
    std::replace(words.begin(), words.end(), '\n', ' ');
    std::cerr << program << ": " << words << "\n";
    return status;
}

}  // namespace

int tell_failure(const std::string& program) {
    try {
        throw;
    } catch (const InputError& error) {
        return tell(program, error.what(), exit_bad_input);
    } catch (const NoDisplay&) {
        return tell(program,
                    "no display to open a window on; --headless --png FILE draws without one",
                    exit_no_display);
    } catch (const std::bad_alloc&) {
        return tell(program, "not enough memory; choose a smaller --n", exit_bad_input);
    } catch (const std::filesystem::filesystem_error& error) {
        return tell(program, error.what(), exit_bad_input);
    } catch (const std::exception& error) {
        return tell(program, error.what(), exit_failure);
    } catch (...) {
        return tell(program, "ended by an exception of an unknown kind", exit_failure);
    }
}

}  // namespace workbook
