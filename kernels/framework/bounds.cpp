// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/bounds.hpp"

#include <algorithm>

namespace tune::kernels {

double seconds_of_passes(double array, const DeviceProperties& device, std::int64_t passes) {
  // The bandwidth is that of a copy, which a kernel may beat a little.
  constexpr double margin = 0.95;
  if (!(device.copy_bandwidth > 0)) return 0;
  const double kept = static_cast<double>(device.l2_cache);
  const double moved = 2 * array + static_cast<double>(passes - 1) * std::max(0.0, 2 * (array - kept));
  return margin * moved / device.copy_bandwidth;
}

double seconds_of_operations(double count, double peak) {
  return peak > 0 ? count / peak : 0;
}

}  // namespace tune::kernels
