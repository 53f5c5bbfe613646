#include "smoke.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

constexpr float fastest = 1.5f;  // m/s, of the sphere

float length(Vector a) {
    return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/// Where smoke comes from: a round plate in the floor.
bool is_source(Vector place, float h) {
    const float thick = std::max(0.03f, 1.01f * h);
    return place.y > 1.0f - thick && std::hypot(place.x - 0.5f, place.z - 0.5f) < 0.08f;
}

}  // namespace

float Sphere::distance(Vector place) const {
    return length({place.x - middle.x, place.y - middle.y, place.z - middle.z}) - radius;
}

void Sphere::stay_in_box() {
    for (float* const coordinate : {&middle.x, &middle.y, &middle.z}) {
        *coordinate = std::clamp(*coordinate, radius, 1.0f - radius);
    }
}

Smoke::Smoke(int n) : n_(n) {
    restart();
}

void Smoke::restart() {
    // Hot smoke: it carries the heat that lifts it, with 6 m/s2 where there is 1 of it.
    stable_fluids_scalar smoke;
    stable_fluids_describe_scalar(&smoke);
    smoke.dissipation = 0.15f;
    smoke.faces[STABLE_FLUIDS_TOP] = {STABLE_FLUIDS_FIXED_VALUE, 0.0f};  // air comes in clear
    const stable_fluids_buoyancy buoyancy = {6.0f, 0.0f};

    // Walls, and no lid. (If all sides were open, winds would blow through the box.)
    stable_fluids_description description;
    stable_fluids_describe(&description);
    description.nx = description.ny = description.nz = n_;
    description.h = h();
    description.advection = STABLE_FLUIDS_MACCORMACK;
    description.tolerance = 1e-2f;
    description.scalar_count = 1;
    description.scalars = &smoke;
    description.buoyancy = &buoyancy;
    description.confinement = 3.0f;
    for (stable_fluids_face& face : description.faces) {
        face.flow = STABLE_FLUIDS_FREE_SLIP;
    }
    description.faces[STABLE_FLUIDS_BOTTOM].flow = STABLE_FLUIDS_NO_SLIP;
    description.faces[STABLE_FLUIDS_TOP].flow = STABLE_FLUIDS_OUTFLOW;

    stable_fluids* made = nullptr;
    const stable_fluids_status status = stable_fluids_create(&description, &made);
    fluid_.reset(made);
    check(status);

    smoke_.assign(
        static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_) * static_cast<std::size_t>(n_),
        0.0f);
    std::vector<float> source(smoke_.size());
    std::size_t cell = 0;
    for (int k = 0; k < n_; ++k) {
        for (int j = 0; j < n_; ++j) {
            for (int i = 0; i < n_; ++i) {
                source[cell++] = is_source(centre(i, j, k), h()) ? 12.0f : 0.0f;  // a second
            }
        }
    }
    check(stable_fluids_set(fluid_.get(), STABLE_FLUIDS_SOURCE(0), source.data(), source.size()));
    put_sphere(sphere_, dt);
}

void Smoke::step() {
    wanted.stay_in_box();  // else it would never be reached
    Vector way = {wanted.middle.x - sphere_.middle.x, wanted.middle.y - sphere_.middle.y,
                  wanted.middle.z - sphere_.middle.z};
    const float share = std::min(1.0f, fastest * dt / std::max(length(way), 1e-6f));
    Sphere moved = wanted;
    moved.middle = {sphere_.middle.x + share * way.x, sphere_.middle.y + share * way.y,
                    sphere_.middle.z + share * way.z};
    moved.stay_in_box();
    const bool moves = length(way) > 0.0f || moved.radius != sphere_.radius;
    if (moves || moved_) {  // the last time, it comes to rest
        put_sphere(moved, dt);
    }
    moved_ = moves;
    check(stable_fluids_step(fluid_.get(), dt, 1));
    check(stable_fluids_read(fluid_.get(), STABLE_FLUIDS_SCALAR(0), smoke_.data(), smoke_.size()));
}

Vector Smoke::centre(int i, int j, int k) const {
    return {h() * (static_cast<float>(i) + 0.5f), h() * (static_cast<float>(j) + 0.5f),
            h() * (static_cast<float>(k) + 0.5f)};
}

stable_fluids_statistics Smoke::statistics() const {
    stable_fluids_statistics statistics = {};
    statistics.size = sizeof statistics;
    check(stable_fluids_statistics_of(fluid_.get(), &statistics));
    return statistics;
}

float Smoke::height() const {
    const std::size_t row = static_cast<std::size_t>(n_);
    for (std::size_t j = 0; j < row; ++j) {
        for (std::size_t k = 0; k < row; ++k) {
            const float* const cells = smoke_.data() + (k * row + j) * row;
            if (std::any_of(cells, cells + row, [](float smoke) { return smoke > 0.05f; })) {
                return 1.0f - h() * static_cast<float>(j);
            }
        }
    }
    return 0.0f;
}

float Smoke::most_in_sphere() const {
    float most = 0.0f;
    std::size_t cell = 0;
    for (int k = 0; k < n_; ++k) {
        for (int j = 0; j < n_; ++j) {
            for (int i = 0; i < n_; ++i, ++cell) {
                if (sphere_.distance(centre(i, j, k)) < -h()) {
                    most = std::max(most, std::abs(smoke_[cell]));
                }
            }
        }
    }
    return most;
}

/// Tells the library where the sphere is now, and how fast it has come there from where it was.
void Smoke::put_sphere(Sphere sphere, float seconds) {
    std::vector<float> distances;  // from the sphere, at the corners of the cells
    distances.reserve(static_cast<std::size_t>(n_ + 1) * static_cast<std::size_t>(n_ + 1) *
                      static_cast<std::size_t>(n_ + 1));
    for (int k = 0; k <= n_; ++k) {
        for (int j = 0; j <= n_; ++j) {
            for (int i = 0; i <= n_; ++i) {
                distances.push_back(
                    sphere.distance({h() * static_cast<float>(i), h() * static_cast<float>(j),
                                     h() * static_cast<float>(k)}));
            }
        }
    }
    check(stable_fluids_set_solid(fluid_.get(), distances.data(), distances.size()));
    const Vector from = sphere_.middle, to = sphere.middle;
    set_everywhere(STABLE_FLUIDS_SOLID_U, (to.x - from.x) / seconds);
    set_everywhere(STABLE_FLUIDS_SOLID_V, (to.y - from.y) / seconds);
    set_everywhere(STABLE_FLUIDS_SOLID_W, (to.z - from.z) / seconds);
    sphere_ = sphere;
}

void Smoke::set_everywhere(int field, float value) {
    int shape[3];
    check(stable_fluids_shape(fluid_.get(), field, shape));
    const std::vector<float> values(static_cast<std::size_t>(shape[0]) *
                                        static_cast<std::size_t>(shape[1]) *
                                        static_cast<std::size_t>(shape[2]),
                                    value);
    check(stable_fluids_set(fluid_.get(), field, values.data(), values.size()));
}

void Smoke::check(stable_fluids_status status) const {
    if (status != STABLE_FLUIDS_OK) {
        throw std::runtime_error(stable_fluids_error(fluid_.get()));
    }
}
