// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/binary_cache.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/tuner/cache/examples.hpp"
#include "tuner/base/content_hash.hpp"

namespace tune::cache {
namespace {

using namespace testing;
using tune::testing::TemporaryFolder;

TEST(BinaryCache, GivesBackWhatItKeeps) {
  const TemporaryFolder folder;
  BinaryCache cache(folder / "not/yet/there");
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    cache.keep("key" + std::to_string(seed), random_binary(seed, 37 * seed));
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto found = cache.find("key" + std::to_string(seed));
    ASSERT_TRUE(found && *found);
    expect_equal(**found, random_binary(seed, 37 * seed));
  }
  EXPECT_FALSE(cache.find("key20"));
  EXPECT_EQ(cache.notice(), "");
  EXPECT_EQ(entries_in(folder / "not/yet/there").size(), 20U);
}

TEST(BinaryCache, KeepsFailures) {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.keep("key", fail(Phase::compile, "syntax", "test.cu(1): \xff error"));
  const auto found = cache.find("key");
  ASSERT_TRUE(found);
  ASSERT_FALSE(*found);
  EXPECT_EQ(found->error().phase, Phase::compile);
  EXPECT_EQ(found->error().reason, "syntax");
  EXPECT_EQ(found->error().detail, "test.cu(1): \xff error");
}

TEST(BinaryCache, TheLatestCounts) {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.keep("key", random_binary(1));
  cache.keep("key", random_binary(2));
  expect_equal(**cache.find("key"), random_binary(2));
}

TEST(BinaryCache, AnEntryOfListsInEachOtherCountsAsMissing) {
  const std::string entry = to_entry("key", fail(Phase::compile, "syntax", "detail"));
  const std::string mark = entry.substr(0, entry.find('\n') + 1), lists(1'000'000, '\x81');
  EXPECT_FALSE(from_entry("key", mark + content_hash(lists) + lists));
}

/// Ways to spoil an entry's file.
struct Damage {
  const char* name;
  void (*apply)(const std::filesystem::path& entry);
};

class Damaged : public ::testing::TestWithParam<Damage> {};

TEST_P(Damaged, CountsAsMissingAndIsReplaced) {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.keep("key", random_binary(1));
  const std::filesystem::path entry = entries_in(folder.path()).at(0);
  GetParam().apply(entry);
  EXPECT_FALSE(cache.find("key"));
  EXPECT_FALSE(std::filesystem::exists(entry)) << "left for the next one";
  cache.keep("key", random_binary(1));
  ASSERT_TRUE(cache.find("key"));
  expect_equal(**cache.find("key"), random_binary(1));
  EXPECT_EQ(cache.notice(), "");
}

INSTANTIATE_TEST_SUITE_P(
    Ways, Damaged,
    ::testing::Values(Damage{"Empty", [](const auto& entry) { write_text(entry, ""); }},
                      Damage{"OnlyTheMark", [](const auto& entry) { write_text(entry, "tune binary\n"); }},
                      Damage{"Foreign", [](const auto& entry) { write_text(entry, "{\"binary\": {}}"); }},
                      Damage{"Longer", [](const auto& entry) { write_text(entry, read_file(entry) + "x"); }},
                      Damage{"OfAnotherKey",
                             [](const auto& entry) {
                               BinaryCache other(entry.parent_path() / "other");
                               other.keep("another", random_binary(2));
                               std::filesystem::rename(entries_in(other.folder()).at(0), entry);
                             }}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Wherever a file is cut or a bit turned: nothing wrong ever comes out.
TEST(DamagedEntry, IsNoticedAtEveryByte) {
  const TemporaryFolder folder;
  BinaryCache cache(folder.path());
  cache.keep("key", random_binary(2, 100));
  const std::filesystem::path entry = entries_in(folder.path()).at(0);
  const std::string whole = read_file(entry);
  ASSERT_TRUE(cache.find("key"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    write_text(entry, whole.substr(0, at));
    EXPECT_FALSE(cache.find("key")) << "cut at " << at;
    std::string turned = whole;
    turned[at] = static_cast<char>(turned[at] ^ (1 << (at % 8)));
    write_text(entry, turned);
    EXPECT_FALSE(cache.find("key")) << "turned at " << at;
  }
}

}  // namespace
}  // namespace tune::cache
