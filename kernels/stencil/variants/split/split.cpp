// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/variants/split/split.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "kernels/stencil/plan/launches.hpp"
#include "kernels/stencil/plan/variant.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

/// A part costs as much memory traffic as a step; fewer points cost no time beside it.
constexpr int min_points_of_part = 16;
/// Cells of a thread in the default configuration, if there are parts enough.
constexpr int default_split_cells = 4;

constexpr std::array<std::string_view, 4> names = {"planes", "rows", "points", "axes"};

/// Returns the key by which the division orders points. Points of equal keys stay in one part.
std::tuple<int, int, int> key(const StencilPoint& point, Division division) {
  switch (division) {
    case Division::planes:
      return {point.dz, 0, 0};
    case Division::rows:
      return {point.dy, 0, 0};
    case Division::points:
      return {point.dz, point.dy, point.dx};
    case Division::axes:
      return {point.dz != 0 ? 2 : point.dy != 0 ? 1 : 0, point.dz + point.dy, point.dx};
  }
  throw std::out_of_range("no such division");
}

/// Returns the lowest and highest offsets of a part along y and z.
std::array<int, 4> ranges(const Stencil& stencil, const std::vector<int>& part_of, int part) {
  std::array<int, 4> found{};
  bool any = false;
  for (std::size_t i = 0; i < stencil.points.size(); ++i) {
    if (part_of[i] != part) continue;
    const StencilPoint& point = stencil.points[i];
    if (!any) found = {point.dy, point.dy, point.dz, point.dz};
    any = true;
    found[0] = std::min(found[0], point.dy);
    found[1] = std::max(found[1], point.dy);
    found[2] = std::min(found[2], point.dz);
    found[3] = std::max(found[3], point.dz);
  }
  return found;
}

std::string array_text(const char* name, const std::vector<int>& values, std::size_t row) {
  std::string text = format("constexpr __constant__ signed char {}[{}] = {{", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += format("{}{},", i % row == 0 ? "\n    " : " ", values[i]);
  text.pop_back();
  return text + "};\n";
}

/// Returns arrays with the part of each point of a star: along x with the cell itself, along y, along z.
std::string star_text(const Stencil& stencil, const std::vector<int>& part_of) {
  const std::array<int, 3> radii = stencil.radii();
  std::array<std::vector<int>, 3> along;
  for (std::size_t a = 0; a < 3; ++a) along[a].assign(static_cast<std::size_t>(2 * radii[a] + 1), -1);
  for (std::size_t i = 0; i < stencil.points.size(); ++i) {
    const StencilPoint& point = stencil.points[i];
    const std::size_t axis = point.dz != 0 ? 2 : point.dy != 0 ? 1 : 0;
    along[axis][static_cast<std::size_t>(point.dx + point.dy + point.dz + radii[axis])] = part_of[i];
  }
  return array_text("parts_x", along[0], 16) + array_text("parts_y", along[1], 16) +
         array_text("parts_z", along[2], 16) + R"(
// The part to which a point belongs.
__device__ constexpr int part_of(int dx, int dy, int dz) {
  return dz != 0 ? parts_z[dz + reach_z] : dy != 0 ? parts_y[dy + reach_y] : parts_x[dx + reach_x];
}
)";
}

std::string box_text(const Stencil& stencil, const std::vector<int>& part_of) {
  const auto [rx, ry, rz] = stencil.radii();
  std::vector<int> box(static_cast<std::size_t>((2 * rx + 1) * (2 * ry + 1) * (2 * rz + 1)), -1);
  for (std::size_t i = 0; i < stencil.points.size(); ++i) {
    const StencilPoint& point = stencil.points[i];
    box[static_cast<std::size_t>(((point.dz + rz) * (2 * ry + 1) + point.dy + ry) * (2 * rx + 1) + point.dx +
                                 rx)] = part_of[i];
  }
  return array_text("part_numbers", box, static_cast<std::size_t>(2 * rx + 1)) + R"(
// The part to which a point belongs.
__device__ constexpr int part_of(int dx, int dy, int dz) {
  return part_numbers[((dz + reach_z) * (2 * reach_y + 1) + dy + reach_y) * (2 * reach_x + 1) + dx + reach_x];
}
)";
}

