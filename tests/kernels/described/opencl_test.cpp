// SPDX-License-Identifier: Apache-2.0
// Kernels in OpenCL C, rewritten as CUDA, on the emulator and with NVRTC.
#include "kernels/described/opencl.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tests/kernels/described/definition_check.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::described {
namespace {

std::string translated(const std::string& source) {
  KernelText text;
  text.source = {"k.cl", source};
  translate_opencl(text);
  const std::string before = "#include \"tune_opencl.h\"\n#line 1 \"k.cl\"\n";
  EXPECT_TRUE(text.source.text.starts_with(before));
  EXPECT_EQ(text.headers.back().name, "tune_opencl.h");
  return text.source.text.substr(before.size());
}

TEST(OpenCl, QualifiersAreThoseOfCuda) {
  EXPECT_EQ(translated("__kernel void k(__global float* restrict a, __constant int* b, const uint n) {}"),
            "extern \"C\" __global__ void k( float* __restrict__ a, const int* b, const uint n) {}");
  EXPECT_EQ(translated("kernel void k(global float *a) { local float t[8]; __local float* p = t; }"),
            "extern \"C\" __global__ void k( float *a) { __shared__ float t[8];  float* p = t; }");
  EXPECT_EQ(translated("__constant float w[2] = {1, 2};\nfloat f(__local float* t) { return t[0]; }"),
            "__constant__ float w[2] = {1, 2};\nfloat f( float* t) { return t[0]; }");
  EXPECT_EQ(translated("float4 v = (float4) (0.0f); v.s0 += v.s3; x.local = s.kernel;"),
            "float4 v = cl_float4 (0.0f); v.x += v.w; x.local = s.kernel;");
  EXPECT_EQ(
      translated(
          "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma unroll\n// __local\nf(\"__global\");"),
      "\n#pragma unroll\n// __local\nf(\"__global\");");
  EXPECT_EQ(translated("int kernel = 1, local = 2; global = local;"),
            "int kernel = 1, local = 2; global = local;");
}

TEST(OpenCl, WhatCudaLacksIsNamed) {
  const auto refusal = [](const std::string& source) -> std::string {
    try {
      return translated(source);
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("\n__kernel void k(__read_only image2d_t a) {}"),
            "k.cl:2: CUDA has no counterpart of OpenCL's image2d_t");
  EXPECT_EQ(refusal("uchar16 a;"), "k.cl:1: CUDA has no counterpart of OpenCL's the type uchar16");
  EXPECT_EQ(
      refusal("__kernel void k(__local float* a) {}"),
      "k.cl:1: CUDA has no counterpart of OpenCL's a parameter in local memory: declare the array in the "
      "kernel instead");
}

TEST(OpenCl, PartsOfVectorsAndConversions) {
  EXPECT_EQ(
      translated("v.xy = p->zw + a[i].lo * f(x, (y)).s01;"),
      "tune_cl_set<0,1>(v) = tune_cl_get<2,3>(*p) + tune_cl_get_lo(a[i]) * tune_cl_get<0,1>(f(x, (y)));");
  EXPECT_EQ(translated("v.sF += w.s7 == u.hi.odd.x; q.r.wzyx *= 2;"),
            "v.sf += w.s7 == tune_cl_get_odd(tune_cl_get_hi(u)).x; tune_cl_set<3,2,1,0>(q.r) *= 2;");
  EXPECT_EQ(translated("struct S { float2 xy; int lo; }; s.xy = s.lo + s.seed;"),
            "struct S { float2 xy; int lo; }; s.xy = s.lo + s.seed;");
  EXPECT_EQ(
      translated("convert_float4(a) + convert_uchar_sat(b) + as_int2(c) + as_float(d) + convert_int_rte(e)"),
      "tune_cl_convert<float4>(a) + tune_cl_convert_sat<uchar>(b) + tune_cl_as<int2>(c) + as_float(d) + "
      "convert_int_rte(e)");
}

TEST(OpenCl, UnfinishedTextEnds) {
  for (const char* text : {"\"", "'\\", "/*", "//", "(float4", "(float4)", "#", "#pragma", "__local",
                           "__kernel void k(", ".xy", "].xy", ").lo", "->xy", "a.xy"})
    EXPECT_FALSE(translated(text).empty() && std::string(text) != "") << text;
}

constexpr const char* opencl_kernel = R"cl(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant float weights[2] = {0.5f, 2.0f};
inline float scaled(float x, __constant float* w) { return mad(x, w[1], 1.0f); }
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void k(__global float* restrict out, __global const float* x, __constant float* more, const uint n) {
  __local float tile[BLOCK];
  const int i = get_global_id(0), l = get_local_id(0);
  tile[l] = i < n ? x[i] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  float4 v = (float4)(tile[l], tile[BLOCK - 1 - l], 0.0f, 1.0f) * (float4)(2.0f);
  v += vload4(0, more);
  v = fma(v, (float4)(1.0f), (float4)(0.0f, 0.0f, 0.0f, 1.0f));
  const float other = clamp(native_sqrt(v.s1 * v.s1), 0.0f, 1e6f);
  if (i < n) out[i] = scaled(v.x, weights) + mix(other, other, 0.5f) + v.w + select(0, 1, get_group_id(0) < 0);
}
)cl";

class OpenClKernels : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  // x is 1: v.x = 2 + 1, other = 3, v.w = 2 + 1 + 1; so out = 3 * 2 + 1 + 3 + 4.
  std::string definition(const std::string& expected = "14") const {
    return R"j({"problem": "k", "kernel": {"file": "k.cl", "language": "opencl"}, "sizes": {"n": 256},
      "check": [{"n": 128}], "parameters": {"BLOCK": [32, 64]}, "arguments": {
        "out": {"type": "float", "size": "n", "access": "write", "expect": )j" +
           expected + R"j(}, "x": {"type": "float", "size": "n", "fill": 1},
        "more": {"type": "float", "size": 4, "fill": 1}, "n": {"type": "uint", "value": "n"}},
      "launches": {"entry": "k", "grid": "ceil_div(n, BLOCK)", "block": "BLOCK"}})j";
  }
  tune::testing::TemporaryFolder folder_;
};

