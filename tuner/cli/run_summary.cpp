// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/run_summary.hpp"

#include <nlohmann/json.hpp>

#include "tuner/cli/json_text.hpp"
#include "tuner/cli/text_layout.hpp"
#include "tuner/core/format.hpp"
#include "tuner/core/units.hpp"

namespace tune::cli {
namespace {

std::string resources_line(const KernelResources& resources) {
  std::string text = format("{} registers, {} of shared memory, occupancy {}", resources.registers,
                            bytes_text(resources.static_shared_memory + resources.dynamic_shared_memory),
                            percent_text(resources.occupancy));
  if (!resources.limiter.empty()) text += format(" (bound by {})", resources.limiter);
  if (resources.spill_store_bytes > 0) text += format(", spills {} B", resources.spill_store_bytes);
  return "          " + wrapped(text, 10) + "\n";
}

std::string winner_text(const RunSummary& summary) {
  const Progress& progress = summary.result.progress;
  if (!progress.best) return "best      none: no configuration was measured\n";
  const RunRecord& record = summary.record;
  const Measurement& best = *progress.best->outcome;
  const double time = best.time();
  std::string text = format("best      {}  {}  {}", si(time, "s"),
                            si(record.items / time, record.item + "s/s"), si(record.bytes / time, "B/s"));
  if (record.limit > 0)
    text += format("  {} of the limit {}", percent_text(record.limit / time), si(record.limit, "s"));
  text += format("\n          {}\n", wrapped(progress.best->configuration.to_string(), 10));
  text += format("          verified: largest error {:.3g}, tolerance {:.3g}\n", best.error, best.tolerance);
  if (const auto& resources = progress.best->resources) text += resources_line(*resources);
  return text;
}

/// `13 failed (launch 4, crash 9)`, of the failures before or after a launch; empty for none.
std::string failures_text(const Progress& progress, bool early, std::string_view what) {
  std::uint64_t all = 0;
  std::string each;
  for (const auto& [phase, count] : progress.failures) {
    if (before_launch(phase) != early) continue;
    all += count;
    each += format("{}{} {}", each.empty() ? "" : ", ", to_string(phase), count);
  }
  return all == 0 ? std::string() : format("{} {} ({})", all, what, each);
}

std::string counts_text(const Progress& progress) {
  std::string text = format("evaluated {}: {} measured", progress.evaluations, progress.measured);
  if (const std::string late = failures_text(progress, false, "failed"); !late.empty()) text += ", " + late;
  if (const std::string early = failures_text(progress, true, "more cannot run"); !early.empty())
    text += "\n          " + early;
  if (progress.reused > 0) text += format("\n          {} were known from the database", progress.reused);
  return text + "\n";
}

std::string times_text(const Progress& progress, Origin origin) {
  const PhaseTimes& phases = progress.phases;
  const double recorded = phases.load + phases.verify + phases.measure;
  if (origin == Origin::replayed && recorded > 0)
    return format(
        "time      {}; on the device verifying and measuring took {},\n"
        "          compiling {} summed over the cores\n",
        duration_text(progress.seconds), duration_text(recorded), duration_text(phases.compile));
  if (origin == Origin::replayed) return format("time      {}\n", duration_text(progress.seconds));
  return format(
      "time      {} (compile {} summed over the cores, load {}, verify {},\n"
      "          measure {}, search {}, store {})\n",
      duration_text(progress.seconds), duration_text(phases.compile), duration_text(phases.load),
      duration_text(phases.verify), duration_text(phases.measure), duration_text(progress.search_seconds),
      duration_text(progress.store_seconds));
}

std::string_view end_text(RunEnd end) {
  switch (end) {
    case RunEnd::exhausted:
      return "the whole space was evaluated";
    case RunEnd::budget:
      return "the budget is used up";
    case RunEnd::interrupted:
      return "interrupted; the same call goes on from here";
    case RunEnd::stopped:
      return "stopped";
    case RunEnd::failed:
      return "failed";
  }
  return "";
}

}  // namespace

std::string to_text(const RunSummary& summary) {
  const RunRecord& record = summary.record;
  std::string text =
      format("{} {}\non {}\n", record.key.instance.problem, record.key.instance.key(), summary.device_label);
  text += winner_text(summary);
  text += counts_text(summary.result.progress);
  text += times_text(summary.result.progress, record.key.origin);
  text += format("ended     {}\n",
                 wrapped(format("{}; {} with seed {}, {} valid configurations", end_text(summary.result.end),
                                record.options.strategy, record.options.seed, record.space_size),
                         10));
  text += format("stored    run {} in {}\n", summary.result.run, summary.database.string());
  return text;
}

std::string to_json(const RunSummary& summary) {
  const RunRecord& record = summary.record;
  const Progress& progress = summary.result.progress;
  nlohmann::ordered_json object;
  object["run"] = summary.result.run;
  object["problem"] = record.key.instance.problem;
  object["size"] = record.key.instance.size();
  object["settings"] = json_object(record.key.instance.settings);
  object["device"] = record.key.device.name;
  object["origin"] = to_string(record.key.origin);
  object["end"] = to_string(summary.result.end);
  object["strategy"] = record.options.strategy;
  object["seed"] = record.options.seed;
  object["space_size"] = record.space_size;
  object["evaluations"] = progress.evaluations;
  object["reused"] = progress.reused;
  object["measured"] = progress.measured;
  object["failures"] = nlohmann::ordered_json::object();
  for (const auto& [phase, count] : progress.failures)
    object["failures"][std::string(to_string(phase))] = count;
  object["seconds"] = progress.seconds;
  object["phase_seconds"] = {{"compile", progress.phases.compile}, {"load", progress.phases.load},
                             {"verify", progress.phases.verify},   {"measure", progress.phases.measure},
                             {"search", progress.search_seconds},  {"store", progress.store_seconds}};
  object["limit_seconds"] = record.limit;
  object["best"] = nullptr;
  if (progress.best) {
    const double time = progress.best->outcome->time();
    object["best"] = {{"configuration", json_object(progress.best->configuration.entries())},
                      {"seconds", time},
                      {"items_per_second", record.items / time},
                      {"bytes_per_second", record.bytes / time},
                      {"share_of_limit", record.limit / time},
                      {"error", progress.best->outcome->error},
                      {"tolerance", progress.best->outcome->tolerance}};
  }
  object["database"] = summary.database.string();
  return json_text(object);
}

}  // namespace tune::cli
