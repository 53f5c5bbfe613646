#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "solver.hpp"
bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("x");
    return numbers.print();
}
