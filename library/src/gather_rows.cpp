// The loops that correct what was carried, for processors that can read a register full of floats
// from as many places at once. This file is compiled several times, under the name ROWS_NAME:
// nothing in it, or in its parts, may be seen from outside but that table.
#include "library/src/carry_rows.hpp"
#include "library/src/rows.hpp"

namespace box {

const Gathers ROWS_NAME = {carry_any<Correct>};

}  // namespace box
