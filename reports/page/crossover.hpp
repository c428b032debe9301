// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "reports/page/value_table.hpp"

namespace tune::reports {

/// The best of one variant in a section.
struct VariantBest {
  std::string variant;
  double value = 0;  ///< what the section's objective minimises
  double seconds = 0;
};
/// Of each value of the table's group, or of `all`; the best first.
std::vector<VariantBest> variant_bests(const ValueTable& table);

/// One variant along the varying number; nothing where it was not measured.
struct VariantLine {
  std::string variant;
  std::vector<std::optional<VariantBest>> best;
};

/// Where another variant becomes the best: where their lines meet on logarithmic axes.
struct Crossing {
  std::string before, after;
  std::size_t at = 0;  ///< between this section and the next
  double share = 0;    ///< of the way, on a logarithmic axis
};

/// Sections that differ in one number alone, by which the best variant may change.
struct Crossover {
  std::string along;                  ///< `radius`, an extent, or `size`: the product of the extents
  bool is_extent = false;             ///< of the size, not a setting
  std::string alike;                  ///< what they have in common: `gemm 4096x4096 type=float`
  std::vector<std::size_t> sections;  ///< in the report, by `x`
  std::vector<double> x;              ///< increasing
  std::vector<VariantLine> lines;     ///< those of the best points first
  std::vector<Crossing> crossings;
};

/// All of at least three sections. `bests`: of each section of the data.
std::vector<Crossover> crossovers(const ReportData& data, const std::vector<std::vector<VariantBest>>& bests);

}  // namespace tune::reports
