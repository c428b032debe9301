// SPDX-License-Identifier: Apache-2.0
// What CUDA's language and its functions give in the emulator: values, without errors reported.
#include <gtest/gtest.h>

#include <functional>

#include "tests/tuner/backends/emulator/kernel_check.hpp"

namespace tune::emulator {
namespace {

using testing::KernelCheck;

std::vector<double> values_of(std::size_t count, const std::function<double(int)>& value) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(static_cast<int>(i));
  return values;
}

class Language : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { kernels_.expect_clean(); }
  static void expect_values(const std::string& body, const std::function<double(int)>& value,
                            const std::string& before = "", std::uint32_t threads = 64);
  static inline testing::CleanKernels kernels_;
};

/// A kernel whose body computes `v` from thread `t`, in[t] being t + 1, and stores it to out[t]. It runs with
/// those of all tests.
void Language::expect_values(const std::string& body, const std::function<double(int)>& value,
                             const std::string& before, std::uint32_t threads) {
  const std::string source = before +
                             "\nextern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
                             "  const int t = threadIdx.x;\n  float v = 0;\n" +
                             body + "\n  out[t] = v;\n}\n";
  for (const Flavour flavour : {Flavour::plain, Flavour::sanitize}) {
    KernelCheck check(source, threads);
    kernels_.add(check.expecting(values_of(threads, value)).flavour(flavour), body);
  }
}

TEST_F(Language, Shuffles) {
  expect_values("v = __shfl_sync(0xffffffffu, in[t], 3);", [](int t) { return t / 32 * 32 + 4; });
  expect_values("v = __shfl_up_sync(0xffffffffu, in[t], 1, 8);",
                [](int t) { return t % 8 == 0 ? t + 1 : t; });
  expect_values("v = __shfl_down_sync(0xffffffffu, in[t], 2);",
                [](int t) { return t % 32 >= 30 ? t + 1 : t + 3; });
  expect_values("double d = in[t]; v = float(__shfl_xor_sync(0xffffffffu, d, 1));",
                [](int t) { return (t ^ 1) + 1; });
  // A part of the warp, the rest elsewhere.
  expect_values("if (t % 32 < 8) v = __shfl_sync(0xffu, in[t], 0, 8);",
                [](int t) { return t % 32 < 8 ? t / 32 * 32 + 1 : 0; });
}

TEST_F(Language, IntrinsicsOfNumbers) {
  expect_values(
      "const unsigned u = t; dim3 g = gridDim; const uint3 h = g;\n"
      "v = float(__umul24(0x1000003u, 2)) + __mul24(0x1800001, 2) / 2 + __mul64hi(-1, t + 1) + __usad(u, 70, 0) +\n"
      "    __dp2a_lo(0x00020003, 0x04030201, 10) + __dp2a_hi(0x00020003, 0x04030201, 10) +\n"
      "    __float2int_rn(2.5f) + __float2uint_rd(-3.f) +\n"
      "    __int2float_ru(16777217) - __int2float_rz(16777217) + (__fadd_ru(1, 1e-8f) > 1) +\n"
      "    (__fadd_rd(1, 1e-8f) > 1) + (__fmul_ru(1.1f, 1.1f) > __fmul_rd(1.1f, 1.1f)) + rhypotf(0, 1) +\n"
      "    normf(1, in) + exp10f(1) + __hiloint2double(__double2hiint(3.0), __double2loint(3.0)) +\n"
      "    __funnelshift_lc(1, 2, 40) + __frcp_rn(0.5f) + float(__drcp_rn(0.25)) + h.x;",
      [](int t) {
        return 6 - 8388607 - 1 + (70 - t) + 17 + 27 + 2 + 2 + 1 + 1 + 1 + 1 + 10 + 3 + 1 + 2 + 4 + 1;
      });
}

