// Hot soot glows in the picture.
#pragma once

#include <cstddef>

#include "32_fire/glow.hpp"
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
        picture.change.add([this](workbook::Volume& volume, int first) {
            darken(volume);
            glow(volume, first);
        });
    }

  private:
    void darken(workbook::Volume& volume) const {
        const auto albedo = static_cast<float>(albedo_);
        for (workbook::Rgb& colour : volume.colour) {
            colour = {albedo * colour.red, albedo * colour.green, albedo * colour.blue};
        }
    }

    /// Lets each cell of the volume, whose first layer is `first`, send out as much of a black
    /// body's light as it would hold back of another's (Kirchhoff).
    void glow(workbook::Volume& volume, int first) {
        if (table_.exposure() != exposure_) {
            table_ = GlowTable(exposure_);
        }
        volume.glow.resize(volume.count());
        for (std::size_t cell = 0; cell < volume.count(); ++cell) {
            const std::size_t here = volume.index(0, 0, first) + cell;
            const Light3 light = table_.at(kelvin(fluid_, fluid_.temperature.values[here]));
            const float extinction = volume.extinction[cell];
            volume.glow[cell] = {extinction * static_cast<float>(light[0]),
                                 extinction * static_cast<float>(light[1]),
                                 extinction * static_cast<float>(light[2])};
        }
    }

    const Fluid& fluid_;
    double exposure_ = 3.0;
    double albedo_ = 1.0;  ///< the share of the light that smoke throws back
    GlowTable table_{exposure_};
};
