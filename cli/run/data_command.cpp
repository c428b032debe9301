// SPDX-License-Identifier: Apache-2.0
// Writes files of inputs, and checks files of results on the host.
#include <array>
#include <cmath>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/output_file.hpp"
#include "reports/data/result.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::cli {
namespace {

using Json = nlohmann::ordered_json;

struct GenerateRequest {
  ProblemOptions problem;
  std::uint64_t seed = 1;
  std::string out;
  Format form = Format::text;

  void add_to(OptionTable& table) {
    problem.add_to(table);
    table.count("seed", "N", "seed of the random numbers; default: 1", seed, 0);
    table.text("out", "FILE", "the file to write", out);
    add_format_option(table, form);
  }
};

int generate(const GenerateRequest& request) {
  const ProblemSelection selection = selected_problem(request.problem);
  const ProblemFiles& files = files_of(*selection.problem);
  const auto& [problem, seed, out, form] = request;
  if (out.empty()) throw UsageError("name the file to write with --out");
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {});
  files.write_inputs(out, selection.instance, selection.problem->inputs(selection.instance, seed));
  if (form == Format::json) {
    Json object = reports::instance_json(selection.instance);
    object.update({{"seed", seed}, {"file", out}});
    std::cout << json_text(object);
  } else {
    std::cout << format("{}: {} {}, seed {}\n", out, selection.problem->info().name, selection.instance.key(),
                        seed);
  }
  return 0;
}

struct DataCheckRequest {
  ProblemOptions problem;
  std::string input, result;
  Format form = Format::text;

  void add_to(OptionTable& table) {
    problem.add_to(table);
    table.text("input", "FILE", "the file of inputs", input);
    table.text("result", "FILE", "the file of results computed from them", result).also("output");
    add_format_option(table, form);
  }
};

/// The largest |out - ref| of an output; a difference that is not a number counts as infinite.
double largest_difference(const HostTensor& output, const HostTensor& reference) {
  const HostTensor computed = in_double(view_of(output));
  const auto out = computed.as<double>(), wanted = reference.as<double>();
  double max = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = std::abs(out[i] - wanted[i]);
    max = std::isnan(difference) ? HUGE_VAL : std::max(max, difference);
    if (std::isinf(max)) break;
  }
  return max;
}

int check(const DataCheckRequest& request) {
  ProblemSelection selection = selected_problem(request.problem);
  const ProblemFiles& files = files_of(*selection.problem);
  const auto& [problem, input, result, form] = request;
  if (input.empty() || result.empty())
    throw UsageError("name the file of inputs with --input and the file of results with --result");
  if (!problem.size.empty())
    throw UsageError(format("--size: {} has its own size; leave the option out", input));
  selection.instance.extents = files.extents(input, selection.instance);
  const TensorSet outputs = files.read_outputs(result, selection.instance);
  tell_remark(files, input);
  const TensorSet inputs = files.read_inputs(input, selection.instance);
  const Tolerance tolerance = files.tolerance(selection.instance, inputs);
  bool right = true;
  Json outputs_checked = Json::array();
  for (const auto& [name, reference] : selection.problem->reference(selection.instance, inputs)) {
    const double difference = largest_difference(outputs.at(name), reference);
    const double allowed = tolerance.of(name).absolute;
    const bool within = difference <= allowed;
    if (form == Format::text)
      std::cout << format("{}: largest difference {:.3g}, {} {:.3g}\n", name, difference,
                          within ? "within" : "beyond", allowed);
    outputs_checked.push_back({{"name", name},
                               {"largest_difference", std::isinf(difference) ? Json() : Json(difference)},
                               {"allowed", allowed},
                               {"within", within}});
    right = right && within;
  }
  if (form == Format::json) {
    Json object = reports::instance_json(selection.instance);
    object.update({{"input", input}, {"result", result}, {"outputs", outputs_checked}, {"right", right}});
    std::cout << json_text(object);
  }
  return right ? 0 : static_cast<int>(Exit::failure);
}

std::span<const Command> parts() {
  static const std::array<Command, 2> table = {
      Command{.name = "data generate",
              .summary = "writes a file of random inputs",
              .usage = "tune data generate P --out FILE [options]",
              .example = "  tune data generate matvec --size 1000x2000 --seed 7 --out a.bin\n",
              .positional = "problem",
              .bind = bind_request<GenerateRequest, generate>},
      Command{.name = "data check",
              .summary = "computes the result again on the host and compares",
              .usage = "tune data check P --input FILE --result FILE [options]",
              .example = "  tune data check matvec --input a.bin --result result.bin\n",
              .positional = "problem",
              .bind = bind_request<DataCheckRequest, check>}};
  return table;
}

}  // namespace

Command data_command() {
  return {.name = "data",
          .summary = "writes and checks files of inputs and results: generate, check",
          .usage = "tune data COMMAND [options]",
          .example =
              "  tune data generate matvec --size 1000x2000 --out a.bin\n"
              "  tune --problem matvec --input a.bin --out result.bin\n"
              "  tune data check matvec --input a.bin --result result.bin\n",
          .positional = "",
          .bind = nullptr,
          .words = 1,
          .parts = parts};
}

}  // namespace tune::cli
