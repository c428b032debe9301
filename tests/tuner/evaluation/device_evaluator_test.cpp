// SPDX-License-Identifier: Apache-2.0
#include "tuner/evaluation/device_evaluator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support/fake_backend.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/base/stopwatch.hpp"

namespace tune {
namespace {

using testing::ComputedToy;
using testing::FakeBackend;
using testing::ToyProblem;
using testing::ToySources;

class DeviceEvaluatorTest : public ::testing::Test {
 protected:
  std::vector<Evaluation> evaluate(const std::vector<Configuration>& batch,
                                   DeviceEvaluatorOptions options = {}) {
    options.compile_threads = 2;
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options);
    std::vector<Evaluation> all;
    evaluate_all(evaluator, batch, [&](const Evaluation& evaluation) {
      all.push_back(evaluation);
      return all.size() < stop_after_;
    });
    return all;
  }

  static Configuration configuration(const char* kind, int block = 128) {
    return {{"kind", kind}, {"block", block}, {"items", 1}};
  }

  ToyProblem problem_;
  ToySources sources_;
  FakeBackend backend_;
  std::size_t stop_after_ = 1000;
};

TEST_F(DeviceEvaluatorTest, MeasuresWhatIsRight) {
  const auto all = evaluate({configuration("plain")});
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(all[0].outcome.has_value());
  EXPECT_GE(all[0].outcome->samples.size(), 7u);
  EXPECT_NEAR(all[0].outcome->time(), 8e-6 * 1.01, 1e-12);
  EXPECT_EQ(all[0].outcome->tolerance, 1e-6);
  EXPECT_EQ(all[0].resources->registers, 32);
  EXPECT_FALSE(all[0].binary_hash.empty());
}

TEST_F(DeviceEvaluatorTest, DoesNotExecuteWhatASmallSizeShowsToBeHopeless) {
  // Blocks of 64 threads take a millisecond whatever they do, the others no time at the small size.
  backend_.runner().seconds_of = [](std::uint64_t elements, double threads) {
    return threads == 64 ? 1e-3 : 1e-9 * static_cast<double>(elements);
  };
  const auto all = evaluate({configuration("plain", 128), configuration("plain", 64)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].outcome.has_value());
  ASSERT_FALSE(all[1].outcome.has_value());
  EXPECT_EQ(all[1].outcome.error().phase, Phase::timeout);
  EXPECT_EQ(all[1].outcome.error().reason, "slow");
  EXPECT_NEAR(all[1].outcome.error().time_limit, 10 * all[0].outcome->time(), 1e-12);
  EXPECT_EQ(std::ranges::count(backend_.runner().calls, "run 1000"), 1) << "of the first one";

  // Where the order is not by time, or nothing was measured yet, it is executed.
  DeviceEvaluatorOptions by_energy;
  by_energy.race = false;
  EXPECT_TRUE(evaluate({configuration("plain", 128), configuration("plain", 64)}, by_energy)[1].outcome);
  EXPECT_TRUE(evaluate({configuration("plain", 64)})[0].outcome);
}

/// A definition whose kernel does not use `items`.
class DescribedToy : public ToyProblem, public HasDescription {
 public:
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    Result<LaunchPlan> plan = ToyProblem::plan(instance, configuration, sources);
    for (auto& [name, value] : plan->compile.defines)
      if (name == "items") value = "1";
    return plan;
  }
  RunDefaults run_defaults() const override { return {}; }
  std::unique_ptr<KernelSources> sources(std::unique_ptr<const KernelSources>) const override {
    return nullptr;
  }
};

TEST_F(DeviceEvaluatorTest, AParameterThatChangesNothingIsTold) {
  std::vector<Configuration> all;
  for (const int block : {32, 64, 128})
    for (const int items : {1, 2}) all.push_back({{"kind", "plain"}, {"block", block}, {"items", items}});
  const auto notice = [&](const Problem& problem) {
    DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_,
                              {.measure = {}, .compile_threads = 2});
    evaluate_all(evaluator, all, [](const Evaluation&) { return true; });
    return evaluator.notice();
  };
  EXPECT_EQ(notice(DescribedToy()),
            "parameter 'items' changed nothing in 3 pairs of configurations that differ in it alone");
  EXPECT_EQ(notice(problem_), "");
}

