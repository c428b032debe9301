// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/runner/prepared_plan.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tuner/backends/cuda/checks/device_checks.hpp"
#include "tuner/backends/cuda/plan/buffers.hpp"
#include "tuner/backends/cuda/plan/device_context.hpp"
#include "tuner/backends/cuda/plan/execution_graph.hpp"
#include "tuner/backends/cuda/plan/launch_sequence.hpp"
#include "tuner/backends/cuda/runtime/module.hpp"
#include "tuner/backends/guards.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/failure.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/measurement/sampling.hpp"
#include "tuner/measurement/stopping_rule.hpp"
#include "tuner/plan/tensor_part.hpp"
#include "tuner/tensor/verifier.hpp"

namespace tune::cuda {
namespace {

/// Turns a status into a failure, as DeviceContext::failure, whatever device it comes from. All have ended
/// their work then.
Failure failure_of(const std::vector<DevicePart>& parts, cudaError_t status) {
  Failure failure;
  // The first device comes last: it stays the current one, unless another one has a fault.
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    ignore(cudaSetDevice(part->context->device));
    failure = part->context->failure(status);
    if (failure.phase == Phase::crash) break;
  }
  return failure;
}

/// Times the executions of one plan, whose buffers are filled. Its arguments must outlive it.
class PlanTimer : public Sampler {
 public:
  PlanTimer(const std::vector<DevicePart>& parts, LaunchSequence& launches, bool flush_cache, GraphUse use);

  /// Call it first: executes so many times, at least once, and chooses the executions in a sample by the
  /// shortest. Failure{launch, "graph"} for a plan that needs a graph and cannot be one.
  Result<void> warm_up(int executions);
  /// Chooses the executions in a sample for executions of so many seconds. Returns whether that changed what
  /// a sample is. Failure{launch, "graph"} as for warm_up.
  Result<bool> batch(double seconds);
  /// Shorter executions are timed many at a time. Without a flush, which lets the host run ahead, the time of
  /// an execution alone may be that of its launch: 10 us on a busy host.
  double short_limit() const { return flush_cache_ ? short_execution : 4 * short_execution; }
  /// Returns the executions in a sample.
  int executions() const { return graph_ ? graph_->executions() : 1; }

  Result<std::vector<double>> take(int samples) override;
  double device_seconds() const override { return device_seconds_; }
  std::uint64_t throttle_reasons() override;
  void rest() override;

  /// Measures the joules of an execution, from executions without flushes for about half a second; an
  /// execution takes about `execution_seconds`. 0 where the device does not count energy.
  Result<double> measure_energy(double execution_seconds);

 private:
  cudaError_t enqueue_execution();
  cudaError_t enqueue_samples(std::size_t samples);
  cudaError_t prepare_sample(const DevicePart& part) const;
  cudaError_t prepare_sample_elsewhere(std::size_t part) const;
  /// Returns the joules that all devices have counted; nothing where one does not count.
  std::optional<double> energy() const;
  Batching batching_of(double seconds) const;
  Result<double> power_while_busy(double estimated_seconds, double& measured_seconds);
  tl::unexpected<Failure> failed(cudaError_t status) { return tl::unexpected(failure_of(parts_, status)); }

  const std::vector<DevicePart>& parts_;
  LaunchSequence& launches_;
  bool flush_cache_;
  GraphUse use_;
  DeviceContext& context_;       ///< of the first device
  Event ready_;                  ///< the first device has ended what came before a sample
  std::vector<Event> prepared_;  ///< of each further device
  std::optional<ExecutionGraph> graph_;
  double device_seconds_ = 0;
};

PlanTimer::PlanTimer(const std::vector<DevicePart>& parts, LaunchSequence& launches, bool flush_cache,
                     GraphUse use)
    : parts_(parts),
      launches_(launches),
      flush_cache_(flush_cache),
      use_(use),
      context_(*parts.front().context),
      ready_(make_ordering_event()) {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    const CurrentDevice current(parts_[i].context->device);
    prepared_.push_back(make_ordering_event());
  }
}

using std::chrono::milliseconds;

double seconds_between(const Event& from, const Event& to) {
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, from.get(), to.get()));
  return static_cast<double>(elapsed) * 1e-3;
}

