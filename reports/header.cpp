// SPDX-License-Identifier: Apache-2.0
#include "reports/header.hpp"

#include <algorithm>
#include <variant>

#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::reports {
namespace {

using Parameters = std::vector<std::pair<std::string, search::Value>>;

/// All parameters of all configurations, each with a value that shows its type.
Parameters parameters_of(const db::Portfolio& portfolio) {
  Parameters all;
  for (const Configuration& configuration : portfolio.configurations)
    for (const auto& [name, value] : configuration.entries()) {
      const auto known = std::ranges::find(all, name, &Parameters::value_type::first);
      if (known == all.end())
        all.emplace_back(name, value);
      else if (value.is_real() || value.is_text())  // wider than a whole number
        known->second = value;
    }
  return all;
}

std::string type_of(const search::Value& value) {
  if (value.is_text()) return "const char*";
  return value.is_bool() ? "bool" : value.is_int() ? "long long" : "double";
}

std::string text_literal(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string loss_text(double loss) {
  return loss == 0 ? "the best there" : percent_text(loss) + " slower than the best there";
}

std::string summary(const Instance& instance, const db::Portfolio& portfolio, double bound) {
  std::string text = format(
      "/// {} {}: {} for {}, at none of which more than {} are lost\n/// against the best that was measured there. ",
      instance.problem, instance.settings_key(), counted(portfolio.configurations.size(), "configuration"),
      counted(portfolio.workloads.size(), "recorded workload"), percent_text(bound));
  text += portfolio.exact ? "No smaller set would do.\n"
                          : "Chosen greedily: among so many workloads a smaller set may exist.\n";
  if (const std::size_t stale = portfolio.stale(); stale > 0 && stale == portfolio.workloads.size())
    text += "/// The kernel sources have changed since all of these were recorded.\n";
  else if (stale > 0)
    text += format("/// The kernel sources have changed since {} of these {} recorded.\n", stale,
                   stale == 1 ? "was" : "were");
  return text;
}

std::string configurations_text(const db::Portfolio& portfolio) {
  const Parameters parameters = parameters_of(portfolio);
  std::string text =
      "/// Parameters that a variant does not have are 0, false or empty.\nstruct Configuration {\n";
  for (const auto& [name, value] : parameters) text += format("  {} {};\n", type_of(value), name);
  text +=
      format("}};\n\ninline constexpr Configuration portfolio[{}] = {{\n", portfolio.configurations.size());
  for (std::size_t i = 0; i < portfolio.configurations.size(); ++i) {
    std::size_t workloads = 0;
    double worst = 0;
    for (const db::ServedWorkload& workload : portfolio.workloads) {
      if (workload.configuration != i) continue;
      ++workloads;
      worst = std::max(worst, workload.loss);
    }
    text += format("    // {}: for {}, {} slower at most\n    {{", i, counted(workloads, "workload"),
                   percent_text(worst));
    const auto literal_of = [&](const auto& parameter) {
      return literal(portfolio.configurations[i].find(parameter.first), parameter.second);
    };
    text += joined(parameters, literal_of) + "},\n";
  }
  return text + "};\n\n";
}

std::string records_text(const db::Portfolio& portfolio, std::size_t extents) {
  std::string text = format(
      "/// The recorded workloads, and the configuration that serves each.\nstruct Record {{\n  const char* device;\n"
      "  int major, minor, multiprocessors;\n  long long extents[{}];\n  int configuration;\n}};\n\n"
      "inline constexpr Record records[{}] = {{\n",
      extents, portfolio.workloads.size());
  for (const db::ServedWorkload& workload : portfolio.workloads) {
    text += format("    {{{}, {}, {}, {}, {{{}}}, {}}},  // {}\n", text_literal(workload.device),
                   workload.compute_major, workload.compute_minor, workload.multiprocessors,
                   joined(workload.extents), workload.configuration,
                   loss_text(workload.loss) + (workload.stale ? ", by older kernel sources" : ""));
  }
  return text + "};\n\n";
}

// The order is that of lookup/src/matching.hpp, without the memory's bandwidth.
constexpr const char* choose_text = R"(namespace detail {{

inline double ratio(double a, double b) {{ return a > 0 && b > 0 ? std::fabs(std::log(a / b)) : 0; }}

/// The larger, the less similar: the device counts before the size.
inline double distance(const Record& record, const char* device, int major, int minor, int multiprocessors,
                       const long long (&extents)[{0}]) {{
  double logs[{0}], mean = 0, size = 0;
  for (int i = 0; i < {0}; ++i) {{
    logs[i] = std::log(static_cast<double>(extents[i]) / static_cast<double>(record.extents[i]));
    mean += logs[i] / {0};
  }}
  for (const double log : logs) size += std::fabs(log) + std::fabs(log - mean);
  if (std::strcmp(record.device, device) == 0 && record.multiprocessors == multiprocessors) return size;
  const int kinship = record.major != major ? 3 : record.minor != minor ? 2 : 1;
  return 1e6 * kinship + size + ratio(multiprocessors, record.multiprocessors);
}}

}}  // namespace detail

