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

/// A strategy of the comparison.
struct ComparedStrategy {
  std::string name;
  StrategyFactory make;
  unsigned compilers = 0;  ///< SimulationOptions::compilers
};

/// Returns the related records that strategies get for the space with this index and this repeat. Called from
/// several threads.
using RelatedRecords =
    std::function<std::vector<search::RelatedRecord>(std::size_t space, std::uint64_t repeat)>;

struct ComparisonOptions {
  std::vector<std::uint64_t> budgets = {20, 50, 100, 200, 400};  ///< in increasing order, without repetition
  /// Further times to compare at, in seconds of recorded time, in increasing order. Every space must have
  /// recorded times.
  std::vector<double> times = {};
  std::uint64_t repeats = 20;
  std::uint64_t seed = 1;
  std::uint64_t batch = 1;
  std::uint64_t in_flight = 1;  ///< SimulationOptions::in_flight
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
  double random_evaluations = 0;         ///< expected for random search to come within 5 %
  std::uint64_t cutoff_evaluations = 0;  ///< Baseline::cutoff_evaluations
  double seconds_each = 0;               ///< OutcomeTable::seconds_each
};

struct SpaceResult {
  SpaceFacts facts;
  Scores random;               ///< random search, exactly
  std::vector<Scores> scores;  ///< by strategy
};

/// Lets every strategy search every space `repeats` times, on all cores. The seed of a search follows from
/// the comparison's seed, the space's name and the repeat: it is the same for all strategies and on every
/// machine. Throws Error for a space in which all configurations failed, and with options.times for a space
/// without recorded times.
std::vector<SpaceResult> compare(std::span<const RecordedSpace> spaces,
                                 std::span<const ComparedStrategy> contenders,
                                 const ComparisonOptions& options);

/// Returns the seed of one search.
std::uint64_t seed_of(std::uint64_t seed, const std::string& space, std::uint64_t repeat);

/// A set of spaces for means.
struct SpaceGroup {
  std::string name;
  std::vector<std::size_t> spaces;  ///< indices
};

/// Returns `all` and, of two or more spaces, the `hard half`: those in which random search needs at least as
/// many expected evaluations to come within 5 % as in the middle one (the upper one of two).
std::vector<SpaceGroup> groups_of(std::span<const SpaceResult> results);

/// Groups spaces of one name (a kernel or a device), in the order in which the names come first.
std::vector<SpaceGroup> groups_by(std::span<const std::string> names);

/// Returns the kernel of each space. `named` has pairs of a kernel and a prefix of its spaces' names; the
/// first that fits counts. Else it is the problem, or without one the space's name.
std::vector<std::string> kernels_of(std::span<const RecordedSpace> spaces,
                                    std::span<const std::pair<std::string, std::string>> named);

/// The result of choosing a strategy without having seen the kernel at hand: for each group the strategy that
/// is best over the others, and its scores on this one.
struct HeldOut {
  struct Fold {
    SpaceGroup group;        ///< left out
    std::size_t chosen = 0;  ///< strategy; the first of equals
    double elsewhere = 0;    ///< its figure over the other groups
    Scores scores;           ///< of the chosen strategy on the group
  };
  std::vector<Fold> folds;  ///< one a group
  Scores scores;            ///< mean over all spaces, each with the strategy chosen for its group
  std::size_t hindsight;    ///< the strategy that would be chosen if no group was left out
};

/// Chooses by the mean share over all times (`Scores::share_at_times`), without times over all budgets; first
/// the mean over a group's spaces, then over groups. Needs two groups and a strategy; the groups hold every
/// space once.
HeldOut hold_out(std::span<const SpaceResult> results, std::span<const SpaceGroup> groups);

}  // namespace tune::replay
