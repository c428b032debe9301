// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/content_hash.hpp"

#include <xxhash.h>

#include <vector>

#include "tuner/base/format.hpp"

namespace tune {

std::string content_hash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string content_hash(std::string_view text) {
  return content_hash(std::as_bytes(std::span(text)));
}

ContentDigest content_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.high64, hash.low64};
}

std::string sampled_hash(std::span<const std::byte> bytes) {
  constexpr std::size_t small = std::size_t{1} << 18;
  constexpr std::size_t pieces = 512;
  constexpr std::size_t piece = 64;
  if (bytes.size() <= small) return content_hash(bytes);
  std::vector<std::byte> sample;
  sample.reserve(pieces * piece);
  const std::size_t last = bytes.size() - piece;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto part = bytes.subspan(last / (pieces - 1) * i + last % (pieces - 1) * i / (pieces - 1), piece);
    sample.insert(sample.end(), part.begin(), part.end());
  }
  return content_hash(std::span<const std::byte>(sample));
}

}  // namespace tune
