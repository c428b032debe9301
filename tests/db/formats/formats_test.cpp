// SPDX-License-Identifier: Apache-2.0
// Files of other tuners, invented and small.
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "db/formats/file_format.hpp"
#include "tests/db/formats/whole_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"
#include "tuner/replay/recorded_space.hpp"

namespace tune::testing {
namespace {

using replay::RecordedSpace;
using search::Role;

constexpr std::string_view head = R"({
"device_name": "Invented A1",
"kernel_name": "convolve",
"problem_size": [4096, 512],
"tune_params_keys": ["block_size_x", "tile_size_x", "layout", "fast math", "fixed"],
"tune_params": {"block_size_x": [16, 32, 128], "tile_size_x": [1, 2.0], "layout": ["soa", "aos", "tiled"],
                "fast math": [true, false], "fixed": [7]},
"objective": "time",
"cache": {
)";
constexpr std::string_view entries =
    R"("128,1,soa,True,7": {"block_size_x": 128, "tile_size_x": 1.0, "layout": "soa", "fast math": true, "fixed": 7,
 "time": 2.5, "times": [2.0, 3.0], "compile_time": 400.0, "verification_time": 1, "benchmark_time": 30.0, "GFLOP/s": 1.5},
"16,2,soa,True,7": {"block_size_x": 16, "tile_size_x": 2, "layout": "soa", "fast math": true, "fixed": 7,
 "time": "RuntimeFailedConfig", "compile_time": 500.0},
"32,1,aos,False,7": {"block_size_x": 32, "tile_size_x": 1, "layout": "aos", "fast math": false, "fixed": 7,
 "time": "CompilationFailedConfig"},
"32,1,soa,False,7": {"block_size_x": 32, "tile_size_x": 1, "layout": "soa", "fast math": false, "fixed": 7,
 "__error__": "InvalidConfig", "compile_time": 0},
"32,2,soa,False,7": {"block_size_x": 32, "tile_size_x": 2, "layout": "soa", "fast math": false, "fixed": 7,
 "time": 1e20})";

std::string cache() {
  return std::string(head) + std::string(entries) + "}\n}";
}

RecordedSpace read(const std::string& text) {
  replay::TextInMemory source(text);
  return replay::space_of(replay::read_recorded_json(source, "invented", "invented.json"), "invented.json");
}

std::string values_of(const RecordedSpace& recorded, std::size_t parameter) {
  return search::list_values(recorded.space.parameters()[parameter]);
}

TEST(KernelTuner, CacheIsASpace) {
  const RecordedSpace recorded = read(cache());
  EXPECT_EQ(recorded.name, "invented");
  EXPECT_EQ(title_of(recorded), "convolve 4096x512 on Invented A1");
  ASSERT_EQ(recorded.space.parameters().size(), 5U);
  EXPECT_EQ(recorded.space.size(), 5U);
  EXPECT_EQ(values_of(recorded, 0), "16, 32, 128");
  EXPECT_EQ(values_of(recorded, 1), "1, 2");
  EXPECT_EQ(values_of(recorded, 2), "soa, aos");  // declared order; `tiled` does not occur
  EXPECT_EQ(recorded.space.parameters()[3].name, "fast_math");
  EXPECT_EQ(values_of(recorded, 4), "7");
  EXPECT_EQ(recorded.space.parameters()[0].default_value, search::Value(32));
  EXPECT_EQ(recorded.space.parameters()[0].role, Role::threads);
  EXPECT_EQ(recorded.space.parameters()[1].role, Role::work);
  EXPECT_EQ(recorded.space.parameters()[2].role, Role::other);
  EXPECT_TRUE(recorded.notes.empty());
}

TEST(KernelTuner, TimesAreMillisecondsAndTextsAreFailures) {
  const RecordedSpace recorded = read(cache());
  const auto& all = recorded.evaluations;
  ASSERT_EQ(all.size(), 5U);
  EXPECT_DOUBLE_EQ(all[0].outcome->time(), 0.0025);
  EXPECT_DOUBLE_EQ(all[0].phases.compile, 0.4);
  EXPECT_DOUBLE_EQ(all[0].phases.verify, 0.001);
  EXPECT_DOUBLE_EQ(all[0].phases.measure, 0.03);
  EXPECT_EQ(all[1].outcome.error().phase, Phase::launch);
  EXPECT_EQ(all[2].outcome.error().phase, Phase::compile);
  EXPECT_EQ(all[3].outcome.error().phase, Phase::constraint);
  EXPECT_EQ(all[4].outcome.error().phase, Phase::launch);  // 1e20: what old files write for a failure
  EXPECT_EQ(all[1].configuration.key(), "block_size_x=16,fast_math=true,fixed=7,layout=soa,tile_size_x=2");
}

