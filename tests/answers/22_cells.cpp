// The worked answers of 22_cells's exercises.
#include "catch.hpp"
#include "solver.hpp"
