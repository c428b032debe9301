// SPDX-License-Identifier: Apache-2.0
// Kernels and compilers that crash and hang, in worker processes that serve the fake backend.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fake_backend.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_problem.hpp"
#include "tuner/backends/compile_pool.hpp"
#include "tuner/backends/worker/remote_backend.hpp"
#include "tuner/backends/worker/remote_compiler.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/host_limits.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"

namespace tune::process {
namespace {

using testing::ToyProblem;
using testing::ToySources;

WorkerProgram worker(const char* kind) {
  return {TUNE_TEST_WORKER, {kind}};
}

Configuration configuration(const char* kind, int block = 128) {
  return {{"kind", kind}, {"block", block}, {"items", 1}};
}

class RemoteTest : public ::testing::Test {
 protected:
  std::vector<Evaluation> evaluate(const std::vector<Configuration>& batch) {
    DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), backend_, sources_,
                              {.measure = {}, .compile_threads = 2, .reproducible = true});
    std::vector<Evaluation> all;
    evaluate_all(evaluator, batch, [&](const Evaluation& evaluation) {
      all.push_back(evaluation);
      return true;
    });
    return all;
  }

  ToyProblem problem_;
  ToySources sources_;
  RemoteBackend backend_{
      worker("device"),
      [](const DeviceProperties&) { return std::make_unique<RemoteCompiler>(worker("compiler"), 0.5); },
      {.timeout = 0.3}};
};

TEST_F(RemoteTest, TellsTheWorkersDevice) {
  EXPECT_EQ(backend_.properties().model_key(), testing::invented_device().model_key());
  EXPECT_EQ(backend_.compiler().version(), "fake 1 sm_90");
}

TEST_F(RemoteTest, GivesWhatTheSameBackendGivesInThisProcess) {
  std::vector<Configuration> batch;
  for (const int block : {32, 64, 256}) batch.push_back(configuration("plain", block));
  for (const char* kind : {"broken_compile", "too_big", "wrong", "unwritten", "overrun"})
    batch.push_back(configuration(kind));
  const auto remote = evaluate(batch);
  testing::FakeBackend local;
  DeviceEvaluator evaluator(problem_, testing::toy_instance(1000), local, sources_,
                            {.measure = {}, .compile_threads = 2});
  std::size_t i = 0;
  evaluate_all(evaluator, batch, [&](const Evaluation& expected) {
    const Evaluation& got = remote.at(i++);
    EXPECT_EQ(got.configuration, expected.configuration);
    EXPECT_EQ(got.binary_hash, expected.binary_hash);
    EXPECT_EQ(got.outcome.has_value(), expected.outcome.has_value());
    if (got.outcome) {
      EXPECT_EQ(got.outcome->samples, expected.outcome->samples);
      EXPECT_EQ(got.outcome->error, expected.outcome->error);
      EXPECT_EQ(got.resources->registers, 32);
    } else {
      EXPECT_EQ(got.outcome.error().reason, expected.outcome.error().reason);
      EXPECT_EQ(got.outcome.error().detail, expected.outcome.error().detail);
    }
    return true;
  });
  EXPECT_EQ(i, batch.size());
  EXPECT_EQ(backend_.processes(), 1u);
}

TEST_F(RemoteTest, EveryDeathCostsOneConfigurationAndOneProcess) {
  const std::vector<std::pair<const char*, Phase>> kinds = {
      {"dying", Phase::crash}, {"hanging", Phase::timeout}, {"faulting", Phase::crash}};
  for (const auto& [kind, phase] : kinds) {
    const std::uint64_t before = backend_.processes();
    const auto all = evaluate({configuration("plain", 32), configuration(kind), configuration("plain", 64)});
    ASSERT_EQ(all.size(), 3u);
    EXPECT_TRUE(all[0].outcome.has_value()) << kind;
    ASSERT_FALSE(all[1].outcome.has_value()) << kind;
    EXPECT_EQ(all[1].outcome.error().phase, phase) << kind;
    EXPECT_TRUE(all[2].outcome.has_value()) << kind;
    EXPECT_EQ(backend_.processes(), before + 1) << kind;
  }
}

