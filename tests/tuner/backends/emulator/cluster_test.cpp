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

TEST(Clusters, ExtentsFollowThePreprocessorAndTemplates) {
  const auto blocks_of = [](std::string text, const std::string& entry = "k") {
    KernelCheck check(text + "  out[blockIdx.x * 64 + threadIdx.x] = cg::this_cluster().num_blocks(); }\n",
                      64, 4);
    check.plan.compile.entries = {entry};
    check.launch().entry = entry;
    check.flavour(Flavour::plain);
    const auto is = [&](double blocks) {
      check.expecting(std::vector<double>(256, blocks));
      return check.report().empty();
    };
    return is(1) ? 1 : is(2) ? 2 : is(4) ? 4 : 0;
  };
  const std::string begin = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n",
                    end = "k(const float* in, float* out, int n) {\n";
  EXPECT_EQ(blocks_of(begin +
                      "#define SIZE 2\n#define CLUSTER __cluster_dims__(SIZE, 1, 1)\nextern \"C\" __global__ "
                      "CLUSTER void\n" +
                      end),
            2);
  EXPECT_EQ(
      blocks_of(begin +
                "#define IN(size) extern \"C\" __global__ __cluster_dims__(size) __launch_bounds__(64)\n"
                "IN(4) void " +
                end),
      4);
  EXPECT_EQ(
      blocks_of(begin +
                "extern \"C\"\n#if 0\n__global__ void __cluster_dims__(4)\n#else\n__global__ void\n#endif\n" +
                end),
      1);
  EXPECT_EQ(blocks_of(begin +
                      "#ifdef CLUSTERS\n#define CLUSTER __cluster_dims__(4)\n#else\n#define CLUSTER\n#endif\n"
                      "extern \"C\" __global__ CLUSTER void " +
                      end),
            1);
  EXPECT_EQ(
      blocks_of(begin + "template<class T, int size>\n__global__ void __cluster_dims__(size, 1)\n" + end,
                "k<float, 2>"),
      2);
}

TEST(Clusters, ArriveAndWaitApart) {
  KernelCheck check(
      clustered(
          "4",
          writes +
              "auto token = cluster.barrier_arrive(); const int own = cluster.query_shared_rank(s);\n"
              "cluster.barrier_wait(cg::cluster_group::arrival_token(token));\n"
              "float* other = cluster.map_shared_rank(s, (rank + 1) % 4);\n"
              "assert(own == rank && cluster.query_shared_rank(other) == (rank + 1) % 4);\n"
              "assert(__clusterRelativeBlockRank() == rank && __clusterSizeInBlocks() == 4 && __clusterIdx().x == blockIdx.x / 4);\n"
              "out[i] = other[t];\n__cluster_barrier_arrive(); __cluster_barrier_wait();\n"),
      64, 8);
  check.expecting(each_value(512, [](int i) {
    const int block = i / 64;
    return (block / 4 * 4 + (block + 1) % 4) * 64 + i % 64 + 1;
  }));
  EXPECT_EQ(check.report(), "");
}

TEST(Clusters, ThatDoNotFitTheGridCannotRun) {
  const CheckVerdict verdict = KernelCheck(clustered("4", syncs), 64, 6).verdict();
  ASSERT_TRUE(verdict.cannot_run && verdict.findings.empty());
  EXPECT_THAT(verdict.cannot_run->detail, HasSubstr("clusters of 4 x 1 x 1 blocks, and its grid 6 x 1 x 1"));
  KernelCheck together(clustered("2", syncs), 64, 2);
  together.launch().cooperative = true;
  EXPECT_THAT(together.report(), HasSubstr("no cooperative launch of clusters"));
}

}  // namespace
}  // namespace tune::emulator
