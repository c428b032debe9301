// SPDX-License-Identifier: Apache-2.0
// The points and queries that the problem makes itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/framework/random_numbers.hpp"
#include "kernels/grid_knn/model/reference.hpp"
#include "tuner/base/parallel.hpp"
#include "tuner/base/stop_scope.hpp"

namespace tune::kernels {
namespace {

using Place = std::array<float, 3>;

/// Random numbers in [0, 1), multiples of 2^-24, by their own number.
class Numbers {
 public:
  explicit Numbers(std::uint64_t stream) : start_(mixed_bits(Mixer::splitmix, stream)) {}
  float operator()(std::uint64_t number) const {
    return static_cast<float>(mixed_bits(Mixer::splitmix, start_ + number) >> 40) * 0x1.0p-24F;
  }
  Place place(std::uint64_t number) const {
    return {(*this)(number * 3), (*this)(number * 3 + 1), (*this)(number * 3 + 2)};
  }

 private:
  std::uint64_t start_;
};

/// Makes place `number` of a distribution. `common`: what points and queries share, such as the clusters.
Place place_at(KnnJob::Data data, const Numbers& common, const Numbers& own, std::uint64_t number) {
  Place place = own.place(2 * number);
  switch (data) {
    case KnnJob::Data::clustered: {
      // A tenth lies anywhere; of the others a quarter in the first of 64 clusters, the more the earlier.
      const Place choice = own.place(2 * number + 1);
      if (choice[0] < 0.1F) break;
      const float square = choice[1] * choice[1] * choice[1];
      const auto cluster = static_cast<std::uint64_t>(64 * square);
      const Place centre = common.place(cluster);
      const float radius = 0.002F + 0.03F * common(1000 + cluster);
      // Denser towards the centre.
      for (std::size_t axis = 0; axis < 3; ++axis)
        place[axis] = centre[axis] + radius * choice[2] * (2 * place[axis] - 1);
      break;
    }
    case KnnJob::Data::line: {
      const Place from = common.place(0), to = common.place(1);
      const float at = place[0];
      for (std::size_t axis = 0; axis < 3; ++axis) place[axis] = from[axis] + at * (to[axis] - from[axis]);
      break;
    }
    case KnnJob::Data::lattice:
      for (float& coordinate : place) coordinate = std::floor(coordinate * 16) / 16;
      break;
    case KnnJob::Data::equal:
      return common.place(0);
    case KnnJob::Data::uniform:
      break;
  }
  return place;
}

/// Sorts places row by row of cubes with about two of them each, as a program keeps points that it has sorted
/// before.
void sort_places(std::vector<Place>& places, int dimensions) {
  const double side = std::max(1.0, std::round(std::pow(static_cast<double>(places.size()) / 2,
                                                        1.0 / static_cast<double>(dimensions))));
  const auto cell = [&](float coordinate) {
    return static_cast<std::uint64_t>(std::clamp(static_cast<double>(coordinate) * side, 0.0, side - 1));
  };
  const auto row = static_cast<std::uint64_t>(side);
  std::vector<std::uint32_t> cubes(places.size());
  parallel_for(places.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    throw_if_stopped();
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::uint64_t z = dimensions == 3 ? cell(places[i][2]) : 0;
      cubes[i] = static_cast<std::uint32_t>((z * row + cell(places[i][1])) * row + cell(places[i][0]));
    }
  });
  std::vector<std::uint32_t> begins(row * row * (dimensions == 3 ? row : 1) + 1);
  for (const std::uint32_t cube : cubes) ++begins[cube + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Place> sorted(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) sorted[begins[cubes[i]]++] = places[i];
  places = std::move(sorted);
}

HostTensor coordinates(const KnnJob& job, std::int64_t count, const Numbers& common, const Numbers& own) {
  std::vector<Place> places(static_cast<std::size_t>(count));
  parallel_for(places.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
    throw_if_stopped();
    for (std::uint64_t i = begin; i < end; ++i) places[i] = place_at(job.data, common, own, i);
  });
  if (job.sorted) sort_places(places, job.dimensions);
  HostTensor tensor(ElementType::f32, job.coordinates(count));
  const auto to = tensor.as<float>();
  const auto dimensions = static_cast<std::size_t>(job.dimensions);
  for (std::size_t i = 0; i < places.size(); ++i)
    std::copy_n(places[i].begin(), dimensions, to.begin() + static_cast<std::ptrdiff_t>(i * dimensions));
  return tensor;
}

}  // namespace

TensorSet knn_inputs(const KnnJob& job, std::uint64_t seed) {
  const Numbers common(3 * seed);
  TensorSet set;
  set.emplace("points", coordinates(job, job.points, common, Numbers(3 * seed + 1)));
  if (job.own_queries()) set.emplace("queries", coordinates(job, job.queries, common, Numbers(3 * seed + 2)));
  return set;
}

}  // namespace tune::kernels
