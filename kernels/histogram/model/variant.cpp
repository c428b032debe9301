// SPDX-License-Identifier: Apache-2.0
#include "kernels/histogram/model/variant.hpp"

#include <algorithm>

#include "kernels/framework/request.hpp"

namespace tune::kernels {

using search::Expr;
using search::var;

const KernelFiles& histogram_kernels() {
  static const KernelFiles files("histogram");
  return files;
}

void add_merge(FamilySpace& space) {
  space.add("merge",
            "how the counters of blocks are added up: by atomics as blocks end, or by a second kernel",
            {"atomic", "kernel"}, "atomic");
}

void add_counter(FamilySpace& space, std::vector<search::Value> bits, const Expr& words) {
  const search::Value widest = bits.back();
  space.add("counter", "bits of a counter in shared memory", std::move(bits), widest);
  space.rules().add_shared_memory(ceil_div(words * 4 * var("counter"), Expr(32)), "the counters");
}

LaunchPlan histogram_plan(const HistogramJob& job, std::string_view file, const Configuration& configuration,
                          const KernelSources& sources) {
  static constexpr const char* types[] = {"unsigned char", "unsigned short", "unsigned", "float"};
  const std::size_t type = job.type == ElementType::u8    ? 0
                           : job.type == ElementType::u16 ? 1
                           : job.type == ElementType::u32 ? 2
                                                          : 3;
  LaunchPlan plan;
  plan.compile = histogram_kernels().request(file, sources);
  plan.compile.defines = {{"SAMPLE", types[type]}, {"BINS", std::to_string(job.bins)}};
  add_macros(plan.compile, configuration, {"blocks", "block_samples"});
  plan.buffers.push_back(
      {"samples", job.type, Layout::dense({static_cast<std::uint64_t>(job.samples)}), BufferRole::input});
  plan.buffers.push_back({"counts", ElementType::u32, Layout::dense({static_cast<std::uint64_t>(job.bins)}),
                          BufferRole::output});
  plan.launches.emplace_back(Zero{"counts"});
  return plan;
}

std::int64_t histogram_blocks(const HistogramJob& job, const Configuration& configuration) {
  constexpr std::int64_t usual = 65536;
  const search::Value* least = configuration.find("block_samples");
  return std::clamp<std::int64_t>(job.samples / (least != nullptr ? least->as_int() : usual), 1,
                                  configuration["blocks"].as_int());
}

std::int64_t counter_words(std::int64_t bins, std::int64_t bits) {
  return ceil_div(bins, 32 / bits);
}

void add_parts(LaunchPlan& plan, const HistogramJob& job, std::int64_t rows) {
  plan.buffers.push_back({"parts", ElementType::u32,
                          Layout::dense({static_cast<std::uint64_t>(rows * job.bins)}), BufferRole::scratch});
}

void add_sum_launch(LaunchPlan& plan, const HistogramJob& job, std::int64_t rows) {
  plan.compile.entries.emplace_back("histogram_sum");
  plan.launches.emplace_back(make_launch("histogram_sum", ceil_div(job.bins, 256), block_of(256),
                                         {BufferArgument{"parts"}, BufferArgument{"counts"}, int32(rows)}));
}

void add_counting_launch(LaunchPlan& plan, const HistogramJob& job, const Configuration& configuration,
                         const std::string& entry, std::int64_t blocks, std::int64_t rows, std::int64_t words,
                         bool corrects) {
  const bool apart = configuration["merge"].as_text() == "kernel";
  std::vector<KernelArgument> arguments = {BufferArgument{"samples"},
                                           BufferArgument{apart ? "parts" : "counts"}};
  if (corrects) arguments.emplace_back(BufferArgument{"counts"});
  arguments.emplace_back(int32(job.samples));
  plan.compile.entries = {entry};
  plan.launches.emplace_back(
      make_launch(entry, blocks, block_of(configuration["block"].as_int()), std::move(arguments), words * 4));
  if (!apart) return;
  add_parts(plan, job, rows);
  add_sum_launch(plan, job, rows);
}

}  // namespace tune::kernels
