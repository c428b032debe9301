// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tune {

/// 128 bits of XXH3 as 32 hexadecimal digits: tells contents apart, is no protection against an attacker.
std::string content_hash(std::span<const std::byte> bytes);
std::string content_hash(std::string_view text);

/// The same of all bytes where they are at most 256 KiB, else of 512 pieces of 64 bytes spread over them,
/// because reading a gigabyte takes as long as sending it. Other contents made by another seed are noticed; a
/// few elements changed in place in a large tensor need not be.
std::string sampled_hash(std::span<const std::byte> bytes);

}  // namespace tune
