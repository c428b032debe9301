// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks in the emulator: their barrier, and the shared memory of the other blocks.
#include <gmock/gmock.h>

#include <functional>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::KernelCheck;

/// A kernel of blocks of 64 threads in clusters; in[i] is i + 1 for the thread `i` of the grid.
std::string clustered(const std::string& cluster, const std::string& body) {
  return "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
         "extern \"C\" __global__ void __cluster_dims__(" +
         cluster +
         ") __launch_bounds__(64)\nk(const float* in, float* out, int n) {\n"
         "  __shared__ char before[3]; __shared__ float s[64]; __shared__ int sum;\n"
         "  cg::cluster_group cluster = cg::this_cluster(); const int t = threadIdx.x, rank = cluster.block_rank();\n"
         "  const int i = (blockIdx.y * gridDim.x + blockIdx.x) * 64 + t; if (t < 3) before[t] = 0; __syncthreads();\n" +
         body + "\n}\n";
}
const std::string writes = "s[t] = in[i] + before[0]; if (t == 0) sum = 0;\n", syncs = "cluster.sync();\n",
                  reads = "out[i] = cluster.map_shared_rank(s, (rank + 1) % 4)[63 - t];\n";

std::vector<double> each_value(int count, const std::function<double(int)>& value) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(value(i));
  return values;
}

TEST(Clusters, BlocksReadTheSharedMemoryOfOthers) {
  for (const Flavour flavour : {Flavour::sanitize, Flavour::plain}) {
    KernelCheck check(clustered("4", writes + syncs + reads + syncs), 64, 8);
    check
        .expecting(each_value(512,
                              [](int i) {
                                const int block = i / 64, other = block / 4 * 4 + (block + 1) % 4;
                                return other * 64 + 63 - i % 64 + 1;
                              }))
        .flavour(flavour);
    EXPECT_EQ(check.report(), "");
  }
}

TEST(Clusters, BarriersThatAreMissingAreFound) {
  const auto report = [](const std::string& body) {
    return testing::report_of(clustered("4, 1, 1", body), 64, 8);
  };
  EXPECT_THAT(report(writes + reads + syncs), HasSubstr("'s of block number 1'"));
  EXPECT_THAT(report(writes + syncs + reads),
              AllOf(HasSubstr("of block number"), HasSubstr("cluster.sync() is missing")));
  EXPECT_THAT(report(writes + syncs + reads + "__syncthreads();\ns[t] = 1;\n" + syncs),
              AllOf(HasSubstr("race between blocks"), HasSubstr("no barrier of the cluster between")));
  EXPECT_THAT(report(writes + syncs + "out[i] = cluster.map_shared_rank(s, 1)[t + 64];" + syncs),
              HasSubstr("out of bounds"));
  EXPECT_THAT(report(writes + syncs + "out[i] = *cluster.map_shared_rank(s, 4);" + syncs),
              HasSubstr("map_shared_rank"));
  // Clusters do not wait for each other.
  EXPECT_THAT(report("out[i] = 1;\n" + syncs + "if (i >= 256) out[i] = out[i - 256];\n" + syncs),
              HasSubstr("race between blocks"));
}

TEST(Clusters, OrderWhatTheirBlocksDoInGlobalMemory) {
  KernelCheck check(
      clustered("2, 2",
                "out[i] = i; " + syncs +
                    "const float v = out[((blockIdx.y ^ 1) * gridDim.x + (blockIdx.x ^ 1)) * 64 + t];\n" +
                    syncs +
                    "out[i] = v + 1000 * rank + 10000 * cluster.num_blocks();\n"
                    "if (t > 10) return;\n" +
                    syncs),
      64, 8);
  check.launch().grid = {4, 2, 1};
  check.expecting(each_value(512, [](int i) {
    const int x = i / 64 % 4, y = i / 256;
    return ((y ^ 1) * 4 + (x ^ 1)) * 64 + i % 64 + 1000 * (y * 2 + x % 2) + 40000;
  }));
  EXPECT_EQ(check.report(), "");
}

TEST(Clusters, AtomicsReachOtherBlocks) {
  const std::string add = "atomicAdd(cluster.map_shared_rank(&sum, 0), rank + 1);\n";
  KernelCheck check(
      clustered("4", writes + syncs + add + syncs + "out[i] = rank == 0 ? sum : 0; cluster.sync();"), 64, 8);
  check.expecting(each_value(512, [](int i) { return i / 64 % 4 == 0 ? 640 : 0; }));
  EXPECT_EQ(check.report(), "");
}

TEST(Clusters, ThatDoNotFitTheGridCannotRun) {
  const CheckVerdict verdict = KernelCheck(clustered("4", syncs), 64, 6).verdict();
  ASSERT_TRUE(verdict.cannot_run && verdict.findings.empty());
  EXPECT_THAT(verdict.cannot_run->detail, HasSubstr("clusters of 4 x 1 x 1 blocks, and its grid 6 x 1 x 1"));
  KernelCheck together(clustered("2", syncs), 64, 2);
  together.launch().cooperative = true;
  EXPECT_THAT(together.report(), HasSubstr("no cooperative launch of clusters"));
  const std::string in_macro = "#define CLUSTER __cluster_dims__(2)\n" + clustered("2", syncs);
  EXPECT_EQ(testing::report_of(in_macro, 64, 2), "the emulator has no __cluster_dims__ in a macro");
}

}  // namespace
}  // namespace tune::emulator
