// SPDX-License-Identifier: Apache-2.0
// Files of inputs and results: made, and checked on the host.
#include "cli/run/data_command.hpp"

#include <array>
#include <cmath>
#include <iostream>

#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/output/output_file.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

po::options_description generate_options() {
  po::options_description all;
  add_problem_options(all);
  all.add_options()("seed", po::value<std::string>()->value_name("N"), "of the random numbers; default 1")(
      "out", po::value<std::string>()->value_name("FILE"), "the file to write");
  return all;
}

int generate(const po::variables_map& values) {
  const ProblemSelection selection = selected_problem(values);
  const ProblemFiles& files = files_of(*selection.problem);
  const std::string out = option_text(values, "out");
  if (out.empty()) throw UsageError("name the file to write with --out");
  const NamedFile output{"out", out};
  check_outputs({&output, 1}, {});
  const std::uint64_t seed = option_count(values, "seed", 1, 0);
  files.write_inputs(out, selection.instance, selection.problem->inputs(selection.instance, seed));
  std::cout << format("{}: {} {}, seed {}\n", out, selection.problem->info().name, selection.instance.key(),
                      seed);
  return 0;
}

po::options_description check_options() {
  po::options_description all;
  add_problem_options(all);
  all.add_options()("input", po::value<std::string>()->value_name("FILE"), "the inputs")(
      "output", po::value<std::string>()->value_name("FILE"), "what was computed of them");
  return all;
}

/// The largest |out - ref| of an output; a difference that is no number is infinite.
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

int check(const po::variables_map& values) {
  ProblemSelection selection = selected_problem(values);
  const ProblemFiles& files = files_of(*selection.problem);
  const std::string input = option_text(values, "input"), output = option_text(values, "output");
  if (input.empty() || output.empty())
    throw UsageError("name the inputs with --input and what was computed of them with --output");
  if (values.count("size") > 0) throw UsageError(format("--size: {} has its own; leave it out", input));
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
              .options = generate_options,
              .run = generate},
      Command{.name = "data check",
              .summary = "computes a result on the host again and compares",
              .usage = "tune data check --problem P --input FILE --output FILE [options]",
              .example = "  tune data check --problem matvec --input a.bin --output result.bin\n",
              .positional = "",
              .options = check_options,
              .run = check}};
  return table;
}

}  // namespace

const Command& data_command() {
  static const Command command = {
      .name = "data",
      .summary = "makes and checks files of inputs and results: generate, check",
      .usage = "tune data COMMAND [options]",
      .example =
          "  tune data generate --problem matvec --size 1000x2000 --out a.bin\n"
          "  tune --problem matvec --input a.bin --output result.bin\n"
          "  tune data check --problem matvec --input a.bin --output result.bin\n",
      .positional = "",
      .options = nullptr,
      .run = nullptr,
      .words = 1,
      .parts = parts};
  return command;
}

}  // namespace tune::cli
