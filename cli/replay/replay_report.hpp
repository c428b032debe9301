// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/base/text_style.hpp"
#include "tuner/replay/comparison.hpp"

namespace tune::cli {

/// Everything that 'tune replay' shows, in any format.
struct ReplayReport {
  std::span<const replay::RecordedSpace> spaces;
  std::vector<std::string> strategies;
  const replay::ComparisonOptions& options;
  std::uint64_t compilers = 0;  ///< of the runs among the strategies, which have it in their names; 0: none
  std::vector<replay::SpaceResult> results;  ///< by space; scores by strategy
  std::vector<replay::SpaceGroup> groups;
  std::string warm;     ///< a sentence: what strategies were given beforehand; empty for nothing
  std::string held_by;  ///< `kernel` or `device`, left out in turn; empty where nothing was
  std::optional<replay::HeldOut> held;
  TextStyle style = {};  ///< of the text
};

/// The scores of strategy `number` over a group (0: random search, computed exactly; then the strategies).
replay::Scores group_scores(const ReplayReport& report, const replay::SpaceGroup& group, std::size_t number);

/// The name of random search where it is computed instead of simulated.
inline constexpr const char* exact_random = "random (exact)";

/// The name of the line with the mean over what was left out.
inline constexpr const char* held_out_mean = "held out, mean";

/// A table for each space and each group.
std::string to_text(const ReplayReport& report);

/// One object, as docs/explanation/replay.md describes it.
std::string to_json(const ReplayReport& report);

/// A row for each space (or group), strategy and budget.
std::string to_csv(const ReplayReport& report);

}  // namespace tune::cli
