#include "common/io/vti.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <locale>
#include <sstream>

namespace workbook {
namespace {

/// The XML that stands before the numbers. VTK's points are the cells' corners: one more a side.
std::string header_of(std::array<int, 3> first, std::array<int, 3> n, double origin, double spacing,
                      const std::vector<VtiField>& fields, std::uint64_t cells) {
    const auto digits = [](double number) {
        std::string text;
        append_digits(text, number);
        return text;
    };
    const std::string corner = digits(origin);
    const std::string width = digits(spacing);
    std::ostringstream text;
    text.imbue(std::locale::classic());
    const char* order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
    std::ostringstream extent;
    extent << first[0] << " " << first[0] + n[0] << " " << first[1] << " " << first[1] + n[1] << " "
           << first[2] << " " << first[2] + n[2];
    text << "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\""
         << order << "\" header_type=\"UInt64\">\n<ImageData WholeExtent=\"" << extent.str()
         << "\" Origin=\"" << corner << " " << corner << " " << corner << "\" Spacing=\"" << width
         << " " << width << " " << width << "\">\n<Piece Extent=\"" << extent.str()
         << "\">\n<CellData>\n";
    std::uint64_t offset = 0;
    for (const VtiField& field : fields) {
        text << "<DataArray type=\"Float32\" Name=\"" << field.name << "\" NumberOfComponents=\""
             << field.components << "\" format=\"appended\" offset=\"" << offset << "\"/>\n";
        offset += sizeof(std::uint64_t) +
                  cells * static_cast<std::uint64_t>(field.components) * sizeof(float);
    }
    text << "</CellData>\n</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n_";
    return text.str();
}

}  // namespace

void save_vti(const OutputFile& output, std::array<int, 3> n, double origin, double spacing,
              const std::vector<VtiField>& fields, std::array<int, 3> first) {
    const std::uint64_t cells = static_cast<std::uint64_t>(n[0]) *
                                static_cast<std::uint64_t>(n[1]) * static_cast<std::uint64_t>(n[2]);
    std::ofstream file = output.open();
    file << header_of(first, n, origin, spacing, fields, cells);
    std::vector<float> layer;
    for (const VtiField& field : fields) {
        const std::uint64_t bytes =
            cells * static_cast<std::uint64_t>(field.components) * sizeof(float);
        file.write(reinterpret_cast<const char*>(&bytes), sizeof bytes);
        for (int k = 0; k < n[2]; ++k) {
            layer.clear();
            for (int j = 0; j < n[1]; ++j) {
                for (int i = 0; i < n[0]; ++i) {
                    for (int component = 0; component < field.components; ++component) {
                        layer.push_back(field.value(component, i, j, k));
                        if (!std::isfinite(layer.back())) {
                            throw output.write_error(
                                field.name +
                                " holds a number that is not finite: the run has "
                                "blown up");
                        }
                    }
                }
            }
            file.write(reinterpret_cast<const char*>(layer.data()),
                       static_cast<std::streamsize>(layer.size() * sizeof(float)));
        }
    }
    file << "\n</AppendedData>\n</VTKFile>\n";
    output.close(file);
}

}  // namespace workbook
