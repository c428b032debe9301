// SPDX-License-Identifier: Apache-2.0
// Threads that get in each other's way: missing barriers of blocks and warps, blocks that share memory.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::race_bugs {
namespace {

const std::string head =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1;\n";
const std::string head_scratch =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, float* scratch, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1;\n";

const std::vector<Extra> scratch = {
    {"scratch", BufferRole::scratch, [](const Scene& scene) { return scene.all(); }}};

int block_of(const Scene& scene, int element) {
  return element / scene.threads();
}
/// 1, 2, 3, ... of each block backwards.
double reversed(const Scene& scene, int element) {
  const int first = block_of(scene, element) * scene.threads();
  return first + scene.threads() - (element - first);
}

std::function<Where(const Scene&)> in_first_block(const char* array) {
  return [array](const Scene&) { return Where{array, any, 0}; };
}

TEST(PlantedRace, MissingBarriersOfABlock) {
  const auto twice_next = [](const Scene& scene, int element) {
    const int first = block_of(scene, element) * scene.threads();
    return 3.0 * (first + (element - first + 1) % scene.threads() + 1) + 3;
  };
  const std::string reverse =
      "  tile[t] = in[i];  //!\n  if (!BUG) __syncthreads();\n  out[i] = tile[last - t];  //!\n}\n";
  const auto bytes = [](const Scene& scene) { return static_cast<std::uint64_t>(scene.threads() * 4); };
  expect_reported({
      {"write, read: static array", race_here, in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n" + reverse, all_scenes(), reversed},
      {"write, read: dynamic array",
       race_here,
       in_first_block("dynamic shared memory"),
       head + "  extern __shared__ float tile[];\n" + reverse,
       all_scenes(),
       reversed,
       "float",
       {},
       bytes},
      {"write, read: the last barrier but one", race_here, in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n  tile[t] = 0;\n  __syncthreads();\n" + reverse, all_scenes(),
       reversed},
      {"read, write: reused tile", race_here, in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n  float sum = 0;\n"
              "  for (int step = 0; step < 3; ++step) {\n"
              "    tile[t] = in[i] + step;  //!\n    __syncthreads();\n"
              "    sum += tile[(t + 1) % size()];  //!\n    if (!BUG) __syncthreads();\n  }\n"
              "  out[i] = sum;\n}\n",
       all_scenes(), twice_next},
      {"double buffering, a barrier every other step", race_here, in_first_block("tile"),
       head + "  __shared__ float tile[2][1024];\n  float sum = 0;\n"
              "  for (int step = 0; step < 3; ++step) {\n"
              "    tile[step % 2][t] = in[i] + step;  //!\n"
              "    if (!BUG || step % 2 == 0) __syncthreads();\n"
              "    sum += tile[step % 2][(t + 1) % size()];  //!\n  }\n"
              "  out[i] = sum;\n}\n",
       all_scenes(), twice_next},
      {"__syncwarp where warps exchange", always(FindingKind::race_in_block), in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n  tile[t] = in[i];  //!\n"
              "  if (BUG) __syncwarp(); else __syncthreads();\n  out[i] = tile[last - t];  //!\n}\n",
       scenes_of_several_warps(), reversed},
      {"two threads of all", always(FindingKind::race_in_block),
       [](const Scene& scene) {
         return Where{"tile", 4, 0, scene.threads() - 1};
       },
       head + "  __shared__ float tile[2];\n  float sum = in[i];\n  if (t == 0) tile[1] = sum;\n"
              "  if (!BUG) __syncthreads();\n  if (t == last) sum = tile[1];  //!\n  out[i] = sum;\n}\n",
       scenes_of_several_warps()},
      {"in the second block only", race_here,
       [](const Scene&) {
         return Where{"tile", any, 1};
       },
       head + "  __shared__ float tile[1024];\n  tile[t] = in[i];  //!\n"
              "  if (!BUG || blockIdx.x != 1) __syncthreads();\n  out[i] = tile[last - t];  //!\n}\n",
       all_scenes(), reversed},
  });
}

TEST(PlantedRace, GlobalMemoryWithinABlock) {
  expect_reported({
      {"scratch of a neighbour", race_here, in_first_block("scratch"),
       head_scratch + "  scratch[i] = in[i];  //!\n  if (!BUG) __syncthreads();\n"
                      "  out[i] = scratch[i - t + last - t];  //!\n}\n",
       all_scenes(), reversed, "float", scratch},
      {"two threads write one element",
       [](const Scene& scene) {
         return scene.threads() % 32 == 1 ? FindingKind::race_in_block
                                          : FindingKind::race_in_warp;  // the last two threads
       },
       [](const Scene& scene) {
         return Where{"out", (scene.threads() - 2) * 4, 0, scene.threads() - 1};
       },
       head + "  if (BUG && t == last) out[i - 1] = 0;  //!\n  else out[i] = in[i];  //!\n}\n", all_scenes()},
  });
}

// Neighbouring bytes belong to different threads; one byte does not.
TEST(PlantedRace, SmallElements) {
  std::vector<Planted> all;
  for (const char* type : {"unsigned char", "short", "__half"})
    all.push_back(
        {std::string("tile of ") + type, race_here, in_first_block("tile"),
         "#include <cuda_fp16.h>\n" + head +
             "  __shared__ Item tile[1024];\n  tile[t] = in[i];  //!\n  if (!BUG) __syncthreads();\n"
             "  out[i] = tile[last - t];  //!\n}\n",
         all_scenes(), nullptr, type});
  expect_reported(all);
}

TEST(PlantedRace, BetweenBlocks) {
  const auto in_second = [](const char* array, int thread) {
    return [=](const Scene&) { return Where{array, any, 1, thread}; };
  };
  const auto same = [](const Scene&, int element) { return element + 1.0; };
  expect_reported({
      {"blocks write the same elements", always(FindingKind::race_between_blocks), in_second("out", 0),
       head + "  out[BUG ? t : i] = in[i];  //!\n}\n", all_scenes(), same},
      {"a block reads another one's scratch", always(FindingKind::race_between_blocks),
       in_second("scratch", 0),
       head_scratch + "  scratch[i] = in[i];\n  __syncthreads();\n"
                      "  out[i] = scratch[BUG && blockIdx.x > 0 ? i - size() : i];  //!\n}\n",
       all_scenes(), same, "float", scratch},
      {"a block overwrites what another one read", always(FindingKind::race_between_blocks),
       in_second("scratch", 0),
       head_scratch + "  scratch[i] = in[i];\n  out[i] = scratch[i];\n"
                      "  if (BUG && blockIdx.x > 0) scratch[i - size()] = 0;  //!\n}\n",
       all_scenes(), same, "float", scratch},
      {"tiles that overlap by an element", always(FindingKind::race_between_blocks),
       [](const Scene& scene) {
         return Where{"out", scene.threads() * 4, 1, 0};
       },
       head + "  out[i] = i + 1;  //!\n  if (BUG && t == last && i + 1 < n) out[i + 1] = i + 2;\n}\n",
       all_scenes(), same},
      {"blocks count without atomics", always(FindingKind::race_between_blocks), in_second("scratch", 0),
       head_scratch + "  out[i] = in[i];\n  if (t != 0) return;\n"
                      "  if (BUG) { if (i == 0) scratch[0] = 0; scratch[0] += 1; }  //!\n"
                      "  else scratch[blockIdx.x] = 1;\n}\n",
       all_scenes(), same, "float", scratch},
  });
}

// A tree of sums in shared memory by the lanes of a warp, which since Volta need not run in step.
TEST(PlantedRace, MissingSyncwarp) {
  const auto warp_sum = [](const Scene&, int element) {
    const int first = element / 32 * 32;
    return 32.0 * first + 33 * 16;
  };
  const auto tree = [](const std::string& type, const std::string& sync) {
    return head + "  __shared__ float tile[1024];\n  tile[t] = in[i];\n  __syncthreads();\n" + "  " + type +
           " mine = tile + t / 32 * 32;\n  const int lane = t % 32;\n"
           "  for (int half = 16; half > 0; half /= 2) {\n"
           "    float sum = mine[lane];\n    if (lane < half) sum += mine[lane + half];  //!\n" +
           sync +
           "    mine[lane] = sum;  //!\n"
           "    if (!BUG) __syncwarp();\n  }\n  __syncthreads();\n"
           "  out[i] = mine[0];\n}\n";
  };
  const auto whole = scenes_of_whole_warps();
  expect_reported({
      {"tree of a warp without __syncwarp", always(FindingKind::race_in_warp), in_first_block("tile"),
       tree("float*", "    if (!BUG) __syncwarp();\n"), whole, warp_sum},
      {"tree without its first __syncwarp", always(FindingKind::race_in_warp), in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n  tile[t] = in[i];  //!\n  if (!BUG) __syncwarp();\n"
              "  out[i] = tile[t / 32 * 32 + 31 - t % 32];  //!\n}\n",
       whole},
      {"__syncwarp of either half", always(FindingKind::race_in_warp), in_first_block("tile"),
       head + "  __shared__ float tile[1024];\n  tile[t] = in[i];  //!\n"
              "  __syncwarp(!BUG ? 0xffffffffu : t % 32 < 16 ? 0xffffu : 0xffff0000u);\n"
              "  out[i] = tile[t / 32 * 32 + 31 - t % 32];  //!\n}\n",
       whole},
  });
}

}  // namespace
}  // namespace tune::emulator::testing::race_bugs
