// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#endif

namespace tune::emulator {

/// Makes the address sanitizer forget the frames of stacks that were in this memory. Does nothing without it.
inline void unpoison([[maybe_unused]] const void* begin, [[maybe_unused]] std::size_t bytes) {
#ifdef ASAN_UNPOISON_MEMORY_REGION
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
#endif
}

}  // namespace tune::emulator