TEST(KernelTuner, ACacheThatWasCutOffCountsUpToTheCut) {
  const std::string whole = cache();
  for (const std::string& end : {std::string(","), std::string(",\n"), std::string(), std::string("}"),
                                 std::string(R"(,"32,2,aos": {"block_size_x": 32, "ti)")}) {
    const RecordedSpace recorded = read(std::string(head) + std::string(entries) + end);
    EXPECT_EQ(recorded.space.size(), 5U) << end;
    ASSERT_EQ(recorded.notes.size(), 1U) << end;
    EXPECT_EQ(recorded.notes[0], "it was cut off after 5 configurations, which count");
  }
  // Wherever the cut is: what was complete counts, and before that it is an error.
  const std::size_t first = whole.find("\"GFLOP/s\": 1.5}") + std::string("\"GFLOP/s\": 1.5}").size();
  for (std::size_t cut = 0; cut + 1 < whole.size(); ++cut) {
    if (cut < first)
      EXPECT_THROW(read(whole.substr(0, cut)), Error) << cut;
    else
      EXPECT_GE(read(whole.substr(0, cut)).evaluations.size(), 1U) << cut;
  }
}

TEST(KernelTuner, TheLastOfARepeatedConfigurationCounts) {
  const std::string again =
      R"(, "again": {"block_size_x": 128, "tile_size_x": 1, "layout": "soa", "fast math": true, "fixed": 7, "time": 1.5})";
  const RecordedSpace recorded = read(std::string(head) + std::string(entries) + again + "}}");
  EXPECT_EQ(recorded.space.size(), 5U);
  EXPECT_DOUBLE_EQ(recorded.evaluations[0].outcome->time(), 0.0015);
  ASSERT_EQ(recorded.notes.size(), 1U);
  EXPECT_EQ(recorded.notes[0], "1 configurations occur again: the last of each counts");
}

std::string t4(const std::string& unit_of_file, const std::string& unit, const std::string& value,
               const std::string& invalidity) {
  const std::string metadata = unit_of_file.empty() ? "" : R"("timeunit": ")" + unit_of_file + "\"";
  return R"({"results": [{"configuration": {"WPTX": 4, "MDIMC": 8, "n": 1}, "times": {"compilation": 10,
    "runtimes": [1, 2, 3]}, "invalidity": ")" +
         invalidity +
         R"(", "measurements": [{"name": "energy", "value": 77, "unit": "J"}, {"name": "time", "value": )" +
         value + R"(, "unit": ")" + unit + R"("}], "objectives": ["time"]}],
    "schema_version": "1.0.0", "metadata": {)" +
         metadata + "}}";
}

TEST(T4, UnitsOfTime) {
  const auto seconds = [](const std::string& of_file, const std::string& unit) {
    return read(t4(of_file, unit, "2.0", "correct")).evaluations.at(0).outcome->time();
  };
  EXPECT_DOUBLE_EQ(seconds("miliseconds", ""), 0.002);  // as Kernel Tuner writes it
  EXPECT_DOUBLE_EQ(seconds("milliseconds", ""), 0.002);
  EXPECT_DOUBLE_EQ(seconds("Microseconds", ""), 2e-6);
  EXPECT_DOUBLE_EQ(seconds("seconds", ""), 2);
  EXPECT_DOUBLE_EQ(seconds("miliseconds", "ns"), 2e-9);  // the measurement's own comes first
  EXPECT_DOUBLE_EQ(seconds("", ""), 0.002);
  EXPECT_EQ(read(t4("", "", "2.0", "correct")).notes.size(), 1U);
  EXPECT_TRUE(read(t4("", "s", "2.0", "correct")).notes.empty());
  EXPECT_DOUBLE_EQ(read(t4("s", "", "2.0", "correct")).evaluations[0].phases.compile, 10);
}

TEST(T4, InvalidityBecomesAPhase) {
  const auto phase = [](const std::string& invalidity, const std::string& value = "\"x\"") {
    return read(t4("ms", "", value, invalidity)).evaluations.at(0).outcome.error().phase;
  };
  EXPECT_EQ(phase("compile"), Phase::compile);
  EXPECT_EQ(phase("runtime"), Phase::launch);
  EXPECT_EQ(phase("constraints"), Phase::constraint);
  EXPECT_EQ(phase("correctness", "2.0"), Phase::verify);  // the time of a wrong result is none
  EXPECT_EQ(phase("timeout"), Phase::timeout);
  EXPECT_EQ(phase("something new"), Phase::launch);
  EXPECT_EQ(read(t4("ms", "", "2.0", "something new")).evaluations[0].outcome.error().reason,
            "something new");
  EXPECT_EQ(phase("correct", "null"), Phase::launch);
  EXPECT_EQ(phase("correct", "-1"), Phase::launch);
}

TEST(T4, RolesAndOrderComeFromTheFirstEntry) {
  const RecordedSpace recorded = read(t4("ms", "", "2.0", "correct"));
  ASSERT_EQ(recorded.space.parameters().size(), 3U);
  EXPECT_EQ(recorded.space.parameters()[0].name, "WPTX");
  EXPECT_EQ(recorded.space.parameters()[0].role, Role::work);
  EXPECT_EQ(recorded.space.parameters()[1].role, Role::threads);
  EXPECT_EQ(title_of(recorded), "unknown kernel on unknown device");
}

TEST(Roles, AreGuessedFromWellKnownNames) {
  for (const char* name :
       {"block_size_x", "BLOCK_SIZE_Y", "block_z", "threads_per_block", "NDIMC", "blockDim_x"})
    EXPECT_EQ(replay::guess_role(name), Role::threads) << name;
  for (const char* name : {"tile_size_x", "WPTM", "wpt", "work_per_thread_y", "items_per_thread"})
    EXPECT_EQ(replay::guess_role(name), Role::work) << name;
  for (const char* name : {"", "MDIMA", "block", "block_size_xy", "use_shmem", "tile"})
    EXPECT_EQ(replay::guess_role(name), Role::other) << name;
}

TEST(TextFile, ReadsPlainAndCompressedFilesWhateverTheirNames) {
  const tune::testing::TemporaryFolder folder;
  const std::string text = cache();
  std::ofstream(folder / "plain.gz", std::ios::binary) << text;
  const std::string packed = (folder / "packed.json").string();
  const gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  EXPECT_EQ(whole_text(folder / "plain.gz"), text);
  EXPECT_EQ(whole_text(packed), text);
  EXPECT_LT(std::filesystem::file_size(packed), text.size());
}

}  // namespace
}  // namespace tune::testing
