// SPDX-License-Identifier: Apache-2.0
#include "cli/best/best_text.hpp"

#include <algorithm>

#include "cli/output/json_text.hpp"
#include "cli/output/text_layout.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/measurement/measurement_text.hpp"

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
  Result<LaunchPlan> plan =
      answer.work.problem->plan(answer.work.instance, answer.candidate.result.configuration, answer.sources);
  if (!plan)
    throw Error(format("the stored configuration cannot be used at {}: {}", answer.work.instance.size(),
                       plan.error().detail));
  return std::move(*plan);
}

std::string ties_text(const db::Candidate& candidate) {
  if (candidate.ties.empty()) return "";
  std::string text =
      format("ties      with {} other{}, less than {} slower or not for sure:\n", candidate.ties.size(),
             candidate.ties.size() == 1 ? "" : "s", percent_text(finals_resolution));
  for (const db::ResultRow& tie : candidate.ties)
    text += format("          {}\n            {}\n", difference_text(tie.final->ratio),
                   wrapped(tie.configuration.to_string(), 12));
  return text;
}

nlohmann::ordered_json finals_json(const db::Candidate& candidate) {
  if (!candidate.result.final) return nullptr;
  const db::FinalResult& final = *candidate.result.final;
  nlohmann::ordered_json ties = nlohmann::ordered_json::array();
  for (const db::ResultRow& tie : candidate.ties)
    ties.push_back({{"configuration", json_object(tie.configuration.entries())},
                    {"seconds", *tie.time},
                    {"ratio", tie.final->ratio.median},
                    {"low_ratio", tie.final->ratio.low},
                    {"high_ratio", tie.final->ratio.high}});
  return {{"run", final.run},
          {"rounds", final.rounds},
          {"low_seconds", final.time.low},
          {"high_seconds", final.time.high},
          {"confidence", final.time.confidence},
          {"ties", ties}};
}

/// Null where the match is exact, or no records tell.
nlohmann::ordered_json loss_json(const db::Candidate& candidate) {
  if (!candidate.loss) return nullptr;
  return {{"expected", candidate.loss->expected},
          {"worst", candidate.loss->worst},
          {"pairs", candidate.loss->pairs}};
}

std::string shell_word(const std::string& word) {
  const bool plain = std::ranges::all_of(word, [](unsigned char letter) {
    return std::isalnum(letter) ||
           std::string_view("-_=./,:+").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  return plain ? word : "'" + word + "'";
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
                transform.extents.size(), extents, name_of(transform),
                some ? format(", along the first {} of them", transform.axes) : "");
}

std::string constants(const std::string& step, const Copy& copy) {
  return format(
      "inline constexpr unsigned long long copy_{}[2] = {{{}, {}}};  ///< {}: elements of a row, rows\n",
      step, copy.width, copy.rows, name_of(copy));
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
  std::string text =
      format("{} {} on {}\n", answer.work.instance.problem, answer.work.instance.key(), result.work.device);
  text += format("best      {}  {}  {}", si(time, "s"),
                 si(result.amount.items / time, result.amount.item + "s/s"),
                 si(result.amount.bytes / time, "B/s"));
  if (result.amount.limit > 0) text += format("  {} of the limit", percent_text(result.amount.limit / time));
  if (result.work.size != answer.work.instance.size()) text += format("  (at {})", result.work.size);
  text += format("\n          {}\n", wrapped(result.configuration.to_string(), 10));
  if (answer.objective != Objective::time)
    text += format("          {} an execution: the smallest {} known\n",
                   si(answer.candidate.value, unit_of(answer.objective)), to_string(answer.objective));
  if (result.final)
    text += format("          {}, {} of the finals of run {}\n", interval_text(result.final->time, "s"),
                   counted(static_cast<std::uint64_t>(result.final->rounds), "round"), result.final->run);
  text += ties_text(answer.candidate);
  text += format("chosen    {}\n", wrapped(answer.candidate.why, 10));
  text +=
      format("measured  {}\n",
             wrapped(format("with {}, driver {}; {} measured, largest error {:.3g} of {:.3g} "
                            "allowed",
                            result.work.toolchain.compiler, result.work.driver,
                            counted(static_cast<std::uint64_t>(answer.candidate.measured), "configuration"),
                            result.error, result.tolerance),
                     10));
  text += format("from      {}\n", origin_text(answer));
  return text;
}

std::string best_json(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  nlohmann::ordered_json object = {{"problem", answer.work.instance.problem},
                                   {"size", answer.work.instance.size()},
                                   {"settings", json_object(answer.work.instance.settings)},
                                   {"configuration", json_object(result.configuration.entries())},
                                   {"seconds", *result.time},
                                   {"objective", to_string(answer.objective)},
                                   {"value", answer.candidate.value},
                                   {"share_of_limit", result.amount.limit / *result.time},
                                   {"finals", finals_json(answer.candidate)},
                                   {"match", lookup::to_string(answer.candidate.match)},
                                   {"loss", loss_json(answer.candidate)},
                                   {"why", answer.candidate.why},
                                   {"recorded_size", result.work.size},
                                   {"device", result.work.device},
                                   {"model_key", result.work.model_key},
                                   {"driver", result.work.driver},
                                   {"compiler", result.work.toolchain.compiler},
                                   {"source_hash", result.work.toolchain.source_hash},
                                   {"recorded", result.recorded},
                                   {"run", result.run},
                                   {"database", answer.database.string()},
                                   {"shipped", answer.shipped}};
  return json_text(object);
}

std::string best_flags(const BestAnswer& answer) {
  std::string text;
  for (const auto& [name, value] : plan_of(answer).compile.defines)
    text += (text.empty() ? "" : " ") + shell_word(format("-D{}={}", name, value));
  return text + "\n";
}

std::string best_header(const BestAnswer& answer) {
  const db::ResultRow& result = answer.candidate.result;
  const LaunchPlan plan = plan_of(answer);
  std::string text = "// Written by 'tune best --format header'; do not edit.\n#pragma once\n\n";
  text += format("/// {} {} on {}: {}{}.\n/// Chosen: {}.\n", answer.work.instance.problem,
                 answer.work.instance.key(), result.work.device, si(*result.time, "s"),
                 result.work.size == answer.work.instance.size() ? "" : " at " + result.work.size,
                 answer.candidate.why);
  text += format("namespace tune_best::{} {{\n\n", answer.work.instance.problem);
  for (const auto& [name, value] : result.configuration.entries()) text += constant(name, value);
  text += "\n/// Launches at this size, in order.\n";
  text += launch_constants(plan);
  text += format("\n}}  // namespace tune_best::{}\n", answer.work.instance.problem);
  return text;
}

}  // namespace tune::cli
