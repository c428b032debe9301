// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/cache/examples.hpp"
#include "tuner/cache/binary_cache.hpp"

namespace tune::cache {
namespace {

using namespace testing;
using tune::testing::TemporaryFolder;

constexpr std::uint64_t keys = 24;

std::string key(std::uint64_t number) {
  return "key" + std::to_string(number);
}

bool is_right(const Result<Binary>& found, std::uint64_t number) {
  const Binary expected = random_binary(number, 20'000);
  return found && found->image == expected.image && found->log == expected.log &&
         found->symbols == expected.symbols && found->compile_seconds == expected.compile_seconds;
}

/// Writes and reads the same entries as the others. 0 where it never saw a wrong one.
int use_cache(const std::filesystem::path& folder, std::uint64_t limit, std::uint64_t who) {
  BinaryCache cache(folder, limit);
  for (std::uint64_t turn = 0; turn < 20 * keys; ++turn) {
    const std::uint64_t number = (turn * (2 * who + 1) + who) % keys;
    if (const auto found = cache.find(key(number)); found && !is_right(*found, number)) return 1;
    cache.keep(key(number), random_binary(number, 20'000));
  }
  return cache.notice().empty() ? 0 : 2;
}

pid_t start(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(SeveralProcesses, WriteTheSameKeys) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (std::uint64_t who = 0; who < 4; ++who)
    children.push_back(start([&] { return use_cache(folder.path(), BinaryCache::default_limit, who); }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  BinaryCache cache(folder.path());
  for (std::uint64_t number = 0; number < keys; ++number) {
    const auto found = cache.find(key(number));
    ASSERT_TRUE(found);
    EXPECT_TRUE(is_right(*found, number));
  }
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    EXPECT_FALSE(file.path().filename().string().starts_with("unfinished")) << file.path();
}

TEST(SeveralProcesses, EvictEachOthersEntries) {
  const TemporaryFolder folder;
  constexpr std::uint64_t limit = 10 * 24'576;  // of 24 entries
  std::vector<pid_t> children;
  for (std::uint64_t who = 0; who < 4; ++who)
    children.push_back(start([&] { return use_cache(folder.path(), limit, who); }));
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  BinaryCache(folder.path(), limit).keep("one", random_binary(1));  // settles when all have ended
  EXPECT_LE(entries_in(folder.path()).size(), 11U);
  EXPECT_GE(entries_in(folder.path()).size(), 5U);
}

TEST(SeveralProcesses, OneThatIsKilledLeavesOnlyWholeEntries) {
  const TemporaryFolder folder;
  for (int turn = 0; turn < 10; ++turn) {
    const pid_t child = start([&] {
      for (;;) static_cast<void>(use_cache(folder.path(), BinaryCache::default_limit, 1));
      return 0;
    });
    usleep(5000 + 1000 * static_cast<unsigned>(turn));
    kill(child, SIGKILL);
    EXPECT_TRUE(WIFSIGNALED(status_of(child)));
  }
  ASSERT_FALSE(entries_in(folder.path()).empty());
  BinaryCache cache(folder.path());
  for (std::uint64_t number = 0; number < keys; ++number) {
    const bool there = std::filesystem::exists(folder / (key(number) + ".entry"));
    const auto found = cache.find(key(number));
    EXPECT_EQ(there, found.has_value()) << "a damaged entry was there";
    EXPECT_TRUE(!found || is_right(*found, number));
  }
}

}  // namespace
}  // namespace tune::cache
