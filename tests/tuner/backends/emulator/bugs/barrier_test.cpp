// SPDX-License-Identifier: Apache-2.0
// Threads that do not meet: barriers and warp operations in divergent code, masks that name others than come.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::barrier_bugs {
namespace {

const std::string head =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
    "  const int i = index(), t = rank(), lane = t % 32, last = size() - 1;\n";

std::function<Where(const Scene&)> block_0() {
  return [](const Scene&) { return Where{"", any, 0}; };
}

TEST(PlantedBarrier, SomeThreadsDoNotCome) {
  const auto diverges = always(FindingKind::divergent_barrier);
  expect_reported({
      {"half of the block skips it and comes to the next one", diverges, block_0(),
       head +
           "  if (!BUG || t < size() / 2) __syncthreads();  //!\n  out[i] = in[i];\n  __syncthreads();  //!\n}\n",
       all_scenes()},
      {"one thread skips it and comes to the next one", diverges, block_0(),
       head +
           "  if (!BUG || t != last) __syncthreads();  //!\n  out[i] = in[i];\n  __syncthreads();  //!\n}\n",
       all_scenes()},
      {"one thread alone comes", diverges, block_0(),
       head + "  if (!BUG || t == 0) __syncthreads();  //!\n  __syncthreads();  //!\n  out[i] = in[i];\n}\n",
       all_scenes()},
      {"a loop as long as the thread's number", diverges, block_0(),
       head + "  for (int step = 0; step < (BUG ? 1 + t % 3 : 3); ++step) __syncthreads();  //!\n"
              "  __syncthreads();  //!\n  out[i] = in[i];\n}\n",
       all_scenes()},
      {"two barriers in two branches", diverges, block_0(),
       head + "  if (t < size() / 2 || !BUG) {\n    out[i] = in[i];\n    __syncthreads();  //!\n  } else {\n"
              "    out[i] = 2 * in[i];\n    __syncthreads();  //!\n  }\n}\n",
       all_scenes()},
      {"two barriers in two branches of one line", diverges, block_0(),
       head + "  if (t % 2 || !BUG) __syncthreads(); else __syncthreads();  //!\n  out[i] = in[i];\n}\n",
       all_scenes()},
      {"a barrier that counts beside one that does not", diverges, block_0(),
       head + "  int c = 0;\n  if (t > 0 || !BUG)\n    c = __syncthreads_count(1);  //!\n  else\n"
              "    __syncthreads();  //!\n  out[i] = c;\n}\n",
       all_scenes()},
  });
}

TEST(PlantedBarrier, LanesDoNotCome) {
  const auto diverges = always(FindingKind::divergent_warp);
  const auto whole = scenes_of_whole_warps();
  expect_reported({
      {"shuffle in a branch of half the warp", diverges, block_0(),
       head + "  float v = in[i];\n  if (!BUG || lane < 16) v += __shfl_down_sync(0xffffffffu, v, 8);  //!\n"
              "  out[i] = v;\n}\n",
       whole},
      {"vote after some lanes returned", diverges, block_0(),
       head + "  if (BUG && lane == 7) return;\n  out[i] = __popc(__ballot_sync(0xffffffffu, lane % 2));  "
              "//!\n}\n",
       whole},
      {"mask without the calling lane", diverges,
       [](const Scene&) {
         return Where{"", any, 0, 16};
       },
       head + "  out[i] = __shfl_xor_sync(BUG ? 0xffffu : 0xffffffffu, in[i], 1);  //!\n}\n", whole},
      {"masks that differ", diverges, block_0(),
       head + "  out[i] = __any_sync(BUG && lane == 3 ? 0xfffffffeu : 0xffffffffu, lane == 5);  //!\n}\n",
       whole},
      {"shuffle meets vote", diverges, block_0(),
       head + "  float v = 0;\n  if (BUG && lane < 4)\n    v = __shfl_sync(0xffffffffu, in[i], 0);  //!\n  "
              "else\n"
              "    v = __all_sync(0xffffffffu, 1);  //!\n  out[i] = v;\n}\n",
       whole},
      {"__syncwarp in one branch", diverges, block_0(),
       head + "  if (!BUG || lane < 16) __syncwarp();  //!\n  out[i] = in[i];\n}\n", whole},
  });
}

TEST(PlantedBarrier, NobodyCanGoOn) {
  const auto whole = scenes_of_whole_warps();
  const auto waits = always(FindingKind::deadlock);
  expect_reported({
      {"shuffle names lanes that wait at the barrier", waits, block_0(),
       head + "  float v = in[i];\n  if (!BUG || lane < 16) v += __shfl_down_sync(0xffffffffu, v, 8);\n"
              "  __syncthreads();\n  out[i] = v;\n}\n",
       whole},
      {"__syncwarp in a branch before a barrier", waits, block_0(),
       head + "  if (!BUG || lane == 0) __syncwarp();\n  __syncthreads();\n  out[i] = in[i];\n}\n", whole},
      {"a flag that nobody sets",
       waits,
       block_0(),
       head + "  __shared__ unsigned flag;\n  if (t == 0) flag = BUG ? 0 : 1;\n  __syncthreads();\n"
              "  while (atomicAdd(&flag, 0u) == 0) {\n  }\n  out[i] = in[i];\n}\n",
       {{{64}, {1}}}},
  });
}

// A lane outside of the mask or of the block has no value to give.
TEST(PlantedBarrier, ShufflesFromLanesThatBringNothing) {
  const auto wrong = always(FindingKind::wrong_result);
  expect_reported({
      {"shuffle from beside the mask", wrong,
       [](const Scene&) {
         return Where{"out", 0};
       },
       head + "  float v = in[i];\n  if (lane < 8) v = __shfl_down_sync(0xffu, v, BUG ? 8 : 0);\n"
              "  out[i] = v;\n}\n",
       scenes_of_whole_warps(), [](const Scene&, int element) { return element + 1.0; }},
      {"sum of a warp that is not whole", wrong, in_array("out"),
       head + "  float sum = in[i];\n  for (int half = 16; half > 0; half /= 2) {\n"
              "    const float other = __shfl_down_sync(0xffffffffu, sum, half);\n"
              "    if (BUG || (lane + half < 32 && t + half < size())) sum += other;\n  }\n"
              "  out[i] = lane == 0 ? sum : 0;\n}\n",
       scenes_where([](const Scene& scene) { return scene.threads() % 32 != 0; }),
       [](const Scene& scene, int element) {
         const int t = element % scene.threads();
         if (t % 32 != 0) return 0.0;
         const int lanes = std::min(32, scene.threads() - t);
         return lanes * (element + 1.0) + lanes * (lanes - 1) / 2.0;
       }},
  });
}

}  // namespace
}  // namespace tune::emulator::testing::barrier_bugs