Result<void> PlanTimer::warm_up(int executions) {
  const auto first_time = take(1);
  if (!first_time) return tl::unexpected(first_time.error());
  double shortest = first_time->front();
  if (executions > 1 && shortest < long_sample) {
    const auto times = take(executions - 1);
    if (!times) return tl::unexpected(times.error());
    shortest = std::min(shortest, *std::ranges::min_element(*times));
  }
  // An idle device takes a few executions to reach its clock: near the limit two are not enough.
  for (int i = 0; i < 4 && shortest >= short_limit() && shortest < 4 * short_limit(); ++i) {
    const auto more = take(8);
    if (!more) return tl::unexpected(more.error());
    shortest = std::min(shortest, *std::ranges::min_element(*more));
  }
  if (const auto batched = batch(shortest); !batched) return tl::unexpected(batched.error());
  return {};
}

Result<bool> PlanTimer::batch(double seconds) {
  const bool is_short = seconds < short_limit();
  if (graph_ || use_ == GraphUse::never || (use_ == GraphUse::automatic && !is_short)) return false;
  graph_ = ExecutionGraph::make(batching_of(seconds), parts_.front().buffers, launches_, context_);
  if (!graph_ && use_ == GraphUse::always)
    return fail(Phase::launch, "graph", "the plan's steps cannot be recorded as a CUDA graph");
  // The first start of a graph also sends it to the device.
  if (const auto first = take(1); !first) return tl::unexpected(first.error());
  return graph_.has_value();
}

/// Buffers on the host are not copied: the device's caches do not hold them. Plans that read their outputs
/// are executed once a sample, because the first contents are restored before each. So are plans of several
/// devices.
Batching PlanTimer::batching_of(double seconds) const {
  constexpr std::uint64_t max_bytes_of_copies = std::uint64_t{4} << 30;
  const auto& buffers = parts_.front().buffers;
  if (seconds >= short_limit() || buffers.any_in_place() || parts_.size() > 1) return {};
  std::uint64_t bytes = 0;
  bool on_host = false;
  for (const auto& buffer : buffers.all()) {
    bytes += buffer.spec.allocation_bytes();
    on_host = on_host || buffer.spec.on_host();
  }
  const auto memory = std::min(context_.pool.available() / 4, max_bytes_of_copies);
  return batching(seconds, bytes, memory, launches_.steps().size(), flush_cache_ && !on_host);
}

Result<std::vector<double>> PlanTimer::take(int samples) {
  const auto count = static_cast<std::size_t>(samples);
  auto status = enqueue_samples(count);
  if (status == cudaSuccess) status = cudaStreamSynchronize(context_.stream.get());
  if (status != cudaSuccess) return failed(status);
  const auto& events = context_.events(2 * count + 1);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < count; ++i)
    seconds.push_back(seconds_between(events[2 * i + 1], events[2 * i + 2]) / executions());
  device_seconds_ += seconds_between(events.front(), events[2 * count]);
  return seconds;
}

/// Enqueues all samples before waiting: while the device flushes its cache for one, the host enqueues the
/// next, and the gap between an event and a launch does not count.
cudaError_t PlanTimer::enqueue_samples(std::size_t samples) {
  const auto stream = context_.stream.get();
  const auto& events = context_.events(2 * samples + 1);
  auto status = cudaEventRecord(events[0].get(), stream);
  for (std::size_t i = 0; i < samples && status == cudaSuccess; ++i) {
    status = prepare_sample(parts_.front());
    for (std::size_t part = 1; part < parts_.size() && status == cudaSuccess; ++part)
      status = prepare_sample_elsewhere(part);
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i + 1].get(), stream);
    if (status == cudaSuccess) status = enqueue_execution();
    if (status == cudaSuccess) status = cudaEventRecord(events[2 * i + 2].get(), stream);
  }
  return status;
}

/// Enqueues what comes before a sample on a device, which is the current one.
cudaError_t PlanTimer::prepare_sample(const DevicePart& part) const {
  part.buffers.restore_in_place(part.context->snapshots, part.context->stream.get());
  return flush_cache_ ? part.context->flush_l2() : cudaSuccess;
}

/// The same on a further device, after the earlier work of the first one and before its later work.
cudaError_t PlanTimer::prepare_sample_elsewhere(std::size_t part) const {
  const auto stream = parts_[part].context->stream.get();
  auto status = cudaEventRecord(ready_.get(), context_.stream.get());
  if (status == cudaSuccess) status = cudaStreamWaitEvent(stream, ready_.get(), 0);
  const CurrentDevice current(parts_[part].context->device);
  if (status == cudaSuccess) status = prepare_sample(parts_[part]);
  if (status == cudaSuccess) status = cudaEventRecord(prepared_[part - 1].get(), stream);
  if (status == cudaSuccess)
    status = cudaStreamWaitEvent(context_.stream.get(), prepared_[part - 1].get(), 0);
  return status;
}