std::string parts_header(const Stencil& stencil, const std::vector<int>& part_of, int parts) {
  std::string text = format(
      "// Into which {} parts the stencil's points are divided.\n#pragma once\n\n"
      "constexpr int parts = {};\n"
      "// Of each part, the offsets between which its points lie: first and last along y, then along z.\n"
      "constexpr int ranges_of[parts][4] = {{",
      parts, parts);
  for (int part = 0; part < parts; ++part) {
    const auto [y0, y1, z0, z1] = ranges(stencil, part_of, part);
    text += format("\n    {{{}, {}, {}, {}}}{}  // {} points", y0, y1, z0, z1, part + 1 < parts ? "," : "};",
                   std::ranges::count(part_of, part));
  }
  return text + "\n\n// Part numbers; -1 where the stencil has no point.\n" +
         (stencil.star() ? star_text(stencil, part_of) : box_text(stencil, part_of));
}

std::string entry_of(int part) {
  return format("stencil_part_{}", part);
}

/// Returns the text of `stencil_part_kernels.cuh`: a kernel with a name for each part.
std::string kernels_header(int parts) {
  std::string text =
      "// A kernel for each part of the points. `in` and `out` point to cell (0, 0, 0), aligned to 16 bytes; "
      "pitch and\n// plane are the distances of neighbouring rows and planes [cells]. Grid: a block for each "
      "tile, along x.\n#pragma once\n";
  for (int part = 0; part < parts; ++part)
    text += format(
        "\nextern \"C\" __global__ void __launch_bounds__(threads, min_blocks)\n"
        "    {}(const Real* __restrict__ in, Real* __restrict__ out, int nx, int ny, int nz,\n"
        "                   long long pitch, long long plane) {{\n"
        "  add_part<{}>(in, out, nx, ny, nz, pitch, plane);\n}}\n",
        entry_of(part), part);
  return text;
}

constexpr Division divisions[] = {Division::planes, Division::rows, Division::points, Division::axes};

/// Returns numbers of parts that leave each of them enough points.
std::vector<int> part_counts(const StencilJob& job) {
  const auto points = static_cast<std::int64_t>(job.stencil.points.size());
  std::vector<int> counts;
  for (const int parts : {2, 3, 4, 5, 6, 8, 10, 12, 16})
    if (parts * min_points_of_part <= points) counts.push_back(parts);
  return counts;
}

void add_split(FamilySpace& space, const StencilJob& job) {
  if (!split_applies(job)) return;
  const std::vector<int> counts = part_counts(job);
  std::vector<Value> ways, numbers(counts.begin(), counts.end());
  for (const Division division : divisions)
    if (max_parts(job.stencil, division) >= 2) ways.emplace_back(std::string(to_string(division)));
  // Launches of few points wait for memory: the default has as many parts as are needed to unroll its sums.
  std::size_t wanted = 0;
  while (wanted + 1 < counts.size() &&
         largest_part(job.stencil, Division::points, counts[wanted]) * default_split_cells > max_part_terms)
    ++wanted;
  space.add("parts", "launches a time step, each of which adds the terms of a part of the points", numbers,
            counts[wanted]);
  space.add(
      "divide",
      "where the points are cut into parts of about equal counts: between planes of z (rows of two "
      "dimensions), between rows of y, anywhere, or, for a star, anywhere with the points in the order of "
      "the axes",
      ways, ways.back().as_text() == "axes" ? Value("axes") : Value("points"));

  add_shared(space, job,
             {"block_x", "block_y", "block_z", "vector", "cells_y", "cells_z", "readonly", "padded", "store",
              "min_blocks"});
  const Rules rules = space.rules();
  const Expr cells = var("vector") * var("cells_y") * var("cells_z");
  const Expr block = var("block_x") * var("block_y") * var("block_z");
  add_block_limits(rules, block);
  add_row_rule(rules);
  add_brick_limits(rules, cells);
  // The sums, and a row with its x neighbours.
  const Expr aligned_halo = ceil_div(var("reach_x"), var("vector")) * var("vector");
  rules.add_registers(
      (cells + var("vector") + aligned_halo * 2) * var("words") + 16, block,
      "the sums and a row with its neighbours need more registers than min_blocks leaves to a thread");
  Expr largest = 0;
  for (const Division division : divisions) {
    const int max = max_parts(job.stencil, division);
    if (max < 2) continue;
    const Expr chosen = var("divide") == std::string(to_string(division)).c_str();
    rules.add(!chosen || var("parts") <= max,
              "a division has fewer planes or rows than there would be parts");
    for (const int parts : part_counts(job))
      if (parts <= max)
        largest = largest + (chosen && var("parts") == parts) * largest_part(job.stencil, division, parts);
  }
  rules.add(
      largest * cells <= max_part_terms,
      "the unrolled sums of the largest part are larger than the instruction cache: more parts, or fewer "
      "cells a thread");
  rules.add(var("points") * cells <= max_split_terms, "all parts together take seconds to compile");
}

}  // namespace

