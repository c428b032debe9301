// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/candidate_maker.hpp"

#include <algorithm>

#include "library/dispatcher/call_arguments.hpp"

namespace tune::api {
namespace {

using Slots = std::vector<std::vector<int>>;

/// Finds the source of each argument of each launch, in the order of the plan's launches.
class SlotFinder {
 public:
  explicit SlotFinder(const described::KernelDescription& description) : description_(description) {
    for (const described::Argument& argument : description.arguments)
      if (argument.is_passed()) given_.push_back(argument.name);
  }

  void add(const std::vector<described::LaunchDescription>& launches,
           const described::ExpressionScope& scope) {
    for (const described::LaunchDescription& launch : launches) {
      if (launch.when && !launch.when->value(scope).to_bool()) continue;
      const std::int64_t repetitions = launch.repeat ? launch.repeat->integer(scope) : 1;
      for (std::int64_t i = 0; i < repetitions; ++i) {
        described::ExpressionScope counted = scope;
        if (!launch.counter.empty()) counted.add_other(launch.counter, static_cast<double>(i));
        const std::size_t begin = slots.size();
        if (launch.body.empty())
          add_arguments(launch);
        else
          add(launch.body, counted);
        if (i % 2 == 1) swap_arrays(launch, begin);
      }
    }
  }

  Slots slots;

 private:
  int slot_of(const std::string& name) const {
    const auto found = std::ranges::find(given_, name);
    return found == given_.end() ? -1 : static_cast<int>(found - given_.begin());
  }
  void add_arguments(const described::LaunchDescription& launch) {
    slots.emplace_back();
    for (const std::string& name : description_.arguments_of(launch)) slots.back().push_back(slot_of(name));
  }
  void swap_arrays(const described::LaunchDescription& launch, std::size_t begin) {
    for (std::size_t i = begin; i < slots.size(); ++i)
      for (int& slot : slots[i])
        for (const auto& [first, second] : launch.swaps) {
          const int one = slot_of(first), other = slot_of(second);
          if (slot != one && slot != other) continue;
          slot = slot == one ? other : one;
          break;
        }
  }

  const described::KernelDescription& description_;
  std::vector<std::string> given_;  ///< the arguments of a call, in their order
};

}  // namespace

const std::vector<StreamRunner::Arguments>& PreparedCandidate::arguments(const std::vector<void*>& given) {
  places_.resize(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    auto& launch = std::get<Launch>(plan.launches[i]);
    places_[i].resize(slots[i].size());
    for (std::size_t k = 0; k < slots[i].size(); ++k) {
      if (slots[i][k] >= 0) {
        places_[i][k] = given[static_cast<std::size_t>(slots[i][k])];
        continue;
      }
      if (auto* object = std::get_if<StructArgument>(&launch.arguments[k])) {
        places_[i][k] = object->bytes.data();
        continue;
      }
      auto& scalar = std::get<ScalarArgument>(launch.arguments[k]);
      places_[i][k] = std::visit([](auto& value) { return static_cast<void*>(&value); }, scalar);
    }
  }
  return places_;
}

CandidateMaker::CandidateMaker(const described::DescribedProblem& problem, const Instance& instance,
                               CheckingDevice& device, StreamRunner& runner)
    : problem_(problem),
      instance_(instance),
      device_(device),
      runner_(runner),
      sources_(problem),
      verification_(problem, *device.backend, sources_, &device.device_work) {}

/// The device is free between sizes: a call that waits for it goes first.
tune::Result<CheckedError> CandidateMaker::check(const search::Configuration& configuration,
                                                 const LaunchPlan& plan, const Binary& binary,
                                                 Turns::Waiting waiting) {
  std::vector<Instance> sizes = problem_.check_instances(instance_, configuration);
  if (sizes.empty()) sizes.push_back(instance_);
  CheckedError all;
  for (const Instance& size : sizes) {
    const Turns::Turn turn = device_.turns.take(waiting);
    const tune::Result<CheckedError> checked =
        verification_.check_at({&size, 1}, configuration, plan, binary);
    if (!checked) return checked;
    all = {std::max(all.largest, checked->largest), checked->tolerance};
  }
  return all;
}

tune::Result<PreparedCandidate> CandidateMaker::make(const search::Configuration& configuration,
                                                     Turns::Waiting waiting,
                                                     const tune::Evaluation* checked_elsewhere) {
  tune::Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  if (!plan) return tl::unexpected(plan.error());
  const tune::Result<Binary> binary = device_.backend->compiler().compile(plan->compile);
  if (!binary) return tl::unexpected(binary.error());
  if (!codes_.insert(executed_code(*plan, *binary)).second)
    return tune::fail(Phase::constraint, "same code", "as another configuration");
  PreparedCandidate ready;
  ready.configuration = configuration;
  ready.evaluation.configuration = configuration;
  ready.evaluation.binary_hash = binary->hash;
  ready.evaluation.phases.compile = binary->compile_seconds;
  ready.evaluation.from_cache = binary->cached;
  if (checked_elsewhere != nullptr && checked_elsewhere->outcome &&
      checked_elsewhere->binary_hash == binary->hash) {
    Measurement measurement;
    measurement.error = checked_elsewhere->outcome->error;
    measurement.tolerance = checked_elsewhere->outcome->tolerance;
    ready.evaluation.outcome = std::move(measurement);
  } else {
    const tune::Result<CheckedError> checked = check(configuration, *plan, *binary, waiting);
    if (!checked) return tl::unexpected(checked.error());
    Measurement measurement;
    measurement.error = checked->largest;
    measurement.tolerance = checked->tolerance;
    ready.evaluation.outcome = std::move(measurement);
  }
  plan->checks.clear();  // a call computes, and judges nothing
  SlotFinder finder(problem_.description());
  finder.add(problem_.description().launches,
             described::ExpressionScope(problem_.description().parameters, instance_, configuration));
  tune::Result<std::unique_ptr<LoadedPlan>> loaded = runner_.load(*plan, *binary);
  if (!loaded) return tl::unexpected(loaded.error());
  ready.loaded = std::move(*loaded);
  ready.slots = std::move(finder.slots);
  ready.plan = std::move(*plan);
  return ready;
}

}  // namespace tune::api