std::optional<double> PlanTimer::energy() const {
  double joules = 0;
  for (const auto& part : parts_) {
    const auto own = part.context->nvml ? part.context->nvml->energy() : std::nullopt;
    if (!own) return std::nullopt;
    joules += *own;
  }
  return joules;
}

cudaError_t PlanTimer::enqueue_execution() {
  return graph_ ? graph_->enqueue(context_.stream.get()) : launches_.enqueue(context_.stream.get());
}

std::uint64_t PlanTimer::throttle_reasons() {
  std::uint64_t reasons = 0;
  for (const auto& part : parts_)
    if (part.context->nvml) reasons |= part.context->nvml->throttle();
  return reasons;
}

void PlanTimer::rest() {
  std::this_thread::sleep_for(milliseconds(50));
}

Result<double> PlanTimer::measure_energy(double execution_seconds) {
  if (!energy()) return 0;
  double seconds = 0;
  const auto watts = power_while_busy(execution_seconds * executions(), seconds);
  if (!watts) return tl::unexpected(watts.error());
  return *watts * seconds / executions();
}

/// Keeps the device busy with two pieces of work, one enqueued while the other runs, and reads the counter
/// meanwhile. 0 where the counter does not move.
Result<double> PlanTimer::power_while_busy(double estimated_seconds, double& measured_seconds) {
  constexpr double min = 0.5;
  constexpr double max = 3;
  constexpr double piece = 0.02;
  const auto piece_executions =
      static_cast<int>(std::clamp(piece / std::max(estimated_seconds, 1e-6), 1.0, 4000.0));
  const auto& events = context_.events(3);
  const auto enqueue_piece = [&](const Event& end) {
    auto status = cudaSuccess;
    for (int i = 0; i < piece_executions && status == cudaSuccess; ++i) status = enqueue_execution();
    return status == cudaSuccess ? cudaEventRecord(end.get(), context_.stream.get()) : status;
  };

  EnergyWindow window(min);
  const Stopwatch watch;
  auto status = cudaEventRecord(events[0].get(), context_.stream.get());
  if (status == cudaSuccess) status = enqueue_piece(events[1]);
  std::size_t running = 1;
  double pieces = 1;
  for (bool enough = false; !enough && watch.seconds() < max && status == cudaSuccess; ++pieces) {
    status = enqueue_piece(events[3 - running]);
    // At least once: a queue that is full makes enqueuing take as long as the work before it.
    for (auto ended = cudaErrorNotReady; status == cudaSuccess && ended == cudaErrorNotReady;) {
      const auto joules = energy();
      enough = enough || (joules && window.add(watch.seconds(), *joules));
      ended = cudaEventQuery(events[running].get());
      ignore(ended);
      if (ended == cudaErrorNotReady)
        std::this_thread::sleep_for(milliseconds(1));
      else
        status = ended;
    }
    running = 3 - running;
  }
  if (status == cudaSuccess) status = cudaStreamSynchronize(context_.stream.get());
  if (status != cudaSuccess) return failed(status);
  measured_seconds = seconds_between(events[0], events[running]) / (pieces * piece_executions);
  return window.watts();
}

/// Copies memory to the host and waits.
Result<std::vector<std::byte>> bring(const std::byte* from, std::size_t size, DeviceContext& context) {
  std::vector<std::byte> host(size);
  auto status = cudaMemcpyAsync(host.data(), from, size, cudaMemcpyDeviceToHost, context.stream.get());
  if (status == cudaSuccess) status = cudaStreamSynchronize(context.stream.get());
  if (status != cudaSuccess) return tl::unexpected(context.failure(status));
  return host;
}

