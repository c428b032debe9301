// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/step_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/step_access.hpp"

namespace tune {
namespace {

/// What runs directly before a step on its stream, and what it waits for.
std::vector<std::vector<std::size_t>> waits_of(const LaunchPlan& plan) {
  std::vector<std::vector<std::size_t>> waits;
  std::map<std::uint32_t, std::size_t> last;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const StepOrder& order = order_of(plan.launches[i]);
    waits.push_back(order.after);
    if (const auto found = last.find(order.stream); found != last.end())
      waits.back().push_back(found->second);
    last[order.stream] = i;
  }
  return waits;
}

void check_order(const LaunchPlan& plan) {
  for (const PlanStep& step : plan.setup)
    if (order_of(step) != StepOrder{})
      throw Error(
          format("the setup runs in order on one stream, but `{}` has another order", step_name(step)));
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const StepOrder& order = order_of(plan.launches[i]);
    if (order.stream >= max_streams)
      throw Error(format("step {}, `{}`, runs on stream {}: there are {}", i, step_name(plan.launches[i]),
                         order.stream, max_streams));
    for (const std::size_t earlier : order.after)
      if (earlier >= i)
        throw Error(format("step {}, `{}`, waits for step {}, which is no earlier one", i,
                           step_name(plan.launches[i]), earlier));
  }
}

/// All of them work in one memory.
void check_transforms(const LaunchPlan& plan) {
  if (stream_count(plan) == 1) return;  // of perhaps very many steps
  std::optional<std::size_t> last;
  std::optional<StepPrecedence> precedence;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    if (!std::holds_alternative<FourierTransform>(plan.launches[i])) continue;
    if (last && !precedence) precedence.emplace(plan);
    if (last && !precedence->before(*last, i))
      throw Error(format("steps {} and {} are Fourier transforms without an order between them", *last, i));
    last = i;
  }
}

}  // namespace

void check_steps(const LaunchPlan& plan) {
  check_order(plan);
  for (const BufferSpec& buffer : plan.buffers)
    if (buffer.on_host() && !buffer.symbol.empty())
      throw Error(
          format("`{}` lies on the host and cannot be copied to variable `{}`", buffer.name, buffer.symbol));
  for (const PlanStep* step : all_steps(plan)) check_access(plan, *step);
  check_transforms(plan);
}

StepPrecedence::StepPrecedence(const LaunchPlan& plan) {
  const auto waits = waits_of(plan);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    std::vector<bool> ended(waits.size());
    for (const std::size_t earlier : waits[i]) {
      ended[earlier] = true;
      for (std::size_t k = 0; k < earlier; ++k)
        if (before_[earlier][k]) ended[k] = true;
    }
    before_.push_back(std::move(ended));
  }
}

bool StepPrecedence::before(std::size_t first, std::size_t second) const {
  return before_.at(second).at(first);
}

std::string StepConflict::text(const LaunchPlan& plan) const {
  return format(
      "step {} ({}) and step {} ({}) both touch element {} of the allocation of '{}', one of them "
      "writes it, and nothing orders them: streams {} and {}",
      first, step_name(plan.launches.at(first)), second, step_name(plan.launches.at(second)), element, buffer,
      order_of(plan.launches.at(first)).stream, order_of(plan.launches.at(second)).stream);
}

std::vector<StepConflict> conflicts(const LaunchPlan& plan) {
  std::vector<StepConflict> found;
  if (stream_count(plan) <= 1) return found;
  const StepPrecedence precedence(plan);
  std::vector<std::vector<StepAccess>> accesses;
  for (const PlanStep& step : plan.launches) accesses.push_back(accesses_of(plan, step));
  for (std::size_t second = 1; second < accesses.size(); ++second)
    for (std::size_t first = 0; first < second; ++first) {
      if (precedence.before(first, second)) continue;
      for (const StepAccess& a : accesses[first]) {
        const auto meets = [&](const StepAccess& b) {
          return (a.writes || b.writes) && shared_element(a, b);
        };
        const auto b = std::ranges::find_if(accesses[second], meets);
        if (b == accesses[second].end()) continue;
        found.push_back({first, second, a.buffer, *shared_element(a, *b)});
        break;
      }
    }
  return found;
}

std::vector<std::size_t> sequence_of(const LaunchPlan& plan, Sequence which) {
  std::vector<std::size_t> sequence(plan.launches.size());
  std::iota(sequence.begin(), sequence.end(), std::size_t{0});
  if (which == Sequence::planned || stream_count(plan) == 1) return sequence;
  sequence.clear();
  const auto waits = waits_of(plan);
  std::vector<bool> done(waits.size());
  const auto ready = [&](std::size_t step) {
    return !done[step] &&
           std::ranges::all_of(waits[step], [&](std::size_t earlier) { return done[earlier]; });
  };
  while (sequence.size() < waits.size()) {
    std::size_t next = waits.size() - 1;
    while (!ready(next)) --next;  // the first that is not done is always ready
    done[next] = true;
    sequence.push_back(next);
  }
  return sequence;
}

std::uint32_t stream_count(const LaunchPlan& plan) {
  std::uint32_t max = 1;
  for (const PlanStep& step : plan.launches) max = std::max(max, order_of(step).stream + 1);
  return max;
}

}  // namespace tune
