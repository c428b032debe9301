// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/device_context.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/measurement/sampling.hpp"

namespace tune::cuda {
namespace {

/// Returns the reason of a Failure for this status.
std::string reason_of(cudaError_t status) {
  constexpr std::pair<cudaError_t, const char*> reasons[] = {
      {cudaErrorIllegalAddress, "illegal address"},
      {cudaErrorMisalignedAddress, "misaligned address"},
      {cudaErrorInvalidAddressSpace, "invalid address space"},
      {cudaErrorIllegalInstruction, "illegal instruction"},
      {cudaErrorHardwareStackError, "stack error"},
      {cudaErrorInvalidPc, "invalid program counter"},
      {cudaErrorAssert, "assertion"},
      {cudaErrorLaunchFailure, "launch failure"},
      {cudaErrorLaunchTimeout, "launch timeout"},
      {cudaErrorLaunchOutOfResources, "launch resources"},
      {cudaErrorInvalidConfiguration, "launch configuration"},
      {cudaErrorCooperativeLaunchTooLarge, "cooperative grid"}};
  for (const auto& [known, reason] : reasons)
    if (known == status) return reason;
  return cudaGetErrorName(status);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

DeviceContext::DeviceContext(int number, DeviceProperties known)
    : device(number),
      properties(std::move(known)),
      snapshots(pool, static_cast<std::uint64_t>(properties.global_memory) / 2) {
  check(cudaSetDevice(device));
  if (const auto library = Nvml::open()) nvml = library->find(properties.uuid, pci_address(device));
  stream = make_stream();
  flush_ = allocate_device(2 * static_cast<std::size_t>(std::max<std::int64_t>(properties.l2_cache, 1)));
}

void DeviceContext::enter() const {
  if (!fault_.empty())
    throw Error(
        format("this process cannot use device {} any more after a fault ({}): start again", device, fault_));
  check(cudaSetDevice(device));
}

Failure DeviceContext::failure(cudaError_t status) {
  ignore(status);
  // Every later call reports a fault; any other error is reported once.
  const auto after = cudaDeviceSynchronize();
  if (after == cudaSuccess) return {Phase::launch, reason_of(status), describe(status)};
  ignore(after);
  fault_ = describe(after);
  return {Phase::crash, reason_of(after), fault_};
}

const std::vector<Event>& DeviceContext::events(std::size_t count) {
  while (events_.size() < count) events_.push_back(make_event());
  return events_;
}

const std::vector<Stream>& DeviceContext::more_streams(std::size_t count) {
  while (more_streams_.size() < count) more_streams_.push_back(make_stream());
  return more_streams_;
}

std::byte* DeviceContext::staging(std::size_t size) {
  if (staging_.size() < size) {
    staging_ = PinnedMemory{};  // frees it first
    staging_ = allocate_pinned(size);
  }
  return staging_.data();
}

DeviceChecks& DeviceContext::checks() {
  if (!checks_) checks_.emplace(properties);
  return *checks_;
}

Result<std::shared_ptr<const CufftLibrary>> DeviceContext::cufft() {
  if (cufft_ != nullptr) return cufft_;
  int version = 0;
  check(cudaDriverGetVersion(&version));
  std::string failure_reason;
  cufft_ = open_cufft(&failure_reason, cufft_candidates(version / 1000));
  if (cufft_ == nullptr) return fail(Phase::resources, "cuFFT", failure_reason);
  return cufft_;
}

MachineState DeviceContext::machine_state() const {
  MachineState state;
  state.host = host_name();
  if (!nvml) return state;
  const auto reading = nvml->read();
  state.core_clock = reading.core_clock;
  state.memory_clock = reading.memory_clock;
  state.temperature = reading.temperature;
  state.power = reading.power;
  state.throttle = throttle_text(reading.throttle);
  return state;
}

cudaError_t DeviceContext::flush_l2() {
  return cudaMemsetAsync(flush_.data(), 0, flush_.size(), stream.get());
}

}  // namespace tune::cuda
