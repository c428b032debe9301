// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/cache_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_prefix = "unfinished-";

/// No two writers may take the same name: threads have a number, processes an id, machines that share the
/// folder a random part.
std::string unfinished_name() {
  static std::atomic<std::uint64_t> number{0};
  static const std::uint64_t machine = (std::uint64_t{std::random_device()()} << 32) + std::random_device()();
  return format("{}{:016x}-{}-{}", unfinished_prefix, machine, getpid(), ++number);
}

/// The file with the sum, locked by one thread of one process at a time.
class LockedSum {
 public:
  explicit LockedSum(const fs::path& file)
      : file_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644)) {
    locked_ = file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
    busy_ = file_ >= 0 && !locked_ && errno == EWOULDBLOCK;
  }
  LockedSum(const LockedSum&) = delete;
  LockedSum& operator=(const LockedSum&) = delete;
  ~LockedSum() {
    // Unlocks explicitly: a child of this process may also have the file open.
    if (locked_) flock(file_, LOCK_UN);
    if (file_ >= 0) close(file_);
  }

  bool locked() const { return locked_; }
  bool busy() const { return busy_; }

  /// Returns nothing for a new or damaged file.
  std::optional<std::uint64_t> read() const {
    std::array<char, 32> text{};
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    if (size <= 0) return std::nullopt;
    std::uint64_t sum = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + size, sum);
    if (error != std::errc{} || end == text.data() + size || *end != '\n') return std::nullopt;
    return sum;
  }

  void write(std::uint64_t sum) const {
    const std::string text = std::to_string(sum) + '\n';
    const auto size = static_cast<ssize_t>(text.size());
    // A partly written number must not be read as a number.
    if (ftruncate(file_, 0) != 0 || pwrite(file_, text.data(), text.size(), 0) != size)
      static_cast<void>(ftruncate(file_, 0) == 0);
  }

 private:
  int file_;
  bool locked_ = false;
  bool busy_ = false;
};

bool is_trusted_owner(const struct stat& info) {
  return info.st_uid == geteuid() || info.st_uid == 0;
}

/// A group with the number of its owner is that user's own: many systems give each user one.
bool others_may_write(const struct stat& info) {
  const bool own_group = info.st_gid == info.st_uid;
  return (info.st_mode & S_IWOTH) != 0 || ((info.st_mode & S_IWGRP) != 0 && !own_group);
}

struct CachedFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

/// Writing a file takes milliseconds; older unfinished files are those of killed processes.
bool is_abandoned(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(1);
}

/// Lists the entries and removes abandoned files.
std::vector<CachedFile> entries_of(const fs::path& folder) {
  std::vector<CachedFile> entries;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code gone;  // others may remove what is listed
    if (name.starts_with(unfinished_prefix) && is_abandoned(at->path())) fs::remove(at->path(), gone);
    if (!name.ends_with(entry_suffix)) continue;
    const std::uint64_t bytes = at->file_size(gone);
    if (gone) continue;
    const auto used = at->last_write_time(gone);
    if (!gone) entries.push_back({at->path(), disk_bytes(bytes), used});
  }
  return entries;
}

}  // namespace

std::string distrust(const fs::path& folder) {
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0) return {};
  if (!is_trusted_owner(info)) return "it belongs to another user";
  if (others_may_write(info)) return "others may write to it: chmod go-w makes it usable";
  return {};
}

std::optional<std::string> read_entry(const fs::path& path) {
  // Does not wait for a pipe's other end, and does not follow a link to whatever it names.
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (!is_trusted_owner(info) || others_may_write(info)) return std::nullopt;
  if (static_cast<std::uint64_t>(info.st_size) > max_entry_bytes) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    have += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::error_code write_entry(const fs::path& path, std::string_view bytes) {
  const fs::path unfinished = path.parent_path() / unfinished_name();
  const auto write = [&] {
    std::error_code error = write_bytes(unfinished, bytes);
    // Whatever the umask is.
    if (!error) fs::permissions(unfinished, fs::perms(0644), error);
    if (!error) fs::rename(unfinished, path, error);
    std::error_code ignored;
    if (error) fs::remove(unfinished, ignored);
    return error;
  };
  std::error_code error = write();
  if (error != std::errc::no_such_file_or_directory) return error;
  if (fs::create_directories(path.parent_path(), error))
    fs::permissions(path.parent_path(), fs::perms(0755), error);
  return error ? error : write();
}

SizeLimit::SizeLimit(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) {}

SizeLimit::~SizeLimit() {
  try {
    // Waits a moment for other processes that end now, but not for one that hangs.
    for (int turn = 0; turn < 50 && !settle(); ++turn)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } catch (...) {  // no memory left: another process will read the folder
  }
}

void SizeLimit::wrote(std::uint64_t bytes) {
  constexpr std::uint64_t often =
      4 << 20;  // a process that is killed leaves no more than this out of the sum
  if ((pending_ += disk_bytes(bytes)) >= std::min(often, limit_ / 16)) settle();
}

bool SizeLimit::settle() {
  if (pending_ == 0) return true;
  const LockedSum sum(folder_ / "size");
  if (!sum.locked()) return !sum.busy();
  const std::uint64_t added = pending_.exchange(0);
  const std::optional<std::uint64_t> before = sum.read();
  std::uint64_t now = before.value_or(0) + added;
  if (!before || now > limit_) now = evict();
  sum.write(now);
  return true;
}

std::uint64_t SizeLimit::evict() const {
  std::vector<CachedFile> entries = entries_of(folder_);
  std::uint64_t total = 0;
  for (const CachedFile& entry : entries) total += entry.bytes;
  if (total <= limit_) return total;
  std::ranges::sort(entries, {}, &CachedFile::used);
  for (const CachedFile& entry : entries) {
    if (total <= limit_ - limit_ / 10) break;
    std::error_code error;
    fs::remove(entry.path, error);
    if (!error) total -= entry.bytes;
  }
  return total;
}

}  // namespace tune::cache
