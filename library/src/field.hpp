// A field of a fluid: memory of a backend, and where its places lie there.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>

#include "library/src/backend.hpp"

namespace box {

/// How the places of a field lie in memory. All fields of a fluid lie alike, so that they can
/// change places: there is room for the faces, and for a ghost on each side.
struct Layout {
    int row = 0, layer = 0;
    std::size_t size = 0;  ///< floats in all
    std::size_t origin = 0;  ///< where place (0, 0, 0) is

    Layout() = default;
    /// For places 0 to nx - 1 and so on. All of them must be countable in int.
    Layout(int nx, int ny, int nz, bool deep);
};

/// Memory of a backend, with an owner, as places of a box.
class Field {
  public:
    Field() = default;
    Field(Backend& where, const Layout& layout);
    ~Field();
    Field(Field&& other) noexcept { swap(other); }
    Field& operator=(Field&& other) noexcept {
        swap(other);
        return *this;
    }
    void swap(Field& other) noexcept {
        std::swap(backend, other.backend);
        std::swap(memory, other.memory);
        std::swap(places, other.places);
    }

    explicit operator bool() const { return memory != nullptr; }
    const Array& array() const { return places; }
    float* data() const { return memory; }  ///< the whole memory, ghosts included

  private:
    friend class Lent;
    Backend* backend = nullptr;
    float* memory = nullptr;
    Array places;
    bool lent = false;  ///< whether somebody has borrowed it; this does not change places
};

/// The use of a field that is free for all, such as Solver::next, until the end of a block. A debug
/// build asserts that nobody else has it.
class Lent {
  public:
    explicit Lent(Field& field) : lender(field) {
        assert(!field.lent);
        field.lent = true;
    }
    ~Lent() { lender.lent = false; }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

    const Array& array() const { return lender.array(); }
    float* data() const { return lender.data(); }

  private:
    Field& lender;
};

}  // namespace box
