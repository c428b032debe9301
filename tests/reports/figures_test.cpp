// SPDX-License-Identifier: Apache-2.0
#include "reports/figures/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "reports/figures/figure.hpp"
#include "reports/page/summary.hpp"
#include "tests/reports/invented_database.hpp"
#include "tests/reports/large_data.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

using reports::Axis;
using reports::Plot;
using reports::Point;
using reports::Series;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

reports::ReportData invented(void (*invent_it)(db::Database&)) {
  const TemporaryFolder folder;
  db::Database database(folder / "tune.db");
  invent_it(database);
  return in_memory(reports::collect(database, {}));
}

/// Works of three radii: `direct` is the fastest at radius 1, `fused` at 4, and they are equal at 2.
reports::ReportData radii() {
  reports::ReportData data;
  for (const int radius : {4, 1, 2}) {
    reports::Section section = large_data(40).sections.front();
    section.workload.settings = "radius=" + std::to_string(radius) + ",type=float";
    for (db::ResultRow& row : section.evaluations)
      row.time = 1e-3 * (row.configuration["variant"].as_text() == "direct" ? radius : 1.0 + radius / 2.0);
    std::ranges::stable_sort(section.evaluations, {}, [](const db::ResultRow& row) { return *row.time; });
    section.winner = section.evaluations.front();
    data.sections.push_back(std::move(section));
  }
  return data;
}

std::map<std::string, std::string> files_of(const reports::ReportData& data,
                                            double width = reports::column_width) {
  std::map<std::string, std::string> files;
  reports::write_figures(data, width, [&](const std::string& name, const std::string& text) {
    EXPECT_TRUE(files.emplace(name, text).second) << name << " is written twice";
  });
  return files;
}

/// Every figure of the data.
std::vector<reports::Figure> figures_of(const reports::ReportData& data) {
  std::vector<reports::Figure> figures = reports::best_figures(data);
  const auto add = [&](std::vector<reports::Figure> more) {
    std::ranges::move(more, std::back_inserter(figures));
  };
  add(reports::roofline_figures(data));
  std::vector<std::vector<reports::VariantBest>> bests;
  for (const reports::Section& section : data.sections) bests.push_back(variant_bests(value_table(section)));
  const std::vector<std::string> variants = {"direct", "fused"};
  add(reports::crossover_figures(data, crossovers(data, bests), {data.sections.size(), variants}));
  const std::vector<std::string> ids = reports::section_ids(data);
  for (std::size_t i = 0; i < data.sections.size(); ++i) {
    const reports::ValueTable table = value_table(data.sections[i]);
    add(reports::figures_of_work({data.sections[i], ids[i], table, parameter_effects(table), variants}));
  }
  return figures;
}

std::string suffix_of(const std::string& name) {
  return name.substr(name.rfind('-') + 1);
}

std::vector<Point> points_of(const reports::Shape& shape) {
  if (const auto* path = std::get_if<reports::Path>(&shape)) return path->points;
  if (const auto* circle = std::get_if<reports::Circle>(&shape)) return {circle->centre};
  return {std::get<reports::Text>(shape).at};
}

