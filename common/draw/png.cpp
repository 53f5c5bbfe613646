// Writes PNG files without a library: each byte less the one above it, so that plain areas become
// zeros, and what has stood there before as a copy of that, in the fixed Huffman code of RFC 1951.
#include "common/draw/png.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

namespace workbook {
namespace {

/// The bits of a deflate stream, the lowest of each byte first.
class Bits {
  public:
    std::string bytes;

    void add(unsigned bits, int count) {
        held_ |= bits << held_bits_;
        held_bits_ += count;
        while (held_bits_ >= 8) {
            bytes += static_cast<char>(held_ & 255u);
            held_ >>= 8;
            held_bits_ -= 8;
        }
    }

    /// A Huffman code has its highest bit first.
    void add_code(unsigned code, int count) {
        for (int bit = count - 1; bit >= 0; --bit) {
            add(code >> bit & 1u, 1);
        }
    }

    /// A byte, the end (256), or a copy's length (257 to 285), as section 3.2.6 lists them.
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

/// A length or a distance as section 3.2.5 has it: numbers that agree in their highest bits share a
/// code, and the other bits follow it.
struct Coded {
    unsigned code;
    unsigned bits;
    int bit_count;
};

/// `highest` says how many bits are the highest ones.
Coded coded(std::size_t number, int highest) {
    const auto value = static_cast<unsigned>(number);
    const int bit_count = std::max(0, static_cast<int>(std::bit_width(value)) - highest);
    const unsigned shorter = static_cast<unsigned>(bit_count) << (highest - 1);
    return {shorter + (value >> bit_count), value & ((1u << bit_count) - 1u), bit_count};
}

constexpr std::size_t shortest_copy = 4;
constexpr std::size_t longest_copy = 257;  // 258, deflate's longest, has a code of its own
constexpr std::size_t farthest_copy = 32768;

/// Writes `length` bytes as a copy of those that stand `distance` bytes before them.
void add_copy(Bits& bits, std::size_t length, std::size_t distance) {
    const Coded how_long = coded(length - 3, 3);
    bits.add_symbol(257 + how_long.code);
    bits.add(how_long.bits, how_long.bit_count);
    const Coded how_far = coded(distance - 1, 2);
    bits.add_code(how_far.code, 5);
    bits.add(how_far.bits, how_far.bit_count);
}

/// Bytes, and where each four of them have stood last. Of fours that fall on one place of the table
/// it knows the last one.
class Bytes {
  public:
    explicit Bytes(const std::string& raw) : raw_(raw) {}

    /// The place before `at` from which bytes can be copied to it, or `at` if there is none.
    std::size_t source_of(std::size_t at) const {
        if (at + shortest_copy > raw_.size()) {
            return at;
        }
        const std::size_t after = table_[slot_of(at)];
        const bool is_near = after > 0 && at - (after - 1) <= farthest_copy;
        return is_near ? after - 1 : at;
    }

    /// How many bytes from `at` on are those from `source` on.
    std::size_t length_of_copy(std::size_t source, std::size_t at) const {
        const std::size_t most = std::min(longest_copy, raw_.size() - at);
        std::size_t length = 0;
        while (length < most && raw_[source + length] == raw_[at + length]) {
            ++length;
        }
        return length;
    }

    /// Remembers the bytes from `begin` to `end` as sources.
    void remember(std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end && at + shortest_copy <= raw_.size(); ++at) {
            table_[slot_of(at)] = at + 1;
        }
    }

  private:
    std::size_t slot_of(std::size_t at) const {
        std::uint32_t four = 0;
        for (std::size_t k = at; k < at + shortest_copy; ++k) {
            four = four << 8 | static_cast<unsigned char>(raw_[k]);
        }
        return four * 2654435761u >> 17;  // Knuth's multiplicative hashing
    }

    const std::string& raw_;
    std::vector<std::size_t> table_ = std::vector<std::size_t>(1u << 15);  ///< place + 1; 0: none
};

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> shift & 255u);
    }
}

/// The picture's rows as PNG wants them, each byte less that of the row above (filter 2).
std::string filtered(const Picture& picture) {
    const std::vector<std::uint8_t>& rgba = picture.rgba();
    const std::size_t stride = static_cast<std::size_t>(picture.width()) * 4;
    std::string rows;
    for (std::size_t k = 0; k < rgba.size(); ++k) {
        if (k % stride == 0) {
            rows += '\2';
        }
        const int above = k < stride ? 0 : rgba[k - stride];
        rows += static_cast<char>(rgba[k] - above);
    }
    return rows;
}

/// Adler's checksum.
std::uint32_t adler(const std::string& bytes) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const char byte : bytes) {
        a = (a + static_cast<unsigned char>(byte)) % 65521u;
        b = (b + a) % 65521u;
    }
    return b << 16 | a;
}

/// Those bytes as a zlib stream (RFC 1950).
std::string packed(const std::string& raw) {
    Bits bits;
    bits.bytes = "\x78\x01";
    bits.add(3, 3);  // the last block, with the fixed code
    Bytes bytes(raw);
    std::size_t at = 0;
    while (at < raw.size()) {
        const std::size_t source = bytes.source_of(at);
        std::size_t length = source < at ? bytes.length_of_copy(source, at) : 0;
        if (length >= shortest_copy) {
            add_copy(bits, length, at - source);
        } else {
            bits.add_symbol(static_cast<unsigned char>(raw[at]));
            length = 1;
        }
        bytes.remember(at, at + length);
        at += length;
    }
    bits.add_symbol(256);
    bits.finish();
    append_number(bits.bytes, adler(raw));
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
    if (output.path().extension() != ".png") {
        throw output.write_error("its name must end in .png");
    }
    std::string header;
    append_number(header, static_cast<std::uint32_t>(picture.width()));
    append_number(header, static_cast<std::uint32_t>(picture.height()));
    header += std::string("\x08\x06\0\0\0", 5);  // eight bits each of red, green, blue and opacity
    std::string file = "\x89PNG\r\n\x1a\n";
    append_chunk(file, "IHDR", header);
    append_chunk(file, "IDAT", packed(filtered(picture)));
    append_chunk(file, "IEND", "");
    output.write(file);
}

void write_png(const std::string& what, const std::string& path, const Picture& picture) {
    OutputFile output(what, path);
    save_png(output, picture);
    output.commit();
}

}  // namespace workbook
