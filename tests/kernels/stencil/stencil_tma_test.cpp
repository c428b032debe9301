// SPDX-License-Identifier: Apache-2.0
// `streaming` with planes by the copy engine: through the emulator, right and with planted faults, and its
// rules.
#include <gtest/gtest.h>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/stencil/model/shapes.hpp"
#include "kernels/stencil/variants/streaming/streaming.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/emulated_plans.hpp"
#include "tests/kernels/stencil/stencil_cases.hpp"
#include "tests/support/changed_sources.hpp"
#include "tests/support/sampled.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::kernels::tma_tests {
namespace {

using tune::testing::ChangedSources;

using emulator::Flavour;
using testing::complaint;
using testing::emulated;
using testing::PlannedJob;
using testing::small_job;

struct Choice {
  int block_x = 8, block_y = 8, vector = 4, cells_y = 2, chunk = 16, stages = 3, unroll = 1;
  bool padded = true;
  const char* loader = "tma";

  Configuration configuration(const StencilJob& job) const {
    Configuration made{{"variant", "streaming"}, {"block_x", block_x}, {"vector", vector}, {"chunk", chunk},
                       {"loader", loader},       {"stages", stages},   {"unroll", unroll}, {"padded", padded},
                       {"store", "streaming"},   {"min_blocks", 1}};
    if (job.dimensions == 3) {
      made.set("block_y", block_y);
      made.set("cells_y", cells_y);
    }
    if (job.stencil.star())
      made.set("queue", "partial_sums");
    else
      made.set("unroll_rows", true);
    return made;
  }
};

PlannedJob planned(const StencilJob& job, const Choice& choice,
                   const KernelSources& sources = EmbeddedSources()) {
  const Configuration configuration = choice.configuration(job);
  const auto name = std::to_string(job.nx) + "x" + std::to_string(job.ny) + "x" + std::to_string(job.nz) +
                    (job.boundary == Boundary::fixed ? " held " : " zero ") + configuration.to_string();
  return {name, job, *plan_streaming(job, configuration, sources)};
}

/// Tiles of every kind: several and a remainder, larger than the array, chunks that end in it.
std::vector<PlannedJob> all_jobs(ElementType type) {
  const std::vector<Choice> choices = {{8, 8, 4, 2, 16, 3, 1, true},
                                       {16, 4, 2, 1, 24, 2, 1, true},
                                       {32, 2, 4, 4, 16, 4, 3, true},
                                       {16, 8, 1, 1, 16, 2, 1, true}};
  const std::array<std::int64_t, 3> sizes[] = {{67, 21, 35}, {37, 40, 17}, {5, 3, 2}, {1, 1, 7},
                                               {9, 1, 1},    {1, 1, 1},    {1, 19, 2}};
  std::vector<PlannedJob> all;
  std::size_t turn = 0;
  for (const Stencil& stencil : {make_stencil("star", 1), make_stencil("star", 4), make_stencil("box", 1)})
    for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
      for (const auto& size : sizes) {
        const auto steps = static_cast<std::int64_t>(1 + turn % 3);
        Choice choice = choices[turn++ % choices.size()];
        // Boxes begin at whole pieces of 16 bytes, and so do their rows.
        const auto before = [&] {
          const std::int64_t vectors = (stencil.radius() + choice.vector - 1) / choice.vector;
          return vectors * choice.vector * static_cast<std::int64_t>(element_size(type));
        };
        while (before() % 16 != 0) choice.vector *= 2;
        all.push_back(planned(small_job(stencil, size, type, boundary, steps), choice));
      }
  // Rows of whole pieces of 16 bytes need no padding.
  for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
    for (const std::int64_t nx : {4, 36, 72}) {
      Choice choice;
      choice.padded = false;
      all.push_back(planned(small_job(make_stencil("star", 2), {nx, 13, 19}, type, boundary, 2), choice));
    }
  // Two dimensions: rows come one by one.
  for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
    for (const char* shape : {"star", "box"})
      all.push_back(
          planned(small_job(make_stencil(shape, 2, 2), {83, 1, 45}, type, boundary, 2), {32, 1, 4, 1, 32}));
  return all;
}

/// Sizes at which a thread's cells keep their values all together, and tiles are whole or arrays padded:
/// nothing is asked of each cell there.
std::vector<PlannedJob> regular_jobs(ElementType type) {
  struct Case {
    const char* shape;
    int radius, vector;
    std::array<std::int64_t, 3> size;
    int chunk;
    bool padded;
  };
  const std::int64_t tile = type == ElementType::f64 ? 16 : 32;
  const Case cases[] = {{"star", 4, 4, {72, 22, 40}, 16, true},
                        {"star", 4, 4, {64, 32, 45}, 24, false},
                        {"star", 8, 4, {40, 36, 17}, 16, true},
                        {"star", 4, 4, {8, 6, 50}, 48, true},
                        {"box", 2, 2, {2 * tile, 32, 21}, 16, false}};
  std::vector<PlannedJob> all;
  for (const Case& one : cases)
    for (const Boundary boundary : {Boundary::fixed, Boundary::zero})
      for (const char* loader : {"tma", "async", "plain"}) {
        Choice choice{8, 8, one.vector, 2, one.chunk, 2, 1, one.padded, loader};
        if (type == ElementType::f32 && one.vector == 2) choice.vector = 4;
        all.push_back(
            planned(small_job(make_stencil(one.shape, one.radius), one.size, type, boundary, 2), choice));
      }
  return all;
}

void expect_clean(const std::vector<PlannedJob>& all, Flavour flavour) {
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, flavour);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(complaint(verdicts[i]), "") << all[i].name;
}

