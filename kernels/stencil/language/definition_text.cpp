// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "kernels/stencil/language/definition.hpp"
#include "kernels/stencil/language/expression.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

/// A name that `name = ` reads back: no comment, one line, no spaces around.
std::string name_in_file(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if ((c >= 0 && c < ' ') || c == '#') c = '_';
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::string index(char axis, int offset) {
  return offset == 0 ? std::string(1, axis) : format("{}{:+}", axis, offset);
}

}  // namespace

std::string definition_text(const Stencil& stencil, std::string_view name) {
  if (stencil.points.empty() || stencil.points.size() > max_terms || stencil.radius() > max_offset)
    throw std::invalid_argument(format("no definition can be written of {} points that reach {} cells",
                                       stencil.points.size(), stencil.radius()));
  std::string text;
  if (const std::string known = name_in_file(name); !known.empty()) text += format("name = {}\n", known);
  const bool flat = stencil.dimensions == 2;
  text += flat ? "out[x,y] =" : "out[x,y,z] =";
  std::string_view sign = "\n    ";
  for (const StencilPoint& point : stencil.points) {
    if (!std::isfinite(point.weight))
      throw std::invalid_argument(format("no definition can be written of the weight {}", point.weight));
    text += format("{}{:.17g}*D[{},{}", sign, point.weight, index('x', point.dx), index('y', point.dy));
    text += flat ? "]" : format(",{}]", index('z', point.dz));
    sign = "\n  + ";
  }
  return text + "\n";
}

std::string definition_hash(const Stencil& stencil) {
  constexpr std::size_t digits = 12;
  std::string text = format("{}\n", stencil.dimensions);
  for (const StencilPoint& point : normalized(stencil).points)
    text += format("{} {} {} {:016x}\n", point.dx, point.dy, point.dz,
                   std::bit_cast<std::uint64_t>(point.weight));
  return content_hash(text).substr(0, digits);
}

}  // namespace tune::kernels
