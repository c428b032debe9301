// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tuner/backends/cuda/toolkit/nvrtc.hpp"
#include "tuner/backends/cuda/toolkit/toolkit_headers.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

constexpr const char* staged = R"(
template<int N>
__global__ void staged(float* values) {
  __shared__ float stage[N];
  stage[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = stage[threadIdx.x ^ 1] * FACTOR;
}
extern "C" __global__ void plain(float* values) { values[threadIdx.x] = FACTOR; }
)";

// Sixty-four sums at once: far more values than registers where those are restricted.
constexpr const char* greedy = R"(
extern "C" __global__ void greedy(const float* in, float* out, int n) {
  float sum[64];
  for (int i = 0; i < 64; ++i) sum[i] = 0;
  for (int k = 0; k < n; ++k) {
    const float value = in[k];
    #pragma unroll
    for (int i = 0; i < 64; ++i) sum[i] = sum[i] * value + in[i * n + k];
  }
  #pragma unroll
  for (int i = 0; i < 64; ++i) out[threadIdx.x * 64 + i] = sum[i];
}
)";

CompileRequest request(std::string text, std::vector<std::string> entries) {
  CompileRequest made;
  made.source = {"test.cu", std::move(text)};
  made.entries = std::move(entries);
  return made;
}

class NvrtcCompilerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    nvrtc_ = open_nvrtc(&reason);
    if (nvrtc_ == nullptr) GTEST_SKIP() << reason;
  }
  std::shared_ptr<const NvrtcLibrary> nvrtc_;
};

TEST_F(NvrtcCompilerTest, CompilesForSeveralArchitectures) {
  for (const char* architecture : {"sm_80", "sm_90", "sm_120"}) {
    SCOPED_TRACE(architecture);
    const NvrtcCompiler compiler(nvrtc_, architecture);
    EXPECT_NE(compiler.version().find(architecture), std::string::npos);
    EXPECT_EQ(compiler.version().find("NVRTC 1"), 0u);
    auto wanted = request(staged, {"staged<256>", "staged<512>", "plain"});
    wanted.defines = {{"FACTOR", "3.0f"}};
    const auto binary = compiler.compile(wanted);
    ASSERT_TRUE(binary) << binary.error().detail;
    ASSERT_GT(binary->image.size(), 4u);
    EXPECT_EQ(std::memcmp(binary->image.data(), "\177ELF", 4), 0);
    EXPECT_EQ(binary->symbols.at("plain"), "plain");
    EXPECT_EQ(binary->symbols.at("staged<256>").find("_Z"), 0u);
    EXPECT_EQ(binary->resources.at("staged<256>").static_shared_memory, 1024)
        << "without the bytes that the architecture reserves";
    EXPECT_EQ(binary->resources.at("staged<512>").static_shared_memory, 2048);
    EXPECT_EQ(binary->resources.at("plain").static_shared_memory, 0);
    for (const auto& [entry, resources] : binary->resources) EXPECT_GE(resources.registers, 4) << entry;
    EXPECT_EQ(binary->hash.size(), 32u);
    EXPECT_GT(binary->compile_seconds, 0);
  }
}

TEST_F(NvrtcCompilerTest, ReportsSpills) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  auto wanted = request(greedy, {"greedy"});
  const auto free = compiler.compile(wanted);
  ASSERT_TRUE(free) << free.error().detail;
  EXPECT_GT(free->resources.at("greedy").registers, 64);
  EXPECT_EQ(free->resources.at("greedy").spill_store_bytes, 0);

  wanted.options = {"--maxrregcount=32"};
  const auto restricted = compiler.compile(wanted);
  ASSERT_TRUE(restricted) << restricted.error().detail;
  const auto& resources = restricted->resources.at("greedy");
  EXPECT_LE(resources.registers, 32);
  EXPECT_GT(resources.spill_store_bytes, 0);
  EXPECT_GT(resources.spill_load_bytes, 0);
  EXPECT_GE(resources.local_bytes, resources.spill_store_bytes / 2);
  EXPECT_NE(restricted->hash, free->hash);
}

