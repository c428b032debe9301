// SPDX-License-Identifier: Apache-2.0
// Writes files of inputs, and checks files of results on the host.
#include <array>
#include <cmath>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/output_file.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

struct GenerateRequest {
  ProblemOptions problem;
  std::uint64_t seed = 1;
  std::string out;

  void add_to(OptionTable& table) {
    problem.add_to(table);
    table.count("seed", "N", "seed of the random numbers; default: 1", seed, 0);
    table.text("out", "FILE", "the file to write", out);
  }
};

int generate(const GenerateRequest& request) {
  const ProblemSelection selection = selected_problem(request.problem);
  const ProblemFiles& files = files_of(*selection.problem);
  const auto& [problem, seed, out] = request;
  if (out.empty()) throw UsageError("name the file to write with --out");
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {});
  files.write_inputs(out, selection.instance, selection.problem->inputs(selection.instance, seed));
  std::cout << format("{}: {} {}, seed {}\n", out, selection.problem->info().name, selection.instance.key(),
                      seed);
  return 0;
}

struct DataCheckRequest {
  ProblemOptions problem;
  std::string input, output;

  void add_to(OptionTable& table) {
    problem.add_to(table);
    table.text("input", "FILE", "the file of inputs", input);
    table.text("output", "FILE", "the file of results computed from them", output);
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
  const auto& [problem, input, output] = request;
  if (input.empty() || output.empty())
    throw UsageError("name the file of inputs with --input and the file of results with --output");
  if (!problem.size.empty())
    throw UsageError(format("--size: {} has its own size; leave the option out", input));
  selection.instance.extents = files.extents(input, selection.instance);
  const TensorSet outputs = files.read_outputs(output, selection.instance);
  const TensorSet inputs = files.read_inputs(input, selection.instance);
  const Tolerance tolerance = files.tolerance(selection.instance, inputs);
  bool right = true;
  for (const auto& [name, reference] : selection.problem->reference(selection.instance, inputs)) {
    const double difference = largest_difference(outputs.at(name), reference);
    const double allowed = tolerance.of(name).absolute;
    const bool within = difference <= allowed;
    std::cout << format("{}: largest difference {:.3g}, {} {:.3g}\n", name, difference,
                        within ? "within" : "beyond", allowed);
    right = right && within;
  }
  return right ? 0 : static_cast<int>(Exit::failure);
}

std::span<const Command> parts() {
  static const std::array<Command, 2> table = {
      Command{.name = "data generate",
              .summary = "writes a file of random inputs",
              .usage = "tune data generate --problem P --out FILE [options]",
              .example = "  tune data generate --problem matvec --size 1000x2000 --seed 7 --out a.bin\n",
              .positional = "",
              .bind = bind_request<GenerateRequest, generate>},
      Command{.name = "data check",
              .summary = "computes the result again on the host and compares",
              .usage = "tune data check --problem P --input FILE --output FILE [options]",
              .example = "  tune data check --problem matvec --input a.bin --output result.bin\n",
              .positional = "",
              .bind = bind_request<DataCheckRequest, check>}};
  return table;
}

}  // namespace

Command data_command() {
  return {.name = "data",
          .summary = "writes and checks files of inputs and results: generate, check",
          .usage = "tune data COMMAND [options]",
          .example =
              "  tune data generate --problem matvec --size 1000x2000 --out a.bin\n"
              "  tune --problem matvec --input a.bin --output result.bin\n"
              "  tune data check --problem matvec --input a.bin --output result.bin\n",
          .positional = "",
          .bind = nullptr,
          .words = 1,
          .parts = parts};
}

}  // namespace tune::cli
