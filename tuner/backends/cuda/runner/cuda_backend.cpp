// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/cuda_backend.hpp"

#include "tuner/backends/cuda/available.hpp"
#include "tuner/backends/cuda/runtime/bandwidth.hpp"
#include "tuner/backends/cuda/runtime/device_query.hpp"
#include "tuner/base/error.hpp"

namespace tune::cuda {
namespace {

std::unique_ptr<Compiler> compiler_for(const DeviceFacts& facts) {
  std::string why_not;
  auto compiler = make_nvrtc_compiler(facts.architecture(), &why_not);
  if (compiler == nullptr) throw Error(why_not);
  return compiler;
}

}  // namespace

CudaBackend::CudaBackend(int device)
    : device_(device),
      facts_(query_device(device, Nvml::open().get())),
      compiler_(compiler_for(facts_)),
      runner_(device, facts_) {}

const DeviceFacts& CudaBackend::facts() const {
  std::call_once(measured_, [this] {
    check(cudaSetDevice(device_));
    facts_.copy_bandwidth = measure_copy_bandwidth();
    const auto host = measure_host_bandwidth();
    facts_.host_to_device_bandwidth = host.to_device;
    facts_.device_to_host_bandwidth = host.to_host;
  });
  return facts_;
}

MachineState CudaBackend::machine_state() {
  return runner_.machine_state();
}

}  // namespace tune::cuda
