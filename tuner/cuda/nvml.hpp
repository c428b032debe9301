// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tune::cuda {

/// What the driver's management library tells of a device now; zero or empty where it does not.
struct NvmlReading {
  double core_clock = 0;       ///< Hz, of the multiprocessors
  double memory_clock = 0;     ///< Hz
  double temperature = 0;      ///< degrees Celsius
  double power = 0;            ///< watts
  double power_limit = 0;      ///< watts
  std::uint64_t throttle = 0;  ///< reasons, as NVML's bits
  bool ecc = false;
};

/// Reasons by name, comma-separated, `power cap, thermal`; empty for none. Being idle is no reason.
std::string throttle_text(std::uint64_t reasons);

/// NVML, found at run time. It answers for devices by UUID or PCI address, never by number: its numbers are
/// not CUDA's.
class Nvml {
 public:
  /// Null where the library or the driver is not there.
  static std::unique_ptr<Nvml> open();
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// `580.159.04`; empty where unknown.
  std::string driver_version() const;
  /// `uuid` as `GPU-...`, `pci_address` as `0000:17:00.0` for where the UUID is not known. All zero where
  /// NVML knows neither.
  NvmlReading read(const std::string& uuid, const std::string& pci_address) const;

 private:
  struct Functions;
  explicit Nvml(std::unique_ptr<Functions> functions);
  std::unique_ptr<Functions> functions_;
};

}  // namespace tune::cuda
