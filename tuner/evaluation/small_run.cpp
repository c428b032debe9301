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

/// How often each kernel's blocks fill the device, by its name.
std::map<std::string, double> fillings_of(const std::vector<Launch>& launches,
                                          std::uint64_t resident_blocks) {
  std::map<std::string, double> fillings;
  for (const Launch& launch : launches) {
    const std::uint64_t blocks = launch.grid.count();
    fillings[launch.entry] += static_cast<double>((blocks + resident_blocks - 1) / resident_blocks);
  }
  return fillings;
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

double least_seconds(const SmallRun& small, const LaunchPlan& plan, std::uint64_t resident_blocks) {
  const std::vector<Launch> launches = launches_alone(plan);
  if (small.launches.empty() || launches.empty() || resident_blocks == 0) return 0;
  const double computing = small.seconds - launch_overhead * static_cast<double>(small.launches.size());
  if (computing <= 0) return 0;
  const auto here = fillings_of(launches, resident_blocks);
  double ratio = std::numeric_limits<double>::infinity();
  for (const auto& [entry, fillings] : fillings_of(small.launches, resident_blocks)) {
    const auto found = here.find(entry);
    ratio = std::min(ratio, found == here.end() ? 0 : found->second / fillings);
  }
  return computing * ratio;
}

}  // namespace tune
