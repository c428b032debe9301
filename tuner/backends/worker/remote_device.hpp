// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "tuner/backends/worker/peer.hpp"
#include "tuner/backends/worker/shared_memory.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::process {

/// The process that launches kernels on one device, started again when it died. Not thread-safe.
class RemoteDevice {
 public:
  explicit RemoteDevice(WorkerProgram worker) : worker_(std::move(worker)) {}

  /// Starts the process where none runs. Throws Error where it does not come up: the device is lost.
  void ready();
  /// Asks the running process; what it dies of is a Failure, as Peer says.
  Result<Response> call(const Json& request, double seconds);
  /// Ends the process: what it holds is spoiled.
  void abandon() { peer_.reset(); }
  bool running() { return peer_ != nullptr && peer_->alive(); }

  /// The number under which the process knows a tensor; it is sent where it is not there yet. A tensor is
  /// known by its place in memory and a digest of its contents.
  Result<std::uint64_t> share(const TensorView& tensor);

  /// Counts up with every process.
  std::uint64_t generation() const { return generation_; }
  pid_t process_id() const { return peer_ ? peer_->id() : 0; }

 private:
  struct Shared {
    const std::byte* data = nullptr;
    std::size_t size = 0;
    std::string digest;
    std::uint64_t number = 0;
    SharedMemory memory;
    std::uint64_t sent_to = 0;  ///< generation of the process that has it
  };
  Shared& known(const TensorView& tensor);
  Result<void> forget_oldest();

  WorkerProgram worker_;
  std::unique_ptr<Peer> peer_;
  std::uint64_t generation_ = 0;
  std::uint64_t next_number_ = 1;
  std::list<Shared> shared_;  ///< the last used first
};

}  // namespace tune::process