TEST(StencilTma, IsRightInFloat) {
  expect_clean(tune::testing::sampled(all_jobs(ElementType::f32)), Flavour::sanitize);
}
TEST(StencilTma, IsRightInDouble) {
  expect_clean(tune::testing::sampled(all_jobs(ElementType::f64)), Flavour::sanitize);
}
TEST(StencilTma, IsRightWhereNothingIsAskedOfCells) {
  expect_clean(tune::testing::sampled(regular_jobs(ElementType::f32)), Flavour::sanitize);
  expect_clean(tune::testing::sampled(regular_jobs(ElementType::f64)), Flavour::sanitize);
}
TEST(StencilTma, IsRightInAnyOrderOfThreads) {
  expect_clean(all_jobs(ElementType::f32), Flavour::plain);
}

StencilJob job_of(std::array<std::int64_t, 3> size = {67, 21, 35}) {
  return small_job(make_stencil("star", 2), size, ElementType::f32, Boundary::zero, 1);
}

TEST(StencilTma, ThePlanHasAMapInThePlaceOfTheArray) {
  const PlannedJob one = planned(job_of(), {});
  const auto& launch = std::get<Launch>(one.plan.launches.at(0));
  const auto& argument = std::get<TensorMapArgument>(launch.arguments.at(0));
  EXPECT_EQ(argument.buffer, "in");
  EXPECT_EQ(argument.map.extents, (std::vector<std::uint64_t>{67, 21, 35}));
  EXPECT_EQ(argument.map.box, (std::vector<std::uint32_t>{32 + 2 * 4, 16 + 2 * 2, 1}));
  // Three planes of 40 x 20 cells, up to the next 128 bytes, and as many barriers.
  EXPECT_EQ(launch.dynamic_shared_memory, 3u * (40 * 20 * 4 + 8));
}

TEST(StencilTma, WrongKernelsAreFound) {
  struct Fault {
    const char *file, *from, *to;
  };
  const std::vector<Fault> faults = {
      {"boxes", "wait_barrier(full[stage], parity);", ";"},
      {"boxes", "wait_barrier(full[stage], parity);", "wait_barrier(full[stage], 1);"},
      {"boxes", "fence_barriers();", ";"},
      {"boxes", "init_barrier(full[s], 1)", "init_barrier(full[s], 2)"},
      {"boxes", "arrive_expecting(full[s], bytes);", "arrive_expecting(full[s], bytes - 16);"},
      {"boxes", "arrive_expecting(full[s], bytes);", ";"},
      {"boxes", "    __syncthreads();\n    if (copies && p + stages < last)",
       "    if (copies && p + stages < last)"},
      {"boxes", "    }\n    __syncthreads();\n", "    }\n"},
      {"boxes", "p + stages < last) copy", "p + stages <= last) copy"},
      {"boxes", "p + stages < last) copy", "p + stages + 1 < last) copy"},
      {"boxes", "copy(tile, p + stages, stage)", "copy(tile, p + stages - 1, stage)"},
      {"boxes", "tile.x - lead", "tile.x - lead + 1"},
      {"boxes", "tile.y - reach_y", "tile.y"},
      {"boxes", "parity ^= 1;", ";"},
      {"partial_sums", "boxes.pass(tile, p, last());", ";"}};
  std::vector<PlannedJob> all;
  for (const Fault& fault : tune::testing::sampled_faults(faults)) {
    const ChangedSources sources(std::string("stencil/streaming_") + fault.file + ".cuh", fault.from,
                                 fault.to);
    all.push_back(planned(job_of(), {}, sources));
    all.back().name = std::string(fault.from) + " -> " + fault.to;
  }
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
    EXPECT_EQ(verdicts[i].not_emulated, "") << all[i].name;
  }
}

