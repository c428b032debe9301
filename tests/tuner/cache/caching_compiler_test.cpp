// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/caching_compiler.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <set>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/cache/examples.hpp"

namespace tune::cache {
namespace {

using namespace testing;
using tune::testing::TemporaryFolder;

class CachingCompilerTest : public ::testing::Test {
 protected:
  /// A compiler as another call of the program would make it: nothing but the folder is common.
  CachingCompiler compiler() const { return {inner_, std::make_shared<BinaryCache>(folder_.path())}; }

  TemporaryFolder folder_;
  std::shared_ptr<InventedCompiler> inner_ = std::make_shared<InventedCompiler>();
};

TEST_F(CachingCompilerTest, AHitEqualsTheMiss) {
  const auto miss = compiler().compile(example_request());
  const auto hit = compiler().compile(example_request());
  ASSERT_TRUE(miss && hit);
  EXPECT_EQ(inner_->compiled, 1);
  EXPECT_FALSE(miss->cached);
  EXPECT_TRUE(hit->cached);
  EXPECT_GT(hit->compile_seconds, 0);
  EXPECT_LT(hit->compile_seconds, 10);
  EXPECT_NE(hit->compile_seconds, miss->compile_seconds) << "the lookup's time, not the compile's";
  Binary same = *hit;
  same.compile_seconds = miss->compile_seconds;
  expect_equal(same, *miss);
}

TEST_F(CachingCompilerTest, EveryPartOfTheRequestIsInTheKey) {
  using Change = std::function<void(CompileRequest&)>;
  const std::vector<Change> changes = {
      [](CompileRequest&) {},
      [](CompileRequest& request) { request.source.name += "x"; },
      [](CompileRequest& request) { request.source.text += " "; },
      [](CompileRequest& request) { request.headers[0].name += "x"; },
      [](CompileRequest& request) { request.headers[1].text += " "; },
      [](CompileRequest& request) { std::swap(request.headers[0].text, request.headers[1].text); },
      [](CompileRequest& request) { request.headers.pop_back(); },
      [](CompileRequest& request) { request.defines[0].first += "x"; },
      [](CompileRequest& request) { request.defines[1].second += "0"; },
      [](CompileRequest& request) { request.defines.pop_back(); },
      [](CompileRequest& request) { request.options[0] += "x"; },
      [](CompileRequest& request) { request.options.pop_back(); },
      [](CompileRequest& request) { request.entries[1] += "x"; },
      [](CompileRequest& request) { request.entries.pop_back(); },
      // The same words in another list.
      [](CompileRequest& request) {
        request.entries.insert(request.entries.begin(), request.options.back());
        request.options.pop_back();
      },
      [](CompileRequest& request) {
        request.defines.insert(request.defines.begin(),
                               {request.headers.back().name, request.headers.back().text});
        request.headers.pop_back();
      },
      [](CompileRequest& request) {
        request.options.insert(request.options.begin(),
                               {request.defines.back().first, request.defines.back().second});
        request.defines.pop_back();
      },
  };
  const CachingCompiler caching = compiler();
  std::set<std::string> keys;
  for (const Change& change : changes) {
    CompileRequest request = example_request();
    change(request);
    EXPECT_TRUE(keys.insert(caching.key_of(request)).second) << "change " << keys.size();
    EXPECT_EQ(caching.key_of(request), compiler().key_of(request)) << "differs between calls";
    EXPECT_TRUE(caching.compile(request));
  }
  EXPECT_EQ(inner_->compiled, static_cast<int>(changes.size()));
}

TEST_F(CachingCompilerTest, TheCompilersIdentityIsInTheKey) {
  EXPECT_TRUE(compiler().compile(example_request()));
  inner_->identity_ = "invented 1.0 build 2";
  EXPECT_EQ(compiler().version(), "invented 1.0");
  EXPECT_FALSE(compiler().compile(example_request())->cached);
  EXPECT_EQ(inner_->compiled, 2);
  inner_->identity_ = "invented 1.0 build 1";
  EXPECT_TRUE(compiler().compile(example_request())->cached);
}

TEST_F(CachingCompilerTest, FailuresOfTheSourceAreKept) {
  for (const char* reason : {"syntax", "entry", "option", "static assertion", "static shared memory"}) {
    SCOPED_TRACE(reason);
    CompileRequest request = example_request();
    request.source.text = reason;
    inner_->failure = Failure{Phase::compile, reason, "detail of it"};
    const int before = inner_->compiled;
    EXPECT_FALSE(compiler().compile(request));
    const auto again = compiler().compile(request);
    EXPECT_EQ(inner_->compiled, before + 1);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().reason, reason);
    EXPECT_EQ(again.error().detail, "detail of it");
  }
}

TEST_F(CachingCompilerTest, FailuresOfTheMachineAreNot) {
  for (const Failure& failure :
       {Failure{Phase::timeout, "compile", ""}, Failure{Phase::crash, "syntax", "killed"},
        Failure{Phase::compile, "compiler", "out of memory"}, Failure{Phase::compile, "", ""},
        Failure{Phase::compile, "missing header", "cannot open source file"}}) {
    inner_->failure = failure;
    const int before = inner_->compiled;
    EXPECT_FALSE(compiler().compile(example_request()));
    EXPECT_FALSE(compiler().compile(example_request()));
    EXPECT_EQ(inner_->compiled, before + 2) << failure.reason;
  }
  inner_->failure.reset();
  EXPECT_TRUE(compiler().compile(example_request()));
}

TEST_F(CachingCompilerTest, WhatReadsFilesGoesPastIt) {
  for (const char* option : {"-I/usr/include", "--include-path=/usr/include", "--pre-include=a.h", "-pch"}) {
    CompileRequest request = example_request();
    request.options.emplace_back(option);
    const int before = inner_->compiled;
    EXPECT_TRUE(compiler().compile(request));
    EXPECT_FALSE(compiler().compile(request)->cached) << option;
    EXPECT_EQ(inner_->compiled, before + 2) << option;
  }
  EXPECT_TRUE(entries_in(folder_.path()).empty());
}

/// Says what files a binary depends on.
class FileCompiler : public InventedCompiler {
 public:
  std::optional<std::string> files_key(const CompileRequest&) const override { return files; }
  Result<Binary> compile(const CompileRequest& request) const override {
    if (!changed.empty()) files = changed;
    return InventedCompiler::compile(request);
  }
  mutable std::string files = "one";
  std::string changed;  ///< meanwhile
};

TEST(CachingCompiler, FilesOnDiskAreInTheKey) {
  const TemporaryFolder folder;
  const auto inner = std::make_shared<FileCompiler>();
  const CachingCompiler caching(inner, std::make_shared<BinaryCache>(folder.path()));
  EXPECT_FALSE(caching.compile(example_request())->cached);
  EXPECT_TRUE(caching.compile(example_request())->cached);
  inner->files = "two";
  EXPECT_FALSE(caching.compile(example_request())->cached);
  inner->files = "one";
  EXPECT_TRUE(caching.compile(example_request())->cached);
}

TEST(CachingCompiler, KeepsNothingOfFilesThatChangeMeanwhile) {
  const TemporaryFolder folder;
  const auto inner = std::make_shared<FileCompiler>();
  inner->changed = "two";
  const CachingCompiler caching(inner, std::make_shared<BinaryCache>(folder.path()));
  EXPECT_TRUE(caching.compile(example_request()));
  EXPECT_TRUE(entries_in(folder.path()).empty());
}

/// Compiles as long as the test wants.
class SlowCompiler : public InventedCompiler {
 public:
  explicit SlowCompiler(bool breaks) : breaks_(breaks) {}
  Result<Binary> compile(const CompileRequest& request) const override {
    go_.wait();
    ++compiled;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the others come meanwhile
    if (breaks_) throw std::runtime_error("no compiler");
    return random_binary(request.source.text.size());
  }
  void go() { go_.count_down(); }

