// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/backends/binary.hpp"
#include "tuner/cache/cache_folder.hpp"

namespace tune::cache {

/// A part of every key. Raise it when the layout of entries changes, the figures that a compiler derives
/// for a Binary, or what it makes of a request: older entries are then never found and are evicted when room
/// is needed.
inline constexpr int format_version = 4;

/// Returns the bytes of an entry's file: a mark, a checksum of the rest, and in CBOR the key and the result
/// of a compile.
std::string to_entry(std::string_view key, const Result<Binary>& result);

/// Reads the bytes of to_entry. Nothing where they are damaged, incomplete, of another kind or of another
/// key.
std::optional<Result<Binary>> from_entry(std::string_view key, std::string_view bytes);

/// A folder on disk that keeps the results of compiles, one file each. Safe for several threads, processes,
/// and machines that share the folder: files appear whole and are verified when read; a damaged or foreign
/// file counts as missing. Where the folder cannot be written, or where others than this user and root may
/// write to it, the program goes on without the cache and `notice()` has the reason.
class BinaryCache {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{2} << 30;

  /// The first entry makes the folder; an empty path is a cache that keeps nothing. Beyond `limit` bytes the
  /// entries used longest ago are evicted.
  explicit BinaryCache(std::filesystem::path folder, std::uint64_t limit = default_limit);

  /// Returns the binary or failure kept under the key, with the compile's own time. `key`: letters and
  /// digits.
  std::optional<Result<Binary>> find(const std::string& key);
  /// Replaces what is there.
  void keep(const std::string& key, const Result<Binary>& result);

  const std::filesystem::path& folder() const { return folder_; }
  /// Returns one line for the user on why nothing is kept; empty where all is well.
  std::string notice() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void give_up(std::string reason);

  std::filesystem::path folder_;
  std::uint64_t limit_;
  SizeLimit size_;
  bool readable_ = true;
  std::atomic<bool> writable_{true};
  mutable std::mutex mutex_;
  std::string notice_;
};

}  // namespace tune::cache
