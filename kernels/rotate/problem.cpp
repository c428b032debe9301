// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "kernels/rotate/model/job.hpp"
#include "kernels/rotate/model/reference.hpp"
#include "kernels/rotate/model/variant.hpp"

namespace tune::kernels {
namespace {

/// Returns small sizes at which a configuration is checked: several tiles and a part of one, single rows and
/// columns, one pixel.
std::vector<CheckedSize> rotate_checked_sizes(const RotateJob& job, const Configuration& configuration) {
  const RotateTile tile = rotate_tile(job, configuration);
  const auto size = [](std::int64_t nx, std::int64_t ny) { return CheckedSize{{{"nx", nx}, {"ny", ny}}}; };
  return {size(2 * tile.x + 13, tile.y + 5), size(3, 61), size(50, 1), size(1, 1)};
}

ProblemInfo rotate_info() {
  ProblemInfo info;
  info.name = "rotate";
  info.summary = "an image turned about its centre, with bilinear interpolation";
  info.extents = {{"nx", "pixels along x, the fastest dimension", 8192}, {"ny", "pixels along y", 8192}};
  info.settings = {
      {"type",
       "type of a pixel: whole numbers of 8 or 16 bits, float, or four channels of 8 bits",
       {"uint8", "uint16", "float", "uint8x4"},
       "uint8"},
      {.name = "angle",
       .documentation = "angle in degrees, counter-clockwise",
       .values = {},
       .default_value = 30,
       .range = std::pair<std::int64_t, std::int64_t>{-360, 360},
       .real = true},
      {"border",
       "what lies around the image: zeros, its edge, or the image again",
       {"zero", "clamp", "wrap"},
       "zero"},
      {"source", "where the image lies: in linear memory or in a CUDA array", {"linear", "array"}, "linear"},
  };
  info.item = "pixel";
  info.sources = rotate_kernels().names();
  return info;
}

ProblemCost rotate_cost(const RotateJob& job) {
  constexpr double lerps = 3, operations = 3;  // of each: a difference, a product, a sum
  ProblemCost cost;
  cost.items = job.pixels();
  cost.flops = job.pixels() * static_cast<double>(job.channels) * lerps * operations;
  cost.bytes = (job.pixels() + visible_pixels(job)) * static_cast<double>(job.pixel_bytes());
  return cost;
}

Result<LaunchPlan> plan_rotate(const RotateJob& job, const Configuration& configuration,
                               const KernelSources& sources) {
  return rotate_variants().of(configuration).plan(job, configuration, sources);
}

Tolerance exact_tolerance(const RotateJob& job) {
  return rotate_tolerance(job, 0x1p-15, 0x1p-21,
                          "coordinates within a tile are rounded to 2^-23 up to 128 times each way");
}

}  // namespace

/// An image of nx x ny pixels turned about its centre. Buffers `in` and `out`, with the extents {nx, ny}, or
/// {4, nx, ny} for four channels.
std::unique_ptr<Problem> make_rotate() {
  return std::make_unique<FamilyProblem<RotateJob>>(
      rotate_info(),
      FamilyFunctions<RotateJob>{rotate_job, rotate_space, rotate_cost, plan_rotate, rotate_inputs,
                                 rotate_reference, exact_tolerance, rotate_checked_sizes});
}

}  // namespace tune::kernels
