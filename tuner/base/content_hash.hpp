// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tune {

/// Returns 128 bits of XXH3 as 32 hexadecimal digits. They tell contents apart; they do not resist an
/// attacker.
std::string content_hash(std::span<const std::byte> bytes);
std::string content_hash(std::string_view text);

/// The same bits in two numbers, where many are kept.
using ContentDigest = std::array<std::uint64_t, 2>;
ContentDigest content_digest(std::string_view text);

/// Hashes up to 256 KiB whole, and of more bytes 512 pieces of 64 bytes spread over them, because reading a
/// gigabyte takes as long as sending it. It notices contents made with another seed, but perhaps not a few
/// elements changed in place in a large tensor.
std::string sampled_hash(std::span<const std::byte> bytes);

}  // namespace tune
