// SPDX-License-Identifier: Apache-2.0
// CUDA's language for a host compiler: keywords, indices, vector types. Everything that needs another thread
// or a check goes through the program's table.
#pragma once

#include <limits.h>

#include "host_table.cuh"

#define TUNE_EMULATOR 1  // kernels choose their host twins of PTX by it
#define __CUDACC__ 1

#define __global__
#define __device__
#define __host__
// Written by the program, which the compiler does not see.
#define __constant__ __attribute__((__used__))
// constinit: arrays of classes whose constructor is defaulted would get a guard variable, which threads race
// on; as on a device, nothing is initialised at run time. used: what nobody writes would be taken for zero.
#define __shared__ static constinit __attribute__((__used__))
// Follows every shared variable, so that what runs over does not land in the next one.
#define TUNE_JOIN_NAMES(a, b) a##b
#define TUNE_JOIN(a, b) TUNE_JOIN_NAMES(a, b)
#define TUNE_SHARED_GAP static constinit __attribute__((__used__)) char TUNE_JOIN(tune_gap_, __COUNTER__)[64];
#define __managed__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
// Read by the table of entries (module.cuh).
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((__aligned__(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
// PTX has no meaning here: a helper that holds it needs a host twin under #ifdef TUNE_EMULATOR.
#define asm tune_inline_ptx_without_host_twin
// A function of one expression.
#define TUNE_FUNCTION(declaration, ...) \
  inline declaration {                  \
    return __VA_ARGS__;                 \
  }
#define TUNE_UNCHECKED __attribute__((no_sanitize("thread"), noinline))
#define TUNE_PLACE const char *tune_file = __builtin_FILE(), int tune_line = __builtin_LINE()

typedef unsigned long size_t;
// What CUDA's own header includes of the C library.
#ifndef NULL
#define NULL __null
#endif
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_inf()
#define HUGE_VALF __builtin_inff()
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_E 2.7182818284590452354
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_LN2 0.69314718055994530942
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef unsigned long uintptr_t;
typedef long ptrdiff_t;
typedef unsigned long long cudaTextureObject_t;
// Structs that kernels are passed may have members of the runtime's types.
typedef int cudaError_t;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
namespace std {
using ::size_t, ::ptrdiff_t, ::uintptr_t, ::int8_t, ::int16_t, ::int32_t, ::int64_t, ::uint8_t, ::uint16_t,
    ::uint32_t, ::uint64_t;
}

// The heap of a device is not emulated: what the host's returned would lie in no array.
void* operator new(size_t)
    __attribute__((error("tune_cannot_emulate: the emulator has no new in kernels, but in a given place")));
void* operator new[](size_t)
    __attribute__((error("tune_cannot_emulate: the emulator has no new in kernels, but in a given place")));
inline void* operator new(size_t, void* place) noexcept {
  return place;
}
inline void* operator new[](size_t, void* place) noexcept {
  return place;
}

// A clock that goes on with each question, the same in every emulation.
TUNE_UNCHECKED inline long long clock64() {
  static long long ticks = 0;
  return ticks += 32;
}
inline int clock() {
  return static_cast<int>(clock64());
}

#define TUNE_VECTOR(T, name, alignment2, alignment4)     \
  struct name##1 {                                       \
    T x;                                                 \
  };                                                     \
  struct __attribute__((aligned(alignment2))) name##2 {  \
    T x, y;                                              \
  };                                                     \
  struct name##3 {                                       \
    T x, y, z;                                           \
  };                                                     \
  struct __attribute__((aligned(alignment4))) name##4 {  \
    T x, y, z, w;                                        \
  };                                                     \
  constexpr name##1 make_##name##1(T x) {                \
    return {x};                                          \
  }                                                      \
  constexpr name##2 make_##name##2(T x, T y) {           \
    return {x, y};                                       \
  }                                                      \
  constexpr name##3 make_##name##3(T x, T y, T z) {      \
    return {x, y, z};                                    \
  }                                                      \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { \
    return {x, y, z, w};                                 \
  }
