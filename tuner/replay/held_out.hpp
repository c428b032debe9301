// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/replay/comparison.hpp"

namespace tune::replay {

/// What belongs together when a kernel (or a device) is left out: spaces of one name, in the order in which
/// they come first.
std::vector<SpaceGroup> groups_by(std::span<const std::string> names);

/// The names of the kernels of spaces: `named` has pairs of a kernel and a beginning of names of its spaces,
/// of which the first that fits counts; else it is the problem, or where the file does not say, the space's
/// own name.
std::vector<std::string> kernels_of(std::span<const RecordedSpace> spaces,
                                    std::span<const std::pair<std::string, std::string>> named);

/// What a person would get who may choose among contenders, but has not seen the kernel at hand: for each
/// group the contender that is best over the others, and what it reaches on this one.
struct HeldOut {
  struct Fold {
    SpaceGroup group;        ///< that was left out
    std::size_t chosen = 0;  ///< contender; the first of equals
    double elsewhere = 0;    ///< the figure by which it was chosen
    Scores scores;           ///< of it on the group: mean over its spaces
  };
  std::vector<Fold> folds;  ///< one a group
  Scores scores;            ///< mean over all spaces, each by what was chosen for its group
  std::size_t hindsight;    ///< the contender that would be chosen if nothing was left out
};

/// Chosen is by the mean over groups, of which each counts the same, of means over their spaces of the mean
/// share over all times (`Scores::share_at_times`), or where no times were asked for over all budgets. Needs
/// two groups and a contender; the groups hold every space once.
HeldOut hold_out(std::span<const SpaceResult> results, std::span<const SpaceGroup> groups);

}  // namespace tune::replay
