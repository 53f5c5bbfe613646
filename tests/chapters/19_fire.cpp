#include "catch.hpp"
#include "solver.hpp"
