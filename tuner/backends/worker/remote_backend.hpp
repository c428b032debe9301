// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/backends/worker/channel.hpp"
#include "tuner/backends/worker/peer.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::process {

/// The process that launches kernels on one device; starts another one when it has died. Not thread-safe.
class RemoteDevice {
 public:
  /// The tensors that it shares with the process take at most `max_bytes`, those that were used last come
  /// first; 0: a quarter of the memory that is free.
  explicit RemoteDevice(WorkerProgram worker, std::uint64_t max_bytes = 0);

  /// Starts the process where none runs, and again where another program kills it meanwhile. Throws Error
  /// where it does not start: the device is lost.
  void ready();
  /// Calls a process that is made ready, another one where it is killed. For calls that need no plan.
  Result<Response> ask(const Json& request, double seconds);
  /// Calls the running process; failures as of Peer.
  Result<Response> call(const Json& request, double seconds);
  /// Calls end when `stop`, which is asked several times a second, returns true; empty: never.
  void stop_when(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// From now on the process has these variables in its environment, another one where it has others.
  void use(const std::vector<std::pair<std::string, std::string>>& environment);
  /// Ends the process.
  void abandon() { peer_.reset(); }
  bool running() { return peer_ != nullptr && peer_->alive(); }

  /// Returns the number of a tensor in the process, and sends the tensor first where the process lacks it. A
  /// tensor is identified by its address, type, extents and a digest of its contents.
  Result<std::uint64_t> share(const TensorView& tensor);
  /// Moves a tensor into memory that the processes of all devices can map, so that `share` copies nothing.
  void place(HostTensor& tensor);
  /// Gives the memory of placed tensors that have ended back.
  void forget_ended();

  /// Counts the processes.
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
    std::shared_ptr<SharedMemory> memory;
    std::optional<std::weak_ptr<void>> placed;  ///< what the tensor owns, where it was placed
    std::uint64_t sent_to = 0;                  ///< generation of the process that has it
  };
  Shared& known(const TensorView& tensor);
  Result<void> forget(std::list<Shared>::iterator which);
  bool shares_too_much() const;

  WorkerProgram worker_;
  std::uint64_t max_bytes_;
  std::unique_ptr<Peer> peer_;
  std::function<bool()> stop_;
  std::uint64_t generation_ = 0;
  std::uint64_t next_number_ = 1;
  std::list<Shared> shared_;  ///< the last used first
};

struct RemoteOptions {
  double timeout = 10;  ///< seconds that a checked run, or a second of measuring, may take
};

/// Carries plans out in another process. After a fault, a hang or a crash the next plan gets a new process.
class RemoteRunner : public Runner {
 public:
  /// The device must outlive the runner.
  RemoteRunner(RemoteDevice& device, RemoteOptions options) : device_(device), options_(options) {}
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan, const Binary& binary) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override;
  void stop_when(std::function<bool()> stop) override { device_.stop_when(std::move(stop)); }
  void place(TensorSet& tensors) override;

 private:
  Result<Response> ask(const char* call, const LaunchPlan& plan, const Binary& binary);

  RemoteDevice& device_;
  RemoteOptions options_;
  std::uint64_t plans_ = 0;
  std::string last_binary_;            ///< of the binary that the process has: its image and its kernels
  std::uint64_t last_generation_ = 0;  ///< of that process
};

/// A device whose kernels run in a worker process. The calling process never touches the device.
class RemoteBackend : public Backend {
 public:
  /// Makes a compiler for a device.
  using CompilerMaker = std::function<std::unique_ptr<Compiler>(const DeviceProperties&)>;

  /// Starts the worker. Throws Error where it does not answer.
  RemoteBackend(WorkerProgram worker, const CompilerMaker& make_compiler, RemoteOptions options);

  const DeviceProperties& properties() const override { return properties_; }
  const Compiler& compiler() const override { return *compiler_; }
  Runner& runner() override { return runner_; }
  /// Empty where the process does not answer.
  MachineState machine_state() override;

  /// Returns the number of processes started so far.
  std::uint64_t processes() const { return device_.generation(); }
  pid_t process_id() const { return device_.process_id(); }

 private:
  RemoteDevice device_;
  RemoteRunner runner_;
  DeviceProperties properties_;
  std::unique_ptr<Compiler> compiler_;
};

/// The worker's side: serves a backend's device, without its compiler, until the parent ends.
void serve_device(Channel channel, Backend& backend);

}  // namespace tune::process
