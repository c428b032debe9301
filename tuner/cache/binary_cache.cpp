// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/binary_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "tuner/base/format.hpp"
#include "tuner/cache/binary_archive.hpp"
#include "tuner/cache/write_file.hpp"

namespace tune::cache {

BinaryCache::BinaryCache(std::filesystem::path folder, std::uint64_t limit)
    : folder_(std::move(folder)), limit_(limit), size_(folder_, limit) {
  if (folder_.empty())
    give_up("no place for the cache of device binaries: neither HOME nor TUNE_CACHE_DIR is set");
}

std::filesystem::path BinaryCache::file_of(const std::string& key) const {
  return folder_ / (key + std::string(entry_suffix));
}

std::optional<Result<Binary>> BinaryCache::find(const std::string& key) {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path path = file_of(key);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  auto result = from_entry(key, bytes);
  if (result) {
    // Used now. The time of access would say so too, where the file system keeps it: few do.
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  } else {
    unlink(path.c_str());
  }
  return result;
}

void BinaryCache::keep(const std::string& key, const Result<Binary>& result) {
  if (!writable_) return;
  const std::string entry = to_entry(key, result);
  if (disk_bytes(entry.size()) > limit_) return;
  if (const std::error_code error = write_file(file_of(key), entry))
    give_up(format("compiling without the cache of device binaries: {} cannot be written ({})",
                   folder_.string(), error.message()));
  else
    size_.wrote(entry.size());
}

void BinaryCache::give_up(std::string reason) {
  writable_ = false;
  const std::scoped_lock lock(mutex_);
  if (notice_.empty()) notice_ = std::move(reason);
}

std::string BinaryCache::notice() const {
  const std::scoped_lock lock(mutex_);
  return notice_;
}

}  // namespace tune::cache
