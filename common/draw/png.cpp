#include "common/draw/png.hpp"

#include <array>
#include <fstream>
#include <string>

#include "common/app/sfml.hpp"

namespace workbook {
namespace {

/// A whole PNG file closes with a chunk of this name. SFML does not tell when the disk is full.
bool ends_like_a_png(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, 8> end{};
    file.seekg(-8, std::ios::end);
    file.read(end.data(), end.size());
    return file && std::string(end.data(), 4) == "IEND";
}

}  // namespace

void save_png(const OutputFile& output, const Picture& picture) {
    if (output.path().extension() != ".png") {  // SFML would write another format, or none
        throw output.write_error("its name must end in .png");
    }
    std::streambuf* const messages = sf::err().rdbuf(nullptr);  // ours says it in one line
    const bool saved = sfml::image_of(picture).saveToFile(output.temporary().string());
    sf::err().rdbuf(messages);
    if (!saved || !ends_like_a_png(output.temporary())) {
        throw output.write_error("is the disk full?");
    }
}

void write_png(const std::string& what, const std::string& path, const Picture& picture) {
    OutputFile output(what, path);
    save_png(output, picture);
    output.commit();
}

}  // namespace workbook
