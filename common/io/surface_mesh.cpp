#include "common/io/surface_mesh.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace workbook {
namespace {

using Corner = std::array<int, 3>;

/// phi with one more point on each side, which lies outside: the surface ends half way to it.
class Padded {
  public:
    Padded(int nx, int ny, int nz, const std::vector<float>& phi) : size_{nx, ny, nz}, phi_(phi) {}

    /// The number of a point, counted from -1 on along each axis.
    std::size_t index(Corner at) const {
        return static_cast<std::size_t>(at[0] + 1) +
               static_cast<std::size_t>(size_[0] + 2) *
                   (static_cast<std::size_t>(at[1] + 1) +
                    static_cast<std::size_t>(size_[1] + 2) * static_cast<std::size_t>(at[2] + 1));
    }
    std::size_t count() const { return index({size_[0], size_[1], size_[2]}) + 1; }

    float operator()(Corner at) const {
        Corner nearest = at;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            nearest[axis] = std::min(std::max(at[axis], 0), size_[axis] - 1);
        }
        const float phi =
            phi_[static_cast<std::size_t>(nearest[0]) +
                 static_cast<std::size_t>(size_[0]) *
                     (static_cast<std::size_t>(nearest[1]) +
                      static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(nearest[2]))];
        return nearest == at || phi > 0.0f ? phi : -phi;
    }

  private:
    Corner size_;
    const std::vector<float>& phi_;
};

/// Returns the mean of the crossings on the edges between eight points, the first of which is `at`;
/// nothing if there is none.
std::optional<std::array<float, 3>> find_place(const Padded& phi, Corner at) {
    std::array<float, 3> sum = {};
    float count = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
        const Corner a = {at[0] + (corner & 1), at[1] + (corner >> 1 & 1), at[2] + (corner >> 2)};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Corner b = a;
            ++b[axis];
            const bool is_edge = b[axis] == at[axis] + 1;
            if (is_edge && (phi(a) < 0.0f) != (phi(b) < 0.0f)) {
                for (std::size_t n = 0; n < 3; ++n) {
                    sum[n] += static_cast<float>(a[n]) + 0.5f;
                }
                sum[axis] += phi(a) / (phi(a) - phi(b));
                count += 1.0f;
            }
        }
    }
    if (count == 0.0f) {
        return std::nullopt;
    }
    return std::array<float, 3>{sum[0] / count, sum[1] / count, sum[2] / count};
}

/// Adds the face around the edge from point `a` on along an axis, if the surface crosses it.
void add_face(const Padded& phi, Corner a, std::size_t axis,
              const std::vector<std::uint32_t>& numbers, SurfaceMesh& mesh) {
    Corner b = a;
    ++b[axis];
    if ((phi(a) < 0.0f) == (phi(b) < 0.0f)) {
        return;
    }
    const std::size_t first = (axis + 1) % 3, second = (axis + 2) % 3;
    std::array<std::uint32_t, 4> face = {};
    const int steps[4][2] = {{-1, -1}, {0, -1}, {0, 0}, {-1, 0}};
    for (std::size_t n = 0; n < 4; ++n) {
        Corner cube = a;
        cube[first] += steps[n][0];
        cube[second] += steps[n][1];
        face[n] = numbers[phi.index(cube)];
    }
    if (phi(a) >= 0.0f) {
        std::swap(face[1], face[3]);
    }
    mesh.faces.push_back(face);
}

bool is_ply(const std::filesystem::path& path) {
    return path.extension() == ".ply";
}

std::string as_obj(const std::vector<std::array<float, 3>>& places, const SurfaceMesh& mesh) {
    std::string text = "# a surface; y goes up\n";
    for (const auto& place : places) {
        text += "v";
        for (const float coordinate : place) {
            text += " ";
            append_digits(text, coordinate);
        }
        text += "\n";
    }
    for (const auto& face : mesh.faces) {
        text += "f";
        for (const std::uint32_t corner : face) {
            text += " " + std::to_string(corner + 1);  // OBJ counts from 1
        }
        text += "\n";
    }
    return text;
}

std::string as_ply(const std::vector<std::array<float, 3>>& places, const SurfaceMesh& mesh) {
    const bool little = std::endian::native == std::endian::little;
    std::string bytes =
        std::string("ply\nformat ") + (little ? "binary_little_endian" : "binary_big_endian") +
        " 1.0\ncomment a surface; z goes up\nelement vertex " + std::to_string(places.size()) +
        "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
        std::to_string(mesh.faces.size()) +
        "\nproperty list uchar uint vertex_indices\nend_header\n";
    const auto append = [&bytes](const auto& numbers) {
        bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
    };
    for (const auto& place : places) {
        append(place);
    }
    for (const auto& face : mesh.faces) {
        bytes += static_cast<char>(4);
        append(face);
    }
    return bytes;
}

}  // namespace

SurfaceMesh surface_net(int nx, int ny, int nz, const std::vector<float>& phi) {
    if (nx < 1 || ny < 1 || nz < 1 ||
        phi.size() != static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) *
                          static_cast<std::size_t>(nz)) {
        throw std::invalid_argument("a surface needs one number for each point");
    }
    const Padded padded(nx, ny, nz, phi);
    SurfaceMesh mesh;
    std::vector<std::uint32_t> numbers(padded.count());
    for (int k = -1; k < nz; ++k) {
        for (int j = -1; j < ny; ++j) {
            for (int i = -1; i < nx; ++i) {
                const auto place = find_place(padded, {i, j, k});
                if (place) {
                    numbers[padded.index({i, j, k})] =
                        static_cast<std::uint32_t>(mesh.places.size());
                    mesh.places.push_back(*place);
                }
            }
        }
    }
    for (int k = -1; k < nz; ++k) {
        for (int j = -1; j < ny; ++j) {
            for (int i = -1; i < nx; ++i) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    add_face(padded, {i, j, k}, axis, numbers, mesh);
                }
            }
        }
    }
    return mesh;
}

void check_mesh_ending(const std::string& what, const std::string& path) {
    const std::filesystem::path ending = std::filesystem::path(path).extension();
    if (ending != ".obj" && ending != ".ply") {
        throw InputError(what + " " + path + ": the file's name must end in .obj or .ply");
    }
}

void save_mesh(const OutputFile& output, const SurfaceMesh& mesh, float height, float scale) {
    std::vector<std::array<float, 3>> places = mesh.places;
    const bool ply = is_ply(output.path());
    for (auto& [x, y, z] : places) {
        x *= scale;
        const float up = scale * (height - y), away = scale * z;
        y = ply ? away : up;
        z = ply ? up : -away;
    }
    output.write(ply ? as_ply(places, mesh) : as_obj(places, mesh));
}

}  // namespace workbook
