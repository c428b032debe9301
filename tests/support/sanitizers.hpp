// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tune::testing {

/// The thread sanitizer's own notes count as memory of the process.
#if defined(__SANITIZE_THREAD__)
constexpr bool has_thread_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr bool has_thread_sanitizer = true;
#else
constexpr bool has_thread_sanitizer = false;
#endif
#else
constexpr bool has_thread_sanitizer = false;
#endif

/// The address sanitizer reserves terabytes of addresses: a process with it cannot be limited in them.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool has_address_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool has_address_sanitizer = true;
#else
constexpr bool has_address_sanitizer = false;
#endif
#else
constexpr bool has_address_sanitizer = false;
#endif

/// Both also keep freed memory for a while, so that a process is larger than what it uses.
constexpr bool sanitizer_keeps_memory = has_address_sanitizer || has_thread_sanitizer;

}  // namespace tune::testing
