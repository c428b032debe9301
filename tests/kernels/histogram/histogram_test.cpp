// SPDX-License-Identifier: Apache-2.0
// histogram: samples, counts, spaces and plans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/framework/kernel_files.hpp"
#include "kernels/histogram/model/job.hpp"
#include "kernels/histogram/model/reference.hpp"
#include "kernels/histogram/model/variant.hpp"
#include "kernels/registry.hpp"
#include "search/space/search_space.hpp"
#include "tests/kernels/common/devices.hpp"
#include "tuner/base/error.hpp"

namespace tune::kernels {
namespace {

using Settings = std::vector<std::pair<std::string, Value>>;

Instance histogram_instance(const std::string& samples, const Settings& settings) {
  return make_instance(make_histogram()->info(), samples, settings);
}

HistogramJob job_of(const std::string& samples, const Settings& settings) {
  return histogram_job(histogram_instance(samples, settings));
}

/// Counts by comparing each sample with the ends of bins, in exact arithmetic but for the rounding of floats.
template<class Sample>
std::map<std::int64_t, double> naive_counts(const HistogramJob& job, const TensorSet& inputs) {
  std::map<std::int64_t, double> counts;
  for (const Sample sample : inputs.at("samples").as<Sample>()) {
    if constexpr (std::is_same_v<Sample, float>) {
      if (!(sample >= 0.0F) || !(sample < 1.0F)) continue;
      ++counts[std::min<std::int64_t>(static_cast<std::int64_t>(sample * static_cast<float>(job.bins)),
                                      job.bins - 1)];
    } else {
      const double range = std::ldexp(1.0, 8 * sizeof(Sample));
      const double place = static_cast<double>(sample) * static_cast<double>(job.bins) / range;
      ++counts[static_cast<std::int64_t>(std::floor(place))];
    }
  }
  return counts;
}

template<class Sample>
void expect_counts(const std::string& type, std::int64_t bins, const std::string& data) {
  SCOPED_TRACE(type + " " + std::to_string(bins) + " " + data);
  const HistogramJob job = job_of("70001", {{"type", type}, {"bins", bins}, {"data", data}});
  const TensorSet inputs = histogram_inputs(job, 5), reference = histogram_reference(job, inputs);
  const auto counts = reference.at("counts").as<double>();
  ASSERT_EQ(counts.size(), static_cast<std::size_t>(bins));
  std::map<std::int64_t, double> found;
  for (std::size_t bin = 0; bin < counts.size(); ++bin) {
    if (counts[bin] != 0) found[static_cast<std::int64_t>(bin)] = counts[bin];
  }
  EXPECT_EQ(found, naive_counts<Sample>(job, inputs));
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (data == "outside") {
    EXPECT_LT(sum, 70001 * 0.95);
    EXPECT_GT(sum, 70001 * 0.85);
  } else {
    EXPECT_EQ(sum, 70001);
  }
  if (data == "one") {
    EXPECT_EQ(found.size(), 1U);
  }
  if (data == "skewed") {
    const std::int64_t first = std::max<std::int64_t>(1, bins / 256);
    double in_first = 0;
    for (std::int64_t bin = 0; bin < first; ++bin) in_first += counts[static_cast<std::size_t>(bin)];
    EXPECT_GT(in_first, 0.2 * sum);
  }
}

TEST(Histogram, CountsEachSampleInItsBin) {
  for (const char* data : {"uniform", "skewed", "one"}) {
    for (const int bins : {2, 100, 256}) expect_counts<std::uint8_t>("uint8", bins, data);
    for (const int bins : {3, 4096, 65536}) expect_counts<std::uint16_t>("uint16", bins, data);
    for (const int bins : {7, 65537, 1 << 20}) {
      expect_counts<std::uint32_t>("uint32", bins, data);
      expect_counts<float>("float", bins, data);
    }
  }
  expect_counts<float>("float", 1000, "outside");
}

TEST(Histogram, RefusesWhatTheTypeHasNot) {
  const auto message = [](const Settings& settings) {
    try {
      job_of("10", settings);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  EXPECT_THAT(message({{"bins", 257}}), ::testing::HasSubstr("type=uint8 has 256 values"));
  EXPECT_EQ(message({{"bins", 256}}), "taken");
  EXPECT_THAT(message({{"type", "uint16"}, {"bins", 65537}}), ::testing::HasSubstr("65536 values"));
  EXPECT_THAT(message({{"data", "outside"}}), ::testing::HasSubstr("type=float"));
  EXPECT_THROW(histogram_instance("10", {{"bins", 1}}), UsageError);
  EXPECT_THROW(histogram_instance("10", {{"bins", (1 << 20) + 1}}), UsageError);
}

/// The variants with a valid configuration.
std::vector<std::string> offered(const Settings& settings) {
  const search::SearchSpace space(histogram_space(job_of("", settings), h100()));
  std::vector<std::string> names;
  for (const auto& entry : histogram_variants()) {
    const auto one = [&](const Configuration& configuration) {
      return configuration["variant"].as_text() == std::string(entry.name);
    };
    for (std::uint64_t i = 0; i < space.size(); i += 1 + space.size() / 997)
      if (one(space.at(i))) {
        names.emplace_back(entry.name);
        break;
      }
  }
  return names;
}

TEST(Histogram, OffersWhatFitsTheBins) {
  using ::testing::UnorderedElementsAre;
  EXPECT_THAT(offered({}), UnorderedElementsAre("global", "shared", "private", "aggregate"));
  EXPECT_THAT(offered({{"type", "float"}, {"bins", 65536}}),
              UnorderedElementsAre("global", "shared", "aggregate", "cluster", "sort"));
  EXPECT_THAT(offered({{"type", "float"}, {"bins", 1 << 20}}),
              UnorderedElementsAre("global", "shared", "sort"));
}

// Counters of 8 and 16 bits overflow at the sizes of checks: a block has more samples of one bin than they
// hold.
TEST(Histogram, ChecksOverflow) {
  const auto problem = make_histogram();
  const Instance instance = histogram_instance("", {{"type", "float"}, {"bins", 65536}});
  const search::SearchSpace space(problem->space(instance, h100()));
  bool found = false;
  for (std::uint64_t i = 0; i < space.size() && !found; i += 7) {
    const Configuration configuration = space.at(i);
    if (configuration["variant"].as_text() != "shared" || configuration["counter"].as_int() != 16 ||
        configuration["slices"].as_int() != 1)
      continue;
    found = true;
    for (const Instance& check : problem->check_instances(instance, configuration)) {
      if (check.setting("data").as_text() != "one") continue;
      EXPECT_GT(check.extent("samples"), 65536);
      EXPECT_EQ(histogram_blocks(histogram_job(check), configuration), 1);
    }
  }
  EXPECT_TRUE(found);
}

TEST(Histogram, FewSamplesHaveFewBlocks) {
  const auto problem = make_histogram();
  const Instance instance = histogram_instance("50000", {});
  const search::SearchSpace space(problem->space(instance, h100()));
  Configuration configuration = space.at(*space.default_configuration());
  const std::int64_t least = configuration["block_samples"].as_int();
  EXPECT_EQ(histogram_blocks(histogram_job(instance), configuration), 50000 / least);
  EXPECT_EQ(histogram_blocks(job_of("1", {}), configuration), 1);
  EXPECT_EQ(histogram_blocks(job_of("2000000000", {}), configuration), configuration["blocks"].as_int());
}

}  // namespace
}  // namespace tune::kernels
