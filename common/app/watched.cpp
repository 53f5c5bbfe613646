// In a program that `workbook watch` does not run, nothing is taken up and nothing is left behind.
// In those that it runs, watch/watched.cpp takes the place of this file.
#include "common/app/watched.hpp"

namespace workbook {

Watched::Watched(Program& program) : program_(program) {}
void Watched::save_sometimes() {}
void Watched::save() {}

}  // namespace workbook
