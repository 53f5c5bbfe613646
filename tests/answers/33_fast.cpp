// The worked answers of 33_fast's exercises.
#include "catch.hpp"
#include "solver.hpp"
