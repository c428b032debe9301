// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/write_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <random>

#include "tuner/base/format.hpp"

namespace tune::cache {
namespace {

std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// No two writers anywhere may take the same: threads have a number, processes an id, machines that share the
/// folder a random part.
std::string unfinished_name() {
  static std::atomic<std::uint64_t> number{0};
  static const std::uint64_t machine = (std::uint64_t{std::random_device()()} << 32) + std::random_device()();
  return format("{}{:016x}-{}-{}", unfinished_prefix, machine, getpid(), ++number);
}

/// Creates the file; the folder too.
int create(const std::filesystem::path& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  const int file = open(path.c_str(), flags, 0666);
  if (file >= 0 || errno != ENOENT) return file;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (!error) return open(path.c_str(), flags, 0666);
  errno = error.value();
  return -1;
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

}  // namespace

std::error_code write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path unfinished = path.parent_path() / unfinished_name();
  const int file = create(unfinished);
  if (file < 0) return last_error();
  std::error_code error = write_all(file, bytes);
  // Some file systems (NFS) tell only here that the disk is full.
  if (close(file) != 0 && !error) error = last_error();
  if (!error && rename(unfinished.c_str(), path.c_str()) != 0) error = last_error();
  if (error) unlink(unfinished.c_str());
  return error;
}

}  // namespace tune::cache
