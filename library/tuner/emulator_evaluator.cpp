// SPDX-License-Identifier: Apache-2.0
#include "library/tuner/emulator_evaluator.hpp"

#include <stdexcept>

#include "library/run/gpu.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::api {
namespace {

Phase phase_of(emulator::FindingKind kind) {
  switch (kind) {
    case emulator::FindingKind::compile:
      return Phase::compile;
    case emulator::FindingKind::no_launch:
      return Phase::constraint;
    case emulator::FindingKind::crash:
      return Phase::crash;
    case emulator::FindingKind::hang:
    case emulator::FindingKind::deadlock:
      return Phase::timeout;
    default:
      return Phase::verify;
  }
}

tune::Result<Measurement> outcome_of(const emulator::CheckVerdict& verdict) {
  if (!verdict.not_emulated.empty()) return tune::fail(Phase::launch, "not emulated", verdict.not_emulated);
  if (verdict.cannot_run) return tl::unexpected(*verdict.cannot_run);
  if (!verdict.findings.empty()) {
    const emulator::FindingKind kind = verdict.findings.front().kind;
    return tune::fail(phase_of(kind), std::string(emulator::to_string(kind)),
                      tune::joined(verdict.findings, &emulator::Finding::text, "\n"));
  }
  Measurement measurement;
  measurement.error = verdict.error;
  measurement.tolerance = verdict.tolerance;
  return measurement;
}

}  // namespace

EmulatorEvaluator::EmulatorEvaluator(const tune::Problem& problem, const KernelSources& sources,
                                     Instance instance, bool small)
    : problem_(problem), instance_(std::move(instance)), small_(small), jobs_(problem, sources) {}

std::vector<Instance> EmulatorEvaluator::sizes_of(const search::Configuration& configuration) const {
  std::vector<Instance> sizes;
  if (small_) sizes = problem_.check_instances(instance_, configuration);
  if (sizes.empty()) sizes.push_back(instance_);
  return sizes;
}

std::size_t EmulatorEvaluator::window() const {
  return 2 * std::size_t{host_threads()} * emulator::CheckOptions{}.batch;
}

void EmulatorEvaluator::drop() {
  queue_.clear();
  verdicts_.clear();
}

void EmulatorEvaluator::check_queue() {
  std::vector<emulator::CheckVerdict> found(queue_.size());
  emulator::CheckOptions options;
  options.device_takes = run::device_takes(true);
  emulator::check(
      queue_.size(),
      [&](std::size_t number) { return jobs_.job(queue_[number], sizes_of(queue_[number]), &instance_); },
      options,
      [&](std::size_t number, emulator::CheckVerdict verdict) {
        found[number] = std::move(verdict);
        return true;
      });
  verdicts_.assign(std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

std::optional<tune::Evaluation> EmulatorEvaluator::next() {
  if (queue_.empty()) throw std::logic_error("no configuration was submitted");
  if (verdicts_.empty()) check_queue();
  tune::Evaluation evaluation;
  evaluation.configuration = std::move(queue_.front());
  evaluation.outcome = outcome_of(verdicts_.front());
  queue_.pop_front();
  verdicts_.pop_front();
  return evaluation;
}

}  // namespace tune::api