TEST(Figures, EveryPointLiesWithinItsAxesAndEveryTextInThePicture) {
  std::set<std::string> charts;
  for (const reports::ReportData& data :
       {invented(invent), invented(invent_metric), large_data(3'000), radii()})
    for (const reports::Figure& figure : figures_of(data))
      for (const double width : {144.0, reports::column_width, reports::page_width}) {
        SCOPED_TRACE(figure.name);
        charts.insert(suffix_of(figure.name));
        const reports::DrawnPlot drawn = reports::drawn(figure.plot, width);
        constexpr double marker = 3.5;  // what a marker needs around its point
        ASSERT_LT(drawn.first_inside, drawn.end_inside);
        for (std::size_t i = drawn.first_inside; i < drawn.end_inside; ++i)
          for (const Point& point : points_of(drawn.drawing.shapes[i])) {
            EXPECT_GE(point.x, drawn.frame.left - marker);
            EXPECT_LE(point.x, drawn.frame.right + marker);
            EXPECT_GE(point.y, drawn.frame.top - marker);
            EXPECT_LE(point.y, drawn.frame.bottom + marker);
          }
        for (const reports::Shape& shape : drawn.drawing.shapes)
          if (const auto* text = std::get_if<reports::Text>(&shape); text != nullptr && !text->upwards) {
            const double length = reports::text_width(text->text);
            const double left = text->anchor == reports::Anchor::start    ? text->at.x
                                : text->anchor == reports::Anchor::middle ? text->at.x - length / 2
                                                                          : text->at.x - length;
            EXPECT_GE(left, 0) << text->text;
            EXPECT_LE(left + length, width) << text->text;
            EXPECT_LE(text->at.y, drawn.drawing.height) << text->text;
          }
      }
  EXPECT_THAT(charts, ::testing::IsSupersetOf(
                          {"distribution", "importance", "progress", "values", "scatter", "radius"}));
}

TEST(Figures, LabelsOfAnAxisDoNotMeet) {
  for (const reports::Figure& figure : figures_of(large_data(3'000))) {
    const reports::DrawnPlot drawn = reports::drawn(figure.plot, reports::column_width);
    double end = 0;
    for (const reports::Shape& shape : drawn.drawing.shapes)
      if (const auto* text = std::get_if<reports::Text>(&shape);
          text != nullptr && std::abs(text->at.y - (drawn.frame.bottom + 10.5)) < 0.01) {
        const double half = reports::text_width(text->text) / 2;
        EXPECT_GT(text->at.x - half, end) << figure.name << " " << text->text;
        end = text->at.x + half;
      }
  }
}

TEST(Figures, SvgPdfAndCsvAreAsBefore) {
  const auto files = files_of(radii());
  const std::string name = "crossover-stencil3d-radius";
  for (const std::string suffix : {".svg", ".pdf", ".csv"})
    expect_golden("figures/crossover" + suffix, files.at(name + suffix));
  expect_golden("figures/captions_markdown.txt", files.at("captions.md"));
  expect_golden("figures/captions_latex.txt", files.at("captions.tex"));
  expect_golden("figures/distribution.svg", files.at("stencil3d-512-radius1-distribution.svg"));
}

TEST(Figures, EachHasThreeFilesAndACaption) {
  const auto files = files_of(invented(invent));
  std::size_t figures = 0;
  for (const auto& [name, text] : files) {
    if (!name.ends_with(".svg")) continue;
    ++figures;
    const std::string stem = name.substr(0, name.size() - 4);
    EXPECT_TRUE(files.contains(stem + ".pdf")) << stem;
    EXPECT_TRUE(files.contains(stem + ".csv")) << stem;
    EXPECT_THAT(files.at("captions.md"), HasSubstr("**" + stem + ".**"));
    EXPECT_THAT(files.at("captions.tex"), HasSubstr("{" + stem + ".pdf}"));
  }
  EXPECT_GE(figures, 5U);
  EXPECT_EQ(files.size(), 3 * figures + 2);
}

TEST(Figures, NothingIsWrittenWhereNothingWasMeasured) {
  reports::ReportData data = invented(invent);
  data.sections.resize(1);  // the one in which everything failed
  EXPECT_TRUE(files_of(data).empty());
}

/// The number after a word, as a PDF has it.
std::size_t number_after(const std::string& text, const std::string& word, std::size_t from = 0) {
  const std::size_t at = text.find(word, from);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + word.size(), nullptr, 10);
}

TEST(Pdf, ItsTableOfObjectsLeadsToThem) {
  for (const auto& [name, text] : files_of(radii())) {
    if (!name.ends_with(".pdf")) continue;
    SCOPED_TRACE(name);
    EXPECT_TRUE(text.starts_with("%PDF-1.4\n"));
    EXPECT_TRUE(text.ends_with("%%EOF\n"));
    const std::size_t table = number_after(text, "startxref\n");
    ASSERT_EQ(text.compare(table, 5, "xref\n"), 0);
    const std::size_t count = number_after(text, "/Size ");
    ASSERT_EQ(number_after(text, "xref\n0 ", table), count);
    const std::size_t first = text.find('\n', table + 5) + 1;
    for (std::size_t i = 1; i < count; ++i) {
      const std::string line = text.substr(first + 20 * i, 20);
      EXPECT_TRUE(line.ends_with(" 00000 n \n")) << line;
      EXPECT_EQ(text.compare(std::stoull(line.substr(0, 10)), 8, std::to_string(i) + " 0 obj\n"), 0) << i;
    }
    const std::size_t begin = text.find("stream\n") + 7;
    EXPECT_EQ(text.find("endstream") - begin, number_after(text, "/Length "));
  }
}

TEST(Pdf, IsReadByPoppler) {
  if (std::system("pdftotext -v > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no pdftotext; on Debian: apt-get install poppler-utils";
  const TemporaryFolder folder;
  const std::string file = (folder / "f.pdf").string();
  const std::string text = files_of(radii()).at("crossover-stencil3d-radius.pdf");
  FILE* const out = std::fopen(file.c_str(), "wb");
  std::fwrite(text.data(), 1, text.size(), out);
  std::fclose(out);
  FILE* const pipe = popen(("pdftotext '" + file + "' - 2>&1").c_str(), "r");
  std::string words(4096, ' ');
  words.resize(std::fread(words.data(), 1, words.size(), pipe));
  pclose(pipe);
  for (const char* word : {"direct", "fused", "radius", "Gcell updates/s"})
    EXPECT_THAT(words, HasSubstr(word));
}

TEST(Crossover, IsWhereTheLinesOfTwoVariantsMeet) {
  const reports::ReportData data = radii();
  std::vector<std::vector<reports::VariantBest>> bests;
  for (const reports::Section& section : data.sections) bests.push_back(variant_bests(value_table(section)));
  const auto all = crossovers(data, bests);
  ASSERT_EQ(all.size(), 1U);
  const reports::Crossover& one = all.front();
  EXPECT_EQ(one.along, "radius");
  EXPECT_THAT(one.x, ElementsAre(1, 2, 4));
  EXPECT_THAT(one.sections, ElementsAre(1, 2, 0));
  ASSERT_EQ(one.lines.size(), 2U);
  EXPECT_EQ(one.lines[0].best[0]->seconds, 1e-3);
  ASSERT_EQ(one.crossings.size(), 1U);  // they are equal at 2
  EXPECT_EQ(one.crossings[0].at, 1U);
  EXPECT_EQ(one.crossings[0].share, 0);

  reports::ReportData moved = data;
  for (db::ResultRow& row : moved.sections[2].evaluations)
    if (row.configuration["variant"].as_text() == "fused") row.time = 2.2e-3;
  std::ranges::stable_sort(moved.sections[2].evaluations, {},
                           [](const db::ResultRow& row) { return *row.time; });
  bests[2] = variant_bests(value_table(moved.sections[2]));
  const auto crossing = crossovers(moved, bests).front().crossings;
  ASSERT_EQ(crossing.size(), 1U);
  EXPECT_EQ(crossing[0].before, "direct");
  EXPECT_EQ(crossing[0].after, "fused");
  EXPECT_EQ(crossing[0].at, 1U);
  EXPECT_NEAR(crossing[0].share, std::log(1.1) / (std::log(1.1) + std::log(4.0 / 3.0)), 1e-9);
}

TEST(Crossover, TwoSectionsAreNoLine) {
  reports::ReportData data = radii();
  data.sections.pop_back();
  std::vector<std::vector<reports::VariantBest>> bests;
  for (const reports::Section& section : data.sections) bests.push_back(variant_bests(value_table(section)));
  EXPECT_TRUE(crossovers(data, bests).empty());
}

TEST(Axis, HasAFewRoundValuesWithinItsEnds) {
  for (const auto& [low, high] :
       {std::pair(2.7e-4, 6.1e-4), {1e-6, 9e-3}, {0.9, 1.0}, {1, 3548}, {5e-8, 3e-7}, {3.0, 3.0}})
    for (const std::size_t most : {3U, 5U, 8U}) {
      const Axis axis = reports::log_axis("time", "s", {low, high});
      const auto ticks = axis.ticks(most);
      EXPECT_GE(ticks.size(), 1U) << low << " " << high;
      EXPECT_LE(ticks.size(), most + 1) << low << " " << high;
      for (const reports::Tick& tick : ticks) {
        EXPECT_GE(axis.place(tick.at), -1e-6);
        EXPECT_LE(axis.place(tick.at), 1 + 1e-6);
      }
    }
  EXPECT_EQ(reports::log_axis("time", "s", {2e-4, 9e-4}).title(), "time (\u00b5s)");
  EXPECT_EQ(reports::linear_axis("rate", "B/s", {3e12}).title(), "rate (TB/s)");
  EXPECT_EQ(reports::tick_text(0.25), "0.25");
  EXPECT_EQ(reports::tick_text(20000), "20000");
  EXPECT_EQ(reports::tick_text(2e-7), "2e-7");
}

TEST(FigureText, IsMeasuredAndCut) {
  EXPECT_DOUBLE_EQ(reports::text_width("Helvetica"), 8 * 4.112);  // the sum of its letters' widths
  EXPECT_EQ(reports::win_ansi("4096\u00b3 \u00d7 \u00b5s \u2026 \u4e2d \u00e9"),
            "4096\xb3 \xd7 \xb5s \x85 ? \xe9");
  EXPECT_EQ(reports::fitted_text("short", 100), "short");
  const std::string cut = reports::fitted_text("block_x=64,block_y=4,block_z=2", 60);
  EXPECT_TRUE(cut.ends_with("\u2026"));
  EXPECT_LE(reports::text_width(cut), 60);
  EXPECT_GT(reports::text_width(cut), 48);
}

TEST(FigureColours, AreOfDifferentLightness) {
  Plot plot{reports::linear_axis("x", "", {0, 1}), reports::linear_axis("y", "", {0, 1}), {}};
  for (std::size_t i = 0; i < 6; ++i) plot.series.push_back({"s", Series::Kind::line, i, {{0, 0}, {1, 1}}});
  std::vector<double> lightness;
  std::set<std::vector<double>> dashes;
  const reports::DrawnPlot drawn = reports::drawn(plot, reports::column_width);
  for (std::size_t i = drawn.first_inside; i < drawn.end_inside; ++i)
    if (const auto* path = std::get_if<reports::Path>(&drawn.drawing.shapes[i]);
        path != nullptr && !path->closed) {
      const reports::Colour colour = path->look.stroke.value();
      lightness.push_back(0.2126 * colour.red + 0.7152 * colour.green + 0.0722 * colour.blue);
      dashes.insert(path->look.dashes);
    }
  ASSERT_EQ(lightness.size(), 6U);
  EXPECT_EQ(dashes.size(), 6U);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_GT(std::abs(lightness[i] - lightness[i - 1]), 25);
}

}  // namespace
}  // namespace tune::testing
