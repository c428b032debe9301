// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_stream_runner.hpp"

#include "tuner/backends/cuda/plan/load_launches.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

/// Keeps calls from breaking a capture that another thread has begun.
class BesideCaptures {
 public:
  BesideCaptures() { ignore(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;
  ~BesideCaptures() { ignore(cudaThreadExchangeStreamCaptureMode(&mode_)); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

class CudaLoadedPlan : public LoadedPlan {
 public:
  explicit CudaLoadedPlan(LoadedLaunches all) : loaded(std::move(all)) {}
  /// Waits: kernels must have ended before their code is unloaded.
  ~CudaLoadedPlan() override { ignore(cudaDeviceSynchronize()); }

  const LoadedLaunches loaded;
};

/// A program's stream runs kernels one after another, on the program's own memory.
void check_only_launches(const LaunchPlan& plan) {
  for (const auto* step : all_steps(plan))
    if (!std::holds_alternative<Launch>(*step) || order_of(*step) != StepOrder{})
      throw Error(
          format("the step `{}` is not a kernel launch on the first "
                 "stream: a program's stream takes only these",
                 step_name(*step)));
}

}  // namespace

Result<std::unique_ptr<LoadedPlan>> CudaStreamRunner::load(const LaunchPlan& plan, const Binary& binary) {
  check_only_launches(plan);
  const BesideCaptures beside;
  check(cudaSetDevice(device_));  // of this thread, which may be another than the launching one
  auto module = load_binary(binary);
  if (!module) return tl::unexpected(module.error());
  auto loaded = load_launches(properties_, plan, binary, std::move(*module));
  if (!loaded) return tl::unexpected(loaded.error());
  return std::make_unique<CudaLoadedPlan>(std::move(*loaded));
}

bool CudaStreamRunner::can_time(void* stream) {
  auto capturing = cudaStreamCaptureStatusNone;
  const auto status = cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &capturing);
  if (status == cudaSuccess) return capturing == cudaStreamCaptureStatusNone;
  ignore(status);
  return false;
}

Result<void> CudaStreamRunner::launch(LoadedPlan& plan, void* stream, std::span<const Arguments> arguments,
                                      std::uint64_t ticket) {
  const auto on = static_cast<cudaStream_t>(stream);
  const auto& launches = static_cast<CudaLoadedPlan&>(plan).loaded.launches;
  Pair* pair = nullptr;
  if (ticket > 0) {
    if (idle_.empty()) idle_.push_back({make_event(), make_event()});
    pair = &timed_.emplace(ticket, std::move(idle_.back())).first->second;
    idle_.pop_back();
    check(cudaEventRecord(pair->begin.get(), on));
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto status = start(launches[i], arguments[i].data(), on);
    if (status == cudaSuccess) continue;
    if (i > 0) check(status);  // part of the plan is enqueued: no other configuration may run it again
    if (ticket > 0) {
      idle_.push_back(std::move(*pair));
      timed_.erase(ticket);
    }
    ignore(status);
    return fail(Phase::launch, "launch",
                format("kernel `{}`: {}", launches[i].launch.entry, describe(status)));
  }
  if (ticket > 0) check(cudaEventRecord(pair->end.get(), on));
  return {};
}

void CudaStreamRunner::set_variable(LoadedPlan& plan, void* stream, const std::string& name,
                                    std::span<const std::byte> bytes) {
  void* address = nullptr;
  std::size_t size = 0;
  const LoadedLaunches& loaded = static_cast<CudaLoadedPlan&>(plan).loaded;
  const auto known = loaded.variables.find(name);
  if (known == loaded.variables.end()) return;  // no kernel uses it
  check(find_variable(address, size, *loaded.module, known->second));
  if (bytes.size() > size)
    throw Error(format("variable `{}` of the kernel has {} bytes, {} were given", name, size, bytes.size()));
  // From pageable memory: the bytes are copied before this returns.
  check(cudaMemcpyAsync(address, bytes.data(), bytes.size(), cudaMemcpyHostToDevice,
                        static_cast<cudaStream_t>(stream)));
}

void CudaStreamRunner::read(void* stream, const void* address, std::span<std::byte> to) {
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
  check(cudaMemcpy(to.data(), address, to.size(), cudaMemcpyDeviceToHost));
}

Result<std::optional<double>> CudaStreamRunner::elapsed(std::uint64_t ticket) {
  const auto found = timed_.find(ticket);
  if (found == timed_.end()) return fail(Phase::launch, "ticket", "no launch has this ticket");
  const auto status = cudaEventQuery(found->second.end.get());
  if (status == cudaErrorNotReady) {
    ignore(status);
    return std::optional<double>();
  }
  float milliseconds = 0;
  const auto elapsed_status =
      status == cudaSuccess
          ? cudaEventElapsedTime(&milliseconds, found->second.begin.get(), found->second.end.get())
          : status;
  idle_.push_back(std::move(found->second));
  timed_.erase(found);
  if (elapsed_status != cudaSuccess) {
    ignore(elapsed_status);
    return fail(Phase::crash, "device", describe(elapsed_status));
  }
  return std::optional(1e-3 * static_cast<double>(milliseconds));
}

}  // namespace tune::cuda
