// SPDX-License-Identifier: Apache-2.0
// Configurations through the emulator, many in one call: what is compiled together takes a fraction of the
// time.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::testing {

/// Returns the verdicts of jobs in their order.
std::vector<emulator::CheckVerdict> verdicts_of(std::size_t count, const emulator::JobSource& jobs,
                                                const emulator::CheckOptions& options = {});

/// Returns the findings, one a line, or why there is no verdict. Empty where the configuration is clean and
/// its output was compared.
std::string complaint(const emulator::CheckVerdict& verdict);

/// Configurations of a problem, each with sizes and with kernels of its own.
class EmulatedSample {
 public:
  /// The problem must outlive the sample.
  explicit EmulatedSample(const Problem& problem) : problem_(problem) {}

  /// `sources` holds the kernels; null: those of the program.
  void add(const Configuration& configuration, std::vector<Instance> sizes,
           std::shared_ptr<const KernelSources> sources = nullptr);

  /// Leaves a fifth of what was added, and every variant: see sampled().
  void thin();

  std::size_t size() const { return members_.size(); }
  /// Names a configuration in messages: its settings, and its parameters.
  std::string name(std::size_t number) const;
  std::vector<emulator::CheckVerdict> verdicts(const emulator::CheckOptions& options = {}) const;

 private:
  struct Member {
    Configuration configuration;
    std::vector<Instance> sizes;
    std::shared_ptr<const KernelSources> sources;
  };
  const Problem& problem_;
  std::shared_ptr<const KernelSources> whole_;
  std::vector<Member> members_;
};

/// Expects that every configuration is right at every size.
void expect_clean(const EmulatedSample& sample, const emulator::CheckOptions& options = {});

/// Expects that each configuration has a finding: its kernels have a fault.
void expect_faults_found(const EmulatedSample& sample);

}  // namespace tune::testing
