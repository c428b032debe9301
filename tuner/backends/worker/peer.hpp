// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/worker/channel.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::process {

/// The child's descriptor of the connection.
constexpr int child_descriptor = 3;

/// A program that serves its end of the connection.
struct WorkerProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  /// Variables in addition to, or instead of, those of this process.
  std::vector<std::pair<std::string, std::string>> environment = {};
};

/// A child process, connected by a channel; the destructor kills it. Its standard output goes to our standard
/// error, so that a kernel's output does not mix with results.
class ChildProcess {
 public:
  /// Throws Error where the program cannot be started.
  explicit ChildProcess(const WorkerProgram& worker);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  Channel& channel() { return channel_; }
  pid_t id() const { return id_; }
  /// Kills the process where it still runs, and returns how it ended: `ended with status 1`, `was killed by
  /// signal 11 (Segmentation fault)`.
  std::string end();

 private:
  Channel channel_;
  pid_t id_ = 0;
  std::string ended_;
};

/// Prepares a child process: it ends as soon as its parent has ended, leaves a terminal's Ctrl-C to the
/// parent and no core dump after a crash. Returns the connection.
Channel begin_child();

/// A value, perhaps with a file.
struct Response {
  Json value;
  FileDescriptor file = {};
};

/// The parent's side of a worker process: sends requests and waits for answers. Not thread-safe.
class Peer {
 public:
  /// Throws Error where the program cannot be started.
  explicit Peer(const WorkerProgram& worker) : process_(worker) {}

  /// Returns the worker's answer or failure. Failure{crash} where it died, with reason `killed` where another
  /// program killed it, or `the run ended` where `stop` (asked several times a second) ended the call, which
  /// kills it; Failure{timeout} where it did not answer within `seconds` and was killed for it. Throws Error
  /// with the worker's text where the worker threw one.
  Result<Response> call(const Json& request, double seconds, int file = -1,
                        const std::function<bool()>& stop = {});

  /// False once the process has ended.
  bool alive();
  pid_t id() const { return process_.id(); }
  /// Returns another descriptor of the connection.
  FileDescriptor connection() { return FileDescriptor(dup(process_.channel().descriptor())); }

 private:
  tl::unexpected<Failure> silent(Silence silence, double seconds);

  ChildProcess process_;
  bool alive_ = true;
};

/// Answers requests until the other end is closed. Sends an Error that `answer` throws back to the parent.
void serve(Channel channel,
           const std::function<Result<Response>(const Json& request, FileDescriptor file)>& answer);

}  // namespace tune::process
