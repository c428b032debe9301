// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/file.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

namespace tune {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

std::error_code write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return last_error();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

constexpr std::string_view unfinished_suffix = ".part";

/// What names of unfinished files of the target begin with; a name may have 255 bytes.
std::string unfinished_prefix(const fs::path& target) {
  return target.filename().string().substr(0, 200) + ".tune-";
}

/// Opens a file and locks it; nothing where another process has it.
FileDescriptor locked(const fs::path& path, int flags) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags, 0666));
  const int error = errno;
  if (file && flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.close();
  if (!file) errno = error;
  return file;
}

constexpr std::array suffixes = {"", "-journal", "-wal", "-shm"};  // of a database

void remove_with_journals(const fs::path& path) {
  std::error_code ignored;
  for (const char* suffix : suffixes) fs::remove(path.string() + suffix, ignored);
}

/// An unfinished file, where a handler of a signal finds it: no memory is taken or freed.
struct Listed {
  enum State { free, being_written, listed };
  std::atomic<int> state = free;
  pid_t owner = 0;
  char path[PATH_MAX] = "";
};
std::array<Listed, 16> all_listed = {};
static_assert(std::atomic<int>::is_always_lock_free);

/// Returns its place; -1 where there is none: then a signal leaves the file for the next one to remove.
int list(const std::string& path) {
  if (path.size() >= PATH_MAX) return -1;
  for (std::size_t i = 0; i < all_listed.size(); ++i) {
    int expected = Listed::free;
    if (!all_listed[i].state.compare_exchange_strong(expected, Listed::being_written)) continue;
    all_listed[i].owner = getpid();
    std::ranges::copy(path, all_listed[i].path);
    all_listed[i].path[path.size()] = '\0';
    all_listed[i].state = Listed::listed;
    return static_cast<int>(i);
  }
  return -1;
}

void unlist(int& place) {
  if (place >= 0) all_listed[static_cast<std::size_t>(place)].state = Listed::free;
  place = -1;
}

void remove_leftovers(const fs::path& folder, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.size() != prefix.size() + 6 + unfinished_suffix.size() || !name.starts_with(prefix) ||
        !name.ends_with(unfinished_suffix))
      continue;
    if (locked(at->path(), 0)) remove_with_journals(at->path());
  }
}

/// Six letters that another process is unlikely to choose.
std::string random_letters() {
  std::random_device source;
  std::string text;
  for (int i = 0; i < 6; ++i) text += static_cast<char>('a' + source() % 26);
  return text;
}

}  // namespace

UnfinishedFile::UnfinishedFile(fs::path target) : target_(std::move(target)) {
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const std::string prefix = unfinished_prefix(target_);
  remove_leftovers(folder, prefix);
  // Another process may take a new file for a leftover before it is locked: then makes another.
  for (int attempt = 0; attempt < 20; ++attempt) {
    path_ = folder / (prefix + random_letters() + std::string(unfinished_suffix));
    place_ = list(path_.string());
    lock_ = locked(path_, O_CREAT | O_EXCL);
    if (!lock_ && errno != EEXIST) break;
    std::error_code ignored;
    if (lock_ && fs::exists(path_, ignored)) return;
    unlist(place_);
    lock_.close();
  }
  error_ = last_error();
  unlist(place_);
}

UnfinishedFile::~UnfinishedFile() {
  if (lock_) remove_with_journals(path_);
  unlist(place_);
}

std::error_code UnfinishedFile::complete() {
  std::error_code error;
  fs::rename(path_, target_, error);
  if (!error) {
    lock_.close();
    unlist(place_);
  }
  return error;
}

void remove_unfinished_files() noexcept {
  for (const Listed& one : all_listed) {
    if (one.state != Listed::listed || one.owner != getpid()) continue;
    const std::size_t size = std::strlen(one.path);
    for (const char* suffix : suffixes) {
      char name[PATH_MAX + 16];
      std::memcpy(name, one.path, size);
      std::memcpy(name + size, suffix, std::strlen(suffix) + 1);
      unlink(name);
    }
  }
}

tl::expected<std::string, std::string> read_text(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return tl::unexpected(std::string("it is a folder"));
  if (fs::is_character_file(path, ignored) || fs::is_block_file(path, ignored) ||
      fs::is_socket(path, ignored))
    return tl::unexpected(std::string("it is a device or socket, not a file"));
  if (fs::is_fifo(path, ignored)) return tl::unexpected(std::string("it is a pipe, not a file"));
  std::ifstream in(path, std::ios::binary);
  if (!in) return tl::unexpected(std::string(std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return tl::unexpected(std::string("it cannot be read to its end"));
  return text.str();
}

std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

bool is_other_than_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
}

std::error_code write_bytes(const fs::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return last_error();
  std::error_code error = write_all(file, bytes);
  // Some file systems (NFS) report a full disk only here.
  if (close(file) != 0 && !error) error = last_error();
  return error;
}

std::error_code replace_file(const fs::path& path,
                             const std::function<std::error_code(const fs::path&)>& write,
                             fs::path unfinished) {
  if (is_other_than_file(path)) return write(path);
  std::error_code ignored;
  const fs::path target = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
  if (unfinished.empty()) {
    UnfinishedFile own(target);
    if (own.error()) return own.error();
    const std::error_code failed = write(own.path());
    return failed ? failed : own.complete();
  }
  std::error_code error = write(unfinished);
  if (!error) fs::rename(unfinished, target, error);
  if (error) fs::remove(unfinished, ignored);
  return error;
}

}  // namespace tune