Result<void> check_guards(std::span<const PlanBuffer* const> buffers, DeviceContext& context) {
  std::vector<checks::Zone> red_zones;
  for (const auto* buffer : buffers) {
    red_zones.push_back(buffer->red_zone_before());
    red_zones.push_back(buffer->red_zone_after());
  }
  const auto damaged = context.checks().damaged(red_zones, context.stream.get());
  if (!damaged) return tl::unexpected(context.failure(damaged.error()));
  // Most stray writes go beyond the end.
  for (const auto side : {Side::after, Side::before})
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      const auto which = 2 * i + (side == Side::after ? 1 : 0);
      if (!(*damaged)[which]) continue;
      const auto* const begin = reinterpret_cast<const std::byte*>(red_zones[which].begin);
      const auto found = bring(begin, red_zones[which].bytes, context);
      if (!found) return tl::unexpected(found.error());
      return tl::unexpected(
          out_of_bounds(buffers[i]->spec.name, side, *found, reinterpret_cast<std::uintptr_t>(begin) % 4));
    }
  return {};
}

/// Fails and names the changed element at `place`, which is rounded down to a multiple of 8.
Result<void> describe_change(const PlanBuffer& buffer, const std::byte* snapshot, std::uint64_t place,
                             DeviceContext& context) {
  const auto bytes = buffer.spec.allocation_bytes();
  const auto sums = context.checks().sums(snapshot, bytes, context.stream.get());
  if (!sums) return tl::unexpected(context.failure(sums.error()));
  if (*sums != buffer.sums) return tl::unexpected(far_out_of_bounds());
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(8, bytes - place));
  const auto was = bring(snapshot + place, size, context);
  const auto is = was ? bring(buffer.data() + place, size, context) : was;
  if (!is) return tl::unexpected(is.error());
  const auto differing = std::ranges::mismatch(*was, *is).in1 - was->begin();
  return tl::unexpected(
      changed_input(buffer.spec, place + static_cast<std::uint64_t>(differing), place, *was, *is));
}

Result<void> check_input(const PlanBuffer& buffer, DeviceContext& context) {
  const auto bytes = buffer.spec.allocation_bytes();
  const auto* const snapshot = context.snapshots.find(*buffer.snapshot);
  if (snapshot != nullptr) {
    const auto* const was = snapshot->memory.data();
    const auto place = context.checks().difference(buffer.data(), was, bytes, context.stream.get());
    if (!place) return tl::unexpected(context.failure(place.error()));
    if (*place) return describe_change(buffer, was, **place, context);
    return {};
  }
  const auto sums = context.checks().sums(buffer.data(), bytes, context.stream.get());
  if (!sums) return tl::unexpected(context.failure(sums.error()));
  const auto tile = static_cast<std::uint64_t>(std::ranges::mismatch(*sums, buffer.sums).in1 - sums->begin());
  if (tile == sums->size()) return {};
  const auto begin = tile * checks::tile_bytes;
  return tl::unexpected(
      changed_input(buffer.spec, begin, std::min<std::uint64_t>(checks::tile_bytes, bytes - begin)));
}

/// Failure{verify} where a red zone or an input, its padding included, is no longer as `fill` left it.
Result<void> check_memory(const PlanBuffers& buffers, DeviceContext& context) {
  std::vector<const PlanBuffer*> on_device;
  for (const auto& buffer : buffers.all())
    if (!buffer.spec.on_host()) on_device.push_back(&buffer);
  if (auto fine = check_guards(on_device, context); !fine) return fine;
  for (const auto* buffer : on_device)
    if (buffer->snapshot)
      if (auto fine = check_input(*buffer, context); !fine) return fine;
  for (const auto& buffer : buffers.all()) {
    if (!buffer.spec.on_host()) continue;
    if (const auto status = buffers.stage(buffer, context.stream.get()); status != cudaSuccess)
      return tl::unexpected(context.failure(status));
    const PlanBuffer* const one = &buffer;
    if (auto fine = check_guards(std::span(&one, 1), context); !fine) return fine;
    if (!buffer.snapshot) continue;
    if (auto fine = check_input(buffer, context); !fine) return fine;
  }
  return {};
}

