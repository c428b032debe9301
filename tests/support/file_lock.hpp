// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

namespace tune::testing {

/// Holds a file's lock as another process would.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (file_ < 0 || flock(file_, LOCK_EX | LOCK_NB) != 0) throw std::runtime_error("cannot lock " + path);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { release(); }

  void release() {
    if (file_ >= 0) close(file_);
    file_ = -1;
  }

 private:
  int file_;
};

}  // namespace tune::testing
