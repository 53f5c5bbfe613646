// Pages have no reader of pictures, which would make each of them larger.
#include "common/io/picture_file.hpp"

#include "common/io/output.hpp"

namespace workbook {

GreyPicture load_png(const std::string& what, const std::string& path) {
    throw InputError(what + " " + path + ": the browser edition reads no pictures");
}

}  // namespace workbook
