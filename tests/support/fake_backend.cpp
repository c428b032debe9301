// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_backend.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>

#include "tuner/base/content_hash.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::testing {
namespace {

std::string define(const CompileRequest& request, std::string_view wanted) {
  for (const auto& [name, value] : request.defines)
    if (name == wanted) return value;
  return "";
}

KernelResources fake_resources() {
  KernelResources resources;
  resources.registers = 32;
  resources.occupancy = 1;
  resources.blocks_per_multiprocessor = 8;
  return resources;
}

constexpr useconds_t slow_run = 100'000;  // of the kind `slow`: microseconds

class FakePrepared : public PreparedPlan {
 public:
  FakePrepared(const LaunchPlan& plan, FakeRunner& runner)
      : plan_(plan), runner_(runner), number_(++runner.newest) {
    resources_ = {fake_resources()};
  }
  const std::vector<KernelResources>& resources() const override { return resources_; }

  Result<double> run_checked(const TensorViews& inputs) override {
    note("run");
    if (runner_.interferes)
      if (const auto failure = runner_.interferes(elements())) return tl::unexpected(*failure);
    const std::string kind = define(plan_.compile, "kind");
    if (kind == "dying") std::abort();
    while (kind == "hanging") sleep(1);
    if (kind == "slow") usleep(slow_run);
    if (kind == "faulting") return fail(Phase::crash, "illegal address", "toy");
    const std::span<const std::byte> bytes = inputs.at("in").bytes;
    const std::span<const float> in(reinterpret_cast<const float*>(bytes.data()),
                                    bytes.size() / sizeof(float));
    out_.assign(in.size(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < in.size(); ++i) out_[i] = 2 * in[i];
    if (kind == "wrong" || wrong_now()) out_.back() += 1;
    if (kind == "unwritten") out_[out_.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    return time();
  }

  Result<void> run_again() override {
    note("run again");
    const std::string kind = define(plan_.compile, "kind");
    if (kind == "right_once") out_.back() = std::numeric_limits<float>::quiet_NaN();
    ran_again_ = true;
    return {};
  }

  Result<TensorView> fetch(std::string_view) override {
    return TensorView{ElementType::f32, {out_.size()}, std::as_bytes(std::span<const float>(out_))};
  }

  Result<void> check_memory() override {
    note("memory");
    const std::string kind = define(plan_.compile, "kind");
    if (kind == "overrun" || (kind == "late_overrun" && ran_again_))
      return fail(Phase::verify, "out of bounds", "toy");
    return {};
  }

  Result<Comparison> compare(std::string_view buffer, const TensorView& reference,
                             const Bounds& bounds) override {
    note("compare");
    return tune::compare(*fetch(buffer), reference, bounds);
  }

  Result<Timing> measure(const MeasureOptions& options) override {
    note("measure");
    usleep(static_cast<useconds_t>(runner_.measuring_seconds * 1e6));
    if (define(plan_.compile, "kind") == "slow")
      usleep(slow_run * static_cast<useconds_t>(options.min_samples));
    runner_.measured_with = options;
    Timing timing;
    timing.stop = runner_.stop;
    timing.energy = runner_.joules_per_thread * threads();
    for (int i = 0; i < options.min_samples; ++i) timing.samples.push_back(time() * (1 + 0.01 * (i % 3)));
    return timing;
  }

  double time() const {
    if (runner_.seconds_of) return runner_.seconds_of(elements(), threads());
    return 1e-9 * static_cast<double>(elements()) * 1024 / threads();
  }
  double threads() const {
    return std::stod(define(plan_.compile, "block")) * std::stod(define(plan_.compile, "items"));
  }
  /// The size itself is checked with the second inputs only after it was measured once.
  bool wrong_now() const {
    if (elements() != 1000 || threads() != runner_.wrong_for_second_seed) return false;
    return ++runner_.runs_of_wrong > 1;
  }
  std::uint64_t elements() const { return plan_.buffers.front().layout.extents.front(); }
  void note(const std::string& what) {
    if (number_ != runner_.newest) throw std::logic_error("another plan was prepared since");
    runner_.calls.push_back(what + " " + std::to_string(elements()));
  }

 private:
  LaunchPlan plan_;
  FakeRunner& runner_;
  int number_;
  std::vector<KernelResources> resources_;
  std::vector<float> out_;
  bool ran_again_ = false;
};

}  // namespace

DeviceProperties invented_device() {
  DeviceProperties properties = architecture_properties("sm_90");
  properties.name = "Invented GPU";
  properties.uuid = "GPU-0";
  properties.multiprocessors = 100;
  properties.core_clock = 1'000'000'000;
  properties.memory_clock = 1'000'000'000;
  properties.memory_bus_bits = 4000;
  properties.l2_cache = 1 << 20;
  properties.copy_bandwidth = 8e11;
  properties.driver = "1.0";
  return properties;
}

Result<Binary> FakeCompiler::compile(const CompileRequest& request) const {
  ++compiled;
  if (define(request, "kind") == "crashing_compile") std::abort();
  while (define(request, "kind") == "hanging_compile") sleep(1);
  if (define(request, "kind") == "greedy_compile") throw std::bad_alloc();
  if (define(request, "kind") == "broken_compile") return fail(Phase::compile, "syntax", "toy.cu(1): error");
  if (slow_block > 0 && define(request, "block") == std::to_string(slow_block)) release.wait(false);
  Binary binary;
  binary.compile_seconds = compile_seconds;
  const std::string text = content_of(request);
  binary.image.resize(text.size());
  std::memcpy(binary.image.data(), text.data(), text.size());
  binary.symbols["toy"] = "toy";
  binary.resources["toy"].registers = 32;
  binary.hash = content_hash(text);
  return binary;
}

Result<std::vector<KernelResources>> FakeRunner::check_resources(const LaunchPlan& plan,
                                                                 const Binary& binary) {
  for (const auto& step : plan.launches)
    if (const auto* launch = std::get_if<Launch>(&step);
        launch != nullptr && !binary.symbols.empty() && !binary.symbols.contains(launch->entry))
      return fail(Phase::launch, "missing kernel", launch->entry);
  calls.push_back("resources " + std::to_string(plan.buffers.front().layout.extents.front()));
  if (define(plan.compile, "kind") == "too_big")
    return fail(Phase::resources, "shared memory", "1 MiB of 227 KiB");
  return std::vector{fake_resources()};
}

Result<std::unique_ptr<PreparedPlan>> FakeRunner::prepare(const LaunchPlan& plan, const Binary& binary) {
  if (const auto fits = check_resources(plan, binary); !fits) return tl::unexpected(fits.error());
  calls.back() = "prepare " + std::to_string(plan.buffers.front().layout.extents.front());
  return std::make_unique<FakePrepared>(plan, *this);
}

}  // namespace tune::testing
