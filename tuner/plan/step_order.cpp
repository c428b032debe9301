// SPDX-License-Identifier: Apache-2.0
#include "tuner/plan/step_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune {
namespace {

StepAccess access_to_all(const BufferSpec& buffer, bool writes) {
  return {buffer.name, 0, buffer.layout.allocation, 0, 1, writes};
}

StepAccess side_of(const LaunchPlan& plan, const Copy& copy, const CopySide& side, bool writes) {
  const BufferSpec& buffer = plan.buffer(side.buffer);
  return {buffer.name, buffer.layout.offset + side.offset, copy.width, side.pitch, copy.rows, writes};
}

void add_accesses(const LaunchPlan& plan, const Launch& launch, std::vector<StepAccess>& all) {
  for (const KernelArgument& argument : launch.arguments) {
    if (const auto* texture = std::get_if<TextureArgument>(&argument))
      all.push_back(access_to_all(plan.buffer(texture->buffer), false));
    if (const auto* map = std::get_if<TensorMapArgument>(&argument))
      all.push_back(access_to_all(plan.buffer(map->buffer), false));
    each_buffer(argument, [&](const BufferArgument& given) {
      const BufferSpec& buffer = plan.buffer(given.buffer);
      StepAccess access = access_to_all(buffer, buffer.role != BufferRole::input && !given.read_only);
      if (given.count > 0) {
        access.begin = buffer.layout.offset + given.offset;
        access.width = given.count;
      }
      all.push_back(access);
    });
  }
}

void add_accesses(const LaunchPlan& plan, const FourierTransform& transform, std::vector<StepAccess>& all) {
  // An inverse transform overwrites its input.
  all.push_back(
      access_to_all(plan.buffer(transform.input), transform.direction == FourierDirection::inverse));
  all.push_back(access_to_all(plan.buffer(transform.output), true));
}

void add_accesses(const LaunchPlan& plan, const Copy& copy, std::vector<StepAccess>& all) {
  all.push_back(side_of(plan, copy, copy.from, false));
  all.push_back(side_of(plan, copy, copy.to, true));
}

void add_accesses(const LaunchPlan& plan, const Zero& zero, std::vector<StepAccess>& all) {
  all.push_back(access_to_all(plan.buffer(zero.buffer), true));
}

/// Plans with code of the host have one stream.
void add_accesses(const LaunchPlan&, const HostStep&, std::vector<StepAccess>&) {}

/// Returns the row's first element that also lies in `other`.
std::optional<std::uint64_t> shared_with_row(std::uint64_t begin, std::uint64_t width,
                                             const StepAccess& other) {
  std::uint64_t row = 0;
  if (other.rows > 1 && begin >= other.begin + other.width)
    row = (begin - other.begin - other.width) / other.pitch + 1;
  if (row >= other.rows) return std::nullopt;
  const std::uint64_t at = other.begin + row * other.pitch;
  if (at >= begin + width || at + other.width <= begin) return std::nullopt;
  return std::max(at, begin);
}

/// True where `rows` of `width`, `pitch` apart, end within `room`; computed without overflow.
bool fits(std::uint64_t offset, std::uint64_t width, std::uint64_t pitch, std::uint64_t rows,
          std::uint64_t room) {
  if (offset > room || width > room - offset) return false;
  return rows <= 1 || (room - offset - width) / pitch >= rows - 1;
}

[[noreturn]] void impossible(const PlanStep& step, const std::string& what) {
  throw Error(format("the step `{}` is not possible: {}", step_name(step), what));
}

void check(const LaunchPlan& plan, const Launch& launch, const PlanStep& step) {
  for (const KernelArgument& argument : launch.arguments) {
    if (const auto* texture = std::get_if<TextureArgument>(&argument))
      if (plan.buffer(texture->buffer).on_host())
        impossible(step, format("a texture over '{}', which lies on the host", texture->buffer));
    if (const auto* map = std::get_if<TensorMapArgument>(&argument))
      if (plan.buffer(map->buffer).on_host())
        impossible(step, format("a tensor map over '{}', which lies on the host", map->buffer));
    each_buffer(argument, [&](const BufferArgument& given) {
      const BufferSpec& buffer = plan.buffer(given.buffer);
      if (buffer.place == MemoryPlace::pageable)
        impossible(step, format("a kernel cannot reach '{}', which is pageable host memory", buffer.name));
      // The address behind the last element is allowed.
      const std::uint64_t room =
          buffer.layout.allocation - std::min(buffer.layout.offset, buffer.layout.allocation);
      if (!fits(given.offset, given.count, 0, 1, room))
        impossible(step, format("elements {} to {} of '{}', which has {} from its first one on", given.offset,
                                given.offset + given.count, buffer.name, room));
    });
  }
}

void check(const LaunchPlan& plan, const FourierTransform& transform, const PlanStep& step) {
  for (const std::string& name : {transform.input, transform.output})
    if (plan.buffer(name).on_host()) impossible(step, format("'{}' lies on the host", name));
}

void check_side(const BufferSpec& buffer, const CopySide& side, const Copy& copy, const PlanStep& step) {
  if (copy.rows > 1 && side.pitch < copy.width)
    impossible(step, format("rows of {} elements lie {} apart in '{}'", copy.width, side.pitch, buffer.name));
  const std::uint64_t room =
      buffer.layout.allocation - std::min(buffer.layout.offset, buffer.layout.allocation);
  if (!fits(side.offset, copy.width, side.pitch, copy.rows, room))
    impossible(step, format("{} rows of {} elements from element {} on, {} "
                            "apart, in '{}', which has {} from its first one on",
                            copy.rows, copy.width, side.offset, side.pitch, buffer.name, room));
}

void check(const LaunchPlan& plan, const Copy& copy, const PlanStep& step) {
  const BufferSpec& from = plan.buffer(copy.from.buffer);
  const BufferSpec& to = plan.buffer(copy.to.buffer);
  if (from.type != to.type)
    impossible(step, format("'{}' has elements of {}, '{}' of {}", from.name, to_string(from.type), to.name,
                            to_string(to.type)));
  if (copy.width == 0 || copy.rows == 0) impossible(step, "it moves nothing");
  if (from.on_host() && to.on_host()) impossible(step, "both sides lie on the host");
  if (to.role == BufferRole::input) impossible(step, format("'{}' is an input of the plan", to.name));
  check_side(from, copy.from, copy, step);
  check_side(to, copy.to, copy, step);
  if (from.name == to.name &&
      shared_element(side_of(plan, copy, copy.from, false), side_of(plan, copy, copy.to, true)))
    impossible(step, "its two sides overlap");
}

void check(const LaunchPlan& plan, const Zero& zero, const PlanStep& step) {
  const BufferSpec& buffer = plan.buffer(zero.buffer);
  if (buffer.on_host()) impossible(step, format("'{}' lies on the host", buffer.name));
  if (buffer.role == BufferRole::input) impossible(step, format("'{}' is an input of the plan", buffer.name));
}

void check(const LaunchPlan& plan, const HostStep& host, const PlanStep& step) {
  if (stream_count(plan) > 1) impossible(step, "the plan has several streams");
  if (plan.graph != GraphUse::never) impossible(step, "a graph holds no host code");
  const auto place = std::ranges::find_if(plan.launches, [&](const PlanStep& one) { return &one == &step; });
  if (place == plan.launches.end() || host.again > static_cast<std::size_t>(place - plan.launches.begin()))
    impossible(step, "it is in the setup, or goes back to a later step");
}

/// For each step, the step before it on its stream and the steps it waits for.
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
  for (const std::vector<PlanStep>* const part : {&plan.setup, &plan.checks})
    for (const PlanStep& step : *part)
      if (order_of(step) != StepOrder{})
        throw Error(format("the {} in order on one stream, but `{}` has another order",
                           part == &plan.setup ? "setup runs" : "checks run", step_name(step)));
  std::map<std::uint32_t, std::uint32_t> devices = {{0, 0}};  // of the streams
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const StepOrder& order = order_of(plan.launches[i]);
    if (const auto known = devices.emplace(order.stream, order.device).first; known->second != order.device)
      throw Error(format("step {}, `{}`, runs on device {}, but its stream {} is of device {}", i,
                         step_name(plan.launches[i]), order.device, order.stream, known->second));
    if (order.stream >= max_streams)
      throw Error(format("step {}, `{}`, runs on stream {}, but a plan has at most {}", i,
                         step_name(plan.launches[i]), order.stream, max_streams));
    for (const std::size_t earlier : order.after)
      if (earlier >= i)
        throw Error(format("step {}, `{}`, waits for step {}, which is not an earlier one", i,
                           step_name(plan.launches[i]), earlier));
  }
}

