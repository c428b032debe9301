// SPDX-License-Identifier: Apache-2.0
// Memory that holds nothing yet, copies that have not arrived, atomics and fences.
#include <gtest/gtest.h>

#include "tests/tuner/backends/emulator/bugs/planted.hpp"

namespace tune::emulator::testing::state_bugs {
namespace {

const std::string head =
    "#include \"bug.cuh\"\n#include <cuda_pipeline.h>\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1;\n";
const std::string head_scratch =
    "#include \"bug.cuh\"\n"
    "extern \"C\" __global__ void k(const Item* in, Item* out, float* scratch, int n) {\n"
    "  const int i = index(), t = rank(), last = size() - 1;\n";

const std::vector<Extra> scratch = {
    {"scratch", BufferRole::scratch, [](const Scene& scene) { return scene.all(); }}};

double same(const Scene&, int element) {
  return element + 1.0;
}
double reversed(const Scene& scene, int element) {
  const int first = element / scene.threads() * scene.threads();
  return first + scene.threads() - (element - first);
}
auto at(const char* array, std::int64_t offset, int block, int thread) {
  return [=](const Scene&) { return Where{array, offset, block, thread}; };
}

TEST(PlantedState, UninitialisedReads) {
  const auto nothing = always(FindingKind::uninitialised_read);
  expect_reported({
      {"own element of a shared array", nothing, at("tile", 0, 0, 0),
       head + "  __shared__ float tile[1024];\n  if (!BUG) tile[t] = 0;\n  tile[t] += in[i];  //!\n"
              "  out[i] = tile[t];\n}\n",
       all_scenes(), same},
      {"a shared array that nobody writes", nothing, at("tile", 0, 0, 0),
       head +
           "  __shared__ float tile[1024];\n  if (!BUG) tile[t] = 0;\n  out[i] = in[i] + tile[t];  //!\n}\n",
       all_scenes(), same},
      {"the halo of a tile", nothing,
       [](const Scene& scene) {
         return Where{"tile", scene.threads() * 4LL, 0, scene.threads() - 1};
       },
       head + "  __shared__ float tile[1025];\n  tile[t] = in[i];\n  if (!BUG && t == 0) tile[size()] = 0;\n"
              "  __syncthreads();\n  out[i] = tile[t + 1];  //!\n}\n",
       all_scenes()},
      {"dynamic shared memory",
       nothing,
       at("dynamic shared memory", 0, 0, 0),
       head +
           "  extern __shared__ float tile[];\n  if (!BUG) tile[t] = in[i];\n  out[i] = tile[t];  //!\n}\n",
       all_scenes(),
       same,
       "float",
       {},
       [](const Scene& scene) { return static_cast<std::uint64_t>(scene.threads() * 4); }},
      {"what the block before left in shared memory", nothing, at("tile", 0, 1, 0),
       head + "  __shared__ float tile[1024];\n  if (!BUG || blockIdx.x == 0) tile[t] = in[i];\n"
              "  out[i] = tile[t];  //!\n}\n",
       all_scenes(), same},
      {"an output that is added to", nothing, at("out", 0, 0, 0),
       head + "  if (!BUG) out[i] = 0;\n  out[i] += in[i];  //!\n}\n", all_scenes(), same},
      {"an output that is added to atomically", nothing, at("out", 0, 0, 0),
       head + "  if (!BUG) out[i] = 0;\n  atomicAdd(out + i, in[i]);  //!\n}\n", all_scenes(), same},
      {"scratch", nothing, at("scratch", 12, 0, 3),
       head_scratch + "  if (!BUG || i != 3) scratch[i] = in[i];\n  out[i] = scratch[i];  //!\n}\n",
       all_scenes(), same, "float", scratch},
      {"one byte of a word", nothing, at("tile", 2, 0, 0),
       "#include \"bug.cuh\"\nextern \"C\" __global__ void k(const Item* in, Item* out, int n) {\n"
       "  const int i = index(), t = rank();\n  __shared__ unsigned char tile[4096];\n"
       "  for (int b = 0; b < 4; ++b)\n    if (!BUG || b != 2) tile[4 * t + b] = b;\n"
       "  unsigned sum = 0;\n  for (int b = 0; b < 4; ++b) sum += tile[4 * t + b];  //!\n  out[i] = "
       "sum;\n}\n",
       all_scenes()},
  });
}

TEST(PlantedState, AsynchronousCopies) {
  const auto unfinished = always(FindingKind::unfinished_copy);
  const std::string copy =
      head + "  __shared__ float tile[1024];\n  __pipeline_memcpy_async(tile + t, in + i, 4);\n";
  const std::string buffers = head +
                              "  __shared__ float tile[2][1024];\n  float sum = 0;\n"
                              "  __pipeline_memcpy_async(&tile[0][t], in + i, 4);\n  __pipeline_commit();\n"
                              "  for (int step = 0; step < 4; ++step) {\n";
  const auto four_next = [](const Scene& scene, int element) {
    const int first = element / scene.threads() * scene.threads();
    return 4.0 * (first + (element - first + 1) % scene.threads() + 1);
  };
  expect_reported({
      {"no wait", unfinished, at("tile", 0, 0, 0),
       copy + "  __pipeline_commit();\n  if (!BUG) __pipeline_wait_prior(0);\n  out[i] = tile[t];  //!\n}\n",
       all_scenes(), same},
      {"no wait, but a barrier", unfinished, in_array("tile"),
       copy + "  __pipeline_commit();\n  if (!BUG) __pipeline_wait_prior(0);\n  __syncthreads();\n"
              "  out[i] = tile[last - t];  //!\n}\n",
       all_scenes(), reversed},
      {"no commit before the wait", unfinished, at("tile", 0, 0, 0),
       copy + "  if (!BUG) __pipeline_commit();\n  __pipeline_wait_prior(0);\n  out[i] = tile[t];  //!\n}\n",
       all_scenes(), same},
      {"one group too many pending", unfinished, at("tile", 0, 0, 0),
       copy + "  __pipeline_commit();\n  __pipeline_wait_prior(BUG);\n  out[i] = tile[t];  //!\n}\n",
       all_scenes(), same},
      {"no barrier after the wait", race_here, in_array("tile"),
       copy + "  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  if (!BUG) __syncthreads();\n"
              "  out[i] = tile[last - t];\n}\n",
       scenes_of_several_warps(), reversed},
      {"a stage is refilled while it is read",
       [](const Scene& scene) {  // the last warp of 33 threads reads before it writes
         return scene.threads() == 33 ? FindingKind::unfinished_copy : race_here(scene);
       },
       in_array("tile"),
       buffers + "    if (step < 3) __pipeline_memcpy_async(&tile[(step + 1) % 2][t], in + i, 4);  //!\n"
                 "    __pipeline_commit();\n    __pipeline_wait_prior(1);\n    __syncthreads();\n"
                 "    sum += tile[step % 2][(t + 1) % size()];  //!\n    if (!BUG) __syncthreads();\n  }\n"
                 "  out[i] = sum;\n}\n",
       all_scenes(), four_next},
      {"two steps share a stage", always(FindingKind::unfinished_copy), in_array("tile"),
       buffers + "    if (step < 3)\n"
                 "      __pipeline_memcpy_async(&tile[BUG ? 0 : (step + 1) % 2][t], in + i, 4);  //!\n"
                 "    __pipeline_commit();\n    __pipeline_wait_prior(1);\n    __syncthreads();\n"
                 "    sum += tile[BUG ? 0 : step % 2][(t + 1) % size()];  //!\n    __syncthreads();\n  }\n"
                 "  out[i] = sum;\n}\n",
       all_scenes(), four_next},
      {"copy from behind the input", always(FindingKind::out_of_bounds),
       [](const Scene& scene) {
         return Where{"in", scene.all() * 4LL, 1, scene.threads() - 1};
       },
       head + "  __shared__ float tile[1024];\n  __pipeline_memcpy_async(tile + t, in + i + BUG, 4);  //!\n"
              "  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  out[i] = tile[t];\n}\n",
       all_scenes(), same},
      {"copy to a misaligned place", always(FindingKind::misaligned), at("tile", 4, 0, 0),
       head + "  __shared__ __align__(16) float tile[4100];\n  if (4 * i + 4 <= n)\n"
              "    __pipeline_memcpy_async(tile + 4 * t + BUG, in + 4 * i, 16);  //!\n"
              "  __pipeline_commit();\n  __pipeline_wait_prior(0);\n  out[i] = in[i];\n}\n",
       all_scenes(), same},
  });
}

TEST(PlantedState, Atomics) {
  const auto threads = [](const Scene& scene, int) { return scene.threads(); };
  const std::string count =
      head + "  __shared__ int count[4];\n  if (t < 4) count[t] = 0;\n  __syncthreads();\n";
  const auto whole = scenes_where([](const Scene& scene) { return scene.threads() % 4 == 0; });
  expect_reported({
      {"a counter without atomics", race_here, at("count", 0, 0, any),
       count + "  if (BUG) count[0] += 1;  //!\n  else atomicAdd(count, 1);\n  __syncthreads();\n"
               "  out[i] = count[0];\n}\n",
       all_scenes(), threads},
      {"a histogram without atomics", race_here, in_array("count"),
       count + "  if (BUG) ++count[t % 4];  //!\n  else atomicAdd(count + t % 4, 1);\n  __syncthreads();\n"
               "  out[i] = 4 * count[t % 4];\n}\n",
       whole, threads},
      {"one plain increment among atomics", always(FindingKind::race_in_warp), at("count", 0, 0, any),
       count +
           "  if (BUG && t == 5) count[0] += 1;  //!\n  else atomicAdd(count, 1);  //!\n  __syncthreads();\n"
           "  out[i] = count[0];\n}\n",
       scenes_of_several_warps(), threads},
      {"read while others count", race_here, at("count", 0, 0, any),
       count + "  atomicAdd(count, 1);  //!\n  if (!BUG) __syncthreads();\n  out[i] = count[0];  //!\n}\n",
       all_scenes(), threads},
      {"cleared while others count", always(FindingKind::race_in_warp), at("count", 0, 0, any),
       head + "  __shared__ int count[1];\n  if (t == 0) count[0] = 0;\n  if (!BUG) __syncthreads();\n"
              "  atomicAdd(count, 1);  //!\n  __syncthreads();\n  out[i] = count[0];\n}\n",
       all_scenes(), threads},
      {"blocks: read while others count", always(FindingKind::race_between_blocks), at("scratch", 0, 1, any),
       head_scratch +
           "  if (i == 0) scratch[0] = 0;\n  __syncthreads();\n"
           "  if (BUG && blockIdx.x == 1 && t == 0) out[i] = scratch[0];  //!\n  else out[i] = in[i];\n}\n",
       all_scenes(), same, "float", scratch},
  });
}

// Every block writes its part of scratch; the last one to come adds all parts.
TEST(PlantedState, CommunicationBetweenBlocks) {
  const std::string source =
      "#include \"bug.cuh\"\n"
      "extern \"C\" __global__ void clear(unsigned* count) { *count = 0; }\n"
      "extern \"C\" __global__ void k(const Item* in, Item* out, float* scratch, unsigned* count, int n) {\n"
      "  const int i = index(), t = rank();\n  __shared__ bool last;\n"
      "  scratch[i] = in[i];\n  out[i] = 0;\n  if (!BUG) __threadfence();\n  __syncthreads();\n"
      "  if (t == 0) {\n    last = atomicAdd(count, 1u) == gridDim.x - 1;\n    __threadfence();\n  }\n"
      "  __syncthreads();\n  if (!last) return;\n"
      "  float sum = 0;\n  for (int b = 0; b < gridDim.x; ++b) sum += scratch[b * size() + t];  //!\n"
      "  out[i] = sum;  // of the last block only\n}\n";
  const auto cleared = [](LaunchPlan& plan, ReferenceData&) {
    plan.compile.entries.push_back("clear");
    Launch clear;
    clear.entry = "clear";
    clear.grid = clear.block = {1, 1, 1};
    clear.arguments = {BufferArgument{"count"}};
    plan.launches.insert(plan.launches.begin(), clear);
  };
  std::vector<Extra> extra = scratch;
  extra.push_back({"count", BufferRole::scratch, [](const Scene&) { return 1; }, ElementType::u32});
  expect_reported({{"no fence before the count", always(FindingKind::race_between_blocks),
                    in_array("scratch"), source, all_scenes(),
                    [](const Scene& scene, int element) {
                      const int t = element - scene.threads();
                      return t < 0 ? 0.0 : 2.0 * (t + 1) + scene.threads();
                    },
                    "float", extra, nullptr, cleared}});
}

}  // namespace
}  // namespace tune::emulator::testing::state_bugs
