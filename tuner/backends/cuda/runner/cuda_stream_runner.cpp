// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_stream_runner.hpp"

#include "tuner/backends/cuda/plan/load_launches.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cuda {
namespace {

/// Loading must not spoil a capture that another thread has under way.
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
  CudaLoadedPlan(Module module, std::vector<PreparedLaunch> all)
      : launches(std::move(all)), module_(std::move(module)) {}
  /// What was launched must have ended before its code is unloaded.
  ~CudaLoadedPlan() override { ignore(cudaDeviceSynchronize()); }

  const std::vector<PreparedLaunch> launches;

 private:
  Module module_;
};

/// A program's stream is given kernels one after another, on the program's own memory.
void check_only_launches(const LaunchPlan& plan) {
  for (const auto* step : all_steps(plan))
    if (!std::holds_alternative<Launch>(*step) || order_of(*step) != StepOrder{})
      throw Error(format("the step `{}` is no launch in its turn: a program's stream takes no other",
                         step_name(*step)));
}

}  // namespace

Result<std::unique_ptr<LoadedPlan>> CudaStreamRunner::load(const LaunchPlan& plan, const Binary& binary) {
  check_only_launches(plan);
  const BesideCaptures beside;
  check(cudaSetDevice(device_));  // of this thread, which may be another than the launching one
  Module module;
  if (const auto status = load_module(module, binary.image); status != cudaSuccess)
    return not_loaded(status, "the binary");
  std::vector<PreparedLaunch> launches;
  std::vector<KernelResources> resources;
  if (const auto fits = prepare_launches(properties_, plan, binary, module, launches, resources); !fits)
    return tl::unexpected(fits.error());
  return std::make_unique<CudaLoadedPlan>(std::move(module), std::move(launches));
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
  const auto& launches = static_cast<CudaLoadedPlan&>(plan).launches;
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
    if (i > 0) check(status);  // part of the work is on its way: no other configuration may do it again
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

Result<std::optional<double>> CudaStreamRunner::elapsed(std::uint64_t ticket) {
  const auto found = timed_.find(ticket);
  if (found == timed_.end()) return fail(Phase::launch, "ticket", "nobody asked for this time");
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
