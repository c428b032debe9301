// SPDX-License-Identifier: Apache-2.0
// The parameters of `split` and which of its configurations are valid.
#include <algorithm>

#include "kernels/stencil/plan/rules.hpp"
#include "kernels/stencil/variants/split/split.hpp"

namespace tune::kernels {
namespace {

using search::Constraint;
using search::Expr;
using search::Parameter;
using search::var;

constexpr Division divisions[] = {Division::planes, Division::rows, Division::points, Division::axes};

/// Numbers of parts that leave each of them enough points.
std::vector<int> part_counts(const StencilJob& job) {
  const auto points = static_cast<std::int64_t>(job.stencil.points.size());
  std::vector<int> counts;
  for (const int parts : {2, 3, 4, 5, 6, 8, 10, 12, 16})
    if (parts * min_points_of_part <= points) counts.push_back(parts);
  return counts;
}

}  // namespace

std::vector<Parameter> split_parameters(const StencilJob& job) {
  const std::vector<int> counts = part_counts(job);
  std::vector<Value> ways, numbers(counts.begin(), counts.end());
  for (const Division division : divisions)
    if (max_parts(job.stencil, division) >= 2) ways.emplace_back(std::string(to_string(division)));
  // Few points a launch wait for memory: as many parts as the default configuration needs to be unrolled.
  std::size_t wanted = 0;
  while (wanted + 1 < counts.size() &&
         largest_part(job.stencil, Division::points, counts[wanted]) * default_split_cells > max_part_terms)
    ++wanted;
  return {
      {"parts", "launches a time step, each of which adds the terms of a part of the points", numbers,
       counts[wanted], is_variant("split")},
      {"divide",
       "where the points are cut into parts of about equal counts: between planes of z (rows of two "
       "dimensions), between rows of y, anywhere, or, for a star, anywhere with the points in the order of "
       "the axes",
       ways, ways.back().as_text() == "axes" ? Value("axes") : Value("points"), is_variant("split")}};
}

void add_split_rules(std::vector<Constraint>& rules, const StencilJob& job) {
  const auto add = [&](const Expr& rule, const char* reason) {
    rules.push_back({!is_variant("split") || rule, reason});
  };
  const Expr cells = var("vector") * var("cells_y") * var("cells_z");
  const Expr block = var("block_x") * var("block_y") * var("block_z");
  add_block_limits(rules, is_variant("split"), block);
  add(var("cells_y") != 3 && var("cells_y") != 5 && var("cells_y") != 6,
      "a sweep's tiles have a power of two of rows");
  add(var("block_x") * var("vector") >= 32,
      "tiles narrower than 32 cells waste most of the lines that they touch");
  add(cells <= 32, "more than 32 cells a thread: their sums and loads exceed the registers");
  // The sums, and a row with its x neighbours.
  const Expr aligned_halo = ceil_div(var("reach_x"), var("vector")) * var("vector");
  add(fits_registers((cells + var("vector") + aligned_halo * 2) * var("words") + 16, block),
      "the sums and a row with its neighbours need more registers than min_blocks leaves to a thread");
  Expr largest = 0;
  for (const Division division : divisions) {
    const int max = max_parts(job.stencil, division);
    if (max < 2) continue;
    const Expr chosen = var("divide") == std::string(to_string(division)).c_str();
    add(!chosen || var("parts") <= max, "a division has fewer planes or rows than there would be parts");
    for (const int parts : part_counts(job))
      if (parts <= max)
        largest = largest + (chosen && var("parts") == parts) * largest_part(job.stencil, division, parts);
  }
  add(largest * cells <= max_part_terms,
      "the unrolled sums of the largest part are larger than the instruction cache: more parts, or fewer "
      "cells a thread");
  add(var("points") * cells <= max_split_terms, "all parts together take seconds to compile");
}

}  // namespace tune::kernels
