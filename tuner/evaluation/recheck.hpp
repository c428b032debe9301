// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation.hpp"
#include "tuner/evaluation/rerank.hpp"

namespace tune {

/// A recorded winner that is to be measured again.
struct StoredWinner {
  Configuration configuration;
  double seconds = 0;
  /// The default configuration of the space; nothing where it is the winner.
  std::optional<Configuration> plain = std::nullopt;
  std::optional<double> plain_seconds = std::nullopt;  ///< where it was recorded too
};

/// The times that winner and default took now, in turns.
struct Recheck {
  std::vector<double> seconds;        ///< of the winner, by round
  std::vector<double> plain_seconds;  ///< of the default, in the same rounds; empty where it cannot run
  std::optional<Failure> failure;     ///< of the winner: it does not compile, is wrong, crashes
  bool interrupted = false;
};

/// Times the winner and the default in turns (confirm_top_k), each checked before with inputs that it has not
/// seen. Calls `stop` before each turn.
Recheck measure_again(const StoredWinner& stored, RerankDevice& device, const std::function<bool()>& stop);

struct RecheckLimits {
  double threshold = 0.03;  ///< how much may be lost
  bool absolute = false;    ///< times count too, not only the gain over the default
};

/// The result of a recheck.
struct RecheckVerdict {
  enum class Kind {
    ok,
    lost,     ///< the gain over the default, or the time, is worse than recorded by more than the threshold
    beaten,   ///< the default is faster than the stored winner
    failed,   ///< the winner cannot be run, or is wrong
    unknown,  ///< interrupted
  };
  Kind kind = Kind::unknown;
  MedianInterval seconds = {};  ///< now, 95 %
  /// The default's time over the winner's, round by round, 95 %.
  std::optional<MedianInterval> gain = std::nullopt;
  std::optional<double> stored_gain = std::nullopt;
  std::string text;  ///< one line for the user

  bool bad() const { return kind == Kind::lost || kind == Kind::beaten || kind == Kind::failed; }
};

/// Finds a regression only where the whole interval lies beyond the threshold: anything less could be noise.
/// Compares the gain over the default where both were recorded, because it does not depend on clocks and
/// heat; else the time. The default counts as faster from rerank_resolution on.
RecheckVerdict judge(const StoredWinner& stored, const Recheck& now, const RecheckLimits& limits);

}  // namespace tune
