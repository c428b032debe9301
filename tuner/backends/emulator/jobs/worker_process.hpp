// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator {

/// What a worker says to its parent through a pipe.
struct Message {
  enum class Type : char {
    begins,       ///< job: it runs from now on
    verdict,      ///< job and verdict
    unexplained,  ///< job and verdict, to which a worker that is not harmed could add
    broken        ///< text: the environment is broken
  };
  Type type = Type::begins;
  std::size_t job = 0;
  CheckVerdict verdict;
  std::string text;
};

/// Messages as bytes, each after its length; both ends are the same program.
std::string packed(const Message& message);
/// Takes the first whole message off `bytes`.
std::optional<Message> take_message(std::string& bytes);

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
