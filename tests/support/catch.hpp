// The two Catch2s under one roof.
#pragma once

#include <cmath>
#include <sstream>
#include <string>

namespace Catch::Detail {
// Catch2 prints ten digits after the point, so 1.8e-15 as 0.0, which looks like what a test may
// expect. It must know these before its own functions, which print everything else.
std::string stringify(float number);
std::string stringify(double number);
}  // namespace Catch::Detail

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

using Catch::Matchers::WithinAbs;

/// A number as it is printed where a test fails. A small one is not rounded to 0.
template <class Number>
std::string printed(Number number) {
    const bool is_small = number != Number(0) && std::abs(number) < Number(1e-4);
    if (!is_small) {
        return Catch::StringMaker<Number>::convert(number);
    }
    std::ostringstream words;
    words << number;
    return words.str();
}

inline std::string Catch::Detail::stringify(float number) {
    return printed(number);
}

inline std::string Catch::Detail::stringify(double number) {
    return printed(number);
}