/// Several works in an execution: four in one of blocks of 32, one in others.
class FusedToy : public ToyProblem {
 public:
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    Result<LaunchPlan> plan = ToyProblem::plan(instance, configuration, sources);
    if (plan && configuration.find("block")->as_int() == 32) plan->work_per_execution = 4;
    return plan;
  }
};

TEST_F(DeviceEvaluatorTest, TimesAreThoseOfOneWork) {
  const auto times = [&](const Problem& problem) {
    DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_,
                              {.measure = {}, .compile_threads = 2});
    std::vector<double> all;
    evaluate_all(evaluator, std::vector{configuration("plain", 32), configuration("plain", 64)},
                 [&](const Evaluation& evaluation) {
                   all.push_back(evaluation.outcome->time());
                   return true;
                 });
    return all;
  };
  const std::vector<double> plain = times(problem_), fused = times(FusedToy());
  EXPECT_DOUBLE_EQ(fused[0], plain[0] / 4);
  EXPECT_EQ(fused[1], plain[1]);
}

TEST_F(DeviceEvaluatorTest, ChecksOddSizesBeforeTheSizeItself) {
  evaluate({configuration("plain")}, {.measure = {}, .recheck_share = 0});
  const std::vector<std::string> expected = {
      "resources 1000", "prepare 37",   "run 37",   "memory 37",   "compare 37",   "run 37",      "memory 37",
      "compare 37",     "prepare 1000", "run 1000", "memory 1000", "compare 1000", "measure 1000"};
  EXPECT_EQ(backend_.runner().calls, expected);
}

TEST_F(DeviceEvaluatorTest, AReferenceThatAKernelComputesTakesNoPlanAway) {
  const ComputedToy problem;
  DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_);
  for (const char* kind : {"plain", "wrong"}) evaluator.submit(configuration(kind));
  EXPECT_TRUE(evaluator.next()->outcome.has_value());
  const std::optional<Evaluation> wrong = evaluator.next();
  ASSERT_FALSE(wrong->outcome.has_value());
  EXPECT_EQ(wrong->outcome.error().phase, Phase::verify);
  const std::vector<Configuration> top_k = {configuration("plain", 64)};
  evaluator.begin_rerank(top_k);
  EXPECT_TRUE(evaluator.time_candidate(0).has_value());
  EXPECT_TRUE(evaluator.time_candidate(0).has_value());
}

/// The toy problem where a kernel says sooner what is right, if it can run.
class SoonerToy : public ToyProblem {
 public:
  explicit SoonerToy(const char* kind) : kind_(kind) {}

  TensorSet reference(const Instance& instance, const TensorSet& inputs) const override {
    if (instance.extent("nx") == large) ++asked;
    return ToyProblem::reference(instance, inputs);
  }
  std::optional<Result<LaunchPlan>> reference_plan(const Instance& instance,
                                                   const KernelSources& sources) const override {
    if (instance.extent("nx") != large) return std::nullopt;
    return plan(instance, {{"kind", kind_}, {"block", 32}, {"items", 1}}, sources);
  }
  bool plan_replaces_reference(const Instance& instance) const override {
    return instance.extent("nx") == large;
  }

  static constexpr std::int64_t large = 1000;
  mutable int asked = 0;

 private:
  const char* kind_;
};

TEST_F(DeviceEvaluatorTest, TheHostIsAskedWhereAKernelCannotComputeTheReferenceSooner) {
  for (const auto& [kind, asked] : {std::pair{"plain", 0}, {"too_big", 1}, {"broken_compile", 1}}) {
    const SoonerToy problem(kind);
    DeviceEvaluator evaluator(problem, testing::toy_instance(SoonerToy::large), backend_, sources_);
    for (const char* tried : {"plain", "wrong"}) evaluator.submit(configuration(tried));
    EXPECT_TRUE(evaluator.next()->outcome.has_value()) << kind;
    EXPECT_FALSE(evaluator.next()->outcome.has_value()) << kind;
    EXPECT_EQ(problem.asked, asked) << kind;
  }
}

