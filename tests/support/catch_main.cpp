// Catch2's main, compiled once for all tests, where Catch2 does not bring one in a library.
#ifndef WORKBOOK_CATCH2_HAS_MAIN
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
