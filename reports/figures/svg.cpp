// SPDX-License-Identifier: Apache-2.0
#include "reports/figures/drawing.hpp"
#include "reports/page/html_text.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

/// Hundredths of a point, without zeros at the end.
std::string hundredths(double value) {
  std::string text = format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string colour(const std::optional<Colour>& colour) {
  return colour ? format("#{:02x}{:02x}{:02x}", colour->red, colour->green, colour->blue) : "none";
}

std::string attributes(const Look& look) {
  std::string text = format(" fill=\"{}\"", colour(look.fill));
  if (!look.stroke) return text;
  text += format(" stroke=\"{}\" stroke-width=\"{}\"", colour(look.stroke), hundredths(look.width));
  if (!look.dashes.empty()) text += format(" stroke-dasharray=\"{}\"", joined(look.dashes, hundredths, " "));
  return text;
}

std::string element(const Path& path) {
  std::string points;
  for (const Point& point : path.points)
    points += format("{}{},{}", points.empty() ? "" : " ", hundredths(point.x), hundredths(point.y));
  return format("<{} points=\"{}\"{}/>\n", path.closed ? "polygon" : "polyline", points,
                attributes(path.look));
}

std::string element(const Circle& circle) {
  return format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", hundredths(circle.centre.x),
                hundredths(circle.centre.y), hundredths(circle.radius), attributes(circle.look));
}

std::string element(const Text& text) {
  std::string place = format("x=\"{}\" y=\"{}\"", hundredths(text.at.x), hundredths(text.at.y));
  if (text.upwards)
    place += format(" transform=\"rotate(-90 {} {})\"", hundredths(text.at.x), hundredths(text.at.y));
  if (text.anchor != Anchor::start)
    place += format(" text-anchor=\"{}\"", text.anchor == Anchor::middle ? "middle" : "end");
  const std::string words = html_text(text.text);
  std::string result;
  if (text.halo) result = format("<text {} stroke=\"#ffffff\" stroke-width=\"2\">{}</text>\n", place, words);
  return result + format("<text {}>{}</text>\n", place, words);
}

}  // namespace

std::string svg(const Drawing& drawing) {
  std::string text = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\">\n"
      "<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{2}\" "
      "stroke-linejoin=\"round\">\n",
      hundredths(drawing.width), hundredths(drawing.height), hundredths(font_size));
  for (const Shape& shape : drawing.shapes)
    text += std::visit([](const auto& one) { return element(one); }, shape);
  return text + "</g>\n</svg>\n";
}

}  // namespace tune::reports
