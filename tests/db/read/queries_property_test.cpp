// SPDX-License-Identifier: Apache-2.0
// Random histories: the database answers as a plain list would.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "db/read/best.hpp"
#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

/// All records, in order.
struct Entry {
  int key = 0;
  RunId run = 0;
  Evaluation evaluation;
};

/// Few keys and few configurations, so that they meet again.
std::vector<WorkloadKey> keys() {
  std::vector<WorkloadKey> result;
  for (const char* device : {"A", "B"})
    for (const int nx : {64, 512})
      for (const char* driver : {"580", "590"})
        for (const Origin origin : {Origin::measured, Origin::replayed}) {
          WorkloadKey key = example_key();
          key.device.name = device;
          key.device.driver = driver;
          key.instance.extents[0].second = nx;
          key.origin = origin;
          result.push_back(key);
        }
  return result;
}

Evaluation random_evaluation(std::mt19937& random) {
  const Configuration configuration = example_configuration(static_cast<int>(random() % 12));
  if (random() % 4 == 0) {
    const auto phase = static_cast<Phase>(random() % 7);
    return failed(configuration, phase, random() % 2 == 0 ? "one" : "two");
  }
  std::vector<double> samples(1 + random() % 5);
  for (double& sample : samples) sample = 1e-6 * static_cast<double>(1 + random() % 100'000);
  return measured(configuration, samples);
}

class Property : public ::testing::TestWithParam<unsigned> {
 protected:
  Property() : random_(GetParam()) {
    for (int r = 0; r < 25; ++r) {
      const int key = static_cast<int>(random_() % keys_.size());
      const RunId run = store_.begin_run(run_of(keys_[static_cast<std::size_t>(key)]));
      for (auto left = random_() % 30; left > 0; --left) {
        entries_.push_back({key, run, random_evaluation(random_)});
        store_.record(run, entries_.back().evaluation);
      }
    }
  }

  std::string tick() {
    ++ticks_;
    return format("2026-01-31T{:02}:{:02}:{:02}.000Z", ticks_ / 3600, ticks_ / 60 % 60, ticks_ % 60);
  }

  /// The last of each configuration under a key, by key text: of failures that may not come again only where
  /// there is nothing else.
  std::map<std::string, const Evaluation*> newest(int key) const {
    const auto counts = [](const Evaluation& one) {
      return one.outcome || !is_accident(one.outcome.error(), one.attempts);
    };
    std::map<std::string, const Evaluation*> result;
    for (const Entry& entry : entries_) {
      if (entry.key != key) continue;
      const Evaluation*& current = result[entry.evaluation.configuration.key()];
      if (current == nullptr || counts(entry.evaluation) || !counts(*current)) current = &entry.evaluation;
    }
    return result;
  }

  std::optional<double> best_of(int key) const {
    std::optional<double> best;
    for (const auto& [text, evaluation] : newest(key))
      if (evaluation->outcome) best = std::min(best.value_or(1e9), evaluation->outcome->time());
    return best;
  }

  std::vector<WorkloadKey> keys_ = keys();
  std::mt19937 random_;
  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int ticks_ = 0;
  db::SqliteStore store_{database_, [this] { return tick(); }};
  std::vector<Entry> entries_;
};

TEST_P(Property, KnownIsTheNewestOfEachConfiguration) {
  for (int k = 0; k < static_cast<int>(keys_.size()); ++k) {
    const auto expected = newest(k);
    const auto known = store_.known(keys_[static_cast<std::size_t>(k)]);
    ASSERT_EQ(known.size(), expected.size());
    for (const Evaluation& evaluation : known)
      expect_equal(evaluation, *expected.at(evaluation.configuration.key()));
  }
}

TEST_P(Property, BestIsTheSmallestMedianOfTheNewest) {
  for (int k = 0; k < static_cast<int>(keys_.size()); ++k) {
    const WorkloadKey& key = keys_[static_cast<std::size_t>(k)];
    const auto found = db::best(database_, {.problem = key.instance.problem,
                                            .device = db::lookup_device(key.device),
                                            .extents = key.instance.extents,
                                            .settings = key.instance.settings_key(),
                                            .origin = key.origin});
    const auto same = [&](const db::BestCandidate& candidate) {
      return candidate.match == db::Match::exact && candidate.same_driver;
    };
    const auto exact = std::find_if(found.begin(), found.end(), same);
    const std::optional<double> expected = best_of(k);
    ASSERT_EQ(exact != found.end(), expected.has_value());
    if (!expected) continue;
    EXPECT_EQ(exact, found.begin());
    EXPECT_EQ(exact->result.time, expected);
  }
}

TEST_P(Property, ResultsAreAllThatIsCurrentInOrder) {
  std::vector<double> expected;
  std::size_t failures = 0;
  for (int k = 0; k < static_cast<int>(keys_.size()); ++k)
    for (const auto& [text, evaluation] : newest(k)) {
      if (evaluation->outcome) {
        expected.push_back(evaluation->outcome->time());
      } else {
        ++failures;
      }
    }
  std::ranges::sort(expected);
  std::vector<double> times;
  for (const db::ResultRow& row : db::list_results(database_)) times.push_back(*row.time);
  EXPECT_EQ(times, expected);
  EXPECT_EQ(db::list_results(database_, {.failures = true}).size(), expected.size() + failures);
  EXPECT_EQ(db::list_results(database_, {.failures = true, .superseded = true}).size(), entries_.size());
}

TEST_P(Property, RunsTellWhatTheySaw) {
  for (const db::RunSummary& run : db::list_runs(database_)) {
    std::int64_t failures = 0;
    std::vector<std::optional<double>> times;
    std::optional<double> best;
    for (const Entry& entry : entries_) {
      if (entry.run != run.run) continue;
      const bool measured = entry.evaluation.outcome.has_value();
      failures += measured ? 0 : 1;
      times.push_back(measured ? std::optional(entry.evaluation.outcome->time()) : std::nullopt);
      if (measured) best = std::min(best.value_or(1e9), *times.back());
    }
    EXPECT_EQ(run.evaluations, static_cast<std::int64_t>(times.size()));
    EXPECT_EQ(run.failures, failures);
    EXPECT_EQ(run.best, best);
    const db::RunDetails details = db::run_details(database_, run.run);
    std::int64_t counted = 0;
    for (const db::FailureCount& failure : details.failures) counted += failure.count;
    EXPECT_EQ(counted, failures);
    for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(details.progress.at(i).time, times[i]);
    if (!times.empty()) {
      EXPECT_EQ(details.progress.back().best, best);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Property, ::testing::Range(1U, 4U));

}  // namespace
}  // namespace tune::testing