TEST_F(OpenClKernels, RunOnTheEmulator) {
  write("k.cl", opencl_kernel);
  write("k.json", definition());
  for (const emulator::Finding& finding : testing::findings_of(folder_.path() / "k.json", 2))
    ADD_FAILURE() << finding.text();
  write("k.json", definition("15"));
  EXPECT_FALSE(testing::findings_of(folder_.path() / "k.json", 1).empty());
}

TEST_F(OpenClKernels, WideVectorsRunOnTheEmulator) {
  write("k.cl", R"cl(
__kernel void k(__global float* restrict out, __global const float* x, __constant float* more, const uint n) {
  const int i = get_global_id(0);
  float8 v = (float8)(vload4(0, more), (float4)(2.0f)) * 2.0f;
  v.xy = (float2)(5.0f, 6.0f);
  v.s01 += v.s67;
  float16 w = (float16)(v, v);
  float2 both = w.s0f + w.hi.odd.xy;
  uchar4 bytes = convert_uchar4_sat((float4)(300.0f, -4.0f, 7.5f, 1.0f));
  int4 bits = as_int4(convert_float4(bytes));
  both.yx -= (float2)(1.0f, 2.0f);
  if (i < n) out[i] = both.x + both.y + bytes.x + bytes.y + bytes.z + (bits.w == as_int(1.0f)) + v.s7;
}
)cl");
  // v = {9, 10, 2, 2, 4, 4, 4, 4}; both = {9 + 10, 4 + 2} - {2, 1}.
  write("k.json", definition("289"));
  for (const emulator::Finding& finding : testing::findings_of(folder_.path() / "k.json", 1))
    ADD_FAILURE() << finding.text();
}

}  // namespace
}  // namespace tune::described