TEST_F(Language, IntrinsicsOfPackedNumbers) {
  expect_values(
      "v = (__vadd4(0x01ff02ffu, 0x01010101u) == 0x02000300u) +\n"
      "    2 * (__vaddus4(0x01ff02ffu, 0x01010101u) == 0x02ff03ffu) +\n"
      "    4 * (__vaddss4(0x7f7f0080u, 0x010101ffu) == 0x7f7f0180u) +\n"
      "    8 * (__vcmpgtu2(0x00050003, 0x00040004) == 0xffff0000u) + 16 * (__vsads4(0xff, 0x01) == 2) +\n"
      "    32 * (__vabs2(0xffff8000u) == 0x00018000u) + 64 * (__vsetges2(0xffff0001u, 0) == 1) +\n"
      "    128 * (__half2int_rz(__int2half_rn(t)) == t);",
      [](int) { return 255; }, "#include <cuda_fp16.h>\n");
}

// The forms of CUDA's guide, which g++ takes in one place alone.
TEST_F(Language, AlignedSharedMemory) {
  expect_values(
      "__shared__ alignas(16) float a[64]; alignas(sizeof(float4)) __shared__ float b[64];\n"
      "static __shared__ alignas(sizeof(float4)) float c[64];\n"
      "a[t] = in[t]; b[t] = 2 * in[t]; c[t] = 3; __syncthreads(); v = a[63 - t] + b[t] + c[t];\n"
      "__shared__ int lock; if (t == 0) lock = 0; __syncthreads();\n"
      "if (atomicCAS_block(&lock, 0, 1) == 0) v += 0;",
      [](int t) { return (64 - t) + 2 * (t + 1) + 3; });
  for (const char* declaration :
       {"extern __shared__ alignas(16) float s[];", "extern __shared__ __align__(16) float s[];",
        "extern __align__(16) __shared__ float s[];", "alignas(16) extern __shared__ float s[];"}) {
    KernelCheck check(std::string("extern \"C\" __global__ void k(const float* in, float* out, int n) {\n") +
                      declaration + " s[threadIdx.x] = 1; out[threadIdx.x] = s[threadIdx.x]; }");
    check.launch().dynamic_shared_memory = 256;
    check.expecting(values_of(64, [](int) { return 1; }));
    kernels_.add(check, declaration);
  }
}

TEST_F(Language, MathematicsHasItsNamesInStd) {
  expect_values(
      "const float f = in[t]; const double d = in[t]; const std::size_t i = t;\n"
      "v = std::sqrt(f * f) + std::abs(-f) + std::fmax(f, d) + std::pow(f, 2) + sqrt(9) + std::min(t, 3) + i +\n"
      "    std::floor(d) + std::fmin(f, 1) + std::isnan(f) + std::lround(d) + std::fabs(f) + sqrtf(4.f);\n"
      "static_assert(sizeof(std::sqrt(f)) == 4 && sizeof(std::pow(f, 2)) == 8 && sizeof(std::abs(t)) == 4);",
      [](int t) { return 6 * (t + 1) + (t + 1) * (t + 1) + 3 + std::min(t, 3) + t + 1 + 2; },
      "#include <cmath>\n#include <cstddef>\n");
}

TEST_F(Language, TypesAndLimitsOfTheStandardLibrary) {
  const std::string headers =
      "#include <algorithm>\n#include <array>\n#include <functional>\n#include <limits>\n#include <type_traits>\n"
      "#include <utility>\n";
  expect_values(
      "std::array<float, 3> all = {1, 2, 3}; std::pair<int, float> both = {t, 0.5f}; std::swap(all[0], all[2]);\n"
      "v = std::plus<>()(all[0], both.second) + std::move(both.first) + std::clamp(t, 3, 5) + larger<int>(t, 7);",
      [](int t) { return 3.5 + t + std::clamp(t, 3, 5) + std::max(t, 7); },
      headers +
          "template<class T, class = std::enable_if_t<std::is_integral_v<T>>> __device__ T larger(T a, T b) {\n"
          "  return std::greater<T>()(a, b) ? a : b;\n}\n"
          "static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<int>::min() < 0);\n"
          "static_assert(std::numeric_limits<unsigned char>::max() == 255 && !std::numeric_limits<char>::min() == 0);\n"
          "static_assert(std::numeric_limits<long long>::max() > 0 && std::numeric_limits<float>::lowest() < -1e38f);\n"
          "static_assert(std::is_same_v<std::conditional_t<true, int, float>, std::make_signed_t<unsigned>>);\n"
          "static_assert(std::is_same<std::remove_cvref_t<const int&>, std::decay_t<int>>::value);\n"
          "static_assert(std::is_signed_v<int> && !std::is_signed_v<bool> && std::is_pointer_v<int* const>);\n");
  expect_values(
      "v = cuda::std::numeric_limits<short>::max() + (cuda::std::is_same_v<int, int> ? 1 : 0);",
      [](int) { return 32768; }, "#include <cuda/std/limits>\n#include <cuda/std/type_traits>\n");
  expect_values(
      "std::common_type_t<int, float, char> x = t; v = x / 2 + std::is_same_v<std::common_type<short, int>::type, int>;",
      [](int t) { return t / 2.0 + 1; }, "#include <type_traits>\n");
  expect_values("v = __dp4a(0x01ff0203, 0x02030405, t); __builtin_assume(t >= 0);",
                [](int t) { return 2 - 3 + 8 + 15 + t; });
}