TEST_F(NvrtcCompilerTest, GivesTheFiguresAgainForWhatItHasSeen) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const auto first = compiler.compile(request(greedy, {"greedy"}));
  const auto second = compiler.compile(request(greedy, {"greedy"}));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->hash, second->hash);
  EXPECT_EQ(first->resources.at("greedy").registers, second->resources.at("greedy").registers);
}

TEST_F(NvrtcCompilerTest, IncludesHeadersFromMemory) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  auto wanted = request(
      "#include \"lib/scale.cuh\"\nextern \"C\" __global__ void k(float* v) { *v = scale(*v); }", {"k"});
  wanted.headers = {{"lib/scale.cuh", "__device__ float scale(float v) { return 2 * v; }"}};
  EXPECT_TRUE(compiler.compile(wanted));
  wanted.headers.clear();
  const auto missing = compiler.compile(wanted);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason, "missing header");
}

// What is not in the request must not matter: a header of that name lies beside the source's.
TEST_F(NvrtcCompilerTest, FindsNoHeadersOnDiskUnlessTold) {
  const tune::testing::TemporaryFolder folder;
  std::ofstream(folder / "beside.cuh") << "#include \"below.cuh\"\n";
  std::ofstream(folder / "below.cuh") << "#define VALUE 1\n";
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  auto wanted =
      request("#include \"beside.cuh\"\nextern \"C\" __global__ void k(int* v) { *v = VALUE; }", {"k"});
  wanted.source.name = folder / "test.cu";
  const auto missing = compiler.compile(wanted);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason, "missing header");
  wanted.options = {"--include-path=" + folder.path().string()};
  EXPECT_TRUE(compiler.compile(wanted));
}

TEST_F(NvrtcCompilerTest, IdentityTellsMoreThanTheVersion) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const std::string build = nvrtc_->build();
  EXPECT_GE(build.size(), 8U);
  EXPECT_EQ(build.find_first_not_of("0123456789abcdef-"), std::string::npos) << build;
  EXPECT_NE(compiler.identity().find(compiler.version()), std::string::npos);
  EXPECT_NE(compiler.identity().find(build), std::string::npos);
  EXPECT_NE(compiler.identity().find("-std=c++17"), std::string::npos);
  EXPECT_EQ(compiler.version().find(build), std::string::npos) << "databases would know no second build";
}

TEST_F(NvrtcCompilerTest, TellsWhatIsWrongWithASource) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const auto wrong =
      compiler.compile(request("extern \"C\" __global__ void k(float* v) { *v = nothing; }", {"k"}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().phase, Phase::compile);
  EXPECT_EQ(wrong.error().reason, "syntax");
  EXPECT_NE(wrong.error().detail.find("\"nothing\" is undefined"), std::string::npos) << wrong.error().detail;
  EXPECT_NE(wrong.error().detail.find("test.cu(1)"), std::string::npos) << wrong.error().detail;

  const auto entry =
      compiler.compile(request("extern \"C\" __global__ void k(float* v) { *v = 1; }", {"other"}));
  ASSERT_FALSE(entry);
  EXPECT_EQ(entry.error().reason, "entry");

  auto option = request("extern \"C\" __global__ void k(float* v) { *v = 1; }", {"k"});
  option.options = {"--no-such-option"};
  const auto refused = compiler.compile(option);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "option");
}

TEST_F(NvrtcCompilerTest, TellsOfTooMuchStaticSharedMemory) {
  // The log with -v has no line of error for this one.
  constexpr const char* large = R"(extern "C" __global__ void k(float* v) {
    __shared__ float stage[16384];
    stage[threadIdx.x] = *v;
    __syncthreads();
    *v = stage[threadIdx.x ^ 1];
  })";
  const auto failed = NvrtcCompiler(nvrtc_, "sm_90").compile(request(large, {"k"}));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "static shared memory");
  EXPECT_NE(failed.error().detail.find("too much shared data"), std::string::npos) << failed.error().detail;
}

