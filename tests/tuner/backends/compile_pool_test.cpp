// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/compile_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace tune {
namespace {

/// Fails for a source called `bad`, throws for `broken`; counts how many compiles are under way at once.
class CountingCompiler : public Compiler {
 public:
  Result<Binary> compile(const CompileRequest& request) const override {
    const int now = ++running;
    int seen = max;
    while (now > seen && !max.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    --running;
    if (request.source.name == "broken") throw std::runtime_error("no compiler");
    if (request.source.name == "bad") return fail(Phase::compile, "syntax");
    Binary binary;
    binary.hash = request.source.name;
    return binary;
  }
  std::string version() const override { return "counting"; }
  mutable std::atomic<int> running{0};
  mutable std::atomic<int> max{0};
};

CompileRequest request(std::string name) {
  return {.source = {std::move(name), ""}, .headers = {}, .defines = {}, .options = {}, .entries = {}};
}

TEST(CompilePool, EveryFutureGetsItsOwnBinary) {
  const CountingCompiler compiler;
  CompilePool pool(compiler, 4);
  std::vector<std::future<Result<Binary>>> futures;
  for (int i = 0; i < 40; ++i) futures.push_back(pool.submit(request(std::to_string(i))));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(futures[static_cast<std::size_t>(i)].get()->hash, std::to_string(i));
  EXPECT_GT(compiler.max, 1);
  EXPECT_LE(compiler.max, 4);
}

TEST(CompilePool, FailuresAreValuesAndBrokenEnvironmentsExceptions) {
  const CountingCompiler compiler;
  CompilePool pool(compiler, 2);
  EXPECT_FALSE(pool.submit(request("bad")).get().has_value());
  EXPECT_THROW(pool.submit(request("broken")).get(), std::runtime_error);
}

TEST(CompilePool, NothingStartsWhileItIsHeld) {
  const CountingCompiler compiler;
  CompilePool pool(compiler, 2);
  pool.hold(true);
  std::future<Result<Binary>> binary = pool.submit(request("x"));
  EXPECT_EQ(binary.wait_for(std::chrono::milliseconds(30)), std::future_status::timeout);
  EXPECT_EQ(compiler.max, 0);
  pool.hold(false);
  EXPECT_EQ(binary.get()->hash, "x");
}

TEST(CompilePool, ClearDropsWhatHasNotStarted) {
  const CountingCompiler compiler;
  CompilePool pool(compiler, 1);
  std::vector<std::future<Result<Binary>>> futures;
  for (int i = 0; i < 100; ++i) futures.push_back(pool.submit(request("x")));
  pool.clear();
  EXPECT_THROW(futures.back().get(), std::future_error);
}

/// Compiles in two steps, each of which ends when it is cancelled.
class TwoSteps : public Compiler {
 public:
  Result<Binary> compile(const CompileRequest&) const override {
    for (int step = 0; step < 2; ++step) {
      const int before = cancellations;
      ++steps;
      for (int waited = 0; cancellations == before; ++waited) {
        if (waited == 3000) return fail(Phase::compile, "not cancelled");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    return fail(Phase::compile, "cancelled");
  }
  void cancel() const override { ++cancellations; }
  std::string version() const override { return "two steps"; }
  mutable std::atomic<int> cancellations{0}, steps{0};
};

TEST(CompilePool, CancelsAlsoWhatBeginsMeanwhile) {
  const TwoSteps compiler;
  std::future<Result<Binary>> future;
  {
    CompilePool pool(compiler, 1);
    future = pool.submit(request("x"));
    while (compiler.steps == 0) std::this_thread::yield();
  }
  EXPECT_EQ(future.get().error().reason, "cancelled");
}

}  // namespace
}  // namespace tune
