// SPDX-License-Identifier: Apache-2.0
// The graphs that the problem makes itself. All arithmetic is on whole numbers, so that a seed makes the same
// graph on every machine.
#include <algorithm>
#include <array>
#include <bit>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/triangle_count/model/graph.hpp"

namespace tune::kernels {
namespace {

using Vertex = std::uint32_t;
using Edges = EdgeKeys;

std::uint64_t random_bits(std::uint64_t stream, std::uint64_t number) {
  return mixed_bits(Mixer::splitmix, stream + number);
}

/// A random order of the vertices: the graph does not tell its structure by its numbers.
class Shuffled {
 public:
  Shuffled(std::uint64_t vertices, std::uint64_t seed)
      : vertices_(vertices), bits_(static_cast<unsigned>(std::bit_width(vertices - 1))) {
    for (std::size_t round = 0; round < keys_.size(); ++round) keys_[round] = random_bits(seed, round);
  }
  Vertex operator()(std::uint64_t vertex) const {
    if (vertices_ == 1) return 0;
    // A permutation of the numbers below a power of two; from those above the vertices it goes on.
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    do {
      for (const std::uint64_t key : keys_) {
        vertex = (vertex * (key | 1) + (key >> 32)) & mask;
        vertex ^= vertex >> (bits_ / 2 + 1);
      }
    } while (vertex >= vertices_);
    return static_cast<Vertex>(vertex);
  }

 private:
  std::uint64_t vertices_;
  unsigned bits_;
  std::array<std::uint64_t, 4> keys_{};
};

/// Draws edge `number` of an R-MAT graph with probabilities 0.57, 0.19, 0.19 and 0.05 of the quarters of the
/// adjacency matrix, 16 bits each, in the next power of two; those outside of the graph and loops are drawn
/// again.
std::array<std::uint64_t, 2> rmat_edge(std::uint64_t vertices, std::uint64_t stream, std::uint64_t number) {
  constexpr std::uint64_t a = 37355, ab = a + 12452, abc = ab + 12452;
  const auto levels = static_cast<int>(std::bit_width(vertices - 1));
  std::uint64_t state = random_bits(stream, number);
  for (;;) {
    std::uint64_t u = 0, v = 0, bits = 0;
    for (int level = 0; level < levels; ++level) {
      if (level % 4 == 0) bits = state = mixed_bits(Mixer::splitmix, state);
      const std::uint64_t draw = bits & 0xffff;
      bits >>= 16;
      const std::uint64_t lower = draw >= ab ? 1 : 0;
      u = 2 * u + lower;
      v = 2 * v + (lower != 0 ? (draw >= abc ? 1 : 0) : (draw >= a ? 1 : 0));
    }
    if (u != v && u < vertices && v < vertices) return {u, v};
    if (levels == 0) return {0, 0};
  }
}

std::array<std::uint64_t, 2> uniform_edge(std::uint64_t vertices, std::uint64_t stream,
                                          std::uint64_t number) {
  for (std::uint64_t state = random_bits(stream, number);; state = mixed_bits(Mixer::splitmix, state)) {
    const std::uint64_t u = ((state >> 32) * vertices) >> 32, v = ((state & 0xffffffff) * vertices) >> 32;
    if (u != v) return {u, v};
  }
}

/// Makes all edges by their numbers, without repeats.
template<class Edge>
Edges numbered(std::uint64_t count, const Shuffled& shuffled, const Edge& edge) {
  Edges edges(count);
  in_pieces(count, 1 << 15, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t e = begin; e < end; ++e) {
      const auto [u, v] = edge(e);
      edges[e] = edge_key(shuffled(u), shuffled(v));
    }
  });
  return edges;
}

/// Adds the first pairs of vertices that have no edge in `there`, which is sorted.
void fill_up(Edges& edges, const Edges& there, std::uint64_t vertices, std::uint64_t count) {
  auto next = there.begin();
  for (std::uint64_t u = 0; u < vertices; ++u)
    for (std::uint64_t v = u + 1; v < vertices; ++v) {
      if (edges.size() == count) return;
      const EdgeKey edge = edge_key(static_cast<Vertex>(u), static_cast<Vertex>(v));
      if (next != there.end() && *next == edge)
        ++next;
      else
        edges.push_back(edge);
    }
}

