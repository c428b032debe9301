// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/graph.hpp"

#include <algorithm>

#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

constexpr std::uint64_t piece_edges = 1 << 16, piece_rows = 1 << 12;

std::uint64_t next(std::uint64_t& counter) {
  return std::atomic_ref(counter).fetch_add(1, std::memory_order_relaxed);
}

/// Turns counts into where the rows begin; the last element, zero before, becomes the sum.
void add_up(std::vector<std::uint64_t>& counts) {
  std::uint64_t sum = 0;
  for (std::uint64_t& count : counts) {
    const std::uint64_t own = count;
    count = sum;
    sum += own;
  }
}

/// After each row's begin was moved to its end.
void move_back(std::vector<std::uint64_t>& starts) {
  for (std::size_t u = starts.size() - 1; u > 0; --u) starts[u] = starts[u - 1];
  starts.front() = 0;
}

}  // namespace

void in_pieces(std::uint64_t count, std::uint64_t piece,
               const std::function<void(std::uint64_t, std::uint64_t)>& work) {
  std::atomic<std::uint64_t> taken = 0;
  parallel_for((count + piece - 1) / piece, 1, [&](std::uint64_t, std::uint64_t) {
    for (;;) {
      throw_if_stopped();
      const std::uint64_t begin = taken.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= count) return;
      work(begin, std::min(count, begin + piece));
    }
  });
}

Rows unique_edges(std::uint64_t vertices, std::span<const EdgeKey> edges) {
  Rows all;
  all.starts.resize(vertices + 1);
  const auto each_edge = [&](const auto& use) {
    in_pieces(edges.size(), piece_edges, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t e = begin; e < end; ++e) {
        const auto low = static_cast<std::uint32_t>(edges[e] >> 32),
                   high = static_cast<std::uint32_t>(edges[e]);
        if (low != high) use(low, high);
      }
    });
  };
  each_edge([&](std::uint32_t low, std::uint32_t) { next(all.starts[low]); });
  add_up(all.starts);
  all.targets.resize(all.starts.back());
  each_edge([&](std::uint32_t low, std::uint32_t high) { all.targets[next(all.starts[low])] = high; });
  move_back(all.starts);
  Rows unique;
  unique.starts.resize(vertices + 1);
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u) {
      std::uint32_t* const from = all.targets.data() + all.starts[u];
      std::uint32_t* const to = all.targets.data() + all.starts[u + 1];
      std::sort(from, to);
      unique.starts[u] = static_cast<std::uint64_t>(std::unique(from, to) - from);
    }
  });
  add_up(unique.starts);
  unique.targets.resize(unique.starts.back());
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u)
      std::copy_n(all.targets.data() + all.starts[u], unique.row(u).size(),
                  unique.targets.data() + unique.starts[u]);
  });
  return unique;
}

TensorSet undirected(const TriangleJob& job, const Rows& edges) {
  const std::uint64_t vertices = edges.size();
  std::vector<std::uint64_t> starts(vertices + 1);
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u)
      for (const std::uint32_t v : edges.row(u)) next(starts[v]);
  });
  std::vector<std::uint64_t> smaller = starts;  // neighbours: they come first
  for (std::uint64_t u = 0; u < vertices; ++u) starts[u] += edges.row(u).size();
  add_up(starts);
  HostTensor offsets(ElementType::u32, job.offsets()), neighbours(ElementType::i32, job.neighbours());
  std::ranges::copy(starts, offsets.as<std::uint32_t>().begin());
  const auto to = neighbours.as<std::int32_t>();
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u) {
      std::uint64_t at = starts[u + 1] - edges.row(u).size();
      for (const std::uint32_t v : edges.row(u)) to[at++] = static_cast<std::int32_t>(v);
    }
  });
  std::vector<std::uint64_t> filled(vertices);
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t u = begin; u < end; ++u)
      for (const std::uint32_t v : edges.row(u))
        to[starts[v] + next(filled[v])] = static_cast<std::int32_t>(u);
  });
  in_pieces(vertices, piece_rows, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t v = begin; v < end; ++v)
      std::sort(to.data() + starts[v], to.data() + starts[v] + smaller[v]);
  });
  TensorSet set;
  set.emplace("offsets", std::move(offsets));
  set.emplace("neighbours", std::move(neighbours));
  return set;
}

}  // namespace tune::kernels
