// SPDX-License-Identifier: Apache-2.0
// Bounds that a loaded machine keeps; bench/lookup prints the real figures (docs/reference/lookup.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "db/read/best.hpp"
#include "lookup/include/tune/lookup.hpp"
#include "tests/db/examples.hpp"
#include "tests/lookup/large_database.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tune::testing {
namespace {

/// Of the processor.
template<class Function>
double seconds(Function function) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  function();
  return now() - start;
}

/// The smallest of many: other load on the machine does not count.
template<class Function>
double min_seconds(int times, Function function) {
  double min = 1e300;
  for (int i = 0; i < times; ++i) min = std::min(min, seconds(function));
  return min;
}

lookup::Query query(std::int64_t n, DeviceProperties device, const std::string& radius) {
  lookup::Query query;
  query.problem = "stencil3d";
  query.device = db::lookup_device(device);
  query.size = {n, n, n};
  query.settings = {{"radius", radius}};
  return query;
}

void expect_fast(const std::string& file, bool immutable, const lookup::Query& query, lookup::Match match) {
  lookup::Options options;
  options.database = immutable ? "" : file;
  options.recordings.emplace();
  if (immutable) options.recordings->push_back(file);
  const double cold = min_seconds(20, [&] {
    const auto lookup = lookup::Lookup::open(options);
    ASSERT_TRUE(lookup) << lookup.error().message;
    ASSERT_EQ(lookup->best(query)->match, match);
  });
  // A portfolio looks at all workloads.
  const double most = match == lookup::Match::portfolio ? 15e-3 : 5e-3;
  EXPECT_LT(cold, tune::testing::has_address_sanitizer ? 10 * most : most);
  const auto lookup = lookup::Lookup::open(options);
  const double repeated = min_seconds(20,
                                      [&] {
                                        for (int i = 0; i < 100; ++i)
                                          ASSERT_EQ(lookup->best(query)->match, match);
                                      }) /
                          100;
  EXPECT_LT(repeated, 5e-6);
}

TEST(LookupSpeed, OnTheShippedRecording) {
  DeviceProperties device;
  device.name = "NVIDIA H200";
  device.compute_major = 9;
  device.multiprocessors = 132;
  device.global_memory = 150109880320;
  expect_fast(TUNE_RECORDING, true, query(512, device, "1"), lookup::Match::exact);
  expect_fast(TUNE_RECORDING, true, query(500, device, "1"), lookup::Match::nearest_size);
  device.name = "Other";
  expect_fast(TUNE_RECORDING, true, query(512, device, "1"), lookup::Match::same_architecture);
  device.compute_major = 8;
  expect_fast(TUNE_RECORDING, true, query(512, device, "1"), lookup::Match::portfolio);
}

TEST(LookupSpeed, OnAHundredThousandEvaluations) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "large.db";
  make_large_database(file);
  DeviceProperties device = example_device();
  expect_fast(file, false, query(512, device, "4"), lookup::Match::exact);
  expect_fast(file, false, query(500, device, "4"), lookup::Match::nearest_size);
  device.name = "Other";
  expect_fast(file, false, query(512, device, "4"), lookup::Match::same_architecture);
}

}  // namespace
}  // namespace tune::testing