TEST_F(RemoteTest, NamesWhatHappened) {
  const auto all = evaluate({configuration("dying"), configuration("hanging")});
  EXPECT_NE(all[0].outcome.error().detail.find("signal 6"), std::string::npos)
      << all[0].outcome.error().detail;
  EXPECT_EQ(all[1].outcome.error().reason, "launch");
  EXPECT_NE(all[1].outcome.error().detail.find("--timeout"), std::string::npos)
      << all[1].outcome.error().detail;
}

TEST_F(RemoteTest, AHangEndsAfterTheTimeout) {
  const auto start = std::chrono::steady_clock::now();
  evaluate({configuration("hanging")});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST_F(RemoteTest, AKernelEndsWithTheRun) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(100);
  };
  RemoteBackend patient(worker("device"), [](const DeviceProperties&) { return nullptr; }, {.timeout = 60});
  patient.runner().stop_when(is_over);
  const auto plan = problem_.plan(testing::toy_instance(1000), configuration("hanging"), sources_);
  ASSERT_TRUE(plan);
  const auto prepared = patient.runner().prepare(*plan, {});
  ASSERT_TRUE(prepared) << prepared.error().detail;
  const TensorSet inputs = problem_.inputs(testing::toy_instance(1000), 1);
  const auto ran = (*prepared)->run_checked(views_of(inputs));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().reason, run_ended);
  EXPECT_EQ(recurrence_of(ran.error()), Recurrence::unknown);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// A file with two kernels has the same image for both; only their names differ.
TEST_F(RemoteTest, ABinaryOfTheSameImageWithOtherKernelsIsAnother) {
  auto plan = problem_.plan(testing::toy_instance(1000), configuration("plain"), sources_);
  ASSERT_TRUE(plan);
  for (const char* entry : {"first", "second"}) {
    std::get<Launch>(plan->launches.front()).entry = entry;
    Binary binary;
    binary.hash = "same";
    binary.symbols[entry] = entry;
    const auto prepared = backend_.runner().prepare(*plan, binary);
    EXPECT_TRUE(prepared) << prepared.error().detail;
  }
}

TEST_F(RemoteTest, ACompilerThatCrashesOrHangsCostsOneConfiguration) {
  const auto all = evaluate({configuration("crashing_compile"), configuration("plain", 32),
                             configuration("hanging_compile"), configuration("plain", 64)});
  EXPECT_EQ(all[0].outcome.error().phase, Phase::compile);
  EXPECT_EQ(all[0].outcome.error().reason, "compiler crashed");
  EXPECT_TRUE(all[1].outcome.has_value());
  EXPECT_EQ(all[2].outcome.error().phase, Phase::timeout);
  EXPECT_EQ(all[2].outcome.error().reason, "compiler");
  EXPECT_TRUE(all[3].outcome.has_value());
}

// It takes a third of what one execution may take, and seven samples of it are taken.
TEST_F(RemoteTest, TheTimeForMeasuringFollowsFromTheKernelAndTheSamples) {
  const auto all = evaluate({configuration("slow"), configuration("hanging")});
  EXPECT_TRUE(all[0].outcome.has_value()) << all[0].outcome.error().detail;
  ASSERT_FALSE(all[1].outcome.has_value());
  EXPECT_EQ(all[1].outcome.error().time_limit, 0.3);
}

/// Bytes of this process that are in memory, with those that it shares.
std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Of 1024^3 doubles, inputs and references are 16 GiB.
TEST(Remote, PlacedTensorsLieInMemoryOnceAndEnd) {
  constexpr std::uint64_t size = 64 << 20;
  RemoteDevice device(worker("device"));
  device.ready();
  const std::uint64_t before = resident_bytes();
  std::uint64_t last = 0;
  for (const int value : {1, 2, 3}) {
    HostTensor tensor(ElementType::u8, {size});
    std::ranges::fill(tensor.bytes(), static_cast<std::byte>(value));
    device.place(tensor);
    const Result<std::uint64_t> number = device.share(view_of(tensor));
    ASSERT_TRUE(number);
    EXPECT_NE(std::exchange(last, *number), *number);
    EXPECT_EQ(device.share(view_of(tensor)).value_or(0), *number);
    EXPECT_EQ(tensor.bytes().back(), static_cast<std::byte>(value));
    if (!tune::testing::sanitizer_keeps_memory) {
      EXPECT_LT(resident_bytes() - before, size + size / 2) << value;
    }
  }
}

