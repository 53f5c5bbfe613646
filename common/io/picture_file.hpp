#pragma once

#include <string>
#include <vector>

namespace workbook {

/// A picture in shades of grey, from 0, which is black, to 1, which is white. Row after row, from
/// the top, in one array.
struct GreyPicture {
    int width, height;
    std::vector<double> values;

    double at(int x, int y) const { return values[static_cast<std::size_t>(y * width + x)]; }
};

/// The most pixels that a picture has in a row or in a column.
inline constexpr int largest_picture = 4096;

/// Reads a PNG file. A colour becomes its luminance (Rec. 601), and a transparent picture is laid
/// on white. Throws InputError, naming the flag `what` and the file, for a file that cannot be
/// read, is no PNG, is damaged, or has more than largest_picture pixels in a row or in a column.
/// The browser edition refuses all files.
GreyPicture load_png(const std::string& what, const std::string& path);

}  // namespace workbook
