#include "common/app/window.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "common/app/sfml.hpp"
#include "common/io/output.hpp"

#if defined(__linux__)
#include <dlfcn.h>
#endif

namespace workbook {

bool have_display() {
#if defined(__linux__)
    const char* name = std::getenv("DISPLAY");
    if (name == nullptr || *name == '\0') {
        return false;
    }
    // Ask the X library that SFML itself uses, without needing its headers.
    void* library = dlopen("libX11.so.6", RTLD_LAZY);
    if (library == nullptr) {
        return false;
    }
    const auto open = reinterpret_cast<void* (*)(const char*)>(dlsym(library, "XOpenDisplay"));
    // It stays open: a server may start afresh when its last client leaves, and SFML is about to
    // knock.
    static void* display = nullptr;
    if (display == nullptr && open != nullptr) {
        display = open(nullptr);
    }
    return display != nullptr;
#else
    return true;
#endif
}

struct Window::Inside {
    sf::RenderWindow window;
    sf::Texture texture;
};

Window::Window(const std::string& title, int width, int height)
    : inside_(std::make_unique<Inside>()) {
    sf::VideoMode mode =
        sfml::video_mode(static_cast<unsigned>(width), static_cast<unsigned>(height));
    std::streambuf* const messages = sf::err().rdbuf(nullptr);  // such as: no vertical sync here
    inside_->window.create(mode, title);
#if defined(__linux__) && SFML_VERSION_MAJOR == 3 && SFML_VERSION_MINOR == 0
    // This version puts all but the window's first quarter beyond the corner of the screen.
    const sf::Vector2u screen = sf::VideoMode::getDesktopMode().size;
    inside_->window.setPosition((sf::Vector2i(screen) - sf::Vector2i(width, height)) / 2);
#endif
    inside_->window.setFramerateLimit(60);
    sf::err().rdbuf(messages);
    if (!inside_->window.isOpen()) {
        throw InputError("the window cannot be opened; --headless --png FILE draws without one");
    }
}

Window::~Window() = default;

namespace {

Event key_event(char key) {
    Event event{Event::Kind::key};
    event.key = static_cast<char>(std::tolower(static_cast<unsigned char>(key)));
    return event;
}

Event place_event(Event::Kind kind, int x, int y, Event::Button button = Event::Button::left) {
    Event event{kind};
    event.x = x;
    event.y = y;
    event.button = button;
    return event;
}

/// Nothing for a wheel that has moved by too little to tell.
std::optional<Event> wheel_event(float delta) {
    Event event{Event::Kind::wheel};
    event.steps = static_cast<int>(delta > 0.0f ? std::ceil(delta) : std::floor(delta));
    return event.steps == 0 ? std::nullopt : std::optional(event);
}

/// The arrow keys do what the keys of these characters do, where a chapter has such keys.
std::optional<char> arrow_key(sf::Keyboard::Key key) {
    return key == sf::Keyboard::Key::Left    ? std::optional('<')
           : key == sf::Keyboard::Key::Right ? std::optional('>')
           : key == sf::Keyboard::Key::Up    ? std::optional('^')
                                             : std::nullopt;
}

#if SFML_VERSION_MAJOR >= 3

std::optional<Event::Button> meaning_of(sf::Mouse::Button button) {
    using sf::Keyboard::Key;
    switch (button) {
        case sf::Mouse::Button::Left:
            return sf::Keyboard::isKeyPressed(Key::LAlt) || sf::Keyboard::isKeyPressed(Key::RAlt)
                       ? Event::Button::turning
                       : Event::Button::left;
        case sf::Mouse::Button::Right:
            return Event::Button::right;
        case sf::Mouse::Button::Middle:
            return Event::Button::turning;
        default:
            return std::nullopt;
    }
}

std::optional<Event> translated(const sf::Event& event) {
    if (event.is<sf::Event::Closed>()) {
        return Event{Event::Kind::close};
    }
    if (event.is<sf::Event::MouseLeft>()) {
        return Event{Event::Kind::leave};
    }
    if (const auto* resized = event.getIf<sf::Event::Resized>()) {
        return place_event(Event::Kind::resize, static_cast<int>(resized->size.x),
                           static_cast<int>(resized->size.y));
    }
    if (const auto* moved = event.getIf<sf::Event::MouseMoved>()) {
        return place_event(Event::Kind::move, moved->position.x, moved->position.y);
    }
    if (const auto* pressed = event.getIf<sf::Event::MouseButtonPressed>()) {
        const std::optional<Event::Button> button = meaning_of(pressed->button);
        if (!button) {
            return std::nullopt;
        }
        return place_event(Event::Kind::press, pressed->position.x, pressed->position.y, *button);
    }
    if (const auto* released = event.getIf<sf::Event::MouseButtonReleased>()) {
        return place_event(Event::Kind::release, released->position.x, released->position.y);
    }
    if (const auto* scrolled = event.getIf<sf::Event::MouseWheelScrolled>()) {
        return scrolled->wheel == sf::Mouse::Wheel::Vertical ? wheel_event(scrolled->delta)
                                                             : std::nullopt;
    }
    if (const auto* key = event.getIf<sf::Event::KeyPressed>()) {
        if (key->code == sf::Keyboard::Key::Escape) {
            return key_event('\x1b');
        }
        if (key->code == sf::Keyboard::Key::Tab) {
            return key_event('\t');
        }
        if (const std::optional<char> arrow = arrow_key(key->code)) {
            return key_event(*arrow);
        }
    }
    if (const auto* text = event.getIf<sf::Event::TextEntered>()) {
        if (text->unicode >= ' ' && text->unicode <= '~') {
            return key_event(static_cast<char>(text->unicode));
        }
    }
    return std::nullopt;
}

bool poll(sf::RenderWindow& window, std::optional<Event>& event) {
    const std::optional<sf::Event> polled = window.pollEvent();
    event = polled ? translated(*polled) : std::nullopt;
    return polled.has_value();
}

#else

std::optional<Event::Button> meaning_of(sf::Mouse::Button button) {
    using sf::Keyboard;
    switch (button) {
        case sf::Mouse::Left:
            return Keyboard::isKeyPressed(Keyboard::LAlt) || Keyboard::isKeyPressed(Keyboard::RAlt)
                       ? Event::Button::turning
                       : Event::Button::left;
        case sf::Mouse::Right:
            return Event::Button::right;
        case sf::Mouse::Middle:
            return Event::Button::turning;
        default:
            return std::nullopt;
    }
}

std::optional<Event> translated(const sf::Event& event) {
    switch (event.type) {
        case sf::Event::Closed:
            return Event{Event::Kind::close};
        case sf::Event::MouseLeft:
            return Event{Event::Kind::leave};
        case sf::Event::Resized:
            return place_event(Event::Kind::resize, static_cast<int>(event.size.width),
                               static_cast<int>(event.size.height));
        case sf::Event::MouseMoved:
            return place_event(Event::Kind::move, event.mouseMove.x, event.mouseMove.y);
        case sf::Event::MouseButtonPressed:
            if (const std::optional<Event::Button> button = meaning_of(event.mouseButton.button)) {
                return place_event(Event::Kind::press, event.mouseButton.x, event.mouseButton.y,
                                   *button);
            }
            return std::nullopt;
        case sf::Event::MouseButtonReleased:
            return place_event(Event::Kind::release, event.mouseButton.x, event.mouseButton.y);
        case sf::Event::MouseWheelScrolled:
            return event.mouseWheelScroll.wheel == sf::Mouse::VerticalWheel
                       ? wheel_event(event.mouseWheelScroll.delta)
                       : std::nullopt;
        case sf::Event::KeyPressed:
            if (event.key.code == sf::Keyboard::Escape) {
                return key_event('\x1b');
            }
            if (event.key.code == sf::Keyboard::Tab) {
                return key_event('\t');
            }
            if (const std::optional<char> arrow = arrow_key(event.key.code)) {
                return key_event(*arrow);
            }
            return std::nullopt;
        case sf::Event::TextEntered:
            if (event.text.unicode >= ' ' && event.text.unicode <= '~') {
                return key_event(static_cast<char>(event.text.unicode));
            }
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

bool poll(sf::RenderWindow& window, std::optional<Event>& event) {
    sf::Event polled{};
    const bool any = window.pollEvent(polled);
    event = any ? translated(polled) : std::nullopt;
    return any;
}

#endif

}  // namespace

void Window::run(const std::function<bool()>& picture) {
    while (picture()) {
    }
}

std::vector<Event> Window::events() {
    std::vector<Event> events;
    std::optional<Event> event;
    while (poll(inside_->window, event)) {
        if (!event) {
            continue;
        }
        if (event->kind == Event::Kind::resize) {
            inside_->window.setView(sf::View(
                sfml::view_of(static_cast<float>(event->x), static_cast<float>(event->y))));
        }
        events.push_back(*event);
    }
    return events;
}

void Window::show(const Picture& picture) {
    const auto width = static_cast<unsigned>(picture.width());
    const auto height = static_cast<unsigned>(picture.height());
    if (inside_->texture.getSize() != sf::Vector2u(width, height) &&
        !sfml::resize(inside_->texture, width, height)) {
        return;
    }
    inside_->texture.update(picture.rgba().data());
    inside_->window.draw(sf::Sprite(inside_->texture));
    inside_->window.display();
}

void Window::keep() {
    sf::sleep(sf::milliseconds(16));
}

}  // namespace workbook