TEST_F(RemoteTest, LargeTensorsLieInMemoryOnce) {
  constexpr std::int64_t elements = 4 << 20;
  constexpr std::uint64_t tensors = elements * (sizeof(float) + sizeof(double));
  DeviceEvaluator evaluator(problem_, testing::toy_instance(elements), backend_, sources_,
                            {.measure = {}, .compile_threads = 2});
  const std::uint64_t before = resident_bytes();
  for (const int block : {32, 64}) {
    evaluator.submit(configuration("plain", block));
    const std::optional<Evaluation> evaluation = evaluator.next();
    ASSERT_TRUE(evaluation && evaluation->outcome) << evaluation->outcome.error().detail;
  }
  const std::uint64_t grown = resident_bytes() - before;
  EXPECT_GE(grown, tensors);
  if (!tune::testing::sanitizer_keeps_memory) {
    EXPECT_LT(grown, tensors + tensors / 2);
  }
}

TEST_F(RemoteTest, AWorkerThatSomebodyKillsBetweenEvaluationsIsReplaced) {
  ASSERT_TRUE(evaluate({configuration("plain", 32)})[0].outcome.has_value());
  kill(backend_.process_id(), SIGKILL);
  EXPECT_TRUE(evaluate({configuration("plain", 64)})[0].outcome.has_value());
  EXPECT_EQ(backend_.processes(), 2u);
}

// While it runs a kernel: not the kernel's fault, so it is tried again; what is killed every time fails.
TEST_F(RemoteTest, AWorkerThatSomebodyKillsAtWorkIsTriedAgain) {
  std::jthread killer([first = backend_.process_id()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(first, SIGKILL);
  });
  const auto all = evaluate({configuration("hanging")});
  // The second time nobody kills it, and it is what it is.
  EXPECT_EQ(all[0].outcome.error().phase, Phase::timeout);
  EXPECT_EQ(backend_.processes(), 2u);
}

TEST_F(RemoteTest, WorkersEndWithTheirOwner) {
  pid_t id = 0;
  {
    const RemoteBackend other(worker("device"), [](const DeviceProperties&) { return nullptr; }, {});
    id = other.process_id();
    EXPECT_EQ(kill(id, 0), 0);
  }
  EXPECT_NE(kill(id, 0), 0);
}

// Memory that was given back comes again at the same address, for a tensor of equal bytes and another shape.
TEST(Remote, ATensorOfAnotherShapeOrTypeIsAnother) {
  RemoteDevice device(worker("device"));
  device.ready();
  const std::vector<std::byte> bytes(64);
  const auto number_of = [&](ElementType type, Extents extents) {
    const Result<std::uint64_t> number = device.share({type, std::move(extents), bytes});
    EXPECT_TRUE(number);
    return number.value_or(0);
  };
  const std::uint64_t wide = number_of(ElementType::f32, {8, 2});
  EXPECT_EQ(number_of(ElementType::f32, {8, 2}), wide);
  EXPECT_NE(number_of(ElementType::f32, {2, 8}), wide);
  EXPECT_NE(number_of(ElementType::i32, {8, 2}), wide);
}

/// Shares tensors of these sizes, which lie in `bytes`, and returns their numbers.
std::vector<std::uint64_t> shared(RemoteDevice& device, std::span<const std::byte> bytes,
                                  std::initializer_list<std::uint64_t> sizes) {
  std::vector<std::uint64_t> numbers;
  for (const std::uint64_t size : sizes)
    numbers.push_back(device.share({ElementType::u8, {size}, bytes.first(size)}).value_or(0));
  return numbers;
}

// An evaluation uses small tensors, and then the large ones of the tuned size, as the one before it did.
// Sending these again takes longer than all else.
TEST(Remote, LargeTensorsAreSentOnceWhateverComesBetween) {
  constexpr std::uint64_t large = std::uint64_t{150} << 20;
  if (available_memory() < std::uint64_t{3} << 30) GTEST_SKIP() << "needs 3 GiB of free memory";
  const std::vector<std::byte> bytes(large);
  RemoteDevice device(worker("device"));
  device.ready();
  const auto evaluation = [&] {
    return shared(device, bytes, {1, 2, 3, 4, 5, 6, 7, 8, 9, large - 1, large});
  };
  const std::vector<std::uint64_t> first = evaluation();
  EXPECT_EQ(evaluation(), first);
}

