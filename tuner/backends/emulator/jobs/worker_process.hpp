// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tuner/backends/emulator/jobs/wire.hpp"

namespace tune::emulator {

/// A copy of this process that does some work and tells about it. It knows everything that this process knew
/// when it was made. It is ended with the object.
class WorkerProcess {
 public:
  using Send = std::function<void(const Message&)>;
  /// Throws Error where there can be no further process.
  explicit WorkerProcess(const std::function<void(const Send&)>& function);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Readable when the worker has said something, or has ended.
  int descriptor() const { return pipe_; }
  /// Reads what there is; false at the end.
  bool receive(std::string& bytes);
  /// Waits for its end and returns what waitpid says.
  int wait();
  /// Ends it and what it has started.
  void kill();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace tune::emulator
