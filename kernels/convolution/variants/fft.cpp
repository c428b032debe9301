// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/variants/fft.hpp"

#include <algorithm>
#include <limits>

#include "kernels/convolution/model/launches.hpp"
#include "kernels/convolution/model/rounding.hpp"
#include "kernels/convolution/model/rules.hpp"

namespace tune::kernels {
namespace {

using search::Expr;
using search::var;

constexpr std::int64_t copy_threads = 256, each = 4;

/// The least multiple of 8 that is no less than `extent`, whose prime factors are no more than `largest`.
std::int64_t transformed(std::int64_t extent, std::int64_t largest) {
  constexpr std::int64_t unit = 8;
  for (std::int64_t candidate = parts(extent, unit);; ++candidate) {
    std::int64_t rest = candidate;
    for (const std::int64_t factor : {2, 3, 5, 7})
      while (factor <= largest && rest % factor == 0) rest /= factor;
    if (rest == 1) return unit * candidate;
  }
}

/// Extents of the transforms: zeros as far as the taps reach behind each row and column.
struct Extended {
  Extended(const ConvolutionJob& job, std::int64_t largest)
      : nx(transformed(job.nx + job.radius, largest)), ny(transformed(job.ny + job.radius, largest)) {}
  std::int64_t values() const { return nx / 2 + 1; }
  Extents extents() const { return {static_cast<std::uint64_t>(nx), static_cast<std::uint64_t>(ny)}; }
  std::int64_t nx, ny;
};

Launch launch_of(const char* entry, std::int64_t blocks) {
  Launch launch;
  launch.entry = entry;
  launch.grid.x = static_cast<std::uint32_t>(blocks);
  launch.block.x = static_cast<std::uint32_t>(copy_threads);
  return launch;
}

void add_buffers(LaunchPlan& plan, const ConvolutionJob& job, const Extended& extended, const Layout& in) {
  // The result is a part of what comes back.
  Layout out = Layout::dense(extended.extents());
  out.extents = job.extents();
  plan.buffers.push_back({"in", job.type, in, BufferRole::input, true});
  plan.buffers.push_back({"out", job.type, out, BufferRole::output, true});
  plan.buffers.push_back(
      {"extended", job.type, Layout::dense(extended.extents()), BufferRole::scratch, true, BufferFill::zero});
  plan.buffers.push_back({"modes", job.type,
                          Layout::dense({static_cast<std::uint64_t>(2 * extended.values()),
                                         static_cast<std::uint64_t>(extended.ny)}),
                          BufferRole::scratch});
  plan.buffers.push_back({"tables", job.type,
                          Layout::dense({static_cast<std::uint64_t>(2 * (extended.values() + extended.ny))}),
                          BufferRole::scratch});
}

}  // namespace

bool fft_applies(const ConvolutionJob&) {
  return true;
}

ConvolutionTile fft_tile_size(const ConvolutionJob&, const Configuration&) {
  return {16, 8};
}

Result<LaunchPlan> plan_fft(const ConvolutionJob& job, const Configuration& configuration,
                            const KernelSources& sources) {
  const Extended extended(job, configuration["largest_factor"].as_int());
  const std::int64_t vector = configuration["vector"].as_int();
  const std::int64_t copies = parts(job.nx, copy_threads * each * vector) * job.ny;
  const std::int64_t products = parts(extended.values(), copy_threads * each) * extended.ny;
  if (std::max(copies, products) > std::numeric_limits<std::int32_t>::max())
    return fail(Phase::constraint, "grid", "more blocks than a grid can have");
  const Layout in = image_layout(job, configuration["padded"].as_bool());

  LaunchPlan plan;
  plan.compile =
      convolution_request(job, "convolution/fft.cu", {"common/vectors.cuh"}, configuration, sources);
  std::erase_if(plan.compile.defines, [](const auto& define) { return define.first == "LARGEST_FACTOR"; });
  plan.compile.entries = {"fft_copy", "fft_multiply", "fft_tables"};
  add_buffers(plan, job, extended, in);
  Launch tables = launch_of("fft_tables", parts(extended.values() + extended.ny, copy_threads));
  tables.arguments = {BufferArgument{"tables"}, int32(extended.nx), int32(extended.ny)};
  plan.setup.emplace_back(std::move(tables));

  Launch copy = launch_of("fft_copy", copies);
  copy.arguments = {BufferArgument{"in"}, BufferArgument{"extended"}, int32(job.nx),
                    ScalarArgument{static_cast<std::int64_t>(in.strides[1])}, int32(extended.nx)};
  plan.launches.emplace_back(std::move(copy));
  plan.launches.emplace_back(
      FourierTransform{FourierDirection::forward, "extended", "modes", extended.extents(), 2});
  Launch multiply = launch_of("fft_multiply", products);
  multiply.arguments = {BufferArgument{"modes"}, BufferArgument{"tables"}, int32(extended.values())};
  plan.launches.emplace_back(std::move(multiply));
  plan.launches.emplace_back(
      FourierTransform{FourierDirection::inverse, "modes", "out", extended.extents(), 2});
  plan.tolerance =
      transforms_tolerance(job, static_cast<double>(extended.nx), static_cast<double>(extended.ny));
  return plan;
}

void add_fft_parameters(const ConvolutionJob&, std::vector<search::Parameter>& parameters) {
  parameters.push_back({"largest_factor",
                        "largest prime factor of the extents that are transformed",
                        {2, 3, 5, 7},
                        7,
                        convolution::is_variant("fft")});
}

void add_fft_rules(const ConvolutionJob&, std::vector<search::Constraint>&) {}

}  // namespace tune::kernels
