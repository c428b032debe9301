// SPDX-License-Identifier: Apache-2.0
// Random configurations of a problem, with their plans, for the checks that every problem passes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "tests/tuner/backends/emulator/problem_sample.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels::testing {

/// A configuration and what it means at a size.
struct Drawn {
  Instance instance;
  Configuration configuration;
  LaunchPlan plan;

  std::string text() const { return instance.key() + ": " + configuration.to_string(); }
};

/// The problem, and configurations drawn from its spaces at random settings, at its default size and at small
/// ones. Every problem of the registry has one; drawn once for all tests.
struct Draw {
  std::unique_ptr<Problem> problem;
  std::vector<Drawn> all;

  static const Draw& of(const std::string& name);
};

}  // namespace tune::kernels::testing