TEST_F(DeviceEvaluatorTest, EveryPhaseCanFail) {
  const std::vector<std::pair<const char*, Phase>> kinds = {
      {"broken_compile", Phase::compile}, {"too_big", Phase::resources}, {"wrong", Phase::verify},
      {"unwritten", Phase::verify},       {"overrun", Phase::verify},    {"faulting", Phase::crash}};
  for (const auto& [kind, phase] : kinds) {
    const auto all = evaluate({configuration(kind)});
    ASSERT_EQ(all.size(), 1u) << kind;
    ASSERT_FALSE(all[0].outcome.has_value()) << kind;
    EXPECT_EQ(all[0].outcome.error().phase, phase) << kind;
  }
}

/// Plans that allow an error of 2.
class LenientProblem : public ToyProblem {
 public:
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    Result<LaunchPlan> plan = ToyProblem::plan(instance, configuration, sources);
    plan->tolerance = Tolerance{2, "lenient"};
    return plan;
  }
};

TEST_F(DeviceEvaluatorTest, ThePlansToleranceComesBeforeTheProblems) {
  const LenientProblem lenient;
  DeviceEvaluator evaluator(lenient, testing::toy_instance(1000), backend_, sources_, {});
  std::vector<Evaluation> all;
  evaluate_all(evaluator, std::vector{configuration("wrong")}, [&](const Evaluation& evaluation) {
    all.push_back(evaluation);
    return true;
  });
  ASSERT_EQ(all.size(), 1u);
  ASSERT_TRUE(all[0].outcome.has_value()) << all[0].outcome.error().detail;
  EXPECT_EQ(all[0].outcome->tolerance, 2);
  EXPECT_NEAR(all[0].outcome->error, 1, 1e-6);
}

/// Times one candidate in a re-ranking.
Result<Timing> timed_again(const Problem& problem, FakeBackend& backend, const char* kind, int turns = 1) {
  const ToySources sources;
  DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend, sources,
                            {.measure = {}, .compile_threads = 1});
  evaluator.begin_rerank(std::vector{Configuration{{"kind", kind}, {"block", 128}, {"items", 1}}});
  Result<Timing> timing = evaluator.time_candidate(0);
  for (int turn = 1; turn < turns && timing; ++turn) timing = evaluator.time_candidate(0);
  return timing;
}

TEST_F(DeviceEvaluatorTest, TopCandidatesAreCheckedAgainAfterTheTimedExecutions) {
  EXPECT_TRUE(timed_again(problem_, backend_, "plain", 3).has_value());
  EXPECT_EQ(std::ranges::count(backend_.runner().calls, "run again 1000"), 3);
  for (const auto& [kind, reason] :
       {std::pair{"right_once", "wrong result"}, {"late_overrun", "out of bounds"}}) {
    EXPECT_TRUE(
        evaluate({configuration(kind)}, {.measure = {}, .recheck_share = 0}).at(0).outcome.has_value())
        << "checking takes too long: " << kind;
    const Result<Timing> timing = timed_again(problem_, backend_, kind);
    ASSERT_FALSE(timing.has_value()) << kind;
    EXPECT_EQ(timing.error().phase, Phase::verify);
    EXPECT_EQ(timing.error().reason, reason);
    EXPECT_TRUE(timing.error().detail.starts_with("after the timed executions: ")) << timing.error().detail;
  }
}

TEST_F(DeviceEvaluatorTest, AReRankingMeasuresTheEnergyOnlyWhereItRanks) {
  const std::vector<Configuration> top_k = {configuration("plain", 64)};
  for (const bool ranks : {false, true}) {
    DeviceEvaluatorOptions options;
    options.measure.energy = true;
    options.rerank_energy = ranks;
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_, options);
    evaluator.submit(configuration("plain", 64));
    EXPECT_TRUE(evaluator.next()->outcome.has_value());
    EXPECT_TRUE(backend_.runner().measured_with.energy);
    evaluator.begin_rerank(top_k);
    EXPECT_TRUE(evaluator.time_candidate(0).has_value());
    EXPECT_EQ(backend_.runner().measured_with.energy, ranks);
  }
}

/// The toy's output begins with the numbers of a tensor.
class InPlaceToy : public ToyProblem {
 public:
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    Result<LaunchPlan> plan = ToyProblem::plan(instance, configuration, sources);
    for (BufferSpec& buffer : plan->buffers)
      if (buffer.role == BufferRole::output) buffer.fill = BufferFill::contents;
    return plan;
  }
};