// Names of the sources, overloads of built-ins, and names of CUDA alone.
TEST_F(Language, NamesOfTheGlobalNamespace) {
  expect_values(
      "::Params p{2}; ::float4 a = ::make_float4(in[t], 1, 2, 3); a = ::min(a, a);\n"
      "__shared__ int s; if (t == 0) s = 0; ::__syncthreads(); ::atomicAdd(&s, 1); ::atomicAdd(&s, p); ::__syncthreads();\n"
      "v = mine::mix(a.x, p.scale) + ::sqrtf(4) + mine::Box<::Params>::size() + s + ::std::min(1, 2) + mine ::one();",
      [](int t) { return (t + 1) + 2 * 2 + 2 + 4 + 64 * 3 + 1 + 1; },
      "#include <algorithm>\nusing T4 = int; struct Params { float scale; };\n"
      "extern \"C\" {\n__device__ float mix(float a, float b) { return a + b; }\n}\n"
      "__constant__ float value = 2; enum { count = 1 };\n"
      "inline __device__ float4 min(float4 a, float4 b) { return make_float4(::min(a.x, b.x), 1, 2, ::fminf(a.w, b.w)); }\n"
      "inline __device__ void atomicAdd(int* to, Params p) { ::atomicAdd(to, static_cast<int>(p.scale)); }\n"
      "namespace mine {\n__device__ float mix(float a, float b) { return ::mix(a, b) + (b>0 ? ::value : 0) - ::count + 1; }\n"
      "__device__ int one() { return 1; }\n"
      "template<class T> struct Box { static __device__ int size() { using ::Params; return sizeof(::T4); } };\n}\n");
}

// What other people's kernels have now and then.
TEST_F(Language, RarerParts) {
  expect_values(
      "auto block = cg::this_thread_block(); cg::thread_group all = block; v = all.size() + block.group_dim().x;\n"
      "cg::thread_group eight = cg::tiled_partition(all, 8), four = cg::tiled_partition(eight, 4); eight.sync(); all.sync();\n"
      "v += eight.thread_rank() + 10 * four.thread_rank() + four.size(); cg::invoke_one(block, [&] { v += 1000; });\n"
      "v += CUDART_PI_F == 3.14159265f; v += isnan(nanf(\"\")) + isnan(nan(\"\")); v += fabsf(cyl_bessel_i0f(1.f) - 1.2660659f) < 1e-6f;\n"
      "v += jn(0, 1.0) == j0(1.0); const half none = __float2half(nanf(\"\")); v += half(3u) == __hmax(none, half(3u));\n"
      "v += __hisnan(__hmin_nan(half(short(1)), none)); v += twice(t); alignas(8) char place[8]; v += *new (place) int(5);",
      [](int t) {
        return 64 + 64 + t % 8 + 10 * (t % 4) + 4 + (t == 0 ? 1000 : 0) + 1 + 2 + 1 + 1 + 1 + 1 + 2 * t + 5;
      },
      "#include <cooperative_groups.h>\n#include <math_constants.h>\n#include <cuda_fp16.h>\n"
      "namespace cg = cooperative_groups;\ntemplate<class T> concept Number = requires(T a) { a + a; };\n"
      "template<Number T> __device__ T twice(T a) { return a + a; }\n");
  EXPECT_EQ(testing::report_of(
                "extern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
                "  float* p = new float[4]; p[1] = 2; out[threadIdx.x] = p[n % 2]; delete[] p;\n}\n"),
            "the emulator has no new in kernels, but in a given place");
}

