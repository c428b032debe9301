// SPDX-License-Identifier: Apache-2.0
#include "tests/library/killed_workers.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "db/maintain/check.hpp"
#include "db/store/sqlite_store.hpp"
#include "search/strategies/registry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/stopwatch.hpp"
#include "tuner/evaluation/device_evaluator.hpp"
#include "tuner/session/session.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;

std::string file_text(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Returns a child of this process with that argument; 0 where there is none.
pid_t child_with(const std::string& argument) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = file_text(entry.path() / "stat");  // 12 (name) S PARENT ...
    const std::size_t state = stat.rfind(") ");
    if (state == std::string::npos || std::atoi(stat.c_str() + state + 4) != getpid()) continue;
    const std::string arguments = file_text(entry.path() / "cmdline");
    if (arguments.find('\0' + argument + '\0') != std::string::npos) return std::atoi(name.c_str());
  }
  return 0;
}

/// Kills the workers of this process, one after the other, each at a random moment of its life.
class Killer {
 public:
  Killer(std::chrono::microseconds longest_life, unsigned seed)
      : thread_([this, longest_life, seed](const std::stop_token& stop) { live(stop, longest_life, seed); }) {
  }

  /// Ends the killing; returns how many were killed.
  int end() {
    thread_.request_stop();
    thread_.join();
    return killed_;
  }

 private:
  void live(const std::stop_token& stop, std::chrono::microseconds longest_life, unsigned seed) {
    std::mt19937 random(seed);
    pid_t last = 0;
    while (!stop.stop_requested()) {
      const pid_t worker = child_with("device");
      if (worker == 0 || worker == last) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        continue;
      }
      // Every other one comes to work; else no run could go on.
      const auto life = static_cast<unsigned>(longest_life.count());
      const unsigned least = killed_ % 2 == 0 ? life / 2 : 0;
      std::this_thread::sleep_for(std::chrono::microseconds(least + random() % (life - least)));
      if (stop.stop_requested()) return;
      if (kill(worker, SIGKILL) == 0) ++killed_;
      last = worker;
    }
  }

  std::atomic<int> killed_ = 0;
  std::jthread thread_;
};

constexpr const char* accident = "killed from outside";

/// Counts what is told as stored.
class Told : public SessionObserver {
 public:
  void on_evaluation(const Evaluation& evaluation, const Progress&) override {
    ++times[evaluation.configuration.key()];
    if (!evaluation.reused) ++evaluated;
  }

  std::map<std::string, int> times;
  int evaluated = 0;
};

using Answers = std::map<std::string, std::string>;

class Tuning {
 public:
  explicit Tuning(const KilledWorkers& tuning) : tuning_(tuning) {}

  SessionResult run(const fs::path& file, Told& told) {
    const std::unique_ptr<Backend> backend = tuning_.open();
    const search::SearchSpace space = tuning_.space(backend->properties());
    DeviceEvaluator evaluator(tuning_.problem, tuning_.instance, *backend, tuning_.sources,
                              {.measure = {}, .compile_threads = 2});
    const auto strategy = search::choose_strategy("random").make({space, 1});
    db::Database database(file);
    db::SqliteStore store(database);
    record_.key = {tuning_.instance, backend->properties(), {backend->compiler().version(), "sources"}};
    record_.options.strategy = "random";
    Session session(space, *strategy, evaluator, store, seconds_now);
    return session.run(record_, {}, false, told);
  }

  /// What the database has of each configuration, read anew.
  Answers answers(const fs::path& file) const {
    db::Database database(file);
    EXPECT_EQ(db::check_database(database).lines, std::vector<std::string>());
    Answers all;
    for (const Evaluation& evaluation : db::SqliteStore(database).known(record_.key))
      EXPECT_TRUE(all.emplace(evaluation.configuration.key(), text_of(evaluation)).second);
    return all;
  }

 private:
  std::string text_of(const Evaluation& evaluation) const {
    if (!evaluation.outcome) {
      const Failure& failure = evaluation.outcome.error();
      if (failure.reason == killed_from_outside) return accident;
      return std::string(to_string(failure.phase)) + ": " + failure.reason;
    }
    std::string text = "measured";
    if (tuning_.same_times)
      for (const double sample : evaluation.outcome->samples) text += " " + std::to_string(1e9 * sample);
    return text;
  }

  const KilledWorkers& tuning_;
  RunRecord record_;
};

/// Returns how many workers were killed; counts evaluations that were killed twice.
int one_database(const KilledWorkers& setup, const Answers& expected, unsigned seed, int& accidents) {
  const TemporaryFolder folder;
  const fs::path file = folder / "tune.db";
  Tuning tuning(setup);
  Told told;
  Killer killer(setup.longest_life, seed);
  const SessionResult killed = tuning.run(file, told);
  const int kills = killer.end();
  EXPECT_EQ(killed.end, RunEnd::exhausted) << killed.reason;
  int again = 0;
  const Answers found = tuning.answers(file);
  for (const auto& [key, answer] : expected) {
    EXPECT_EQ(told.times[key], 1) << key;
    const auto at = found.find(key);
    if (at == found.end()) {
      ADD_FAILURE() << key << " was lost";
      continue;
    }
    if (at->second == accident) ++again;
    EXPECT_TRUE(at->second == accident || at->second == answer) << key << ": " << at->second;
  }
  accidents += again;

  Told second;
  const SessionResult undisturbed = tuning.run(file, second);
  EXPECT_EQ(undisturbed.end, RunEnd::exhausted);
  EXPECT_EQ(second.evaluated, again) << "an accident was an answer, or an answer was none";
  EXPECT_EQ(tuning.answers(file), expected);
  EXPECT_FALSE(undisturbed.rerank.places.empty());
  return kills;
}

}  // namespace

void expect_kills_cost_nothing(const KilledWorkers& setup, int kills) {
  KilledWorkers tuning = setup;
  const auto begin = std::chrono::steady_clock::now();
  tuning.open();
  const auto start = std::chrono::steady_clock::now() - begin;
  tuning.longest_life =
      std::max(setup.longest_life, std::chrono::duration_cast<std::chrono::microseconds>(3 * start));
  const TemporaryFolder folder;
  Told told;
  Tuning undisturbed(tuning);
  const SessionResult result = undisturbed.run(folder / "tune.db", told);
  ASSERT_EQ(result.end, RunEnd::exhausted) << result.reason;
  const Answers expected = undisturbed.answers(folder / "tune.db");
  ASSERT_EQ(expected.size(), told.times.size());

  int killed = 0;
  int accidents = 0;
  for (unsigned seed = 1; killed < kills; ++seed) {
    SCOPED_TRACE(seed);
    ASSERT_LT(seed, 10U + static_cast<unsigned>(kills)) << "runs are over before a worker is killed";
    killed += one_database(tuning, expected, seed, accidents);
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("killed %d workers; %d evaluations failed by it and were repeated\n", killed, accidents);
}

}  // namespace tune::testing
