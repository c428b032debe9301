// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/random.hpp"
#include "tuner/backends/backend.hpp"

namespace tune::testing {

/// Carries the toy problem out on host memory, with the times of the fake backend and a little noise. What it
/// was asked for outlives it.
class FakeStreams : public StreamRunner {
 public:
  struct Log {
    std::mutex mutex;
    std::map<std::string, int> launches;  ///< by `kind/block/items`
    int timed = 0;
    std::map<std::string, std::vector<std::byte>> variables;  ///< by `kind/block/items name`
    int copies = 0;                                           ///< into variables
    std::string refuse;                                       ///< a `kind/block/items` whose launch fails
    std::atomic<bool> capturing{false};
    std::atomic<int> elements{1000};
    std::map<std::string, double> factors;      ///< of a launch's time, by `kind/block/items`
    std::vector<std::vector<void*>> arguments;  ///< of the last call's launches: their first two arrays
  };
  explicit FakeStreams(Log& log) : log_(log) {}

  Result<std::unique_ptr<LoadedPlan>> load(const LaunchPlan& plan, const Binary&) override {
    auto loaded = std::make_unique<Loaded>();
    std::map<std::string, std::string> macros(plan.compile.defines.begin(), plan.compile.defines.end());
    loaded->name = macros["kind"] + "/" + macros["block"] + "/" + macros["items"];
    loaded->seconds = 1e-6 * 1024 / (std::stod(macros["block"]) * std::stod(macros["items"]));
    return loaded;
  }
  bool can_time(void*) override { return !log_.capturing; }
  Result<void> launch(LoadedPlan& plan, void*, std::span<const Arguments> arguments,
                      std::uint64_t ticket) override {
    const auto& loaded = static_cast<Loaded&>(plan);
    const std::lock_guard lock(log_.mutex);
    if (loaded.name == log_.refuse) return fail(Phase::launch, "launch", "refused");
    ++log_.launches[loaded.name];
    log_.arguments.clear();
    for (const Arguments& one : arguments)
      log_.arguments.push_back({*static_cast<void**>(one[0]), *static_cast<void**>(one[1])});
    const float* in = *static_cast<float**>(arguments[0][0]);
    float* out = *static_cast<float**>(arguments[0][1]);
    for (int i = 0; i < log_.elements; ++i) out[i] = 2 * in[i];
    if (ticket == 0) return {};
    ++log_.timed;
    const auto factor = log_.factors.find(loaded.name);
    times_[ticket] =
        loaded.seconds * (factor == log_.factors.end() ? 1 : factor->second) * (1 + 0.01 * random_.uniform());
    return {};
  }
  void set_variable(LoadedPlan& plan, void*, const std::string& name,
                    std::span<const std::byte> bytes) override {
    const std::lock_guard lock(log_.mutex);
    log_.variables[static_cast<Loaded&>(plan).name + " " + name].assign(bytes.begin(), bytes.end());
    ++log_.copies;
  }
  void read(void*, const void* address, std::span<std::byte> to) override {
    std::memcpy(to.data(), address, to.size());
  }
  Result<std::optional<double>> elapsed(std::uint64_t ticket) override {
    if (++asked_ % 3 != 0) return std::optional<double>();
    return std::optional(times_.at(ticket));
  }

 private:
  struct Loaded : LoadedPlan {
    std::string name;
    double seconds = 0;
  };
  Log& log_;
  search::Random random_{1};
  std::map<std::uint64_t, double> times_;
  int asked_ = 0;
};

}  // namespace tune::testing
