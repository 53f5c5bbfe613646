#include "common/draw/light.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "common/draw/colour.hpp"

namespace workbook {
namespace {

Rectangle overlap(const Picture& picture, Rectangle area) {
    const int x0 = std::clamp(area.x, 0, picture.width());
    const int y0 = std::clamp(area.y, 0, picture.height());
    const int x1 = std::clamp(area.x + area.width, x0, picture.width());
    const int y1 = std::clamp(area.y + area.height, y0, picture.height());
    return {x0, y0, x1 - x0, y1 - y0};
}

/// The screen's byte for an amount of light on a film, from a table: to compute it for each pixel
/// is slow.
std::uint8_t film_byte(float light) {
    constexpr int per_unit = 8192;
    constexpr float brightest = 8.0f;  // 1 - e^-8 and all beyond are the byte 255
    static const std::vector<std::uint8_t> table = [] {
        std::vector<std::uint8_t> bytes;
        for (int n = 0; n <= per_unit * static_cast<int>(brightest); ++n) {
            bytes.push_back(to_screen(on_film((static_cast<float>(n) + 0.5f) / per_unit)));
        }
        return bytes;
    }();
    return table[static_cast<std::size_t>(std::clamp(light, 0.0f, brightest) * per_unit)];
}

/// What is brighter than a screen, in squares of pixels.
class Excess {
  public:
    Excess(int columns, int rows)
        : columns_(columns), rows_(rows),
          light_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

    Rgb& at(int column, int row) {
        return light_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                      static_cast<std::size_t>(column)];
    }

    /// Blurs it along both axes, one after the other, by a bell-shaped curve with that standard
    /// deviation.
    void blur(float deviation) {
        const int reach = static_cast<int>(std::ceil(3.0f * deviation));
        std::vector<float> weights;
        float sum = 0.0f;
        for (int n = -reach; n <= reach; ++n) {
            const float away = static_cast<float>(n) / deviation;
            weights.push_back(std::exp(-0.5f * away * away));
            sum += weights.back();
        }
        for (float& weight : weights) {
            weight /= sum;
        }
        for (int row = 0; row < rows_; ++row) {
            blur_line(&at(0, row), columns_, 1, weights);
        }
        for (int column = 0; column < columns_; ++column) {
            blur_line(&at(column, 0), rows_, columns_, weights);
        }
    }

    /// The light at a place between the squares' middles, interpolated. Beyond the outermost it
    /// stays the same.
    Rgb between(float x, float y) {
        const float right = std::clamp(x - 0.5f, 0.0f, static_cast<float>(columns_ - 1));
        const float down = std::clamp(y - 0.5f, 0.0f, static_cast<float>(rows_ - 1));
        const int column = static_cast<int>(right), row = static_cast<int>(down);
        const int next = std::min(column + 1, columns_ - 1), below = std::min(row + 1, rows_ - 1);
        const float across = right - static_cast<float>(column);
        const float share = down - static_cast<float>(row);
        const auto mix = [](Rgb a, Rgb b, float t) {
            return Rgb{a.red + t * (b.red - a.red), a.green + t * (b.green - a.green),
                       a.blue + t * (b.blue - a.blue)};
        };
        return mix(mix(at(column, row), at(next, row), across),
                   mix(at(column, below), at(next, below), across), share);
    }

  private:
    void blur_line(Rgb* line, int count, int apart, const std::vector<float>& weights) {
        const int reach = static_cast<int>(weights.size()) / 2;
        blurred_.assign(static_cast<std::size_t>(count), Rgb{});
        for (int n = 0; n < count; ++n) {
            const Rgb light = line[n * apart];
            if (light.red + light.green + light.blue == 0.0f) {
                continue;
            }
            const int last = std::min(n + reach, count - 1);
            for (int to = std::max(n - reach, 0); to <= last; ++to) {
                const float weight = weights[static_cast<std::size_t>(to - n + reach)];
                Rgb& sum = blurred_[static_cast<std::size_t>(to)];
                sum.red += weight * light.red;
                sum.green += weight * light.green;
                sum.blue += weight * light.blue;
            }
        }
        for (int n = 0; n < count; ++n) {
            line[n * apart] = blurred_[static_cast<std::size_t>(n)];
        }
    }

