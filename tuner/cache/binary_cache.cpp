// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/binary_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/format.hpp"
#include "tuner/cache/cache_folder.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::cache {
namespace {

using process::decoded;
using process::encode;
using process::Json;

constexpr std::string_view mark = "tune binary\n";
constexpr std::size_t checksum_size = 32;

}  // namespace

std::string to_entry(std::string_view key, const Result<Binary>& result) {
  Json json = {{"key", std::string(key)}};
  if (result)
    json["binary"] = encode(*result);
  else
    json["failure"] = encode(result.error());
  std::string payload;
  Json::to_cbor(json, payload);
  return std::string(mark) + content_hash(payload) + payload;
}

std::optional<Result<Binary>> from_entry(std::string_view key, std::string_view bytes) {
  if (!bytes.starts_with(mark) || bytes.size() < mark.size() + checksum_size) return std::nullopt;
  const std::string_view checksum = bytes.substr(mark.size(), checksum_size);
  const std::string_view payload = bytes.substr(mark.size() + checksum_size);
  if (content_hash(payload) != checksum) return std::nullopt;
  try {
    const Json json = process::from_bytes(std::as_bytes(std::span(payload)));
    if (json.at("key").get<std::string>() != key) return std::nullopt;
    if (json.contains("binary")) return Result<Binary>(decoded<Binary>(json["binary"]));
    return Result<Binary>(tl::unexpected(decoded<Failure>(json.at("failure"))));
  } catch (const std::exception&) {  // an intact entry of another layout
    return std::nullopt;
  }
}

BinaryCache::BinaryCache(std::filesystem::path folder, std::uint64_t limit)
    : folder_(std::move(folder)), limit_(limit), size_(folder_, limit) {
  if (folder_.empty()) {
    readable_ = false;
    give_up("compiling without the cache of device binaries: set HOME or TUNE_CACHE_DIR to give it a folder");
  } else if (const std::string reason = distrust(folder_); !reason.empty()) {
    readable_ = false;
    give_up(format("compiling without the cache of device binaries in {}: {}", folder_.string(), reason));
  }
}

std::filesystem::path BinaryCache::file_of(const std::string& key) const {
  return folder_ / (key + std::string(entry_suffix));
}

std::optional<Result<Binary>> BinaryCache::find(const std::string& key) {
  if (!readable_) return std::nullopt;
  const std::filesystem::path path = file_of(key);
  const std::optional<std::string> bytes = read_entry(path);
  std::optional<Result<Binary>> result;
  if (bytes) result = from_entry(key, *bytes);
  if (result) {
    // Marks the entry as used now: few file systems keep the time of access.
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  } else {
    unlink(path.c_str());  // most often there is none
  }
  return result;
}

void BinaryCache::keep(const std::string& key, const Result<Binary>& result) {
  if (!writable_) return;
  const std::string entry = to_entry(key, result);
  if (disk_bytes(entry.size()) > std::min(limit_, max_entry_bytes)) return;
  if (const std::error_code error = write_entry(file_of(key), entry))
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
