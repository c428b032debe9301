// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/nvml.hpp"

#include <array>

#include "tuner/backends/cuda/toolkit/shared_object.hpp"

namespace tune::cuda {
namespace {

using Device = NvmlDeviceTag*;
constexpr int success = 0;
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;
constexpr unsigned sensor_gpu = 0;

}  // namespace

// NVML's C prototypes, declared here because its header is not part of the packages that building needs.
struct NvmlDevice::Functions {
  Functions() = default;
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  ~Functions() {
    if (ready) shutdown();
  }

  bool ready = false;
  std::shared_ptr<void> object;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char* version, unsigned length) = nullptr;
  int (*handle_by_uuid)(const char* uuid, Device* device) = nullptr;
  int (*handle_by_pci)(const char* address, Device* device) = nullptr;
  int (*clock)(Device device, unsigned type, unsigned* megahertz) = nullptr;
  int (*temperature)(Device device, unsigned sensor, unsigned* celsius) = nullptr;
  int (*power)(Device device, unsigned* milliwatts) = nullptr;
  int (*power_limit)(Device device, unsigned* milliwatts) = nullptr;
  int (*throttle)(Device device, unsigned long long* reasons) = nullptr;
  int (*energy)(Device device, unsigned long long* millijoules) = nullptr;  ///< null in old drivers
  int (*ecc)(Device device, unsigned* current, unsigned* pending) = nullptr;

  bool find_all() {
    find_symbol(object, "nvmlDeviceGetTotalEnergyConsumption", energy);
    return find_symbol(object, "nvmlInit_v2", init) && find_symbol(object, "nvmlShutdown", shutdown) &&
           find_symbol(object, "nvmlSystemGetDriverVersion", driver_version) &&
           find_symbol(object, "nvmlDeviceGetHandleByUUID", handle_by_uuid) &&
           find_symbol(object, "nvmlDeviceGetHandleByPciBusId_v2", handle_by_pci) &&
           find_symbol(object, "nvmlDeviceGetClockInfo", clock) &&
           find_symbol(object, "nvmlDeviceGetTemperature", temperature) &&
           find_symbol(object, "nvmlDeviceGetPowerUsage", power) &&
           find_symbol(object, "nvmlDeviceGetEnforcedPowerLimit", power_limit) &&
           find_symbol(object, "nvmlDeviceGetCurrentClocksThrottleReasons", throttle) &&
           find_symbol(object, "nvmlDeviceGetEccMode", ecc);
  }
};

std::unique_ptr<Nvml> Nvml::open() {
  const auto functions = std::make_shared<Functions>();
  functions->object = open_shared_object("libnvidia-ml.so.1");
  if (functions->object == nullptr || !functions->find_all() || functions->init() != success) return nullptr;
  functions->ready = true;
  return std::unique_ptr<Nvml>(new Nvml(functions));
}

std::string Nvml::driver_version() const {
  std::array<char, 96> text{};
  if (functions_->driver_version(text.data(), static_cast<unsigned>(text.size())) != success) return {};
  return text.data();
}

std::optional<NvmlDevice> Nvml::find(const std::string& uuid, const std::string& pci_address) const {
  Device device = nullptr;
  if (functions_->handle_by_uuid(uuid.c_str(), &device) == success)
    return NvmlDevice(functions_, device, true);
  if (functions_->handle_by_pci(pci_address.c_str(), &device) != success) return std::nullopt;
  return NvmlDevice(functions_, device, false);
}

NvmlReading NvmlDevice::read() const {
  NvmlReading reading;
  unsigned value = 0;
  if (functions_->clock(device_, clock_sm, &value) == success) reading.core_clock = value * 1e6;
  if (functions_->clock(device_, clock_memory, &value) == success) reading.memory_clock = value * 1e6;
  if (functions_->temperature(device_, sensor_gpu, &value) == success) reading.temperature = value;
  if (whole_ && functions_->power(device_, &value) == success) reading.power = value * 1e-3;
  if (functions_->power_limit(device_, &value) == success) reading.power_limit = value * 1e-3;
  reading.throttle = throttle();
  unsigned pending = 0;
  if (functions_->ecc(device_, &value, &pending) == success) reading.ecc = value != 0;
  return reading;
}

std::uint64_t NvmlDevice::throttle() const {
  unsigned long long reasons = 0;
  return functions_->throttle(device_, &reasons) == success ? reasons : 0;
}

std::optional<double> NvmlDevice::energy() const {
  unsigned long long millijoules = 0;
  if (!whole_ || functions_->energy == nullptr || functions_->energy(device_, &millijoules) != success)
    return std::nullopt;
  return static_cast<double>(millijoules) * 1e-3;
}

}  // namespace tune::cuda
