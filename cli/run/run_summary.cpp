// SPDX-License-Identifier: Apache-2.0
#include "cli/run/run_summary.hpp"

#include <algorithm>
#include <array>

#include "cli/output/text_layout.hpp"
#include "reports/data/result.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/timing.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {

std::optional<double> best_value(const FinishedRun& summary) {
  const auto& best = summary.result.progress.best;
  if (!best) return std::nullopt;
  const Objective objective = summary.record.options.objective;
  const auto value = objective == Objective::time
                         ? reports::shown(summary.record, *best, summary.result.rerank).seconds
                         : objective_value(*best, objective).value_or(0);
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> speed_up(const FinishedRun& summary, const std::optional<double>& other) {
  const std::optional<double> best = best_value(summary);
  return best && other ? std::optional(*other / *best) : std::nullopt;
}

namespace {

constexpr std::size_t max_shown = 5;

/// What the re-ranking found of the other candidates.
std::vector<std::string> others_lines(const RerankResult& rerank) {
  const auto ties = std::ranges::count(rerank.places, true, &RerankPlace::tied) - 1;  // without the winner
  std::vector<std::string> lines;
  if (ties > 0)
    lines = {reports::ties_text(static_cast<std::uint64_t>(ties)) +
             (static_cast<std::size_t>(ties) < max_shown ? "" : "; 'tune show' lists all")};
  else if (rerank.places.size() == 1)
    lines = {"none: no other configuration came close"};
  else if (!rerank.places.empty())
    lines = {format("none: the next of {} candidates is slower by {}", rerank.places.size(),
                    difference_text(rerank.places[1].ratio))};
  if (!rerank.failures.empty())
    lines.push_back(
        format("{} failed when the best were checked again", counted(rerank.failures.size(), "candidate")));
  return lines;
}

/// One of the best configurations.
struct TopPlace {
  Configuration configuration;
  double value = 0, ratio = 1;  ///< by the objective, and to that of the best
  bool tied = false;            ///< by the re-ranking
};

/// The best ones: in the order of the re-ranking, then by their evaluations.
std::vector<TopPlace> top_of(const FinishedRun& summary) {
  const SessionResult& result = summary.result;
  const std::optional<double> best = best_value(summary);
  std::vector<TopPlace> top;
  if (!best) return top;
  for (const RerankPlace& place : result.rerank.places)
    top.push_back({place.configuration, *best * place.ratio.median, place.ratio.median, place.tied});
  const auto of_best =
      std::ranges::find(result.top, result.progress.best->configuration, &RankedConfiguration::configuration);
  for (const RankedConfiguration& one : result.top)
    if (std::ranges::find(top, one.configuration, &TopPlace::configuration) == top.end())
      top.push_back(
          {one.configuration, one.value, of_best == result.top.end() ? 1 : one.value / of_best->value});
  top.resize(std::min(top.size(), max_shown));
  return top;
}

/// A line for each, with what differs from the best alone.
std::string top_text(const FinishedRun& summary) {
  const std::vector<TopPlace> top = top_of(summary);
  if (top.size() < 2) return {};
  const Objective& objective = summary.record.options.objective;
  std::vector<std::string> heads;
  std::size_t width = 0;
  for (const TopPlace& place : top) {
    heads.push_back(format("{}  {:.3g}x{}", objective.value_text(place.value), objective.shown(place.ratio),
                           place.tied && place.ratio != 1 ? " (tie)" : ""));
    width = std::max(width, heads.back().size() + 2);
  }
  std::string text;
  for (std::size_t i = 0; i < top.size(); ++i) {
    const std::string difference = top[i].configuration.difference_from(top.front().configuration);
    text += labelled(
        i == 0 ? "top" : "",
        padded_to(heads[i], width) +
            wrapped(i == 0 ? "the best; below, what differs from it" : difference, label_column + width));
  }
  return text;
}

/// The members of the front, a line each, with what differs from the best.
std::string front_text(const FinishedRun& summary) {
  const SessionResult& result = summary.result;
  std::vector<std::string> heads;
  std::size_t width = 0;
  for (const FrontMember& member : result.front) {
    heads.push_back(values_text(member.values, summary.record.options.objective));
    width = std::max(width, heads.back().size() + 2);
  }
  std::string text;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const std::string difference =
        result.front[i].configuration.difference_from(result.progress.best->configuration);
    text += labelled(i == 0 ? "front" : "",
                     padded_to(heads[i], width) +
                         wrapped(difference.empty() ? "the best above: the smallest product" : difference,
                                 label_column + width));
  }
  return text;
}

/// How good the best is among everything that was recorded; nothing where nothing was replayed.
std::optional<double> share_of_recorded(const FinishedRun& summary) {
  const std::optional<double> best = best_value(summary);
  return best && summary.recorded_best ? std::optional(*summary.recorded_best / *best) : std::nullopt;
}

std::string recorded_text(const FinishedRun& summary) {
  const std::optional<double> share = share_of_recorded(summary);
  if (!share) return {};
  const std::string best = summary.record.options.objective.value_text(*summary.recorded_best);
  return labelled("recorded", *share >= 1 ? format("the best of the recording was found")
                                          : format("{} of the best of the recording, {}",
                                                   percent_text(std::min(*share, 0.999)), best));
}

std::string speed_up_text(const FinishedRun& summary) {
  const auto over_default = speed_up(summary, summary.result.default_value);
  const auto over_median = speed_up(summary, summary.result.median_value);
  std::vector<std::string> parts;
  if (over_default) parts.push_back(format("{:.3g}x over the default configuration", *over_default));
  if (over_median && summary.result.progress.measured > 1)
    parts.push_back(format("{:.3g}x over the median of all measured configurations", *over_median));
  return parts.empty() ? std::string() : labelled("speed-up", wrapped(joined(parts), label_column));
}

/// What people do next.
std::string next_text(const FinishedRun& summary) {
  if (summary.asked.empty() || !summary.result.progress.best) return {};
  const std::string& option = summary.database_option;
  std::string text;
  const auto add = [&text](const std::string& command) {
    text += labelled(text.empty() ? "next" : "", command);
  };
  if (summary.record.key.origin != Origin::replayed)  // which are never an answer
    add(format("tune best {}{}{}", summary.asked, option,
               find_command(summary.problem) == nullptr ? " --format flags" : ""));
  add(format("tune report --run {}{} --out report.html", summary.result.run, option));
  add(format("tune show {}{}", summary.result.run, option));
  return text;
}

std::string winner_text(const FinishedRun& summary) {
  const RunRecord& record = summary.record;
  const SessionResult& result = summary.result;
  if (!result.progress.best) return labelled("best", "none: no configuration was measured");
  const reports::ShownResult shown = reports::shown(record, *result.progress.best, result.rerank);
  std::vector<std::string> best = reports::result_texts(shown);
  if (record.key.origin == Origin::replayed) best.front() += ", replayed";
  if (summary.problem != nullptr)
    for (const auto& [name, value] : reports::metrics_of(*summary.problem, record.key.instance, shown))
      best.push_back(format("{}: {:.6g}", name, value));
  if (!result.front.empty()) return labelled("best", best) + front_text(summary);
  return labelled("best", best) + speed_up_text(summary) + recorded_text(summary) +
         labelled("ties", others_lines(result.rerank)) + top_text(summary);
}

/// `13 failed (launch 4, crash 9)`: the failures before a launch (`early`) or the others; empty for none.
std::string failures_text(const Progress& progress, bool early, std::string_view what) {
  std::uint64_t all = 0;
  std::vector<std::string> each;
  for (const auto& [phase, failures] : progress.failures) {
    const auto found = progress.cannot_run.find(phase);
    const std::uint64_t before = found == progress.cannot_run.end() ? 0 : found->second;
    const std::uint64_t count = early ? before : failures - before;
    if (count == 0) continue;
    all += count;
    each.push_back(format("{} {}", to_string(phase), count));
  }
  return all == 0 ? std::string() : format("{} {} ({})", all, what, joined(each));
}

/// Returns what makes the cheaper instance cheaper: `steps=24`.
std::string low_fidelity_text(const RunRecord& record) {
  if (!record.low_fidelity) return {};
  return instance_difference(record.key.instance, record.low_fidelity->key.instance);
}

std::string counts_text(const RunRecord& record, const SessionResult& result) {
  const Progress& progress = result.progress;
  std::string text =
      format("{}: {} {}", progress.evaluations, progress.measured, to_string(record.key.origin));
  if (const std::string late = failures_text(progress, false, "failed"); !late.empty()) text += ", " + late;
  std::vector<std::string> lines = {text};
  if (progress.estimated > 0)
    lines.push_back(format("{} were measured only at {}: too slow there to be the fastest",
                           progress.estimated, low_fidelity_text(record)));
  if (result.fidelity.pairs > 0)
    lines.push_back(reports::agreement_text(low_fidelity_text(record), result.fidelity));
  if (std::string early = failures_text(progress, true, "more cannot run"); !early.empty())
    lines.push_back(std::move(early));
  if (progress.reused > 0) lines.push_back(format("{} were known from the database", progress.reused));
  if (progress.known_scale)
    lines.push_back(format("the best of them was timed again: their times are multiplied by {:.3g}",
                           *progress.known_scale));
  if (progress.from_cache > 0)
    lines.push_back(format("{} were taken from the compile cache", progress.from_cache));
  if (progress.same_code > 0)
    lines.push_back(format("{} compile to the same machine code as another one and were not measured again",
                           progress.same_code));
  return labelled("evaluated", lines);
}

/// How fast the search went; the re-ranking comes after it.
struct Pace {
  double evaluations_per_second = 0;
  double device_busy = 0;  ///< share of the time in which something was loaded, checked or measured
};

/// Nothing where nothing was evaluated.
std::optional<Pace> pace_of(const SessionResult& result) {
  const Progress& progress = result.progress;
  const auto devices = static_cast<double>(std::max<std::size_t>(1, result.devices.size()));
  const double seconds = progress.seconds - progress.rerank_seconds;
  std::uint64_t evaluated = progress.evaluations - progress.reused;
  for (const auto& [phase, count] : progress.cannot_run) evaluated += count;
  const PhaseTimes& phases = progress.phases;
  const double busy = phases.load + phases.verify + phases.measure;
  if (!(seconds > 0) || evaluated == 0 || !(busy > 0)) return std::nullopt;
  return Pace{static_cast<double>(evaluated) / seconds, busy / seconds / devices};
}

/// A line for each of several devices.
std::string devices_text(const FinishedRun& summary) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(summary.devices.size(), summary.result.devices.size()); ++i) {
    const DeviceShare& share = summary.result.devices[i];
    std::string line = format("{}: {}", summary.devices[i], counted(share.evaluations, "evaluation"));
    if (share.ratio) line += format(", {:.3f} times as long for the same configuration", *share.ratio);
    if (!share.left_out.empty()) line += ", left out: " + share.left_out;
    lines.push_back(wrapped(line, label_column));
  }
  return lines.empty() ? std::string() : labelled("devices", lines);
}

