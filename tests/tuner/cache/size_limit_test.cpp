// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/file_lock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/cache/examples.hpp"
#include "tuner/cache/binary_cache.hpp"
#include "tuner/cache/cache_folder.hpp"

namespace tune::cache {
namespace {

namespace fs = std::filesystem;
using namespace testing;
using tune::testing::TemporaryFolder;

constexpr std::uint64_t block = 4096;

std::string entry_key(int number) {
  return "key" + std::to_string(number);
}

/// The entry looks as if it was last used so many minutes ago.
void age(const fs::path& folder, int number, int minutes) {
  fs::last_write_time(folder / (entry_key(number) + ".entry"),
                      fs::file_time_type::clock::now() - std::chrono::minutes(minutes));
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t sum = 0;
  for (const fs::path& entry : entries_in(folder)) sum += disk_bytes(fs::file_size(entry));
  return sum;
}

TEST(SizeLimit, TheLongestUnusedGo) {
  const TemporaryFolder folder;
  {
    BinaryCache roomy(folder.path(), 1000 * block);
    for (int i = 0; i < 40; ++i) roomy.keep(entry_key(i), random_binary(1, 3000));  // a block each
    for (int i = 0; i < 40; ++i) age(folder.path(), i, 100 - i);
    EXPECT_TRUE(roomy.find(entry_key(3)));  // the oldest but three, used just now
  }
  EXPECT_EQ(bytes_in(folder.path()), 40 * block);
  {
    BinaryCache tight(folder.path(), 30 * block);
    tight.keep("new", random_binary(2, 3000));
  }  // settles
  // 41 blocks were there, 27 stay: a tenth of the limit is free.
  EXPECT_EQ(bytes_in(folder.path()), 27 * block);
  BinaryCache cache(folder.path());
  EXPECT_TRUE(cache.find("new"));
  EXPECT_TRUE(cache.find(entry_key(3))) << "a hit counts as use";
  for (int i = 0; i < 15; ++i) EXPECT_EQ(cache.find(entry_key(i)).has_value(), i == 3) << i;
  for (int i = 15; i < 40; ++i) EXPECT_TRUE(cache.find(entry_key(i)).has_value()) << i;
}

TEST(SizeLimit, HoldsWhateverIsWritten) {
  const TemporaryFolder folder;
  constexpr std::uint64_t limit = 64 * block;
  BinaryCache cache(folder.path(), limit);
  for (int i = 0; i < 1000; ++i) {
    cache.keep(entry_key(i), random_binary(1, static_cast<std::size_t>(i) * 17 % 9000));
    if (i % 10 == 0) {
      EXPECT_LE(bytes_in(folder.path()), limit + limit / 16 + 4 * block);
    }
  }
  EXPECT_GT(bytes_in(folder.path()), limit / 2);
  EXPECT_TRUE(cache.find(entry_key(999)));
}

TEST(SizeLimit, CountsOverSeveralCalls) {
  const TemporaryFolder folder;
  constexpr std::uint64_t limit = 64 * block;
  for (int i = 0; i < 200; ++i) {
    BinaryCache cache(folder.path(), limit);
    cache.keep(entry_key(i), random_binary(1, 3000));
  }
  EXPECT_LE(bytes_in(folder.path()), limit);
  EXPECT_GT(bytes_in(folder.path()), limit / 2);
}

TEST(SizeLimit, AnEntryBeyondTheLimitIsNotKept) {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path(), 10 * block);
  cache.keep("small", random_binary(1, 100));
  cache.keep("large", random_binary(1, 10 * block));
  EXPECT_TRUE(cache.find("small"));
  EXPECT_FALSE(cache.find("large"));
}

TEST(SizeLimit, ADamagedSumIsFoundOutAgain) {
  for (const char* text : {"", "12", "x\n", "-1\n", "99999999999999999999999\n"}) {
    const TemporaryFolder folder;
    {
      BinaryCache cache(folder.path(), 1000 * block);
      for (int i = 0; i < 10; ++i) cache.keep(entry_key(i), random_binary(1, 3000));
    }
    EXPECT_EQ(read_file(folder / "size"), std::to_string(10 * block) + "\n");
    write_text(folder / "size", text);
    {
      BinaryCache cache(folder.path(), 1000 * block);
      cache.keep("more", random_binary(1, 3000));
    }
    EXPECT_EQ(read_file(folder / "size"), std::to_string(11 * block) + "\n") << text;
  }
}

TEST(SizeLimit, OnlyEntriesAndAbandonedFilesGo) {
  const TemporaryFolder folder;
  write_text(folder / "notes.txt", std::string(100 * block, 'x'));
  write_text(folder / "unfinished-old", "half");
  write_text(folder / "unfinished-new", "half");
  fs::last_write_time(folder / "unfinished-old", fs::file_time_type::clock::now() - std::chrono::hours(2));
  {
    BinaryCache cache(folder.path(), 10 * block);
    for (int i = 0; i < 50; ++i) cache.keep(entry_key(i), random_binary(1, 3000));
  }
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
  EXPECT_TRUE(fs::exists(folder / "unfinished-new")) << "another process is at it";
  EXPECT_FALSE(fs::exists(folder / "unfinished-old"));
  EXPECT_GE(entries_in(folder.path()).size(), 8U);
}

// Nobody waits for a process that evicts.
TEST(SizeLimit, GoesOnWhileAnotherEvicts) {
  const TemporaryFolder folder;
  SizeLimit one(folder.path(), 1 << 20);
  write_text(folder / "size", "0\n");
  tune::testing::FileLock held((folder / "size").string());
  one.wrote(disk_bytes(1));
  EXPECT_FALSE(one.settle());
  held.release();
  EXPECT_TRUE(one.settle());
  EXPECT_EQ(read_file(folder / "size"), std::to_string(block) + "\n");
}

}  // namespace
}  // namespace tune::cache
