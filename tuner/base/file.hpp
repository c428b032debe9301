// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <tl/expected.hpp>
#include <utility>

namespace tune {

/// Owns a file descriptor. Move-only.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { close(); }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  void close() noexcept {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

/// Returns all bytes of a file, or why they cannot be read, in a few words: `No such file or directory`.
tl::expected<std::string, std::string> read_text(const std::filesystem::path& path);

/// Returns the text of a source without the mark that some editors put before UTF-8, which compilers refuse.
std::string without_byte_order_mark(std::string text);

/// True for a path that exists and is not a regular file: a folder, a pipe, /dev/stdout.
bool is_other_than_file(const std::filesystem::path& path);

/// Writes the bytes to the path as it is.
std::error_code write_bytes(const std::filesystem::path& path, std::string_view bytes);

/// A new file beside the one that it will replace, under a name that no other file or link has:
/// `<target>.tune-XXXXXX.part`. Removed with the object unless it is completed. What killed processes left of
/// `target` is removed first; what a running one writes is not.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(std::filesystem::path target);
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

  /// Set where it cannot be made.
  std::error_code error() const { return error_; }
  const std::filesystem::path& path() const { return path_; }
  /// Gives the file its name, in one step.
  std::error_code complete();

 private:
  std::filesystem::path target_, path_;
  int place_ = -1;       ///< in the list for remove_unfinished_files
  FileDescriptor lock_;  ///< of the file: held while it is written
  std::error_code error_;
};

/// Removes the unfinished files of this process. For handlers of signals that end it: only calls that are
/// safe there.
void remove_unfinished_files() noexcept;

/// Makes a file in one step: `write` fills another file in the same folder, `unfinished` (by default an
/// UnfinishedFile), which then gets the name `path`. A reader of `path`, in this process or another one, sees
/// all of the new file or the old one. Replaces what a link points to, not the link; lets `write` fill a pipe
/// or device directly. Removes the unfinished file where it fails. Does not sync: after a crash of the
/// machine the file may be cut short.
std::error_code replace_file(const std::filesystem::path& path,
                             const std::function<std::error_code(const std::filesystem::path&)>& write,
                             std::filesystem::path unfinished = {});

}  // namespace tune
