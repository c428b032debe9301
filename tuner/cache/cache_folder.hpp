// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tune::cache {

/// The names of entries end so.
inline constexpr std::string_view entry_suffix = ".entry";

/// No binary is larger, so no larger file is an entry.
inline constexpr std::uint64_t max_entry_bytes = std::uint64_t{128} << 20;

/// Returns why binaries of a folder cannot be trusted, in a few words: others than this user and root own it
/// or may write to it. Empty for a folder that can be trusted, and for one that does not exist.
std::string distrust(const std::filesystem::path& folder);

/// Returns the bytes of an entry. Nothing where there is none, or where it is no regular file, too large, or
/// others than this user and root own it or may write to it.
std::optional<std::string> read_entry(const std::filesystem::path& path);

/// Writes an entry as a whole, in place of whatever has its name, but for a folder. Makes the folder where it
/// is missing; others may not write to either.
std::error_code write_entry(const std::filesystem::path& path, std::string_view bytes);

/// Returns what a file of so many bytes takes on the disk: whole blocks of 4 KiB.
constexpr std::uint64_t disk_bytes(std::uint64_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

/// Keeps a folder that several processes fill below a size. A file of the folder, which is also the lock,
/// holds the sum of what they wrote. Only when the sum passes the limit is the folder read; the entries used
/// longest ago (by their time of modification) are then removed, until a tenth of the limit is free. Safe
/// for several threads.
class SizeLimit {
 public:
  /// `limit` in bytes.
  SizeLimit(std::filesystem::path folder, std::uint64_t limit);
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  /// Settles.
  ~SizeLimit();

  /// Counts an entry of so many bytes that was written; settles every few MiB.
  void wrote(std::uint64_t bytes);
  /// Adds what was counted to the sum and evicts where that is too much. False where another thread or
  /// process holds the lock: the count then stays for the next time.
  bool settle();

 private:
  std::uint64_t evict() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> pending_{0};  ///< bytes written and not in the sum
};

}  // namespace tune::cache
