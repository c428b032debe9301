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

/// Part of every key: raise it when an entry's layout changes, or what a compiler derives for a Binary (the
/// figures that it reads out of a log, say). Older entries are then never found and go when room is needed.
inline constexpr int format_version = 2;

/// The bytes of an entry's file: a mark, a checksum of the rest, and the key with what a compile gave, in
/// CBOR.
std::string to_entry(std::string_view key, const Result<Binary>& result);

/// What to_entry wrote. Nothing where the bytes are damaged, incomplete, of another kind or of another key.
std::optional<Result<Binary>> from_entry(std::string_view key, std::string_view bytes);

/// A folder on disk that keeps what compiles gave, one file each. Safe for several threads, processes, and
/// machines that share the folder: files appear whole, are verified when read, and a file that is damaged or
/// belongs elsewhere counts as missing. It never fails: where the folder cannot be written, the program goes
/// on without, and `notice()` says so.
class BinaryCache {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{2} << 30;

  /// The folder is made when the first entry is written; an empty path is a cache that keeps nothing.
  /// `limit` in bytes, beyond which the entries used longest ago go.
  explicit BinaryCache(std::filesystem::path folder, std::uint64_t limit = default_limit);

  /// What was kept under the key, a binary or a failure, with the compile's own time. `key`: letters and
  /// digits.
  std::optional<Result<Binary>> find(const std::string& key);
  /// Replaces what is there.
  void keep(const std::string& key, const Result<Binary>& result);

  const std::filesystem::path& folder() const { return folder_; }
  /// One line for people on why nothing is kept; empty as long as all is well.
  std::string notice() const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void give_up(std::string reason);

  std::filesystem::path folder_;
  std::uint64_t limit_;
  SizeLimit size_;
  std::atomic<bool> writable_{true};
  mutable std::mutex mutex_;
  std::string notice_;
};

}  // namespace tune::cache
