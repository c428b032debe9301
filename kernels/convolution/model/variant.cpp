// SPDX-License-Identifier: Apache-2.0
#include "kernels/convolution/model/variant.hpp"

#include <algorithm>
#include <limits>

#include "kernels/framework/bounds.hpp"
#include "kernels/framework/request.hpp"

namespace tune::kernels {

using search::Expr;
using search::Role;
using search::Value;

const KernelFiles& convolution_files() {
  static const KernelFiles files("convolution");
  return files;
}

Constants convolution_constants(const ConvolutionJob& job) {
  return {{"nx", job.nx},
          {"ny", job.ny},
          {"radius", job.radius},
          {"lanes", job.vector_width()},
          {"lead", round_up(job.radius, job.vector_width())},
          {"words", job.element_bytes() / 4}};
}

std::int64_t convolution_value(const Expr& expression, const ConvolutionJob& job,
                               const search::Configuration& configuration) {
  return evaluated(expression, configuration, convolution_constants(job));
}

CompileRequest convolution_request(const ConvolutionJob& job, std::string_view file,
                                   const search::Configuration& configuration, const KernelSources& sources) {
  const search::Value* taps = configuration.find("taps");
  CompileRequest request = convolution_files().request(
      file, sources,
      {{"convolution_taps.cuh", taps_header(job, taps != nullptr && taps->as_text() == "immediate")}});
  request.defines = {{"REAL", std::string(to_string(job.type))}};
  add_macros(request, configuration, {"padded"});
  return request;
}

Layout image_layout(const ConvolutionJob& job, bool padded) {
  return row_layout(job.extents(), padded, 32);
}

void add_images(LaunchPlan& plan, const ConvolutionJob& job, const Layout& layout) {
  plan.buffers.push_back({"in", job.type, layout, BufferRole::input, true});
  plan.buffers.push_back({"out", job.type, layout, BufferRole::output, true});
}

Result<std::uint32_t> blocks_of_tiles(const ConvolutionJob& job, std::int64_t tile_x, std::int64_t tile_y) {
  const std::int64_t blocks = ceil_div(job.nx, tile_x) * ceil_div(job.ny, tile_y);
  if (blocks > std::numeric_limits<std::int32_t>::max())
    return fail(Phase::constraint, "grid", "more blocks than a grid can have");
  return static_cast<std::uint32_t>(blocks);
}

Result<LaunchPlan> plan_tiles(const ConvolutionJob& job, const search::Configuration& configuration,
                              const KernelSources& sources, std::string_view file, std::string entry,
                              std::pair<std::int64_t, std::int64_t> tile, Dim3 block,
                              const Expr& shared_memory) {
  const Result<std::uint32_t> blocks = blocks_of_tiles(job, tile.first, tile.second);
  if (!blocks) return tl::unexpected<Failure>(blocks.error());
  const Layout image = image_layout(job, configuration["padded"].as_bool());
  LaunchPlan plan;
  plan.compile = convolution_request(job, file, configuration, sources);
  plan.compile.entries = {entry};
  add_images(plan, job, image);
  plan.launches.emplace_back(make_launch(
      std::move(entry), *blocks, block,
      {BufferArgument{"in"}, BufferArgument{"out"}, int32(job.nx), int32(job.ny), int64(image.strides[1])},
      convolution_value(shared_memory, job, configuration)));
  return plan;
}

void add_shared(FamilySpace& space, const ConvolutionJob& job,
                std::initializer_list<std::string_view> names) {
  std::vector<Value> vectors = {1, 2};
  if (job.type == ElementType::f32) vectors.emplace_back(4);
  const auto add = [&](std::string_view name, std::string documentation, std::vector<Value> values,
                       Value default_value, Role role = Role::other) {
    if (std::ranges::find(names, name) != names.end())
      space.add(std::string(name), std::move(documentation), std::move(values), std::move(default_value), {},
                role);
  };
  add("threads", "threads of a block; fused: each warp has a strip of columns of its own",
      {32, 64, 128, 256, 512, 1024}, 64, Role::threads);
  add("unroll", "whether the loops over taps are unrolled", {false, true}, job.radius <= 4);
  add("taps",
      "where multiply-adds find the taps: in the instruction (immediate), in constant memory, or in shared "
      "memory",
      {"immediate", "constant", "shared"}, "constant");
  add("padded", "whether rows of the images are whole lines of memory", {false, true}, true);
  add("vector", "pixels of an access to the images; fft_tile: of a store of the result", vectors,
      job.vector_width());
  add("store", "path of the stores of the result: ordinary, or evict first (st.global.cs)",
      {"plain", "streaming"}, "plain");
  if (std::ranges::find(names, "min_blocks") != names.end()) space.add(min_blocks({1, 2, 3, 4, 6, 8}));
  add("chunk", "rows of results of a block",
      {128, 192, 256, 320, 352, 384, 416, 464, 512, 640, 688, 768, 1024, 2048}, 1024);
  add("stages", "turns whose rows lie in shared memory, or are on their way there", {2, 3, 4, 6}, 4);
}

void add_block_rules(const Rules& rules, const Expr& threads, const Expr& registers, const Expr& shared,
                     const Expr& min_blocks) {
  rules.add_max_threads(threads);
  rules.add_resident_threads(threads, min_blocks);
  rules.add_registers(registers, threads,
                      "the sums alone need more registers than min_blocks leaves to a thread", min_blocks);
  rules.add_shared_memory(shared, "the pixels", "a block's pixels do not fit its shared memory", min_blocks);
}

double seconds_of_one_pass(const ConvolutionJob& job, const DeviceProperties& device) {
  return seconds_of_passes(job.pixels() * job.element_bytes(), device, 1);
}

double seconds_of_two_passes(const ConvolutionJob& job, const DeviceProperties& device) {
  return seconds_of_passes(job.pixels() * job.element_bytes(), device, 2);
}

}  // namespace tune::kernels
