// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backends/binary.hpp"
#include "tuner/backends/worker/peer.hpp"

namespace tune::process {

/// Compiles in worker processes, one for each thread that calls at the same time: a compiler that crashes or
/// hangs costs one configuration.
class RemoteCompiler : public Compiler {
 public:
  /// Starts the first worker and asks it for its version. Throws Error where it does not answer.
  explicit RemoteCompiler(WorkerProgram worker, double timeout = default_compile_timeout);
  ~RemoteCompiler() override;

  /// Failure{compile, "compiler crashed"} where the compiler died twice on the same request, Failure{compile,
  /// "out of memory"} where it found too little memory, Failure{timeout, "compiler"} where it took longer
  /// than `timeout` seconds, Failure{compile, "cancelled"} after cancel().
  Result<Binary> compile(const CompileRequest& request) const override;
  /// Ends the processes that compile.
  void cancel() const override;
  std::string version() const override { return version_; }
  std::string identity() const override { return identity_; }
  /// Asks a worker where the request's texts do not include each other alone.
  std::optional<std::string> files_key(const CompileRequest& request) const override;

 private:
  /// `since`: cancellations() before; Failure{compile, "cancelled"} where there was another one.
  Result<Response> ask(const Json& request, std::uint64_t since) const;
  std::uint64_t cancellations() const;
  std::unique_ptr<Peer> take() const;

  WorkerProgram worker_;
  double timeout_;
  std::string version_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Peer>> idle_;
  mutable std::vector<const FileDescriptor*> busy_;  ///< the connections to processes that compile
  mutable std::uint64_t cancellations_ = 0;
};

/// The worker's side: serves a compiler until the parent ends.
void serve_compiler(Channel channel, const Compiler& compiler);

}  // namespace tune::process
