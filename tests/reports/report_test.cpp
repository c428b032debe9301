// SPDX-License-Identifier: Apache-2.0
#include "reports/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/data/wording.hpp"
#include "tests/reports/invented_database.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/base/error.hpp"

namespace tune::reports {
static void PrintTo(const ReportKind& kind, std::ostream* out) {
  *out << kind.name;
}
}  // namespace tune::reports

namespace tune::testing {
namespace {

reports::ReportData invented_data() {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  invent(database);
  const auto facts_of = [](const db::Workload& workload) -> reports::ProblemFacts {
    if (workload.problem != "stencil3d") return {};
    return {Configuration{{"variant", "direct"}, {"block_x", 16}, {"block_y", 4}, {"vectorise", false}}};
  };
  reports::ReportData data = in_memory(reports::collect(database, {.top = 3}, facts_of));
  data.database = "tune.db";
  return data;
}

/// A page without its script, style and library, of which goldens would only say that they changed, and
/// without its data, which have a golden of their own.
std::string without_scripts(std::string page) {
  for (const std::string tag : {"script", "style"}) {
    for (std::size_t at = page.find("<" + tag); at != std::string::npos; at = page.find("<" + tag, at + 1)) {
      const std::size_t begin = page.find('>', at) + 1;
      page.erase(begin, page.find("</" + tag + ">", begin) - begin);
    }
  }
  return page;
}

std::string rendered(const reports::ReportKind& kind) {
  const std::string text =
      kind.render(kind.name == "json" ? smallest_part(invented_data()) : invented_data());
  return kind.name == "html" ? without_scripts(text) : text;
}

class EveryReport : public ::testing::TestWithParam<reports::ReportKind> {};

TEST_P(EveryReport, IsAsBefore) {
  const reports::ReportKind& kind = GetParam();
  expect_golden("report" + std::string(kind.suffix), rendered(kind));
}

TEST_P(EveryReport, EndsWithALineAndHasNoSpacesBeforeOne) {
  const std::string text = rendered(GetParam());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_EQ(text.find(" \n"), std::string::npos);
  EXPECT_EQ(text.find("\t\n"), std::string::npos);
}

TEST_P(EveryReport, IsFoundByNameAndByFile) {
  const reports::ReportKind& kind = GetParam();
  EXPECT_EQ(reports::find_report(kind.name)->name, kind.name);
  EXPECT_EQ(reports::report_for_file("out/x" + std::string(kind.suffix))->name, kind.name);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryReport,
                         ::testing::ValuesIn(reports::report_kinds().begin(), reports::report_kinds().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Reports, UnknownNamesAreNull) {
  EXPECT_EQ(reports::find_report("pdf"), nullptr);
  EXPECT_EQ(reports::report_for_file("report.pdf"), nullptr);
}

TEST(JsonReport, CanBeReadBackExactly) {
  const auto json = nlohmann::json::parse(reports::find_report("json")->render(invented_data()));
  EXPECT_EQ(json["format_version"], 1);
  const auto& section = json["sections"][1];
  EXPECT_EQ(section["best"]["seconds"].get<double>(), 1.92e-3);
  EXPECT_EQ(section["best"]["configuration"]["vectorise"].get<bool>(), true);
  EXPECT_EQ(section["runs"][0]["seed"].get<std::uint64_t>(), 0xffff'ffff'ffff'ffff);
  EXPECT_EQ(section["evaluations"].size(), section["evaluated"].get<std::size_t>());
}

TEST(JsonReport, HasAllSectionsAndTheirParts) {
  const reports::ReportData data = invented_data();
  const auto json = nlohmann::json::parse(reports::find_report("json")->render(data));
  ASSERT_EQ(json["sections"].size(), data.sections.size());
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    const auto& section = json["sections"][i];
    EXPECT_EQ(section["evaluations"].size(), data.sections[i].evaluations.size());
    EXPECT_EQ(section["failures"].size(), data.sections[i].failures.size());
    EXPECT_EQ(section["runs"].size(), data.sections[i].runs.size());
  }
  const auto& second_place = json["sections"][1]["evaluations"][1];
  EXPECT_EQ(second_place["finals"]["place"], 2);
  EXPECT_EQ(second_place["finals"]["tied"], true);
  EXPECT_EQ(second_place["configuration"]["cache_share"].get<double>(), 0.25);
}

TEST(JsonReport, WhatIsUnknownIsNull) {
  const auto json = nlohmann::json::parse(reports::find_report("json")->render(invented_data()));
  const auto& failed = json["sections"][0];  // nothing was measured
  for (const char* member : {"best", "median_seconds", "default_seconds"})
    EXPECT_TRUE(failed[member].is_null());
  EXPECT_TRUE(failed["runs"][0]["best_seconds"].is_null());
  EXPECT_EQ(failed["runs"][0]["end_reason"], "interrupted");
  EXPECT_TRUE(json["sections"][1]["runs"][0]["ended"].is_null());  // it was killed, or still runs
  const auto& bare = json["sections"][3];                          // no limit, no resources, no re-ranking
  EXPECT_TRUE(bare["limit_seconds"].is_null());
  for (const char* member : {"share_of_limit", "resources", "finals"})
    EXPECT_TRUE(bare["best"][member].is_null());
}

TEST(JsonReport, BytesThatAreNoTextDoNotStopIt) {
  reports::ReportData data = invented_data();
  data.sections[0].failures.at(0).detail = "\xff\xfe";
  nlohmann::json read;
  EXPECT_NO_THROW(read = nlohmann::json::parse(reports::find_report("json")->render(data)));
  EXPECT_FALSE(read.empty());
}

/// Cells of a line of CSV.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows = {{""}};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& cell = rows.back().back();
    if (quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
      cell += text[++i];
    } else if (text[i] == '"' && (quoted || cell.empty())) {
      quoted = !quoted;
    } else if (!quoted && text[i] == ',') {
      rows.back().emplace_back();
    } else if (!quoted && text[i] == '\n') {
      rows.push_back({""});
    } else {
      cell += text[i];
    }
  }
  rows.pop_back();
  return rows;
}

TEST(CsvReport, HasOneRowAnEvaluationAndTheCellsOfTheHeader) {
  reports::ReportData data = invented_data();
  data.sections.at(0).evaluations.at(0).failure->reason = "\"quoted\"";
  const auto rows = parse_csv(reports::find_report("csv")->render(data));
  std::size_t evaluations = 0;
  for (const reports::Section& section : data.sections) evaluations += section.evaluations.size();
  ASSERT_EQ(rows.size(), evaluations + 1);
  for (const auto& row : rows) ASSERT_EQ(row.size(), rows[0].size());
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  EXPECT_EQ(rows[1][column("device")], "Invented Z9 \"mobile\", 2nd");
  EXPECT_EQ(rows[1][column("phase")], "crash");
  EXPECT_EQ(rows[1][column("reason")], "\"quoted\"");
  EXPECT_EQ(rows[1][column("seconds")], "");
  EXPECT_EQ(rows[1][column("registers")], "");
  EXPECT_EQ(rows[2][column("seconds")], "0.00192");
  EXPECT_EQ(rows[2][column("phase")], "");
  EXPECT_EQ(rows[2][column("param_block_x")], "64");
  EXPECT_EQ(rows[2][column("param_tile")], "");
  EXPECT_EQ(rows[2][column("measure_seconds")], "0.0625");
}

TEST(CsvReport, HasNoCellThatASpreadsheetComputes) {
  for (const char* formula :
       {"=HYPERLINK(\"http://x\",\"y\")", "+1+cmd", "-1+cmd|' /C calc'!A0", "@SUM(1)*cmd", "\t=1", "\r=1"}) {
    reports::ReportData data = invented_data();
    data.sections.at(0).evaluations.at(0).failure->reason = formula;
    data.sections.at(0).evaluations.at(0).configuration.set("tile", Value(-1));
    const auto rows = parse_csv(reports::find_report("csv")->render(data));
    const auto column = [&](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
    };
    EXPECT_EQ(rows[1][column("reason")], std::string("'") + formula);
    EXPECT_EQ(rows[1][column("param_tile")], "-1") << "a number is no formula";
  }
}

TEST(Grid, MarkdownCannotBeBrokenByItsCells) {
  reports::Grid grid({"a", "b"});
  grid.add({"x|y", "*z*\nline"});
  EXPECT_EQ(grid.markdown(), "| a | b |\n|---|---|\n| x\\|y | \\*z\\* line |\n");
  EXPECT_EQ(reports::markdown_text("block_x _y"), "block_x \\_y");
  EXPECT_THROW(grid.add({"one"}), std::logic_error);
}

TEST(Grid, TextIsAligned) {
  reports::Grid grid({"name", "n"});
  grid.add({"x", "12"});
  EXPECT_EQ(grid.text(" "), " name  n\n x     12\n");
}

TEST(Grid, FitsATerminal) {
  reports::Grid grid({"time", "of limit", "device", "configuration"});
  grid.leave_out({"device"});
  grid.rank();
  const auto add = [&](const char* time, const char* device, const search::Configuration& configuration) {
    grid.add({time, "9 %", device, configuration.key()}, configuration);
  };
  add("1 ms", "H100", {{"z_first", 1}, {"block", 32}, {"split", 1}});
  add("2 ms", "H200", {{"z_first", 1}, {"block", 64}, {"split", 1}});
  add("3 ms", "H200", {{"z_first", 1}, {"block", 16}, {"split", 2}});
  EXPECT_EQ(
      grid.text("", {.width = 60}),
      "same in all: of limit 9 %, z_first=1\n"
      "time  device  block  split\n1 ms  H100    32     1\n2 ms  H200    64     1\n3 ms  H200    16     2\n");
  const std::string narrow = grid.text(" ", {.width = 20, .colours = true});
  EXPECT_NE(narrow.find(" time  block  split\x1b"), std::string::npos) << narrow;
  EXPECT_NE(narrow.find("\x1b[1m 1 ms  32     1"), std::string::npos) << "the best is bold: " << narrow;
  EXPECT_NE(narrow.find("1 column left out"), std::string::npos) << narrow;
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(shown_width(line), 20U) << line;
  EXPECT_NE(grid.text("").find("block=32,split=1,z_first=1"), std::string::npos) << "a pipe gets all";
}

TEST(Grid, ATextIsBrokenIntoLinesWhereItsColumnSaysSo) {
  reports::Grid grid({"n", "why"});
  grid.wrap("why");
  grid.add({"1", "a reason of several words"});
  grid.add({"2", "short"});
  EXPECT_EQ(grid.text("", {.width = 16}),
            "n  why\n"
            "1  a reason of\n"
            "   several words\n"
            "2  short\n");
}

TEST(Grid, ShowsTheColumnsThatAreChosen) {
  reports::Grid grid({"time", "of limit", "configuration"});
  const auto add = [&](const char* time, const char* key) {
    grid.add({time, "90 %", key}, search::Configuration::parse(key));
  };
  add("1 ms", "a=1,b=2");
  add("2 ms", "a=1,c=3");
  grid.show_only({"b", "time", "a", "of_limit"});
  const std::string rows =
      "2  1 ms  1  90 %\n"
      "-  2 ms  1  90 %\n";
  EXPECT_EQ(grid.text(""), "b  time  a  of limit\n" + rows);
  EXPECT_EQ(grid.text("", {.width = 80}), "            of\nb  time  a  limit\n" + rows)
      << "nothing is folded";
  reports::Grid other({"time", "configuration"});
  other.add({"1 ms", "block_x=1"}, search::Configuration::parse("block_x=1"));
  EXPECT_THROW(other.show_only({"blck_x"}), UsageError);
}

TEST(Grid, HeadingsBreakBetweenWordsAndTextsAreCut) {
  reports::Grid grid({"n", "over median", "a text"});
  grid.add({"1", "1.2x", "a text of many words"});
  grid.add({"2", "1.3x", "another one"});
  EXPECT_EQ(grid.text("", {.width = 24}),
            "   over\nn  median  a text\n1  1.2x    a text of m..\n2  1.3x    another one\n");
}

}  // namespace
}  // namespace tune::testing
