#pragma once

#include <cmath>

/// The larger of two numbers, or NaN if one is: std::max would pass over it.
inline double larger(double a, double b) {
    return std::isnan(a) || a > b ? a : b;
}
