// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tuner/measurement/median_interval.hpp"
#include "tuner/measurement/timing.hpp"

/// Words for measurements that the command line and the reports share.
namespace tune {

/// `core 1.98 GHz, memory 3.2 GHz, 45 C, 620 W, throttled: power cap`: what is known of it, without the host.
std::string to_text(const MachineState& machine);
/// `stopped: precise enough, 3 executions a sample, 2 samples dropped for throttling`; the machine not
/// included.
std::string to_text(const Timing& timing);
/// `1.04 ms to 1.05 ms with 95 % confidence`.
std::string interval_text(const MedianInterval& interval, std::string_view unit);
/// A ratio as a difference: `+0.31 % (-0.05 to +0.62 %)`.
std::string difference_text(const MedianInterval& ratio);

}  // namespace tune
