// SPDX-License-Identifier: Apache-2.0
#include "library/dispatcher/candidate_maker.hpp"

#include <algorithm>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {
namespace {

constexpr std::uint64_t seeds[] = {1, 2};

std::vector<std::vector<int>> slots_of(const definition::KernelDescription& description,
                                       const Instance& instance, const search::Configuration& configuration) {
  const definition::ExpressionScope scope(description.parameters, instance, configuration);
  // Those that a call gives, in their order.
  std::vector<std::string> given;
  for (const definition::Argument& argument : description.arguments)
    if (!argument.is_computed()) given.push_back(argument.name);
  std::vector<std::vector<int>> slots;
  for (const definition::LaunchDescription& launch : description.launches) {
    if (launch.when && !launch.when->value(scope).to_bool()) continue;
    slots.emplace_back();
    for (const std::string& name : description.arguments_of(launch)) {
      const auto found = std::ranges::find(given, name);
      slots.back().push_back(found == given.end() ? -1 : static_cast<int>(found - given.begin()));
    }
  }
  return slots;
}

/// Marks that kernels run beside the caller's.
class DeviceThread {
 public:
  explicit DeviceThread(std::atomic<std::uint64_t>& counter) : counter_(counter) { ++counter_; }
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;
  ~DeviceThread() { ++counter_; }

 private:
  std::atomic<std::uint64_t>& counter_;
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
      auto& scalar = std::get<ScalarArgument>(launch.arguments[k]);
      places_[i][k] = std::visit([](auto& value) { return static_cast<void*>(&value); }, scalar);
    }
  }
  return places_;
}

CandidateMaker::CandidateMaker(const definition::DescribedProblem& problem, const Instance& instance,
                               Backend& backend, StreamRunner& runner)
    : problem_(problem),
      instance_(instance),
      backend_(backend),
      runner_(runner),
      sources_(problem),
      reference_cache_(problem, [this](const Instance& size, const TensorSet& inputs) {
        return run_reference(problem_, size, inputs, backend_, sources_);
      }) {}

tune::Result<PreparedCandidate> CandidateMaker::make(const search::Configuration& configuration) {
  tune::Result<LaunchPlan> plan = problem_.plan(instance_, configuration, sources_);
  if (!plan) return tl::unexpected(plan.error());
  const tune::Result<Binary> binary = backend_.compiler().compile(plan->compile);
  if (!binary) return tl::unexpected(binary.error());
  const std::string code = content_hash(binary->hash + "\n" + launches_of(*plan));
  if (!codes_.insert(code).second)
    return tune::fail(Phase::constraint, "same code", "as another configuration");
  PreparedCandidate ready;
  ready.configuration = configuration;
  ready.evaluation.configuration = configuration;
  ready.evaluation.binary_hash = binary->hash;
  ready.evaluation.phases.compile = binary->compile_seconds;
  ready.evaluation.from_cache = binary->cached;
  tune::Result<Measurement> right = verify(configuration, *plan, *binary);
  if (!right) return tl::unexpected(right.error());
  ready.evaluation.outcome = std::move(*right);
  tune::Result<std::unique_ptr<LoadedPlan>> loaded = runner_.load(*plan, *binary);
  if (!loaded) return tl::unexpected(loaded.error());
  ready.loaded = std::move(*loaded);
  ready.slots = slots_of(problem_.description(), instance_, configuration);
  ready.plan = std::move(*plan);
  return ready;
}

/// At the check sizes, with two sets of inputs; where there are none, at the size itself.
tune::Result<Measurement> CandidateMaker::verify(const search::Configuration& configuration,
                                                 const LaunchPlan& plan, const Binary& binary) {
  std::vector<Instance> sizes = problem_.check_instances(instance_, configuration);
  if (sizes.empty()) sizes.push_back(instance_);
  Measurement measurement;
  for (const Instance& size : sizes) {
    const tune::Result<LaunchPlan> small = problem_.plan(size, configuration, sources_);
    if (!small) return tl::unexpected(small.error());
    tune::Result<Binary> other = binary;
    if (content_of(small->compile) != content_of(plan.compile))
      other = backend_.compiler().compile(small->compile);
    if (!other) return tl::unexpected(other.error());
    const DeviceThread working(device_work_);
    // A reference may be a kernel's: it runs before the plan that is held against it takes the device's
    // memory.
    for (const std::uint64_t seed : seeds) static_cast<void>(reference_cache_.at(size, seed));
    const auto prepared = backend_.runner().prepare(*small, *other);
    if (!prepared) return tl::unexpected(prepared.error());
    for (const std::uint64_t seed : seeds) {
      const tune::ReferenceData& expected = reference_cache_.at(size, seed);
      const tune::Result<double> error = check(**prepared, *small, expected);
      if (!error) return tl::unexpected(error.error());
      measurement.error = std::max(measurement.error, *error);
      measurement.tolerance = widest(tolerance_of(*small, expected));
    }
  }
  return measurement;
}

}  // namespace tune::api
