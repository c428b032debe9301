// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tuner/backends/binary.hpp"

namespace tune::cache {

/// Part of every key: raise it when an entry's layout changes, or what a compiler derives for a Binary (the
/// figures that it reads out of a log, say). Older entries are then never found and go when room is needed.
inline constexpr int format_version = 2;

/// The bytes of an entry's file: a mark, a checksum of the rest, and the key with what a compile gave, in
/// CBOR.
std::string to_entry(std::string_view key, const Result<Binary>& result);

/// What to_entry wrote. Nothing where the bytes are damaged, incomplete, of another kind or of another key.
std::optional<Result<Binary>> from_entry(std::string_view key, std::string_view bytes);

}  // namespace tune::cache
