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

}  // namespace tune