TEST_F(NvrtcCompilerTest, CompilesInSeveralThreads) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const auto source = [](std::size_t thread, int turn) {
    auto wanted = request(staged, {"plain"});
    wanted.defines = {{"FACTOR", format("{}.5f", 100 * thread + static_cast<std::size_t>(turn))}};
    return wanted;
  };
  constexpr std::size_t threads = 4;
  constexpr int turns = 3;
  std::vector<std::vector<std::string>> hashes(threads);
  std::vector<std::thread> running;
  for (std::size_t thread = 0; thread < threads; ++thread)
    running.emplace_back([&, thread] {
      for (int turn = 0; turn < turns; ++turn) {
        const auto binary = compiler.compile(source(thread, turn));
        hashes[thread].push_back(binary ? binary->hash : binary.error().detail);
      }
    });
  for (auto& thread : running) thread.join();
  for (std::size_t thread = 0; thread < threads; ++thread)
    for (int turn = 0; turn < turns; ++turn) {
      const auto alone = compiler.compile(source(thread, turn));
      ASSERT_TRUE(alone);
      EXPECT_EQ(hashes[thread][static_cast<std::size_t>(turn)], alone->hash);
    }
  EXPECT_NE(hashes[0][0], hashes[1][0]);
}

TEST_F(NvrtcCompilerTest, RefusesAnArchitectureThatItDoesNotKnow) {
  EXPECT_THROW(NvrtcCompiler(nvrtc_, "sm_1"), Error);
  EXPECT_THROW(NvrtcCompiler(nvrtc_, "gfx942"), Error);
}

/// What the fake NVRTC was asked for, and what it pretends to be.
struct FakeNvrtc {
  int minor = 0;  ///< of version 12
  std::vector<std::string> options;
  bool verbose() const { return options.back() == "--ptxas-options=-v"; }
};
FakeNvrtc fake_nvrtc;

/// An NVRTC whose compilations always fail: the log with -v is useless, without it there is a message.
std::shared_ptr<const NvrtcLibrary> failing_nvrtc(int minor) {
  fake_nvrtc = {minor, {}};
  NvrtcLibrary fake;
  fake.get_error_string = [](int) { return "NVRTC_ERROR_COMPILATION"; };
  fake.version = [](int* major, int* minor_version) {
    *major = 12;
    *minor_version = fake_nvrtc.minor;
    return int{nvrtc_success};
  };
  fake.get_num_supported_archs = [](int* count) {
    *count = 1;
    return int{nvrtc_success};
  };
  fake.get_supported_archs = [](int* archs) {
    *archs = 90;
    return int{nvrtc_success};
  };
  fake.create_program = [](NvrtcProgram*, const char*, const char*, int, const char* const*,
                           const char* const*) { return int{nvrtc_success}; };
  fake.destroy_program = [](NvrtcProgram*) { return int{nvrtc_success}; };
  fake.add_name_expression = [](NvrtcProgram, const char*) { return int{nvrtc_success}; };
  fake.compile_program = [](NvrtcProgram, int count, const char* const* options) {
    fake_nvrtc.options.assign(options, options + count);
    return int{nvrtc_compilation_failed};
  };
  fake.get_program_log_size = [](NvrtcProgram, std::size_t* size) {
    *size = 6;
    return int{nvrtc_success};
  };
  fake.get_program_log = [](NvrtcProgram, char* log) {
    std::memcpy(log, fake_nvrtc.verbose() ? "noise" : "cause", 6);
    return int{nvrtc_success};
  };
  return std::make_shared<const NvrtcLibrary>(fake);
}

