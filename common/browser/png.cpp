// Writes PNG files without a library: each byte less the one of the pixel before it, so that plain
// areas become zeros, and runs of one byte as runs, in the fixed Huffman code of RFC 1951.
#include "common/draw/png.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

namespace workbook {
namespace {

/// The bits of a deflate stream, the lowest of each byte first.
class Bits {
  public:
    std::string bytes;

    void add(unsigned bits, int count) {
        held_ |= bits << held_bits_;
        held_bits_ += count;
        for (; held_bits_ >= 8; held_bits_ -= 8) {
            bytes += static_cast<char>(held_ & 255u);
            held_ >>= 8;
        }
    }

    /// A Huffman code has its highest bit first.
    void add_code(unsigned code, int count) {
        for (int bit = count - 1; bit >= 0; --bit) {
            add(code >> bit & 1u, 1);
        }
    }

    /// A byte, or the length of a run (257 to 285), as section 3.2.6 lists them.
    void add_symbol(unsigned symbol) {
        if (symbol < 144) {
            add_code(48 + symbol, 8);
        } else if (symbol < 256) {
            add_code(400 + symbol - 144, 9);
        } else if (symbol < 280) {
            add_code(symbol - 256, 7);
        } else {
            add_code(192 + symbol - 280, 8);
        }
    }

    void finish() { add(0, (8 - held_bits_) % 8); }

  private:
    unsigned held_ = 0;
    int held_bits_ = 0;
};

/// Deflate's longest run.
constexpr std::size_t longest_run = 258;

/// Writes a run as its first byte, and as copies of the byte before it: 258 at a time, then 10 or
/// fewer, whose lengths need no further bits.
void add_run(Bits& bits, unsigned char byte, std::size_t length) {
    bits.add_symbol(byte);
    for (--length; length >= 3;) {
        const std::size_t part =
            length >= longest_run ? longest_run : std::min<std::size_t>(length, 10);
        bits.add_symbol(part == longest_run ? 285u : static_cast<unsigned>(254 + part));
        bits.add_code(0, 5);  // from one byte back
        length -= part;
    }
    for (; length > 0; --length) {
        bits.add_symbol(byte);
    }
}

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift & 255u);
    }
}

/// The picture's rows as PNG wants them, each byte less that of the pixel before it (filter 1).
std::string filtered(const Picture& picture) {
    const std::size_t stride = static_cast<std::size_t>(picture.width()) * 4;
    std::string rows;
    for (std::size_t begin = 0; begin < picture.rgba().size(); begin += stride) {
        rows += '\1';
        for (std::size_t k = 0; k < stride; ++k) {
            const int before = k < 4 ? 0 : picture.rgba()[begin + k - 4];
            rows += static_cast<char>(picture.rgba()[begin + k] - before);
        }
    }
    return rows;
}

/// Those bytes as a zlib stream (RFC 1950).
std::string packed(const std::string& raw) {
    Bits bits;
    bits.bytes = "\x78\x01";
    bits.add(3, 3);  // the last block, with the fixed code
    for (std::size_t at = 0; at < raw.size();) {
        std::size_t end = at + 1;
        while (end < raw.size() && raw[end] == raw[at]) {
            ++end;
        }
        add_run(bits, static_cast<unsigned char>(raw[at]), end - at);
        at = end;
    }
    bits.add_symbol(256);
    bits.finish();
    std::uint32_t a = 1, b = 0;  // Adler's checksum
    for (const char byte : raw) {
        a = (a + static_cast<unsigned char>(byte)) % 65521u;
        b = (b + a) % 65521u;
    }
    append_number(bits.bytes, b << 16 | a);
    return bits.bytes;
}

std::uint32_t crc(const std::string& bytes) {
    std::uint32_t rest = 0xffffffffu;
    for (const char byte : bytes) {
        rest ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest >> 1) ^ (rest & 1u ? 0xedb88320u : 0u);
        }
    }
    return ~rest;
}

void append_chunk(std::string& file, const std::string& kind, const std::string& data) {
    append_number(file, static_cast<std::uint32_t>(data.size()));
    file += kind + data;
    append_number(file, crc(kind + data));
}

}  // namespace

void save_png(const OutputFile& output, const Picture& picture) {
    std::string header;
    append_number(header, static_cast<std::uint32_t>(picture.width()));
    append_number(header, static_cast<std::uint32_t>(picture.height()));
    header += std::string("\x08\x06\0\0\0", 5);  // eight bits each of red, green, blue and opacity
    std::string file = "\x89PNG\r\n\x1a\n";
    append_chunk(file, "IHDR", header);
    append_chunk(file, "IDAT", packed(filtered(picture)));
    append_chunk(file, "IEND", "");
    std::ofstream stream(output.temporary(), std::ios::binary);
    stream.write(file.data(), static_cast<std::streamsize>(file.size()));
    stream.close();
    if (!stream) {
        throw output.write_error("is the disk full?");
    }
}

void write_png(const std::string& what, const std::string& path, const Picture& picture) {
    OutputFile output(what, path);
    save_png(output, picture);
    output.commit();
}

}  // namespace workbook
