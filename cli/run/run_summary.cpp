// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_summary.hpp"

#include <nlohmann/json.hpp>

#include "cli/output/text_layout.hpp"
#include "reports/data/rerank_json.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/timing.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

constexpr std::size_t max_ties_shown = 5;

std::string resources_line(const KernelResources& resources) {
  std::string text = format("{} registers, {} of shared memory, occupancy {}", resources.registers,
                            bytes_text(resources.static_shared_memory + resources.dynamic_shared_memory),
                            percent_text(resources.occupancy));
  if (!resources.limiter.empty()) text += format(" (bound by {})", resources.limiter);
  if (resources.spill_store_bytes > 0) text += format(", spills {} B", resources.spill_store_bytes);
  return "          " + wrapped(text, 10) + "\n";
}

/// The winner's place in the finals; null where there were none.
const RerankPlace* winner_of(const RerankResult& rerank) {
  return rerank.places.empty() ? nullptr : &rerank.places.front();
}

/// Of the winner's time: from the finals, else from its own samples.
MedianInterval winner_interval(const FinishedRun& summary) {
  if (const RerankPlace* winner = winner_of(summary.result.rerank)) return winner->time;
  return median_interval(summary.result.progress.best->outcome->samples, measuring_confidence);
}

std::string sureness_text(const FinishedRun& summary) {
  const RerankPlace* winner = winner_of(summary.result.rerank);
  const MedianInterval interval = winner_interval(summary);
  const std::size_t count =
      winner != nullptr ? winner->rounds.size() : summary.result.progress.best->outcome->samples.size();
  if (count < 2) return "";
  return format("          {}, {} {}{}\n", interval_text(interval, "s"), count,
                winner != nullptr ? "rounds of the finals" : "samples",
                summary.result.rerank.reused ? " (of an earlier run)" : "");
}

/// What the finals said of the others.
std::string others_text(const RerankResult& rerank) {
  std::string text;
  if (!rerank.failures.empty())
    text +=
        format("          {} of the finalists failed when they were checked again\n", rerank.failures.size());
  if (rerank.places.empty()) return text;
  const auto tied = std::ranges::count_if(rerank.places, &RerankPlace::tied) - 1;
  if (tied == 0 && rerank.places.size() == 1) return text + "ties      none: no other came close\n";
  if (tied == 0)
    return text + format("ties      none: the next of {} finalists is slower by {}\n", rerank.places.size(),
                         difference_text(rerank.places[1].ratio));
  std::vector<Tie> ties;
  for (std::size_t i = 1; i < rerank.places.size(); ++i)
    if (rerank.places[i].tied) ties.push_back({rerank.places[i].ratio, rerank.places[i].configuration});
  return text + ties_text(ties, max_ties_shown);
}

std::string winner_text(const FinishedRun& summary) {
  const Progress& progress = summary.result.progress;
  if (!progress.best) return "best      none: no configuration was measured\n";
  const RunRecord& record = summary.record;
  const Measurement& best = *progress.best->outcome;
  const double time = winner_interval(summary).median;
  std::string text = format("best      {}", si(time, "s"));
  if (record.items > 0)  // else of a problem that this program does not know
    text += format("  {}  {}", si(record.items / time, record.item + "s/s"), si(record.bytes / time, "B/s"));
  if (record.limit > 0)
    text += format("  {} of the limit {}{}", percent_text(record.limit / time), si(record.limit, "s"),
                   record.limit_by.empty() ? "" : " by " + record.limit_by);
  text += "\n" + sureness_text(summary);
  if (best.energy > 0)
    text += format("          {} an execution, {}\n", si(best.energy, "J"), si(best.energy * time, "Js"));
  text += format("          {}\n", wrapped(progress.best->configuration.to_string(), 10));
  if (record.items > 0)
    text +=
        format("          verified: largest error {:.3g}, tolerance {:.3g}\n", best.error, best.tolerance);
  if (const auto& resources = progress.best->resources) text += resources_line(*resources);
  return text + others_text(summary.result.rerank);
}

/// `13 failed (launch 4, crash 9)`, of the failures before or after a launch; empty for none.
std::string failures_text(const Progress& progress, bool early, std::string_view what) {
  std::uint64_t all = 0;
  std::vector<std::string> each;
  for (const auto& [phase, count] : progress.failures) {
    if (before_launch(phase) != early) continue;
    all += count;
    each.push_back(format("{} {}", to_string(phase), count));
  }
  return all == 0 ? std::string() : format("{} {} ({})", all, what, joined(each));
}

