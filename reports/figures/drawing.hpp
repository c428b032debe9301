// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A picture as data, and the two formats that it is written in. Lengths are points (1/72 inch), from the
/// upper left corner.
namespace tune::reports {

struct Point {
  double x = 0, y = 0;
};

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

inline constexpr Colour black{};
inline constexpr Colour white{255, 255, 255};

/// What is filled and what is outlined.
struct Look {
  std::optional<Colour> fill = std::nullopt, stroke = std::nullopt;
  double width = 0.8;               ///< of the outline
  std::vector<double> dashes = {};  ///< lengths of line and gap in turns; empty: solid
};

struct Path {
  std::vector<Point> points;
  bool closed = false;
  Look look;
};

struct Circle {
  Point centre;
  double radius = 0;
  Look look;
};

enum class Anchor { start, middle, end };

/// One line in Helvetica, black; `at` is on the base line.
struct Text {
  Point at;
  std::string text;  ///< UTF-8
  Anchor anchor = Anchor::start;
  bool upwards = false;  ///< turned a quarter to the left
  bool halo = false;     ///< on a white edge, where lines may lie below
};

using Shape = std::variant<Path, Circle, Text>;

struct Drawing {
  double width = 0, height = 0;
  std::vector<Shape> shapes;  ///< the lowest first
};

inline constexpr double font_size = 8;

/// The width of the text, in points.
double text_width(std::string_view text);
/// The text, or as much of its beginning as fits, with three dots.
std::string fitted_text(std::string_view text, double width);
/// The text in the encoding of the PDF's font (WinAnsi); a question mark for what it lacks.
std::string win_ansi(std::string_view text);

std::string svg(const Drawing& drawing);
/// One page, PDF 1.4, with the font that every reader has: it is not embedded.
std::string pdf(const Drawing& drawing);

}  // namespace tune::reports
