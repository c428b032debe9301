// SPDX-License-Identifier: Apache-2.0
#include "cli/check/check_emulated.hpp"

#include "cli/output/interrupt.hpp"
#include "tuner/backends/emulator/jobs/problem_jobs.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {

void add_emulator_options(po::options_description& options) {
  options.add_options()  //
      ("sanitize", po::bool_switch(),
       "emulator: judge every memory access (bounds, races, barriers, uninitialised memory); the default")  //
      ("plain", po::bool_switch(), "emulator: results only, in two orders of the threads; faster");
}

bool wants_emulator(const po::variables_map& values) {
  const bool emulated = option_text(values, "device") == "emulator";
  for (const char* option : {"sanitize", "plain"})
    if (values[option].as<bool>() && !emulated)
      throw UsageError(format("--{}: for the emulator only; add --device emulator", option));
  if (values["sanitize"].as<bool>() && values["plain"].as<bool>())
    throw UsageError("--sanitize and --plain: choose one");
  return emulated;
}

int check_emulated(const po::variables_map& values, const ProblemSelection& selection,
                   const KernelSources& sources, const std::vector<Configuration>& configurations) {
  const bool plain = values["plain"].as<bool>(), one_size = values.count("size") > 0;
  emulator::CheckOptions options;
  options.flavour = plain ? emulator::Flavour::plain : emulator::Flavour::sanitize;
  if (!one_size && !configurations.empty() &&
      selection.problem->check_instances(selection.instance, configurations.front()).empty())
    throw UsageError("the definition names no small sizes to check at: add 'check', or give one with --size");
  emulator::ProblemJobs jobs(*selection.problem, sources);
  CheckReport report(chosen_format(values));
  emulator::check(
      configurations.size(),
      [&](std::size_t number) {
        const Configuration& configuration = configurations[number];
        return jobs.job(configuration,
                        one_size ? std::vector{selection.instance}
                                 : selection.problem->check_instances(selection.instance, configuration));
      },
      options,
      [&](std::size_t number, const emulator::CheckVerdict& verdict) {
        report.add(number, configurations[number], verdict);
        return !InterruptGuard::interrupted();
      });
  const std::string what =
      format("emulated on the CPU ({}, {} of processor time, which says nothing of a GPU), at {}",
             plain ? "plain" : "sanitize", duration_text(report.emulated_seconds()),
             one_size ? selection.instance.size() : "odd sizes");
  return report.finish(what, {{"device", "emulator"}, {"flavour", plain ? "plain" : "sanitize"}});
}

}  // namespace tune::cli