// As published kernels have them.
TEST_F(Language, BlocksOfCLinkageAndOverloadsOfBuiltIns) {
  for (const char* const open : {"extern \"C\" {\n", "#ifdef __cplusplus\nextern \"C\"\n{\n#endif\n",
                                 "extern \"C\"{ __device__ int two() { return 2; }\n"})
    expect_values(
        "v = triple(in[t]);", [](int t) { return 3 * (t + 1); },
        std::string(open) + "__device__ float triple(float x) { return 3 * x; }\n}\n");
  // Declared in the block, defined outside.
  expect_values(
      "v = triple(in[t]);", [](int t) { return 3 * (t + 1); },
      "extern \"C\" {\n__device__ float triple(float x);\n}\n"
      "__device__ float triple(float x) { return 3 * x; }\n");
  expect_values(
      "float4 a = make_float4(in[t]); float4 b = make_float4(1, 2, 3, 4);\n"
      "v = a.x + a.w + b.w + max(1.f, 2.f, in[t]) + max(t, 5) + min(in[t], 0.f);",
      [](int t) { return 2 * (t + 1) + 4 + std::max(2, t + 1) + std::max(t, 5); },
      "inline __device__ float4 make_float4(float s) { return make_float4(s, s, s, s); }\n"
      "inline __device__ float max(float a, float b, float c) { return max(max(a, b), c); }\n"
      "inline __device__ float min(float a, float b) { return a < b ? a : b; }\n");
  expect_values(
      "float2 a = rsqrtf(make_float2(4, 16)); v = a.x + a.y + rsqrtf(1.f);", [](int) { return 1.75; },
      "inline __device__ float2 rsqrtf(float2 a) { return make_float2(rsqrtf(a.x), rsqrtf(a.y)); }\n");
  expect_values(
      "Eight a; v = sizeof(a) + alignof(Eight);", [](int) { return 48; },
      "typedef struct __builtin_align__(16) { uint4 a, b; } Eight;\n");
}

TEST_F(Language, ClocksTypesOfTheStandardLibraryAndHip) {
  expect_values(
      "long long first = clock64(); std::uint32_t u = 3; std::size_t z = u; v = (clock64() > first) + z;",
      [](int) { return 4; });
  expect_values(
      "v = hipThreadIdx_x + hipBlockDim_x;", [](int t) { return t + 64; },
      "#include \"hip/hip_runtime.h\"\n#ifndef __HIP_PLATFORM_NVIDIA__\n#error no platform\n#endif\n");
  expect_values(
      "v = __shfl_down(in[t], 1, 2) + __shfl_xor(in[t], 1) + __popc(__ballot(1)) + __lane_id();",
      [](int t) { return (t | 1) + 1 + (t ^ 1) + 1 + 32 + t % 32; }, "#include <hip/hip_runtime.h>\n");
  expect_values(
      "cg::thread_block block = cg::this_thread_block(); block.sync(); v = __half2float(__float2half(in[t]));",
      [](int t) { return t + 1; },
      "#include <hip/hip_cooperative_groups.h>\n#include <hip/hip_fp16.h>\nnamespace cg = cooperative_groups;\n");
}

TEST_F(Language, VotesMatchesAndReductions) {
  expect_values("v = __popc(__ballot_sync(0xffffffffu, t % 4 == 0));", [](int) { return 8; });
  expect_values("v = __all_sync(0xffffffffu, t < 32) + 2 * __any_sync(0xffffffffu, t == 5);",
                [](int t) { return t < 32 ? 3 : 0; });
  expect_values("v = __popc(__match_any_sync(0xffffffffu, t / 8));", [](int) { return 8; });
  expect_values("v = __reduce_add_sync(0xffffffffu, t) + __reduce_max_sync(0xffffffffu, -t);",
                [](int t) { return t < 32 ? 496 : 1520 - 32; });
  // The lanes that a block of 40 lacks are not waited for.
  expect_values(
      "v = __popc(__ballot_sync(0xffffffffu, 1));", [](int t) { return t < 32 ? 32 : 8; }, "", 40);
}