TUNE_VECTOR(signed char, char, 2, 4)
TUNE_VECTOR(unsigned char, uchar, 2, 4)
TUNE_VECTOR(short, short, 4, 8)
TUNE_VECTOR(unsigned short, ushort, 4, 8)
TUNE_VECTOR(int, int, 8, 16)
TUNE_VECTOR(unsigned int, uint, 8, 16)
TUNE_VECTOR(long, long, 16, 16)
TUNE_VECTOR(unsigned long, ulong, 16, 16)
TUNE_VECTOR(long long, longlong, 16, 16)
TUNE_VECTOR(unsigned long long, ulonglong, 16, 16)
TUNE_VECTOR(float, float, 8, 16)
TUNE_VECTOR(double, double, 16, 16)
#undef TUNE_VECTOR

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(const uint3& of) : x(of.x), y(of.y), z(of.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// `const`, because a thread never sees them change; defined in module.cuh where the compiler does not see it,
// for it would take them for zero.
struct tune_indices_t {
  uint3 thread, block, block_extent, grid_extent, cluster_extent;
};
extern "C" __attribute__((visibility("hidden"))) const tune_indices_t tune_indices;
extern "C" __attribute__((visibility("hidden"))) char tune_dynamic_shared[];
extern "C" __attribute__((visibility("hidden"))) tune_emulator::HostTable* tune_host;

#define threadIdx tune_indices.thread
#define blockIdx tune_indices.block
#define blockDim tune_indices.block_extent
#define gridDim tune_indices.grid_extent
constexpr int warpSize = 32;

// ---- barriers of a block ----

// As g++ wants it, which alone tells the column.
namespace std {
struct source_location {
  struct __impl {
    const char* _M_file_name;
    const char* _M_function_name;
    unsigned _M_line, _M_column;
  };
};
}  // namespace std
#define TUNE_WHERE const void* tune_where = __builtin_source_location()

// The call itself is not the kernel's access to memory: such functions are not instrumented.
TUNE_UNCHECKED inline int tune_barrier(tune_emulator::Barrier kind, int predicate, const char* file, int line,
                                       int column = 0) {
  const tune_emulator::Place place{file, line, nullptr, column};
  return tune_host->barrier(tune_host->context, kind, predicate, &place);
}
TUNE_UNCHECKED inline int tune_barrier(tune_emulator::Barrier kind, int predicate, const void* where) {
  const auto& at = *static_cast<const std::source_location::__impl*>(where);
  return tune_barrier(kind, predicate, at._M_file_name, static_cast<int>(at._M_line),
                      static_cast<int>(at._M_column));
}
inline void __syncthreads(TUNE_WHERE) {
  tune_barrier(tune_emulator::Barrier::plain, 0, tune_where);
}
inline int __syncthreads_count(int predicate, TUNE_WHERE) {
  return tune_barrier(tune_emulator::Barrier::count, predicate, tune_where);
}
inline int __syncthreads_and(int predicate, TUNE_WHERE) {
  return tune_barrier(tune_emulator::Barrier::all_of, predicate, tune_where);
}
inline int __syncthreads_or(int predicate, TUNE_WHERE) {
  return tune_barrier(tune_emulator::Barrier::any_of, predicate, tune_where);
}

// ---- the barrier of a grid: the host twin of kernels/common/grid_barrier.cuh ----

TUNE_UNCHECKED inline void tune_grid_barrier(unsigned* counter, const char* file, int line, int column = 0) {
  const tune_emulator::Place place{file, line, nullptr, column};
  tune_host->grid_barrier(tune_host->context, counter, &place);
}
TUNE_UNCHECKED inline void tune_grid_barrier(unsigned* counter, TUNE_WHERE) {
  const auto& at = *static_cast<const std::source_location::__impl*>(tune_where);
  tune_grid_barrier(counter, at._M_file_name, static_cast<int>(at._M_line), static_cast<int>(at._M_column));
}

// ---- clusters ----

TUNE_UNCHECKED inline void tune_cluster_barrier(const char* file, int line) {
  const tune_emulator::Place place{file, line, nullptr};
  tune_host->cluster_barrier(tune_host->context, &place);
}
TUNE_UNCHECKED inline void* tune_in_cluster(const void* address, unsigned rank, const char* file, int line) {
  const tune_emulator::Place place{file, line, nullptr};
  return tune_host->in_cluster(tune_host->context, const_cast<void*>(address), rank, &place);
}

TUNE_UNCHECKED inline unsigned __cluster_query_shared_rank(const void* address) {
  return tune_host->rank_in_cluster(tune_host->context, address);
}
inline void* __cluster_map_shared_rank(const void* address, unsigned rank, TUNE_PLACE) {
  return tune_in_cluster(address, rank, tune_file, tune_line);
}
// Threads meet where they wait; what they do between arriving and waiting counts as before the barrier.
inline void __cluster_barrier_arrive() {}
inline void __cluster_barrier_arrive_relaxed() {}
inline void __cluster_barrier_wait(TUNE_PLACE) {
  tune_cluster_barrier(tune_file, tune_line);
}

// ---- fences, waiting, failing ----

TUNE_UNCHECKED inline void __threadfence() {
  tune_host->fence(tune_host->context, 1);
}
TUNE_UNCHECKED inline void __threadfence_system() {
  tune_host->fence(tune_host->context, 1);
}
TUNE_UNCHECKED inline void __threadfence_block() {
  tune_host->fence(tune_host->context, 0);
}
TUNE_UNCHECKED inline void __nanosleep(unsigned) {
  tune_host->yield(tune_host->context);
}
TUNE_UNCHECKED inline void tune_fail(const char* reason, const char* file, int line) {
  const tune_emulator::Place place{file, line, nullptr};
  tune_host->fail(tune_host->context, reason, &place);
}
inline void __trap(TUNE_PLACE) {
  tune_fail("__trap", tune_file, tune_line);
}
inline void __brkpt(TUNE_PLACE) {
  tune_fail("__brkpt", tune_file, tune_line);
}
inline void __prof_trigger(int) {}
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : tune_fail("assertion failed: " #condition, __FILE__, __LINE__))
template<class... Arguments>
inline int printf(const char*, const Arguments&...) {
  return 0;  // output of kernels is dropped: thousands of checks would print it
}
