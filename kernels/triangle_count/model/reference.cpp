// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/reference.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/triangle_count/model/graph.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

using Offsets = std::span<const std::uint32_t>;

constexpr std::uint64_t piece_vertices = 1 << 10;

/// Returns the place of each vertex in the order of degrees.
std::vector<std::uint32_t> places_by_degree(Offsets offsets) {
  const std::size_t vertices = offsets.size() - 1;
  std::uint32_t most = 0;
  for (std::size_t u = 0; u < vertices; ++u) most = std::max(most, offsets[u + 1] - offsets[u]);
  std::vector<std::uint32_t> begins(std::size_t{most} + 2), places(vertices);
  for (std::size_t u = 0; u < vertices; ++u) ++begins[offsets[u + 1] - offsets[u] + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  for (std::size_t u = 0; u < vertices; ++u) places[u] = begins[offsets[u + 1] - offsets[u]]++;
  return places;
}

/// The rows of later neighbours, by place, sorted: row u is targets[starts[u]] up to starts[u + 1].
struct Rows {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t, LazyZeros<std::uint32_t>> targets;

  std::span<const std::uint32_t> row(std::uint64_t u) const {
    return {targets.data() + starts[u], targets.data() + starts[u + 1]};
  }
};

Rows later_neighbours(Offsets offsets, std::span<const std::int32_t> neighbours,
                      const std::vector<std::uint32_t>& places) {
  const std::size_t vertices = offsets.size() - 1;
  const auto each_later = [&](std::size_t u, const auto& use) {
    for (std::size_t e = offsets[u]; e < offsets[u + 1]; ++e)
      if (const std::uint32_t place = places[static_cast<std::size_t>(neighbours[e])]; place > places[u])
        use(place);
  };
  Rows rows;
  rows.starts.resize(vertices + 1);
  in_pieces(vertices, piece_vertices, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u)
      each_later(u, [&](std::uint32_t) { ++rows.starts[places[u] + 1]; });
  });
  std::partial_sum(rows.starts.begin(), rows.starts.end(), rows.starts.begin());
  rows.targets.resize(rows.starts.back());
  in_pieces(vertices, piece_vertices, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u) {
      std::uint64_t at = rows.starts[places[u]];
      each_later(u, [&](std::uint32_t place) { rows.targets[at++] = place; });
      std::sort(rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.starts[places[u]]),
                rows.targets.begin() + static_cast<std::ptrdiff_t>(at));
    }
  });
  return rows;
}

std::uint64_t triangles(Offsets offsets, std::span<const std::int32_t> neighbours) {
  const std::size_t vertices = offsets.size() - 1;
  const std::vector<std::uint32_t> places = places_by_degree(offsets);
  std::vector<std::uint32_t> order(vertices);
  for (std::size_t u = 0; u < vertices; ++u) order[places[u]] = static_cast<std::uint32_t>(u);
  const Rows rows = later_neighbours(offsets, neighbours, places);
  std::atomic<std::uint64_t> all = 0;
  in_pieces(vertices, 8, [&](std::uint64_t begin, std::uint64_t end) {
    // A bit for each vertex: is it in the row?
    thread_local std::vector<std::uint64_t> marks;
    if (marks.size() < vertices / 64 + 1) marks.assign(vertices / 64 + 1, 0);
    std::uint64_t count = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t v = vertices - 1 - i;  // the longest work comes first
      if (rows.row(v).empty()) continue;
      for (const std::uint32_t w : rows.row(v)) marks[w / 64] |= std::uint64_t{1} << w % 64;
      for (std::size_t e = offsets[order[v]]; e < offsets[order[v] + 1]; ++e) {
        const std::uint32_t u = places[static_cast<std::size_t>(neighbours[e])];
        if (u > v) continue;
        const auto row = rows.row(u);
        for (auto w = std::upper_bound(row.begin(), row.end(), static_cast<std::uint32_t>(v)); w != row.end();
             ++w)
          count += marks[*w / 64] >> *w % 64 & 1;
      }
      for (const std::uint32_t w : rows.row(v)) marks[w / 64] = 0;
    }
    all += count;
  });
  return all;
}

}  // namespace

Tolerance triangle_tolerance(const TriangleJob&) {
  Tolerance tolerance;
  tolerance.derivation = "triangles are counted in whole numbers";
  return tolerance;
}

TensorSet triangle_reference(const TriangleJob&, const TensorSet& inputs) {
  throw_if_stopped();
  HostTensor count(ElementType::f64, {1});
  count.as<double>()[0] =
      static_cast<double>(triangles(inputs.find("offsets")->second.as<std::uint32_t>(),
                                    inputs.find("neighbours")->second.as<std::int32_t>()));
  TensorSet set;
  set.emplace("count", std::move(count));
  return set;
}

}  // namespace tune::kernels
