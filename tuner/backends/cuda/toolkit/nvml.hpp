// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tune::cuda {

/// The present state of a device by the driver's management library; zero where it is not reported.
struct NvmlReading {
  double core_clock = 0;       ///< Hz, of the SMs
  double memory_clock = 0;     ///< Hz
  double temperature = 0;      ///< degrees Celsius
  double power = 0;            ///< watts
  double power_limit = 0;      ///< watts
  std::uint64_t throttle = 0;  ///< reasons, as NVML's bits
  bool ecc = false;
};

/// One device of NVML. Keeps NVML open.
class NvmlDevice {
 public:
  /// Takes some ten microseconds a figure.
  NvmlReading read() const;
  /// Returns why clocks are held back now, as NVML's bits; 0 where unknown.
  std::uint64_t throttle() const;
  /// Returns the joules that the device has taken since the driver was loaded; nothing where it does not
  /// count them, and for a part of a GPU (MIG): NVML counts those of all parts together.
  std::optional<double> energy() const;

 private:
  friend class Nvml;
  struct Functions;
  NvmlDevice(std::shared_ptr<const Functions> functions, struct NvmlDeviceTag* device, bool whole)
      : functions_(std::move(functions)), device_(device), whole_(whole) {}
  std::shared_ptr<const Functions> functions_;
  struct NvmlDeviceTag* device_;
  bool whole_;  ///< not a part of a GPU
};

/// NVML, found at run time. It finds devices by UUID or PCI address, not by number: its numbers are not
/// CUDA's.
class Nvml {
 public:
  /// Null where the library or the driver is missing.
  static std::unique_ptr<Nvml> open();

  /// `580.159.04`; empty where unknown.
  std::string driver_version() const;
  /// Finds a device by `uuid` (`GPU-...`), else by `pci_address` (`0000:17:00.0`). A part of a GPU has a UUID
  /// that NVML does not know, and the address of the GPU.
  std::optional<NvmlDevice> find(const std::string& uuid, const std::string& pci_address) const;

 private:
  using Functions = NvmlDevice::Functions;
  explicit Nvml(std::shared_ptr<const Functions> functions) : functions_(std::move(functions)) {}
  std::shared_ptr<const Functions> functions_;
};

}  // namespace tune::cuda
