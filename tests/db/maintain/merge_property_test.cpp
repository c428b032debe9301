// SPDX-License-Identifier: Apache-2.0
// Merging is a union: neither the order nor repetition changes what comes out.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <random>

#include "db/maintain/merge.hpp"
#include "tests/db/contents.hpp"
#include "tests/db/examples.hpp"
#include "tests/support/sampled.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

/// Databases that share some of their past, as copies of one file do that were both used after that.
class Family {
 public:
  explicit Family(unsigned seed) : random_(seed) {
    for (int i = 0; i < 3; ++i) paths_.push_back(folder_ / ("family" + std::to_string(i) + ".db"));
    make(paths_[0]);
    work_on(0);
    make(paths_[1]);
    if (pick(3) > 0) merge(paths_[1], paths_[0]);
    work_on(1);
    work_on(0);
    make(paths_[2]);
    merge(paths_[2], paths_[static_cast<std::size_t>(pick(2))]);
    work_on(2);
    if (pick(2) > 0) work_on(0);
  }

  const fs::path& operator[](std::size_t member) const { return paths_[member]; }

  /// Returns the result of merging the members in that order.
  std::multiset<std::string> merged(std::initializer_list<std::size_t> members) {
    const fs::path path = fresh();
    for (const std::size_t member : members) merge(path, paths_[member]);
    return contents(db::Database(path));
  }

  fs::path fresh() { return folder_ / ("merged" + std::to_string(++made_) + ".db"); }

  static void make(const fs::path& path) { const db::Database database(path); }

  static void merge(const fs::path& target, const fs::path& source) {
    db::Database into(target);
    db::merge_database(into, db::Database(source, db::OpenMode::read_only), {.file = source.string()});
    ASSERT_EQ(damage(into), "");
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  WorkloadKey some_key() {
    WorkloadKey key = example_key();
    if (pick(2) > 0) key.device.name = "Invented Z9";
    if (pick(2) > 0) key.instance.extents[0].second = 64;
    if (pick(3) == 0) key.origin = Origin::replayed;
    if (pick(3) == 0) key.cache = CacheState::warm;
    return key;
  }

  Evaluation some_evaluation() {
    const Configuration configuration = example_configuration(pick(6));
    if (pick(4) == 0) return failed(configuration, Phase::launch, "fault");
    return measured(configuration,
                    std::vector<double>(static_cast<std::size_t>(1 + pick(3)), 1e-3 * (1 + pick(3))));
  }

  /// A few runs, some of them with what was known before, finals, and no end. Few different times of day:
  /// runs and evaluations that are alike must not be taken for each other.
  void work_on(std::size_t member) {
    db::Database database(paths_[member]);
    db::SqliteStore store(database, [this] { return format("2026-01-{:02}T12:00:00.000Z", 1 + pick(3)); });
    for (int runs = pick(4); runs >= 0; --runs) {
      RunRecord record = run_of(some_key());
      record.machine.host = format("host-{}", pick(2));
      const RunId run = store.begin_run(record);
      const auto known = store.known(record.key);
      std::vector<Configuration> good;
      for (int evaluations = pick(6); evaluations > 0; --evaluations) {
        Evaluation evaluation = some_evaluation();
        if (!known.empty() && pick(3) == 0)
          evaluation = known[static_cast<std::size_t>(pick(static_cast<int>(known.size())))];
        store.record(run, evaluation);
        if (evaluation.reused) continue;
        if (evaluation.outcome)
          good = {evaluation.configuration};
        else if (!good.empty() && good.front() == evaluation.configuration)
          good.clear();  // its newest evaluation failed
      }
      if (!good.empty() && pick(2) > 0) {
        RerankResult rerank;
        rerank.places.push_back({.configuration = good.front(),
                                 .rounds = {{1e-3, 0}},
                                 .time = {1e-3, 1e-3, 1e-3, 0.9},
                                 .ratio = {1, 1, 1, 0.9},
                                 .tied = true});
        store.record_rerank(run, rerank);
      }
      if (pick(2) > 0) store.end_run(run, RunEnd::budget);
    }
  }

  TemporaryFolder folder_;
  std::mt19937 random_;
  std::vector<fs::path> paths_;
  int made_ = 0;
};

class MergeProperty : public ::testing::TestWithParam<unsigned> {};

TEST_P(MergeProperty, IsAUnion) {
  Family family(GetParam());
  const auto ab = family.merged({0, 1});
  EXPECT_EQ(family.merged({1, 0}), ab) << "the order matters";
  EXPECT_EQ(family.merged({0, 0}), contents(db::Database(family[0]))) << "itself adds something";
  EXPECT_EQ(family.merged({0, 1, 0, 1}), ab) << "again adds something";

  const auto all = family.merged({0, 1, 2});
  for (const auto& order :
       {std::initializer_list<std::size_t>{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    EXPECT_EQ(family.merged(order), all);

  // (A + B) + C is A + (B + C)
  const fs::path bc = family.fresh(), abc = family.fresh();
  Family::merge(bc, family[1]);
  Family::merge(bc, family[2]);
  Family::merge(abc, family[0]);
  Family::merge(abc, bc);
  EXPECT_EQ(contents(db::Database(abc)), all);

  // Nothing is lost: every line of each member is there, but for the ends of runs.
  for (std::size_t member = 0; member < 3; ++member)
    for (const std::string& line : contents(db::Database(family[member])))
      if (line.find("\"budget\"") != std::string::npos) {
        EXPECT_TRUE(all.contains(line)) << line;
      }
}

INSTANTIATE_TEST_SUITE_P(Families, MergeProperty, ::testing::Range(1U, runs_all_cases() ? 31U : 7U));

}  // namespace
}  // namespace tune::testing