TEST_F(Language, BarriersThatCount) {
  expect_values("v = __syncthreads_count(t % 3 == 0);", [](int) { return 22; });
  expect_values("v = __syncthreads_and(t < 64) + 2 * __syncthreads_or(t == 63);", [](int) { return 3; });
}

TEST_F(Language, Atomics) {
  expect_values(
      "__shared__ int s; if (t == 0) s = 0; __syncthreads();\n"
      "atomicAdd(&s, t); atomicMax(&s, 0); __syncthreads(); v = s;",
      [](int) { return 2016; });
  expect_values(
      "__shared__ unsigned s; if (t == 0) s = 0; __syncthreads();\n"
      "unsigned old = *(volatile unsigned*)&s; unsigned seen;\n"
      "do { seen = old; old = atomicCAS(&s, seen, seen + 2u); } while (old != seen); __syncthreads(); v = s;",
      [](int) { return 128; }, "#define NOT_USED 1");
}

TEST_F(Language, CooperativeGroups) {
  const std::string include = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;";
  expect_values(
      "__shared__ float s[64]; auto block = cg::this_thread_block(); s[block.thread_rank()] = in[t];\n"
      "block.sync(); v = s[63 - t]; cg::sync(block);",
      [](int t) { return 64 - t; }, include);
  expect_values(
      "auto tile = cg::tiled_partition<8>(cg::this_thread_block());\n"
      "v = cg::reduce(tile, t, cg::plus<int>()) + 1000 * tile.meta_group_rank();",
      [](int t) { return t / 8 * 64 + 28 + 1000 * (t / 8); }, include);
}

TEST_F(Language, AsynchronousCopies) {
  const std::string copies =
      "__shared__ float s[2][64]; __pipeline_memcpy_async(&s[0][t], in + t, 4); __pipeline_commit();\n"
      "__pipeline_memcpy_async(&s[1][t], in + 63 - t, 4); __pipeline_commit();\n";
  expect_values(copies + "__pipeline_wait_prior(1); v = s[0][t]; __pipeline_wait_prior(0); v += s[1][t];",
                [](int) { return 65; });
  expect_values(
      "__shared__ float s[64]; auto pipe = cuda::make_pipeline(); pipe.producer_acquire();\n"
      "cuda::memcpy_async(&s[t], in + t, 4, pipe); pipe.producer_commit(); pipe.consumer_wait();\n"
      "__syncthreads(); v = s[63 - t]; pipe.consumer_release();",
      [](int t) { return 64 - t; }, "#include <cuda/pipeline>");
}

TEST_F(Language, VectorsHalvesAndMathematics) {
  expect_values("if (t < 16) { float4 q = __ldg(reinterpret_cast<const float4*>(in) + t); v = q.x + q.w; }",
                [](int t) { return t < 16 ? 8 * t + 5 : 0; });
  // 11 bits: 2049 is no half, and rounds to 2048.
  expect_values(
      "__half2 h = __floats2half2_rn(1, 2048.0f + t % 2); h = __hadd2(h, h); v = __high2float(h);",
      [](int) { return 4096; }, "#include <cuda_fp16.h>");
  expect_values(
      "__nv_bfloat16 b = __float2bfloat16(1.0f + t / 256.0f); v = t < 2 ? __bfloat162float(b) : 1;",
      [](int) { return 1; }, "#include <cuda_bf16.h>");
  expect_values("v = fmaf(in[t], 2.0f, rsqrtf(4.0f)) + max(t, 3) + __clz(1) + __brev(1u) / 0x80000000u;",
                [](int t) { return 2 * (t + 1) + 0.5 + std::max(t, 3) + 32; });
}