/// Compares an output, staged if it lies on the host, with a reference, which is kept on the device where
/// there is room, else sent in parts. Nothing for a layout of more dimensions with gaps, or limits along more
/// axes, than the kernel supports, and for references of whole numbers. Throws std::logic_error where the
/// reference or the limits do not fit the output.
Result<std::optional<Comparison>> compare_on_device(const PlanBuffer& output, const TensorView& reference,
                                                    const Bounds& bounds, DeviceContext& context) {
  check_reference({output.spec.type, results_layout(output.spec).extents, {}}, reference);
  if (reference.type != ElementType::f64) return std::nullopt;
  const auto placement = placement_of(output.results, element_size(output.spec.type));
  const auto table = limits_of(bounds, reference.extents);
  if (!placement || !table) return std::nullopt;
  const auto count = reference.size();
  const auto stream = context.stream.get();
  const auto key =
      snapshot_key(output.spec.name + " (reference)", Layout::dense(reference.extents), reference);
  const auto* const snapshot = context.snapshots.get(key, reference, context.checks(), stream);
  // Without room for the reference, the memory of flush_l2 holds one part after another.
  const std::uint64_t at_once = snapshot != nullptr ? count : context.spare().size() / sizeof(double);
  const auto* const on_device =
      reinterpret_cast<const double*>(snapshot != nullptr ? snapshot->memory.data() : context.spare().data());
  const auto send = [&](std::uint64_t begin, std::uint64_t part) {
    if (snapshot != nullptr) return cudaSuccess;
    return cudaMemcpyAsync(context.spare().data(), reference.bytes.data() + begin * sizeof(double),
                           part * sizeof(double), cudaMemcpyHostToDevice, stream);
  };
  const auto limits = context.checks().send(*table, stream);
  if (!limits) return tl::unexpected(context.failure(limits.error()));
  const auto compare = [&](std::uint64_t begin, std::uint64_t part) {
    return context.checks().compare(
        {output.spec.type, output.first_result(), *placement, on_device, begin, part}, bounds, *limits,
        stream);
  };
  const auto found = compare_in_parts(count, at_once, send, compare);
  if (!found) return tl::unexpected(context.failure(found.error()));
  return std::optional(*found);
}

}  // namespace

CudaPreparedPlan::CudaPreparedPlan(std::vector<DevicePart> parts, std::shared_ptr<const Module> module,
                                   std::map<std::string, std::string> variables, PlanTextures textures,
                                   FourierPlans transforms, LaunchSequence setup, LaunchSequence launches,
                                   LaunchSequence checks, std::vector<KernelResources> resources,
                                   GraphUse graph)
    : parts_(std::move(parts)),
      context_(*parts_.front().context),
      module_(std::move(module)),
      variables_(std::move(variables)),
      textures_(std::move(textures)),
      transforms_(std::move(transforms)),
      setup_(std::move(setup)),
      launches_(std::move(launches)),
      checks_(std::move(checks)),
      resources_(std::move(resources)),
      graph_(graph) {}

CudaPreparedPlan::~CudaPreparedPlan() {
  // Kernels must have ended before the code is unloaded and the next plan gets the memory.
  ignore(cudaStreamSynchronize(context_.stream.get()));
}

void CudaPreparedPlan::enter() const {
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) part->context->enter();
}

Result<double> CudaPreparedPlan::run_checked(const TensorViews& inputs) {
  enter();
  for (auto& [context, buffers] : parts_) {
    const CurrentDevice current(context->device);
    buffers.fill(inputs, context->snapshots, context->checks(), context->stream.get());
    check(cudaStreamSynchronize(context->stream.get()));
  }
  check(textures_.fill(context_.stream.get()));
  fill_variables();
  check(wait());
  filled_ = true;
  const auto stream = context_.stream.get();
  const auto& events = context_.events(2);
  auto status = setup_.enqueue(stream);
  if (status == cudaSuccess) status = cudaEventRecord(events[0].get(), stream);
  if (status == cudaSuccess) status = launches_.enqueue(stream);
  if (status == cudaSuccess) status = cudaEventRecord(events[1].get(), stream);
  if (status == cudaSuccess) status = checks_.enqueue(stream);
  if (status == cudaSuccess) status = wait();
  if (status == cudaSuccess) return seconds_between(events[0], events[1]);
  return tl::unexpected(failure(status));
}

Result<void> CudaPreparedPlan::run_again() {
  enter();
  if (!filled_) throw Error("a plan can only be run again after a checked run, which fills its inputs");
  for (const auto& [context, buffers] : parts_) {
    const CurrentDevice current(context->device);
    check(buffers.poison_outputs(context->stream.get()));
    check(cudaStreamSynchronize(context->stream.get()));
  }
  auto status = launches_.enqueue(context_.stream.get());
  if (status == cudaSuccess) status = checks_.enqueue(context_.stream.get());
  if (status == cudaSuccess) status = wait();
  if (status == cudaSuccess) return {};
  return tl::unexpected(failure(status));
}

