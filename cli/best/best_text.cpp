// SPDX-License-Identifier: Apache-2.0
#include "cli/best/best_text.hpp"

#include <algorithm>

#include "cli/output/text_layout.hpp"
#include "reports/data/rerank_json.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/measurement_text.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

std::string origin_text(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  std::string text =
      format("{}\n          run {}, {}", answer.database.string(), result.run, time_of_day(result.recorded));
  if (answer.shipped)
    text += "\n          a recording that ships with tune: your database has nothing that fits as well";
  return text;
}

LaunchPlan plan_of(const BestAnswer& answer) {
  Result<LaunchPlan> plan = answer.selection.problem->plan(
      answer.selection.instance, answer.candidate.result.configuration, answer.sources);
  if (!plan)
    throw Error(format("the stored configuration cannot be used at {}: {}", answer.selection.instance.size(),
                       plan.error().detail));
  return std::move(*plan);
}

std::string ties_of(const db::BestCandidate& candidate) {
  std::vector<Tie> ties;
  for (const db::ResultRow& tie : candidate.ties) ties.push_back({tie.rerank->ratio, tie.configuration});
  return ties.empty() ? "" : ties_text(ties);
}

nlohmann::ordered_json winner_json(const db::BestCandidate& candidate) {
  const auto json = [](const db::ResultRow& row, std::initializer_list<std::string_view> members) {
    return reports::rerank_json({*row.rerank, row.configuration}, members);
  };
  if (!candidate.result.rerank) return nullptr;
  nlohmann::ordered_json object =
      json(candidate.result, {"run", "rounds", "low_seconds", "high_seconds", "confidence"});
  object["ties"] = nlohmann::ordered_json::array();
  for (const db::ResultRow& tie : candidate.ties)
    object["ties"].push_back(json(tie, {"configuration", "seconds", "ratio", "low_ratio", "high_ratio"}));
  return object;
}

/// Null where the match is exact, or no records tell.
nlohmann::ordered_json loss_json(const db::BestCandidate& candidate) {
  if (!candidate.loss) return nullptr;
  return {{"expected", candidate.loss->expected},
          {"worst", candidate.loss->worst},
          {"pairs", candidate.loss->pairs}};
}

std::string constant(const std::string& name, const Value& value) {
  if (value.is_text()) return format("inline constexpr const char* {} = \"{}\";\n", name, value.to_string());
  const std::string_view type = value.is_bool() ? "bool" : value.is_int() ? "long long" : "double";
  return format("inline constexpr {} {} = {};\n", type, name, value.to_string());
}

std::string constants(const std::string& step, const Launch& launch) {
  std::string text = format("inline constexpr unsigned grid_{}[3] = {{{}, {}, {}}};\n", step, launch.grid.x,
                            launch.grid.y, launch.grid.z);
  text += format("inline constexpr unsigned block_{}[3] = {{{}, {}, {}}};\n", step, launch.block.x,
                 launch.block.y, launch.block.z);
  return text + format("inline constexpr unsigned long long dynamic_shared_memory_{} = {};\n", step,
                       launch.dynamic_shared_memory);
}

std::string constants(const std::string& step, const FourierTransform& transform) {
  std::string extents;
  for (const std::uint64_t extent : transform.extents)
    extents += format("{}{}", extents.empty() ? "" : ", ", extent);
  const bool some = transform.axes < transform.extents.size();
  return format("inline constexpr unsigned long long fourier_{}[{}] = {{{}}};  ///< {}, x first{}\n", step,
                transform.extents.size(), extents, step_name(transform),
                some ? format(", along the first {} of them", transform.axes) : "");
}

std::string constants(const std::string& step, const Copy& copy) {
  return format(
      "inline constexpr unsigned long long copy_{}[2] = {{{}, {}}};  ///< {}: elements of a row, rows\n",
      step, copy.width, copy.rows, step_name(copy));
}

}  // namespace

std::string launch_constants(const LaunchPlan& plan) {
  std::string text;
  const auto add = [&](const std::vector<PlanStep>& steps, const char* before) {
    for (std::size_t i = 0; i < steps.size(); ++i)
      text +=
          std::visit([&](const auto& step) { return constants(before + std::to_string(i), step); }, steps[i]);
  };
  add(plan.setup, "setup_");
  add(plan.launches, "");
  return text;
}