TEST(Remote, ForgetsWhatWasNotUsedForLongestBeyondItsBytes) {
  const std::vector<std::byte> bytes(1000);
  RemoteDevice device(worker("device"), 4000);
  device.ready();
  const auto first = shared(device, bytes, {901, 902, 903, 904, 1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(shared(device, bytes, {904}).front(), first[3]);
  EXPECT_EQ(shared(device, bytes, {905, 902}), (std::vector{first.back() + 1, first[1]}));
  EXPECT_EQ(shared(device, bytes, {901}).front(), first.back() + 2);
}

TEST(Remote, AWorkerThatDoesNotStartIsOneClearError) {
  for (const WorkerProgram& broken : {worker("broken"), WorkerProgram{"/nowhere/at/all", {}}}) {
    try {
      const RemoteBackend backend(broken, [](const DeviceProperties&) { return nullptr; }, {});
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("does not start"), std::string::npos) << error.what();
    }
    EXPECT_THROW(RemoteCompiler{broken}, Error);
  }
}

TEST(Remote, AWorkerThatSomebodyKillsAtItsStartIsStartedAgain) {
  const testing::TemporaryFolder folder;
  const auto killed = [](const std::string& file) {
    return RemoteBackend({TUNE_TEST_WORKER, {"killed", file}},
                         [](const DeviceProperties&) { return nullptr; }, {});
  };
  EXPECT_EQ(killed(folder / "once").processes(), 2U);
  try {
    killed(folder / "no/folder");  // each time
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not start: the worker process was killed"),
              std::string::npos)
        << error.what();
  }
}

TEST(Remote, ManyThreadsCompileAtTheSameTime) {
  const RemoteCompiler compiler(worker("compiler"));
  const ToyProblem problem;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        CompileRequest request;
        request.source = {"toy.cu", std::to_string(t * 100 + i)};
        const auto binary = compiler.compile(request);
        ASSERT_TRUE(binary.has_value());
        const std::string text(reinterpret_cast<const char*>(binary->image.data()), binary->image.size());
        EXPECT_EQ(text, content_of(request));
      }
    });
}

CompileRequest request_of(const char* kind) {
  CompileRequest request;
  request.source = {"toy.cu", "text"};
  request.defines = {{"kind", kind}};
  return request;
}

TEST(Remote, ACompilerWithoutMemoryCostsOneConfiguration) {
  const RemoteCompiler compiler(worker("compiler"));
  const auto greedy = compiler.compile(request_of("greedy_compile"));
  ASSERT_FALSE(greedy);
  EXPECT_EQ(greedy.error().phase, Phase::compile);
  EXPECT_EQ(greedy.error().reason, "out of memory");
  EXPECT_TRUE(compiler.compile(request_of("plain")));
}

TEST(Remote, TheEndOfAPoolDoesNotWaitForCompiles) {
  const RemoteCompiler compiler(worker("compiler"), 8);
  const Stopwatch whole;
  std::future<Result<Binary>> hanging;
  {
    CompilePool pool(compiler, 2);
    hanging = pool.submit(request_of("hanging_compile"));
    EXPECT_TRUE(pool.submit(request_of("plain")).get());
  }
  EXPECT_LT(whole.seconds(), 4);
  const auto ended = hanging.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().reason, "cancelled");
  EXPECT_TRUE(compiler.compile(request_of("plain"))) << "later compiles are not affected";
}

TEST(Remote, ACompilerTellsTheFilesOfARequest) {
  const RemoteCompiler compiler(worker("compiler"));
  CompileRequest request = request_of("plain");
  EXPECT_EQ(compiler.files_key(request), "");
  request.options = {"-I/usr/include"};
  EXPECT_EQ(compiler.files_key(request), std::nullopt) << "as the compiler of the worker says";
}

TEST(Remote, AChildSeesThatItsParentIsGoneWhateverItDoes) {
  pid_t child = 0;
  {
    ChildProcess process({TUNE_TEST_WORKER, {"device"}});
    child = process.id();
    // Closing without killing is what the death of a parent does.
    process.channel().close();
    int status = 0;
    for (int i = 0; i < 500 && waitpid(child, &status, WNOHANG) == 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_NE(kill(child, 0), 0);
  }
}

}  // namespace
}  // namespace tune::process