/// For a device, as cudaDeviceProp describes it (name, major, minor, multiProcessorCount), and a size: the
/// configuration that serves the nearest record. At a size that was not recorded it may be invalid, and may lose more.
inline const Configuration& choose(const char* device, int major, int minor, int multiprocessors, {1}) {{
  const long long extents[] = {{{2}}};
  const Record* nearest = &records[0];
  for (const Record& record : records)
    if (detail::distance(record, device, major, minor, multiprocessors, extents) <
        detail::distance(*nearest, device, major, minor, multiprocessors, extents))
      nearest = &record;
  return portfolio[nearest->configuration];
}}
)";

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

std::string constants(const std::string& step, const Zero& zero) {
  return format("// {}: {}\n", step, step_name(zero));
}

std::string constants(const std::string& step, const HostStep& host) {
  return format("// {}: {}\n", step, step_name(host));
}

}  // namespace

std::string literal(const search::Value* value, const search::Value& like) {
  if (like.is_text()) return value == nullptr ? "\"\"" : text_literal(value->to_string());
  if (like.is_bool()) return value != nullptr && value->as_bool() ? "true" : "false";
  return value == nullptr ? "0" : value->to_string();
}

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

std::string best_header(const Instance& instance, const db::BestCandidate& candidate,
                        const LaunchPlan& plan) {
  const db::ResultRow& result = candidate.result;
  std::string text = "// Written by 'tune best --format header'; do not edit.\n#pragma once\n\n";
  text += format("/// {} {} on {}: {}{}.\n/// Chosen: {}.\nnamespace tune_best::{} {{\n\n", instance.problem,
                 instance.key(), result.workload.device, si(*result.time, "s"),
                 result.workload.size == instance.size() ? "" : " at " + result.workload.size,
                 candidate.reason, instance.problem);
  for (const auto& [name, value] : result.configuration.entries())
    text += format("inline constexpr {} {} = {};\n", type_of(value), name, literal(&value, value));
  return text + format("\n/// Launches at this size, in order.\n{}\n}}  // namespace tune_best::{}\n",
                       launch_constants(plan), instance.problem);
}

std::string portfolio_header(const ProblemInfo& problem, const Instance& instance,
                             const db::Portfolio& portfolio, double bound) {
  const std::string names = joined(problem.extents, &ExtentInfo::name);
  const std::string arguments =
      joined(problem.extents, [](const ExtentInfo& extent) { return "long long " + extent.name; });
  std::string text =
      "// Written by 'tune best --format header --portfolio'; do not edit.\n#pragma once\n\n#include <cmath>\n"
      "#include <cstring>\n\n";
  text += summary(instance, portfolio, bound);
  text += format("namespace tune_best::{} {{\n\n", instance.problem);
  text += configurations_text(portfolio);
  text += records_text(portfolio, problem.extents.size());
  text += format(choose_text, problem.extents.size(), arguments, names);
  return text + format("\n}}  // namespace tune_best::{}\n", instance.problem);
}

}  // namespace tune::reports
