#include "common/draw/black_body.hpp"

#include <algorithm>
#include <cmath>

namespace workbook {
namespace {

/// A bell-shaped curve that is 1 at `middle`. `left` and `right` are the standard deviations of its
/// two halves.
double lobe(double wavelength, double middle, double left, double right) {
    const double away = (wavelength - middle) / (wavelength < middle ? left : right);
    return std::exp(-0.5 * away * away);
}

}  // namespace

Light3 matching_functions(double wavelength) {
    return {
        1.056 * lobe(wavelength, 599.8, 37.9, 31.0) + 0.362 * lobe(wavelength, 442.0, 16.0, 26.7) -
            0.065 * lobe(wavelength, 501.1, 20.4, 26.2),
        0.821 * lobe(wavelength, 568.8, 46.9, 40.5) + 0.286 * lobe(wavelength, 530.9, 16.3, 31.1),
        1.217 * lobe(wavelength, 437.0, 11.8, 36.0) + 0.681 * lobe(wavelength, 459.0, 26.0, 13.8)};
}

double planck(double wavelength, double kelvin) {
    const double h = 6.62607015e-34, c = 299792458.0, k = 1.380649e-23;
    const double metres = 1e-9 * wavelength;
    if (!(kelvin > 0.0)) {
        return 0.0;
    }
    return 2.0 * h * c * c / (std::pow(metres, 5.0) * std::expm1(h * c / (metres * k * kelvin)));
}

Light3 black_body(double kelvin) {
    Light3 found = {};
    for (int wavelength = 360; wavelength <= 830; ++wavelength) {
        const Light3 eye = matching_functions(wavelength);
        for (int part = 0; part < 3; ++part) {
            found[part] += 1e-9 * eye[part] * planck(wavelength, kelvin);
        }
    }
    return found;
}

std::array<double, 2> chromaticity(const Light3& xyz) {
    const double sum = xyz[0] + xyz[1] + xyz[2];
    return sum > 0.0 ? std::array<double, 2>{xyz[0] / sum, xyz[1] / sum}
                     : std::array<double, 2>{0.0, 0.0};
}

Light3 screen_light(const Light3& xyz) {
    return {std::max(0.0, 3.2406 * xyz[0] - 1.5372 * xyz[1] - 0.4986 * xyz[2]),
            std::max(0.0, -0.9689 * xyz[0] + 1.8758 * xyz[1] + 0.0415 * xyz[2]),
            std::max(0.0, 0.0557 * xyz[0] - 0.2040 * xyz[1] + 1.0570 * xyz[2])};
}

GlowTable::GlowTable() {
    const double unit = black_body(2000.0)[1];
    for (std::size_t n = 0; n < count; ++n) {
        const Light3 light = screen_light(black_body(first + step * static_cast<double>(n)));
        lights_[n] = {static_cast<float>(light[0] / unit), static_cast<float>(light[1] / unit),
                      static_cast<float>(light[2] / unit)};
    }
}

Rgb GlowTable::at(float kelvin) const {
    const float place = std::clamp((kelvin - first) / step, 0.0f, count - 1.001f);
    const auto n = static_cast<std::size_t>(place);
    const float share = place - static_cast<float>(n);
    const Rgb& a = lights_[n];
    const Rgb& b = lights_[n + 1];
    return {a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
            a.blue + share * (b.blue - a.blue)};
}

}  // namespace workbook