nlohmann::ordered_json devices_json(const FinishedRun& summary) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(summary.devices.size(), summary.result.devices.size()); ++i) {
    const DeviceShare& share = summary.result.devices[i];
    const DeviceProperties& properties =
        i == 0 ? summary.record.key.device : summary.record.other_devices[i - 1].properties;
    list.push_back({{"number", summary.devices[i]},
                    {"uuid", properties.uuid},
                    {"evaluations", share.evaluations},
                    {"ratio", share.ratio ? Json(*share.ratio) : Json()},
                    {"left_out", share.left_out.empty() ? Json() : Json(share.left_out)}});
  }
  return list;
}

std::string times_text(const SessionResult& result, Origin origin) {
  const Progress& progress = result.progress;
  const PhaseTimes& phases = progress.phases;
  const double recorded = phases.load + phases.verify + phases.measure;
  std::string text = duration_text(progress.seconds);
  if (origin == Origin::replayed && recorded > 0)
    return labelled("time", {text + "; recorded times: verify and measure " + duration_text(recorded) + ",",
                             format("compile {} summed over the cores", duration_text(phases.compile))});
  if (origin == Origin::replayed) return labelled("time", text);
  std::string parts = format("compile {} summed over the cores", duration_text(phases.compile));
  const std::pair<const char*, double> others[] = {{"reference", phases.reference},
                                                   {"load", phases.load},
                                                   {"verify", phases.verify},
                                                   {"measure", phases.measure},
                                                   {"search", progress.search_seconds},
                                                   {"store", progress.store_seconds},
                                                   {"re-ranking", progress.rerank_seconds}};
  for (const auto& [name, seconds] : others) parts += format(", {} {}", name, duration_text(seconds));
  if (const auto pace = pace_of(result))
    text += format("; {:.1f} evaluations per second, device busy {}", pace->evaluations_per_second,
                   percent_text(pace->device_busy));
  return labelled("time", {text, parts});
}

