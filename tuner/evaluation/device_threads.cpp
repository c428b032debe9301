// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "tuner/base/error.hpp"
#include "tuner/base/stop_scope.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

/// The part of DeviceEvaluator that is about several devices with threads of their own.
namespace tune {
namespace {

/// Between two looks whether the run was stopped, of somebody who waits for devices to end.
constexpr std::chrono::milliseconds rest_interval{20};

}  // namespace

void DeviceEvaluator::note_activity(std::size_t device, Activity activity) {
  if (!has_threads()) return now(activity);
  const std::scoped_lock lock(mutex_);
  activities_[device] = activity;
}

/// Returns when no device works any more.
void DeviceEvaluator::rest(const std::function<bool()>& stop) {
  std::unique_lock lock(mutex_);
  resting_ = true;
  while (working_ > 0) {
    lock.unlock();
    team_->stop(stop());
    lock.lock();
    changed_.wait_for(lock, rest_interval, [this] { return working_ == 0; });
  }
}

bool DeviceEvaluator::work_on(std::size_t device) {
  const std::shared_ptr<const CompiledPlan> common = options_.compare_devices ? team_->owed(device) : nullptr;
  if (common == nullptr && !team_->may_evaluate(device)) return false;
  std::optional<Planned> taken;
  {
    const std::scoped_lock lock(mutex_);
    if (resting_ || team_->stopped()) return false;
    if (common == nullptr) {
      const NextInQueue next = next_place();
      if (!next.ready) return false;
      taken = take_at(*next.ready);
      ++evaluating_;
    }
    ++working_;
  }
  Finished finished;
  if (taken)
    finished = answer_of(device, *taken);
  else
    compare_on(device, *common);
  {
    const std::scoped_lock lock(mutex_);
    if (finished.evaluation || finished.error) finished_.push_back(std::move(finished));
    if (taken) --evaluating_;
    --working_;
    activities_[device].reset();
  }
  changed_.notify_all();
  return true;
}

/// Neither an evaluation nor an error where the run was stopped.
DeviceEvaluator::Finished DeviceEvaluator::answer_of(std::size_t device, Planned& planned) {
  const StopScope scope([this] { return team_->stopped(); });
  Finished finished;
  try {
    finished.evaluation = evaluate(device, planned);
    if (!finished.evaluation->outcome && finished.evaluation->outcome.error().reason == run_ended)
      finished.evaluation.reset();
  } catch (const Error& error) {
    if (team_->stopped()) return finished;
    if (error.exit() == Exit::usage || !team_->leave_out(device, error.what())) {
      finished.error = std::current_exception();
      return finished;
    }
    Evaluation& lost = finished.evaluation.emplace();
    lost.configuration = planned.configuration;
    lost.device = device;
    lost.outcome = fail(Phase::crash, std::string(lost_device), error.what());
  } catch (...) {
    finished.error = std::current_exception();
  }
  return finished;
}

/// Counts an evaluation. `fastest`: its plan, where it is the fastest so far; else null.
void DeviceEvaluator::count(std::size_t device, const Evaluation& evaluation, CompiledPlan* fastest) {
  const bool is_doubtful =
      !evaluation.outcome && recurrence_of(evaluation.outcome.error()) != Recurrence::certain;
  std::optional<double> seconds;
  std::shared_ptr<const CompiledPlan> incumbent;
  {
    const std::scoped_lock lock(mutex_);
    if (fastest != nullptr && options_.compare_devices) {
      incumbent_ = std::make_shared<const CompiledPlan>(std::move(*fastest));
      seconds = evaluation.outcome->time();
    }
    incumbent = incumbent_;
  }
  team_->count(device, is_doubtful, incumbent, seconds);
}

/// Times the common configuration on a device. That is an evaluation there, and stored as one.
void DeviceEvaluator::compare_on(std::size_t device, const CompiledPlan& common) {
  const StopScope scope([this] { return team_->stopped(); });
  Evaluation evaluation;
  evaluation.configuration = common.configuration;
  evaluation.device = device;
  evaluation.is_comparison = true;
  evaluation.binary_hash = common.binary.hash;
  try {
    evaluation.outcome = workers_[device]->carry_out(common, std::nullopt, evaluation);
  } catch (const std::exception& error) {
    if (!team_->stopped()) (void)team_->leave_out(device, error.what());
    return;
  }
  if (team_->stopped()) return;
  std::optional<double> seconds;
  std::string failure;
  if (evaluation.outcome)
    seconds = evaluation.outcome->time();
  else
    failure = evaluation.outcome.error().reason + ": " + evaluation.outcome.error().detail;
  {
    const std::scoped_lock lock(mutex_);
    compared_[device] = std::move(evaluation);
  }
  const auto ratios = team_->compare(device, seconds, failure);
  const std::scoped_lock lock(mutex_);
  for (const auto& [decided, ratio] : ratios) {
    Evaluation& comparison = compared_[decided];
    if (!comparison.outcome) continue;
    comparison.outcome->metrics = {{DeviceEquality::metric, ratio}};
    comparisons_.push_back(comparison);
  }
}

std::optional<Evaluation> DeviceEvaluator::take_finished() {
  const std::scoped_lock lock(mutex_);
  if (finished_.empty()) return std::nullopt;
  Finished taken = std::move(finished_.front());
  finished_.pop_front();
  if (taken.error) std::rethrow_exception(taken.error);
  return std::move(taken.evaluation);
}

std::size_t DeviceEvaluator::open() const {
  const std::scoped_lock lock(mutex_);
  return queue_.size() + evaluating_ + finished_.size();
}

std::size_t DeviceEvaluator::tell_activity() {
  std::size_t ready = 0, busy = 0;
  for (std::size_t device = 0; device < team_->size(); ++device) ready += team_->may_evaluate(device) ? 1 : 0;
  std::array<std::size_t, 4> devices{};  // as Activity
  {
    const std::scoped_lock lock(mutex_);
    for (const std::optional<Activity>& activity : activities_)
      if (activity) ++devices.at(static_cast<std::size_t>(*activity));
    devices[0] = compiling();
    busy = working_;
  }
  const auto most = std::max_element(devices.begin() + 1, devices.end());
  if (*most > 0)
    now(static_cast<Activity>(most - devices.begin()), *most);
  else
    now(Activity::compiling, devices[0]);
  return ready - std::min(ready, busy);
}

bool DeviceEvaluator::goes_on() {
  const bool is_over = waits_no_longer();
  team_->stop(device_is_stopped());
  const std::scoped_lock lock(mutex_);
  return evaluating_ > 0 || !finished_.empty() || (!is_over && !team_->stopped());
}

std::optional<Evaluation> DeviceEvaluator::next_of_devices() {
  if (open() == 0) throw std::logic_error("no configuration was submitted");
  const Stopwatch starved;
  while (true) {
    if (auto evaluation = take_finished()) return evaluation;
    if (!goes_on()) return std::nullopt;
    const std::size_t idle = tell_activity();
    if (idle > 0 && starved.seconds() >= starving_after && pool_.any_idle() && asked_for_more()) continue;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(starving_after),
                      [this] { return !finished_.empty(); });
  }
}

std::vector<DeviceShare> DeviceEvaluator::devices() const {
  return has_threads() ? team_->shares() : std::vector<DeviceShare>();
}

DeviceNews DeviceEvaluator::take_news() {
  if (!has_threads()) return {};
  DeviceNews news;
  news.lines = team_->take_lines();
  const std::scoped_lock lock(mutex_);
  news.comparisons = std::exchange(comparisons_, {});
  return news;
}

}  // namespace tune
