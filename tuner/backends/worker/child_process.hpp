// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/backends/worker/channel.hpp"

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

}  // namespace tune::process
