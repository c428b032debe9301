// SPDX-License-Identifier: Apache-2.0
// The reference: a tree over the points, which has nothing in common with the kernels but the arithmetic of a
// distance.
#include "kernels/grid_knn/model/reference.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {

float squared_distance(float dx, float dy, float dz) {
  return std::fmaf(dz, dz, std::fmaf(dy, dy, dx * dx));
}

namespace {

struct Point {
  std::array<float, 3> at = {};
  std::uint32_t index = 0;
};

/// Orders neighbours by distance, then by index: the bits of a float that is not negative grow with it.
std::uint64_t key_of(float distance, std::uint32_t index) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(distance)} << 32 | index;
}

constexpr std::uint64_t no_neighbour =
    std::uint64_t{std::bit_cast<std::uint32_t>(std::numeric_limits<float>::infinity())} << 32 | 0xffffffffU;

/// The k best keys, the best one first.
class Best {
 public:
  explicit Best(std::size_t k) : keys_(k, no_neighbour) {}
  std::uint64_t worst() const { return keys_.back(); }
  /// The distance that no further neighbour exceeds.
  float reach() const { return std::bit_cast<float>(static_cast<std::uint32_t>(keys_.back() >> 32)); }
  void offer(std::uint64_t key) {
    if (key >= keys_.back()) return;
    std::size_t place = keys_.size() - 1;
    for (; place > 0 && keys_[place - 1] > key; --place) keys_[place] = keys_[place - 1];
    keys_[place] = key;
  }
  void clear() { std::ranges::fill(keys_, no_neighbour); }
  std::span<const std::uint64_t> keys() const { return keys_; }

 private:
  std::vector<std::uint64_t> keys_;
};

/// Points halved along the widest axis until few are left. Node 1 has all, nodes 2 n and 2 n + 1 the halves
/// of node n.
class Tree {
 public:
  explicit Tree(std::vector<Point> points) : points_(std::move(points)) {
    while (points_.size() >> levels_ > leaf_size) ++levels_;
    boxes_.resize(std::size_t{2} << levels_);
    for (std::size_t level = 0; level <= levels_; ++level)
      parallel_for(std::uint64_t{1} << level, 1, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
          throw_if_stopped();
          divide((std::uint64_t{1} << level) + i, level, i);
        }
      });
  }

  /// Adds the neighbours of a place, without the point `without`.
  void search(const std::array<float, 3>& place, std::uint32_t without, Best& best) const {
    search(1, 0, 0, points_.size(), place, without, best);
  }

 private:
  static constexpr std::size_t leaf_size = 12;

  struct Box {
    std::array<float, 3> low = {}, high = {};
    std::uint32_t first = 0;  ///< the least index
  };

  /// Returns where part `i` of 2^level begins: parts are halved as `search` does.
  std::size_t begin_of(std::size_t level, std::uint64_t i) const {
    std::size_t begin = 0, end = points_.size();
    for (std::size_t bit = level; bit-- > 0;) {
      const std::size_t middle = begin + (end - begin) / 2;
      ((i >> bit & 1) != 0 ? begin : end) = middle;
    }
    return begin;
  }

  void divide(std::uint64_t node, std::size_t level, std::uint64_t i) {
    const std::size_t begin = begin_of(level, i);
    const std::size_t end = i + 1 == std::uint64_t{1} << level ? points_.size() : begin_of(level, i + 1);
    Box box{points_[begin].at, points_[begin].at, points_[begin].index};
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = std::min(box.low[axis], points_[p].at[axis]);
        box.high[axis] = std::max(box.high[axis], points_[p].at[axis]);
      }
      box.first = std::min(box.first, points_[p].index);
    }
    boxes_[node] = box;
    if (level == levels_) return;
    std::size_t widest = 0;
    for (std::size_t axis = 1; axis < 3; ++axis)
      if (box.high[axis] - box.low[axis] > box.high[widest] - box.low[widest]) widest = axis;
    const auto at = [&](std::size_t p) { return points_.begin() + static_cast<std::ptrdiff_t>(p); };
    std::nth_element(at(begin), at(begin + (end - begin) / 2), at(end), [&](const Point& a, const Point& b) {
      return a.at[widest] != b.at[widest] ? a.at[widest] < b.at[widest] : a.index < b.index;
    });
  }

  /// The best key that a point of the node can have. Rounding keeps the order of differences, so the result
  /// is exact.
  std::uint64_t least_key(std::uint64_t node, const std::array<float, 3>& place) const {
    const Box& box = boxes_[node];
    std::array<float, 3> away = {};
    for (std::size_t axis = 0; axis < 3; ++axis)
      away[axis] = std::max({0.0F, box.low[axis] - place[axis], place[axis] - box.high[axis]});
    return key_of(squared_distance(away[0], away[1], away[2]), box.first);
  }

  void search(std::uint64_t node, std::size_t level, std::size_t begin, std::size_t end,
              const std::array<float, 3>& place, std::uint32_t without, Best& best) const {
    if (level == levels_) {
      for (std::size_t p = begin; p < end; ++p) {
        const Point& point = points_[p];
        const float dx = place[0] - point.at[0], dy = place[1] - point.at[1], dz = place[2] - point.at[2];
        // A fused operation takes ten times as long where the compiler does not know that the processor has
        // it.
        const float near = dx * dx + dy * dy + dz * dz;
        if (near > best.reach() * 1.000002F + std::numeric_limits<float>::min()) continue;
        if (point.index != without) best.offer(key_of(squared_distance(dx, dy, dz), point.index));
      }
      return;
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const std::uint64_t left = least_key(2 * node, place), right = least_key(2 * node + 1, place);
    const auto visit = [&](bool second) {
      if ((second ? right : left) >= best.worst()) return;
      search(2 * node + (second ? 1 : 0), level + 1, second ? middle : begin, second ? end : middle, place,
             without, best);
    };
    visit(right < left);
    visit(right >= left);
  }

  std::vector<Point> points_;
  std::vector<Box> boxes_;
  std::size_t levels_ = 0;
};

