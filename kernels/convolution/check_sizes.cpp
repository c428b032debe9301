// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/check_sizes.hpp"

#include "kernels/convolution/model/variant.hpp"

namespace tune::kernels {

std::vector<std::pair<std::int64_t, std::int64_t>> convolution_check_sizes(
    const ConvolutionJob& job, const search::Configuration& configuration) {
  constexpr double max_cost = 4e7;  // multiply-adds that an emulator has done in some seconds
  const ConvolutionTile tile = convolution_variant(configuration).tile(job, configuration);
  const std::int64_t nx = tile.x + 37, ny = tile.y + 13;
  const bool affordable = static_cast<double>(nx * ny * 2 * job.taps()) <= max_cost;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes;
  if (affordable) sizes.emplace_back(nx, ny);
  if (!affordable) sizes.emplace_back(nx, 7);
  if (!affordable) sizes.emplace_back(43, ny);
  sizes.emplace_back(job.radius + 3, job.radius + 2);
  sizes.emplace_back(13, 5);
  sizes.emplace_back(1, 9);
  sizes.emplace_back(1, 1);
  const search::Value* padded = configuration.find("padded");
  const std::int64_t vector = padded != nullptr && !padded->as_bool() && configuration.has("vector")
                                  ? configuration["vector"].as_int()
                                  : 1;
  for (auto& [x, y] : sizes) x = (x + vector - 1) / vector * vector;
  return sizes;
}

}  // namespace tune::kernels
