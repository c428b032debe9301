// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/graph.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <span>
#include <utility>

#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

constexpr std::uint64_t piece_edges = 1 << 16;

/// Sorts keys by `bits` bits, from `shift` on, of what they exceed `base` by; equal ones keep their order.
void sort_by_bits(std::span<EdgeKey> keys, EdgeKey base, std::vector<EdgeKey>& other, unsigned shift,
                  unsigned bits) {
  constexpr unsigned most = 11;
  for (unsigned done = 0; done < bits; done += most) {
    const unsigned from = shift + done;
    const EdgeKey mask = (EdgeKey{1} << std::min(most, bits - done)) - 1;
    std::array<std::uint32_t, std::size_t{1} << most> begins{};
    for (const EdgeKey key : keys) ++begins[(key - base) >> from & mask];
    std::uint32_t sum = 0;
    for (std::uint32_t& begin : begins) sum += std::exchange(begin, sum);
    for (const EdgeKey key : keys) other[begins[(key - base) >> from & mask]++] = key;
    std::copy_n(other.begin(), keys.size(), keys.begin());
  }
}

/// Sorts keys of vertices from `first` on, fewer than 2^`near`, to others, fewer than 2^`far`.
void sort_bucket(std::span<EdgeKey> keys, std::uint64_t first, unsigned near, unsigned far) {
  constexpr std::size_t few = 1024, most = 0xffffffff;
  if (keys.size() < few || keys.size() > most) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  std::vector<EdgeKey> other(keys.size());
  sort_by_bits(keys, first << 32, other, 0, far);
  sort_by_bits(keys, first << 32, other, 32, near);
}

/// Sorts keys whose upper halves are vertices. `without(key)`: is to be left out; equal keys are, too.
template<class Without>
void sort_unique(EdgeKeys& keys, std::uint64_t vertices, const Without& without) {
  // Each slice of the keys counts and moves its own, so that no two threads write to the same counter.
  constexpr std::uint64_t buckets = 2048;
  const std::uint64_t slices = host_threads();
  const auto slice_begin = [&](std::uint64_t slice) { return keys.size() * slice / slices; };
  const auto bucket_of = [&](EdgeKey key) { return (key >> 32) * buckets / vertices; };
  std::vector<std::vector<std::uint64_t>> places(slices, std::vector<std::uint64_t>(buckets));
  in_pieces(slices, 1, [&](std::uint64_t slice, std::uint64_t) {
    for (std::uint64_t i = slice_begin(slice); i < slice_begin(slice + 1); ++i)
      if (!without(keys[i])) ++places[slice][bucket_of(keys[i])];
  });
  std::vector<std::uint64_t> begins(buckets + 1), sizes(buckets);
  std::uint64_t all = 0;
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket) {
    begins[bucket] = all;
    for (auto& slice : places) {
      const std::uint64_t own = slice[bucket];
      slice[bucket] = all;
      all += own;
    }
  }
  begins[buckets] = all;
  EdgeKeys moved(all);
  const auto near = static_cast<unsigned>(std::bit_width(vertices / buckets));
  const auto far = static_cast<unsigned>(std::bit_width(vertices - 1));
  in_pieces(slices, 1, [&](std::uint64_t slice, std::uint64_t) {
    for (std::uint64_t i = slice_begin(slice); i < slice_begin(slice + 1); ++i)
      if (!without(keys[i])) moved[places[slice][bucket_of(keys[i])]++] = keys[i];
  });
  in_pieces(buckets, 1, [&](std::uint64_t bucket, std::uint64_t) {
    EdgeKey *const from = moved.data() + begins[bucket], *const to = moved.data() + begins[bucket + 1];
    sort_bucket({from, to}, (bucket * vertices + buckets - 1) / buckets, near, far);
    sizes[bucket] = static_cast<std::uint64_t>(std::unique(from, to) - from);
  });
  std::vector<std::uint64_t> places_unique(buckets + 1);
  for (std::uint64_t bucket = 0; bucket < buckets; ++bucket)
    places_unique[bucket + 1] = places_unique[bucket] + sizes[bucket];
  if (places_unique[buckets] == all) {
    keys = std::move(moved);
    return;
  }
  keys = EdgeKeys(places_unique[buckets]);
  in_pieces(buckets, 1, [&](std::uint64_t bucket, std::uint64_t) {
    std::copy_n(moved.data() + begins[bucket], sizes[bucket], keys.data() + places_unique[bucket]);
  });
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

void make_unique(EdgeKeys& edges, std::uint64_t vertices) {
  sort_unique(edges, vertices, [](EdgeKey key) { return key >> 32 == (key & 0xffffffff); });
}

TensorSet undirected(const TriangleJob& job, const EdgeKeys& edges) {
  const auto vertices = static_cast<std::uint64_t>(job.vertices);
  EdgeKeys both(2 * edges.size());
  in_pieces(edges.size(), piece_edges, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      both[2 * i] = edges[i];
      both[2 * i + 1] = edges[i] << 32 | edges[i] >> 32;
    }
  });
  sort_unique(both, vertices, [](EdgeKey) { return false; });
  HostTensor offsets(ElementType::u32, job.offsets()), neighbours(ElementType::i32, job.neighbours());
  const auto starts = offsets.as<std::uint32_t>();
  const auto to = neighbours.as<std::int32_t>();
  in_pieces(both.size(), piece_edges, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      to[i] = static_cast<std::int32_t>(both[i] & 0xffffffff);
      // Rows that begin here: that of this vertex, and empty ones before it.
      for (std::uint64_t u = i == 0 ? 0 : (both[i - 1] >> 32) + 1; u <= both[i] >> 32; ++u)
        starts[u] = static_cast<std::uint32_t>(i);
    }
  });
  for (std::uint64_t u = both.empty() ? 0 : (both.back() >> 32) + 1; u <= vertices; ++u)
    starts[u] = static_cast<std::uint32_t>(both.size());
  TensorSet set;
  set.emplace("offsets", std::move(offsets));
  set.emplace("neighbours", std::move(neighbours));
  return set;
}

}  // namespace tune::kernels
