// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Elements of a buffer's allocation that a step may touch: `rows` times `width` of them, `pitch` apart.
struct StepAccess {
  std::string buffer;
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t pitch = 0;
  std::uint64_t rows = 1;
  bool writes = false;
};

/// All that a step touches, of a plan for which check_access has nothing to say.
std::vector<StepAccess> accesses_of(const LaunchPlan& plan, const PlanStep& step);

/// An element that is part of both; nothing where there is none.
std::optional<std::uint64_t> shared_element(const StepAccess& a, const StepAccess& b);

/// Throws Error where a step's arguments or ranges are not possible: see check_steps.
void check_access(const LaunchPlan& plan, const PlanStep& step);

/// Throws Error for a plan that no backend may carry out: a step on a stream that is none, one that waits for
/// a later one, a setup that is not in order, arguments and copies that reach beyond their buffers, copies
/// between buffers of different types, to an input or from host to host, kernels and transforms on memory
/// that they do not reach, transforms that could overlap (they work in one memory).
void check_steps(const LaunchPlan& plan);

/// Which launches have certainly ended when another one begins.
class StepPrecedence {
 public:
  /// Of the launches of a plan for which check_steps has nothing to say.
  explicit StepPrecedence(const LaunchPlan& plan);
  bool before(std::size_t first, std::size_t second) const;
  bool ordered(std::size_t a, std::size_t b) const { return before(a, b) || before(b, a); }

 private:
  std::vector<std::vector<bool>> before_;  ///< of each step, those that have ended
};

/// Two launches that touch the same elements, of which one writes them, with no order between them.
struct StepConflict {
  std::size_t first = 0;
  std::size_t second = 0;  ///< a later one of the plan
  std::string buffer;
  std::uint64_t element = 0;  ///< of the allocation: one that both touch

  /// One sentence.
  std::string text(const LaunchPlan& plan) const;
};

/// The first conflict of each two launches. Kernels count as touching all that an argument gives them, and as
/// writing it where the buffer is no input; transforms all of their buffers.
std::vector<StepConflict> conflicts(const LaunchPlan& plan);

/// Orders in which the launches may run one by one: that of the plan, or one that is as different as the
/// plan's streams and dependencies allow.
enum class Sequence { planned, latest_first };
std::vector<std::size_t> sequence_of(const LaunchPlan& plan, Sequence which);

/// How many streams the launches use: the highest number and one.
std::uint32_t stream_count(const LaunchPlan& plan);

}  // namespace tune
