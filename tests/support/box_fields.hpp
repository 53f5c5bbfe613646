// Fields of a box for tests of the solvers, from 51_relax on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bumpy.hpp"
#include "solver.hpp"

/// In a namespace of their own: other tests of one program have functions of these names.
namespace box_fields {

struct Size {
    int nx, ny, nz;
};

inline std::string name_of(const Size& size) {
    return std::to_string(size.nx) + " x " + std::to_string(size.ny) + " x " +
           std::to_string(size.nz);
}

inline Field zeros(const Size& size) {
    return Field(size.nx, size.ny, size.nz, {0.5, 0.5, 0.5});
}

/// The matrix of a closed box.
inline Matrix matrix_of_box(const Size& size) {
    return pressure_matrix(Fluid(size.nx, size.ny, size.nz));
}

/// Numbers without any pattern or symmetry, from -1 to 1, the same on every machine.
inline Field bumpy(const Size& size, std::uint32_t seed) {
    Field field = zeros(size);
    make_bumpy(field, seed);
    return field;
}

/// The same with the mean 0: a right-hand side that has a solution.
inline Field compatible(const Size& size, std::uint32_t seed) {
    Field rhs = bumpy(size, seed);
    subtract_mean(rhs);
    return rhs;
}

/// Sets each cell to what value(i, j, k) says.
template <class Value>
void fill(Field& field, Value value) {
    for (int k = 0; k < field.nz; ++k) {
        for (int j = 0; j < field.ny; ++j) {
            for (int i = 0; i < field.nx; ++i) {
                field(i, j, k) = value(i, j, k);
            }
        }
    }
}

}  // namespace box_fields
