// Hot smoke that rises in a box, past a sphere that can be moved: all that this example asks of the
// library is here and in smoke.cpp. Neither knows of a window.
#pragma once

#include <stable_fluids.h>

#include <memory>
#include <vector>

/// A place in the box or a direction, in metres: x to the right, y down, z away from the viewer.
/// The box is 1 m wide, so that places are shares of its sides as well.
struct Vector {
    float x = 0.0f, y = 0.0f, z = 0.0f;
};

/// A solid sphere.
struct Sphere {
    Vector middle = {0.48f, 0.50f, 0.52f};
    float radius = 0.13f;

    /// How far a place is from its surface, in metres; below 0 it is inside.
    float distance(Vector place) const;

    /// Moves it so that all of it is in the box.
    void stay_in_box();
};

/// A box of n x n x n cells with smoke. Whatever fails in it throws std::runtime_error with the
/// library's own line of text.
class Smoke {
  public:
    static constexpr float dt = 1.0f / 60.0f;  ///< s: how long a step is

    explicit Smoke(int n);

    /// Makes one step. Meanwhile the sphere moves towards `wanted`, but not so fast that it would
    /// jump over cells.
    void step();

    /// Begins anew, with the sphere where it is.
    void restart();

    int n() const { return n_; }
    float h() const { return 1.0f / static_cast<float>(n_); }  ///< a cell's width in metres
    const Sphere& sphere() const { return sphere_; }
    const std::vector<float>& smoke() const { return smoke_; }  ///< in each cell, i fastest
    Vector centre(int i, int j, int k) const;  ///< of a cell
    stable_fluids_statistics statistics() const;

    /// How far above the floor there is smoke, in metres.
    float height() const;

    /// The most smoke in any cell that lies in the sphere as a whole.
    float most_in_sphere() const;

    Sphere wanted;

  private:
    void put_sphere(Sphere sphere, float seconds);
    void set_everywhere(int field, float value);
    void check(stable_fluids_status status) const;

    struct Destroy {
        void operator()(stable_fluids* fluid) const { stable_fluids_destroy(fluid); }
    };

    int n_;
    Sphere sphere_;
    bool moved_ = false;  ///< in the last step
    std::unique_ptr<stable_fluids, Destroy> fluid_;
    std::vector<float> smoke_;
};