 private:
  bool breaks_;
  mutable std::latch go_{1};
};

TEST(CachingCompiler, ThreadsThatWantTheSameCompileOnce) {
  const TemporaryFolder folder;
  const auto inner = std::make_shared<SlowCompiler>(false);
  const CachingCompiler caching(inner, std::make_shared<BinaryCache>(folder.path()));
  std::atomic<int> right{0}, cached{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&, i] {
        CompileRequest request = example_request();
        if (i == 7) request.source.text += "another";
        const auto binary = caching.compile(request);
        right += binary && binary->image == random_binary(request.source.text.size()).image;
        cached += binary && binary->cached;
      });
    inner->go();
  }
  EXPECT_EQ(right, 8);
  EXPECT_EQ(inner->compiled, 2) << "one for each of two requests, at the same time";
  EXPECT_EQ(cached, 6);
}

TEST(CachingCompiler, ABrokenEnvironmentIsToldToAllAndNotRemembered) {
  const TemporaryFolder folder;
  const auto inner = std::make_shared<SlowCompiler>(true);
  const CachingCompiler caching(inner, std::make_shared<BinaryCache>(folder.path()));
  inner->go();
  std::atomic<int> thrown{0};
  const auto call = [&] {
    try {
      static_cast<void>(caching.compile(example_request()));
    } catch (const std::runtime_error&) {
      ++thrown;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(call);
  }
  const int before = inner->compiled;
  call();
  EXPECT_EQ(thrown, 5);
  EXPECT_EQ(inner->compiled, before + 1);
}

TEST(CachingCompiler, WithoutACacheTheCompilerIsTheSame) {
  auto inner = std::make_unique<InventedCompiler>();
  const Compiler* const same = inner.get();
  EXPECT_EQ(with_cache(std::move(inner), nullptr).get(), same);
  EXPECT_EQ(with_cache(std::unique_ptr<Compiler>(), std::make_shared<BinaryCache>("")), nullptr);
}

}  // namespace
}  // namespace tune::cache
