// SPDX-License-Identifier: Apache-2.0
// The thread behind a dispatcher: makes candidates ready, and keeps what came out.
#include <algorithm>

#include "library/dispatcher/dispatcher_engine.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::api {

void Dispatcher::Engine::run_thread(const std::stop_token& stop) {
  try {
    while (true) {
      std::vector<online::CallVerdict> verdicts;
      bool wanted = false, settled = false;
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, stop, [&] { return policy_.has_verdicts() || wants() || policy_.settled(); });
        if (stop.stop_requested()) return;
        verdicts = policy_.take_verdicts();
        wanted = wants();
        settled = policy_.settled();
      }
      take(verdicts);
      if (settled) {
        keep_best();
        const std::lock_guard lock(mutex_);
        stored_ = true;
        return;
      }
      if (wanted && !supply(stop)) {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        policy_.close();
      }
    }
  } catch (const std::exception& error) {
    // The program goes on with the best so far.
    const std::lock_guard lock(mutex_);
    notice_ = format("nothing more is tried: {}", error.what());
    closed_ = stored_ = true;
    policy_.stop();
  }
}

/// One more candidate, unless nothing is left.
bool Dispatcher::Engine::supply(const std::stop_token& stop) {
  while (!stop.stop_requested() && left_ > 0) {
    const std::vector<search::ConfigurationId> asked = strategy_->ask(1);
    if (asked.empty()) return false;
    const search::Configuration configuration = space_.at(asked.front());
    if (!known_.insert(configuration.key()).second) continue;
    tune::Result<PreparedCandidate> ready = maker_.make(configuration);
    if (ready) {
      --left_;
      const std::lock_guard lock(mutex_);
      candidates_.push_back(std::move(*ready));
      policy_.add();
      return true;
    }
    const search::Observation observation{asked.front(), std::nullopt};
    strategy_->tell({&observation, 1});
    if (ready.error().reason == "same code") continue;
    --left_;
    tune::Evaluation failure;
    failure.configuration = configuration;
    failure.outcome = tl::unexpected(ready.error());
    record_.record(failure);
    const std::lock_guard lock(mutex_);
    ++failed_;
    notice_ = record_.notice();
  }
  return stop.stop_requested();
}

tune::Evaluation Dispatcher::Engine::evaluation_of(const online::CallVerdict& verdict) {
  const std::lock_guard lock(mutex_);
  tune::Evaluation evaluation = candidates_[verdict.candidate].evaluation;
  if (!evaluation.outcome || !verdict.cost || verdict.ratios.empty()) return evaluation;
  // As if all had been timed beside the first best: what slowed the device down meanwhile slowed both.
  const double scale = *verdict.cost / median(verdict.ratios);
  for (const double ratio : verdict.ratios) evaluation.outcome->samples.push_back(ratio * scale);
  return evaluation;
}

void Dispatcher::Engine::take(const std::vector<online::CallVerdict>& verdicts) {
  for (const online::CallVerdict& verdict : verdicts) {
    keep_first();
    const tune::Evaluation evaluation = evaluation_of(verdict);
    record_.record(evaluation);
    const search::Observation observation{*space_.find(evaluation.configuration), verdict.cost};
    strategy_->tell({&observation, 1});
    const std::lock_guard lock(mutex_);
    ++(evaluation.outcome ? tried_ : failed_);
    notice_ = record_.notice();
  }
}

/// What the program began with, once it was timed.
void Dispatcher::Engine::keep_first() {
  if (first_kept_) return;
  tune::Evaluation evaluation;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<double>& samples =
        policy_.first_samples().empty() ? policy_.best_samples() : policy_.first_samples();
    if (samples.empty()) return;
    evaluation = candidates_.front().evaluation;
    evaluation.outcome->samples = samples;
  }
  first_kept_ = true;
  record_.record(evaluation);
}

void Dispatcher::Engine::keep_best() {
  if (best_kept_) return;
  keep_first();
  std::vector<double> samples;
  search::Configuration best;
  bool settled = false;
  {
    const std::lock_guard lock(mutex_);
    samples = policy_.best_samples();
    best = candidates_[policy_.best()].configuration;
    settled = policy_.settled();
  }
  if (!first_kept_ || samples.empty()) return;
  best_kept_ = true;
  record_.record_best(best, samples);
  record_.end(settled ? RunEnd::exhausted : RunEnd::stopped);
}

void Dispatcher::Engine::finish() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  std::vector<online::CallVerdict> verdicts;
  {
    const std::lock_guard lock(mutex_);
    verdicts = policy_.take_verdicts();
  }
  if (strategy_ != nullptr) take(verdicts);
  keep_best();
  const std::lock_guard lock(mutex_);
  closed_ = stored_ = true;
  policy_.stop();
  timed_.reset();
  notice_ = record_.notice().empty() ? notice_ : record_.notice();
}

}  // namespace tune::api
