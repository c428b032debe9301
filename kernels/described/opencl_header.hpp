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

// ---- vectors of eight and sixteen, parts of vectors, conversions ----
#define TUNE_CL_WIDE(T, V) \
  struct V##8 { T x, y, z, w, s4, s5, s6, s7; }; \
  struct V##16 { T x, y, z, w, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf; };
TUNE_CL_WIDE(float, float)
TUNE_CL_WIDE(double, double)
TUNE_CL_WIDE(int, int)
TUNE_CL_WIDE(unsigned, uint)

template<class V> struct tune_cl_traits { typedef V T; static constexpr int n = 1; };
template<class T, int n> struct tune_cl_vector { typedef T type; };
#define TUNE_CL_TRAITS(S, V, N) \
  template<> struct tune_cl_traits<V##N> { typedef S T; static constexpr int n = N; }; \
  template<> struct tune_cl_vector<S, N> { typedef V##N type; };
#define TUNE_CL_SMALL(T, V) TUNE_CL_TRAITS(T, V, 2) TUNE_CL_TRAITS(T, V, 3) TUNE_CL_TRAITS(T, V, 4)
#define TUNE_CL_ALL(T, V) TUNE_CL_SMALL(T, V) TUNE_CL_TRAITS(T, V, 8) TUNE_CL_TRAITS(T, V, 16)
TUNE_CL_ALL(float, float) TUNE_CL_ALL(double, double) TUNE_CL_ALL(int, int) TUNE_CL_ALL(unsigned, uint)
TUNE_CL_SMALL(signed char, char) TUNE_CL_SMALL(unsigned char, uchar) TUNE_CL_SMALL(short, short)
TUNE_CL_SMALL(unsigned short, ushort) TUNE_CL_SMALL(long, long) TUNE_CL_SMALL(unsigned long, ulong)

template<class V> TUNE_CL auto tune_cl_data(V& v) { return reinterpret_cast<typename tune_cl_traits<V>::T*>(&v); }
template<class V> TUNE_CL auto tune_cl_data(const V& v) { return reinterpret_cast<const typename tune_cl_traits<V>::T*>(&v); }
template<class T, class P> TUNE_CL int tune_cl_put(T* to, int at, P part) {
  for (int i = 0; i < tune_cl_traits<P>::n; ++i) to[at + i] = T(tune_cl_data(part)[i]);
  return at + tune_cl_traits<P>::n;
}
template<class V, class... P> TUNE_CL V tune_cl_make(P... parts) {
  constexpr int n = tune_cl_traits<V>::n, given = (tune_cl_traits<P>::n + ...);
  static_assert(given == n || given == 1, "a vector literal has one value for each element, or one for all");
  V v{};
  int at = 0;
  ((at = tune_cl_put(tune_cl_data(v), at, parts)), ...);
  if (given == 1)
    for (int i = 1; i < n; ++i) tune_cl_data(v)[i] = tune_cl_data(v)[0];
  return v;
}
#define cl_float8 tune_cl_make<float8>
#define cl_float16 tune_cl_make<float16>
#define cl_double8 tune_cl_make<double8>
#define cl_double16 tune_cl_make<double16>
#define cl_int8 tune_cl_make<int8>
#define cl_int16 tune_cl_make<int16>
#define cl_uint8 tune_cl_make<uint8>
#define cl_uint16 tune_cl_make<uint16>
#define TUNE_CL_WIDE_OPERATOR(T, V, op) \
  TUNE_CL V& operator op##=(V& a, V b) { for (int i = 0; i < tune_cl_traits<V>::n; ++i) tune_cl_data(a)[i] op##= tune_cl_data(b)[i]; return a; } \
  TUNE_CL V& operator op##=(V& a, T b) { for (int i = 0; i < tune_cl_traits<V>::n; ++i) tune_cl_data(a)[i] op##= b; return a; } \
  TUNE_CL V operator op(V a, V b) { return a op##= b; } \
  TUNE_CL V operator op(V a, T b) { return a op##= b; } \
  TUNE_CL V operator op(T a, V b) { V v = tune_cl_make<V>(a); return v op##= b; }
#define TUNE_CL_WIDE_FUNCTIONS(T, V, N) \
  TUNE_CL_WIDE_OPERATOR(T, V##N, +) TUNE_CL_WIDE_OPERATOR(T, V##N, -) \
  TUNE_CL_WIDE_OPERATOR(T, V##N, *) TUNE_CL_WIDE_OPERATOR(T, V##N, /) \
  TUNE_CL V##N operator-(V##N a) { return a *= T(-1); } \
  TUNE_CL V##N vload##N(size_t i, const T* p) { V##N v; for (int k = 0; k < N; ++k) tune_cl_data(v)[k] = p[N * i + k]; return v; } \
  TUNE_CL void vstore##N(V##N v, size_t i, T* p) { for (int k = 0; k < N; ++k) p[N * i + k] = tune_cl_data(v)[k]; }
TUNE_CL_WIDE_FUNCTIONS(float, float, 8) TUNE_CL_WIDE_FUNCTIONS(float, float, 16)
TUNE_CL_WIDE_FUNCTIONS(double, double, 8) TUNE_CL_WIDE_FUNCTIONS(double, double, 16)
TUNE_CL_WIDE_FUNCTIONS(int, int, 8) TUNE_CL_WIDE_FUNCTIONS(int, int, 16)
TUNE_CL_WIDE_FUNCTIONS(unsigned, uint, 8) TUNE_CL_WIDE_FUNCTIONS(unsigned, uint, 16)
// Bytes and other numbers are loaded and stored, as images need it.
#define TUNE_CL_LOADS(T, V, N) \
  TUNE_CL V##N vload##N(size_t i, const T* p) { V##N v; for (int k = 0; k < N; ++k) tune_cl_data(v)[k] = p[N * i + k]; return v; } \
  TUNE_CL void vstore##N(V##N v, size_t i, T* p) { for (int k = 0; k < N; ++k) p[N * i + k] = tune_cl_data(v)[k]; }
#define TUNE_CL_LOAD(T, V) TUNE_CL_LOADS(T, V, 2) TUNE_CL_LOADS(T, V, 3) TUNE_CL_LOADS(T, V, 4)
TUNE_CL_LOAD(unsigned char, uchar) TUNE_CL_LOAD(short, short) TUNE_CL_LOAD(unsigned short, ushort)

// A part of a vector: the elements with these numbers. `get` is its value, `set` what is assigned to.
template<int... i> struct tune_cl_list {};
template<class V, int... i> TUNE_CL auto tune_cl_take(const V& v, tune_cl_list<i...>) {
  typedef typename tune_cl_traits<V>::T T;
  typename tune_cl_vector<T, sizeof...(i)>::type part{};
  int at = 0;
  ((tune_cl_data(part)[at++] = tune_cl_data(v)[i]), ...);
  return part;
}
template<class V, int... i> struct tune_cl_part {
  typedef typename tune_cl_vector<typename tune_cl_traits<V>::T, sizeof...(i)>::type P;
  V& v;
  __device__ P value() const { return tune_cl_take(v, tune_cl_list<i...>()); }
  __device__ P put(P part) {
    int at = 0;
    ((tune_cl_data(v)[i] = tune_cl_data(part)[at++]), ...);
    return part;
  }
  template<class A> __device__ P operator=(A a) { return put(tune_cl_make<P>(a)); }
  template<class A> __device__ P operator+=(A a) { return put(value() + a); }
  template<class A> __device__ P operator-=(A a) { return put(value() - a); }
  template<class A> __device__ P operator*=(A a) { return put(value() * a); }
  template<class A> __device__ P operator/=(A a) { return put(value() / a); }
};
template<int... i, class V> TUNE_CL auto tune_cl_get(const V& v) { return tune_cl_take(v, tune_cl_list<i...>()); }
template<int... i, class V> TUNE_CL tune_cl_part<V, i...> tune_cl_set(V& v) { return {v}; }
template<int n, int first, int step> struct tune_cl_run;
template<int first, int step> struct tune_cl_run<1, first, step> { typedef tune_cl_list<first> list; };
template<int first, int step> struct tune_cl_run<2, first, step> { typedef tune_cl_list<first, first + step> list; };
template<int first, int step> struct tune_cl_run<4, first, step> {
  typedef tune_cl_list<first, first + step, first + 2 * step, first + 3 * step> list;
};
template<int first, int step> struct tune_cl_run<8, first, step> {
  typedef tune_cl_list<first, first + step, first + 2 * step, first + 3 * step, first + 4 * step, first + 5 * step,
                       first + 6 * step, first + 7 * step> list;
};
template<class V, int... i> TUNE_CL tune_cl_part<V, i...> tune_cl_part_of(V& v, tune_cl_list<i...>) { return {v}; }
#define TUNE_CL_HALF(name, first, step) \
  template<class V> TUNE_CL auto tune_cl_get_##name(const V& v) { \
    constexpr int half = tune_cl_traits<V>::n / 2; \
    return tune_cl_take(v, typename tune_cl_run<half, first, step>::list()); \
  } \
  template<class V> TUNE_CL auto tune_cl_set_##name(V& v) { \
    constexpr int half = tune_cl_traits<V>::n / 2; \
    return tune_cl_part_of(v, typename tune_cl_run<half, first, step>::list()); \
  }
TUNE_CL_HALF(lo, 0, 1)
TUNE_CL_HALF(hi, half, 1)
TUNE_CL_HALF(even, 0, 2)
TUNE_CL_HALF(odd, 1, 2)

template<class V, class A> TUNE_CL V tune_cl_convert(A a) {
  static_assert(tune_cl_traits<V>::n == tune_cl_traits<A>::n, "a conversion keeps the number of elements");
  return tune_cl_make<V>(a);
}
template<class T, class A> TUNE_CL T tune_cl_fit(A a) {
  constexpr bool is_signed = T(-1) < T(0);
  constexpr int bits = 8 * sizeof(T) - (is_signed ? 1 : 0);
  const double most = double(T(~T(0)) < T(0) ? T((1ull << (bits - 1)) - 1 + (1ull << (bits - 1))) : T(~T(0)));
  const double x = double(a), least = is_signed ? -most - 1 : 0;
  return x >= most ? T(most) : x <= least ? T(least) : T(a);
}
template<class V, class A> TUNE_CL V tune_cl_convert_sat(A a) {
  V v{};
  for (int i = 0; i < tune_cl_traits<V>::n; ++i)
    tune_cl_data(v)[i] = tune_cl_fit<typename tune_cl_traits<V>::T>(tune_cl_data(a)[i]);
  return v;
}
template<class V, class A> TUNE_CL V tune_cl_as(A a) {
  static_assert(sizeof(V) == sizeof(A), "as_... keeps the number of bytes");
  return *reinterpret_cast<const V*>(&a);
}
)cuda";

}  // namespace tune::described
