// SPDX-License-Identifier: Apache-2.0
// The definition of a stored problem is found again by what its runs were called with.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/input/stored.hpp"
#include "db/store/sqlite_store.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_problem.hpp"

namespace tune::testing {
namespace {

class StoredDefinition : public ::testing::Test {
 protected:
  void run(const std::string& problem, const std::string& command_line) {
    RunRecord run;
    run.key.instance = tune::testing::toy_instance(10);
    run.key.instance.problem = problem;
    run.options.command_line = command_line;
    store_.begin_run(run);
  }
  std::string write(const std::string& name, const std::string& problem) {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(folder_ / "k.cu") << "__global__ void k(float* out) {}\n";
    std::ofstream(path) << R"json({"problem": ")json" << problem
                        << R"json(", "kernel": "k.cu", "sizes": {"n": 10},
      "parameters": {"B": [1, 2]}, "arguments": {"out": {"type": "float", "size": "n", "access": "write"}},
      "low_fidelity": {"n": 4}, "launches": {"entry": "k", "grid": 1, "block": "B"}})json";
    return path.string();
  }

  TemporaryFolder folder_;
  db::Database database_{folder_ / "tune.db"};
  int seconds_ = 0;
  db::SqliteStore store_{database_,
                         [this] { return "2026-01-01T00:00:0" + std::to_string(++seconds_) + "Z"; }};
};

TEST_F(StoredDefinition, WordsOfACommandLineAreTheArguments) {
  const std::string line = R"(tune run --problem 'my kernel.json' --where 'a == '\''b'\''' '' x)";
  EXPECT_EQ(cli::words_of(line), (std::vector<std::string>{"tune", "run", "--problem", "my kernel.json",
                                                           "--where", "a == 'b'", "", "x"}));
  EXPECT_TRUE(cli::words_of("").empty());
}

TEST_F(StoredDefinition, IsFoundByTheNewestRunThatNamesIt) {
  const std::string old = write("old.json", "mine"), now = write("now here.json", "mine");
  run("mine", "tune --problem " + old);
  run("mine", "tune --problem '" + now + "' --device 0");
  run("other", "tune --problem=elsewhere.json");
  EXPECT_EQ(cli::named_definitions(database_, "other"), std::vector<std::string>{"elsewhere.json"});
  const std::vector<std::string> files = cli::named_definitions(database_, "mine");
  EXPECT_EQ(files, (std::vector<std::string>{now, old}));
  std::string reason;
  EXPECT_NE(cli::defined_problem("mine", files, reason), nullptr);
  EXPECT_EQ(reason, "");
  // One that is gone, or became another problem, is none.
  write("old.json", "another");
  std::filesystem::remove(now);
  EXPECT_EQ(cli::defined_problem("mine", files, reason), nullptr);
  EXPECT_NE(reason.find("--problem"), std::string::npos) << reason;
  EXPECT_EQ(cli::defined_problem("mine", {}, reason), nullptr);
  EXPECT_NE(reason.find("'mine'"), std::string::npos) << reason;
}

TEST_F(StoredDefinition, TellsReportsTheDefaultAndTheCheaperInstance) {
  db::Workload workload;
  workload.problem = "mine";
  workload.size = "10";
  workload.architecture = "sm_90";
  EXPECT_FALSE(cli::stored_default(database_, workload));
  EXPECT_FALSE(cli::stored_low_fidelity(database_, workload));
  run("mine", "tune --problem " + write("mine.json", "mine"));
  EXPECT_EQ(cli::stored_default(database_, workload).value().to_string(), "B=1");
  const auto cheaper = cli::stored_low_fidelity(database_, workload);
  ASSERT_TRUE(cheaper);
  EXPECT_EQ(cheaper->instance.size(), "4");
  EXPECT_EQ(cheaper->difference, "4");
  std::filesystem::remove(folder_ / "mine.json");
  EXPECT_FALSE(cli::stored_default(database_, workload));
}

}  // namespace
}  // namespace tune::testing
