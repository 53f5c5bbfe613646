#include "many.hpp"
#include "common/app/program.hpp"
bool numbers(const workbook::Program&) { return true; }
