// SPDX-License-Identifier: Apache-2.0
#include "reports/data/result.hpp"

#include <algorithm>
#include <string>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::reports {
namespace {

using Json = nlohmann::ordered_json;

/// True of items that the floating-point operations count too: a multiply-add is two.
bool are_multiplications(const db::WorkloadCost& cost) {
  return cost.item.starts_with("multipl");
}

Rate items_of(const db::WorkloadCost& cost) {
  return {cost.items, plural(cost.item) + "/s"};
}
Rate bytes_of(const db::WorkloadCost& cost) {
  return {cost.bytes, "B/s"};
}
Rate flops_of(const db::WorkloadCost& cost) {
  return {cost.flops, "FLOP/s"};
}

/// `283 us, 89 % of the limit 251 us, 474 Gcell updates/s, 3.8 TB/s, 5 TFLOP/s`, as far as it is known.
std::string speed_text(const ShownResult& result) {
  const db::WorkloadCost& cost = result.cost;
  std::string text = si(result.seconds, "s");
  if (cost.limit > 0)
    text += format(", {} of the limit {}{}", percent_text(cost.limit / result.seconds), si(cost.limit, "s"),
                   result.limit_by.empty() ? "" : " by " + result.limit_by);
  for (const Rate& rate :
       {are_multiplications(cost) ? Rate() : items_of(cost), bytes_of(cost), flops_of(cost)})
    if (rate.amount > 0) text += ", " + rate_text(rate, result.seconds);
  return text;
}

/// Empty where there is no re-ranking, and no second sample that would show a spread.
std::string interval_line(const ShownResult& result) {
  if (!result.standing && result.samples.size() < 2) return "";
  const std::string text = interval_text(*result.interval(), "s");
  if (!result.standing) return result.timing ? text : format("{}, {} samples", text, result.samples.size());
  return format("{}, {} of re-ranking{}{}", text,
                counted(static_cast<std::uint64_t>(result.standing->rounds), "round"),
                result.standing->run > 0 ? format(" in run {}", result.standing->run) : "",
                result.reused ? " (of an earlier run)" : "");
}

std::string resources_text(const KernelResources& resources) {
  std::string text = format(
      "{} registers per thread, {} of shared memory, {} threads per block, occupancy {}", resources.registers,
      bytes_text(resources.static_shared_memory + resources.dynamic_shared_memory), resources.threads,
      percent_text(resources.occupancy));
  if (!resources.limiter.empty()) text += format(" (limited by {})", resources.limiter);
  if (resources.spill_store_bytes > 0)
    text += format(", spills {} B per thread", resources.spill_store_bytes);
  return text;
}

}  // namespace

Rate main_rate(const db::WorkloadCost& cost, const DeviceProperties& device) {
  if (cost.items > 0 && !are_multiplications(cost)) return items_of(cost);
  const double bandwidth = device.copy_bandwidth > 0 ? device.copy_bandwidth : device.peak_bandwidth();
  const bool memory_binds =
      cost.limit > 0 && cost.bytes > 0 && bandwidth > 0 && cost.bytes / bandwidth >= 0.999 * cost.limit;
  return memory_binds || !(cost.flops > 0) ? bytes_of(cost) : flops_of(cost);
}

std::string rate_text(const Rate& rate, double seconds) {
  return si(rate.amount / seconds, rate.unit);
}

std::optional<MedianInterval> ShownResult::interval() const {
  if (standing) return standing->time;
  if (samples.empty()) return std::nullopt;
  return median_interval(samples, measuring_confidence);
}

ShownResult shown(const db::ResultRow& row, std::vector<double> samples) {
  return {.configuration = row.configuration,
          .seconds = row.time.value_or(0),
          .cost = row.amount,
          .standing = row.rerank,
          .samples = std::move(samples),
          .sample_count = static_cast<std::uint64_t>(row.samples),
          .timing = row.timing,
          .error = row.error,
          .tolerance = row.tolerance,
          .resources = row.resources,
          .metrics = row.timing ? row.timing->metrics : Metrics{}};
}

Metrics metrics_of(const Problem& problem, const Instance& instance, const ShownResult& result) {
  const double joules = result.timing && result.timing->energy > 0 ? result.timing->energy : result.joules;
  return problem.metrics(
      instance, result.configuration,
      facts_of({result.configuration, result.resources, result.seconds, joules, &result.metrics}));
}

ShownResult shown(const db::RerankRow& place) {
  ShownResult result{.configuration = place.configuration,
                     .seconds = place.result.time.median,
                     .standing = place.result,
                     .reused = place.reused,
                     .joules = place.energy};
  for (const RerankRound& round : place.rounds) result.round_seconds.push_back(round.seconds);
  return result;
}

ShownResult shown(const RerankPlace& place) {
  const db::RerankStanding standing{
      .time = place.time, .ratio = place.ratio, .tied = place.tied, .rounds = std::ssize(place.rounds)};
  return {.configuration = place.configuration,
          .seconds = place.time.median,
          .standing = standing,
          .joules = place.energy()};
}

ShownResult shown(const RunRecord& run, const Evaluation& best, const RerankResult& rerank) {
  const Measurement& measurement = *best.outcome;
  ShownResult result{.configuration = best.configuration,
                     .cost = {run.limit, run.items, run.flops, run.bytes, run.item},
                     .limit_by = run.limit_by,
                     .reused = rerank.reused,
                     .samples = measurement.samples,
                     .joules = measurement.energy,
                     .error = measurement.error,
                     .tolerance = measurement.tolerance,
                     .resources = best.resources,
                     .metrics = measurement.metrics};
  if (!rerank.places.empty()) result.standing = shown(rerank.places.front()).standing;
  result.seconds = result.interval()->median;
  return result;
}