TEST_F(DeviceEvaluatorTest, OfPlansInPlaceOnlyTheMemoryIsCheckedAgain) {
  EXPECT_TRUE(timed_again(InPlaceToy(), backend_, "right_once").has_value());
  EXPECT_EQ(std::ranges::count(backend_.runner().calls, "run again 1000"), 0);
  EXPECT_EQ(backend_.runner().calls.back(), "memory 1000");
}

TEST_F(DeviceEvaluatorTest, WhereMeasuringTakesLongEveryResultIsCheckedAgain) {
  backend_.runner().measuring_seconds = 0.2;
  const auto all =
      evaluate({configuration("plain"), configuration("right_once")}, {.measure = {}, .recheck_share = 10});
  EXPECT_TRUE(all[0].outcome.has_value());
  ASSERT_FALSE(all[1].outcome.has_value());
  EXPECT_EQ(all[1].outcome.error().phase, Phase::verify);
}

TEST_F(DeviceEvaluatorTest, ACrashInTheRerankingIsTriedOnceMore) {
  for (const std::string_view reason : {killed_from_outside, std::string_view("illegal address")}) {
    int crashes = 1;
    backend_.runner().interferes = [&](std::uint64_t elements) -> std::optional<Failure> {
      if (elements != 1000 || crashes-- <= 0) return std::nullopt;
      return Failure{Phase::crash, std::string(reason), ""};
    };
    EXPECT_TRUE(timed_again(problem_, backend_, "plain").has_value()) << reason;
    crashes = 2;
    const Result<Timing> timing = timed_again(problem_, backend_, "plain");
    ASSERT_FALSE(timing.has_value());
    EXPECT_EQ(timing.error().reason, reason);
  }
}

TEST_F(DeviceEvaluatorTest, AFailureThatMayNotComeAgainIsNotThatOfEqualCode) {
  int failing = 1;
  backend_.runner().interferes = [&](std::uint64_t elements) -> std::optional<Failure> {
    if (elements != 1000 || failing-- <= 0) return std::nullopt;
    return Failure{Phase::resources, "device memory", "taken by others"};
  };
  const auto all = evaluate({configuration("plain"), configuration("plain")});
  EXPECT_FALSE(all[0].outcome.has_value());
  EXPECT_TRUE(all[1].outcome.has_value());
}

/// The blocks in the order in which they come out, the compile of 256 ending after `after` others.
std::vector<std::int64_t> order_of_blocks(DeviceEvaluator& evaluator, const FakeBackend& backend,
                                          std::size_t after) {
  std::vector<std::int64_t> blocks;
  for (const int block : {64, 256, 32, 128})
    evaluator.submit({{"kind", "plain"}, {"block", block}, {"items", 1}});
  while (blocks.size() < 4) {
    if (blocks.size() == after) {
      backend.compiler().release = true;
      backend.compiler().release.notify_all();
    }
    blocks.push_back(evaluator.next()->configuration["block"].as_int());
  }
  return blocks;
}

TEST_F(DeviceEvaluatorTest, AReproducibleRunWaitsForSlowCompiles) {
  backend_.compiler().slow_block = 256;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 2, .patience = 0.01, .reproducible = true});
  std::jthread releases([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    backend_.compiler().release = true;
    backend_.compiler().release.notify_all();
  });
  EXPECT_EQ(order_of_blocks(evaluator, backend_, 5), (std::vector<std::int64_t>{64, 256, 32, 128}));
  EXPECT_EQ(evaluator.window(), 64U);
  EXPECT_EQ(DeviceEvaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 3})
                .window(),
            12U);
}

