// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/reference.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
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

/// Returns the rows of later neighbours, by place.
Rows later_neighbours(Offsets offsets, std::span<const std::int32_t> neighbours) {
  const std::size_t vertices = offsets.size() - 1;
  const std::vector<std::uint32_t> places = places_by_degree(offsets);
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

/// A part of a row.
struct Rest {
  std::uint32_t begin, end;
};

/// The rests of rows behind each vertex that they have.
struct Rests {
  std::vector<std::uint64_t> starts;  ///< of those behind vertex 0, 1, ...
  std::vector<Rest> all;
};

Rests rests_of(const Rows& rows) {
  Rests rests;
  rests.starts.resize(rows.size() + 1);
  const auto each_rest = [&](const auto& use) {
    in_pieces(rows.size(), piece_vertices, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t u = begin; u < end; ++u)
        for (std::uint64_t e = rows.starts[u]; e + 1 < rows.starts[u + 1]; ++e)
          use(rows.targets[e],
              Rest{static_cast<std::uint32_t>(e + 1), static_cast<std::uint32_t>(rows.starts[u + 1])});
    });
  };
  each_rest([&](std::uint32_t v, Rest) {
    std::atomic_ref(rests.starts[v + 1]).fetch_add(1, std::memory_order_relaxed);
  });
  std::partial_sum(rests.starts.begin(), rests.starts.end(), rests.starts.begin());
  rests.all.resize(rests.starts.back());
  std::vector<std::uint64_t> next(rests.starts.begin(), rests.starts.end() - 1);
  each_rest([&](std::uint32_t v, Rest rest) {
    rests.all[std::atomic_ref(next[v]).fetch_add(1, std::memory_order_relaxed)] = rest;
  });
  return rests;
}

std::uint64_t triangles(const Rows& rows) {
  const Rests rests = rests_of(rows);
  std::atomic<std::uint64_t> all = 0;
  in_pieces(rows.size(), 8, [&](std::uint64_t begin, std::uint64_t end) {
    // A bit for each vertex: is it in the row?
    thread_local std::vector<std::uint64_t> marks;
    if (marks.size() < rows.size() / 64 + 1) marks.assign(rows.size() / 64 + 1, 0);
    std::uint64_t count = 0;
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t v = rows.size() - 1 - i;  // the longest work comes first
      if (rows.row(v).empty() || rests.starts[v] == rests.starts[v + 1]) continue;
      for (const std::uint32_t w : rows.row(v)) marks[w / 64] |= std::uint64_t{1} << w % 64;
      for (std::uint64_t r = rests.starts[v]; r < rests.starts[v + 1]; ++r)
        for (std::uint64_t e = rests.all[r].begin; e < rests.all[r].end; ++e)
          count += marks[rows.targets[e] / 64] >> rows.targets[e] % 64 & 1;
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
      static_cast<double>(triangles(later_neighbours(inputs.find("offsets")->second.as<std::uint32_t>(),
                                                     inputs.find("neighbours")->second.as<std::int32_t>())));
  TensorSet set;
  set.emplace("count", std::move(count));
  return set;
}

}  // namespace tune::kernels