TEST(NvrtcCompilerFake, AsksAgainForTheMessage) {
  const NvrtcCompiler compiler(failing_nvrtc(7), "sm_90");
  EXPECT_EQ(compiler.version(), "NVRTC 12.7 sm_90");
  const auto failed = compiler.compile(request("", {"k"}));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().detail, "cause");
}

TEST(NvrtcCompilerFake, KeepsTheDriversCacheOut) {
  // An older one would refuse the option.
  for (const auto& [minor, expected] : {std::pair{8, false}, std::pair{9, true}}) {
    EXPECT_FALSE(NvrtcCompiler(failing_nvrtc(minor), "sm_90").compile(request("", {"k"})));
    const auto& options = fake_nvrtc.options;
    EXPECT_EQ(std::find(options.begin(), options.end(), "--no-cache") != options.end(), expected) << minor;
  }
}

TEST(NvrtcCompilerFake, NamesTheArchitecturesThatItKnows) {
  try {
    NvrtcCompiler(failing_nvrtc(4), "sm_120");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("only for sm_90"), std::string::npos) << error.what();
  }
}

// What files for nvcc include out of habit.
TEST_F(NvrtcCompilerTest, KnowsTheStandardHeaders) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const auto binary = compiler.compile(request(R"(
#include <cuda_runtime.h>
#include <stdio.h>
#include <cstdint>
#include <stdint.h>
#include <float.h>
  #  include <climits>
#include <math.h>
#include <cassert>
extern "C" __global__ void k(float* out, const uint8_t* in, int64_t n) {
  assert(n < INT_MAX);
  std::uint32_t sum = UINT32_MAX;
  for (int64_t i = 0; i < n; ++i) sum += in[i];
  out[0] = fminf(FLT_MAX, sqrtf(sum)) * M_PI + (isinf(INFINITY) ? 1 : 0);
  printf("%d", 1);
})",
                                               {"k"}));
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_FALSE(binary->image.empty());
}

TEST_F(NvrtcCompilerTest, NamesThatNvccHasEverywhereNeedNoHeader) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  const auto result = [&](const char* text) {
    const auto binary = compiler.compile(request(text, {"k"}));
    return binary ? std::string("compiled") : binary.error().detail;
  };
  EXPECT_EQ(
      result("extern \"C\" __global__ void k(float* x, const uint* n, int64_t m) {\n"
             "  x[0] = n[0] < INT_MAX && m > CHAR_BIT ? M_PI : -INFINITY;\n  x[1] = std::size_t(n[1]);\n}\n"),
      "compiled");
  EXPECT_EQ(
      result(
          "#define INFINITY 7\ntypedef unsigned int uint;\n"
          "extern \"C\" __global__ void k(float* x) { static_assert(INFINITY == 7, \"ours\"); x[0] = uint(2); }\n"),
      "compiled");
  EXPECT_NE(result("extern \"C\" __global__ void k(float* x) { x[0] = FLT_MAX; }\n").find("FLT_MAX"),
            std::string::npos);
}

