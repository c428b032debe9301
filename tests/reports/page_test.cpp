// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "reports/html.hpp"
#include "reports/page/html_text.hpp"
#include "reports/page/live_rows.hpp"
#include "reports/page/summary.hpp"
#include "tests/reports/invented_database.hpp"
#include "tests/reports/large_data.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

reports::ReportData invented_page() {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  invent(database);
  return in_memory(reports::collect(database, {.top = 3}));
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// All data of a page: of each section the head and the body as one object.
template<class Json = nlohmann::json>
Json data_of(const reports::PageParts& parts) {
  Json data = {{"crossovers", Json::parse(parts.crossovers)}, {"sections", Json::array()}};
  for (const reports::PageSection& section : parts.each) {
    Json whole = Json::parse(section.head);
    whole.update(Json::parse(section.body));
    data["sections"].push_back(std::move(whole));
  }
  return data;
}

/// Between the first `<script type="application/json"...>` and its end.
std::string embedded_data(const std::string& page) {
  const std::size_t begin = page.find('>', page.find("<script type=\"application/json\"")) + 1;
  return page.substr(begin, page.find("</script>", begin) - begin);
}

TEST(PageData, IsAsBefore) {
  expect_golden(
      "report_page.json",
      data_of<nlohmann::ordered_json>(reports::page_parts(smallest_part(invented_page()))).dump(1) + "\n");
}

TEST(PageData, HasAllRowsRunsAndCosts) {
  const auto data = data_of(reports::page_parts(invented_page()));
  ASSERT_EQ(data["sections"].size(), 4U);
  const auto& section = data["sections"][1];
  EXPECT_EQ(section["rows"]["value"], nlohmann::json::array({1.92e-3, 1.925e-3, 2.2e-3, 4.05e-3}));
  EXPECT_EQ(section["rows"]["tied"], nlohmann::json::array({1}));
  EXPECT_EQ(section["parameters"][section["group"].get<std::size_t>()]["name"], "variant");
  EXPECT_EQ(section["runs"].size(), 2U);
  EXPECT_EQ(section["runs"][1]["progress"]["best"], nlohmann::json::array({4.05e-3, 2e-3, 1.92e-3}));
  EXPECT_EQ(section["cost"].size(), 2U);  // direct, fused
  EXPECT_EQ(section["failures"].size(), 4U);
}

TEST(PageData, WhatIsUnknownIsNull) {
  const auto bare = data_of(reports::page_parts(invented_page()))["sections"][3];
  for (const char* member : {"limit", "group", "pair", "default"})
    EXPECT_TRUE(bare[member].is_null()) << member;
  EXPECT_TRUE(bare["rows"]["registers"][0].is_null());
  EXPECT_EQ(bare["cost"][0]["name"], "all");
}

TEST(PageData, ColumnsHaveOneEntryARow) {
  const auto data = data_of(reports::page_parts(invented_page()));
  for (const auto& section : data["sections"]) {
    const std::size_t shown = section["shown"].get<std::size_t>();
    for (const char* column : {"value", "error", "registers", "spills", "shared", "occupancy"})
      EXPECT_EQ(section["rows"][column].size(), shown) << column;
    for (const auto& levels : section["rows"]["levels"]) EXPECT_EQ(levels.size(), shown);
    EXPECT_EQ(section["rows"]["levels"].size(), section["parameters"].size());
  }
}

TEST(PageData, ASectionOfFailuresHasNoRowsAndAllItsFailures) {
  const auto data = data_of(reports::page_parts(invented_page()));
  const auto& section = data["sections"][0];  // the one in which everything failed
  EXPECT_EQ(section["measured"], 0);
  EXPECT_TRUE(section["rows"]["value"].empty());
  EXPECT_TRUE(section["pair"].is_null());
  EXPECT_EQ(section["failures"][0]["phase"], "crash");
}

using nlohmann::json;

TEST(PageData, TheHeadHasNoRowsAndTheBodyLittleElse) {
  const reports::PageParts parts = reports::page_parts(large_data(1'000));
  EXPECT_LT(parts.each[0].head.size(), 3'000U);
  EXPECT_EQ(json::parse(parts.each[0].head)["best"]["value"],
            json::parse(parts.each[0].body)["rows"]["value"][0]);
}

TEST(PageLimits, WhatIsShownOneByOneIsASampleAndTheRestFollowsFromAll) {
  const reports::ReportData data = large_data(5'000);
  const reports::PageParts whole = reports::page_parts(data), few = reports::page_parts(data, {.rows = 500});
  EXPECT_EQ(few.summary, whole.summary);
  EXPECT_EQ(few.each[0].html, whole.each[0].html);
  const json all = data_of(whole)["sections"][0], some = data_of(few)["sections"][0];
  EXPECT_EQ(all["shown"], 5'000);
  EXPECT_EQ(some["measured"], 5'000);
  EXPECT_GT(some["shown"], 250);
  EXPECT_LT(some["shown"], 750);
  EXPECT_EQ(some["rows"]["even"].size(), some["shown"]);
  for (const char* member : {"parameters", "group", "pair", "cost", "median", "runs"})
    EXPECT_EQ(some[member], all[member]) << member;
  const auto& times = some["rows"]["value"];
  for (std::size_t row = 0; row < 125; ++row) ASSERT_EQ(times[row], all["rows"]["value"][row]);
  for (std::size_t i = 0; i < all["parameters"].size(); ++i)
    for (std::size_t value = 0; value < all["parameters"][i]["values"].size(); ++value) {
      double best = 1e9;
      for (std::size_t row = 0; row < times.size(); ++row)
        if (some["rows"]["levels"][i][row] == value) best = std::min(best, times[row].get<double>());
      EXPECT_EQ(best, all["parameters"][i]["best"][value]) << i << " " << value;
    }
}

TEST(PageLimits, OfManyValuesThoseOfTheShownConfigurationsAreListed) {
  reports::ReportData data = large_data(3'000);
  for (db::ResultRow& row : data.sections[0].evaluations)
    row.configuration.set("serial", static_cast<int>(row.evaluation));
  const json all = data_of(reports::page_parts(data, {.values = 3'000}))["sections"][0];
  const json some = data_of(reports::page_parts(data, {.rows = 200, .values = 50}))["sections"][0];
  ASSERT_EQ(some["parameters"].size(), all["parameters"].size());
  std::size_t at = 0;
  while (all["parameters"].at(at)["name"] != "serial") ++at;
  const auto &serial = some["parameters"][at], &whole = all["parameters"][at];
  ASSERT_EQ(whole["values"].size(), 3'000U);
  EXPECT_FALSE(whole.contains("all_values"));
  EXPECT_EQ(serial["all_values"], 3'000);
  EXPECT_EQ(serial["values"].size(), some["shown"]);
  EXPECT_EQ(serial["count"], 3'000);
  EXPECT_EQ(serial["importance"], whole["importance"]);
  for (std::size_t row = 0; row < some["shown"]; ++row) {  // no two rows have the same
    const std::size_t level = some["rows"]["levels"][at][row];
    const std::size_t evaluation = serial["values"].at(level);
    EXPECT_EQ(serial["best"].at(level), some["rows"]["value"][row]);
    EXPECT_EQ(whole["best"].at(evaluation - 1), some["rows"]["value"][row]);
  }
  EXPECT_FALSE(some["parameters"][0].contains("all_values"));
  EXPECT_EQ(some["parameters"][0], all["parameters"][0]);
}

TEST(PageLimits, OfManyImprovementsTheFirstTheLastAndSomeBetweenAreDrawn) {
  reports::ReportData data = large_data(10);
  std::vector<reports::Improvement>& improvements = data.sections[0].runs[0].improvements;
  improvements.clear();
  for (int i = 0; i < 100; ++i)
    improvements.push_back({{2 * i, i, false, 1.0 - 1e-3 * i, 1.0 - 1e-3 * i, ""}, 0.5 * i});
  const auto progress = [&](std::size_t most) {
    return data_of(reports::page_parts(data, {.improvements = most}))["sections"][0]["runs"][0]["progress"];
  };
  EXPECT_FALSE(progress(100).contains("all"));
  EXPECT_EQ(progress(100)["best"].size(), 100U);
  EXPECT_EQ(progress(4)["all"], 100);
  EXPECT_EQ(progress(4)["evaluation"], json({1, 67, 133, 199}));
  EXPECT_EQ(progress(4)["best"], json({1.0, 0.967, 0.934, 0.901}));
}

TEST(Page, HasNoTextThatEndsAScriptOrAnElement) {
  reports::ReportData data = invented_page();
  const std::string evil = "</script><!--<b title='\"'>&\x01\xff";
  data.database = evil;
  for (reports::Section& section : data.sections) {
    section.workload.device = evil;
    section.outdated = {evil};
    for (reports::RunReport& run : section.runs) run.summary.strategy = evil;
    for (db::ResultRow& row : section.evaluations) row.configuration.set("odd", evil);
    if (section.winner) section.winner->configuration.set("odd", evil);
    for (db::FailureCount& failure : section.failures) failure.reason = evil;
  }
  const std::string plain =
      reports::html_page(reports::page_parts(invented_page()), {.library = false, .live = {}});
  const std::string page = reports::html_page(reports::page_parts(data), {.library = false, .live = {}});
  EXPECT_EQ(count(page, "</script>"), count(plain, "</script>"));
  EXPECT_EQ(count(page, "<!--"), count(plain, "<!--"));
  EXPECT_EQ(count(page, "<b "), 0U);
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_EQ(page.find('\xff'), std::string::npos);
  const auto read_back = nlohmann::json::parse(embedded_data(page));
  EXPECT_THAT(read_back["sections"][0]["device"]["name"].get<std::string>(),
              HasSubstr("</script><!--<b title='\"'>&\x01"));
}

TEST(Page, IsAscii) {
  const std::string page = reports::html_page(reports::page_parts(invented_page()));
  EXPECT_THAT(page, HasSubstr(" &#181;s"));
  EXPECT_TRUE(
      std::ranges::all_of(page, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; }));
}

TEST(Page, ShowsItsFirstChartWithoutScript) {
  reports::ReportData data = invented_page();
  data.sections[1].default_value = 4e-3;
  const std::string page = reports::html_page(reports::page_parts(data), {.library = false, .live = {}});
  const std::size_t begin = page.find("class=\"picture\"");
  ASSERT_NE(begin, std::string::npos);
  const std::string picture = page.substr(begin, page.find("</svg>", begin) - begin);
  EXPECT_EQ(count(picture, "<rect class=\"c"), 2U) << "works with a limit";
  EXPECT_EQ(count(picture, "<rect class=\"default\""), 1U);
  EXPECT_THAT(picture, HasSubstr("<title>stencil3d 512x256x128 radius=2,shape=star,type=float on Invented "
                                 "H1: 65 % of the limit; default: 31 %</title>"));
  EXPECT_LT(begin, page.find("id=\"data\"")) << "it is drawn before data and scripts are read";
}

TEST(Page, TheStaticPartNeedsNoScript) {
  const std::string page =
      reports::html_page(reports::page_parts(invented_page()), {.library = false, .live = {}});
  std::string without_scripts = page;
  for (std::size_t at = 0; (at = without_scripts.find("<script", at)) != std::string::npos;)
    without_scripts.erase(at, without_scripts.find("</script>", at) + 9 - at);
  EXPECT_THAT(without_scripts, HasSubstr("Why the winner wins"));
  EXPECT_THAT(without_scripts, HasSubstr("1.92 ms"));
  EXPECT_THAT(without_scripts, HasSubstr("Invented Z9 &quot;mobile&quot;, 2nd"));
  EXPECT_THAT(without_scripts, HasSubstr("none: every configuration failed"));
}

TEST(Page, LoadsNothingWhereTheLibraryIsInIt) {
  const std::string page = reports::html_page(reports::page_parts(invented_page()));
  if (reports::page_library().empty()) {
    EXPECT_THAT(page, HasSubstr("<script src=\"" + reports::library_address() + "\" integrity=\"" +
                                reports::library_integrity() + "\" crossorigin"));
    GTEST_SKIP() << "built without npm: the page takes the library from the web";
  }
  EXPECT_THAT(page, Not(HasSubstr("<script src")));
  EXPECT_THAT(page, Not(HasSubstr("https://cdn")));
  EXPECT_GT(page.size(), reports::page_library().size());
}

TEST(Page, OwnScriptHasNothingThatEndsIt) {
  EXPECT_THAT(reports::page_script(), Not(HasSubstr("</script")));
  EXPECT_THAT(reports::page_script(), Not(HasSubstr("<!--")));
  EXPECT_THAT(std::string(reports::page_library()), Not(HasSubstr("</script")));
}

TEST(Page, TheIntegrityIsThatOfTheInstalledLibrary) {
  const std::string file = std::string(TUNE_WEB_BUILD) + "/node_modules/echarts/dist/echarts.min.js";
  if (!std::ifstream(file)) GTEST_SKIP() << "npm did not install the library";
  const std::string command = "openssl dgst -sha384 -binary '" + file + "' | openssl base64 -A";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  if (fgets(line.data(), line.size(), pipe.get()) == nullptr)
    GTEST_SKIP() << "no openssl to compute the hash with";
  EXPECT_EQ(reports::library_integrity(), "sha384-" + std::string(line.data()));
  EXPECT_THAT(reports::library_address(), HasSubstr("echarts@6."));
}

TEST(Page, TenThousandEvaluationsStayBelowFiveMegabytes) {
  const std::string page = reports::html_page(reports::page_parts(large_data(10'000)));
  EXPECT_LT(page.size(), 5'000'000U);
}

TEST(PageUpdate, HasWhatALivePageShows) {
  const reports::PageParts parts = reports::page_parts(invented_page());
  const auto update =
      nlohmann::json::parse(reports::page_update(parts, [&](std::size_t i) { return parts.each[i].body; }));
  ASSERT_EQ(update["ids"].size(), 4U);
  EXPECT_EQ(update["sections"].size(), 4U);
  EXPECT_THAT(update["summary"].get<std::string>(), HasSubstr("<table"));
  const auto& first = update["sections"][update["ids"][0].get<std::string>()];
  EXPECT_THAT(first["html"].get<std::string>(), HasSubstr("<article"));
  nlohmann::json whole = first["head"];
  whole.update(first["body"]);
  EXPECT_EQ(whole, data_of(parts)["sections"][0]);
  EXPECT_EQ(update["crossovers"], data_of(parts)["crossovers"]);
}

TEST(PageUpdate, SendsOnlyTheSectionsThatChanged) {
  const reports::PageParts parts = reports::page_parts(invented_page());
  const auto update = json::parse(
      reports::page_update(parts, [&](std::size_t i) { return i == 2 ? parts.each[i].body : ""; }));
  EXPECT_EQ(update["ids"].size(), 4U);
  ASSERT_EQ(update["sections"].size(), 1U);
  EXPECT_TRUE(update["sections"].contains(parts.each[2].id));
}

TEST(LiveRows, OfAWorkWithANewResultOnlyThatRowIsSent) {
  reports::ReportData data = large_data(301);
  std::vector<db::ResultRow>& rows = data.sections[0].evaluations;
  const db::ResultRow moved = rows[150];
  rows.erase(rows.begin() + 150);
  data.sections[0].measured = 300;
  reports::LiveRows live;
  const json before = json::parse(live.take(reports::page_parts(data).each[0].body, 1));
  EXPECT_EQ(before["numbers"], json::parse("[[0,300]]"));
  rows.insert(rows.begin() + 150, moved);
  data.sections[0].measured = 301;
  const std::string body = reports::page_parts(data).each[0].body;
  const json now = json::parse(live.take(body, 2)), whole = json::parse(body);
  EXPECT_EQ(now["numbers"], json::parse("[[0,150],[300,1],[150,150]]"));
  const json fresh = json::parse(live.since(1));
  EXPECT_EQ(fresh["numbers"], now["numbers"]);
  EXPECT_EQ(fresh["fresh"], json::parse("[[300,1]]"));
  EXPECT_EQ(fresh["rows"]["value"], json::array({whole["rows"]["value"][150]}));
  for (std::size_t p = 0; p < whole["parameters"].size(); ++p)
    EXPECT_EQ(fresh["rows"]["levels"][p], json::array({whole["rows"]["levels"][p][150]}));
  EXPECT_EQ(fresh["parameters"], whole["parameters"]);
  EXPECT_LT(live.since(1).size(), body.size() / 3);
  EXPECT_EQ(json::parse(live.since(0))["rows"], whole["rows"]);
  EXPECT_TRUE(json::parse(live.since(2))["rows"]["value"].empty());
}

TEST(PageSections, HaveNamesOfTheirOwn) {
  reports::ReportData data = invented_page();
  EXPECT_THAT(reports::section_ids(data),
              ::testing::ElementsAre("stencil3d-64-radius2-star-invented-z9-mobile-2nd",
                                     "stencil3d-512x256x128-radius2-star-invented-h1",
                                     "stencil3d-512x256x128-radius2-star-invented-h1-replayed",
                                     "transpose-4096-invented-h1"));
  for (reports::Section& section : data.sections) section.workload = data.sections[0].workload;
  EXPECT_THAT(reports::section_ids(data),
              ::testing::ElementsAre("stencil3d-64-radius2-star", "stencil3d-64-radius2-star--2",
                                     "stencil3d-64-radius2-star--3", "stencil3d-64-radius2-star--4"));
}

TEST(HtmlText, EscapesAndRepairs) {
  EXPECT_EQ(reports::html_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(reports::html_text("\xc2\xb5s \xe2\x86\x92 \xf0\x9f\x98\x80"), "&#181;s &#8594; &#128512;");
  EXPECT_EQ(reports::ascii_script("a \xc2\xb5 \xe2\x86\x92"), "a \\u00b5 \\u2192");
  EXPECT_EQ(reports::html_text("\xc0\xaf\xed\xa0\x80x"), "&#65533;&#65533;&#65533;&#65533;&#65533;x");
  EXPECT_EQ(reports::html_text("\xe2\x82"), "&#65533;&#65533;");
  EXPECT_EQ(reports::script_text("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
  EXPECT_EQ(reports::typeset("12.5 us, 3 us"), "12.5 \xc2\xb5s, 3 \xc2\xb5s");
  EXPECT_EQ(reports::typeset("let us use 3 users"), "let us use 3 users");
}

}  // namespace
}  // namespace tune::testing