std::string counts_text(const Progress& progress) {
  std::string text = format("evaluated {}: {} measured", progress.evaluations, progress.measured);
  if (const std::string late = failures_text(progress, false, "failed"); !late.empty()) text += ", " + late;
  if (const std::string early = failures_text(progress, true, "more cannot run"); !early.empty())
    text += "\n          " + early;
  if (progress.reused > 0) text += format("\n          {} were known from the database", progress.reused);
  if (progress.from_cache > 0) text += format("\n          {} were compiled before", progress.from_cache);
  if (progress.same_code > 0)
    text += format("\n          {} have the machine code of another and were not measured again",
                   progress.same_code);
  return text + "\n";
}

/// How fast the search went; finals come after it.
struct Pace {
  double evaluations_per_second = 0;
  double device_busy = 0;  ///< share of the time in which something was loaded, checked or measured
};

/// Nothing where nothing was evaluated.
std::optional<Pace> pace_of(const Progress& progress) {
  const double seconds = progress.seconds - progress.rerank_seconds;
  std::uint64_t evaluated = progress.evaluations - progress.reused;
  for (const auto& [phase, count] : progress.failures)
    if (before_launch(phase)) evaluated += count;
  const PhaseTimes& phases = progress.phases;
  const double busy = phases.load + phases.verify + phases.measure;
  if (!(seconds > 0) || evaluated == 0 || !(busy > 0)) return std::nullopt;
  return Pace{static_cast<double>(evaluated) / seconds, busy / seconds};
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
  std::string parts = format("compile {} summed over the cores", duration_text(phases.compile));
  const std::pair<const char*, double> others[] = {
      {"reference", phases.reference},     {"load", phases.load},
      {"verify", phases.verify},           {"measure", phases.measure},
      {"search", progress.search_seconds}, {"store", progress.store_seconds},
      {"finals", progress.rerank_seconds}};
  for (const auto& [name, seconds] : others) parts += format(", {} {}", name, duration_text(seconds));
  std::string text = format("time      {}", duration_text(progress.seconds));
  if (const auto pace = pace_of(progress))
    text += format("; {:.1f} evaluations a second, device busy {}", pace->evaluations_per_second,
                   percent_text(pace->device_busy));
  return text + format("\n          {}\n", wrapped(parts, 10));
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
      return "what is left promises too little";
    case RunEnd::failed:
      return "failed";
  }
  return "";
}

nlohmann::ordered_json places_json(const RerankResult& rerank) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RerankPlace& place : rerank.places) {
    const db::RerankStanding standing{
        .time = place.time, .ratio = place.ratio, .tied = place.tied, .rounds = std::ssize(place.rounds)};
    list.push_back(reports::rerank_json(
        {.standing = standing, .configuration = place.configuration, .joules = place.energy()},
        {"configuration", "tied", "seconds", "low_seconds", "high_seconds", "ratio", "low_ratio",
         "high_ratio", "rounds", "joules"}));
  }
  return list;
}

}  // namespace

std::string to_text(const FinishedRun& summary) {
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

std::string to_json(const FinishedRun& summary) {
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
  object["phase_seconds"] = {{"compile", progress.phases.compile},     {"load", progress.phases.load},
                             {"verify", progress.phases.verify},       {"measure", progress.phases.measure},
                             {"search", progress.search_seconds},      {"store", progress.store_seconds},
                             {"reference", progress.phases.reference}, {"finals", progress.rerank_seconds}};
  const auto pace = record.key.origin == Origin::measured ? pace_of(progress) : std::nullopt;
  object["evaluations_per_second"] = pace ? nlohmann::ordered_json(pace->evaluations_per_second) : nullptr;
  object["device_busy"] = pace ? nlohmann::ordered_json(pace->device_busy) : nullptr;
  object["from_cache"] = progress.from_cache;
  object["same_code"] = progress.same_code;
  object["limit_seconds"] = record.limit;
  object["best"] = nullptr;
  if (progress.best) {
    const MedianInterval interval = winner_interval(summary);
    const double time = interval.median;
    object["best"] = {{"configuration", json_object(progress.best->configuration.entries())},
                      {"seconds", time},
                      {"low_seconds", interval.low},
                      {"high_seconds", interval.high},
                      {"confidence", interval.confidence},
                      {"items_per_second", record.items / time},
                      {"bytes_per_second", record.bytes / time},
                      {"share_of_limit", record.limit / time},
                      {"error", progress.best->outcome->error},
                      {"tolerance", progress.best->outcome->tolerance}};
  }
  object["objective"] = to_string(record.options.objective);
  object["cache"] = to_string(record.key.cache);
  object["finals"] = places_json(summary.result.rerank);
  object["database"] = summary.database.string();
  return json_text(object);
}

}  // namespace tune::cli
