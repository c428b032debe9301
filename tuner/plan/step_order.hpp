// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// The elements of a buffer's allocation that a step may touch: `rows` of `width` elements, `pitch` apart.
struct StepAccess {
  std::string buffer;
  std::uint64_t begin = 0;
  std::uint64_t width = 0;
  std::uint64_t pitch = 0;
  std::uint64_t rows = 1;
  bool writes = false;
};

/// Returns all accesses of a step that passed check_access.
std::vector<StepAccess> accesses_of(const LaunchPlan& plan, const PlanStep& step);

/// Returns an element that is part of both; nothing where there is none.
std::optional<std::uint64_t> shared_element(const StepAccess& a, const StepAccess& b);

/// Throws Error where a step's arguments or ranges are not possible; part of check_steps.
void check_access(const LaunchPlan& plan, const PlanStep& step);

/// Throws Error for a plan that no backend may carry out: a stream number beyond max_streams or of two
/// devices, several devices with what only one can have (textures, variables, transforms), a step that waits
/// for a later one, a setup that is not in order, arguments and copies that reach beyond their buffers,
/// copies between buffers of different types, to an input or from host to host, kernels and transforms on
/// memory that they cannot reach, transforms that could overlap.
void check_steps(const LaunchPlan& plan);

/// Knows which steps have certainly ended when another one begins.
class StepPrecedence {
 public:
  /// For the launches of a plan that passed check_steps.
  explicit StepPrecedence(const LaunchPlan& plan);
  bool before(std::size_t first, std::size_t second) const;

 private:
  std::vector<std::uint32_t> stream_;  ///< of each step
  /// Of each step and stream: the steps on that stream with a smaller number have ended.
  std::vector<std::vector<std::size_t>> ended_;
};

/// Two steps without an order between them that touch the same elements, at least one of them writing.
struct StepConflict {
  std::size_t first = 0;
  std::size_t second = 0;  ///< a later step of the plan
  std::string buffer;
  std::uint64_t element = 0;  ///< of the allocation: one that both touch

  /// One sentence.
  std::string text(const LaunchPlan& plan) const;
};

/// Returns the first conflict of each two steps. A kernel counts as touching everything that its arguments
/// give it, and as writing it unless the buffer is an input or the argument read only; a transform as
/// touching all of its buffers.
std::vector<StepConflict> conflicts(const LaunchPlan& plan);

/// Orders in which the steps may run one by one: the plan's, or one that is as different as streams and
/// dependencies allow.
enum class Sequence { planned, latest_first };
std::vector<std::size_t> sequence_of(const LaunchPlan& plan, Sequence which);

/// Returns how many streams the steps use: the highest number plus one.
std::uint32_t stream_count(const LaunchPlan& plan);

}  // namespace tune
