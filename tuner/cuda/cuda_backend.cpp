// SPDX-License-Identifier: Apache-2.0
#include "tuner/cuda/cuda_backend.hpp"

#include <unistd.h>

#include <array>

#include "tuner/core/error.hpp"
#include "tuner/cuda/available.hpp"
#include "tuner/cuda/bandwidth.hpp"
#include "tuner/cuda/device_query.hpp"

namespace tune::cuda {
namespace {

std::unique_ptr<Compiler> compiler_for(const DeviceFacts& facts) {
  std::string why_not;
  auto compiler = make_nvrtc_compiler(facts.architecture(), &why_not);
  if (compiler == nullptr) throw Error(why_not);
  return compiler;
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

CudaBackend::CudaBackend(int device)
    : device_(device),
      nvml_(Nvml::open()),
      facts_(query_device(device, nvml_.get())),
      compiler_(compiler_for(facts_)),
      runner_(device, facts_) {}

const DeviceFacts& CudaBackend::facts() const {
  std::call_once(measured_, [this] {
    check(cudaSetDevice(device_));
    facts_.copy_bandwidth = measure_copy_bandwidth();
  });
  return facts_;
}

MachineState CudaBackend::machine_state() {
  MachineState state;
  state.host = host_name();
  if (nvml_ == nullptr) return state;
  const auto reading = nvml_->read(facts_.uuid, pci_address(device_));
  state.core_clock = reading.core_clock;
  state.memory_clock = reading.memory_clock;
  state.temperature = reading.temperature;
  state.power = reading.power;
  state.throttle = throttle_text(reading.throttle);
  return state;
}

}  // namespace tune::cuda
