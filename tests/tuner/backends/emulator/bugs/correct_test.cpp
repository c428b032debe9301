// SPDX-License-Identifier: Apache-2.0
// Correct kernels of every kind, in which nothing may be reported; and what is held to be a bug although it
// looks harmless, or is not seen although it is one.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::correct_bugs {
namespace {

const std::string head =
    "#include \"bug.cuh\"\n#include <cuda_pipeline.h>\n#include <cooperative_groups.h>\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
    "  const int i = index(), t = rank(), lane = t % 32, last = size() - 1;\n";

double first_of_block(const Scene& scene, int element) {
  return element / scene.threads() * scene.threads() + 1.0;
}
/// The sum of in over the block that holds the element.
double block_sum(const Scene& scene, int element) {
  const double threads = scene.threads();
  return threads * first_of_block(scene, element) + threads * (threads - 1) / 2;
}
double same(const Scene&, int element) {
  return element + 1.0;
}

Planted correct(std::string name, std::string body, std::function<double(const Scene&, int)> result,
                std::vector<Scene> scenes = all_scenes()) {
  return {std::move(name),     always(FindingKind::crash), in_array(""),
          head + body + "}\n", std::move(scenes),          std::move(result)};
}

TEST(CorrectKernels, Reductions) {
  const auto whole = scenes_where([](const Scene& scene) { return scene.threads() % 32 == 0; });
  const std::string warp =
      "  float sum = in[i];\n"
      "  for (int half = 16; half > 0; half /= 2)\n"
      "    sum += __shfl_down_sync(0xffffffffu, sum, half);\n";
  expect_clean({
      correct("shuffles, then a sum for each warp",
              "  __shared__ float part[32];\n" + warp +
                  "  if (lane == 0) part[t / 32] = sum;\n  __syncthreads();\n"
                  "  sum = 0;\n  for (int w = 0; w < size() / 32; ++w) sum += part[w];\n  out[i] = sum;\n",
              block_sum, whole),
      correct("a tree in shared memory",
              "  __shared__ float tile[1024];\n  tile[t] = in[i];\n  __syncthreads();\n"
              "  for (int half = 512; half > 0; half /= 2) {\n"
              "    if (t < half && t + half < size()) tile[t] += tile[t + half];\n    __syncthreads();\n  }\n"
              "  out[i] = tile[0];\n",
              block_sum),
      correct("a tree whose last steps are a warp's",
              "  __shared__ float tile[1024];\n  tile[t] = in[i];\n  __syncthreads();\n"
              "  for (int half = 512; half > 16; half /= 2) {\n"
              "    if (t < half && t + half < size()) tile[t] += tile[t + half];\n    __syncthreads();\n  }\n"
              "  if (t < 32)\n    for (int half = 16; half > 0; half /= 2) {\n"
              "      const float sum = tile[t] + (t < half ? tile[t + half] : 0);\n      __syncwarp();\n"
              "      tile[t] = sum;\n      __syncwarp();\n    }\n  __syncthreads();\n  out[i] = tile[0];\n",
              block_sum, whole),
      correct("atomics in shared memory",
              "  __shared__ float sum;\n  if (t == 0) sum = 0;\n  __syncthreads();\n"
              "  atomicAdd(&sum, in[i]);\n  __syncthreads();\n  out[i] = sum;\n",
              block_sum),
      correct("sum by compare-and-swap",
              "  __shared__ unsigned bits;\n  if (t == 0) bits = 0;\n  __syncthreads();\n"
              "  unsigned old = atomicAdd(&bits, 0u), seen;\n  do {\n    seen = old;\n"
              "    old = atomicCAS(&bits, seen, __float_as_uint(__uint_as_float(seen) + in[i]));\n"
              "  } while (old != seen);\n  __syncthreads();\n  out[i] = __uint_as_float(bits);\n",
              block_sum),
      correct("cooperative groups: a tile of 8, then the block",
              "  namespace cg = cooperative_groups;\n  const auto block = cg::this_thread_block();\n"
              "  const auto tile = cg::tiled_partition<8>(block);\n  __shared__ float part[128];\n"
              "  float sum = in[i];\n"
              "  for (int half = 4; half > 0; half /= 2) sum += tile.shfl_down(sum, half);\n"
              "  if (tile.thread_rank() == 0) part[t / 8] = sum;\n  block.sync();\n"
              "  sum = 0;\n  for (int p = 0; p < size() / 8; ++p) sum += part[p];\n  out[i] = sum;\n",
              block_sum, whole),
  });
}

TEST(CorrectKernels, Tiles) {
  const std::vector<Scene> square = {{{16, 16}, {2}}, {{8, 8}, {2}}, {{32, 32}, {1}}, {{5, 5}, {3}}};
  const auto transposed = [](const Scene& scene, int element) {
    const int side = static_cast<int>(scene.block.x), t = element % scene.threads();
    return element - t + t % side * side + t / side + 1.0;
  };
  expect_clean({
      correct(
          "transposition",
          "  __shared__ float tile[32][33];\n  tile[threadIdx.y][threadIdx.x] = in[i];\n  __syncthreads();\n"
          "  out[i] = tile[threadIdx.x][threadIdx.y];\n",
          transposed, square),
      correct(
          "matrix product in tiles",
          "  __shared__ float a[32][33], b[32][33];\n  const int x = threadIdx.x, y = threadIdx.y;\n"
          "  float sum = 0;\n  for (int step = 0; step < 3; ++step) {\n"
          "    a[y][x] = x == y ? 1 : 0;\n    b[y][x] = in[i];\n    __syncthreads();\n"
          "    for (int m = 0; m < blockDim.x; ++m) sum += a[y][m] * b[m][x];\n    __syncthreads();\n  }\n"
          "  out[i] = sum / 3;\n",
          same, square),
      correct(
          "double-buffered asynchronous copies",
          "  __shared__ float tile[3][1024];\n  float sum = 0;\n"
          "  for (int s = 0; s < 2; ++s) {\n"
          "    __pipeline_memcpy_async(&tile[s][t], in + i, 4);\n    __pipeline_commit();\n  }\n"
          "  for (int step = 0; step < 6; ++step) {\n    __pipeline_wait_prior(1);\n    __syncthreads();\n"
          "    if (step < 4) __pipeline_memcpy_async(&tile[(step + 2) % 3][t], in + i, 4);\n"
          "    __pipeline_commit();\n    sum += tile[step % 3][last - t];\n  }\n  out[i] = sum / 6;\n",
          [](const Scene& scene, int element) {
            return first_of_block(scene, element) + scene.threads() - 1 - element % scene.threads();
          }),
      correct("one array as bytes, then as floats",
              "  __shared__ __align__(16) unsigned char bytes[4096];\n  bytes[t] = 1;\n  __syncthreads();\n"
              "  const float v = in[i] * bytes[last - t];\n  __syncthreads();\n"
              "  reinterpret_cast<float*>(bytes)[t] = v;\n  __syncthreads();\n"
              "  out[i] = reinterpret_cast<float*>(bytes)[t];\n",
              same),
      correct("vectors over whole tiles",
              "  __shared__ float4 tile[256];\n  if (4 * t < size()) tile[t] = float4{1, 2, 3, 4};\n"
              "  __syncthreads();\n  out[i] = in[i] * reinterpret_cast<float*>(tile)[t / 4 * 4];\n",
              same),
      correct("histogram of bytes",
              "  __shared__ unsigned count[16];\n  if (t < 16) count[t] = 0;\n  __syncthreads();\n"
              "  atomicAdd(count + t % 16, 1u);\n  __syncthreads();\n  unsigned sum = 0;\n"
              "  for (int c = 0; c < 16; ++c) sum += count[c];\n  out[i] = sum;\n",
              [](const Scene& scene, int) { return scene.threads(); }),
  });
}

TEST(CorrectKernels, HarmlessPatterns) {
  expect_clean({
      correct("all read one word",
              "  __shared__ float one;\n  if (t == 0) one = in[i];\n  __syncthreads();\n"
              "  out[i] = one + in[0] - in[0];\n",
              first_of_block),
      correct("all branches reach one barrier",
              "  __shared__ float tile[1024];\n  if (t % 2) tile[t] = in[i];\n  else tile[t] = in[i] + 0;\n"
              "  __syncthreads();\n  out[i] = tile[t];\n",
              same),
      correct("a uniform condition around a barrier",
              "  __shared__ float tile[1024];\n  tile[t] = in[i];\n  if (n > 0) __syncthreads();\n"
              "  if (blockIdx.x == 1) __syncthreads();\n  out[i] = tile[last] + in[i] - tile[last];\n",
              same),
      correct("warps end early, the others work on",
              "  out[i] = in[i];\n  if (t >= 32) return;\n  __shared__ float tile[32];\n  tile[t] = in[i];\n"
              "  __syncwarp();\n  out[i] = tile[t] + tile[0] - tile[0];\n",
              same),
      correct("a shuffle of the lanes of a branch",
              "  float v = in[i];\n  if (lane < 8) v = __shfl_sync(0xffu, v, 0, 8) + lane;\n  out[i] = v;\n",
              same, scenes_of_whole_warps()),
      correct("a vote in a warp that is not whole",
              "  out[i] = in[i] + (__all_sync(0xffffffffu, 1) ? 0 : 1);\n", same),
      correct(
          "neighbouring bytes of different threads",
          "  __shared__ unsigned char tile[1024];\n  tile[t] = t % 7;\n  out[i] = in[i] + tile[t] - t % 7;\n",
          same),
      correct("a grid-stride loop", "  for (int e = i; e < n; e += gridDim.x * size()) out[e] = in[e];\n",
              same),
      correct("local arrays",
              "  float own[8];\n  for (int e = 0; e < 8; ++e) own[(e + t) % 8] = in[i];\n"
              "  out[i] = own[t % 8];\n",
              same),
      correct("in place", "  out[i] = in[i];\n  out[i] = 2 * out[i];\n  out[i] -= in[i];\n", same),
      correct("a thread's own shared elements need no barrier",
              "  __shared__ float tile[1024];\n  for (int e = 0; e < 4; ++e) tile[t] = in[i];\n  out[i] = "
              "tile[t];\n",
              same),
  });
}

// Decisions: what the checks hold for wrong although a device most often gives the result that is wanted. The
// CUDA memory model calls unordered writes a race whatever they write.
TEST(CorrectKernels, LooksHarmlessAndIsReported) {
  const std::string kernel = head + "  __shared__ int found;\n  if (t == 0) found = 0;\n  __syncthreads();\n";
  expect_reported({
      {"threads write the same value", race_here, in_array("found"),
       kernel + "  if (!BUG) atomicExch(&found, 1);\n  else found = 1;  //!\n  __syncthreads();\n"
                "  out[i] = found;\n}\n",
       all_scenes(), [](const Scene&, int) { return 1.0; }},
      {"lanes in step, volatile", always(FindingKind::wrong_result), in_array("out"),
       head + "  __shared__ float tile[1024];\n  tile[t] = in[i];\n  __syncthreads();\n"
              "  volatile float* mine = tile + t / 32 * 32;\n"
              "  for (int half = 16; half > 0; half /= 2) {\n"
              "    const float sum = mine[lane] + (lane < half ? mine[lane + half] : 0);\n"
              "    if (!BUG) __syncwarp();\n    mine[lane] = sum;\n    if (!BUG) __syncwarp();\n  }\n"
              "  __syncthreads();\n  out[i] = mine[0];\n}\n",
       scenes_of_whole_warps(),
       [](const Scene&, int element) { return 32.0 * (element / 32 * 32) + 33 * 16; }},
  });
}

// Since Volta, a barrier of a block waits for the threads that have not ended.
TEST(CorrectKernels, ThreadsThatHaveEndedTakeNoPartInABarrier) {
  const auto reversed = [](const Scene& scene, int element) {
    const int threads = scene.threads(), t = element % threads;
    return t == threads - 1 ? 0.0 : element - t + (threads - 2 - t) + 1.0;
  };
  expect_clean({
      correct("the last thread returns before barriers",
              "  __shared__ float tile[1024];\n  if (t == last) {\n    out[i] = 0;\n    return;\n  }\n"
              "  tile[t] = in[i];\n  __syncthreads();\n  out[i] = tile[last - 1 - t];\n  __syncthreads();\n",
              reversed),
      correct("it leaves data for the others",
              "  __shared__ float first;\n  if (t == 0) first = in[i];\n  if (t == 0) out[i] = in[i];\n"
              "  if (t == 0) return;\n  __syncthreads();\n  out[i] = first;\n",
              first_of_block),
      correct("a barrier counts the others alone",
              "  if (t == 0) {\n    out[i] = size() - 1;\n    return;\n  }\n"
              "  const int all = __syncthreads_and(1);\n  out[i] = all * __syncthreads_count(1);\n",
              [](const Scene& scene, int) { return scene.threads() - 1.0; }),
  });
}

// Known gaps: right, and reported; a fence and a flag order blocks here, not the threads of one.
TEST(KnownGaps, FlagsAndLocksWithinABlockAreReported) {
  const std::string flag = head +
                           "  __shared__ int data;\n  __shared__ volatile int flag;\n"
                           "  if (t == 0) flag = 0;\n  __syncthreads();\n"
                           "  if (t == 0) {\n    data = 5;\n    __threadfence();\n    flag = 1;\n  }\n"
                           "  if (!BUG) __syncthreads();\n  while (flag == 0) {\n  }\n"
                           "  __threadfence();\n  out[i] = data;  //!\n}\n";
  expect_reported({{"a message by fence and flag", race_here, in_array("data"), flag, all_scenes(),
                    [](const Scene&, int) { return 5.0; }}});
}

// Known gaps: wrong, and not seen, unless a result shows it.
TEST(KnownGaps, AreNotSeen) {
  const std::string flag = "  __shared__ int flag;\n  if (t == 0) flag = 0;\n  __syncthreads();\n";
  expect_clean({
      correct("a plain write after a volatile read",
              flag +
                  "  const int seen = *reinterpret_cast<volatile int*>(&flag);\n  if (t == last) flag = 1;\n"
                  "  out[i] = in[i] + 0 * seen;\n",
              same),
      correct("two barriers of groups on one line",
              "  if (t % 2) cooperative_groups::this_thread_block().sync(); else "
              "cooperative_groups::this_thread_block().sync();\n  out[i] = in[i];\n",
              same),
  });
}

}  // namespace
}  // namespace tune::emulator::testing::correct_bugs
