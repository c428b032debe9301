// SPDX-License-Identifier: Apache-2.0
// Cooperative launches: blocks that exchange values through global memory, with and without a barrier of the
// grid, and blocks that do not come to it.
#include <gtest/gtest.h>

#include "kernels/common/grid_barrier.hpp"
#include "kernels/framework/kernel_files.hpp"
#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::grid_bugs {
namespace {

/// Of a kernel with the buffers `scratch`, two elements for each thread, and `counter`.
const std::string head =
    "#include \"bug.cuh\"\n#include \"grid_barrier.cuh\"\n#include <cooperative_groups.h>\n"
    "#include <cuda_pipeline.h>\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, float* scratch, unsigned* counter, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1, block = blockIdx.x;\n";

/// Makes the launch cooperative, and the plan one that knows the barrier.
void cooperate(LaunchPlan& plan, ReferenceData&) {
  std::get<Launch>(plan.launches[0]).cooperative = true;
  plan.compile.headers.push_back(kernels::grid_barrier_header(kernels::EmbeddedSources()));
  for (BufferSpec& buffer : plan.buffers)
    if (buffer.name == "counter") buffer = kernels::grid_barrier_counter("counter");
}

bool has_bug(const LaunchPlan& plan) {
  return plan.compile.defines[1].second == "1";
}

const std::vector<Scene> scenes = {{{32}, {2}},   {{33}, {4}},   {{256}, {3}},
                                   {{8, 4}, {5}}, {{1024}, {2}}, {{16, 16}, {2}}};

Planted grid(std::string name, FindingKind kind, std::function<Where(const Scene&)> where,
             const std::string& body, std::function<double(const Scene&, int)> result = nullptr) {
  return {std::move(name),
          always(kind),
          std::move(where),
          head + body + "}\n",
          scenes,
          std::move(result),
          "float",
          {{"scratch", BufferRole::scratch, [](const Scene& scene) { return 2 * scene.all(); }},
           {"counter", BufferRole::scratch, [](const Scene&) { return 1; }, ElementType::u32}},
          nullptr,
          cooperate};
}

double same(const Scene&, int element) {
  return element + 1.0;
}
/// The element that follows, around the end.
double next(const Scene& scene, int element) {
  return (element + 1) % scene.all() + 1.0;
}
std::function<Where(const Scene&)> anywhere() {
  return in_array("");
}

/// What the next block has there.
double of_next_block(const Scene& scene, int element) {
  return (element + scene.threads()) % scene.all() + 1.0;
}

TEST(PlantedGrid, MissingBarriers) {
  const auto races = FindingKind::race_between_blocks;
  const std::string write = "  scratch[i] = in[i];  //!\n";
  const std::string read = "  out[i] = scratch[(i + size()) % n];\n";
  // The write that comes too late for the block before.
  const auto late = [](const Scene& scene) { return Where{"scratch", scene.threads() * 4, 1, 0}; };
  expect_reported({
      grid("halos, each block for itself", races, late,
           write + "  if (BUG) __syncthreads(); else grid_barrier(counter);\n"
                   "  out[i] = scratch[(i + 1) % n];\n",
           next),
      grid("a barrier left out", races, late, write + "  if (!BUG) grid_barrier(counter);\n" + read,
           of_next_block),
      grid("fences alone", races, late,
           write + "  if (BUG) __threadfence(); else grid_barrier(counter);\n" + read, of_next_block),
      grid("groups, a barrier left out", races, late,
           write + "  if (!BUG) cooperative_groups::this_grid().sync();\n" + read, of_next_block),
      grid("groups, the block's barrier", races, late,
           write +
               "  if (BUG) cooperative_groups::this_thread_block().sync();\n"
               "  else cooperative_groups::this_grid().sync();\n" +
               read,
           of_next_block),
      grid(
          "behind a barrier two blocks write one element", races,
          [](const Scene&) {
            return Where{"scratch", 0, 1, 0};
          },
          "  scratch[i] = 0;\n  grid_barrier(counter);\n  if (t == 0) scratch[BUG ? 0 : block] = 1;  //!\n"
          "  out[i] = in[i];\n",
          same),
  });
}

TEST(PlantedGrid, MissingBarriersOfSteps) {
  const auto races = FindingKind::race_between_blocks;
  // Three steps, each of which takes what the next block has, in two buffers by turns.
  const auto steps = [](const std::string& barrier) {
    return "  scratch[i] = in[i];  //!\n  grid_barrier(counter);\n  for (int step = 0; step < 3; ++step) {\n"
           "    const float* from = scratch + step % 2 * n;\n    float* to = scratch + (step + 1) % 2 * n;\n"
           "    to[i] = from[(i + size()) % n];  //!\n    " +
           barrier + "\n  }\n  out[i] = scratch[n + i];\n";
  };
  const auto after_three = [](const Scene& scene, int element) {
    return (element + 3 * scene.threads()) % scene.all() + 1.0;
  };
  expect_reported({
      grid("steps without a barrier", races, in_array("scratch"), steps("if (!BUG) grid_barrier(counter);"),
           after_three),
      grid("steps with every other barrier", races, in_array("scratch"),
           steps("if (!BUG || step != 1) grid_barrier(counter);"), after_three),
      grid("steps with the block's barriers", races, in_array("scratch"),
           steps("if (BUG) __syncthreads(); else grid_barrier(counter);"), after_three),
      grid(
          "one buffer, written before all have read", races, in_array("scratch"),
          "  scratch[i] = in[i];  //!\n  for (int step = 0; step < 3; ++step) {\n    grid_barrier(counter);\n"
          "    const float v = scratch[(i + size()) % n];  //!\n    if (!BUG) grid_barrier(counter);\n"
          "    scratch[i] = v;  //!\n  }\n  out[i] = scratch[i];\n",
          after_three),
      grid("one buffer, read before all have written", races, in_array("scratch"),
           "  scratch[i] = in[i];\n  for (int step = 0; step < 3; ++step) {\n"
           "    if (!BUG || step != 1) grid_barrier(counter);\n"
           "    const float v = scratch[(i + size()) % n];  //!\n    grid_barrier(counter);\n"
           "    scratch[i] = v;  //!\n  }\n  out[i] = scratch[i];\n",
           after_three),
  });
}

TEST(PlantedGrid, WhatBlocksKeepToThemselves) {
  const auto bytes = [](const Scene& scene) { return static_cast<std::uint64_t>(scene.threads() * 4); };
  Planted dynamic = grid(
      "dynamic shared memory of another block", FindingKind::uninitialised_read,
      [](const Scene&) {
        return Where{"dynamic shared memory", 0, 1, 0};
      },
      "  extern __shared__ float tile[];\n  if (!BUG || block == 0) tile[t] = in[i];\n"
      "  grid_barrier(counter);\n  out[i] = tile[t];  //!\n",
      same);
  dynamic.shared = bytes;
  expect_reported({
      grid(
          "shared memory of another block", FindingKind::uninitialised_read,
          [](const Scene&) {
            return Where{"tile", 0, 1, 0};
          },
          "  __shared__ float tile[1024];\n  if (!BUG || block == 0) tile[t] = in[i];\n"
          "  grid_barrier(counter);\n  out[i] = tile[t];  //!\n",
          same),
      dynamic,
      {"a race within a block behind the barrier", race_here,
       [](const Scene&) {
         return Where{"tile", any, 0};
       },
       head + "  __shared__ float tile[1024];\n  tile[t] = 0;\n  grid_barrier(counter);\n"
              "  tile[t] = in[i];  //!\n  if (!BUG) __syncthreads();\n  out[i] = tile[last - t];  //!\n}\n",
       scenes, nullptr, "float", dynamic.extra, nullptr, cooperate},
      grid(
          "a copy is on its way across the barrier", FindingKind::unfinished_copy,
          [](const Scene&) {
            return Where{"tile", 0, 0, 0};
          },
          "  __shared__ float tile[1024];\n  __pipeline_memcpy_async(tile + t, in + i, 4);\n"
          "  __pipeline_commit();\n  grid_barrier(counter);\n  if (!BUG) __pipeline_wait_prior(0);\n"
          "  out[i] = tile[t];  //!\n  __pipeline_wait_prior(0);\n",
          same),
  });
}

TEST(PlantedGrid, BlocksThatDoNotCome) {
  const auto in_block = [](int block) { return [=](const Scene&) { return Where{"", any, block}; }; };
  const auto last_block = [](const Scene& scene) { return Where{"", any, scene.blocks() - 1}; };
  const auto stuck = FindingKind::deadlock;
  expect_reported({
      grid("a block returns early", stuck, in_block(0),
           "  out[i] = in[i];\n  if (BUG && block == 1) return;\n  grid_barrier(counter);  //!\n", same),
      grid("the first block returns early", stuck, in_block(1),
           "  out[i] = in[i];\n  if (BUG && block == 0) return;\n  grid_barrier(counter);  //!\n", same),
      grid("only the last block comes", stuck, last_block,
           "  out[i] = in[i];\n  if (!BUG || block == gridDim.x - 1) grid_barrier(counter);  //!\n", same),
      grid("a block comes once more than others", stuck, in_block(0),
           "  out[i] = in[i];\n  for (int step = 0; step < (BUG && block == 0 ? 4 : 3); ++step)\n"
           "    grid_barrier(counter);  //!\n",
           same),
      grid("a block returns early, groups", stuck, in_block(0),
           "  out[i] = in[i];\n  if (BUG && block == 1) return;\n"
           "  cooperative_groups::this_grid().sync();  //!\n",
           same),
      grid("a flag that no block sets", stuck, in_block(0),
           "  volatile float* flag = scratch;\n  if (i == 0) *flag = 0;\n  grid_barrier(counter);\n"
           "  if (!BUG && i == n - 1) *flag = 1;\n  while (*flag == 0) {\n  }\n  out[i] = in[i];\n",
           same),
  });
}

TEST(PlantedGrid, ThreadsThatDoNotCome) {
  const auto diverges = FindingKind::divergent_barrier;
  const auto first = [](const Scene&) { return Where{"", any, 0}; };
  expect_reported({
      grid("half of the block skips it", diverges, first,
           "  out[i] = in[i];\n  if (!BUG || t < size() / 2) grid_barrier(counter);  //!\n", same),
      grid("the first thread returns", diverges, first,
           "  out[i] = in[i];\n  if (BUG && t == 0) return;\n  grid_barrier(counter);  //!\n", same),
      grid(
          "a barrier of the block meets one of the grid", diverges, first,
          "  out[i] = in[i];\n  if (BUG && t == last) __syncthreads();  //!\n  else grid_barrier(counter);\n",
          same),
      grid("two branches, each with a barrier", diverges, first,
           "  out[i] = in[i];\n  if (t == last && BUG) {\n    grid_barrier(counter);  //!\n  } else {\n"
           "    grid_barrier(counter);\n  }\n",
           same),
  });
}

TEST(PlantedGrid, LaunchesThatCannotMeet) {
  std::vector<Planted> all = {
      grid(
          "the launch is not cooperative", FindingKind::failed,
          [](const Scene&) {
            return Where{"", any, 0, 0};
          },
          "  out[i] = in[i];\n  grid_barrier(counter);  //!\n", same),
      grid("the launch is not cooperative, groups", FindingKind::failed, anywhere(),
           "  out[i] = in[i];\n  cooperative_groups::this_grid().sync();  //!\n", same),
      grid(
          "the counter is not zero", FindingKind::uninitialised_read,
          [](const Scene&) {
            return Where{"counter", 0, 0, 0};
          },
          "  out[i] = in[i];\n  grid_barrier(counter);  //!\n", same),
      grid("somebody else counts with the counter", FindingKind::failed, anywhere(),
           "  out[i] = in[i];\n  if (BUG && i == 0) atomicAdd(counter, 1u);\n  grid_barrier(counter);  //!\n",
           same),
      grid(
          "the counter lies beyond its buffer", FindingKind::out_of_bounds,
          [](const Scene&) {
            return Where{"counter", 4, 0, 0};
          },
          "  out[i] = in[i];\n  grid_barrier(counter + BUG);  //!\n", same),
      grid(
          "blocks count with different counters", FindingKind::failed,
          [](const Scene&) {
            return Where{"", any, 1, 0};
          },
          "  out[i] = in[i];\n  if (BUG && block == 1) cooperative_groups::this_grid().sync();  //!\n"
          "  else grid_barrier(counter);\n",
          same)};
  for (const std::size_t one : {0, 1})
    all[one].change = [](LaunchPlan& plan, ReferenceData& expected) {
      cooperate(plan, expected);
      std::get<Launch>(plan.launches[0]).cooperative = !has_bug(plan);
    };
  all[2].change = [](LaunchPlan& plan, ReferenceData& expected) {
    cooperate(plan, expected);
    if (has_bug(plan)) plan.buffers.back().fill = BufferFill::poison;
  };
  expect_reported(all);
}

// Barriers that a kernel brings itself, out of atomics and fences: blocks that wait in loops let others go
// on.
TEST(PlantedGrid, BlocksThatWaitInLoops) {
  const auto races = FindingKind::race_between_blocks;
  const std::string own =
      "  __syncthreads();\n  if (t == 0) {\n    FENCE;\n    atomicAdd(counter, 1u);\n"
      "    while (*(volatile unsigned*)counter < gridDim.x) {\n    }\n    __threadfence();\n  }\n"
      "  __syncthreads();\n";
  // With two blocks, the last one has nothing to pass on.
  const std::string by_last =
      "  volatile float* go = scratch + n;\n  if (i == 0) *go = 0;\n  grid_barrier(counter);\n"
      "  scratch[i] = in[i];\n  __syncthreads();\n  if (t == 0) {\n    __threadfence();\n"
      "    if (atomicAdd(counter, 1u) == gridDim.x - 1 + 0x80000000u) {\n      FENCE;\n      *go = 1;\n    "
      "}\n"
      "    while (*go == 0) {\n    }\n    __threadfence();\n  }\n  __syncthreads();\n"
      "  out[i] = scratch[(i + 1) % n];  //!\n";
  const auto with = [](std::string text, const std::string& fence) {
    return "#define FENCE " + fence + "\n" + std::move(text);
  };
  const std::string fence = "if (!BUG) __threadfence()";
  // Each block tells the one before that its values are there.
  const std::string chain =
      "  volatile float* told = scratch + n;\n  if (t == 0) told[block] = 0;\n  grid_barrier(counter);\n"
      "  scratch[i] = in[i];\n  __syncthreads();\n  if (t == 0) {\n    FENCE;\n    told[block] = 1;\n"
      "    while (told[(block + 1) % gridDim.x] == 0) {\n    }\n    __threadfence();\n  }\n"
      "  __syncthreads();\n  out[i] = scratch[(i + 1) % n];  //!\n";
  Planted opened =
      grid("a barrier that the last block opens", races, in_array("scratch"), with(by_last, fence), next);
  std::erase_if(opened.scenes, [](const Scene& scene) { return scene.blocks() < 3; });
  expect_reported({
      opened,
      grid("a barrier of atomics", races, in_array("scratch"),
           with("  scratch[i] = in[i];\n" + own + "  out[i] = scratch[(i + 1) % n];  //!\n", fence), next),
      grid("neighbours tell each other", races, in_array("scratch"), with(chain, fence), next),
  });
}

TEST(PlantedGrid, CorrectKernels) {
  Planted dynamic = grid("dynamic shared memory over barriers", FindingKind::crash, anywhere(),
                         "  extern __shared__ float more[];\n  __shared__ float tile[1024];\n"
                         "  tile[t] = in[i];\n  more[t] = 2 * in[i];\n"
                         "  for (int step = 0; step < 4; ++step) grid_barrier(counter);\n"
                         "  out[i] = more[last - t] - tile[last - t];\n",
                         [](const Scene& scene, int element) {
                           const int t = element % scene.threads();
                           return element - t + scene.threads() - t + 0.0;
                         });
  dynamic.shared = [](const Scene& scene) { return static_cast<std::uint64_t>(scene.threads() * 4); };
  Planted twice =
      grid("two launches", FindingKind::crash, anywhere(),
           "  scratch[i] = in[i];\n  grid_barrier(counter);\n  out[i] = scratch[(i + 1) % n];\n", next);
  twice.change = [](LaunchPlan& plan, ReferenceData& expected) {
    cooperate(plan, expected);
    plan.launches.push_back(plan.launches[0]);
    // One of another grid on the same counter between two others.
    plan.launches.push_back(plan.launches[0]);
    std::get<Launch>(plan.launches[1]).grid.x = 1;
  };
  expect_clean({
      dynamic,
      twice,
      grid("a block alone sums up what all have written", FindingKind::crash, anywhere(),
           "  scratch[i] = in[i];\n  grid_barrier(counter);\n  if (block == 0 && t == 0) {\n"
           "    float sum = 0;\n    for (int e = 0; e < n; ++e) sum += scratch[e];\n    scratch[n] = sum;\n"
           "  }\n  grid_barrier(counter);\n  out[i] = scratch[n];\n",
           [](const Scene& scene, int) { return scene.all() * (scene.all() + 1) / 2.0; }),
      grid("blocks come from different lines", FindingKind::crash, anywhere(),
           "  scratch[i] = in[i];\n  if (block == 0) {\n    grid_barrier(counter);\n  } else {\n"
           "    grid_barrier(counter);\n  }\n  out[i] = scratch[(i + 1) % n];\n",
           next),
      grid("sums by shuffles between barriers", FindingKind::crash, anywhere(),
           "  scratch[i] = in[i];\n  grid_barrier(counter);\n"
           "  const bool all = __all_sync(0xffffffffu, scratch[(i + 1) % n] > 0);\n"
           "  grid_barrier(counter);\n  out[i] = all ? in[i] : 0;\n",
           same),
      grid("lines of a group", FindingKind::crash, anywhere(),
           "  const auto all = cooperative_groups::this_grid();\n"
           "  scratch[all.thread_rank()] = in[all.thread_rank()];\n  cooperative_groups::sync(all);\n"
           "  out[i] = scratch[(i + 1) % all.size()] + all.num_blocks() - gridDim.x + all.block_rank() - "
           "block;\n",
           next),
  });
}

// Wrong on a device, whose read-only cache may hold what was there before, and not seen.
TEST(KnownGaps, ReadOnlyLoadsOfWhatTheLaunchWritesAreNotSeen) {
  expect_clean({grid("__ldg behind a barrier of the grid", FindingKind::crash, anywhere(),
                     "  scratch[i] = 0;\n  float v = __ldg(scratch + i);\n  grid_barrier(counter);\n"
                     "  scratch[i] = in[i] + v;\n  grid_barrier(counter);\n"
                     "  out[i] = __ldg(scratch + (i + size()) % n);\n",
                     of_next_block)});
}

}  // namespace
}  // namespace tune::emulator::testing::grid_bugs
