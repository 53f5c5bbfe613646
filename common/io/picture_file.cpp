#include "common/io/picture_file.hpp"

#include <SFML/Graphics/Image.hpp>
#include <SFML/System/Err.hpp>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <streambuf>
#include <system_error>

#include "common/io/output.hpp"

namespace workbook {
namespace {

/// Keeps SFML from printing its own words about a file.
class SilentSfml {
  public:
    SilentSfml() : messages_(sf::err().rdbuf(nullptr)) {}
    ~SilentSfml() { sf::err().rdbuf(messages_); }
    SilentSfml(const SilentSfml&) = delete;
    SilentSfml& operator=(const SilentSfml&) = delete;

  private:
    std::streambuf* messages_;
};

/// The first bytes of a PNG file: eight that are always the same, then a chunk with the width and
/// the height (PNG specification, sections 5.2 and 11.2.2).
using Head = std::array<unsigned char, 24>;

std::uint32_t number_at(const Head& head, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t k = at; k < at + 4; ++k) {
        number = number << 8 | head[k];
    }
    return number;
}

/// Looks at the beginning of the file, before any memory is taken for its pixels.
void check_head(const std::string& name, const std::string& path) {
    std::error_code ignored;  // a path that leads nowhere cannot be opened below
    if (std::filesystem::exists(path, ignored) &&
        !std::filesystem::is_regular_file(path, ignored)) {
        throw InputError(name + ": is not a file");  // but a folder, or a pipe, which would hang
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw InputError(name + ": cannot be read (" + std::strerror(errno) + ")");
    }
    Head head = {};
    file.read(reinterpret_cast<char*>(head.data()), head.size());
    const std::string signature = "\x89PNG\r\n\x1a\n";
    const std::string found(head.begin(), head.begin() + 8);
    if (file.gcount() == 0) {
        throw InputError(name + ": is empty");
    }
    if (found != signature) {
        throw InputError(name + ": is not a PNG file");
    }
    if (number_at(head, 16) > largest_picture || number_at(head, 20) > largest_picture) {
        throw InputError(name + ": has more than " + std::to_string(largest_picture) +
                         " pixels along a side; make the picture smaller");
    }
}

}  // namespace

GreyPicture load_png(const std::string& what, const std::string& path) {
    const std::string name = what + " " + path;
    check_head(name, path);
    sf::Image image;
    const SilentSfml silent;
    if (!image.loadFromFile(path)) {
        throw InputError(name + ": is a damaged PNG file");
    }
    const auto size = image.getSize();
    GreyPicture picture = {static_cast<int>(size.x), static_cast<int>(size.y), {}};
    const std::size_t pixels = static_cast<std::size_t>(size.x) * size.y;
    picture.values.reserve(pixels);
    for (std::size_t n = 0; n < pixels; ++n) {
        const std::uint8_t* pixel = image.getPixelsPtr() + 4 * n;
        const double luminance = (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255.0;
        const double opacity = pixel[3] / 255.0;
        picture.values.push_back(1.0 + opacity * (luminance - 1.0));
    }
    return picture;
}

}  // namespace workbook
