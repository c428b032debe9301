// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints (hints have no meaning here), address spaces, asynchronous copies.
#pragma once

#include "language.cuh"

#define TUNE_LOAD(name) \
  template<class T>     \
  TUNE_FUNCTION(T name(const T* address), *address)
TUNE_LOAD(__ldg)
TUNE_LOAD(__ldca)
TUNE_LOAD(__ldcg)
TUNE_LOAD(__ldcs)
TUNE_LOAD(__ldlu)
TUNE_LOAD(__ldcv)
#undef TUNE_LOAD
#define TUNE_STORE(name)                  \
  template<class T>                       \
  inline void name(T* address, T value) { \
    *address = value;                     \
  }
TUNE_STORE(__stwb)
TUNE_STORE(__stcg)
TUNE_STORE(__stcs)
TUNE_STORE(__stwt)
#undef TUNE_STORE

// Byte by byte, so that each is checked; a function of this name would be the compiler's own.
inline void* tune_memcpy(void* to, const void* from, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
inline void* tune_memmove(void* to, const void* from, size_t bytes) {
  if (to <= from) return tune_memcpy(to, from, bytes);
  for (size_t i = bytes; i-- > 0;) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
inline void* tune_memset(void* to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) static_cast<char*>(to)[i] = static_cast<char>(value);
  return to;
}
namespace std {
using ::tune_memcpy, ::tune_memmove, ::tune_memset;
}
#define memcpy tune_memcpy
#define memmove tune_memmove
#define memset tune_memset

TUNE_FUNCTION(size_t __cvta_generic_to_shared(const void* address), reinterpret_cast<size_t>(address))
// Of dynamic shared memory, which begins at a multiple of 1024 on a device, too, if its array asks for that.
inline unsigned tune_shared_address(const void* address) {
  return static_cast<unsigned>(static_cast<const char*>(address) - tune_dynamic_shared) +
         tune_emulator::shared_address;
}
TUNE_FUNCTION(size_t __cvta_generic_to_global(const void* address), reinterpret_cast<size_t>(address))

// Copies that arrive when the thread waits for them, and not before: what reads their targets earlier is
// found.
TUNE_UNCHECKED inline void tune_copy_async(void* to, const void* from, unsigned bytes, unsigned filled = 0,
                                           TUNE_PLACE) {
  const tune_emulator::Place place{tune_file, tune_line, nullptr};
  tune_host->copy_async(tune_host->context, to, from, bytes, filled, &place);
}
TUNE_UNCHECKED inline void tune_commit_async() {
  tune_host->commit_async(tune_host->context);
}
// Until at most `pending` of the thread's newest groups are still on their way.
TUNE_UNCHECKED inline void tune_wait_async(int pending) {
  tune_host->wait_async(tune_host->context, pending);
}

inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zero_fill = 0,
                                    TUNE_PLACE) {
  tune_copy_async(to, from, static_cast<unsigned>(bytes), static_cast<unsigned>(zero_fill), tune_file,
                  tune_line);
}
inline void __pipeline_commit() {
  tune_commit_async();
}
inline void __pipeline_wait_prior(int pending) {
  tune_wait_async(pending);
}

// Memory as bits, for values that travel between lanes.
template<class T>
inline unsigned long long tune_bits(T value) {
  static_assert(sizeof(T) <= 8, "at most 8 bytes travel between lanes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template<class T>
inline T tune_from_bits(unsigned long long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}
