// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/problem.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/common/transfers.hpp"
#include "kernels/convolution/model/job.hpp"
#include "kernels/convolution/model/reference.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {
namespace {

/// Extents nx, ny at which a configuration is checked: several tiles and a remainder, less than a tile, less
/// than the taps reach, single rows and columns.
std::vector<std::pair<std::int64_t, std::int64_t>> check_sizes(const ConvolutionJob& job,
                                                               const Configuration& configuration) {
  constexpr double max_cost = 4e7;  // multiply-adds that an emulator has done in some seconds
  const ConvolutionTile tile = convolution_variants().of(configuration).checked(job, configuration);
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
  for (auto& [x, y] : sizes) x = round_up(x, vector);
  return sizes;
}

ProblemInfo make_info() {
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

/// Operations of a real transform forth and back (5/2 n log2 n each) and of the product of the spectra: with
/// many taps a pixel is cheaper that way.
double transform_flops(double pixels) {
  return 5 * pixels * std::log2(std::max(2.0, pixels)) + 3 * pixels;
}

class ConvolutionProblem : public Problem {
 public:
  ConvolutionProblem() : info_(make_info()) {}

  const ProblemInfo& info() const override { return info_; }

  search::SpaceDefinition space(const Instance& instance, const DeviceProperties& device) const override {
    return convolution_space(convolution_job(instance), device);
  }

  ProblemCost cost(const Instance& instance) const override {
    const ConvolutionJob job = convolution_job(instance);
    const auto taps = static_cast<double>(job.taps());
    ProblemCost cost;
    cost.items = job.pixels();
    cost.flops = std::min(job.pixels() * 2 * (2 * taps - 1), transform_flops(job.pixels()));
    cost.bytes = 2 * job.pixels() * job.element_bytes();
    cost.arithmetic = job.type;
    cost.tensor = job.type == ElementType::f64 ? TensorUse::f64 : TensorUse::tf32x3;
    if (with_transfers(instance)) cost.bytes_in = cost.bytes_out = job.pixels() * job.element_bytes();
    return cost;
  }

  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    const ConvolutionJob job = convolution_job(instance);
    constexpr std::int64_t max_extent = (std::int64_t{1} << 31) - (1 << 16);
    if (job.nx > max_extent || job.ny > max_extent)
      return fail(Phase::constraint, "extent", "coordinates beside the image do not fit 32 bits");
    Result<LaunchPlan> plan = convolution_variants().of(configuration).plan(job, configuration, sources);
    if (plan && with_transfers(instance)) return between_transfers(std::move(*plan));
    return plan;
  }

  TensorSet inputs(const Instance& instance, std::uint64_t seed) const override {
    TensorSet set;
    set.emplace("in", convolution_input(convolution_job(instance), seed));
    return set;
  }

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    TensorSet set;
    set.emplace("out", convolution_reference(convolution_job(instance), inputs.find("in")->second));
    return set;
  }

  Tolerance tolerance(const Instance& instance) const override {
    return sums_tolerance(convolution_job(instance));
  }

  std::vector<Instance> check_instances(const Instance& instance,
                                        const Configuration& configuration) const override {
    std::vector<Instance> instances;
    for (const auto& [nx, ny] : check_sizes(convolution_job(instance), configuration)) {
      Instance check = instance;
      check.extents = {{"nx", nx}, {"ny", ny}};
      instances.push_back(std::move(check));
    }
    return instances;
  }

 private:
  ProblemInfo info_;
};

}  // namespace

std::unique_ptr<Problem> make_conv2d_separable() {
  return std::make_unique<ConvolutionProblem>();
}

}  // namespace tune::kernels
