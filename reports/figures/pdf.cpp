// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "reports/figures/drawing.hpp"
#include "tuner/base/format.hpp"

namespace tune::reports {
namespace {

std::string colour(const Colour& colour, const char* command) {
  return format("{:.3g} {:.3g} {:.3g} {}\n", colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0,
                command);
}

/// The commands that draw the shapes. PDF counts from the lower left corner.
class Content {
 public:
  explicit Content(double height) : height_(height) {}

  void operator()(const Path& path) {
    begin(path.look);
    const char* command = "m";
    for (const Point& point : path.points) {
      text_ += format("{} {}\n", at(point), command);
      command = "l";
    }
    if (path.closed) text_ += "h\n";
    paint(path.look);
  }

  void operator()(const Circle& circle) {
    begin(circle.look);
    const double r = circle.radius, c = 0.5523 * r;  // of the nearest cubic curve
    const auto [x, y] = circle.centre;
    text_ += at({x + r, y}) + " m\n";
    curve({x + r, y + c}, {x + c, y + r}, {x, y + r});
    curve({x - c, y + r}, {x - r, y + c}, {x - r, y});
    curve({x - r, y - c}, {x - c, y - r}, {x, y - r});
    curve({x + c, y - r}, {x + r, y - c}, {x + r, y});
    paint(circle.look);
  }

  void operator()(const Text& text) {
    const double width = text_width(text.text);
    const double shift = text.anchor == Anchor::start ? 0 : text.anchor == Anchor::middle ? width / 2 : width;
    const Point start =
        text.upwards ? Point{text.at.x, text.at.y + shift} : Point{text.at.x - shift, text.at.y};
    const std::string place = format("{} {} Tm ({}) Tj", text.upwards ? "0 1 -1 0" : "1 0 0 1", at(start),
                                     escaped(win_ansi(text.text)));
    const std::string font = format("/F1 {:.4g} Tf", font_size);
    if (text.halo) text_ += format("q 1 G 2 w BT {} 1 Tr {} ET Q\n", font, place);
    text_ += format("q 0 g BT {} {} ET Q\n", font, place);
  }

  const std::string& text() const { return text_; }

 private:
  void begin(const Look& look) {
    text_ += "q\n";
    if (look.fill) text_ += colour(*look.fill, "rg");
    if (!look.stroke) return;
    text_ += colour(*look.stroke, "RG") + format("{:.4g} w\n", look.width);
    if (!look.dashes.empty()) text_ += format("[{}] 0 d\n", joined(look.dashes, std::identity(), " "));
  }
  void paint(const Look& look) {
    text_ += look.fill && look.stroke ? "B" : look.fill ? "f" : look.stroke ? "S" : "n";
    text_ += "\nQ\n";
  }
  void curve(const Point& a, const Point& b, const Point& end) {
    text_ += format("{} {} {} c\n", at(a), at(b), at(end));
  }
  std::string at(const Point& point) const { return format("{:.2f} {:.2f}", point.x, height_ - point.y); }

  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
      const auto byte = static_cast<unsigned char>(letter);
      if (letter == '(' || letter == ')' || letter == '\\') result += '\\';
      result += byte < 0x80 ? std::string(1, letter) : format("\\{:03o}", byte);
    }
    return result;
  }

  double height_;
  std::string text_ = "1 j\n";  // round corners
};

}  // namespace

std::string pdf(const Drawing& drawing) {
  Content content(drawing.height);
  for (const Shape& shape : drawing.shapes) std::visit(content, shape);
  const std::array objects = {
      std::string("<< /Type /Catalog /Pages 2 0 R >>"),
      std::string("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
      format("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {:.2f} {:.2f}] /Contents 4 0 R "
             "/Resources << /Font << /F1 5 0 R >> >> >>",
             drawing.width, drawing.height),
      format("<< /Length {} >>\nstream\n{}endstream", content.text().size(), content.text()),
      std::string("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")};
  std::string text = "%PDF-1.4\n";
  std::string table = format("xref\n0 {}\n0000000000 65535 f \n", objects.size() + 1);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    table += format("{:010} 00000 n \n", text.size());
    text += format("{} 0 obj\n{}\nendobj\n", i + 1, objects.at(i));
  }
  const std::size_t start = text.size();
  return text + table +
         format("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{}\n%%EOF\n", objects.size() + 1, start);
}

}  // namespace tune::reports
