// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/worker/child_process.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::process {

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
