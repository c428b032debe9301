// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/convolution/model/job.hpp"
#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// Pixels that a block computes; of two passes the larger numbers. Checked images are larger.
struct ConvolutionTile {
  std::int64_t x = 1, y = 1;
};

using ConvolutionVariant = Variant<ConvolutionJob, ConvolutionTile>;

const VariantTable<ConvolutionJob, ConvolutionTile>& convolution_variants();

search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device);

/// Returns the seconds that one pass over the image takes at least, and two with an image between them.
double seconds_of_one_pass(const ConvolutionJob& job, const DeviceProperties& device);
double seconds_of_two_passes(const ConvolutionJob& job, const DeviceProperties& device);

// Shared by the plans and spaces of several variants.

/// Limit on the unrolled multiply-adds of a kernel: more take seconds to compile and exceed the instruction
/// cache.
inline constexpr int max_convolution_terms = 4096;

const KernelFiles& convolution_files();

/// Returns the constants of rules that follow from the job: `nx`, `ny`, `radius`, `lanes` (pixels of an
/// access of 16 bytes), `lead` (the radius in whole accesses) and `words` (32-bit words of a pixel).
Constants convolution_constants(const ConvolutionJob& job);

std::int64_t convolution_value(const search::Expr& expression, const ConvolutionJob& job,
                               const search::Configuration& configuration);

/// Returns the request for `file` (`fused.cu`) with the taps as a header. Macros: REAL and the
/// configuration's parameters but `variant` and `padded`.
CompileRequest convolution_request(const ConvolutionJob& job, std::string_view file,
                                   const search::Configuration& configuration, const KernelSources& sources);

Layout image_layout(const ConvolutionJob& job, bool padded);

/// Adds `in` and `out` with this layout; kernels may read beside the image.
void add_images(LaunchPlan& plan, const ConvolutionJob& job, const Layout& layout);

/// Returns the blocks of a one-dimensional grid for tiles of this size. Failure{constraint} beyond what a
/// grid has.
Result<std::uint32_t> blocks_of_tiles(const ConvolutionJob& job, std::int64_t tile_x, std::int64_t tile_y);

/// Plans one launch of `entry` of `file` on tiles of this size, from `in` to `out`.
Result<LaunchPlan> plan_tiles(const ConvolutionJob& job, const search::Configuration& configuration,
                              const KernelSources& sources, std::string_view file, std::string entry,
                              std::pair<std::int64_t, std::int64_t> tile, Dim3 block,
                              const search::Expr& shared_memory);

/// Adds the named ones of the parameters that several variants have.
void add_shared(FamilySpace& space, const ConvolutionJob& job, std::initializer_list<std::string_view> names);

/// Adds the limits of a block: those of the device, and those of min_blocks blocks with these registers of a
/// thread and bytes of shared memory of a block.
void add_block_rules(const Rules& rules, const search::Expr& threads, const search::Expr& registers,
                     const search::Expr& shared, const search::Expr& min_blocks = search::var("min_blocks"));

}  // namespace tune::kernels