// As nvcc compiles them, with the same types of results.
TEST_F(NvrtcCompilerTest, StandardHeadersHaveTheirNamesInStd) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  for (
      const std::string headers :
      {"#include <cmath>\n#include <cstdint>\n", "#include <math.h>\n#include <stddef.h>\n",
       "#include <cmath>\n#include <algorithm>\n#include <limits>\n#include <climits>\n#include <cfloat>\n"
       "#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n#include <cstring>\n#include <cstdio>\n"}) {
    const auto binary = compiler.compile(request(headers + R"(
extern "C" __global__ void k(float* y, const double* x, int n) {
  const float f = y[0]; const double d = x[0]; const std::size_t i = n; const std::ptrdiff_t j = -n;
  y[i] = std::sqrt(f) + std::abs(f) + std::fabs(f) + std::fmax(f, 1.f) + std::pow(f, 2.f) + std::exp(f) + std::sqrt(n);
  y[1] = std::sqrt(d) + std::abs(d) + std::abs(j) + std::fmin(d, f) + std::pow(d, n) + std::fma(d, d, d) + sqrt(n);
  y[2] = std::isnan(f) + std::isfinite(d) + std::lround(d) + std::sin(n) + std::floor(f) + std::fmod(d, f) + pow(n, 3);
  static_assert(sizeof(std::sqrt(f)) == 4 && sizeof(std::sqrt(d)) == 8 && sizeof(std::sqrt(n)) == 8);
  static_assert(sizeof(std::pow(f, f)) == 4 && sizeof(std::pow(f, n)) == 8 && sizeof(std::pow(f, d)) == 8);
  static_assert(sizeof(std::abs(f)) == 4 && sizeof(std::abs(n)) == 4 && sizeof(std::size_t) == 8);
})",
                                                 {"k"}));
    EXPECT_TRUE(binary) << headers << (binary ? "" : binary.error().detail.substr(0, 2000));
    EXPECT_EQ(binary ? binary->log.find("warning") : std::string::npos, std::string::npos) << binary->log;
  }
}