TEST_F(Language, RareFunctionsAndPackedNumbers) {
  // 1 + 2^-24 lies between 1 and the next float.
  expect_values(
      "const float e = 5.9604645e-8f; v = (__fadd_rz(1.f, e) == 1.f) + (__fadd_ru(1.f, e) > 1.f) +\n"
      "  (__fadd_rd(-1.f, -e) < -1.f) + (__ddiv_rz(1.0, 3.0) < __ddiv_ru(1.0, 3.0));\n"
      "v += __float2uint_rn(-3.f) + __float2int_ru(2.1f) + __double2ll_rd(2.9) + (__int2float_rz(16777217) == 16777216.f);\n"
      "v += __double2hiint(__hiloint2double(7, 9)) + __double2loint(__hiloint2double(7, 9)) + __umul64hi(1ull << 63, 4);\n"
      "v += __vadd4(0x01ff0203u, 0x01010101u) == 0x02000304u; v += __vmaxs4(0xff000000u, 0) == 0u;\n"
      "v += __vsadu4(0x01020304u, 0x00000000u) + __vimax3_s32(1, 5, 3) + __sad(-3, 4, 1u) + __hadd(3, 6);\n"
      "float part; int power; v += modff(2.5f, &part) + frexpf(8.f, &power); v += part + power;\n"
      "v += fabsf(erfinvf(erff(0.5f)) - 0.5f) < 1e-6f; v += fabsf(normcdff(0.f) - 0.5f) < 1e-6f;\n"
      "v += exp10f(2.f) == 100.f; v += fabsf(sinpif(0.5f) - 1.f) < 1e-6f; v += rhypotf(3.f, 4.f) == 0.2f;\n"
      "v += norm3df(2.f, 3.f, 6.f);",
      [](int) { return 4 + 0 + 3 + 2 + 1 + 7 + 9 + 2 + 1 + 1 + 10 + 5 + 8 + 4 + 2.5 + 4.5 + 5 + 7; });
}

