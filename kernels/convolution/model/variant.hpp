// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/convolution/model/job.hpp"
#include "kernels/framework/family.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// The pixels that a block of a variant's kernels computes, of both passes the larger ones: what checks have
/// to exceed.
struct ConvolutionTile {
  std::int64_t x = 1, y = 1;
};

using ConvolutionVariant = Variant<ConvolutionJob, ConvolutionTile>;

/// All variants. A new one is a source with one function and a line in this table.
const VariantTable<ConvolutionJob, ConvolutionTile>& convolution_variants();

/// Parameters and constraints of all variants that apply to the job.
search::SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device);

// What the plans and spaces of several variants have in common.

/// Unrolled multiply-adds that a kernel may have: more take seconds to compile and do not fit the cache of
/// instructions.
inline constexpr int max_convolution_terms = 4096;

const KernelFiles& convolution_files();

/// Constants of rules that follow from the job: `nx`, `ny`, `radius`, `lanes` (pixels of an access of 16
/// bytes), `lead` (the radius in whole accesses) and `words` (32-bit words of a pixel).
Constants convolution_constants(const ConvolutionJob& job);

/// The value of an expression for a configuration.
std::int64_t convolution_value(const search::Expr& expression, const ConvolutionJob& job,
                               const search::Configuration& configuration);

/// The request for `file` (`fused.cu`) with the taps, and REAL and the configuration's parameters, but
/// `variant` and `padded`, as macros.
CompileRequest convolution_request(const ConvolutionJob& job, std::string_view file,
                                   const search::Configuration& configuration, const KernelSources& sources);

/// Rows without gaps between them; with padding, rows of whole lines.
Layout image_layout(const ConvolutionJob& job, bool padded);

/// Adds `in` and `out`, both as `layout` says; what lies beside the image may be read.
void add_images(LaunchPlan& plan, const ConvolutionJob& job, const Layout& layout);

/// Blocks of a one-dimensional grid for tiles of so many pixels. Failure{constraint} beyond what a grid has.
Result<std::uint32_t> blocks_of_tiles(const ConvolutionJob& job, std::int64_t tile_x, std::int64_t tile_y);

/// The plan of a variant that is one launch of `entry` of `file` on tiles of so many pixels, from `in` to
/// `out`.
Result<LaunchPlan> plan_tiles(const ConvolutionJob& job, const search::Configuration& configuration,
                              const KernelSources& sources, std::string_view file, std::string entry,
                              std::pair<std::int64_t, std::int64_t> tile, Dim3 block,
                              const search::Expr& shared_memory);

/// Adds those of the parameters that several variants have.
void add_shared(FamilySpace& space, const ConvolutionJob& job, std::initializer_list<std::string_view> names);

/// Adds limits of a block of so many threads: of the device, and for min_blocks of them with so many
/// registers a thread and so many bytes of shared memory each.
void add_block_rules(const Rules& rules, const search::Expr& threads, const search::Expr& registers,
                     const search::Expr& shared, const search::Expr& min_blocks = search::var("min_blocks"));

}  // namespace tune::kernels