TEST_F(NvrtcCompilerTest, HeadersOfTheToolkitFindStandardHeaders) {
  const CompileRequest made =
      request("#include <cuda_stdint.h>\nextern \"C\" __global__ void k(uint8_t* v) { *v = 1; }", {"k"});
  if (other_headers(made, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  const auto binary = NvrtcCompiler(nvrtc_, "sm_90").compile(made);
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 1000);
}

TEST_F(NvrtcCompilerTest, FindsHeadersOfTheToolkit) {
  const CompileRequest made = request(R"(
#include <cuda_fp16.h>
extern "C" __global__ void k(__half* out, const __half2* in) { out[threadIdx.x] = __hadd(in[0].x, in[1].y); })",
                                      {"k"});
  if (other_headers(made, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  const auto binary = NvrtcCompiler(nvrtc_, "sm_90").compile(made);
  ASSERT_TRUE(binary) << binary.error().detail;
  EXPECT_TRUE(other_headers(request("#include <stdint.h>\n", {}), nvrtc_->path).folders.empty());
}

// These include headers beside them.
TEST_F(NvrtcCompilerTest, HeadersOfTheToolkitFindEachOther) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  for (
      const char* const text :
      {"#include \"cooperative_groups.h\"\nextern \"C\" __global__ void k(int* v) {\n"
       "  cooperative_groups::this_thread_block().sync(); *v = cooperative_groups::this_grid().size(); }",
       "#include <mma.h>\nextern \"C\" __global__ void k(float* v) {\n"
       "  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sum;\n"
       "  nvcuda::wmma::fill_fragment(sum, 1.f);\n"
       "  nvcuda::wmma::store_matrix_sync(v, sum, 16, nvcuda::wmma::mem_row_major); }",
       "#include <cuda/barrier>\nextern \"C\" __global__ void k(int* v) {\n"
       "  __shared__ cuda::barrier<cuda::thread_scope_block> all;\n"
       "  if (threadIdx.x == 0) init(&all, blockDim.x);\n  __syncthreads(); all.arrive_and_wait(); }",
       "#include <cub/block/block_reduce.cuh>\nextern \"C\" __global__ void k(int* v) {\n"
       "  using Reduce = cub::BlockReduce<int, 128>; __shared__ Reduce::TempStorage memory;\n"
       "  const int sum = Reduce(memory).Sum(v[threadIdx.x]); if (threadIdx.x == 0) *v = sum; }",
       "#include <cuda/std/array>\n#include <cuda_bf16.h>\n#include <cuda_fp8.h>\n"
       "extern \"C\" __global__ void k(float* v) {\n"
       "  cuda::std::array<float, 2> a{1, 2}; *v = float(__nv_fp8_e4m3(a[1])) + float(__nv_bfloat16(a[0])); }"}) {
    const CompileRequest made = request(text, {"k"});
    if (other_headers(made, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
    const auto binary = compiler.compile(made);
    EXPECT_TRUE(binary) << text << "\n" << (binary ? "" : binary.error().detail.substr(0, 1000));
  }
}

TEST_F(NvrtcCompilerTest, TheStandardIsThatOfNvcc) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  CompileRequest made = request(
      "static_assert(__cplusplus == 201703L);\nstruct Pair { float a, b; Pair() = default; };\n"
      "extern \"C\" __global__ void k(float* v) { const Pair pair{v[0], v[1]}; v[2] = pair.b; }",
      {"k"});
  auto binary = compiler.compile(made);
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 500);
  made.options = {"-std=c++20"};
  binary = compiler.compile(made);
  EXPECT_FALSE(binary);
  CompileRequest pairs = request(
      "#include <cuda_fp8.h>\nextern \"C\" __global__ void k(float* v, __nv_fp8x2_e4m3 q) { v[0] = float2(q).y; }",
      {"k"});
  if (other_headers(pairs, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  binary = compiler.compile(pairs);
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 500);
}

TEST_F(NvrtcCompilerTest, HeadersOfTheStandardLibraryAreThoseOfLibcuxx) {
  const CompileRequest made = request(
      "#include <type_traits>\n#include <limits>\n#include <algorithm>\n#include <utility>\n#include <cstdint>\n"
      "#include <numeric>\n#include <array>\n"
      "template<class T> __global__ void k(T* v) {\n"
      "  static_assert(std::is_same_v<std::remove_const_t<const T>, T>);\n"
      "  std::array<T, 2> a{v[0], std::numeric_limits<T>::max()};\n"
      "  v[0] = std::min(a[0], std::max(a[1], T(std::uint8_t(3)))); std::swap(v[1], v[2]); }",
      {"k<float>"});
  const OtherHeaders others = other_headers(made, nvrtc_->path);
  if (others.folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  EXPECT_EQ(others.included.size(), 6U);
  const auto binary = NvrtcCompiler(nvrtc_, "sm_90").compile(made);
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 2000);
}

TEST_F(NvrtcCompilerTest, SourcesThatWereRenamedForHipCompile) {
  const auto binary = NvrtcCompiler(nvrtc_, "sm_90")
                          .compile(request("#include \"hip/hip_runtime.h\"\n#include \"cuda_runtime.h\"\n"
                                           "__global__ void k(int* v) { v[hipBlockIdx_x * hipBlockDim_x + "
                                           "hipThreadIdx_x] = hipGridDim_x; }\n"
                                           "#ifdef __HIP_PLATFORM_AMD__\n#error of AMD\n#endif\n"
                                           "#ifndef __HIP_PLATFORM_NVIDIA__\n#error no platform\n#endif\n",
                                           {"k"}));
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 2000);
}

TEST_F(NvrtcCompilerTest, HeadersOfHipAreThoseOfTheToolkit) {
  const CompileRequest wanted = request(
      "#include <hip/hip_runtime.h>\n#include <hip/hip_complex.h>\n#include <hip/hip_fp16.h>\n"
      "#include <hip/hip_cooperative_groups.h>\n"
      "__global__ void k(float* v, hipTextureObject_t t) {\n"
      "  hipFloatComplex z = make_hipFloatComplex(v[0], v[1]);\n"
      "  v[__lane_id()] = __shfl_down(hipCrealf(hipCmulf(z, z)), 1) + __half2float(__float2half(v[2]));\n"
      "  if (__any(1) && __all(1) && __ballot(1)) cooperative_groups::this_thread_block().sync();\n}",
      {"k"});
  if (other_headers(wanted, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  const auto binary = NvrtcCompiler(nvrtc_, "sm_90").compile(wanted);
  EXPECT_TRUE(binary) << binary.error().detail.substr(0, 2000);
}

// The working directory does not matter where headers of the toolkit are read from disk either.
TEST_F(NvrtcCompilerTest, BesideHeadersOfTheToolkitAMissingOneIsMissed) {
  const tune::testing::TemporaryFolder folder;
  std::ofstream(folder / "beside.cuh") << "#define VALUE 1\n";
  CompileRequest wanted = request(
      "#include <cuda_fp16.h>\n#ifdef MORE\n#include \"beside.cuh\"\n#else\n#define VALUE 2\n#endif\n"
      "extern \"C\" __global__ void k(int* v) { *v = VALUE; }",
      {"k"});
  wanted.source.name = folder / "test.cu";
  if (other_headers(wanted, nvrtc_->path).folders.empty()) GTEST_SKIP() << "no headers of the toolkit";
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  EXPECT_TRUE(compiler.compile(wanted)) << "it is not included";
  wanted.defines = {{"MORE", "1"}};
  const auto missing = compiler.compile(wanted);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().reason, "missing header");
}

// Otherwise all values of the parameter would give one kernel.
TEST_F(NvrtcCompilerTest, AMacroThatTheSourceRedefinesIsAFailure) {
  const NvrtcCompiler compiler(nvrtc_, "sm_90");
  CompileRequest wanted = request(
      "#define OTHER 1\n#define OTHER 2\n#if N == 3\n#define BLOCK 64\n#endif\n"
      "extern \"C\" __global__ void k(int* v) { *v = BLOCK; }",
      {"k"});
  wanted.defines = {{"N", "3"}, {"BLOCK", "128"}};
  const auto redefined = compiler.compile(wanted);
  ASSERT_FALSE(redefined);
  EXPECT_EQ(redefined.error().reason, redefined_macro);
  EXPECT_NE(redefined.error().detail.find("test.cu(4)"), std::string::npos) << redefined.error().detail;
  wanted.defines = {{"N", "2"}, {"BLOCK", "128"}};
  EXPECT_TRUE(compiler.compile(wanted));
  wanted.defines = {{"N", "3"}, {"BLOCK", "64"}};
  EXPECT_TRUE(compiler.compile(wanted)) << "the same value";
}

TEST_F(NvrtcCompilerTest, AMacroWithoutATextIsNotOne) {
  CompileRequest wanted = request("extern \"C\" __global__ void k(int* v) { *v = 2 NOTHING; }", {"k"});
  wanted.defines = {{"NOTHING", ""}};
  EXPECT_TRUE(NvrtcCompiler(nvrtc_, "sm_90").compile(wanted));
}

TEST_F(NvrtcCompilerTest, HeadersStandBesideTheirTwinsOfC) {
  EXPECT_TRUE(
      NvrtcCompiler(nvrtc_, "sm_90")
          .compile(request("#include <cmath>\n#include <math.h>\n#include <float.h>\n#include <cfloat>\n"
                           "#include <limits.h>\n#include <climits>\n#include <stdint.h>\n#include "
                           "<cstdint>\n#include <assert.h>\n#include <cassert>\n#include <stdlib.h>\n"
                           "#include <cstdlib>\nextern \"C\" __global__ void k(float* a) { *a = "
                           "std::sqrt(*a) + std::pow(2, M_PI); }",
                           {"k"})));
}

TEST_F(NvrtcCompilerTest, AHeaderOfThePersonGoesBefore) {
  CompileRequest made =
      request("#include <limits.h>\nextern \"C\" __global__ void k(int* a) { *a = MINE; }", {"k"});
  made.headers.push_back({"limits.h", "#define MINE 3\n"});
  EXPECT_TRUE(other_headers(made, nvrtc_->path).texts.empty());
  EXPECT_TRUE(NvrtcCompiler(nvrtc_, "sm_90").compile(made));
}

}  // namespace
}  // namespace tune::cuda
