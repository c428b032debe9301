// SPDX-License-Identifier: Apache-2.0
// tune db export: which works and which of their results are written, and where.
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "db/read/queries.hpp"
#include "db/store/sqlite_store.hpp"
#include "lookup/src/checked_pages.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void change(const fs::path& database, const std::string& statement) {
  SQLite::Database(database.string(), SQLite::OPEN_READWRITE, 0, lookup::checked_pages_vfs()).exec(statement);
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// 30 results of other kernel sources, then 12 slower ones of those that this program has.
void add_two_versions(const Sandbox& sandbox) {
  add_recording(sandbox.database(), {.count = 30});
  change(sandbox.database(), "UPDATE toolchains SET source_hash = '0123456789abcdef'");
  add_recording(sandbox.database(), {.count = 12, .slower_by = 3});
}

TEST(DbExport, ResultsOfOtherSourcesGiveWayInAFile) {
  const Sandbox sandbox;
  add_two_versions(sandbox);
  const ProgramResult file = done(sandbox, {"db", "export", "--out", (sandbox / "x.t4.json").string()});
  EXPECT_TRUE(has(file.out, " 12 configurations")) << file.out;
  EXPECT_TRUE(has(file.err, "results of other kernel sources (01234567) are left out")) << file.err;
  done(sandbox, {"db", "export", "--format", "t4", "--out", (sandbox / "both/").string()});
  const std::vector<std::string> both = files_in(sandbox / "both");
  ASSERT_EQ(both.size(), 2U);
  EXPECT_TRUE(has(both[0] + both[1], "Invented_H2_sources-01234567.t4.json")) << both[0] << " " << both[1];
}

TEST(DbExport, TheBestIsOfTheSourcesThatThisProgramHas) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_two_versions(sandbox);
  const std::vector<std::string> question = {"best",     "stencil3d", "--size", "64x64x64",
                                             "--format", "json",      "--db"};
  const auto answer = [&](const fs::path& database) {
    std::vector<std::string> call = question;
    call.push_back(database.string());
    return Json::parse(done(sandbox, call).out)["configuration"];
  };
  const fs::path best = sandbox / "best.db", text = sandbox / "best.t4.json";
  EXPECT_TRUE(
      has(done(sandbox, {"db", "export", "--best", "--out", best.string()}).out, "1 run, 1 evaluation,"));
  EXPECT_EQ(answer(best), answer(sandbox.database()));
  done(sandbox, {"db", "check", best.string()});
  done(sandbox, {"db", "export", "--best", "--out", text.string()});
  EXPECT_EQ(Json::parse(read_file(text))["results"][0]["configuration"], answer(best));
  // Of works with old results alone the old ones: nothing better is known.
  change(sandbox.database(), "UPDATE toolchains SET source_hash = source_hash || 'x'");
  const ProgramResult old = done(sandbox, {"db", "export", "--best", "--out", (sandbox / "old.db").string()});
  EXPECT_TRUE(has(old.out, "1 run, 1 evaluation,")) << old.out;
}

TEST(DbExport, TheBestOfEveryFormatIsTheWinnerOfTheFinals) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 40});
  Configuration winner;
  {
    db::Database database(sandbox.database());
    winner = db::list_results(database).back().configuration;  // the slowest when it was searched
    RerankResult rerank;
    rerank.places.push_back({.configuration = winner,
                             .rounds = {{1e-3, 0}},
                             .time = {1e-3, 1e-3, 1e-3, 0.9},
                             .ratio = {1, 1, 1, 0.9},
                             .tied = true});
    db::SqliteStore(database).record_rerank(1, rerank);
  }
  const std::string text = (sandbox / "x.t4.json").string(), other = (sandbox / "other.db").string();
  done(sandbox, {"db", "export", "--best", "--out", text});
  done(sandbox, {"db", "import", text, "--db", other});
  const auto rows = db::list_results(db::Database(other, db::OpenMode::read_only));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].configuration.key(), winner.key());
}

TEST(DbExport, SettingsChooseAmongWorks) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 10});
  change(sandbox.database(),
         "UPDATE instances SET settings_key = replace(settings_key, 'radius=1', 'radius=2'),"
         " settings = json_set(settings, '$.radius', 2)");
  add_recording(sandbox.database(), {.count = 20});
  const std::string file = (sandbox / "x.t4.json").string(), database = (sandbox / "x.db").string();
  expect_refused(sandbox.tune({"db", "export", "--out", file, "--size", "64x64x64"}), 2,
                 {"2 workloads match", "--set (radius: 1, 2)", "--out"});
  EXPECT_TRUE(
      has(done(sandbox, {"db", "export", "--out", file, "--set", "radius=2"}).out, " 10 configurations"));
  EXPECT_TRUE(has(done(sandbox, {"db", "export", "--out", database, "--set", "radius=1"}).out,
                  "1 run, 20 evaluations,"));
  done(sandbox, {"db", "check", database});
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "y.db").string(), "--set", "radius=3"}), 3,
                 {"--set", "radius: 1, 2"});
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "y.db").string(), "--set", "radius"}), 2,
                 {"--set", "name=value"});
}

TEST(DbExport, AFolderIsMadeAndNothingInItOverwritten) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 10});
  add_recording(sandbox.database(), {.n = 128, .count = 10});
  const fs::path folder = sandbox / "some/caches";
  const std::vector<std::string> call = {"db",           "export", "--format",
                                         "kernel-tuner", "--out",  folder.string() + "/"};
  done(sandbox, call);
  const std::vector<std::string> names = files_in(folder);
  ASSERT_EQ(names.size(), 2U);
  for (const std::string& name : names) {
    fs::remove(folder / name);
    expect_refused(sandbox.tune(call), 2, {"exists", "nothing was written"});
    EXPECT_EQ(files_in(folder).size(), 1U);
    done(sandbox, {"db", "export", "--format", "kernel-tuner", "--out", (sandbox / "again/").string()});
    fs::rename(sandbox / "again" / name, folder / name);
    fs::remove_all(sandbox / "again");
  }
}

TEST(DbExport, AnEndingThatIsNoFormatIsRefused) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 10});
  const std::string file = (sandbox / "m.csv").string();
  expect_refused(sandbox.tune({"db", "export", "--out", file}), 2,
                 {"m.csv", "--as db", "tune report --format csv"});
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "m.json").string()}), 2, {"--as"});
  expect_refused(sandbox.tune({"db", "export", "--out", (sandbox / "m/").string()}), 2,
                 {"folder", "--as t4"});
  EXPECT_FALSE(fs::exists(file));
  for (const char* name : {"m", "m.db", "m.sqlite"})
    done(sandbox, {"db", "export", "--out", (sandbox / name).string()});
  done(sandbox, {"db", "export", "--format", "db", "--out", file});
}

}  // namespace
}  // namespace tune::testing
