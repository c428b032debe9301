// SPDX-License-Identifier: Apache-2.0
#include "tuner/core/content_hash.hpp"

#include <xxhash.h>

#include "tuner/core/format.hpp"

namespace tune {

std::string content_hash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_hash(std::string_view text) {
  return content_hash(std::as_bytes(std::span(text)));
}

}  // namespace tune