/// Draws until there are so many different edges, and leaves out what is too much, evenly. Where nearly all
/// pairs that are likely have an edge, others are added.
template<class Draw>
Edges drawn(const TriangleJob& job, const Shuffled& shuffled, const Draw& draw) {
  const auto vertices = static_cast<std::uint64_t>(job.vertices),
             wanted = static_cast<std::uint64_t>(job.edges);
  constexpr int rounds = 5;
  std::uint64_t draws = wanted + wanted / 8 + 8;
  for (int round = 0;; ++round) {
    Edges found = numbered(draws, shuffled, draw);
    make_unique(found, vertices);
    if (found.size() == wanted) return found;
    if (found.size() < wanted && round + 1 < rounds) {
      draws += 4 * (wanted - found.size()) + draws / 8;
      continue;
    }
    Edges edges;
    edges.reserve(wanted);
    const std::uint64_t surplus = found.size() > wanted ? found.size() - wanted : 0;
    for (std::uint64_t i = 0; i < found.size(); ++i)
      if ((i + 1) * surplus / found.size() == i * surplus / found.size()) edges.push_back(found[i]);
    fill_up(edges, found, vertices, wanted);
    return edges;
  }
}

/// Returns groups of vertices in which all have edges with each other, as small as the edges allow.
Edges cliques(const TriangleJob& job, const Shuffled& shuffled) {
  const auto vertices = static_cast<std::uint64_t>(job.vertices),
             wanted = static_cast<std::uint64_t>(job.edges);
  std::uint64_t size = std::max<std::uint64_t>(2, std::min(vertices, 2 * wanted / vertices));
  while (size < vertices && vertices / size * (size * (size - 1) / 2) < wanted) ++size;
  Edges edges;
  edges.reserve(wanted);
  for (std::uint64_t first = 0; edges.size() < wanted; first += size)
    for (std::uint64_t u = first; u < first + size; ++u)
      for (std::uint64_t v = first; v < u && edges.size() < wanted; ++v)
        edges.push_back(edge_key(shuffled(u), shuffled(v)));
  return edges;
}

/// Returns a first vertex with edges to all others, then a second one, and so on.
Edges star(const TriangleJob& job, const Shuffled& shuffled) {
  const auto vertices = static_cast<std::uint64_t>(job.vertices),
             wanted = static_cast<std::uint64_t>(job.edges);
  Edges edges;
  edges.reserve(wanted);
  for (std::uint64_t hub = 0; edges.size() < wanted; ++hub)
    for (std::uint64_t v = hub + 1; v < vertices && edges.size() < wanted; ++v)
      edges.push_back(edge_key(shuffled(hub), shuffled(v)));
  return edges;
}

Edges edges_of(const TriangleJob& job, std::uint64_t seed) {
  const auto vertices = static_cast<std::uint64_t>(job.vertices),
             wanted = static_cast<std::uint64_t>(job.edges);
  const std::uint64_t stream = mixed_bits(Mixer::splitmix, seed);
  const Shuffled shuffled(vertices, mixed_bits(Mixer::splitmix, stream));
  if (wanted == 0) return {};
  switch (job.kind) {
    case TriangleJob::Kind::uniform:
      return drawn(job, shuffled, [&](std::uint64_t e) { return uniform_edge(vertices, stream, e); });
    case TriangleJob::Kind::lattice:
      // On a ring: to the next vertex, then to the second next, and so on.
      return numbered(wanted, shuffled, [&](std::uint64_t e) {
        const std::uint64_t u = e % vertices;
        return std::array{u, (u + e / vertices + 1) % vertices};
      });
    case TriangleJob::Kind::cliques:
      return cliques(job, shuffled);
    case TriangleJob::Kind::star:
      return star(job, shuffled);
    case TriangleJob::Kind::rmat:
      break;
  }
  return drawn(job, shuffled, [&](std::uint64_t e) { return rmat_edge(vertices, stream, e); });
}

}  // namespace

TensorSet triangle_inputs(const TriangleJob& job, std::uint64_t seed) {
  return undirected(job, edges_of(job, seed));
}

}  // namespace tune::kernels
