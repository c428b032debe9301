// SPDX-License-Identifier: Apache-2.0
#include "reports/figures/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tune::reports {
namespace {

/// For any colour vision (M. Okabe, K. Ito), in an order in which neighbours differ in lightness too.
constexpr std::array<Colour, 8> colours = {
    Colour{0x00, 0x72, 0xb2}, Colour{0xe6, 0x9f, 0x00}, Colour{0x00, 0x00, 0x00}, Colour{0xcc, 0x79, 0xa7},
    Colour{0xd5, 0x5e, 0x00}, Colour{0x56, 0xb4, 0xe9}, Colour{0x00, 0x9e, 0x73}, Colour{0x8a, 0x8a, 0x00}};
constexpr Colour grid_colour{0xdd, 0xdd, 0xdd};
constexpr Colour frame_colour{0x44, 0x44, 0x44};
constexpr Colour range_colour{0x99, 0x99, 0x99};

const std::vector<double>& dashes_of(std::size_t number) {
  static const std::array<std::vector<double>, 8> all = {
      std::vector<double>{}, {5, 2}, {1.2, 1.8}, {6, 2, 1.2, 2}, {9, 3}, {3, 3}, {9, 2, 3, 2}, {1, 4}};
  return all.at(number % all.size());
}
const std::vector<double>& limit_dashes(std::size_t number) {
  static const std::array<std::vector<double>, 4> all = {
      std::vector<double>{}, {4, 2}, {1, 1.5}, {7, 1.5, 1, 1.5}};
  return all.at(number % all.size());
}
/// After the eighth series, other pairs of colour and marker.
std::size_t marker_of(std::size_t number) {
  return (number + number / colours.size()) % 8;
}

constexpr double line_height = 10.5;
constexpr double swatch_width = 20, legend_gap = 9;  ///< of the legend
constexpr double marker_radius = 2.3;

Path polygon(const Point& centre, std::initializer_list<Point> corners, Look look) {
  Path path{{}, true, std::move(look)};
  for (const Point& corner : corners)
    path.points.push_back({centre.x + corner.x * marker_radius, centre.y + corner.y * marker_radius});
  return path;
}

/// The hollow ones show what lies below them.
Shape marker(const Point& at, std::size_t number, bool hollow) {
  const Colour colour = colours.at(number % colours.size());
  Look look{.fill = colour, .stroke = white, .width = 0.3};
  if (hollow) look = {.fill = std::nullopt, .stroke = colour, .width = 0.6};
  switch (marker_of(number)) {
    case 0:
      return Circle{at, marker_radius, look};
    case 1:
      return polygon(at, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, look);
    case 2:
      return polygon(at, {{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}}, look);
    case 3:
      return polygon(at, {{0, -1.3}, {1.1, 0}, {0, 1.3}, {-1.1, 0}}, look);
    case 4:
      return polygon(at, {{0, 1.15}, {-1.1, -0.85}, {1.1, -0.85}}, look);
    case 5:
      return polygon(at,
                     {{-0.4, -1.2},
                      {0.4, -1.2},
                      {0.4, -0.4},
                      {1.2, -0.4},
                      {1.2, 0.4},
                      {0.4, 0.4},
                      {0.4, 1.2},
                      {-0.4, 1.2},
                      {-0.4, 0.4},
                      {-1.2, 0.4},
                      {-1.2, -0.4},
                      {-0.4, -0.4}},
                     look);
    case 6:
      return polygon(
          at, {{-1.1, -1.1}, {0, -0.4}, {1.1, -1.1}, {0.4, 0}, {1.1, 1.1}, {0, 0.4}, {-1.1, 1.1}, {-0.4, 0}},
          look);
    default:
      return polygon(at, {{0, -1.2}, {1.15, -0.35}, {0.7, 1}, {-0.7, 1}, {-1.15, -0.35}}, look);
  }
}

Path line(std::vector<Point> points, Colour colour, double width, std::vector<double> dashes = {}) {
  return {std::move(points), false, {.stroke = colour, .width = width, .dashes = std::move(dashes)}};
}

bool shows_markers(Series::Kind kind) {
  return kind == Series::Kind::points || kind == Series::Kind::dots || kind == Series::Kind::line;
}
bool shows_line(Series::Kind kind) {
  return kind != Series::Kind::points && kind != Series::Kind::dots;
}

/// The line of a series in the frame and in the legend.
Path series_line(std::vector<Point> points, const Series& series) {
  if (series.kind == Series::Kind::limit)
    return line(std::move(points), frame_colour, 0.9, limit_dashes(series.number));
  if (series.kind == Series::Kind::range) return line(std::move(points), range_colour, 0.8);
  return line(std::move(points), colours.at(series.number % colours.size()), 1.1, dashes_of(series.number));
}

class Painter {
 public:
  Painter(Plot plot, double width) : plot_(std::move(plot)) {
    result_.drawing.width = width;
    lay_out();
  }

