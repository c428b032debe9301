// SPDX-License-Identifier: Apache-2.0
// Stands in for NVML where a test loads it: one GPU, `GPU-1` at 0000:17:00.0.
#include <cstring>

namespace {

int gpu = 0;

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return 0;
}
int nvmlShutdown() {
  return 0;
}
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "stand-in", length);
  return 0;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
  *device = &gpu;
  return std::strcmp(uuid, "GPU-1") == 0 ? 0 : 6;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = &gpu;
  return std::strcmp(address, "0000:17:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetClockInfo(void*, unsigned, unsigned* megahertz) {
  *megahertz = 1500;
  return 0;
}
int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 40;
  return 0;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 300'000;
  return 0;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700'000;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0;
  return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  *millijoules = 5'000;
  return 0;
}
int nvmlDeviceGetEccMode(void*, unsigned* current, unsigned* pending) {
  *current = *pending = 1;
  return 0;
}
}
