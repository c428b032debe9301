// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/text_layout.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/backends/host/host_device.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"
#include "tuner/problem/command_problem.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

struct SpaceRequest {
  ProblemOptions problem;
  SpaceChoice space;
  std::string device, architecture;
  bool count = false;
  std::uint64_t sample = 0, seed = 1;
  Format format = Format::text;

  void add_to(OptionTable& table);
};

void SpaceRequest::add_to(OptionTable& table) {
  problem.add_to(table);
  space.add_to(table);
  table.text(
      "device", "D",
      "the GPU whose limits apply: its number, or part of the name of a stored device; default: the first "
      "GPU",
      device);
  table.text("arch", "SM", "use the limits of an architecture instead, such as sm_90", architecture);
  table.flag("count", "print only the number of valid configurations", count);
  table.count("sample", "N", "print N random valid configurations", sample, 1);
  table.count("seed", "N", "seed of the sample; default: 1", seed, 0);
  add_format_option(table, format);
}

std::vector<Configuration> draw(const search::SearchSpace& space, std::uint64_t count, std::uint64_t seed) {
  const auto strategy = search::choose_strategy("random:values=on").make({space, seed});
  std::vector<Configuration> drawn;
  for (const search::ConfigurationId id : strategy->ask(count)) drawn.push_back(space.at(id));
  return drawn;
}

std::string listed(const std::vector<Value>& values) {
  return joined(values, &Value::to_string, " ");
}

std::string describe(const ProblemSelection& selection, const DeviceProperties& device,
                     const search::SearchSpace& space, const std::vector<Configuration>& sample) {
  const std::string valid = space.counted() ? counted(space.size(), "valid configuration")
                            : space.large_count().empty()
                                ? std::string("valid configurations: not counted,")
                                : format("{} valid configurations", space.large_count());
  std::string text =
      format("{} {} on {}\n{} of {:.0f} combinations\n\nParameters\n", selection.instance.problem,
             selection.instance.key(), device.name, valid, space.product_size());
  std::size_t width = 14;
  for (const search::Parameter& parameter : space.parameters())
    width = std::max(width, parameter.name.size() + 2);
  for (const search::Parameter& parameter : space.parameters()) {
    text += format("  {:<{}}{}  (default {})\n", parameter.name, width, listed(parameter.values),
                   parameter.default_value.to_string());
    const std::string condition =
        parameter.exists_if ? format("; only if {}", parameter.exists_if->to_string()) : std::string();
    if (const std::string description = parameter.documentation + condition; !description.empty())
      text += std::string(width + 2, ' ') + wrapped(description, width + 2) + "\n";
  }
  if (!space.definition().constraints.empty()) text += "\nConstraints\n";
  for (const search::Constraint& constraint : space.definition().constraints) {
    text += format("  {}\n", wrapped(constraint.rule.to_string(), 4));
    if (!constraint.reason.empty()) text += format("      {}\n", wrapped(constraint.reason, 6));
  }
  if (!sample.empty()) text += "\nSample\n";
  for (const Configuration& configuration : sample) text += format("  {}\n", configuration.key());
  return text;
}

std::string describe_json(const ProblemSelection& selection, const DeviceProperties& device,
                          const search::SearchSpace& space, const std::vector<Configuration>& sample) {
  nlohmann::ordered_json object;
  object["problem"] = selection.instance.problem;
  object["size"] = selection.instance.size();
  object["settings"] = json_object(selection.instance.settings);
  object["device"] = device.name;
  object["valid"] = nullptr;  // not counted
  if (space.counted()) object["valid"] = space.size();
  if (!space.large_count().empty()) object["valid_in_digits"] = space.large_count();
  object["product"] = space.product_size();
  for (const search::Parameter& parameter : space.parameters()) {
    nlohmann::ordered_json entry = {{"name", parameter.name}, {"documentation", parameter.documentation}};
    entry["values"] = nlohmann::ordered_json::array();
    for (const Value& value : parameter.values) entry["values"].push_back(json_value(value));
    entry["default"] = json_value(parameter.default_value);
    entry["exists_if"] = nullptr;
    if (parameter.exists_if) entry["exists_if"] = parameter.exists_if->to_string();
    object["parameters"].push_back(std::move(entry));
  }
  object["constraints"] = nlohmann::ordered_json::array();
  for (const search::Constraint& constraint : space.definition().constraints)
    object["constraints"].push_back({{"rule", constraint.rule.to_string()}, {"reason", constraint.reason}});
  object["sample"] = nlohmann::ordered_json::array();
  for (const Configuration& configuration : sample)
    object["sample"].push_back(json_object(configuration.entries()));
  return json_text(object);
}

int run_space(const SpaceRequest& request) {
  if (request.count && (request.sample > 0 || request.format == Format::json))
    throw UsageError("--count prints only a number: leave out --sample and --format json");
  const ProblemSelection selection = selected_problem(request.problem);
  std::string notice;
  const DeviceProperties device =
      selection.problem->info().target == Target::cpu
          ? host::device_properties()
          : properties_or_architecture(request.device, request.architecture, notice);
  const search::SearchSpace space = build_space(selection, device, request.space);
  if (!notice.empty()) say(notice);
  if (request.count && !space.large_count().empty()) {
    std::cout << space.large_count() << "\n";
    return 0;
  }
  if (request.count && !space.counted())
    throw Error("--count: not counted; fix a parameter (--fix NAME=VALUE), or give parameters fewer values");
  if (request.count) {
    std::cout << space.size() << "\n";
    return 0;
  }
  const std::vector<Configuration> sample = draw(space, request.sample, request.seed);
  std::cout << (request.format == Format::json ? describe_json(selection, device, space, sample)
                                               : describe(selection, device, space, sample));
  return 0;
}

}  // namespace

Command space_command() {
  return {"space",
          "shows parameters, constraints and the number of valid configurations",
          "tune space P [options]",
          "  tune space stencil3d --set radius=4 --sample 5\n"
          "  tune space stencil3d --where 'variant == direct and vector == 4'\n",
          "problem",
          bind_request<SpaceRequest, run_space>};
}

}  // namespace tune::cli
