// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/input/options.hpp"
#include "cli/input/problem_selection.hpp"
#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/evaluation/evaluation.hpp"

namespace tune::cli {

/// What 'tune check' found: counts it, and says one line for each error, or everything as JSON at the end.
class CheckReport {
 public:
  explicit CheckReport(Format form) : form_(form) {}

  /// What a device or a compiler said.
  void add(const Evaluation& evaluation);
  /// What the emulator said of the configuration with this number; verdicts come in any order.
  void add(std::size_t number, const Configuration& configuration, const emulator::CheckVerdict& verdict);

  /// Prints what is left to say and returns the exit status. `what` was done; `more` goes into the JSON
  /// object.
  int finish(std::string what, const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) const;

  double emulated_seconds() const { return emulated_seconds_; }

 private:
  Format form_;
  std::uint64_t checked_ = 0;
  std::uint64_t wrong_ = 0;
  std::uint64_t cannot_run_ = 0;
  std::uint64_t not_emulated_ = 0;
  double emulated_seconds_ = 0;
  std::map<std::size_t, nlohmann::ordered_json> results_;  ///< by number
};

/// How the emulator checks.
struct EmulatorOptions {
  bool sanitize = false, plain = false;

  void add_to(OptionTable& table);
  /// Throws UsageError for both, and for one of them with another device.
  void check(const std::string& device) const;
};

/// Checks the configurations on the CPU: at the selected size alone, else at the problem's odd sizes.
int check_emulated(const ProblemSelection& selection, bool one_size, const KernelSources& sources,
                   const std::vector<Configuration>& configurations, const EmulatorOptions& emulation,
                   Format form);

}  // namespace tune::cli
