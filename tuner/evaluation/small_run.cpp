// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/small_run.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <variant>

namespace tune {
namespace {

/// Starting a launch takes less, in seconds, also on a busy host.
constexpr double launch_overhead = 100e-6;

struct Blocks {
  double all = 0;
  double fillings = 0;  ///< how often they fill the device
};

/// By the name of the kernel.
std::map<std::string, Blocks> blocks_of(const std::vector<Launch>& launches, std::uint64_t resident_blocks) {
  std::map<std::string, Blocks> by_kernel;
  for (const Launch& launch : launches) {
    const std::uint64_t blocks = launch.grid.count();
    Blocks& of_kernel = by_kernel[launch.entry];
    of_kernel.all += static_cast<double>(blocks);
    of_kernel.fillings += static_cast<double>((blocks + resident_blocks - 1) / resident_blocks);
  }
  return by_kernel;
}

}  // namespace

std::vector<Launch> launches_alone(const LaunchPlan& plan) {
  std::vector<Launch> launches;
  for (const PlanStep& step : plan.launches) {
    const Launch* const launch = std::get_if<Launch>(&step);
    if (launch == nullptr) return {};
    launches.push_back(*launch);
  }
  return launches;
}

LargeRun large_run(const SmallRun& small, const LaunchPlan& plan, double items,
                   std::uint64_t resident_blocks) {
  const std::vector<Launch> launches = launches_alone(plan);
  if (small.launches.empty() || launches.empty() || resident_blocks == 0) return {};
  const double computing = small.seconds - launch_overhead * static_cast<double>(small.launches.size());
  if (computing <= 0) return {};
  const auto large = blocks_of(launches, resident_blocks);
  double fillings = std::numeric_limits<double>::infinity();
  double blocks = 0;
  for (const auto& [entry, here] : blocks_of(small.launches, resident_blocks)) {
    const auto there = large.find(entry);
    if (there == large.end()) return {};
    fillings = std::min(fillings, there->second.fillings / here.fillings);
    blocks = std::max(blocks, there->second.all / here.all);
  }
  const double items_of_block = small.items > 0 ? items / small.items / blocks : 1;
  return {computing * fillings, computing * fillings * std::max(1.0, items_of_block)};
}

}  // namespace tune