TEST_F(Language, RareFunctionsOfHalves) {
  // 2049 lies between 2048 and 2050, as halves.
  expect_values(
      "half2 a = __float22half2_rn(make_float2(1, -4)), b = __float2half2_rn(2); float2 c = __half22float2(__hmax2(a, b));\n"
      "v = c.x + c.y + __half2float(__float2half_rz(2051.f)) - 2048 + __half2float(__habs(a.y)) + __hbgt2(b, a);\n"
      "v += __half2int_rd(__float2half(-1.5f)) + __half_as_ushort(__float2half(1.f)) + __low2float(h2sqrt(__hmul2(b, b)));\n"
      "v += __half2float(__ushort_as_half(0x4000)) + __low2float(__h2div(b, a)) + __high2float(__hneg2(a)) + __hisnan(a.x);\n"
      "__nv_bfloat162 d = __halves2bfloat162(__float2bfloat16_rn(3.f), __int2bfloat16_rn(5)); d = __hfma2(d, d, d);\n"
      "v += __bfloat1622float2(d).y + __bfloat162float(__hadd_sat(d.x, d.y)) + (d.x != d.y); ++a.x; v += a.x >= b.x;",
      [](int) { return 2 + 2 + 2 + 4 + 1 - 2 + 15360 + 2 + 2 + 2 + 4 + 0 + 30 + 1 + 1 + 1; },
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>");
}

TEST_F(Language, ComplexNumbers) {
  expect_values(
      "cuFloatComplex z = make_cuFloatComplex(3, 4), w = cuCmulf(z, cuConjf(z)); v = cuCrealf(w) + cuCimagf(w);\n"
      "v += cuCabsf(z) + cuCrealf(cuCdivf(z, z)) + cuCimag(cuCadd(make_cuDoubleComplex(0, 1), make_cuDoubleComplex(0, 2)));",
      [](int) { return 25 + 5 + 1 + 3; }, "#include <cuComplex.h>");
}

TEST_F(Language, StandardHeadersMeanWhatTheyMean) {
  expect_values(
      "int64_t wide = INT_MAX; v = t < 2 ? (float)(wide > 0) : fminf(FLT_MAX, 7.0f);",
      [](int t) { return t < 2 ? 1 : 7; },
      "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdint.h>\n#include <cfloat>\n"
      "#include <limits.h>\n#include <math.h>\n#include <device_launch_parameters.h>");
}

TEST_F(Language, DynamicSharedMemoryAndTemplates) {
  const std::string source =
      "template<class T, int shift> __device__ T moved(const T* from, int t) {\n"
      "  __shared__ T tile[64];\n  tile[t] = from[t];\n  __syncthreads();\n  return tile[(t + shift) % "
      "64];\n}\n"
      "extern __shared__ __align__(16) unsigned char bytes[];\n"
      "extern \"C\" __global__ void __launch_bounds__(64, 2) k(const float* __restrict__ in, float* out, int "
      "n) {\n"
      "  float* s = reinterpret_cast<float*>(bytes);\n  const int t = threadIdx.x;\n"
      "  s[t] = moved<float, 1>(in, t) + moved<float, 2>(in, t);\n  __syncthreads();\n  out[t] = s[63 - "
      "t];\n}\n";
  KernelCheck check(source);
  check.launch().dynamic_shared_memory = 256;
  check.expecting(values_of(64, [](int t) { return (64 - t) % 64 + 1 + (65 - t) % 64 + 1; }));
  EXPECT_EQ(check.report(), "");
  check.launch().dynamic_shared_memory = 252;
  const CheckVerdict verdict = check.verdict();
  ASSERT_EQ(verdict.findings.size(), 1U);
  EXPECT_EQ(verdict.findings[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(verdict.findings[0].array, "dynamic shared memory");
  EXPECT_EQ(verdict.findings[0].thread.x, 63U);
}

TEST(Constants, HaveTheRoomThatDevicesHave) {
  const auto report = [](const std::string& constants) {
    return testing::report_of(
        "#define CONSTANT __constant__\n" + constants +
        "\nextern \"C\" __global__ void k(const float* in, float* out, int n) { out[threadIdx.x] = "
        "in[threadIdx.x]; }");
  };
  EXPECT_EQ(report("__constant__ float all[16384];\n__device__ float more[16384];"), "");
  EXPECT_EQ(report("#if 0\n__constant__ float all[20000];\n#endif"), "");
  const std::string beyond = report(
      "\nnamespace tables { template<class T, int n> struct Row { T v[n]; };\n__constant__ __align__(16) Row<float, 100> rows[40], "
      "last = {1}; }\nCONSTANT double all[] = {1, 2, 3}, others[6200];");
  EXPECT_NE(beyond.find("k.cu:1: the __constant__ variables have 66024 bytes together, at most 65536 fit"),
            std::string::npos)
      << beyond;
}

TEST(Macros, OfAConfigurationKeepTheirValues) {
  const auto report = [](const std::string& lines, const std::vector<std::string>& options = {}) {
    KernelCheck check(
        lines +
        "\nextern \"C\" __global__ void k(const float* in, float* out, int n) { out[threadIdx.x] = SHIFT; }");
    check.plan.compile.defines = {{"SHIFT", "2"}, {"VERSION", "3"}};
    check.plan.compile.options = options;
    return check.flavour(Flavour::plain).report();
  };
  const std::string error = "k.cu:2:2: error: '#define SHIFT' replaces the macro 'SHIFT'";
  for (const char* const lines :
       {"#if VERSION * 2 > 5\n#define SHIFT 1\n#endif", "#ifdef SHIFT\n  # define SHIFT 1\n#endif",
        "#undef SHIFT\n#define SHIFT 1"})
    EXPECT_NE(report(lines).find(error), std::string::npos) << lines << "\n" << report(lines);
  for (const char* const lines : {"#if VERSION * 2 > 7\n#define SHIFT 1\n#endif",
                                  "#ifndef SHIFT\n#define SHIFT 1\n#endif", "#define SHIFT 2"})
    EXPECT_EQ(report(lines), "") << lines;
  // A group that is skipped moves no line below it.
  for (const char* const lines : {"#ifndef SHIFT\n#define SHIFT 1\n#endif\n#error stop",
                                  "#ifdef NO\n#undef SHIFT\n#else\n#error stop\n#endif",
                                  "#if VERSION > 3\n#define SHIFT 1\n#elif VERSION > 2\n#error stop\n#endif"})
    EXPECT_NE(report(lines).find("k.cu:4:2: error:"), std::string::npos) << lines << "\n" << report(lines);
  EXPECT_EQ(report("", {"-include", "x.h"}), "the emulator does not follow the option -include");
}

}  // namespace
}  // namespace tune::emulator
