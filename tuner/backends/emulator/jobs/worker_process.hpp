// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

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

/// The step that a worker carries out.
struct StepInFlight {
  std::string kernel;  ///< or the name of a transform or copy; empty before the first
  std::string size;    ///< Case::size
};

/// Memory that a worker and its parent share, so that the parent can name the step that crashed or hangs.
class StepBoard {
 public:
  /// Throws Error where there is no memory.
  StepBoard();
  StepBoard(const StepBoard&) = delete;
  StepBoard& operator=(const StepBoard&) = delete;
  ~StepBoard();

  /// Called by the worker. Long names are cut.
  void show(std::string_view kernel, std::string_view size);
  StepInFlight read() const;
  /// Returns how many steps were shown.
  std::uint64_t count() const;

 private:
  struct Texts;
  Texts* texts_;
};

/// A copy (fork) of this process that runs a function and sends messages. The destructor kills it.
class WorkerProcess {
 public:
  using Send = std::function<void(const Message&)>;
  /// Throws Error where no further process can be started.
  explicit WorkerProcess(const std::function<void(const Send&, StepBoard&)>& function);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess();

  StepInFlight step() const { return board_.read(); }
  /// Returns how many steps the worker has begun.
  std::uint64_t steps() const { return board_.count(); }
  /// Readable when the worker has sent something, or has ended.
  int descriptor() const { return pipe_; }
  /// Reads what is available; false at the end.
  bool receive(std::string& bytes);
  /// The processor time that the worker has taken, in seconds, without that of programs that it has started;
  /// 0 once it has ended.
  double processor_seconds() const;
  /// Waits for the worker's end and returns its status as waitpid.
  int wait();
  /// Kills the worker and the programs that it has started.
  void kill();

 private:
  StepBoard board_;
  pid_t process_ = -1;
  int pipe_ = -1;
};

}  // namespace tune::emulator