std::vector<std::pair<std::string, std::string>> result_lines(const ShownResult& result) {
  std::vector<std::pair<std::string, std::string>> lines = {
      {"best", speed_text(result)}, {"configuration", result.configuration.to_string()}};
  const auto add = [&](const char* name, std::string text) {
    if (!text.empty()) lines.emplace_back(name, std::move(text));
  };
  add("interval", interval_line(result));
  if (result.joules > 0)
    add("energy",
        format("{} an execution, {}", si(result.joules, "J"), si(result.joules * result.seconds, "Js")));
  if (result.timing) {
    const std::string samples = result.sample_count > 0 ? counted(result.sample_count, "sample") + ", "
                                                        : "";  // not every database has them
    add("measuring", samples + to_text(*result.timing));
    add("machine", to_text(result.timing->machine));
  }
  add("metrics", joined(result.metrics,
                        [](const auto& metric) { return format("{} {:.6g}", metric.first, metric.second); }));
  if (result.cost.items > 0)  // what another program measured was not checked here
    add("checked", format("largest error {:.3g}, tolerance {:.3g}", result.error, result.tolerance));
  if (result.resources) add("resources", resources_text(*result.resources));
  return lines;
}

std::vector<std::string> result_texts(const ShownResult& result) {
  std::vector<std::string> texts;
  for (auto& line : result_lines(result)) texts.push_back(std::move(line.second));
  return texts;
}

std::string ties_text(std::uint64_t count) {
  return format("{}, less than {} slower or not certainly slower", counted(count, "other configuration"),
                percent_text(rerank_resolution));
}

std::vector<std::string> ties_lines(const std::vector<Tie>& ties, std::size_t max) {
  std::vector<std::string> lines = {ties_text(ties.size()) + ":"};
  for (std::size_t i = 0; i < std::min(ties.size(), max); ++i)
    lines.push_back(format("{}  {}", difference_text(ties[i].ratio), ties[i].configuration.to_string()));
  if (ties.size() > max) lines.push_back(format("and {} more: 'tune show' lists them", ties.size() - max));
  return lines;
}

Json result_json(const ShownResult& result, std::initializer_list<std::string_view> members) {
  const db::RerankStanding standing = result.standing.value_or(db::RerankStanding{});
  const MedianInterval interval = result.interval().value_or(MedianInterval{});
  const db::WorkloadCost& cost = result.cost;
  const Json all = {{"run", standing.run},
                    {"place", standing.place},
                    {"configuration", json_object(result.configuration.entries())},
                    {"tied", standing.tied},
                    {"seconds", result.seconds},
                    {"low_seconds", interval.low},
                    {"high_seconds", interval.high},
                    {"confidence", interval.confidence},
                    {"ratio", standing.ratio.median},
                    {"low_ratio", standing.ratio.low},
                    {"high_ratio", standing.ratio.high},
                    {"rounds", standing.rounds},
                    {"round_seconds", result.round_seconds},
                    {"samples", result.samples},
                    {"reused", result.reused},
                    {"joules", result.joules},
                    {"items_per_second", cost.items / result.seconds},
                    {"flops_per_second", cost.flops / result.seconds},
                    {"bytes_per_second", cost.bytes / result.seconds},
                    {"share_of_limit", cost.limit / result.seconds},
                    {"error", result.error},
                    {"tolerance", result.tolerance}};
  Json object = Json::object();
  for (const std::string_view name : members)
    if (name != "joules" || result.joules > 0) object[std::string(name)] = all.at(std::string(name));
  return object;
}

std::string agreement_text(std::string_view cheaper, const RankAgreement& agreement) {
  const std::string text = format("{} were measured at {} and in full: ", agreement.pairs, cheaper);
  if (!agreement.correlation) return text + "too few to compare orders";
  return text + format("rank correlation {:.2f}", *agreement.correlation);
}

Json agreement_json(const RankAgreement& agreement) {
  if (agreement.pairs == 0) return nullptr;
  return {{"evaluations", agreement.pairs}, {"rank_correlation", or_null(agreement.correlation)}};
}

Json instance_json(const Instance& instance) {
  return {
      {"problem", instance.problem}, {"size", instance.size()}, {"settings", json_object(instance.settings)}};
}

Json front_json(const std::vector<FrontMember>& front, const Objective& objective) {
  Json list = Json::array();
  for (const FrontMember& member : front) {
    Json values;
    for (std::size_t i = 0; i < member.values.size(); ++i) {
      const Objective& part = (*objective.of_front())[i];
      values[name_of(part)] = part.shown(member.values[i]);
    }
    list.push_back({{"configuration", json_object(member.configuration.entries())}, {"values", values}});
  }
  return list;
}

Json failures_json(const std::vector<db::FailureCount>& failures) {
  Json list = Json::array();
  for (const db::FailureCount& failure : failures)
    list.push_back({{"phase", to_string(failure.phase)},
                    {"reason", failure.reason},
                    {"count", failure.count},
                    {"example", json_object(failure.example.entries())},
                    {"detail", failure.detail}});
  return list;
}

}  // namespace tune::reports