/// Textures, variables and transforms are those of one device.
void check_devices(const LaunchPlan& plan) {
  const std::uint32_t devices = plan.devices();
  if (devices == 1) return;
  if (devices > max_devices)
    throw Error(format("a plan has at most {} devices, not {}", max_devices, devices));
  const auto alone = [&](const std::string& what) {
    throw Error(format("a plan of {} devices has {}, which only one device can have", devices, what));
  };
  if (!plan.textures().empty()) alone("textures");
  for (const BufferSpec& buffer : plan.buffers)
    if (!buffer.symbol.empty()) alone(format("the variable `{}`", buffer.symbol));
  for (const PlanStep* step : all_steps(plan))
    if (std::holds_alternative<FourierTransform>(*step)) alone("Fourier transforms");
}

/// All transforms of a plan share one work area, so they must not overlap.
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

std::vector<StepAccess> accesses_of(const LaunchPlan& plan, const PlanStep& step) {
  std::vector<StepAccess> all;
  std::visit([&](const auto& known) { add_accesses(plan, known, all); }, step);
  return all;
}

std::optional<std::uint64_t> shared_element(const StepAccess& a, const StepAccess& b) {
  if (a.buffer != b.buffer) return std::nullopt;
  const StepAccess& fewer = a.rows <= b.rows ? a : b;
  const StepAccess& more = a.rows <= b.rows ? b : a;
  for (std::uint64_t row = 0; row < fewer.rows; ++row)
    if (const auto found = shared_with_row(fewer.begin + row * fewer.pitch, fewer.width, more)) return found;
  return std::nullopt;
}

