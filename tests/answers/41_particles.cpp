// The worked answers of 41_particles' exercises.
#include "catch.hpp"
#include "solver.hpp"