/// A binary need not have variables that its kernels do not use.
void CudaPreparedPlan::fill_variables() {
  for (const auto& buffer : parts_.front().buffers.all()) {
    const auto known = variables_.find(buffer.spec.symbol);
    if (buffer.spec.symbol.empty() || known == variables_.end()) continue;
    void* address = nullptr;
    std::size_t bytes = 0;
    check(find_variable(address, bytes, *module_, known->second));
    const auto wanted = static_cast<std::size_t>(buffer.spec.allocation_bytes());
    check(cudaMemcpyAsync(address, buffer.data(), wanted, cudaMemcpyDeviceToDevice, context_.stream.get()));
  }
}

Failure CudaPreparedPlan::failure(cudaError_t status) const {
  auto failure = failure_of(parts_, status);
  if (failure.phase != Phase::launch) return failure;
  for (const auto* sequence : {&setup_, &launches_, &checks_})
    if (const auto& refusal = sequence->refusal(); !refusal.empty())
      failure = {Phase::launch, refusal.starts_with("code") ? "host code" : "cuFFT", refusal};
  return failure;
}

Result<TensorView> CudaPreparedPlan::fetch(std::string_view buffer) {
  enter();
  const auto& [part, found] = find_buffer(parts_, buffer);
  const auto type = found->spec.type;
  const auto extents = results_layout(found->spec).extents;
  const auto size = element_count(extents) * element_size(type);
  const CurrentDevice current(part->context->device);
  auto* const host = part->context->staging(size);
  part->buffers.fetch(buffer, host, part->context->stream.get());
  if (const auto status = cudaStreamSynchronize(part->context->stream.get()); status != cudaSuccess)
    return tl::unexpected(failure_of(parts_, status));
  return TensorView{type, extents, {host, size}};
}

Result<void> CudaPreparedPlan::check_memory() {
  enter();
  if (!filled_) throw Error("memory can only be checked after a checked run");
  for (const auto& [context, buffers] : parts_) {
    const CurrentDevice current(context->device);
    if (auto fine = cuda::check_memory(buffers, *context); !fine) return fine;
  }
  return {};
}

Result<Comparison> CudaPreparedPlan::compare(std::string_view buffer, const TensorView& reference,
                                             const Bounds& bounds) {
  enter();
  const auto& [where, output] = find_buffer(parts_, buffer);
  auto& context = *where->context;
  const CurrentDevice current(context.device);
  if (const auto status = where->buffers.stage(*output, context.stream.get()); status != cudaSuccess)
    return tl::unexpected(failure_of(parts_, status));
  const auto part = reference_part(output->spec, reference);
  const auto part_bounds = bounds_of_part(output->spec, bounds);
  const auto found = compare_on_device(*output, part, part_bounds, context);
  if (!found) return tl::unexpected(found.error());
  if (*found) return in_tensor(output->spec, **found);
  const auto fetched = fetch(buffer);
  if (!fetched) return tl::unexpected(fetched.error());
  return in_tensor(output->spec, tune::compare(*fetched, part, part_bounds));
}

Result<Timing> CudaPreparedPlan::measure(const MeasureOptions& options) {
  enter();
  if (!filled_) throw Error("a plan can only be measured after a checked run, which fills its inputs");
  PlanTimer timer(parts_, launches_, options.flush_cache, graph_);
  // A long checked execution is the warm-up too.
  if (!first_sample(options) || graph_ == GraphUse::always)
    if (const auto warm = timer.warm_up(options.warmup); !warm) return tl::unexpected(warm.error());
  auto timing = take_samples(timer, options);
  if (!timing) return timing;
  // Where something delayed the warm-up, only the samples show that executions are short.
  const auto batched = timer.batch(*std::ranges::min_element(timing->samples));
  if (!batched) return tl::unexpected(batched.error());
  if (*batched) timing = take_samples(timer, options);
  if (!timing) return timing;
  timing->executions = timer.executions();
  const auto throttle = std::exchange(timing->machine, context_.machine_state()).throttle;
  timing->machine.throttle = throttle;
  if (!options.energy) return timing;
  const auto energy = timer.measure_energy(*std::ranges::min_element(timing->samples));
  if (!energy) return tl::unexpected(energy.error());
  timing->energy = *energy;
  return timing;
}

cudaError_t CudaPreparedPlan::wait() const {
  return cudaStreamSynchronize(context_.stream.get());
}

}  // namespace tune::cuda
