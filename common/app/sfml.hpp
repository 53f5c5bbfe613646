// The two SFMLs under one roof: what window.cpp uses of SFML 2 (2.5 and later) and SFML 3, where
// the names or the types differ.
#pragma once

#include <SFML/Graphics.hpp>

namespace workbook::sfml {

#if SFML_VERSION_MAJOR >= 3

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
