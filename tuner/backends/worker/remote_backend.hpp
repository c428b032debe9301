// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/worker/channel.hpp"
#include "tuner/backends/worker/peer.hpp"
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
  /// known by its place in memory, its type, its extents and a digest of its contents.
  Result<std::uint64_t> share(const TensorView& tensor);

  /// Counts up with every process.
  std::uint64_t generation() const { return generation_; }
  pid_t process_id() const { return peer_ ? peer_->id() : 0; }

 private:
  struct Shared {
    const std::byte* data = nullptr;
    std::size_t size = 0;
    std::string digest;
    ElementType type = ElementType::f32;
    Extents extents;
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

struct RemoteOptions {
  double timeout = 10;  ///< seconds that a checked run, and each second of measuring, may take
};

/// Carries plans out in another process, which a fault, a hang or a crash may end: the next plan gets a new
/// one.
class RemoteRunner : public Runner {
 public:
  /// The device must outlive the runner.
  RemoteRunner(RemoteDevice& device, RemoteOptions options) : device_(device), options_(options) {}
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan, const Binary& binary) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override;

 private:
  Result<Response> ask(const char* call, const LaunchPlan& plan, const Binary& binary);

  RemoteDevice& device_;
  RemoteOptions options_;
  std::uint64_t plans_ = 0;
  std::string last_binary_;            ///< hash of what the process was sent last
  std::uint64_t last_generation_ = 0;  ///< and which process
};

/// A device whose kernels run in a worker process. The process of the caller never touches the device.
class RemoteBackend : public Backend {
 public:
  /// Makes a compiler for a device.
  using CompilerMaker = std::function<std::unique_ptr<Compiler>(const DeviceProperties&)>;

  /// Starts the worker. Throws Error where it does not serve.
  RemoteBackend(WorkerProgram worker, const CompilerMaker& make_compiler, RemoteOptions options);

  const DeviceProperties& properties() const override { return properties_; }
  const Compiler& compiler() const override { return *compiler_; }
  Runner& runner() override { return runner_; }
  /// Of the last process; empty where it does not answer.
  MachineState machine_state() override;

  /// Processes that were started so far.
  std::uint64_t processes() const { return device_.generation(); }
  /// Of the one that runs now.
  pid_t process_id() const { return device_.process_id(); }

 private:
  RemoteDevice device_;
  RemoteRunner runner_;
  DeviceProperties properties_;
  std::unique_ptr<Compiler> compiler_;
};

/// The worker's side: serves a backend's device, not its compiler, until the parent is gone.
void serve_device(Channel channel, Backend& backend);

}  // namespace tune::process
