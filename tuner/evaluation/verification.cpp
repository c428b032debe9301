// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/verification.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/plan/tensor_part.hpp"
#include "tuner/tensor/reference_numbers.hpp"

namespace tune {
namespace {

HostTensor copied(const TensorView& view) {
  HostTensor tensor(view.type, view.extents);
  std::ranges::copy(view.bytes, tensor.bytes().begin());
  return tensor;
}

/// Compiles a plan, calls `run` with it and returns the outputs, each through `convert`; those of which
/// buffers hold parts are put together.
template<class Run, class Convert>
Result<TensorSet> outputs_of(const LaunchPlan& plan, Backend& backend, const Run& run,
                             const Convert& convert) {
  const Result<Binary> binary = backend.compiler().compile(plan.compile);
  if (!binary) return tl::unexpected(binary.error());
  const auto prepared = backend.runner().prepare(plan, *binary);
  if (!prepared) return tl::unexpected(prepared.error());
  if (const std::optional<Failure> failure = run(**prepared)) return tl::unexpected(*failure);
  TensorSet outputs;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output) continue;
    const Result<TensorView> output = (*prepared)->fetch(buffer.name);
    if (!output) return tl::unexpected(output.error());
    const Extents extents = tensor_extents(plan, buffer);
    if (extents == output->extents) {
      outputs.emplace(buffer.name, convert(*output));
      continue;
    }
    HostTensor& whole =
        outputs.try_emplace(tensor_name(buffer), HostTensor(buffer.type, extents)).first->second;
    const auto place = in_tensor(buffer, {}).worst_index * element_size(buffer.type);
    std::ranges::copy(output->bytes, whole.bytes().begin() + static_cast<std::ptrdiff_t>(place));
  }
  return outputs;
}

template<class T>
std::optional<Failure> failure_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error());
}

/// Checks the memory before the outputs: a stray write may spoil these too, and is the cause to name. Returns
/// the seconds on the device.
Result<double> run_and_check_memory(PreparedPlan& prepared, const TensorSet& inputs,
                                    const TensorSet& more = {}) {
  TensorViews views = views_of(inputs);
  views.merge(views_of(more));
  const Result<double> ran = prepared.run_checked(views);
  if (!ran) return ran;
  const Result<void> fine = prepared.check_memory();
  if (!fine) return tl::unexpected(fine.error());
  return ran;
}

/// Compares an output whose elements have limits of their own, which only the host does.
Result<Comparison> compare_output(PreparedPlan& prepared, const std::string& output,
                                  const TensorView& reference, const Bounds& bounds,
                                  const ElementLimits& limits) {
  if (!limits.any()) return prepared.compare(output, reference, bounds);  // of a whole tensor or of a part
  const Result<TensorView> fetched = prepared.fetch(output);
  if (!fetched) return tl::unexpected(fetched.error());
  return compare(*fetched, reference, bounds, limits);
}

/// Lets the plan's judgement look at its outputs.
Result<void> judge_outputs(PreparedPlan& prepared, const Judgement& judgement,
                           const ReferenceData& reference_data) {
  TensorSet outputs;
  for (const std::string& name : judgement.looked_at) {
    const Result<TensorView> fetched = prepared.fetch(name);
    if (!fetched) return tl::unexpected(fetched.error());
    outputs.emplace(name, copied(*fetched));
  }
  return judgement.judge({reference_data.inputs, reference_data.reference, outputs});
}

/// Compares every element of every output, and lets those be judged that are not compared. Returns the
/// largest error, or the failure.
Result<double> check_outputs(PreparedPlan& prepared, const LaunchPlan& plan,
                             const ReferenceData& reference_data) {
  const Tolerance tolerance = tolerance_of(plan, reference_data);
  if (const std::string reason = refusal_of(allowed_share(plan, reference_data)); !reason.empty())
    return fail(Phase::verify, "tolerance too wide", reason);
  double worst = 0;
  for (const BufferSpec& buffer : plan.buffers) {
    if (buffer.role != BufferRole::output || is_judged(plan.judgement, buffer.name)) continue;
    const std::string& name = tensor_name(buffer);
    const Bounds bounds = tolerance.of(name);
    const ElementLimits& limits = element_limits(reference_data.limits, name);
    const TensorView reference = view_of(reference_data.reference.at(name));
    const Result<Comparison> comparison = compare_output(prepared, buffer.name, reference, bounds, limits);
    if (!comparison) return tl::unexpected(comparison.error());
    if (!is_right(*comparison, bounds))
      return tl::unexpected(wrong_result(*comparison, reference.extents, bounds, name, limits));
    worst = std::max(worst, comparison->worst_error);
  }
  if (plan.judgement == nullptr) return worst;
  const Result<void> judged = judge_outputs(prepared, *plan.judgement, reference_data);
  if (!judged) return tl::unexpected(judged.error());
  return worst;
}

/// Counts up when kernels begin to run on the device and when they have ended.
class DeviceWork {
 public:
  explicit DeviceWork(std::atomic<std::uint64_t>* counter) : counter_(counter) { count(); }
  DeviceWork(const DeviceWork&) = delete;
  DeviceWork& operator=(const DeviceWork&) = delete;
  ~DeviceWork() { count(); }

 private:
  void count() {
    if (counter_ != nullptr) ++*counter_;
  }
  std::atomic<std::uint64_t>* counter_;
};

}  // namespace

std::string executed_code(const LaunchPlan& plan, const Binary& binary) {
  return content_hash(binary.hash + "\n" + launches_of(plan));
}

