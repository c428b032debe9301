// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tuner/backends/worker/channel.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::process {

/// The descriptor at which a child finds its end of the connection.
constexpr int child_descriptor = 3;

/// A program running beside this one, connected by a channel. It is killed with the object. Its standard
/// output goes to our standard error: what a kernel prints must not mix with results.
class ChildProcess {
 public:
  /// Throws Error where the program cannot be started.
  ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  Channel& channel() { return channel_; }
  pid_t id() const { return id_; }
  /// Kills it where it still runs, and says how it ended: `ended with status 1`, `was killed by signal 11
  /// (Segmentation fault)`.
  std::string end();

 private:
  Channel channel_;
  pid_t id_ = 0;
  std::string ended_;
};

/// What a child has to do first: it ends as soon as its parent is gone, whatever it is doing then, and leaves
/// a terminal's Ctrl-C to the parent. Returns the connection.
Channel begin_child();

/// What to start: a program that serves its end of the connection.
struct WorkerProgram {
  std::filesystem::path program;
  std::vector<std::string> arguments;
};

/// A value and, where it is one, a file that comes with it.
struct Response {
  Json value;
  FileDescriptor file = {};
};

/// A worker process seen from the one that started it: asks and waits for the answer. Not thread-safe.
class Peer {
 public:
  /// Throws Error where the program cannot be started.
  explicit Peer(const WorkerProgram& worker) : process_(worker.program, worker.arguments) {}

  /// Failures of the worker's own come as they are. Failure{crash} where it died, with reason `killed` where
  /// somebody else killed it; Failure{timeout} where it did not answer within `seconds`: it is ended then.
  /// Throws Error with the worker's text where the worker threw one.
  Result<Response> call(const Json& request, double seconds, int file = -1);

  /// False once it died or was ended. What died unasked is noticed here.
  bool alive();
  pid_t id() const { return process_.id(); }

 private:
  tl::unexpected<Failure> silent(Silence silence, double seconds);

  ChildProcess process_;
  bool alive_ = true;
};

/// Answers one request after the other until the other end is gone. What `answer` throws as Error travels
/// back.
void serve(Channel channel,
           const std::function<Result<Response>(const Json& request, FileDescriptor file)>& answer);

}  // namespace tune::process
