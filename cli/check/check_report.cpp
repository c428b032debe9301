// SPDX-License-Identifier: Apache-2.0
#include "cli/check/check_report.hpp"

#include <iostream>

#include "cli/output/interrupt.hpp"
#include "cli/output/text_layout.hpp"
#include "tuner/backends/emulator/jobs/problem_jobs.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using nlohmann::ordered_json;

ordered_json failure_object(const Failure& failure) {
  return {{"phase", to_string(failure.phase)}, {"reason", failure.reason}, {"detail", failure.detail}};
}

ordered_json evaluation_object(const Evaluation& evaluation) {
  ordered_json entry = {{"configuration", json_object(evaluation.configuration.entries())}};
  if (evaluation.outcome) {
    entry["error"] = evaluation.outcome->error;
    entry["tolerance"] = evaluation.outcome->tolerance;
  } else {
    entry["failure"] = failure_object(evaluation.outcome.error());
  }
  if (evaluation.resources) {
    entry["registers"] = evaluation.resources->registers;
    entry["spill_store_bytes"] = evaluation.resources->spill_store_bytes;
  }
  return entry;
}

ordered_json finding_object(const emulator::Finding& finding) {
  const auto index = [](const emulator::Index3& at) { return ordered_json{at.x, at.y, at.z}; };
  ordered_json object = {{"kind", emulator::to_string(finding.kind)}, {"detail", finding.detail}};
  if (!finding.kernel.empty()) object["kernel"] = finding.kernel;
  if (!finding.size.empty()) object["size"] = finding.size;
  if (!finding.array.empty()) object["array"] = finding.array;
  if (!finding.array.empty()) object["offset_bytes"] = finding.offset;
  if (finding.has_thread) object["block"] = index(finding.block);
  if (finding.has_thread) object["thread"] = index(finding.thread);
  if (!finding.source.empty()) object["source"] = finding.source;
  return object;
}

/// The failure that a device would have stored, so that a reader of JSON needs one rule for both.
Failure as_failure(const emulator::Finding& finding) {
  using emulator::FindingKind;
  const Phase phase = finding.kind == FindingKind::compile ? Phase::compile
                      : finding.kind == FindingKind::hang  ? Phase::timeout
                      : finding.kind == FindingKind::crash || finding.kind == FindingKind::failed
                          ? Phase::crash
                          : Phase::verify;
  return {phase, std::string(emulator::to_string(finding.kind)), finding.text()};
}

ordered_json verdict_object(const Configuration& configuration, const emulator::CheckVerdict& verdict) {
  ordered_json entry = {{"configuration", json_object(configuration.entries())}};
  if (!verdict.not_emulated.empty()) entry["not_emulated"] = verdict.not_emulated;
  if (verdict.clean()) {
    entry["error"] = verdict.error;
    entry["tolerance"] = verdict.tolerance;
  }
  if (!verdict.findings.empty()) entry["failure"] = failure_object(as_failure(verdict.findings.front()));
  for (const emulator::Finding& finding : verdict.findings)
    entry["findings"].push_back(finding_object(finding));
  entry["emulated_seconds"] = verdict.seconds;
  return entry;
}

}  // namespace

void CheckReport::add(const Evaluation& evaluation) {
  if (!evaluation.outcome && evaluation.outcome.error().phase == Phase::resources)
    ++cannot_run_;
  else if (!evaluation.outcome)
    ++wrong_;
  if (form_ == Format::json)
    results_.emplace(checked_, evaluation_object(evaluation));
  else if (!evaluation.outcome)
    std::cout << format("{}: {}: {} [{}]\n", to_string(evaluation.outcome.error().phase),
                        evaluation.outcome.error().reason, evaluation.outcome.error().detail,
                        evaluation.configuration.key());
  ++checked_;
}

void CheckReport::add(std::size_t number, const Configuration& configuration,
                      const emulator::CheckVerdict& verdict) {
  ++checked_;
  emulated_seconds_ += verdict.seconds;
  if (!verdict.findings.empty())
    ++wrong_;
  else if (!verdict.not_emulated.empty())
    ++not_emulated_;
  if (form_ == Format::json) {
    results_.emplace(number, verdict_object(configuration, verdict));
    return;
  }
  for (const emulator::Finding& finding : verdict.findings)
    std::cout << format("{} [{}]\n", finding.text(), configuration.key());
  if (!verdict.not_emulated.empty())
    std::cout << format("not emulated: {} [{}]\n", verdict.not_emulated, configuration.key());
}

int CheckReport::finish(std::string what, const ordered_json& more) const {
  if (InterruptGuard::interrupted()) what = "interrupted; " + what;
  if (form_ == Format::json) {
    ordered_json object = {
        {"checked", checked_}, {"failed", wrong_}, {"cannot_run", cannot_run_}, {"how", what}};
    object.update(more);
    if (more.contains("flavour")) object["not_emulated"] = not_emulated_;
    object["results"] = ordered_json::array();
    for (const auto& result : results_) object["results"].push_back(result.second);
    std::cout << json_text(object);
  } else {
    const bool emulated = more.contains("flavour");
    std::cout << format("{}: {}, {} failed, {} cannot {}\n", what, counted(checked_, "configuration"), wrong_,
                        emulated ? not_emulated_ : cannot_run_, emulated ? "be emulated" : "run here");
  }
  return wrong_ > 0 ? static_cast<int>(Exit::failure) : 0;
}

void EmulatorOptions::add_to(OptionTable& table) {
  table.flag(
      "sanitize",
      "emulator: judge every memory access (bounds, races, barriers, uninitialised memory); the default",
      sanitize);
  table.flag("plain", "emulator: results only, in two orders of the threads; faster", plain);
}

void EmulatorOptions::check(const std::string& device) const {
  if ((sanitize || plain) && device != "emulator")
    throw UsageError(
        format("--{}: for the emulator only; add --device emulator", sanitize ? "sanitize" : "plain"));
  if (sanitize && plain) throw UsageError("--sanitize and --plain: choose one");
}

int check_emulated(const ProblemSelection& selection, bool one_size, const KernelSources& sources,
                   const std::vector<Configuration>& configurations, const EmulatorOptions& emulation,
                   Format form) {
  const bool plain = emulation.plain;
  emulator::CheckOptions options;
  options.flavour = plain ? emulator::Flavour::plain : emulator::Flavour::sanitize;
  if (!one_size && !configurations.empty() &&
      selection.problem->check_instances(selection.instance, configurations.front()).empty())
    throw UsageError("the definition names no small sizes to check at: add 'check', or give one with --size");
  emulator::ProblemJobs jobs(*selection.problem, sources);
  CheckReport report(form);
  emulator::check(
      configurations.size(),
      [&](std::size_t number) {
        const Configuration& configuration = configurations[number];
        return jobs.job(configuration,
                        one_size ? std::vector{selection.instance}
                                 : selection.problem->check_instances(selection.instance, configuration));
      },
      options,
      [&](std::size_t number, const emulator::CheckVerdict& verdict) {
        report.add(number, configurations[number], verdict);
        return !InterruptGuard::interrupted();
      });
  const std::string what =
      format("emulated on the CPU ({}, {} of processor time, which says nothing of a GPU), at {}",
             plain ? "plain" : "sanitize", duration_text(report.emulated_seconds()),
             one_size ? selection.instance.size() : "odd sizes");
  return report.finish(what, {{"device", "emulator"}, {"flavour", plain ? "plain" : "sanitize"}});
}

}  // namespace tune::cli
