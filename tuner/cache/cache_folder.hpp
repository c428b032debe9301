// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace tune::cache {

/// How the names of files begin that write_file has not finished.
inline constexpr std::string_view unfinished_prefix = "unfinished-";

/// Writes a whole file in one step: whoever reads `path`, in this process or another one, sees all of it, or
/// what was there before. Makes the folder where it is missing. Leaves nothing behind where it fails. Not
/// synced: what a crash of the machine cuts short is for the reader to notice.
std::error_code write_file(const std::filesystem::path& path, std::string_view bytes);

/// How the names of entries end.
inline constexpr std::string_view entry_suffix = ".entry";

/// What a file of so many bytes takes on the disk: whole blocks of 4 KiB.
constexpr std::uint64_t disk_bytes(std::uint64_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

/// Keeps a folder that several processes fill below a size. What they wrote is summed in a file of the
/// folder, which is also the lock: only when the sum passes the limit is the folder looked through, and the
/// entries used longest ago (by their time of modification) go, until a tenth of the limit is free. Safe for
/// several threads.
class SizeLimit {
 public:
  /// `limit` in bytes.
  SizeLimit(std::filesystem::path folder, std::uint64_t limit);
  SizeLimit(const SizeLimit&) = delete;
  SizeLimit& operator=(const SizeLimit&) = delete;
  /// Adds what is left to the sum.
  ~SizeLimit();

  /// An entry of so many bytes was written. Every now and then settles.
  void wrote(std::uint64_t bytes);
  /// Adds to the sum what this object has seen; evicts where it is too much. False where another thread or
  /// process is at it: what was seen stays for the next time.
  bool settle();

 private:
  std::uint64_t evict() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
  std::atomic<std::uint64_t> pending_{0};  ///< bytes written and not in the sum
};

}  // namespace tune::cache