TEST(StencilTma, WrongPlansAreFound) {
  std::vector<PlannedJob> all;
  const auto add = [&](const char* name, auto change) {
    all.push_back(planned(job_of(), {}));
    all.back().name = name;
    auto& launch = std::get<Launch>(all.back().plan.launches.at(0));
    change(launch, std::get<TensorMapArgument>(launch.arguments.at(0)).map);
  };
  add("a smaller box", [](Launch&, TensorMapSpec& map) { map.box[1] -= 1; });
  add("a larger box", [](Launch&, TensorMapSpec& map) { map.box[2] += 1; });
  add("fewer columns", [](Launch&, TensorMapSpec& map) { map.extents[0] -= 1; });
  add("more columns: the padding", [](Launch&, TensorMapSpec& map) { map.extents[0] += 1; });
  add("fewer planes", [](Launch&, TensorMapSpec& map) { map.extents[2] -= 1; });
  add("less shared memory", [](Launch& launch, TensorMapSpec&) { launch.dynamic_shared_memory -= 8; });
  const std::vector<emulator::CheckVerdict> verdicts = emulated(all, Flavour::sanitize);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NE(complaint(verdicts[i]), "") << all[i].name;
}

/// Why a configuration is none at 512 x 64 x 64 or, for rows, another nx; empty where it is one.
std::string refusal(const std::string& text, const std::string& architecture = "sm_90",
                    std::int64_t nx = 512) {
  const auto problem = testing::stencil_problem({"float", "star", 4});
  const Instance instance = testing::stencil_instance({"float", "star", 4}, nx, 64, 64);
  const search::SearchSpace space(problem->space(instance, architecture_properties(architecture)));
  const Configuration configuration = Configuration::parse(text);
  return space.find(configuration) ? "" : space.explain(configuration);
}

std::string with(const std::string& tail, const std::string& queue = "partial_sums") {
  return "variant=streaming,block_x=16,block_y=8,vector=4,cells_y=2,chunk=64,queue=" + queue +
         ",loader=tma,stages=3,unroll=1,store=plain,min_blocks=1," + tail;
}

TEST(StencilTma, RulesSayWhatTheEngineNeeds) {
  EXPECT_EQ(refusal(with("padded=true")), "");
  EXPECT_EQ(refusal(with("padded=false")), "");
  EXPECT_EQ(refusal(with("padded=true"), "sm_120"), "");
  EXPECT_NE(refusal(with("padded=true"), "sm_80").find("compute capability 9.0"), std::string::npos);
  EXPECT_NE(refusal(with("padded=true", "inputs")).find("partial sums"), std::string::npos);
  EXPECT_NE(refusal("variant=streaming,block_x=32,block_y=8,vector=1,cells_y=2,chunk=64,queue=partial_sums,"
                    "loader=tma,stages=3,unroll=1,store=plain,min_blocks=1,padded=false",
                    "sm_90", 511)
                .find("padded=true"),
            std::string::npos);
  EXPECT_NE(refusal("variant=streaming,block_x=64,block_y=2,vector=4,cells_y=2,chunk=64,queue=partial_sums,"
                    "loader=tma,stages=3,unroll=1,store=plain,min_blocks=1,padded=true")
                .find("256 cells"),
            std::string::npos);
}

}  // namespace
}  // namespace tune::kernels::tma_tests
