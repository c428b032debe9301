// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/coefficients.hpp"

#include "kernels/stencil/language/evaluate.hpp"
#include "kernels/stencil/language/expression.hpp"
#include "kernels/stencil/language/source_error.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

constexpr std::size_t max_levels = 3;
constexpr const char* axis_names[] = {"x", "y", "z"};

}  // namespace

void CoefficientReader::read() {
  start_ = tokens_.token().offset;
  level(0);
}

void CoefficientReader::level(std::size_t depth) {
  tokens_.expect("[", depth == 0 ? "'[': lists in lists" : "'[': a list, as before");
  if (!numbers_seen_) extents_.push_back(0);
  std::size_t count = 0;
  do {
    element(depth);
    ++count;
    if (count > 2 * std::size_t{max_offset} + 1)
      throw SourceFault{start_, format("more than {} elements in a list", 2 * max_offset + 1),
                        "a smaller array"};
  } while (tokens_.accept(","));
  end_of_list(depth, count);
}

void CoefficientReader::element(std::size_t depth) {
  const bool list = numbers_seen_ ? depth + 1 < extents_.size() : tokens_.token().is("[");
  if (list && depth + 1 == max_levels) tokens_.fail("a number: there are at most three levels of lists");
  if (list) return level(depth + 1);
  if (depth == 0) tokens_.fail("'[': a list of the coefficients along x");
  numbers_seen_ = true;
  values_.push_back(constant_value(parser_.constant()));
  if (values_.size() > max_terms)
    throw SourceFault{start_, format("more than {} coefficients", max_terms), "a smaller array"};
}

void CoefficientReader::end_of_list(std::size_t depth, std::size_t count) {
  const EquationToken end = tokens_.token();
  tokens_.expect("]", "an operator, ',' or ']'");
  int& extent = extents_[depth];
  if (extent == 0) extent = static_cast<int>(count);
  if (static_cast<int>(count) != extent)
    throw SourceFault{end.offset, format("a list of {}", count), format("a list of {}, as before", extent)};
}

Stencil CoefficientReader::stencil(const std::optional<std::vector<int>>& origin) const {
  std::array<int, 3> extents{1, 1, 1}, centre{};
  for (int axis = 0; axis < dimensions(); ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    extents[at] = extent(axis);
    if (!origin && extents[at] % 2 == 0)
      throw SourceFault{start_, format("{} elements along {}", extents[at], axis_names[axis]),
                        "an odd number, or 'origin = [...]'"};
    centre[at] = origin ? (*origin)[at] : extents[at] / 2;
  }
  Stencil stencil{dimensions(), {}};
  std::size_t next = 0;
  for (int z = 0; z < extents[2]; ++z)
    for (int y = 0; y < extents[1]; ++y)
      for (int x = 0; x < extents[0]; ++x)
        if (const double weight = values_[next++]; weight != 0)
          stencil.points.push_back({x - centre[0], y - centre[1], z - centre[2], weight});
  if (stencil.points.empty()) throw SourceFault{start_, "coefficients that are all 0", "one that is not"};
  return stencil;
}

}  // namespace tune::kernels
