// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "kernels/common/transfers.hpp"
#include "kernels/convolution/model/job.hpp"
#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

/// Returns extents nx, ny at which a configuration is checked: several tiles and a remainder, less than a
/// tile, less than the taps reach, single rows and columns.
std::vector<CheckedSize> checked_sizes(const ConvolutionJob& job, const Configuration& configuration) {
  constexpr double max_cost = 4e7;  // multiply-adds that an emulator has done in some seconds
  const ConvolutionTile tile = convolution_variants().of(configuration).checked(job, configuration);
  const std::int64_t nx = tile.x + 37, ny = tile.y + 13;
  const bool affordable = static_cast<double>(nx * ny * 2 * job.taps()) <= max_cost;
  const search::Value* padded = configuration.find("padded");
  const std::int64_t vector = padded != nullptr && !padded->as_bool() && configuration.has("vector")
                                  ? configuration["vector"].as_int()
                                  : 1;
  std::vector<CheckedSize> sizes;
  const auto add = [&](std::int64_t x, std::int64_t y) {
    sizes.push_back({{{"nx", round_up(x, vector)}, {"ny", y}}});
  };
  if (affordable) {
    add(nx, ny);
  } else {
    add(nx, 7);
    add(43, ny);
  }
  add(job.radius + 3, job.radius + 2);
  add(13, 5);
  add(1, 9);
  add(1, 1);
  return sizes;
}

ProblemInfo convolution_info() {
  ProblemInfo info;
  info.name = "conv2d_separable";
  info.summary = "separable convolution of an image: taps along rows, then along columns";
  info.extents = {{"nx", "pixels along x, the fastest dimension", 8192}, {"ny", "pixels along y", 8192}};
  info.settings = {
      {"type", "type of a pixel", {"float", "double"}, "float"},
      {"radius",
       "how far the taps reach [pixels]: 2 radius + 1 of them along each axis",
       {},
       8,
       false,
       {{1, max_radius_of_taps}}},
      transfers_setting(),
  };
  info.item = "pixel";
  info.sources = convolution_files().names();
  return info;
}

/// Returns the operations of a real transform forth and back (5/2 n log2 n each) and of the product of the
/// spectra: with many taps the cheapest algorithm.
double transform_flops(double pixels) {
  return 5 * pixels * std::log2(std::max(2.0, pixels)) + 3 * pixels;
}

ProblemCost convolution_cost(const ConvolutionJob& job) {
  const auto taps = static_cast<double>(job.taps());
  ProblemCost cost;
  cost.items = job.pixels();
  cost.flops = std::min(job.pixels() * 2 * (2 * taps - 1), transform_flops(job.pixels()));
  cost.bytes = 2 * job.pixels() * job.element_bytes();
  cost.arithmetic = job.type;
  cost.tensor = job.type == ElementType::f64 ? TensorUse::f64 : TensorUse::tf32x3;
  if (job.transfers) cost.bytes_in = cost.bytes_out = job.pixels() * job.element_bytes();
  return cost;
}

Result<LaunchPlan> plan_convolution(const ConvolutionJob& job, const Configuration& configuration,
                                    const KernelSources& sources) {
  constexpr std::int64_t max_extent = (std::int64_t{1} << 31) - (1 << 16);
  if (job.nx > max_extent || job.ny > max_extent)
    return fail(Phase::constraint, "extent", "coordinates beside the image do not fit 32 bits");
  Result<LaunchPlan> plan = convolution_variants().of(configuration).plan(job, configuration, sources);
  if (plan && job.transfers) return between_transfers(std::move(*plan));
  return plan;
}

TensorSet inputs(const ConvolutionJob& job, std::uint64_t seed) {
  return tensor_set("in", convolution_input(job, seed));
}

TensorSet reference(const ConvolutionJob& job, const TensorSet& inputs) {
  return tensor_set("out", convolution_reference(job, inputs.find("in")->second));
}

}  // namespace

/// A separable convolution of an image of nx x ny pixels, x fastest, with 2 radius + 1 taps along each axis,
/// which differ; zeros lie around the image. Buffers `in` and `out`.
std::unique_ptr<Problem> make_conv2d_separable() {
  return std::make_unique<FamilyProblem<ConvolutionJob>>(
      convolution_info(),
      FamilyFunctions<ConvolutionJob>{
          convolution_job, convolution_space, convolution_cost, plan_convolution, inputs, reference,
          sums_tolerance, checked_sizes,
          [](const ConvolutionJob& job, const search::Value& variant, const DeviceProperties& device) {
            return convolution_variants().least_seconds(job, variant, device);
          }});
}

}  // namespace tune::kernels
