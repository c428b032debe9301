// SPDX-License-Identifier: Apache-2.0
// Tests the answers that a program gets, and how they were matched.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <clocale>
#include <fstream>

#include "lookup/src/search.hpp"
#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

using lookup::Match;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(LookupAnswers, AnExactOneHasAllThereIsToKnow) {
  DatabaseSample sample;
  sample.record(example_key(), {{1, 2e-3}, {2, 1e-3}});
  const lookup::Candidate found = sample.best(query_of(example_key()));
  EXPECT_EQ(found.match, Match::exact);
  EXPECT_EQ(found.seconds, 1e-3);
  EXPECT_EQ(found.recorded_seconds, 1e-3);
  EXPECT_FALSE(found.loss.has_value());
  EXPECT_FALSE(found.stale());
  EXPECT_EQ(found.size, example_instance().size());
  EXPECT_EQ(found.device, example_device().model_key());
  EXPECT_EQ(found.database, sample.path().string());
  EXPECT_EQ(found.why, "recorded for exactly this");
  EXPECT_THAT(found.configuration,
              ElementsAre(Pair("variant", "direct"), Pair("block_x", "2"), Pair("unroll", "true"),
                          Pair("alpha", "0.1"), Pair("beta", "2.0")));
  EXPECT_EQ(found.text("variant"), "direct");
  EXPECT_EQ(found.integer("block_x", 7), 2);
  EXPECT_EQ(found.integer("variant", 7), 7);
  EXPECT_EQ(found.integer("absent", 7), 7);
  EXPECT_EQ(found.real("alpha", 7), 0.1);
  EXPECT_TRUE(found.flag("unroll", false));
  EXPECT_FALSE(found.flag("block_x", false));
}

TEST(LookupAnswers, TheBestFitComesFirst) {
  DatabaseSample sample;
  const lookup::Query query = query_of(example_key());
  EXPECT_EQ(sample.best(query).match, Match::none);
  EXPECT_TRUE(sample.best(query).configuration.empty());
  EXPECT_THAT(sample.best(query).why, HasSubstr("there are no records of stencil3d"));
  WorkloadKey old = on("Old");
  old.device.compute_major = 7;
  sample.record(old, {{1, 1e-3}});
  EXPECT_EQ(sample.best(query).match, Match::portfolio);
  EXPECT_EQ(number_of(sample.best(query)), 1);
  sample.record(on("Sibling"), {{2, 1e-3}});
  EXPECT_EQ(sample.best(query).match, Match::same_architecture);
  EXPECT_EQ(number_of(sample.best(query)), 2);
  sample.record(sized({64, 64, 64}), {{3, 1e-3}});
  EXPECT_EQ(sample.best(query).match, Match::nearest_size);
  EXPECT_EQ(number_of(sample.best(query)), 3);
  sample.record(example_key(), {{4, 1e-3}});
  EXPECT_EQ(sample.best(query).match, Match::exact);
  EXPECT_EQ(number_of(sample.best(query)), 4);
}

TEST(LookupAnswers, TimeIsScaledToTheSize) {
  DatabaseSample sample;
  sample.record(sized({64, 64, 64}), {{1, 1e-3}});
  const lookup::Candidate found = sample.best(query_of(sized({128, 64, 64})));
  EXPECT_DOUBLE_EQ(found.seconds, 2e-3);
  EXPECT_EQ(found.recorded_seconds, 1e-3);
  EXPECT_THAT(found.why, HasSubstr("64x64x64, the nearest size there is"));
  EXPECT_THAT(found.why, HasSubstr("the records do not show the loss"));
}

TEST(LookupAnswers, ReplayedAndWarmResultsAreOtherThings) {
  DatabaseSample sample;
  WorkloadKey replayed = example_key();
  replayed.origin = Origin::replayed;
  sample.record(replayed, {{1, 1e-3}});
  EXPECT_EQ(sample.best(query_of(example_key())).match, Match::none);
  WorkloadKey warm = example_key();
  warm.cache = CacheState::warm;
  sample.record(warm, {{2, 1e-3}});
  EXPECT_EQ(sample.best(query_of(example_key())).match, Match::none);
  lookup::Query query = query_of(example_key());
  query.warm_caches = true;
  EXPECT_EQ(number_of(sample.best(query)), 2);
}

