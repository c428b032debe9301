// SPDX-License-Identifier: Apache-2.0
// What commands write takes nothing from a person.
#include "cli/output/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>

#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

TEST(OutputFile, AReportReplacesNoDatabase) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  const std::string own = sandbox.database().string(), other = (sandbox / "other.csv").string();
  std::filesystem::copy_file(sandbox.recording(), other);
  const std::string before = read_file(own), recorded = read_file(other);
  expect_refused(sandbox.tune({"report", "--format", "csv", "--out", own}), 2, {"--out", own, "read"});
  expect_refused(sandbox.tune({"report", "--out", other}), 2, {other, "is a database"});
  std::filesystem::create_symlink(own, sandbox / "link.csv");
  expect_refused(sandbox.tune({"report", "--out", (sandbox / "link.csv").string()}), 2, {"read"});
  EXPECT_EQ(read_file(own), before);
  EXPECT_EQ(read_file(other), recorded);
}

TEST(OutputFile, IsReplacedAlsoThroughALink) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 20});
  const std::string file = (sandbox / "r.csv").string(), link = (sandbox / "latest.csv").string();
  std::ofstream(file) << "old";
  std::filesystem::create_symlink("r.csv", link);
  done(sandbox, {"report", "--out", link});
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(file), sandbox.tune({"report", "--format", "csv"}).out);
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
}

TEST(OutputFile, FiguresAreWrittenIntoAFolder) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.count = 40});
  const std::filesystem::path folder = sandbox / "paper" / "figures";
  const std::string told = done(sandbox, {"report", "--figures", folder.string(), "--width", "2.5"}).out;
  std::size_t pictures = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".svg") continue;
    ++pictures;
    EXPECT_NE(read_file(file.path()).find("width=\"180pt\""), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(file.path()).replace_extension(".pdf")));
  }
  EXPECT_GT(pictures, 2U);
  EXPECT_EQ(told.find(std::to_string(pictures) + " figures in "), 0U) << told;
  EXPECT_TRUE(std::filesystem::exists(folder / "captions.tex"));
  EXPECT_EQ(done(sandbox, {"report", "--figures", folder.string()}).out, told);

  const std::string file = (folder / "captions.md").string();
  expect_refused(sandbox.tune({"report", "--figures", file}), 1, {"--figures", file, "not a folder"});
  expect_refused(sandbox.tune({"report", "--figures", folder.string(), "--problem", "none"}), 2, {"none"});
  expect_refused(sandbox.tune({"report", "--figures", folder.string(), "--width", "wide"}), 2,
                 {"--width", "column, page"});
  expect_refused(sandbox.tune({"report", "--figures", folder.string(), "--width", "1e9"}), 2,
                 {"--width", "2 to 20"});
  expect_refused(sandbox.tune({"report", "--width", "page"}), 2, {"--width", "--figures"});
}

/// Files of this process cannot become larger, as on a full disk.
class LittleRoom {
 public:
  explicit LittleRoom(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = signal(SIGXFSZ, SIG_IGN);  // a write fails instead
    const rlimit little = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
  }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;
  ~LittleRoom() {
    setrlimit(RLIMIT_FSIZE, &before_);
    signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_ = {};
  void (*handler_)(int) = nullptr;
};

TEST(OutputFile, WithoutRoomTheFormerOneStays) {
  const TemporaryFolder folder;
  const std::filesystem::path report = folder / "r.csv";
  std::ofstream(report) << "former";
  {
    const LittleRoom room(100'000);
    EXPECT_THROW(cli::write_whole_file(report, std::string(1 << 20, 'x')), Error);
    EXPECT_EQ(read_file(report), "former");
    EXPECT_FALSE(std::filesystem::exists(report.string() + ".part"));
  }
  cli::write_whole_file(report, std::string(1 << 20, 'x'));
  EXPECT_EQ(std::filesystem::file_size(report), 1U << 20);
}

TEST(OutputFile, DataReplaceNeitherADatabaseNorTheirInputs) {
  const Sandbox sandbox;
  const std::string file = (sandbox / "a.bin").string(), database = sandbox.recording().string();
  const auto generate = [&](const std::string& out) {
    return sandbox.tune({"data", "generate", "--problem", "matvec", "--size", "5x7", "--out", out});
  };
  EXPECT_EQ(generate(file).status, 0);
  const std::string before = read_file(file), recorded = read_file(database);
  expect_refused(generate(database), 2, {"is a database"});
  const std::vector<std::string> run = {"--problem", "matvec", "--input", file, "--output"};
  for (const auto& [output, status] : {std::pair(file, 2), std::pair(database, 2)}) {
    std::vector<std::string> all = run;
    all.push_back(output);
    EXPECT_EQ(sandbox.tune(all).status, status) << output;
  }
  EXPECT_EQ(read_file(file), before);
  EXPECT_EQ(read_file(database), recorded);
}

TEST(OutputFile, AComparisonReplacesNothingThatItReads) {
  const Sandbox sandbox;
  const std::filesystem::path recorded =
      TUNE_SOURCE_DIR "/tests/tuner/replay/assets/stencil3d_r8_double_h200.t4.json.gz";
  const std::string space = (sandbox / "space.gz").string(), warm = (sandbox / "warm.gz").string();
  for (const std::string& file : {space, warm}) std::filesystem::copy_file(recorded, file);
  const auto refused = [&](const std::vector<std::string>& more, int status,
                           const std::vector<std::string>& words) {
    std::vector<std::string> all = {"replay",   "--space", space,       "--warm", warm,
                                    "--budget", "2",       "--repeats", "1"};
    all.insert(all.end(), more.begin(), more.end());
    expect_refused(sandbox.tune(all), status, words);
  };
  const std::string same = (sandbox / "same").string();
  refused({"--json", space}, 2, {"--json", "is read"});
  refused({"--csv", warm}, 2, {"--csv", "is read"});
  refused({"--csv", same, "--json", same}, 2, {"--json and --csv", "name two"});
  refused({"--csv", sandbox.recording().string()}, 2, {"is a database"});
  for (const std::string& file : {space, warm}) EXPECT_EQ(read_file(file), read_file(recorded));
}

}  // namespace
}  // namespace tune::testing