std::string_view end_text(RunEnd end) {
  static constexpr std::array<std::string_view, 5> texts = {
      "the whole space was evaluated", "the budget is used up",
      "interrupted; the same call continues from here", "the expected improvement is too small",
      "failed"};  // as RunEnd
  return texts.at(static_cast<std::size_t>(end));
}

nlohmann::ordered_json places_json(const RerankResult& rerank) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const RerankPlace& place : rerank.places)
    list.push_back(reports::result_json(
        reports::shown(place), {"configuration", "tied", "seconds", "low_seconds", "high_seconds", "ratio",
                                "low_ratio", "high_ratio", "rounds", "joules"}));
  return list;
}

}  // namespace

std::string to_text(const FinishedRun& summary) {
  const RunRecord& record = summary.record;
  const SessionResult& result = summary.result;
  std::string text =
      format("{} {}\non {}\n", record.key.instance.problem, record.key.instance.key(), summary.device_label);
  text += winner_text(summary);
  text += counts_text(record, result);
  text += devices_text(summary);
  text += times_text(result, record.key.origin);
  text +=
      labelled("ended", wrapped(format("{}; {} with seed {}, {} valid configurations", end_text(result.end),
                                       record.options.strategy, record.options.seed, record.space_size),
                                label_column));
  if (!result.notice.empty()) text += labelled("note", wrapped(result.notice, label_column));
  text += labelled("stored", format("run {} in {}", result.run, summary.database.string()));
  return text + next_text(summary);
}