TEST_F(DeviceEvaluatorTest, KnowsHowManyInFlightKeepTheDeviceBusy) {
  backend_.runner().measuring_seconds = 0.02;
  const auto in_flight = [&](double compile_seconds, bool reproducible = false) {
    backend_.compiler().compile_seconds = compile_seconds;
    DeviceEvaluator evaluator(
        problem_, testing::toy_instance(1000), backend_, sources_,
        {.measure = {}, .recheck_share = 0, .compile_threads = 8, .reproducible = reproducible});
    EXPECT_FALSE(evaluator.in_flight()) << "nothing is known";
    for (const int block : {32, 64, 128}) evaluator.submit(configuration("plain", block));
    for (int i = 0; i < 3; ++i) evaluator.next();
    return evaluator.in_flight();
  };
  EXPECT_EQ(in_flight(0), 1U);
  EXPECT_EQ(in_flight(0.05), 4U);  // 2.5 evaluations while one compiles
  EXPECT_EQ(in_flight(10), 12U);   // all compilers, and a quarter
  EXPECT_FALSE(in_flight(10, true));
}

TEST_F(DeviceEvaluatorTest, IdleCompilersAskForMoreWhileTheDeviceWaits) {
  backend_.compiler().slow_block = 256;
  const auto release = [&] {
    backend_.compiler().release = true;
    backend_.compiler().release.notify_all();
  };
  for (const bool reproducible : {false, true}) {
    backend_.compiler().release = false;
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                              {.measure = {}, .compile_threads = 2, .reproducible = reproducible});
    int asked = 0;
    evaluator.when_starving([&] {
      if (++asked == 1) evaluator.submit(configuration("plain", 64));
      return asked == 1;
    });
    evaluator.submit(configuration("plain", 256));
    std::jthread releases([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      release();
    });
    EXPECT_EQ(evaluator.next()->configuration["block"].as_int(), reproducible ? 256 : 64);
    EXPECT_EQ(asked > 0, !reproducible);
    release();
  }
}

TEST_F(DeviceEvaluatorTest, WhatWasPrunedIsNotCheckedAgain) {
  backend_.runner().measuring_seconds = 0.2;
  backend_.runner().stop = StopReason::pruned;
  evaluate({configuration("plain")});
  EXPECT_EQ(std::ranges::count(backend_.runner().calls, "run again 1000"), 0);
  backend_.runner().stop = StopReason::samples;
  evaluate({configuration("plain", 64)});
  EXPECT_EQ(std::ranges::count(backend_.runner().calls, "run again 1000"), 1);
}

TEST_F(DeviceEvaluatorTest, AMeasurementKnowsTheCheckedExecution) {
  backend_.runner().seconds_of = [](std::uint64_t elements, double) {
    return 1e-6 * static_cast<double>(elements);
  };
  evaluate({configuration("plain")});
  EXPECT_EQ(backend_.runner().measured_with.checked_seconds, 1e-3);
}

TEST_F(DeviceEvaluatorTest, WhatCannotRunIsNeverLaunched) {
  evaluate({configuration("too_big")});
  EXPECT_EQ(backend_.runner().calls, std::vector<std::string>{"resources 1000"});
}

TEST_F(DeviceEvaluatorTest, AWrongResultIsNeverMeasured) {
  const auto all = evaluate({configuration("wrong")});
  EXPECT_NE(all[0].outcome.error().detail.find("at 37 type=float"), std::string::npos)
      << all[0].outcome.error().detail;
  for (const std::string& call : backend_.runner().calls) EXPECT_FALSE(call.starts_with("measure")) << call;
}

TEST_F(DeviceEvaluatorTest, KeepsTheOrderOfTheBatch) {
  std::vector<Configuration> batch;
  for (const int block : {256, 32, 128, 64}) batch.push_back(configuration("plain", block));
  const auto all = evaluate(batch);
  ASSERT_EQ(all.size(), batch.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].configuration, batch[i]);
}

TEST_F(DeviceEvaluatorTest, ASlowCompileIsOvertaken) {
  backend_.compiler().slow_block = 256;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 2, .patience = 0.01});
  EXPECT_EQ(order_of_blocks(evaluator, backend_, 3).back(), 256);
}

// The device does not wait once more for each that has compiled for long.
TEST_F(DeviceEvaluatorTest, WhatIsReadyIsNotHeldUpByOneThatHasCompiledForLong) {
  constexpr double patience = 0.5;
  backend_.compiler().slow_block = 256;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 2, .patience = patience});
  evaluator.submit(configuration("plain", 256));
  std::this_thread::sleep_for(std::chrono::duration<double>(patience));
  evaluator.submit(configuration("plain", 64));
  const Stopwatch waiting;
  EXPECT_EQ(evaluator.next()->configuration["block"].as_int(), 64);
  EXPECT_LT(waiting.seconds(), patience / 2);
  backend_.compiler().release = true;
  backend_.compiler().release.notify_all();
}

