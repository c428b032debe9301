// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tune::described {

/// OpenCL's functions and types in CUDA, for the kernels that translate_opencl rewrites.
constexpr std::string_view opencl_header = R"cuda(#pragma once
#pragma nv_diag_suppress 1444
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) __syncthreads()
#define work_group_barrier(...) __syncthreads()
#define mem_fence(flags) __threadfence()
#define read_mem_fence(flags) __threadfence()
#define write_mem_fence(flags) __threadfence()
#define reqd_work_group_size(...)
#define work_group_size_hint(...)
#define vec_type_hint(...)
#ifndef MAXFLOAT
#define MAXFLOAT 3.40282347e+38f
#endif
#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38f
#define FLT_MIN 1.17549435e-38f
#define FLT_EPSILON 1.19209290e-07f
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI_F
#define M_PI_F 3.14159274f
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif

#define TUNE_CL __device__ inline
TUNE_CL size_t get_local_id(unsigned d) { return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0; }
TUNE_CL size_t get_group_id(unsigned d) { return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : d == 2 ? blockIdx.z : 0; }
TUNE_CL size_t get_local_size(unsigned d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1; }
TUNE_CL size_t get_num_groups(unsigned d) { return d == 0 ? gridDim.x : d == 1 ? gridDim.y : d == 2 ? gridDim.z : 1; }
TUNE_CL size_t get_global_id(unsigned d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
TUNE_CL size_t get_global_size(unsigned d) { return get_num_groups(d) * get_local_size(d); }
TUNE_CL size_t get_global_offset(unsigned) { return 0; }
TUNE_CL unsigned get_work_dim() { return 3; }

#define TUNE_CL_VECTOR(T, V) \
  TUNE_CL V##2 cl_##V##2(T x, T y) { V##2 v; v.x = x; v.y = y; return v; } \
  TUNE_CL V##2 cl_##V##2(T x) { return cl_##V##2(x, x); } \
  TUNE_CL V##2 cl_##V##2(V##2 v) { return v; } \
  TUNE_CL V##3 cl_##V##3(T x, T y, T z) { V##3 v; v.x = x; v.y = y; v.z = z; return v; } \
  TUNE_CL V##3 cl_##V##3(T x) { return cl_##V##3(x, x, x); } \
  TUNE_CL V##3 cl_##V##3(V##3 v) { return v; } \
  TUNE_CL V##4 cl_##V##4(T x, T y, T z, T w) { V##4 v; v.x = x; v.y = y; v.z = z; v.w = w; return v; } \
  TUNE_CL V##4 cl_##V##4(T x) { return cl_##V##4(x, x, x, x); } \
  TUNE_CL V##4 cl_##V##4(V##4 v) { return v; } \
  TUNE_CL V##4 cl_##V##4(V##2 a, V##2 b) { return cl_##V##4(a.x, a.y, b.x, b.y); } \
  TUNE_CL V##4 cl_##V##4(V##3 a, T w) { return cl_##V##4(a.x, a.y, a.z, w); } \
  TUNE_CL V##2 vload2(size_t i, const T* p) { return cl_##V##2(p[2 * i], p[2 * i + 1]); } \
  TUNE_CL V##3 vload3(size_t i, const T* p) { return cl_##V##3(p[3 * i], p[3 * i + 1], p[3 * i + 2]); } \
  TUNE_CL V##4 vload4(size_t i, const T* p) { return cl_##V##4(p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]); } \
  TUNE_CL void vstore2(V##2 v, size_t i, T* p) { p[2 * i] = v.x; p[2 * i + 1] = v.y; } \
  TUNE_CL void vstore3(V##3 v, size_t i, T* p) { p[3 * i] = v.x; p[3 * i + 1] = v.y; p[3 * i + 2] = v.z; } \
  TUNE_CL void vstore4(V##4 v, size_t i, T* p) { p[4 * i] = v.x; p[4 * i + 1] = v.y; p[4 * i + 2] = v.z; p[4 * i + 3] = v.w; } \
  TUNE_CL_OPERATOR(T, V, +) TUNE_CL_OPERATOR(T, V, -) TUNE_CL_OPERATOR(T, V, *) TUNE_CL_OPERATOR(T, V, /) \
  TUNE_CL V##2 operator-(V##2 a) { return cl_##V##2(-a.x, -a.y); } \
  TUNE_CL V##3 operator-(V##3 a) { return cl_##V##3(-a.x, -a.y, -a.z); } \
  TUNE_CL V##4 operator-(V##4 a) { return cl_##V##4(-a.x, -a.y, -a.z, -a.w); }
#define TUNE_CL_OPERATOR(T, V, op) \
  TUNE_CL V##2 operator op(V##2 a, V##2 b) { return cl_##V##2(a.x op b.x, a.y op b.y); } \
  TUNE_CL V##2 operator op(V##2 a, T b) { return cl_##V##2(a.x op b, a.y op b); } \
  TUNE_CL V##2 operator op(T a, V##2 b) { return cl_##V##2(a op b.x, a op b.y); } \
  TUNE_CL V##2& operator op##=(V##2& a, V##2 b) { return a = a op b; } \
  TUNE_CL V##2& operator op##=(V##2& a, T b) { return a = a op b; } \
  TUNE_CL V##3 operator op(V##3 a, V##3 b) { return cl_##V##3(a.x op b.x, a.y op b.y, a.z op b.z); } \
  TUNE_CL V##3 operator op(V##3 a, T b) { return cl_##V##3(a.x op b, a.y op b, a.z op b); } \
  TUNE_CL V##3 operator op(T a, V##3 b) { return cl_##V##3(a op b.x, a op b.y, a op b.z); } \
  TUNE_CL V##3& operator op##=(V##3& a, V##3 b) { return a = a op b; } \
  TUNE_CL V##3& operator op##=(V##3& a, T b) { return a = a op b; } \
  TUNE_CL V##4 operator op(V##4 a, V##4 b) { return cl_##V##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w); } \
  TUNE_CL V##4 operator op(V##4 a, T b) { return cl_##V##4(a.x op b, a.y op b, a.z op b, a.w op b); } \
  TUNE_CL V##4 operator op(T a, V##4 b) { return cl_##V##4(a op b.x, a op b.y, a op b.z, a op b.w); } \
  TUNE_CL V##4& operator op##=(V##4& a, V##4 b) { return a = a op b; } \
  TUNE_CL V##4& operator op##=(V##4& a, T b) { return a = a op b; }
TUNE_CL_VECTOR(float, float)
TUNE_CL_VECTOR(double, double)
TUNE_CL_VECTOR(int, int)
TUNE_CL_VECTOR(unsigned, uint)

TUNE_CL float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
TUNE_CL float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
TUNE_CL float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
template<class V> TUNE_CL float length(V v) { return sqrtf(dot(v, v)); }
template<class V> TUNE_CL float distance(V a, V b) { return length(a - b); }
template<class V> TUNE_CL V normalize(V v) { return v * rsqrtf(dot(v, v)); }
TUNE_CL float3 cross(float3 a, float3 b) {
  return cl_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
TUNE_CL float2 fma(float2 a, float2 b, float2 c) { return cl_float2(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y)); }
TUNE_CL float3 fma(float3 a, float3 b, float3 c) {
  return cl_float3(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y), fmaf(a.z, b.z, c.z));
}
TUNE_CL float4 fma(float4 a, float4 b, float4 c) {
  return cl_float4(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y), fmaf(a.z, b.z, c.z), fmaf(a.w, b.w, c.w));
}
template<class A, class B, class C> TUNE_CL auto mad(A a, B b, C c) { return a * b + c; }
template<class T, class S> TUNE_CL T mix(T a, T b, S t) { return a + (b - a) * t; }
template<class T> TUNE_CL T tune_cl_clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
#define clamp(x, low, high) tune_cl_clamp<decltype((x) + (low) + (high))>((x), (low), (high))
template<class T, class C> TUNE_CL T select(T a, T b, C c) { return c ? b : a; }
template<class T> TUNE_CL T step(T edge, T x) { return x < edge ? T(0) : T(1); }
template<class T> TUNE_CL T sign(T x) { return T((x > T(0)) - (x < T(0))); }
TUNE_CL float degrees(float x) { return x * 57.2957795f; }
TUNE_CL float radians(float x) { return x * 0.0174532925f; }
TUNE_CL int mul24(int a, int b) { return a * b; }
TUNE_CL int mad24(int a, int b, int c) { return a * b + c; }
TUNE_CL unsigned popcount(unsigned x) { return __popc(x); }
TUNE_CL unsigned clz(unsigned x) { return __clz(x); }
TUNE_CL float as_float(int x) { return __int_as_float(x); }
TUNE_CL float as_float(unsigned x) { return __int_as_float((int)x); }
TUNE_CL int as_int(float x) { return __float_as_int(x); }
TUNE_CL unsigned as_uint(float x) { return (unsigned)__float_as_int(x); }
#define convert_int(x) ((int)(x))
#define convert_uint(x) ((unsigned)(x))
#define convert_float(x) ((float)(x))
#define convert_double(x) ((double)(x))
#define convert_int_rte(x) __float2int_rn(x)
#define native_sin(x) __sinf(x)
#define native_cos(x) __cosf(x)
#define native_tan(x) __tanf(x)
#define native_exp(x) __expf(x)
#define native_exp2(x) exp2f(x)
#define native_exp10(x) __exp10f(x)
#define native_log(x) __logf(x)
#define native_log2(x) __log2f(x)
#define native_log10(x) __log10f(x)
#define native_powr(x, y) __powf(x, y)
#define native_sqrt(x) sqrtf(x)
#define native_rsqrt(x) rsqrtf(x)
#define native_recip(x) __fdividef(1.0f, x)
#define native_divide(x, y) __fdividef(x, y)
#define half_sin(x) __sinf(x)
#define half_cos(x) __cosf(x)
#define half_exp(x) __expf(x)
#define half_log(x) __logf(x)
#define half_sqrt(x) sqrtf(x)
#define half_rsqrt(x) rsqrtf(x)
#define half_recip(x) __fdividef(1.0f, x)
#define half_divide(x, y) __fdividef(x, y)
#define atomic_add(p, v) atomicAdd(p, v)
#define atomic_sub(p, v) atomicSub(p, v)
#define atomic_inc(p) atomicAdd(p, 1)
#define atomic_dec(p) atomicSub(p, 1)
#define atomic_min(p, v) atomicMin(p, v)
#define atomic_max(p, v) atomicMax(p, v)
#define atomic_and(p, v) atomicAnd(p, v)
#define atomic_or(p, v) atomicOr(p, v)
#define atomic_xor(p, v) atomicXor(p, v)
#define atomic_xchg(p, v) atomicExch(p, v)
#define atomic_cmpxchg(p, old, v) atomicCAS(p, old, v)
#define atom_add(p, v) atomicAdd(p, v)
#define atom_inc(p) atomicAdd(p, 1)
#define atom_cmpxchg(p, old, v) atomicCAS(p, old, v)
)cuda";

}  // namespace tune::described
