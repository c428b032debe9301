// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay/pipeline.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tune::replay {

SimulatedPipeline::SimulatedPipeline(const search::SearchSpace& space, const OutcomeTable& outcomes,
                                     unsigned compilers)
    : space_(space), outcomes_(outcomes), free_at_(std::max(1U, compilers)) {}

std::size_t SimulatedPipeline::window() const {
  return PipelineLoad::window(static_cast<unsigned>(free_at_.size()));
}

std::optional<std::size_t> SimulatedPipeline::in_flight() const {
  return load_.in_flight(static_cast<unsigned>(free_at_.size()));
}

bool SimulatedPipeline::any_idle() const {
  return std::ranges::any_of(free_at_, [this](double time) { return time <= now_; });
}

/// The next free compiler takes it: they are submitted in the order of time.
void SimulatedPipeline::submit(Configuration configuration) {
  const search::ConfigurationId id = space_.find(configuration).value();
  double& compiler = *std::ranges::min_element(free_at_);
  compiler = std::max(compiler, now_) + outcomes_.at(id).compile;
  queue_.push_back({std::move(configuration), id, now_ + compile_patience, compiler});
}

/// Returns when something changes that the one who waits could see.
double SimulatedPipeline::next_event(const NextInQueue& next, double starving_at) const {
  double time = std::numeric_limits<double>::infinity();
  const auto consider = [&](double moment) {
    if (moment > now_) time = std::min(time, moment);
  };
  for (const Submitted& one : queue_) consider(one.ready_at);
  for (const double moment : free_at_) consider(moment);
  if (next.awaited) consider(queue_[*next.awaited].overdue_at);
  consider(starving_at);
  return time;
}

std::optional<Evaluation> SimulatedPipeline::next() {
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  const double starving_at = now_ + starving_after;
  NextInQueue next;
  while (true) {
    next = next_in_queue(
        queue_, [this](const Submitted& one) { return one.ready_at <= now_; },
        [this](const Submitted& one) { return one.overdue_at <= now_; });
    if (next.ready) break;
    if (now_ >= starving_at && any_idle() && asked_for_more()) continue;
    now_ = next_event(next, starving_at);
  }
  Submitted taken = std::move(queue_[*next.ready]);
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(*next.ready));
  const Outcome& outcome = outcomes_.at(taken.id);
  const double device = outcome.seconds - outcome.compile;
  now_ += device;
  load_.add(outcome.compile, device);
  latest_ = taken.id;
  Evaluation evaluation;
  evaluation.configuration = std::move(taken.configuration);
  evaluation.phases = {.compile = outcome.compile, .measure = device};
  // Not a failure before a launch: each configuration counts.
  evaluation.outcome = fail(Phase::verify, "recorded as failed");
  if (outcome.cost) {
    Measurement measurement;
    measurement.samples = {*outcome.cost};
    evaluation.outcome = std::move(measurement);
  }
  return evaluation;
}

}  // namespace tune::replay
