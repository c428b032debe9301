// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tune::testing {

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

}  // namespace tune::testing