TEST(LookupAnswers, ImportedResultsAreThereForWhoAsks) {
  DatabaseSample sample;
  WorkloadKey imported = example_key();
  imported.device = {};
  imported.device.name = example_device().name;
  imported.device.driver = "unknown";
  imported.toolchain = {"Kernel Tuner, compiler unknown", "unknown"};
  imported.origin = Origin::imported;
  sample.record(imported, {{1, 1e-3}});
  lookup::Query query = query_of(example_key());
  query.source_hash = "0123";
  EXPECT_EQ(sample.best(query).match, Match::none);
  query.imported = true;
  const lookup::Candidate found = sample.best(query);
  EXPECT_EQ(found.match, Match::exact);
  EXPECT_EQ(number_of(found), 1);
  EXPECT_TRUE(found.imported);
  EXPECT_FALSE(found.stale()) << "its versions are not known";
  EXPECT_EQ(found.device, example_device().name);
  EXPECT_THAT(found.why,
              ::testing::StartsWith("imported: measured by another program, not checked here; recorded "
                                    "for exactly this"));
  query.device.name = "Another";
  EXPECT_NE(sample.best(query).match, Match::exact);
  sample.record(example_key(), {{2, 2e-3}});
  query = query_of(example_key());
  const lookup::Candidate ours = sample.best(query);
  EXPECT_EQ(number_of(ours), 2) << "the faster one is imported";
  EXPECT_FALSE(ours.imported);
}

TEST(LookupAnswers, CandidatesAreThoseOfTheBestFitThenOfTheNext) {
  DatabaseSample sample;
  sample.record(example_key(), {{1, 3e-3}, {2, 1e-3}, {3, 2e-3}, {4, 0}});
  sample.record(sized({64, 64, 64}), {{2, 1e-3}, {5, 2e-3}, {4, 3e-3}});
  const lookup::Lookup lookup = sample.open();
  const auto numbers = [&](std::size_t max) {
    std::vector<long long> result;
    const auto found = lookup.candidates(query_of(example_key()), max);
    for (const lookup::Candidate& one : *found) result.push_back(number_of(one));
    return result;
  };
  EXPECT_THAT(numbers(0), ElementsAre());
  EXPECT_THAT(numbers(2), ElementsAre(2, 3));
  EXPECT_THAT(numbers(4), ElementsAre(2, 3, 1, 5));
  EXPECT_THAT(numbers(100), ElementsAre(2, 3, 1, 5, 4));
  const auto all = lookup.candidates(query_of(example_key()), 100);
  EXPECT_THAT((*all)[1].why, HasSubstr("not its fastest"));
  EXPECT_EQ((*all)[3].match, Match::nearest_size);
}

TEST(LookupAnswers, AreKeptUntilRefreshed) {
  DatabaseSample sample;
  sample.record(example_key(), {{1, 2e-3}});
  const lookup::Lookup lookup = sample.open();
  const lookup::Lookup copy = lookup;
  EXPECT_EQ(number_of(*lookup.best(query_of(example_key()))), 1);
  sample.record(example_key(), {{2, 1e-3}});
  EXPECT_EQ(number_of(*lookup.best(query_of(example_key()))), 1);
  EXPECT_EQ(number_of(*copy.best(query_of(example_key()))), 1);
  copy.refresh();
  EXPECT_EQ(number_of(*lookup.best(query_of(example_key()))), 2);
}

TEST(LookupAnswers, QueriesThatDifferInAnythingAreNotMixedUp) {
  DatabaseSample sample;
  WorkloadKey radius = example_key();
  radius.instance.settings[2].second = 7;
  WorkloadKey driver = example_key();
  driver.device.driver = "1";
  WorkloadKey compiler = example_key();
  compiler.toolchain.compiler = "NVRTC 1.0";
  WorkloadKey sources = example_key();
  sources.toolchain.source_hash = "other";
  WorkloadKey warm = example_key();
  warm.cache = CacheState::warm;
  const std::vector<WorkloadKey> keys = {example_key(),       radius,       driver, compiler, sources, warm,
                                         sized({64, 64, 64}), on("Sibling")};
  for (std::size_t i = 0; i < keys.size(); ++i) sample.record(keys[i], {{static_cast<int>(i), 1e-3}});
  const lookup::Lookup lookup = sample.open();
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < keys.size(); ++i) {
      lookup::Query query = query_of(keys[i]);
      query.warm_caches = keys[i].cache == CacheState::warm;
      EXPECT_EQ(number_of(*lookup.best(query)), static_cast<long long>(i));
      EXPECT_EQ(lookup.best(query)->match, Match::exact);
    }
}

