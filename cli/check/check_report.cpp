// SPDX-License-Identifier: Apache-2.0
#include "cli/check/check_report.hpp"

#include <algorithm>
#include <iostream>

#include "cli/output/text_layout.hpp"
#include "tuner/base/error.hpp"
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

/// The failure that a device would store, so that readers of the JSON need one rule for both.
Failure as_failure(const emulator::Finding& finding) {
  using emulator::FindingKind;
  const Phase phase = finding.kind == FindingKind::compile     ? Phase::compile
                      : finding.kind == FindingKind::no_launch ? Phase::constraint
                      : finding.kind == FindingKind::hang      ? Phase::timeout
                      : finding.kind == FindingKind::crash || finding.kind == FindingKind::failed
                          ? Phase::crash
                          : Phase::verify;
  return {phase, std::string(emulator::to_string(finding.kind)), finding.text()};
}

ordered_json verdict_object(const Configuration& configuration, const emulator::CheckVerdict& verdict) {
  ordered_json entry = {{"configuration", json_object(configuration.entries())}};
  if (!verdict.not_emulated.empty()) entry["not_emulated"] = verdict.not_emulated;
  if (verdict.cannot_run) entry["failure"] = failure_object(*verdict.cannot_run);
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

void CheckReport::group(const std::string& line, const std::string& of, bool now) {
  const auto known = std::ranges::find(groups_, line, &Group::line);
  if (known != groups_.end()) {
    ++known->count;
    return;
  }
  groups_.push_back({line, of, 1, now});
  if (now) std::cout << (of.empty() ? line + '\n' : format("{} [{}]\n", line, of));
}

void CheckReport::add(const Evaluation& evaluation) {
  if (!evaluation.outcome && is_beyond_device(evaluation.outcome.error()))
    ++cannot_run_;
  else if (!evaluation.outcome)
    ++wrong_;
  if (form_ == Format::json)
    results_.emplace(checked_, evaluation_object(evaluation));
  else if (!evaluation.outcome)
    add_line(evaluation.outcome.error(), evaluation.configuration);
  ++checked_;
}

void CheckReport::add_line(const Failure& failure, const Configuration& configuration) {
  const std::string line = format("{}: {}: {}", to_string(failure.phase), failure.reason, failure.detail);
  group(line, configuration.key(), !before_launch(failure));
}

void CheckReport::add(std::size_t number, const Configuration& configuration,
                      const emulator::CheckVerdict& verdict) {
  ++checked_;
  emulated_seconds_ += verdict.seconds;
  if (verdict.is_unfinished)
    ++not_finished_;
  else if (!verdict.findings.empty())
    ++wrong_;
  else if (verdict.cannot_run)
    ++cannot_run_;
  else if (!verdict.not_emulated.empty())
    ++not_emulated_;
  if (form_ == Format::json) {
    results_.emplace(number, verdict_object(configuration, verdict));
    return;
  }
  for (const emulator::Finding& finding : verdict.findings)
    group(finding.text(), finding.is_of_reference() ? std::string() : configuration.key(),
          !before_launch(as_failure(finding)));
  if (verdict.cannot_run) add_line(*verdict.cannot_run, configuration);
  if (!verdict.not_emulated.empty()) group("not emulated: " + verdict.not_emulated, configuration.key());
}

int CheckReport::finish(std::string what, const std::string& notice, const ordered_json& more) const {
  const std::string end = end_.reason();
  const bool emulated = more.contains("flavour");
  if (!end.empty()) what = end + "; " + what;
  if (checked_ == 0 && !end.empty() && !InterruptGuard::interrupted())
    throw Error(
        format("nothing was checked: the check {}; name smaller sizes ('check' of a definition, or --size), "
               "or give it more --budget-time",
               end),
        Exit::no_answer);
  const std::uint64_t not_checked = not_emulated_ + cannot_run_;
  const std::string lacking = emulated ? format(", {} cannot be emulated", not_emulated_) : std::string();
  const std::string beyond =
      emulated && cannot_run_ == 0 ? std::string() : format(", {} cannot run here", cannot_run_);
  if (form_ == Format::json) {
    ordered_json object = {{"checked", checked_},
                           {"planned", planned_},
                           {"failed", wrong_ + not_finished_},
                           {"cannot_run", cannot_run_},
                           {"how", what}};
    if (!compared_.empty()) object["compared_with"] = compared_;
    object["notice"] = notice.empty() ? nullptr : ordered_json(notice);
    object.update(more);
    if (emulated) object["not_emulated"] = not_emulated_;
    if (emulated) object["not_finished"] = not_finished_;
    object["results"] = ordered_json::array();
    for (const auto& result : results_) object["results"].push_back(result.second);
    std::cout << json_text(object);
  } else {
    for (const Group& group : groups_)
      if (group.first.empty() ? !group.is_printed : !group.is_printed || group.count > 1)
        std::cout << (group.first.empty()
                          ? group.line + '\n'
                          : format("{}{} [{}{}]\n", group.count > 1 ? format("{} x ", group.count) : "",
                                   group.line, group.first, group.count > 1 ? ", ..." : ""));
    if (!notice.empty()) std::cout << "note: " << notice << '\n';
    const std::string slow = not_finished_ == 0 ? "" : format(", {} exceeded --timeout", not_finished_);
    const std::string checked = (checked_ < planned_ ? format("{} of ", checked_) : "") +
                                counted(std::max(checked_, planned_), "configuration");
    std::cout << format("{}: {}, {} failed{}{}{}{}\n", what, checked, wrong_, lacking, beyond, slow,
                        compared_.empty() ? "" : "; compared with " + compared_);
  }
  if (wrong_ == 0 && not_checked == checked_ && end.empty())
    throw Error(format("nothing was checked: no configuration {}",
                       not_emulated_ > 0 ? "can be emulated; --arch sm_90 compiles them, and a GPU runs them"
                                         : "can run here"),
                Exit::no_answer);
  return wrong_ + not_finished_ > 0 ? static_cast<int>(Exit::failure) : 0;
}

}  // namespace tune::cli
