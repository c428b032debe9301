// SPDX-License-Identifier: Apache-2.0
// The search space of the family.
#include "kernels/convolution/model/rules.hpp"
#include "kernels/convolution/model/variant.hpp"
#include "kernels/convolution/variants/fused.hpp"
#include "kernels/convolution/variants/tensor.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {

using search::Expr;
using search::Parameter;
using search::Role;
using search::SpaceDefinition;
using search::var;

namespace convolution {

Expr is_variant(const char* name) {
  return var("variant") == name;
}

void Rules::add_block(const Expr& threads, const Expr& registers, const Expr& shared,
                      const Expr& min_blocks) {
  add(threads <= var("max_threads"), "a block has more threads than the device allows");
  add(threads * min_blocks <= var("multiprocessor_threads"),
      "min_blocks blocks have more threads than fit on a multiprocessor");
  add(registers <=
          min(var("thread_registers"), floor_div(var("multiprocessor_registers"), threads * min_blocks)),
      "the sums alone need more registers than min_blocks leaves to a thread");
  add(shared <= var("block_shared"), "a block's pixels do not fit its shared memory");
  add((shared + var("reserved_shared")) * min_blocks <= var("multiprocessor_shared"),
      "the pixels of min_blocks blocks do not fit the shared memory of a multiprocessor");
}

}  // namespace convolution

namespace {

/// What is the fastest as a rule, at sizes that fill a device.
const char* usual_variant(const ConvolutionJob& job) {
  if (tensor_convolution_applies(job)) return "tensor";
  return job.radius >= 64 ? "fft_tile" : "two_pass";
}

Parameter variant_parameter(const ConvolutionJob& job) {
  Parameter variant{"variant", "", {}, usual_variant(job)};
  for (const ConvolutionVariant& known : convolution_variants()) {
    if (!known.applies(job)) continue;
    variant.values.push_back(std::string(known.name));
    variant.documentation +=
        format("{}{}: {}", variant.documentation.empty() ? "" : "; ", known.name, known.summary);
  }
  return variant;
}

/// Of the variants that sum taps.
std::vector<Parameter> shared_parameters(const ConvolutionJob& job) {
  const Expr sums = in(var("variant"), {"two_pass", "fused", "direct2d"});
  const Expr marches = in(var("variant"), {"fused", "tensor"});
  const Expr loads = sums || marches || in(var("variant"), {"fft_tile", "fft", "single_block"});
  const Expr own = sums || marches || convolution::is_variant("fft_tile");
  std::vector<search::Value> vectors = {1, 2};
  if (job.type == ElementType::f32) vectors.emplace_back(4);
  const Expr threads = in(var("variant"), {"fused", "single_block"});
  const Expr loops = in(var("variant"), {"two_pass", "direct2d"});
  std::vector<Parameter> parameters = {
      {"threads",
       "threads of a block; fused: each warp has a strip of columns of its own",
       {32, 64, 128, 256, 512, 1024},
       64,
       threads,
       Role::threads},
      {"unroll", "whether the loops over taps are unrolled", {false, true}, job.radius <= 4, loops},
      {"taps",
       "where multiply-adds find the taps: in the instruction (immediate), in constant memory, or in shared "
       "memory",
       {"immediate", "constant", "shared"},
       "constant",
       sums},
      {"padded", "whether rows of the images are whole lines of memory", {false, true}, true, loads},
      {"vector", "pixels of an access to the images; fft_tile: of a store of the result", vectors,
       job.vector_width(), loads && !convolution::is_variant("single_block")},
      {"store",
       "path of the stores of the result: ordinary, or evict first (st.global.cs)",
       {"plain", "streaming"},
       "plain",
       own},
      {"min_blocks",
       "blocks that shall fit on a multiprocessor: the compiler limits the registers accordingly",
       {1, 2, 3, 4, 6, 8},
       1,
       sums || marches},
  };
  if (!fused_applies(job) && !tensor_convolution_applies(job)) return parameters;
  parameters.push_back({"chunk",
                        "rows of results of a block",
                        {128, 192, 256, 320, 352, 384, 416, 464, 512, 640, 688, 768, 1024, 2048},
                        1024,
                        marches});
  parameters.push_back({"stages",
                        "turns whose rows lie in shared memory, or are on their way there",
                        {2, 3, 4, 6},
                        4,
                        marches});
  return parameters;
}

}  // namespace

SpaceDefinition convolution_space(const ConvolutionJob& job, const DeviceProperties& device) {
  SpaceDefinition space;
  space.parameters.push_back(variant_parameter(job));
  for (Parameter& parameter : shared_parameters(job)) space.parameters.push_back(std::move(parameter));
  space.constraints.push_back(
      {var("padded") || var("nx") % var("vector") == 0,
       "vectors of an unpadded image need rows that are whole vectors: else they are not aligned"});
  for (const ConvolutionVariant& variant : convolution_variants()) {
    if (!variant.applies(job)) continue;
    variant.add_parameters(job, space.parameters);
    variant.add_rules(job, space.constraints);
  }
  const std::int64_t vector_width = job.vector_width();
  space.constants = {
      {"nx", job.nx},
      {"ny", job.ny},
      {"radius", job.radius},
      {"lanes", vector_width},
      {"lead", (job.radius + vector_width - 1) / vector_width * vector_width},
      {"compute_major", device.compute_major},
      {"words", job.element_bytes() / 4},
      {"max_threads", device.max_threads_per_block},
      {"multiprocessor_threads", device.max_threads_per_multiprocessor},
      {"thread_registers", 255},
      {"multiprocessor_registers", device.registers_per_multiprocessor},
      {"block_shared", device.shared_memory_per_block_optin},
      {"reserved_shared", device.reserved_shared_memory_per_block},
      {"multiprocessor_shared", device.shared_memory_per_multiprocessor},
  };
  return space;
}

}  // namespace tune::kernels