TEST(LookupAnswers, ThePersonsOwnComesBeforeARecordingOfEqualFit) {
  DatabaseSample own, shipped;
  own.record(example_key(), {{1, 2e-3}});
  own.record(sized({64, 64, 64}), {{2, 1e-3}});
  shipped.record(example_key(), {{3, 1e-3}});
  shipped.record(sized({65, 64, 64}), {{4, 1e-3}});
  lookup::Options options = own.options();
  options.recordings->push_back(shipped.path().string());
  const auto lookup = lookup::Lookup::open(options);
  ASSERT_TRUE(lookup);
  EXPECT_THAT(lookup->files(), ElementsAre(own.path().string(), shipped.path().string()));
  EXPECT_EQ(number_of(*lookup->best(query_of(example_key()))), 1);
  EXPECT_EQ(number_of(*lookup->best(query_of(sized({65, 64, 64})))), 4) << "a better fit wins";
  EXPECT_EQ(lookup->best(query_of(sized({65, 64, 64})))->database, shipped.path().string());
}

TEST(LookupAnswers, WithoutPathsTheSearchIsThatOfTheCommandLine) {
  DatabaseSample own, shipped;
  own.record(sized({64, 64, 64}), {{1, 2e-3}});
  shipped.record(example_key(), {{2, 1e-3}});
  setenv("TUNE_DB", own.path().c_str(), 1);
  setenv("TUNE_RECORDINGS", shipped.path().parent_path().c_str(), 1);
  const auto both = lookup::Lookup::open();
  setenv("TUNE_DB", (own / "absent.db").c_str(), 1);
  const auto one = lookup::Lookup::open();
  std::ofstream(own / "empty.db");
  setenv("TUNE_DB", (own / "empty.db").c_str(), 1);
  const auto none_yet = lookup::Lookup::open();
  setenv("TUNE_DB", (own / "absent.db").c_str(), 1);
  setenv("TUNE_RECORDINGS", (own / "nowhere").c_str(), 1);
  const auto nothing = lookup::Lookup::open();
  unsetenv("TUNE_DB");
  unsetenv("TUNE_RECORDINGS");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->best(query_of(example_key()))->why, "there is no database, and no recordings are in " +
                                                             std::string(own / "nowhere") +
                                                             "; set TUNE_RECORDINGS to their folder");
  ASSERT_TRUE(both);
  EXPECT_THAT(both->files(), ElementsAre(own.path().string(), shipped.path().string()));
  ASSERT_TRUE(one) << "a database that nobody made yet is no error";
  EXPECT_THAT(one->files(), ElementsAre(shipped.path().string()));
  ASSERT_TRUE(none_yet) << none_yet.error().message;
  EXPECT_THAT(none_yet->files(), ElementsAre(shipped.path().string()));
}

TEST(Candidate, RealNumbersDoNotDependOnTheLocale) {
  lookup::Candidate candidate;
  candidate.configuration = {{"share", "0.5"}, {"text", "0.5x"}, {"empty", ""}};
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool changed = false;
  for (const char* locale : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    changed = changed || std::setlocale(LC_NUMERIC, locale) != nullptr;
  EXPECT_EQ(candidate.real("share", 7), 0.5) << "with a decimal comma: " << changed;
  std::setlocale(LC_NUMERIC, before.c_str());
  EXPECT_EQ(candidate.real("text", 7), 7);
  EXPECT_EQ(candidate.real("empty", 7), 7);
}

TEST(ParseConfiguration, KnowsAllEscapesOfJson) {
  const auto read = lookup::parse_configuration(
      R"({"a":"x\n\t\r\b\f\/\"\\","b":"\u0001\u00e9\u20ac\ud83d\ude00","c":1})", "file");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].second, "x\n\t\r\b\f/\"\\");
  EXPECT_EQ(read[1].second, "\x01\u00e9\u20ac\U0001f600");
  for (const char* wrong : {R"({"a":"\x"})", R"({"a":"\u12"})", R"({"a":"\ud83d"})", R"({"a":"\ude00"})"})
    EXPECT_THROW(lookup::parse_configuration(wrong, "file"), lookup::Failed) << wrong;
}

}  // namespace
}  // namespace tune::testing
