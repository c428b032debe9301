// SPDX-License-Identifier: Apache-2.0
// Libraries that come with CUDA, as kernels use them in the emulator: CUB, cooperative groups, libcu++.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using ::testing::HasSubstr;
using testing::KernelCheck;

/// A kernel of 64 threads whose body computes `v` from thread `t`, in[t] being t + 1.
std::string kernel(const std::string& before, const std::string& body) {
  return before +
         "\nextern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
         "  const int t = threadIdx.x;\n  float v = 0;\n" +
         body + "\n  out[t] = v;\n}\n";
}

class Libraries : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { kernels_.expect_clean(); }
  static void expect_values(const std::string& before, const std::string& body,
                            const std::function<double(int)>& value);
  static inline testing::CleanKernels kernels_;
};

/// The kernel runs with those of all tests.
void Libraries::expect_values(const std::string& before, const std::string& body,
                              const std::function<double(int)>& value) {
  std::vector<double> values;
  for (int t = 0; t < 64; ++t) values.push_back(value(t));
  KernelCheck check(kernel(before, body));
  kernels_.add(check.expecting(values), body);
}

std::string report(const std::string& before, const std::string& body) {
  return testing::report_of(kernel(before, body));
}

const std::string cub = "#include <cub/cub.cuh>\n";

TEST_F(Libraries, ReductionsAndScansOfCub) {
  expect_values(cub,
                "using Sum = cub::BlockReduce<float, 64>;\n"
                "using Rake = cub::BlockReduce<int, 64, cub::BLOCK_REDUCE_RAKING>;\n"
                "using Scan = cub::BlockScan<int, 64>;\n"
                "using Warps = cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS>;\n"
                "__shared__ union { Sum::TempStorage sum; Rake::TempStorage rake; Scan::TempStorage scan;\n"
                "                   Warps::TempStorage warps; } s;\n"
                "float sum = Sum(s.sum).Sum(in[t]); __syncthreads();\n"
                "int most = Rake(s.rake).Reduce(t, cuda::maximum<>{}, 40); __syncthreads();\n"
                "int before, all, upto; Scan(s.scan).ExclusiveSum(t, before, all); __syncthreads();\n"
                "Warps(s.warps).InclusiveSum(t, upto); __syncthreads();\n"
                "int items[2] = {t, 1}; Scan(s.scan).ExclusiveScan(items, items, 5, cub::Max());\n"
                "v = before + all + upto + items[1] + (t == 0 ? sum + most : 0);",
                [](int t) {
                  return t * (t - 1) / 2 + 2016 + t * (t + 1) / 2 + std::max(t, 5) + (t == 0 ? 2080 + 39 : 0);
                });
  expect_values(
      cub +
          "struct Running { int total; __device__ int operator()(int sum) {\n"
          "  const int before = total; total += sum; return before; } };\n",
      "using Scan = cub::BlockScan<int, 64>; __shared__ Scan::TempStorage s;\n"
      "Running running{10}; int one;\n"
      "for (int i = 0; i < 2; ++i) { Scan(s).ExclusiveSum(1, one, running); __syncthreads(); }\n"
      "using Part = cub::WarpReduce<double, 16>; __shared__ Part::TempStorage parts[4];\n"
      "double sum = Part(parts[t / 16]).Sum(in[t]); if (t % 16 != 0) sum = 0;\n"
      "using Pair = cub::KeyValuePair<int, float>; using Best = cub::BlockReduce<Pair, 64>;\n"
      "__shared__ Best::TempStorage best; Pair most = Best(best).Reduce(Pair{t, in[t / 2]}, cub::ArgMax());\n"
      "if (t == 0) sum += most.key - 62;\n"
      "using Warp = cub::WarpScan<int>; __shared__ Warp::TempStorage warps[2];\n"
      "int upto, all; Warp(warps[t / 32]).ExclusiveSum(1, upto, all); v = one + sum + upto + all;",
      [](int t) { return 74 + t + (t % 16 == 0 ? t / 16 * 256 + 136 : 0) + t % 32 + 32; });
}

