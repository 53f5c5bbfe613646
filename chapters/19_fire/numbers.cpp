#include "common/app/numbers.hpp"
#include "common/app/program.hpp"
#include "solver.hpp"
bool numbers(const workbook::Program&) {
    workbook::Numbers numbers("19_fire: known figures beside ours");
    return numbers.print();
}
