// The two SFMLs under one roof: what png.cpp and window.cpp use of SFML 2 (2.5 and later) and SFML
// 3, where the names or the types differ.
#pragma once

#include <SFML/Graphics.hpp>
#include <string>

#include "common/draw/picture.hpp"

namespace workbook::sfml {

#if SFML_VERSION_MAJOR >= 3

inline sf::Image image_of(const Picture& picture) {
    return sf::Image(sf::Vector2u(static_cast<unsigned>(picture.width()),
                                  static_cast<unsigned>(picture.height())),
                     picture.rgba().data());
}

inline sf::VideoMode video_mode(unsigned width, unsigned height) {
    return sf::VideoMode({width, height});
}

inline sf::FloatRect view_of(float width, float height) {
    return sf::FloatRect({0.0f, 0.0f}, {width, height});
}

inline bool resize(sf::Texture& texture, unsigned width, unsigned height) {
    return texture.resize({width, height});
}

#else

inline sf::Image image_of(const Picture& picture) {
    sf::Image image;
    image.create(static_cast<unsigned>(picture.width()), static_cast<unsigned>(picture.height()),
                 picture.rgba().data());
    return image;
}

inline sf::VideoMode video_mode(unsigned width, unsigned height) {
    return sf::VideoMode(width, height);
}

inline sf::FloatRect view_of(float width, float height) {
    return sf::FloatRect(0.0f, 0.0f, width, height);
}

inline bool resize(sf::Texture& texture, unsigned width, unsigned height) {
    return texture.create(width, height);
}

#endif

}  // namespace workbook::sfml