TEST_F(Libraries, LoadsAndStoresOfCub) {
  KernelCheck check(cub +
                        "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
                        "  using Load = cub::BlockLoad<float, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;\n"
                        "  using Store = cub::BlockStore<float, 64, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;\n"
                        "  __shared__ union { Load::TempStorage load; Store::TempStorage store; } s;\n"
                        "  __shared__ float all[256];\n"
                        "  float items[4]; Load(s.load).Load(in, items, 251, 0.f);\n"
                        "  cub::StoreDirectBlocked(threadIdx.x, all, items); __syncthreads();\n"
                        "  cub::LoadDirectBlocked(threadIdx.x, all, items);\n"
                        "  for (int i = 0; i < 4; ++i) items[i] += 100 * i;\n"
                        "  Store(s.store).Store(out, items, n);\n}\n",
                    64, 1, 256);
  std::vector<double> values;
  for (int i = 0; i < 256; ++i) values.push_back((i < 251 ? i + 1 : 0) + 100 * (i % 4));
  EXPECT_EQ(check.expecting(values).report(), "");
}

TEST_F(Libraries, AStorageOfCubThatIsUsedAgainNeedsABarrier) {
  const auto twice = [](const std::string& of_cub, const std::string& use, const std::string& barrier) {
    return report(cub, "using C = " + of_cub + "; __shared__ C::TempStorage s; float x = in[t];\n" + use +
                           "\n" + barrier + "\n" + use + "\nv = x;");
  };
  const std::string reduce = "x = C(s).Sum(t * 1.f); if (t > 0) x = 0;";
  EXPECT_THAT(twice("cub::BlockReduce<float, 64>", reduce, ""),
              ::testing::AllOf(HasSubstr("race"), HasSubstr("'s'"), HasSubstr("k.cu:9")));
  const std::string scan = "C(s).InclusiveSum(x, x);";
  EXPECT_THAT(twice("cub::BlockScan<float, 64, cub::BLOCK_SCAN_WARP_SCANS>", scan, ""), HasSubstr("race"));
  // What a collective leaves undefined is no number.
  EXPECT_THAT(report(cub,
                     "using C = cub::BlockReduce<float, 64>; __shared__ C::TempStorage s;\n"
                     "v = C(s).Sum(in[t]); if (v != v && t == 0) v = 0;"),
              "");
}

const std::string groups =
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    "namespace cg = cooperative_groups;\n";

TEST_F(Libraries, GroupsOfActiveLanes) {
  expect_values(groups,
                "if (t % 3 == 0) { auto active = cg::coalesced_threads();\n"
                "  v = active.size() + 100 * active.thread_rank() + 10000 * active.shfl(t % 32, 1);\n"
                "  v += cg::reduce(active, 1, cg::plus<int>()); active.sync(); }\n"
                "else { v = __popc(__activemask()); }",
                [](int t) {
                  const int first = t < 32 ? 0 : 33, lane = t - first;
                  return t % 3 == 0 ? 22 + 100 * (lane / 3) + 10000 * (t < 32 ? 3 : 4) : 21;
                });
  expect_values(
      groups,
      "auto warp = cg::tiled_partition<32>(cg::this_thread_block());\n"
      "auto same = cg::labeled_partition(warp, t % 5); auto half = cg::binary_partition(warp, t % 32 < 8);\n"
      "v = same.size() + 10 * same.meta_group_rank() + 100 * same.meta_group_size() + 1000 * half.size();\n"
      "auto eight = cg::tiled_partition(half, 8); v += 100000 * eight.size() + half.ballot(t % 2);",
      [](int t) {
        const int lane = t % 32, label = t % 5, first = t < 32 ? 0 : 32;
        int size = 0, rank = (label - first % 5 + 5) % 5;
        for (int other = first; other < first + 32; ++other) size += other % 5 == label ? 1 : 0;
        return size + 10 * rank + 500 + 1000.0 * (lane < 8 ? 8 : 24) + 800000 + (lane < 8 ? 0xaa : 0xaaaaaa);
      });
}

const std::string barriers = groups +
                             "#include <cuda/barrier>\n#include <cuda/pipeline>\n"
                             "using barrier = cuda::barrier<cuda::thread_scope_block>;\n";
const std::string begin =
    "__shared__ barrier b; __shared__ float s[2][64];\n"
    "auto block = cg::this_thread_block(); if (t == 0) init(&b, 64);\nblock.sync();\n";

