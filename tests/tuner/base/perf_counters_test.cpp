// SPDX-License-Identifier: Apache-2.0
// Recorded readings of the counters, a system that refuses them, and this one.
#include "tuner/base/perf_counters.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <map>

#include "tuner/base/program.hpp"

namespace tune {
namespace {

using Numbers = std::array<std::uint64_t, 3>;
/// By event: what the first and the second reading of a product of matrices returned (count, enabled,
/// running).
std::map<int, std::array<Numbers, 2>> recorded_readings;
int refused_with = 0;
std::map<int, int> event_of;  ///< by descriptor
std::map<int, int> readings_done;

const PerfCalls stand_in = {[](std::size_t index, bool) {
                              errno = refused_with;
                              if (refused_with != 0 || !recorded_readings.contains(static_cast<int>(index)))
                                return -1;
                              const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
                              event_of[descriptor] = static_cast<int>(index);
                              readings_done[descriptor] = 0;
                              return descriptor;
                            },
                            [](int descriptor, Numbers& numbers) {
                              numbers = recorded_readings[event_of[descriptor]].at(
                                  static_cast<std::size_t>(readings_done[descriptor]++));
                              return true;
                            },
                            [](int, bool) { return true; }};

TEST(PerfCounters, RecordedReadingsBecomeMetrics) {
  refused_with = 0;
  recorded_readings = {{0, {{{1000, 50, 50}, {41'001'000, 10'000'050, 10'000'050}}}},
                       {1, {{{500, 50, 50}, {82'000'500, 10'000'050, 10'000'050}}}},
                       {3, {{{0, 0, 0}, {30'000, 10'000'000, 5'000'000}}}},
                       {4, {{{7, 9, 9}, {7, 1009, 9}}}}};
  PerfCounters counters(false, stand_in);
  EXPECT_TRUE(counters.any());
  EXPECT_EQ(counters.refusal(), 0);
  counters.start();
  counters.stop();
  const auto named = named_counts(counters.counts(), 2);
  const std::vector<std::pair<std::string, double>> expected = {
      {"cycles", 20'500'000}, {"instructions", 41'000'000}, {"cache_misses", 30'000}, {"ipc", 2}};
  EXPECT_EQ(named, expected) << "one ran half of the time; one had no counter; two are not there";
}

TEST(PerfCounters, ARefusalIsALineWithTheCure) {
  refused_with = EACCES;
  const PerfCounters counters(false, stand_in);
  EXPECT_FALSE(counters.any());
  EXPECT_EQ(counters.refusal(), EACCES);
  EXPECT_TRUE(named_counts(counters.counts()).empty()) << "nothing is invented";
  EXPECT_NE(refusal_text(EACCES, 4).find("kernel.perf_event_paranoid to 2 or less (it is 4;"),
            std::string::npos);
  EXPECT_NE(refusal_text(ENOENT, 1).find("virtual PMU"), std::string::npos);
  EXPECT_EQ(refusal_text(0, 4), "");
}

// Page faults are counted everywhere where there are perf events at all.
TEST(PerfCounters, AProgramIsCountedWithAllThatItStarts) {
  if (!PerfCounters().any()) GTEST_SKIP() << refused_counters();
  const auto faults = [](const char* command) {
    return run_program({"sh", "-c", command}, {.measure = true}).counts.back();
  };
  const double one = faults("true"), many = faults("for i in 1 2 3 4 5 6 7 8; do sh -c 'exit 0'; done");
  EXPECT_GT(one, 10);
  EXPECT_GT(many, 4 * one);
  if (refused_counters().empty()) {
    EXPECT_GT(run_program({"sh", "-c", "true"}, {.measure = true}).counts.front(), 1000);
  }
}

}  // namespace
}  // namespace tune