void check_access(const LaunchPlan& plan, const PlanStep& step) {
  std::visit([&](const auto& known) { check(plan, known, step); }, step);
}

void check_steps(const LaunchPlan& plan) {
  check_order(plan);
  for (const BufferSpec& buffer : plan.buffers)
    if (buffer.on_host() && !buffer.symbol.empty())
      throw Error(
          format("`{}` lies on the host and cannot be copied to variable `{}`", buffer.name, buffer.symbol));
  for (const PlanStep* step : all_steps(plan)) check_access(plan, *step);
  check_devices(plan);
  check_transforms(plan);
}

StepPrecedence::StepPrecedence(const LaunchPlan& plan) {
  const auto waits = waits_of(plan);
  const std::uint32_t streams = stream_count(plan);
  for (std::size_t i = 0; i < waits.size(); ++i) {
    stream_.push_back(order_of(plan.launches[i]).stream);
    std::vector<std::size_t> ended(streams);
    for (const std::size_t earlier : waits[i]) {
      for (std::size_t stream = 0; stream < streams; ++stream)
        ended[stream] = std::max(ended[stream], ended_[earlier][stream]);
      ended[stream_[earlier]] = std::max(ended[stream_[earlier]], earlier + 1);
    }
    ended_.push_back(std::move(ended));
  }
}

bool StepPrecedence::before(std::size_t first, std::size_t second) const {
  return first < ended_.at(second).at(stream_.at(first));
}

std::string StepConflict::text(const LaunchPlan& plan) const {
  return format(
      "step {} ({}) and step {} ({}) both touch element {} of the allocation of "
      "'{}', one of them writes it, and nothing orders them: streams {} and {}",
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
