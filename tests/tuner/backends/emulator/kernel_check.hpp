// SPDX-License-Identifier: Apache-2.0
// Checks of kernels written in a test: a source, a launch, what it should give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/backends/emulator/jobs/checker.hpp"

namespace tune::emulator::testing {

/// A plan of one kernel `k` with float buffers `in` (1, 2, 3, ...) and `out`, both of `count` elements, in
/// that order, followed by the int `count`. Fields may be changed before the check.
struct KernelCheck {
  explicit KernelCheck(const std::string& source, std::uint32_t threads = 64, std::uint32_t blocks = 1,
                       std::uint64_t count = 0 /* threads * blocks */);

  LaunchPlan plan;
  ReferenceData expected;  ///< without a reference: outputs are not compared
  CheckOptions options;

  Launch& launch() { return std::get<Launch>(plan.launches.front()); }
  /// Adds a buffer and an argument for it, before `count`.
  KernelCheck& with_buffer(const std::string& name, ElementType type, std::uint64_t elements,
                           BufferRole role);
  /// `out` shall hold these.
  KernelCheck& expecting(const std::vector<double>& values);
  KernelCheck& flavour(Flavour chosen);

  CheckVerdict verdict() const;
  static std::string report_of(const CheckVerdict& found);
  /// All findings as lines; empty where it is clean, the reason where it cannot be emulated.
  std::string report() const;
};

/// Kernels that are expected to be clean. Those of a flavour are compiled together: starting the compiler
/// takes longer than a small kernel.
class CleanKernels {
 public:
  void add(const KernelCheck& check, const std::string& name);
  /// Checks the kernels that were added since the last call, and expects no finding in any.
  void expect_clean();

 private:
  struct One {
    CheckJob job;
    CheckOptions options;
    std::string name;
  };
  std::vector<One> all_;
};

/// A launch of 64 threads that is expected to be clean.
std::string report_of(const std::string& source, std::uint32_t threads = 64, std::uint32_t blocks = 1);

}  // namespace tune::emulator::testing
