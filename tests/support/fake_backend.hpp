// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/backends/backend.hpp"

namespace tune::testing {

/// Facts of a device that does not exist: round numbers to compute with.
DeviceProperties invented_device();

/// Compiles nothing: the "binary" is the request's text, and kind=broken_compile fails. block=`slow_block`
/// takes until `release`.
class FakeCompiler : public Compiler {
 public:
  mutable int slow_block = 0;
  mutable double compile_seconds = 0.01;  ///< that a binary says it took
  mutable std::atomic<bool> release = false;
  Result<Binary> compile(const CompileRequest& request) const override;
  std::string version() const override { return "fake 1 sm_90"; }
  mutable std::atomic<int> compiled{0};
};

/// Carries the toy problem out on the CPU. A launch's time is 1 us a 1000 elements, times 1024 / (block *
/// items), so the best configuration is block=256, items=4. What it was asked for is in `calls`.
class FakeRunner : public Runner {
 public:
  Result<std::vector<KernelResources>> check_resources(const LaunchPlan& plan, const Binary& binary) override;
  Result<std::unique_ptr<PreparedPlan>> prepare(const LaunchPlan& plan, const Binary& binary) override;
  double measuring_seconds = 0;           ///< that measuring takes
  StopReason stop = StopReason::samples;  ///< of each measurement
  MeasureOptions measured_with = {};      ///< of the last one
  double joules_per_thread = 0;           ///< above 0: what an execution takes for each of its block * items
  int wrong_for_second_seed = 0;  ///< block * items of what is wrong from its second run at 1000 elements on
  int runs_of_wrong = 0;
  /// Where set: the seconds of a launch, by its elements and its block * items.
  std::function<double(std::uint64_t elements, double threads)> seconds_of;
  /// Where set: asked before each run with the number of elements; a failure that it returns is the run's.
  std::function<std::optional<Failure>(std::uint64_t elements)> interferes;
  int newest = 0;  ///< number of the plan that was prepared last: another one must not be used
  std::vector<std::string> calls;  ///< `prepare 37`, `run 37`, `measure 1000`: with the number of elements
};

class FakeBackend : public Backend {
 public:
  const DeviceProperties& properties() const override { return properties_; }
  const FakeCompiler& compiler() const override { return compiler_; }
  FakeRunner& runner() override { return runner_; }
  MachineState machine_state() override { return {}; }

 private:
  DeviceProperties properties_ = invented_device();
  FakeCompiler compiler_;
  FakeRunner runner_;
};

}  // namespace tune::testing
