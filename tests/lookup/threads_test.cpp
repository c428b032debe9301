// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/lookup/database_sample.hpp"

namespace tune::testing {
namespace {

TEST(LookupThreads, ShareOneLookup) {
  DatabaseSample sample;
  constexpr int sizes = 6;
  for (int i = 0; i < sizes; ++i) sample.record(sized({64 + i, 64, 64}), {{i, 1e-3}, {i + 10, 2e-3}});
  const lookup::Lookup lookup = sample.open();
  std::atomic<int> wrong = 0, asked = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const lookup::Lookup own = lookup;  // a copy
      for (int i = 0; i < 300; ++i) {
        const int number = (i + t) % sizes;
        const lookup::Query query = query_of(sized({64 + number, 64, 64}));
        const auto found = (i % 2 == 0 ? own : lookup).best(query);
        const auto all = lookup.candidates(query, 2);
        wrong += !found || number_of(*found) != number ? 1 : 0;
        wrong += !all || all->size() != 2 || number_of(all->at(1)) != number + 10 ? 1 : 0;
        ++asked;
        if (i % 50 == 49) lookup.refresh();
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(asked, 2400);
}

TEST(LookupThreads, HaveLookupsOfTheirOwn) {
  DatabaseSample sample;
  sample.record(example_key(), {{1, 1e-3}});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] { right += number_of(sample.best(query_of(example_key()))) == 1 ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 8);
}

}  // namespace
}  // namespace tune::testing
