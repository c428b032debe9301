// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/replay/recorded_space.hpp"
#include "tuner/replay/scores.hpp"

namespace tune::replay {

/// A strategy that takes part.
struct ComparedStrategy {
  std::string name;
  StrategyFactory make;
};

/// What strategies are given as related records, for the space with this index and this repeat. Called from
/// several threads.
using RelatedRecords =
    std::function<std::vector<search::RelatedRecord>(std::size_t space, std::uint64_t repeat)>;

struct ComparisonOptions {
  std::vector<std::uint64_t> budgets = {20, 50, 100, 200, 400};  ///< in increasing order, without repetition
  /// Seconds of recorded time after which to compare too, in increasing order: every space needs such times.
  std::vector<double> times = {};
  std::uint64_t repeats = 20;
  std::uint64_t seed = 1;
  std::uint64_t batch = 1;
  unsigned threads = 0;         ///< 0: all cores; results do not depend on it
  RelatedRecords related = {};  ///< none where it is empty
};

/// A space of the comparison, and how hard it is.
struct SpaceFacts {
  std::uint64_t configurations = 0;  ///< recorded
  std::uint64_t failed = 0;          ///< of these
  double optimum = 0;                ///< seconds
  double median = 0;                 ///< seconds
  std::uint64_t within_5 = 0;        ///< configurations within 5 % of the optimum
  std::uint64_t within_1 = 0;
  double random_evaluations = 0;         ///< that random search takes to come within 5 %, in expectation
  std::uint64_t cutoff_evaluations = 0;  ///< Baseline::cutoff_evaluations
  double seconds_each = 0;               ///< OutcomeTable::seconds_each
};

struct SpaceResult {
  SpaceFacts facts;
  Scores random;               ///< random search, exactly
  std::vector<Scores> scores;  ///< by contender
};

/// Lets every contender search every space as often as asked for, on all cores. The seed of a search follows
/// from the comparison's seed, the space's name and the repeat: the same for all contenders and on every
/// machine. Throws Error for a space in which all configurations failed, and where there are times to compare
/// at for one without recorded times.
std::vector<SpaceResult> compare(std::span<const RecordedSpace> spaces,
                                 std::span<const ComparedStrategy> contenders,
                                 const ComparisonOptions& options);

/// The seed of one search.
std::uint64_t seed_of(std::uint64_t seed, const std::string& space, std::uint64_t repeat);

/// A set of spaces over which means are taken.
struct SpaceGroup {
  std::string name;
  std::vector<std::size_t> spaces;  ///< indices
};

/// `all`; and, of two or more spaces, the `hard half`: those in which random search needs at least as many
/// evaluations to come within 5 %, in expectation, as in the middle one (the upper one of two).
std::vector<SpaceGroup> groups_of(std::span<const SpaceResult> results);

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