  DrawnPlot paint() {
    paint_legend();
    paint_x();
    paint_y();
    shapes().push_back(Path{{{frame().left, frame().top},
                             {frame().right, frame().top},
                             {frame().right, frame().bottom},
                             {frame().left, frame().bottom}},
                            true,
                            {.stroke = frame_colour, .width = 0.6}});
    result_.first_inside = shapes().size();
    for (const Series& series : plot_.series) paint_series(series);
    result_.end_inside = shapes().size();
    for (const Series& series : plot_.series) paint_labels(series);
    return std::move(result_);
  }

 private:
  std::vector<Shape>& shapes() { return result_.drawing.shapes; }
  Frame& frame() { return result_.frame; }
  bool by_rows() const { return plot_.y.kind == Axis::Kind::categories; }

  double x_of(double value) { return frame().left + plot_.x.place(value) * (frame().right - frame().left); }
  double y_of(double value) { return frame().bottom - plot_.y.place(value) * (frame().bottom - frame().top); }
  Point at(const Point& point) { return {x_of(point.x), y_of(point.y)}; }

  void lay_out() {
    const double width = result_.drawing.width;
    double height = plot_.height > 0 ? plot_.height : std::clamp(0.56 * width, 120.0, 190.0);
    if (by_rows()) height = 11.5 * static_cast<double>(plot_.y.categories.size()) + 4;
    y_ticks_ = plot_.y.ticks(static_cast<std::size_t>(std::max(3.0, height / 22)));
    double widest = 0;
    for (Tick& tick : y_ticks_) {
      if (by_rows()) tick.label = fitted_text(tick.label, 0.55 * width);
      widest = std::max(widest, text_width(tick.label));
    }
    frame().left = 3 + (plot_.y.title().empty() ? 0 : line_height + 1) + widest + 5;
    frame().right = width - 9;
    place_legend();
    frame().top = 4 + line_height * static_cast<double>(legend_rows_);
    frame().bottom = frame().top + height;
    const double inner = frame().right - frame().left;
    if (const double room = bar_label_room(); room > 0 && room < 0.6 * inner)
      plot_.x.high *= inner / (inner - room);
    x_ticks_ = plot_.x.ticks(static_cast<std::size_t>(std::max(3.0, inner / 34)));
    if (plot_.x.kind == Axis::Kind::categories)
      for (Tick& tick : x_ticks_)
        tick.label =
            fitted_text(tick.label, std::max(24.0, inner / static_cast<double>(x_ticks_.size()) - 3));
    result_.drawing.height = frame().bottom + 13 + (plot_.x.title().empty() ? 0 : line_height) + 2;
  }

  /// Right of the longest bar.
  double bar_label_room() const {
    double room = 0;
    for (const Series& series : plot_.series)
      if (series.kind == Series::Kind::bars)
        for (const std::string& label : series.labels) room = std::max(room, text_width(label) + 6);
    return room;
  }

  struct Entry {
    const Series* series;
    Point at;
    std::string text;
  };
  /// From the left edge, so that long names have room.
  void place_legend() {
    double x = 3;
    legend_rows_ = 0;
    for (const Series& series : plot_.series) {
      if (series.name.empty()) continue;
      const double room = result_.drawing.width - 6;
      const std::string text = fitted_text(series.name, room - swatch_width - 4);
      const double needed = swatch_width + 4 + text_width(text);
      if (legend_rows_ == 0 || x + needed > room) {
        ++legend_rows_;
        x = 3;
      }
      legend_.push_back({&series, {x, 2 + line_height * (static_cast<double>(legend_rows_) - 0.5)}, text});
      x += needed + legend_gap;
    }
  }

  void paint_legend() {
    for (const Entry& entry : legend_) {
      const Series& series = *entry.series;
      const Point middle{entry.at.x + swatch_width / 2, entry.at.y};
      if (series.kind == Series::Kind::bars)
        shapes().push_back(bar(entry.at.x, entry.at.x + swatch_width, entry.at.y, 3, series.number));
      else if (series.kind == Series::Kind::ring)
        shapes().push_back(Circle{middle, 3.4, {.stroke = black, .width = 0.8}});
      else if (shows_line(series.kind))
        shapes().push_back(series_line({entry.at, {entry.at.x + swatch_width, entry.at.y}}, series));
      if (shows_markers(series.kind))
        shapes().push_back(marker(middle, series.number, series.kind == Series::Kind::points));
      shapes().push_back(Text{{entry.at.x + swatch_width + 4, entry.at.y + 2.8}, entry.text});
    }
  }