std::string to_json(const FinishedRun& summary) {
  const RunRecord& record = summary.record;
  const Progress& progress = summary.result.progress;
  nlohmann::ordered_json object = {{"run", summary.result.run}};
  object.update(reports::instance_json(record.key.instance));
  object["device"] = record.key.device.name;
  if (!summary.devices.empty()) object["devices"] = devices_json(summary);
  object["origin"] = to_string(record.key.origin);
  object["replay_reason"] =
      summary.replay_reason.empty() ? nullptr : nlohmann::ordered_json(summary.replay_reason);
  object["end"] = to_string(summary.result.end);
  object["strategy"] = record.options.strategy;
  object["seed"] = record.options.seed;
  object["space_size"] = record.space_size;
  object["evaluations"] = progress.evaluations;
  object["reused"] = progress.reused;
  object["known_scale"] = progress.known_scale ? nlohmann::ordered_json(*progress.known_scale) : nullptr;
  object["measured"] = progress.measured;
  object["estimated"] = progress.estimated;
  object["low_fidelity"] =
      record.low_fidelity ? nlohmann::ordered_json(low_fidelity_text(record)) : nlohmann::ordered_json();
  object["fidelity_agreement"] = reports::agreement_json(summary.result.fidelity);
  object["failures"] = nlohmann::ordered_json::object();
  for (const auto& [phase, count] : progress.failures)
    object["failures"][std::string(to_string(phase))] = count;
  object["seconds"] = progress.seconds;
  object["phase_seconds"] = {{"compile", progress.phases.compile},     {"load", progress.phases.load},
                             {"verify", progress.phases.verify},       {"measure", progress.phases.measure},
                             {"search", progress.search_seconds},      {"store", progress.store_seconds},
                             {"reference", progress.phases.reference}, {"finals", progress.rerank_seconds}};
  const auto pace = record.key.origin == Origin::measured ? pace_of(summary.result) : std::nullopt;
  object["evaluations_per_second"] = pace ? nlohmann::ordered_json(pace->evaluations_per_second) : nullptr;
  object["device_busy"] = pace ? nlohmann::ordered_json(pace->device_busy) : nullptr;
  object["from_cache"] = progress.from_cache;
  object["same_code"] = progress.same_code;
  object["limit_seconds"] = record.limit;
  object["best"] = nullptr;
  if (progress.best) {
    const reports::ShownResult best = reports::shown(record, *progress.best, summary.result.rerank);
    object["best"] = reports::result_json(
        best, {"configuration", "seconds", "low_seconds", "high_seconds", "confidence", "items_per_second",
               "bytes_per_second", "share_of_limit", "error", "tolerance"});
    object["best"]["origin"] = to_string(record.key.origin);
    for (const auto& [name, value] : best.metrics) object["best"]["metrics"][name] = value;
    if (summary.problem != nullptr)
      for (const auto& [name, value] : reports::metrics_of(*summary.problem, record.key.instance, best))
        object["best"]["metrics"][name] = value;
  }
  const auto number = [](const std::optional<double>& ratio) {
    return ratio ? nlohmann::ordered_json(*ratio) : nlohmann::ordered_json();
  };
  object["speed_up_over_default"] = number(speed_up(summary, summary.result.default_value));
  object["speed_up_over_median"] = number(speed_up(summary, summary.result.median_value));
  object["share_of_recorded_best"] = number(share_of_recorded(summary));
  object["objective"] = to_string(record.options.objective);
  object["cache"] = to_string(record.key.cache);
  object["top"] = nlohmann::ordered_json::array();
  for (const TopPlace& place : top_of(summary))
    object["top"].push_back({{"configuration", json_object(place.configuration.entries())},
                             {"value", record.options.objective.shown(place.value)},
                             {"ratio", place.ratio},
                             {"tied", place.tied}});
  if (record.options.objective.of_front() != nullptr)
    object["front"] = reports::front_json(summary.result.front, record.options.objective);
  object["finals"] = places_json(summary.result.rerank);
  object["notice"] = summary.result.notice.empty() ? nullptr : nlohmann::ordered_json(summary.result.notice);
  object["database"] = summary.database.string();
  return json_text(object);
}

}  // namespace tune::cli
