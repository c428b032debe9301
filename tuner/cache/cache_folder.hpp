// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace tune::cache {

/// The names of entries end so.
inline constexpr std::string_view entry_suffix = ".entry";

/// Writes an entry by replace_file. Makes the folder where it is missing.
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