  void paint_x() {
    double free = 0;
    for (const Tick& tick : x_ticks_) {
      const double x = x_of(tick.at), half = text_width(tick.label) / 2;
      const double bottom = frame().bottom;
      if (plot_.x.kind != Axis::Kind::categories && x > frame().left + 0.5 && x < frame().right - 0.5)
        shapes().push_back(line({{x, frame().top}, {x, bottom}}, grid_colour, 0.4));
      shapes().push_back(line({{x, bottom}, {x, bottom + 2.5}}, frame_colour, 0.6));
      const double middle = std::min(x, result_.drawing.width - 1 - half);
      if (middle - half < free) continue;
      free = middle + half + 4;
      shapes().push_back(Text{{middle, bottom + 10.5}, tick.label, Anchor::middle});
    }
    if (const std::string title = fitted_text(plot_.x.title(), result_.drawing.width - 4); !title.empty())
      shapes().push_back(
          Text{{title_middle(title), frame().bottom + 10.5 + line_height}, title, Anchor::middle});
  }

  /// Below the frame, and within the picture.
  double title_middle(const std::string& title) {
    const double half = text_width(title) / 2;
    return std::max(half + 1, std::min((frame().left + frame().right) / 2, result_.drawing.width - 1 - half));
  }

  void paint_y() {
    for (const Tick& tick : y_ticks_) {
      const double y = y_of(tick.at);
      if (y > frame().top + 0.5 && y < frame().bottom - 0.5)
        shapes().push_back(line({{frame().left, y}, {frame().right, y}}, grid_colour, 0.4));
      shapes().push_back(line({{frame().left - 2.5, y}, {frame().left, y}}, frame_colour, 0.6));
      shapes().push_back(Text{{frame().left - 4.5, y + 2.8}, tick.label, Anchor::end});
    }
    if (const std::string title = fitted_text(plot_.y.title(), result_.drawing.height - 4); !title.empty()) {
      const double half = text_width(title) / 2;
      const double middle = std::clamp((frame().top + frame().bottom) / 2, half + 1,
                                       std::max(half + 1, result_.drawing.height - half - 1));
      shapes().push_back(Text{{3 + 7, middle}, title, Anchor::middle, true});
    }
  }

  static Path bar(double left, double right, double middle, double half, std::size_t number) {
    return {{{left, middle - half}, {right, middle - half}, {right, middle + half}, {left, middle + half}},
            true,
            {.fill = colours.at(number % colours.size())}};
  }

  void paint_series(const Series& series) {
    switch (series.kind) {
      case Series::Kind::bars:
        for (const Point& point : series.points)
          shapes().push_back(bar(x_of(0), x_of(point.x), y_of(point.y), 3.6, series.number));
        return;
      case Series::Kind::ring:
        for (const Point& point : series.points)
          shapes().push_back(Circle{at(point), 3.8, {.stroke = black, .width = 0.8}});
        return;
      case Series::Kind::step: {
        std::vector<Point> corners;
        for (const Point& point : series.points) {
          const Point corner = at(point);
          if (!corners.empty()) corners.push_back({corner.x, corners.back().y});
          corners.push_back(corner);
        }
        shapes().push_back(series_line(std::move(corners), series));
        return;
      }
      default:
        break;
    }
    std::vector<Point> places;
    for (const Point& point : series.points) places.push_back(at(point));
    const std::vector<Point> markers = shows_markers(series.kind) ? places : std::vector<Point>{};
    if (shows_line(series.kind) && places.size() > 1)
      shapes().push_back(series_line(std::move(places), series));
    for (const Point& place : markers)
      shapes().push_back(marker(place, series.number, series.kind == Series::Kind::points));
  }

  /// Above their points, or below at the upper edge; those that meet others are left out.
  void paint_labels(const Series& series) {
    for (std::size_t i = 0; i < series.labels.size(); ++i) {
      const std::string& label = series.labels[i];
      if (label.empty()) continue;
      const Point point = at(series.points[i]);
      const double width = text_width(label);
      if (series.kind == Series::Kind::bars) {
        if (point.x + 3 + width < result_.drawing.width)
          shapes().push_back(Text{{point.x + 3, point.y + 2.8}, label});
        continue;
      }
      const double x = std::clamp(point.x, frame().left + width / 2 + 2,
                                  std::max(frame().left + width / 2 + 2, frame().right - width / 2 - 2));
      double y = point.y - 6;
      if (y - font_size < frame().top) y = point.y + 12;
      const Frame box{x - width / 2, y - font_size, x + width / 2, y + 1};
      const bool meets = std::ranges::any_of(labels_, [&](const Frame& other) {
        return box.left < other.right && other.left < box.right && box.top < other.bottom &&
               other.top < box.bottom;
      });
      if (meets) continue;
      labels_.push_back(box);
      shapes().push_back(Text{{x, y}, label, Anchor::middle, false, true});
    }
  }

  Plot plot_;
  DrawnPlot result_;
  std::vector<Tick> x_ticks_, y_ticks_;
  std::vector<Entry> legend_;
  std::size_t legend_rows_ = 0;
  std::vector<Frame> labels_;
};

}  // namespace

DrawnPlot drawn(const Plot& plot, double width) {
  return Painter(plot, width).paint();
}

}  // namespace tune::reports