TEST_F(DeviceEvaluatorTest, WhatCompilesInTimeIsNotOvertaken) {
  backend_.compiler().slow_block = 256;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 2, .patience = 1e6});
  EXPECT_EQ(order_of_blocks(evaluator, backend_, 1), (std::vector<std::int64_t>{64, 256, 32, 128}));
}

/// The toy problem with a macro that follows from the size.
class SizedToy : public ToyProblem {
 public:
  Result<LaunchPlan> plan(const Instance& instance, const Configuration& configuration,
                          const KernelSources& sources) const override {
    Result<LaunchPlan> plan = ToyProblem::plan(instance, configuration, sources);
    if (plan) plan->compile.defines.emplace_back("size", instance.key());
    return plan;
  }
};

TEST_F(DeviceEvaluatorTest, CompilesTheSizesOfChecksAhead) {
  const SizedToy problem;
  DeviceEvaluator evaluator(problem, testing::toy_instance(1000), backend_, sources_,
                            {.measure = {}, .compile_threads = 2});
  evaluator.submit(configuration("plain"));
  for (int i = 0; i < 200 && backend_.compiler().compiled < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(backend_.compiler().compiled, 2) << "the size itself and that of the check";
  EXPECT_TRUE(evaluator.next()->outcome);
  EXPECT_EQ(backend_.compiler().compiled, 2) << "nothing is compiled while the device waits";
}

TEST_F(DeviceEvaluatorTest, StopsWhenToldTo) {
  stop_after_ = 1;
  EXPECT_EQ(evaluate({configuration("plain", 32), configuration("plain", 64)}).size(), 1u);
}

TEST_F(DeviceEvaluatorTest, ChecksWithoutMeasuring) {
  const auto all = evaluate({configuration("plain")}, {.measure = {}, .measure_time = false});
  ASSERT_TRUE(all[0].outcome.has_value());
  EXPECT_TRUE(all[0].outcome->samples.empty());
}

/// The processor as a device: compilers and kernels share it.
class Processor : public FakeBackend {
 public:
  Processor() { properties_.warp_size = 1; }
  const DeviceProperties& properties() const override { return properties_; }

 private:
  DeviceProperties properties_ = FakeBackend::properties();
};

TEST_F(DeviceEvaluatorTest, NothingCompilesBesideAKernelOfTheProcessor) {
  Processor processor;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), processor, sources_,
                            {.measure = {}, .compile_threads = 2});
  EXPECT_TRUE(evaluator.needs_machine());
  for (const int block : {64, 128, 256}) evaluator.submit(configuration("plain", block));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(processor.compiler().compiled, 0) << "nobody waits for them";
  int expected = 3;
  processor.runner().interferes = [&](std::uint64_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(processor.compiler().compiled, expected);
    return std::nullopt;
  };
  std::vector<Value> order;
  const auto next = [&] { order.push_back(evaluator.next()->configuration["block"]); };
  next();
  evaluator.submit(configuration("plain", 32));
  next();
  next();
  expected = 4;
  next();
  EXPECT_EQ(order, (std::vector<Value>{64, 128, 256, 32}));
}

TEST_F(DeviceEvaluatorTest, ANoisyProcessorIsTold) {
  Processor processor;
  for (FakeBackend* const device : {&backend_, static_cast<FakeBackend*>(&processor)})
    for (const double noise : {0.01, 0.3}) {
      DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), *device, sources_, {});
      int turn = 0;
      device->runner().seconds_of = [&](std::uint64_t, double) { return 1e-3 * (1 + noise * (turn % 2)); };
      evaluator.begin_rerank(std::vector{configuration("plain")});
      for (; turn < 8; ++turn) EXPECT_TRUE(evaluator.time_candidate(0));
      const bool told =
          evaluator.notice().find("too noisy to rank what differs by less than 26 %") != std::string::npos;
      EXPECT_EQ(told, device != &backend_ && noise > 0.1) << evaluator.notice();
    }
}

}  // namespace
}  // namespace tune