Division division_named(std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::out_of_range(format("no division '{}'", name));
  return static_cast<Division>(found - names.begin());
}

std::string_view to_string(Division division) {
  return names.at(static_cast<std::size_t>(division));
}

int max_parts(const Stencil& stencil, Division division) {
  if (division == Division::axes && !stencil.star()) return 1;
  std::set<std::tuple<int, int, int>> keys;
  for (const StencilPoint& point : stencil.points) keys.insert(key(point, division));
  return static_cast<int>(keys.size());
}

std::vector<int> parts_of(const Stencil& stencil, Division division, int parts) {
  if (parts < 1 || parts > max_parts(stencil, division))
    throw std::invalid_argument("a stencil cannot be divided into this many parts");
  const auto key_of = [&](std::size_t i) { return key(stencil.points[i], division); };
  const std::size_t count = stencil.points.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, key_of);
  // A part may begin at each of these points; the last entry is the end.
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < count; ++i)
    if (i == 0 || key_of(order[i]) != key_of(order[i - 1])) cuts.push_back(i);
  cuts.push_back(count);
  const std::size_t groups = cuts.size() - 1, wanted = static_cast<std::size_t>(parts);
  std::vector<int> part_of(count);
  std::size_t begin = 0;  // a group
  for (std::size_t part = 0; part < wanted; ++part) {
    // Takes the cut nearest to the ideal one that leaves a group for every part.
    const std::size_t last = groups - (wanted - part - 1);
    std::size_t end = part + 1 == wanted ? groups : begin + 1;
    const auto distance = [&](std::size_t cut) {
      return std::llabs(static_cast<long long>(cuts[cut] * wanted) -
                        static_cast<long long>(count * (part + 1)));
    };
    while (end < last && distance(end + 1) <= distance(end)) ++end;
    for (std::size_t i = cuts[begin]; i < cuts[end]; ++i) part_of[order[i]] = static_cast<int>(part);
    begin = end;
  }
  return part_of;
}

std::int64_t largest_part(const Stencil& stencil, Division division, int parts) {
  const std::vector<int> part_of = parts_of(stencil, division, parts);
  std::int64_t largest = 0;
  for (int part = 0; part < parts; ++part)
    largest = std::max<std::int64_t>(largest, std::ranges::count(part_of, part));
  return largest;
}

Result<LaunchPlan> plan_split(const StencilJob& job, const Configuration& configuration,
                              const KernelSources& sources) {
  Result<SweepLaunch> sweep = sweep_launch(job, configuration);
  if (!sweep) return tl::unexpected<Failure>(sweep.error());
  const auto parts = static_cast<int>(configuration["parts"].as_int());
  const std::vector<int> part_of =
      parts_of(job.stencil, division_named(configuration["divide"].as_text()), parts);
  LaunchPlan plan;
  plan.compile = stencil_request(job, job.stencil, "split.cu", configuration, sources, {"parts", "divide"});
  plan.compile.headers.push_back({"stencil_parts.cuh", parts_header(job.stencil, part_of, parts)});
  plan.compile.headers.push_back({"stencil_part_kernels.cuh", kernels_header(parts)});
  add_axis_macros(job, plan.compile);
  for (int part = 0; part < parts; ++part) plan.compile.entries.push_back(entry_of(part));

  add_arrays(plan, job, sweep->layout, job.steps > 1 ? 1 : 0);
  std::string source = "in";
  for (std::int64_t step = 0; step < job.steps; ++step) {
    const std::string target = target_of(step, job.steps);
    for (const std::string& entry : plan.compile.entries) {
      Launch launch = sweep->launch;
      launch.entry = entry;
      launch.arguments.insert(launch.arguments.begin(), {BufferArgument{source}, BufferArgument{target}});
      plan.launches.emplace_back(std::move(launch));
    }
    source = target;
  }
  return plan;
}

bool split_applies(const StencilJob& job) {
  const auto points = static_cast<std::int64_t>(job.stencil.points.size());
  // Part numbers lie in constant memory beside the weights: a byte for each.
  const std::int64_t weights = constant_bytes(job);
  return points >= 3 * min_points_of_part && points <= max_split_terms &&
         weights + weights / job.element_bytes() <= constant_memory;
}

StencilVariant split_stencil() {
  return {"split",       "as direct, but a launch for each of several parts of the points",
          split_applies, add_split,
          plan_split,    step_sizes,
          nullptr,       seconds_of_single_steps};
}

}  // namespace tune::kernels
