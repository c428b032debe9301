// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together.
#pragma once

#include "memory.cuh"

TUNE_UNCHECKED inline unsigned long long tune_warp(tune_emulator::WarpOperation operation, unsigned mask,
                                                   unsigned long long value, int operand, int width,
                                                   const char* file, int line) {
  const tune_emulator::WarpRequest request{operation, mask, value, operand, width, {file, line, nullptr}};
  return tune_host->warp(tune_host->context, &request);
}

// C += A B by a whole warp: see MatrixFragments. The low 13 bits of tf32 operands do not count.
inline void tune_matrix_product(tune_emulator::MatrixType type, int inner, const void* a, const void* b,
                                void* c, TUNE_PLACE) {
  const tune_emulator::MatrixFragments fragments{type, inner, a, b, c};
  // Type and extent are compared as well: lanes whose products differ are at different operations.
  tune_warp(tune_emulator::WarpOperation::matrix_product, 0xffffffffu,
            reinterpret_cast<unsigned long long>(&fragments), inner, static_cast<int>(type), tune_file,
            tune_line);
}

// Products of a warpgroup: see WarpgroupFragments. They are carried out when they are waited for, as late as
// a device may do it, but for A, which is copied.
inline void tune_start_warpgroup_product(int columns, const float* a, unsigned long long descriptor, float* c,
                                         bool add, TUNE_PLACE) {
  const tune_emulator::WarpgroupFragments fragments{columns, add, a, c, descriptor};
  tune_warp(tune_emulator::WarpOperation::warpgroup_start, 0xffffffffu,
            reinterpret_cast<unsigned long long>(&fragments), columns, add, tune_file, tune_line);
}
inline void tune_commit_warpgroup_products(TUNE_PLACE) {
  tune_warp(tune_emulator::WarpOperation::warpgroup_commit, 0xffffffffu, 0, 0, 0, tune_file, tune_line);
}
inline void tune_wait_warpgroup_products(int pending, TUNE_PLACE) {
  tune_warp(tune_emulator::WarpOperation::warpgroup_wait, 0xffffffffu, 0, pending, 0, tune_file, tune_line);
}

inline void __syncwarp(unsigned mask = 0xffffffffu, TUNE_PLACE) {
  tune_warp(tune_emulator::WarpOperation::sync, mask, 0, 0, 32, tune_file, tune_line);
}
// As many lanes as can come here together.
inline unsigned __activemask(TUNE_PLACE) {
  return static_cast<unsigned>(
      tune_warp(tune_emulator::WarpOperation::active_lanes, 0xffffffffu, 0, 0, 32, tune_file, tune_line));
}

#define TUNE_SHUFFLE(name, operation)                                                                   \
  template<class T>                                                                                     \
  inline T name(unsigned mask, T value, int operand, int width = 32, TUNE_PLACE) {                      \
    return tune_from_bits<T>(tune_warp(tune_emulator::WarpOperation::operation, mask, tune_bits(value), \
                                       operand, width, tune_file, tune_line));                          \
  }
TUNE_SHUFFLE(__shfl_sync, shuffle_from)
TUNE_SHUFFLE(__shfl_up_sync, shuffle_up)
TUNE_SHUFFLE(__shfl_down_sync, shuffle_down)
TUNE_SHUFFLE(__shfl_xor_sync, shuffle_butterfly)
#undef TUNE_SHUFFLE

#define TUNE_VOTE(name, type, operation)                                                                     \
  inline type name(unsigned mask, int predicate, TUNE_PLACE) {                                               \
    return static_cast<type>(tune_warp(tune_emulator::WarpOperation::operation, mask, predicate != 0, 0, 32, \
                                       tune_file, tune_line));                                               \
  }
TUNE_VOTE(__ballot_sync, unsigned, ballot)
TUNE_VOTE(__all_sync, int, all_of)
TUNE_VOTE(__any_sync, int, any_of)
#undef TUNE_VOTE

template<class T>
inline unsigned __match_any_sync(unsigned mask, T value, TUNE_PLACE) {
  return static_cast<unsigned>(tune_warp(tune_emulator::WarpOperation::match_any, mask, tune_bits(value), 0,
                                         32, tune_file, tune_line));
}
template<class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, TUNE_PLACE) {
  const unsigned found = static_cast<unsigned>(tune_warp(tune_emulator::WarpOperation::match_all, mask,
                                                         tune_bits(value), 0, 32, tune_file, tune_line));
  *all = found != 0;
  return found;
}

#define TUNE_REDUCE(name, T, operation)                                                                    \
  inline T name(unsigned mask, T value, TUNE_PLACE) {                                                      \
    return tune_from_bits<T>(tune_warp(tune_emulator::WarpOperation::operation, mask, tune_bits(value), 0, \
                                       32, tune_file, tune_line));                                         \
  }
TUNE_REDUCE(__reduce_add_sync, int, reduce_add)
TUNE_REDUCE(__reduce_min_sync, int, reduce_min_signed)
TUNE_REDUCE(__reduce_max_sync, int, reduce_max_signed)
TUNE_REDUCE(__reduce_add_sync, unsigned, reduce_add)
TUNE_REDUCE(__reduce_min_sync, unsigned, reduce_min_unsigned)
TUNE_REDUCE(__reduce_max_sync, unsigned, reduce_max_unsigned)
TUNE_REDUCE(__reduce_and_sync, unsigned, reduce_and)
TUNE_REDUCE(__reduce_or_sync, unsigned, reduce_or)
TUNE_REDUCE(__reduce_xor_sync, unsigned, reduce_xor)
#undef TUNE_REDUCE
