// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_backend.hpp"

#include "tuner/backends/cuda/runtime/bandwidth.hpp"
#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/backends/cuda/toolkit/toolkit.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

std::unique_ptr<Compiler> compiler_for(const DeviceProperties& properties) {
  std::string failure_reason;
  auto compiler = make_nvrtc_compiler(properties.architecture(), &failure_reason);
  if (compiler == nullptr) throw Error(failure_reason);
  return compiler;
}

}  // namespace

CudaBackend::CudaBackend(int device)
    : device_(device),
      properties_(query_device(device, Nvml::open().get())),
      compiler_(compiler_for(properties_)),
      runner_(device, properties_) {}

const DeviceProperties& CudaBackend::properties() const {
  std::call_once(measured_, [this] {
    check(cudaSetDevice(device_));
    properties_.copy_bandwidth = measure_copy_bandwidth();
    const auto host = measure_host_bandwidth();
    properties_.host_to_device_bandwidth = host.to_device;
    properties_.device_to_host_bandwidth = host.to_host;
  });
  return properties_;
}

MachineState CudaBackend::machine_state() {
  return runner_.machine_state();
}

}  // namespace tune::cuda