TEST_F(Libraries, BarriersInSharedMemory) {
  expect_values(barriers, begin + "s[0][t] = in[t]; b.arrive_and_wait(); v = s[0][63 - t];",
                [](int t) { return 64 - t; });
  EXPECT_THAT(report(barriers, begin + "s[0][t] = in[t];\n(void)b.arrive();\nv = s[0][63 - t];"),
              ::testing::AllOf(HasSubstr("race"), HasSubstr("'s'")));
  // A warp goes, the rest goes on.
  expect_values(barriers,
                begin +
                    "if (t >= 32) b.arrive_and_drop(); else\n"
                    "for (int i = 0; i < 3; ++i) { s[0][t] = in[t] + i; b.arrive_and_wait();\n"
                    "  v += s[0][31 - t]; b.arrive_and_wait(); }",
                [](int t) { return t < 32 ? 3 * (32 - t) + 3 : 0; });
}

TEST_F(Libraries, CopiesThatArriveAtBarriers) {
  const std::string copy = begin +
                           "cuda::memcpy_async(block, s[0], in, cuda::aligned_size_t<16>(256), b);\n"
                           "barrier::arrival_token token = b.arrive();\n";
  expect_values(barriers, copy + "b.wait(std::move(token)); v = s[0][63 - t];", [](int t) { return 64 - t; });
  EXPECT_THAT(report(barriers, copy + "v = s[0][63 - t]; b.wait(std::move(token));"), HasSubstr("copy"));
  const auto pipeline = [](const std::string& release) {
    return "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;\n"
           "__shared__ float s[2][64]; auto block = cg::this_thread_block();\n"
           "auto pipe = cuda::make_pipeline(block, &state);\n"
           "for (int i = 0, ahead = 0; i < 4; ++i) {\n"
           "  for (; ahead < 4 && ahead < i + 2; ++ahead) { pipe.producer_acquire();\n"
           "    cuda::memcpy_async(block, s[ahead % 2], in, sizeof(float) * 64, pipe); pipe.producer_commit(); }\n"
           "  pipe.consumer_wait(); v += s[i % 2][63 - t];" +
           release + "}\n";
  };
  expect_values(barriers, pipeline("pipe.consumer_release();"), [](int t) { return 4 * (64 - t); });
}

TEST_F(Libraries, ThreadsOfAPipelineHaveRoles) {
  const auto body = [](const std::string& roles, const std::string& wait = "pipe.consumer_wait();") {
    return "__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state; __shared__ float s[2][32];\n"
           "auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state, " +
           roles +
           ");\nfor (int i = 0; i < 4; ++i)\n"
           "  if (t < 32) { pipe.producer_acquire(); cuda::memcpy_async(&s[i % 2][t], in + t, sizeof(float), pipe); "
           "pipe.producer_commit(); }\n"
           "  else {" +
           wait + " v += s[i % 2][63 - t]; pipe.consumer_release(); }\n";
  };
  const auto result = [](int t) { return t < 32 ? 0 : 4 * (64 - t); };
  expect_values(barriers, body("t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer"),
                result);
  expect_values(barriers, body("32"), result);
  EXPECT_NE(report(barriers, body("32", "")), "");
}

// What is not emulated does not keep other kernels of the file from being checked.
TEST_F(Libraries, GroupsOfSeveralWarpsCountWhereTheyAreLaunched) {
  const std::string
      begin = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n",
      other = "cg::thread_block_tile<64> t = cg::tiled_partition<64>(cg::this_thread_block()); t.sync();",
      end = " out[threadIdx.x] = in[threadIdx.x]; }\n";
  const std::string first =
      begin + "__global__ void other(const float* in, float* out, int n) { " + other + end;
  EXPECT_EQ(testing::report_of(first +
                               "extern \"C\" __global__ void k(const float* in, float* out, int n) {" + end),
            "");
  EXPECT_EQ(
      testing::report_of(begin + "extern \"C\" __global__ void k(const float* in, float* out, int n) { " +
                         other + end),
      "the emulator has no groups of several warps");
}

TEST_F(Libraries, AtomicsOfLibcu) {
  expect_values("#include <cuda/atomic>\n",
                "__shared__ cuda::atomic<int, cuda::thread_scope_block> sum; __shared__ int most;\n"
                "if (t == 0) { sum = 1; most = 0; }\n__syncthreads();\n"
                "cuda::atomic_ref<int, cuda::thread_scope_block> best(most); best.fetch_max(t); sum += 2;\n"
                "int old = best.load(); while (!best.compare_exchange_weak(old, old + 1)) {}\n"
                "__syncthreads(); v = sum.load(cuda::std::memory_order_relaxed) + (most >= 64);",
                [](int) { return 130; });
}