    int columns_, rows_;
    std::vector<Rgb> light_, blurred_;
};

}  // namespace

Rgb linear_light(Colour colour) {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> light{};
        for (std::size_t byte = 0; byte < light.size(); ++byte) {
            const double c = static_cast<double>(byte) / 255.0;
            light[byte] =
                static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
        }
        return light;
    }();
    return {table[colour.red], table[colour.green], table[colour.blue]};
}

Rgb on_layers(Rgb light) {
    constexpr float overlap = 0.018f;
    const float all = overlap * (light.red + light.green + light.blue);
    constexpr float own = 1.0f - 3.0f * overlap;
    return {own * light.red + all, own * light.green + all, own * light.blue + all};
}

float on_film(float light) {
    return -std::expm1(-light);
}

LightPicture::LightPicture(const Picture& picture, Rectangle area) : area_(overlap(picture, area)) {
    light_.reserve(static_cast<std::size_t>(area_.width) * static_cast<std::size_t>(area_.height));
    for (int y = area_.y; y < area_.y + area_.height; ++y) {
        const std::uint8_t* const row = picture.row(y);
        for (int x = area_.x; x < area_.x + area_.width; ++x) {
            const std::uint8_t* const pixel = row + 4 * x;
            light_.push_back(linear_light({pixel[0], pixel[1], pixel[2]}));
        }
    }
}

void LightPicture::spread(float share, float width, parallel::ThreadPool& pool) {
    const int side = std::max(1, static_cast<int>(width / 3.0f));
    const int columns = (area_.width + side - 1) / side, rows = (area_.height + side - 1) / side;
    if (columns == 0 || rows == 0) {
        return;
    }
    const auto size = static_cast<float>(side);
    Excess excess(columns, rows);
    const auto take = [area = 1.0f / (size * size)](float& light, float& sum, float part) {
        sum += area * part * light;
        light -= part * light;
    };
    parallel::parallel_for(pool, rows, pool.threads(), [&](int begin, int end) {
        for (int y = begin * side; y < std::min(end * side, area_.height); ++y) {
            for (int x = 0; x < area_.width; ++x) {
                Rgb& light = at(area_.x + x, area_.y + y);
                const float brightest = std::max({light.red, light.green, light.blue});
                if (brightest > 1.0f) {
                    const float part = share * (1.0f - 1.0f / brightest);
                    Rgb& sum = excess.at(x / side, y / side);
                    take(light.red, sum.red, part);
                    take(light.green, sum.green, part);
                    take(light.blue, sum.blue, part);
                }
            }
        }
    });
    excess.blur(width / size);
    parallel::parallel_for(pool, area_.height, pool.threads(), [&](int begin, int end) {
        for (int y = begin; y < end; ++y) {
            for (int x = 0; x < area_.width; ++x) {
                const Rgb glow = excess.between((static_cast<float>(x) + 0.5f) / size,
                                                (static_cast<float>(y) + 0.5f) / size);
                Rgb& light = at(area_.x + x, area_.y + y);
                light = {light.red + glow.red, light.green + glow.green, light.blue + glow.blue};
            }
        }
    });
}

void LightPicture::develop(Picture& picture, parallel::ThreadPool& pool) const {
    parallel::parallel_for(pool, area_.height, pool.threads(), [&](int begin, int end) {
        for (int y = area_.y + begin; y < area_.y + end; ++y) {
            std::uint8_t* pixel = picture.row(y) + 4 * area_.x;
            for (int x = area_.x; x < area_.x + area_.width; ++x, pixel += 4) {
                const Rgb light = on_layers(at(x, y));
                pixel[0] = film_byte(light.red);
                pixel[1] = film_byte(light.green);
                pixel[2] = film_byte(light.blue);
            }
        }
    });
}

}  // namespace workbook