std::string best_text(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  const double time = *result.time;
  std::string text = format("{} {} on {}\n", answer.selection.instance.problem,
                            answer.selection.instance.key(), result.workload.device);
  text += format("best      {}  {}  {}", si(time, "s"),
                 si(result.amount.items / time, result.amount.item + "s/s"),
                 si(result.amount.bytes / time, "B/s"));
  if (result.amount.limit > 0) text += format("  {} of the limit", percent_text(result.amount.limit / time));
  if (result.workload.size != answer.selection.instance.size())
    text += format("  (at {})", result.workload.size);
  text += format("\n          {}\n", wrapped(result.configuration.to_string(), 10));
  if (answer.objective != Objective::time)
    text += format("          {} an execution: the smallest {} known\n",
                   si(answer.candidate.value, unit_of(answer.objective)), to_string(answer.objective));
  if (result.rerank)
    text += format("          {}, {} of the finals of run {}\n", interval_text(result.rerank->time, "s"),
                   counted(static_cast<std::uint64_t>(result.rerank->rounds), "round"), result.rerank->run);
  text += ties_of(answer.candidate);
  text += format("chosen    {}\n", wrapped(answer.candidate.reason, 10));
  text +=
      format("measured  {}\n",
             wrapped(format("with {}, driver {}; {} measured, largest error {:.3g} of {:.3g} "
                            "allowed",
                            result.workload.toolchain.compiler, result.workload.driver,
                            counted(static_cast<std::uint64_t>(answer.candidate.measured), "configuration"),
                            result.error, result.tolerance),
                     10));
  text += format("from      {}\n", origin_text(answer));
  return text;
}

std::string best_json(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  nlohmann::ordered_json object = {{"problem", answer.selection.instance.problem},
                                   {"size", answer.selection.instance.size()},
                                   {"settings", json_object(answer.selection.instance.settings)},
                                   {"configuration", json_object(result.configuration.entries())},
                                   {"seconds", *result.time},
                                   {"objective", to_string(answer.objective)},
                                   {"value", answer.candidate.value},
                                   {"share_of_limit", result.amount.limit / *result.time},
                                   {"finals", winner_json(answer.candidate)},
                                   {"match", lookup::to_string(answer.candidate.match)},
                                   {"loss", loss_json(answer.candidate)},
                                   {"why", answer.candidate.reason},
                                   {"recorded_size", result.workload.size},
                                   {"device", result.workload.device},
                                   {"model_key", result.workload.model_key},
                                   {"driver", result.workload.driver},
                                   {"compiler", result.workload.toolchain.compiler},
                                   {"source_hash", result.workload.toolchain.source_hash},
                                   {"recorded", result.recorded},
                                   {"run", result.run},
                                   {"database", answer.database.string()},
                                   {"shipped", answer.shipped}};
  return json_text(object);
}

std::string best_flags(const BestAnswer& answer) {
  std::string text;
  for (const auto& [name, value] : plan_of(answer).compile.defines)
    text += (text.empty() ? "" : " ") + shell_quoted(format("-D{}={}", name, value));
  return text + "\n";
}

std::string best_header(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  const LaunchPlan plan = plan_of(answer);
  std::string text = "// Written by 'tune best --format header'; do not edit.\n#pragma once\n\n";
  text +=
      format("/// {} {} on {}: {}{}.\n/// Chosen: {}.\n", answer.selection.instance.problem,
             answer.selection.instance.key(), result.workload.device, si(*result.time, "s"),
             result.workload.size == answer.selection.instance.size() ? "" : " at " + result.workload.size,
             answer.candidate.reason);
  text += format("namespace tune_best::{} {{\n\n", answer.selection.instance.problem);
  for (const auto& [name, value] : result.configuration.entries()) text += constant(name, value);
  text += "\n/// Launches at this size, in order.\n";
  text += launch_constants(plan);
  text += format("\n}}  // namespace tune_best::{}\n", answer.selection.instance.problem);
  return text;
}

}  // namespace tune::cli