TEST_F(Libraries, ProductsOfMatrices) {
  const auto product = [](const std::string& sync) {
    return "#include <mma.h>\n#include <cuda_fp16.h>\nusing namespace nvcuda;\n"
           "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
           "  __shared__ half a[16 * 24], b[256];\n"
           "  for (int i = threadIdx.x; i < 256; i += 32) {\n"
           "    a[i / 16 * 24 + i % 16] = __float2half(i % 7); b[i] = __float2half(i % 5); }\n" +
           sync +
           "  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;\n"
           "  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;\n"
           "  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;\n"
           "  wmma::fill_fragment(sum, 1.0f); wmma::load_matrix_sync(left, a, 24);\n"
           "  wmma::load_matrix_sync(right, b, 16); wmma::mma_sync(sum, left, right, sum);\n"
           "  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2;\n"
           "  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);\n}\n";
  };
  std::vector<double> values;
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 16; ++column) {
      double sum = 1;
      for (int k = 0; k < 16; ++k) sum += (row * 16 + k) % 7 * ((column * 16 + k) % 5);
      values.push_back(2 * sum);
    }
  KernelCheck right(product("  __syncwarp();\n"), 32, 1, 256);
  EXPECT_EQ(right.expecting(values).report(), "");
  EXPECT_THAT(KernelCheck(product(""), 32, 1, 256).report(), HasSubstr("race within a warp"));
  EXPECT_THAT(KernelCheck(product("  __syncwarp();\n"), 16, 1, 256).report(),
              HasSubstr("an operation of nvcuda::wmma needs all lanes of the warp, which has 16"));
}

TEST_F(Libraries, TuplesAndPairs) {
  expect_values(
      "#include <cuda/std/tuple>\n#include <tuple>\n#include <utility>\n",
      "std::tuple<int, float> one(t, 0.5f); auto [a, b] = one; auto two = cuda::std::make_tuple(a, 2.0, 3u);\n"
      "cuda::std::get<0>(two) += 4; int c; double d; std::tie(c, d, std::ignore) = two;\n"
      "auto [e, f] = std::make_pair(c, t); const auto& same = two; v = std::get<double>(same) + b + f;\n"
      "v += std::apply([](auto... all) { return (all + ...); }, two) + (e == c && one == one);\n"
      "static_assert(std::tuple_size_v<decltype(two)> == 3);",
      [](int t) { return 2.5 + t + t + 4 + 2 + 3 + 1; });
}

TEST_F(Libraries, RandomNumbersOfTheToolkit) {
  if (!std::filesystem::exists("/usr/local/cuda/include/curand_kernel.h")) GTEST_SKIP() << "no toolkit";
  expect_values(
      "#include <curand_kernel.h>\n",
      "__shared__ curandState states[64]; curandStatePhilox4_32_10_t other;\n"
      "curand_init(7, t / 2, 0, &states[t]); curand_init(7, t / 2, 0, &other); __syncthreads();\n"
      "curandState mine = states[t ^ 1]; __syncthreads(); const float x = curand_uniform(&mine);\n"
      "v = (x > 0 && x <= 1) + (x == curand_uniform(&states[t])) + (curand_uniform4(&other).w <= 1);\n"
      "__shared__ float all[64]; all[t] = x; __syncthreads(); v += x == all[t ^ 1] && x != all[t ^ 2];\n"
      "v += fabsf(curand_normal(&mine)) < 8;",
      [](int) { return 5; });
}

TEST_F(Libraries, WhatIsNotEmulatedIsNamed) {
  EXPECT_EQ(report("#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n",
                   "multi_grid_group c = this_multi_grid(); v = c.num_threads();"),
            "the emulator has no multi_grid_group");

  EXPECT_EQ(
      report(cub, "using Runs = cub::BlockRunLengthDecode<int, 64, 1, 2>; __shared__ Runs::TempStorage s;"),
      "the emulator has no cub::BlockRunLengthDecode");
  EXPECT_EQ(report("#include <cooperative_groups.h>\nnamespace g = cooperative_groups;\nnamespace h = g;\n",
                   "v = h::this_multi_grid().num_threads();"),
            "the emulator has no cooperative_groups::this_multi_grid");
}

}  // namespace
}  // namespace tune::emulator
