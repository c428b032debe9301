// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotate/model/job.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::int64_t max_extent = std::int64_t{1} << 24;

struct Point {
  double x = 0, y = 0;
};

/// Returns the part of a convex polygon where a * x + b * y <= limit.
std::vector<Point> cut(const std::vector<Point>& polygon, double a, double b, double limit) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& from = polygon[i];
    const Point& to = polygon[(i + 1) % polygon.size()];
    const double before = a * from.x + b * from.y - limit, after = a * to.x + b * to.y - limit;
    if (before <= 0) kept.push_back(from);
    if ((before < 0 && after > 0) || (before > 0 && after < 0)) {
      const double share = before / (before - after);
      kept.push_back({from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)});
    }
  }
  return kept;
}

double area(const std::vector<Point>& polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point& a = polygon[i];
    const Point& b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - a.y * b.x;
  }
  return std::abs(twice) / 2;
}

}  // namespace

Extents RotateJob::extents() const {
  Extents all;
  if (channels > 1) all.push_back(static_cast<std::uint64_t>(channels));
  all.push_back(static_cast<std::uint64_t>(nx));
  all.push_back(static_cast<std::uint64_t>(ny));
  return all;
}

RotateJob rotate_job(const Instance& instance) {
  RotateJob job;
  job.nx = instance.extent("nx");
  job.ny = instance.extent("ny");
  if (std::max(job.nx, job.ny) > max_extent)
    throw UsageError(format("--size: rotate takes at most {} pixels along an axis", max_extent));
  const std::string& type = instance.setting("type").as_text();
  job.type = type == "float" ? ElementType::f32 : type == "uint16" ? ElementType::u16 : ElementType::u8;
  job.channels = type == "uint8x4" ? 4 : 1;
  job.angle = instance.setting("angle").as_real();
  const std::string& border = instance.setting("border").as_text();
  job.border = border == "clamp"  ? RotateJob::Border::clamp
               : border == "wrap" ? RotateJob::Border::wrap
                                  : RotateJob::Border::zero;
  job.source =
      instance.setting("source").as_text() == "array" ? RotateJob::Source::array : RotateJob::Source::linear;
  const double radians = std::remainder(job.angle, 360) * std::numbers::pi / 180;
  job.cosine = std::llround(std::ldexp(std::cos(radians), 32));
  job.sine = std::llround(std::ldexp(std::sin(radians), 32));
  return job;
}

SourcePlace source_place(const RotateJob& job, std::int64_t x, std::int64_t y) {
  // Twice the distance from the centre, so that it is whole.
  const std::int64_t dx = 2 * x - (job.nx - 1), dy = 2 * y - (job.ny - 1);
  constexpr std::int64_t half = std::int64_t{1} << 32;
  return {job.cosine * dx - job.sine * dy + (job.nx - 1) * half,
          job.sine * dx + job.cosine * dy + (job.ny - 1) * half};
}

double visible_pixels(const RotateJob& job) {
  if (job.border == RotateJob::Border::wrap) return job.pixels();
  const double x = static_cast<double>(job.nx) / 2, y = static_cast<double>(job.ny) / 2;
  const double c = std::ldexp(static_cast<double>(job.cosine), -32);
  const double s = std::ldexp(static_cast<double>(job.sine), -32);
  std::vector<Point> turned;
  for (const auto& [u, v] : std::array<Point, 4>{{{-x, -y}, {x, -y}, {x, y}, {-x, y}}})
    turned.push_back({c * u - s * v, s * u + c * v});
  return area(cut(cut(cut(cut(turned, 1, 0, x), -1, 0, x), 0, 1, y), 0, -1, y));
}

}  // namespace tune::kernels
