// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {

/// A message of a worker to its parent.
struct Message {
  enum class Type : char {
    begins,       ///< the job runs from now on
    compiles,     ///< the job waits for the compiler
    verdict,      ///< job and verdict
    unexplained,  ///< job and verdict; a new worker could explain it
    broken        ///< text: the environment is broken
  };
  Type type = Type::begins;
  std::size_t job = 0;
  CheckVerdict verdict;
  std::string text;
};

/// Returns a message as bytes, after their length.
std::string packed(const Message& message);
/// Takes the first whole message off `bytes`.
std::optional<Message> take_message(std::string& bytes);

/// A copy (fork) of this process that runs a function and sends messages. The destructor kills it.
class WorkerProcess {
 public:
  using Send = std::function<void(const Message&)>;
  /// Throws Error where no further process can be started.
  explicit WorkerProcess(const std::function<void(const Send&)>& function);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  /// Readable when the worker has sent something, or has ended.
  int descriptor() const { return pipe_; }
  /// Reads what is available; false at the end.
  bool receive(std::string& bytes);
  /// Waits for the worker's end and returns its status as waitpid.
  int wait();
  /// Kills the worker and the programs that it has started.
  void kill();

 private:
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace tune::emulator
