// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reports/page/effects.hpp"

namespace tune::reports {

/// The most that the problem can reach on a device.
struct Ceilings {
  double bandwidth = 0;   ///< bytes a second: measured copies, else the datasheet's; 0 where unknown
  bool measured = false;  ///< the bandwidth was measured
  double datasheet = 0;   ///< the datasheet's bandwidth, which a kernel that only reads may come nearer to
  double flops = 0;       ///< a second, of the units that may compute; 0 where unknown
  std::string units;      ///< these: `vector units, single precision`, `tensor cores, 3 x TF32`
  double intensity = 0;   ///< flops a byte; 0 where one of them is unknown
  bool memory_bound = false;  ///< the bytes take longer than the flops
  bool host_bound = false;    ///< copies from or to the host take longer than both
};
Ceilings ceilings(const Section& section);

/// Why the winner wins, in sentences with numbers: how close it is to the device's limit, which resources it
/// needs, what the alternatives lose. Empty where nothing was measured.
std::vector<std::string> why_it_wins(const Section& section, const ValueTable& table,
                                     const std::vector<ParameterEffect>& effects);

}  // namespace tune::reports
