// Hot soot glows in the picture.
#pragma once

#include <cstddef>

#include "common/draw/raymarch.hpp"
#include "window/lit_smoke.hpp"
#include "window/window.hpp"

/// Makes smoke dark, and as bright as it is hot.
template <class Fluid>
class Soot {
  public:
    Soot(Window<Fluid>& window, LitSmoke<Fluid>& picture) : fluid_(window.fluid) {
        window.add({"exposure", &exposure_, "how bright 2000 kelvin is", 1e3});
        window.add({"albedo", &albedo_, "of smoke: 0 is black", 1.0});
        picture.shines = true;
        picture.change.add([this](workbook::Volume& volume, int first) {
            darken(volume);
            heat(volume, first);
        });
    }

  private:
    void darken(workbook::Volume& volume) const {
        const auto albedo = static_cast<float>(albedo_);
        for (workbook::Rgb& colour : volume.colour) {
            colour = {albedo * colour.red, albedo * colour.green, albedo * colour.blue};
        }
    }

    /// Tells how hot each cell of the volume is, whose first layer is `first`.
    void heat(workbook::Volume& volume, int first) const {
        volume.exposure = static_cast<float>(exposure_);
        volume.kelvin.resize(volume.count());
        for (std::size_t cell = 0; cell < volume.count(); ++cell) {
            const std::size_t here = volume.index(0, 0, first) + cell;
            volume.kelvin[cell] =
                static_cast<float>(kelvin(fluid_, fluid_.temperature.values[here]));
        }
    }

    const Fluid& fluid_;
    double exposure_ = 10.0;
    double albedo_ = 1.0;  ///< the share of the light that smoke throws back
};