std::array<float, 3> place_of(std::span<const float> coordinates, std::size_t number,
                              std::size_t dimensions) {
  std::array<float, 3> place = {};
  std::copy_n(coordinates.begin() + static_cast<std::ptrdiff_t>(number * dimensions), dimensions,
              place.begin());
  return place;
}

}  // namespace

Tolerance knn_tolerance(const KnnJob&) {
  Tolerance tolerance;
  tolerance.derivation = "distances are rounded in one way, and equal ones ordered by index";
  return tolerance;
}

TensorSet knn_reference(const KnnJob& job, const TensorSet& inputs) {
  const auto dimensions = static_cast<std::size_t>(job.dimensions), k = static_cast<std::size_t>(job.k);
  const auto coordinates = inputs.find("points")->second.as<float>();
  const auto queries = job.own_queries() ? inputs.find("queries")->second.as<float>() : coordinates;
  std::vector<Point> points(static_cast<std::size_t>(job.points));
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i] = {place_of(coordinates, i, dimensions), static_cast<std::uint32_t>(i)};
  const Tree tree(std::move(points));
  HostTensor indices(ElementType::f64, job.results()), distances(ElementType::f64, job.results());
  const auto to_index = indices.as<double>(), to_distance = distances.as<double>();
  parallel_for(static_cast<std::uint64_t>(job.queries), 256, [&](std::uint64_t begin, std::uint64_t end) {
    Best best(k);
    for (std::uint64_t q = begin; q < end; ++q) {
      if (q % 256 == 0 || q == begin) throw_if_stopped();
      best.clear();
      tree.search(place_of(queries, q, dimensions),
                  job.self == KnnJob::Self::skip ? static_cast<std::uint32_t>(q) : 0xffffffffU, best);
      for (std::size_t j = 0; j < k; ++j) {
        const std::uint64_t key = best.keys()[j];
        to_index[q * k + j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(key));
        to_distance[q * k + j] = std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
      }
    }
  });
  TensorSet set;
  set.emplace("indices", std::move(indices));
  set.emplace("distances", std::move(distances));
  return set;
}

}  // namespace tune::kernels