Result<CheckedRun> check(PreparedPlan& prepared, const LaunchPlan& plan,
                         const ReferenceData& reference_data) {
  const TensorSet references = reference_inputs(plan, reference_data.reference);
  const Result<double> ran = run_and_check_memory(prepared, reference_data.inputs, references);
  if (!ran) return tl::unexpected(ran.error());
  const Result<double> error = check_outputs(prepared, plan, reference_data);
  if (!error) return tl::unexpected(error.error());
  return CheckedRun{*error, *ran};
}

Result<double> check_after_timing(PreparedPlan& prepared, const LaunchPlan& plan,
                                  const ReferenceData& reference_data) {
  const bool in_place =
      std::ranges::any_of(plan.buffers, [](const BufferSpec& buffer) { return is_in_place(buffer); });
  Result<void> ran;
  if (!in_place) ran = prepared.run_again();
  if (ran) ran = prepared.check_memory();
  Result<double> error = 0.0;
  if (!ran)
    error = tl::unexpected(ran.error());
  else if (!in_place)
    error = check_outputs(prepared, plan, reference_data);
  if (!error && error.error().phase == Phase::verify)
    error.error().detail = "after the timed executions: " + error.error().detail;
  return error;
}

TensorSet run_reference(const Problem& problem, const Instance& instance, const TensorSet& inputs,
                        Backend& backend, const KernelSources& sources) {
  const std::optional<Result<LaunchPlan>> plan = problem.reference_plan(instance, sources);
  if (!plan) return {};
  const auto run = [&](PreparedPlan& prepared) { return failure_of(run_and_check_memory(prepared, inputs)); };
  Result<TensorSet> outputs = *plan ? outputs_of(**plan, backend, run, as_reference)
                                    : Result<TensorSet>(tl::unexpected((*plan).error()));
  if (outputs) return std::move(*outputs);
  if (problem.plan_replaces_reference(instance)) return {};
  throw Error(format("the reference of {} {} cannot be computed: {}: {}", problem.info().name, instance.key(),
                     outputs.error().reason, outputs.error().detail));
}

Verification::Verification(const Problem& problem, Backend& backend, const KernelSources& sources,
                           std::atomic<std::uint64_t>* device_work,
                           std::shared_ptr<ReferenceCache> references)
    : problem_(problem),
      backend_(backend),
      sources_(sources),
      device_work_(device_work),
      references_(std::move(references)),
      run_([this](const Instance& size, const TensorSet& inputs) {
        return run_reference(problem_, size, inputs, backend_, sources_);
      }) {
  if (references_ == nullptr) references_ = std::make_shared<ReferenceCache>(problem);
}

std::shared_ptr<const ReferenceData> Verification::reference_data(const Instance& instance,
                                                                  std::uint64_t seed) {
  const Stopwatch waiting;
  auto data =
      references_->at(instance, seed, run_, [this](TensorSet& tensors) { backend_.runner().place(tensors); });
  reference_seconds_ += waiting.seconds();
  return data;
}

Result<TensorSet> Verification::outputs(const Instance& instance, const Configuration& configuration) {
  const Result<LaunchPlan> plan = problem_.plan(instance, configuration, sources_);
  if (!plan) return tl::unexpected(plan.error());
  const auto expected = reference_data(problem_.reference_instance(instance, configuration), check_seeds[0]);
  const auto run = [&](PreparedPlan& prepared) { return failure_of(check(prepared, *plan, *expected)); };
  return outputs_of(*plan, backend_, run, copied);
}

Result<CheckedError> Verification::check_at(std::span<const Instance> sizes,
                                            const Configuration& configuration, const LaunchPlan& plan,
                                            const Binary& binary, const Compile& compile) {
  CheckedError checked;
  for (const Instance& instance : sizes) {
    const Result<LaunchPlan> small = problem_.plan(instance, configuration, sources_);
    if (!small) return tl::unexpected(small.error());
    std::optional<Result<Binary>> other;
    if (content_of(small->compile) != content_of(plan.compile))
      other = compile ? compile(small->compile) : backend_.compiler().compile(small->compile);
    if (other && !*other) return tl::unexpected(other->error());
    const DeviceWork working(device_work_);
    // Another plan may compute the reference: it runs before this one takes the device's memory.
    std::vector<std::shared_ptr<const ReferenceData>> expected_by_seed;
    const Instance reference = problem_.reference_instance(instance, configuration);
    for (const std::uint64_t seed : check_seeds) expected_by_seed.push_back(reference_data(reference, seed));
    const auto prepared = backend_.runner().prepare(*small, other ? **other : binary);
    if (!prepared) return tl::unexpected(prepared.error());
    SmallRun& run = checked.runs.emplace_back(SmallRun{launches_alone(*small), problem_.cost(instance).items,
                                                       std::numeric_limits<double>::infinity()});
    for (const auto& expected : expected_by_seed) {
      const Result<CheckedRun> ran = check(**prepared, *small, *expected);
      if (!ran) {
        Failure failure = ran.error();
        failure.detail = format("at {}: {}", instance.key(), failure.detail);
        return tl::unexpected(std::move(failure));
      }
      run.seconds = std::min(run.seconds, ran->seconds);
      checked.largest = std::max(checked.largest, ran->error);
      checked.tolerance = widest(tolerance_of(*small, *expected));
      note(*small, *expected);
    }
  }
  return checked;
}

}  // namespace tune
