// SPDX-License-Identifier: Apache-2.0
// Headers for all that was recorded, and answers by energy.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "reports/header.hpp"
#include "tests/cli/recording.hpp"
#include "tests/cli/sandbox.hpp"

namespace tune::testing {
namespace {

std::vector<std::string> portfolio(const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"best", "stencil3d", "--format", "header", "--portfolio"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

int configurations_in(const std::string& header) {
  std::smatch found;
  return std::regex_search(header, found, std::regex(R"(Configuration portfolio\[(\d+)\])"))
             ? std::stoi(found[1])
             : 0;
}

/// Sizes of two devices, each with configurations of its own: no single one is known in all.
void add_workloads(const std::filesystem::path& database) {
  add_recording(database, {.n = 96, .count = 40, .sample = 1});
  add_recording(database, {.n = 128, .count = 40, .sample = 2});
  DeviceProperties other = device_named("Invented H3");
  other.multiprocessors = 66;
  add_recording(database, {.device = other, .n = 96, .count = 40, .sample = 3});
}

class BestPortfolio : public ::testing::Test {
 protected:
  BestPortfolio() { add_workloads(sandbox_.database()); }

  std::string header(const std::vector<std::string>& more = {}) {
    const ProgramResult outcome = sandbox_.tune(portfolio(more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  /// Compiles a program with the header and runs it: its exit status.
  int run_with(const std::string& header, const std::string& body) {
    std::ofstream(sandbox_ / "portfolio.hpp") << header;
    std::ofstream(sandbox_ / "use.cpp") << "#include \"portfolio.hpp\"\n#include \"portfolio.hpp\"\n"
                                           "using namespace tune_best::stencil3d;\nint main() {\n"
                                        << body << "}\n";
    const std::string program = (sandbox_ / "use").string();
    const std::string command = std::string(TUNE_CXX) + " -std=c++17 -Wall -Wextra -Wconversion -Werror -o " +
                                program + " " + (sandbox_ / "use.cpp").string();
    if (std::system(command.c_str()) != 0) return -1;
    const int status = std::system(program.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  Sandbox sandbox_;
};

TEST_F(BestPortfolio, CompilesAndServesEveryRecord) {
  const std::string text = header();
  EXPECT_NE(text.find("No smaller set would do."), std::string::npos) << text;
  EXPECT_EQ(
      run_with(text,
               "  for (const Record& r : records)\n"
               "    if (&choose(r.device, r.major, r.minor, r.multiprocessors, r.extents[0], r.extents[1],\n"
               "                r.extents[2]) != &portfolio[r.configuration]) return 1;\n"
               "  // The nearest size of this device, whatever another has.\n"
               "  if (&choose(\"Invented H2\", 9, 0, 132, 130, 120, 128) !=\n"
               "      &choose(\"Invented H2\", 9, 0, 132, 128, 128, 128)) return 2;\n"
               "  // Another model: that with as many SMs.\n"
               "  if (&choose(\"Unknown\", 9, 0, 60, 96, 96, 96) !=\n"
               "      &choose(\"Invented H3\", 9, 0, 66, 96, 96, 96)) return 3;\n"
               "  return portfolio[0].block_x > 0 && portfolio[0].variant[0] != 0 ? 0 : 4;\n"),
      0)
      << text;
}

TEST_F(BestPortfolio, ATighterBoundTakesMoreAndNoneIsBroken) {
  // The few of the one are among the many of the other, its best not the other's best.
  add_recording(sandbox_.database(), {.n = 160, .count = 40, .sample = 9});
  add_recording(sandbox_.database(), {.n = 192, .count = 4, .sample = 9});
  const std::string loose = header({"--loss", "90%"}), tight = header({"--loss", "0.01%"});
  EXPECT_LT(configurations_in(loose), configurations_in(tight));
  EXPECT_LE(configurations_in(tight), 7);  // as many as there are works: these five and the two that ship
  for (const auto& [text, bound] : {std::pair(loose, 90.0), std::pair(tight, 0.01)}) {
    const std::regex loss("([0-9.]+) % slower");
    int seen = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), loss), end; found != end; ++found, ++seen)
      EXPECT_LE(std::stod((*found)[1]), bound + 0.051) << text;
    EXPECT_GT(seen, 0);
  }
  EXPECT_NE(tight.find("// the best there"), std::string::npos);
}

TEST_F(BestPortfolio, OfOneDeviceAlone) {
  const std::string text = header({"--device", "Invented H3"});
  EXPECT_NE(text.find("{\"Invented H3\", 9, 0, 66, {96, 96, 96}"), std::string::npos) << text;
  EXPECT_EQ(text.find("Invented H2"), std::string::npos) << text;
  EXPECT_EQ(configurations_in(text), 1);
}

TEST_F(BestPortfolio, OlderSourcesStandInWhereNothingIsFresh) {
  add_recording(sandbox_.database(), {.n = 160, .count = 40, .sources = "older"});
  add_recording(sandbox_.database(), {.n = 96, .count = 40, .slower_by = 0.5, .sources = "older"});
  const std::string text = header();
  EXPECT_NE(text.find("for 6 recorded workloads"), std::string::npos) << text;  // four here, two that ship
  EXPECT_NE(text.find("sources have changed since 1 of these was recorded"), std::string::npos) << text;
  const std::size_t stale = text.find(", by older kernel sources");
  ASSERT_NE(stale, std::string::npos) << text;
  EXPECT_EQ(text.find(", by older kernel sources", stale + 1), std::string::npos) << text;
  EXPECT_NE(text.rfind("{160, 160, 160}", stale), std::string::npos) << text;
  EXPECT_GT(text.rfind("{160, 160, 160}", stale), text.rfind('\n', stale)) << text;
}

TEST_F(BestPortfolio, WithoutLossEachHasItsBest) {
  for (const std::string none : {"0", "0%"}) {
    const std::string text = header({"--loss", none});
    EXPECT_EQ(text.find("slower than the best there"), std::string::npos) << text;
    EXPECT_NE(text.find("// the best there"), std::string::npos) << text;
  }
}

TEST_F(BestPortfolio, IsRefusedWhereItMakesNoSense) {
  expect_refused(sandbox_.tune({"best", "stencil3d", "--portfolio"}), 2, {"--portfolio", "--format header"});
  expect_refused(sandbox_.tune({"best", "stencil3d", "--loss", "3%"}), 2, {"--loss needs --portfolio"});
  expect_refused(sandbox_.tune(portfolio({"--loss", "much"})), 2, {"--loss: 'much' is not a share"});
  expect_refused(sandbox_.tune(portfolio({"--set", "radius=3"})), 3, {"no result of stencil3d", "radius=3"});
  expect_refused(sandbox_.tune(portfolio({"--device", "Unheard-of"})), 3, {"no result of stencil3d"});
}

TEST(BestPortfolioText, ParametersThatAVariantLacksHaveTheirTypesNothing) {
  EXPECT_EQ(reports::literal(nullptr, search::Value(3)), "0");
  EXPECT_EQ(reports::literal(nullptr, search::Value(true)), "false");
  EXPECT_EQ(reports::literal(nullptr, search::Value("a")), "\"\"");
  const search::Value text("a\"b"), whole(2), yes(true);
  EXPECT_EQ(reports::literal(&text, text), "\"a\\\"b\"");
  EXPECT_EQ(reports::literal(&whole, search::Value(0.5)), "2");
  EXPECT_EQ(reports::literal(&yes, yes), "true");
}

nlohmann::json best_by(const Sandbox& sandbox, const std::string& objective) {
  const ProgramResult outcome =
      sandbox.tune({"best", "stencil3d", "--size", "96x96x96", "--objective", objective, "--db",
                    sandbox.database().string(), "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(BestObjective, EnergyChoosesAnother) {
  const Sandbox sandbox;
  add_recording(sandbox.database(), {.n = 96, .count = 60, .energies = true});
  const auto time = best_by(sandbox, "time"), energy = best_by(sandbox, "energy"),
             edp = best_by(sandbox, "edp");
  EXPECT_LT(time["seconds"], energy["seconds"]);
  EXPECT_EQ(time["value"], time["seconds"]);
  EXPECT_NEAR(energy["value"].get<double>() * energy["seconds"].get<double>(), 1e-9, 1e-15);
  EXPECT_NEAR(edp["value"].get<double>(), 1e-9, 1e-15);
  EXPECT_EQ(energy["objective"], "energy");
  const ProgramResult text =
      sandbox.tune({"best", "stencil3d", "--size", "96x96x96", "--objective", "energy"});
  EXPECT_NE(text.out.find("the smallest energy stored"), std::string::npos) << text.out;
}

TEST(BestObjective, WithoutEnergiesThereIsNoAnswer) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"best", "stencil3d", "--objective", "energy"}), 3,
                 {"with energies", "--objective energy"});
  expect_refused(sandbox.tune({"best", "stencil3d", "--objective", "joy"}), 2, {"joy"});
}

TEST(BestObjective, AtAnotherSizeTheBestValidOneByEnergy) {
  const Sandbox sandbox;
  sandbox.remove_recordings();
  add_recording(sandbox.database(), {.n = 64, .count = 60, .energies = true});
  // Nothing unpadded with vectors is valid at 67 cells a row.
  const ProgramResult outcome =
      sandbox.tune({"best", "stencil3d", "--size", "67x67x67", "--objective", "energy", "--format", "json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto answer = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(answer["configuration"]["padded"] == false && answer["configuration"]["vector"] != 1)
      << outcome.out;
  EXPECT_NEAR(answer["value"].get<double>() * answer["seconds"].get<double>(), 1e-9, 1e-15);
}

}  // namespace
}  // namespace tune::testing
