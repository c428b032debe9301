// SPDX-License-Identifier: Apache-2.0
#include "tuner/base/file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <fstream>
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

}  // namespace

tl::expected<std::string, std::string> read_text(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return tl::unexpected(std::string("it is a folder"));
  std::ifstream in(path, std::ios::binary);
  if (!in) return tl::unexpected(std::string(std::strerror(errno)));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) return tl::unexpected(std::string("it cannot be read to its end"));
  return text.str();
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
  if (unfinished.empty()) unfinished = target.string() + ".part";
  std::error_code error = write(unfinished);
  if (!error) fs::rename(unfinished, target, error);
  if (error) fs::remove(unfinished, ignored);
  return error;
}

}  // namespace tune
