// SPDX-License-Identifier: Apache-2.0
// How long spaces take to build: bench_space [repeats]. Medians, with one core.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "search/space/search_space.hpp"

namespace {

using namespace tune::search;

struct Space {
  const char* name;
  SpaceDefinition definition;

  void add(const std::string& parameter, const std::vector<int>& numbers) {
    std::vector<Value> values(numbers.begin(), numbers.end());
    const Value first = values.front();
    definition.parameters.push_back({parameter, "", std::move(values), first});
  }
  void rule(const std::string& text) { definition.constraints.push_back({Expr::parse(text), ""}); }
};

std::vector<int> range(int first, int last) {
  std::vector<int> numbers;
  for (int number = first; number <= last; ++number) numbers.push_back(number);
  return numbers;
}

std::string numbered(const char* name, int number) {
  return name + std::to_string(number);
}

/// CLTune's GEMM, as it is published in T1.
Space gemm() {
  Space space{"gemm (published)", {}};
  for (const char* name : {"mwg", "nwg"}) space.add(name, {16, 32, 64, 128});
  space.add("kwg", {16, 32});
  for (const char* name : {"mdimc", "ndimc", "mdima", "ndimb"}) space.add(name, {8, 16, 32});
  for (const char* name : {"vwm", "vwn"}) space.add(name, {1, 2, 4, 8});
  for (const char* name : {"strm", "strn", "sa", "sb"}) space.add(name, {0, 1});
  for (const char* text : {"kwg % 2 == 0", "mwg % (mdimc * vwm) == 0", "nwg % (ndimc * vwn) == 0",
                           "mwg % (mdima * vwm) == 0", "nwg % (ndimb * vwn) == 0",
                           "kwg % ((mdimc * ndimc) / mdima) == 0", "kwg % ((mdimc * ndimc) / ndimb) == 0",
                           "not (mwg == 128 and nwg == 128 and mdimc == 8 and ndimc == 8)"})
    space.rule(text);
  return space;
}

/// The published hotspot space.
Space hotspot() {
  Space space{"hotspot (published)", {}};
  std::vector<int> widths = {1, 2, 4, 8, 16};
  for (int i = 1; i <= 32; ++i) widths.push_back(32 * i);
  space.add("block_x", widths);
  space.add("block_y", {1, 2, 4, 8, 16, 32});
  for (const char* name : {"tile_x", "tile_y", "steps", "unroll"}) space.add(name, range(1, 10));
  space.add("power_in_shared", {0, 1});
  space.rule("block_x * block_y >= 32");
  space.rule("steps % unroll == 0");
  space.rule("block_x * block_y <= 1024");
  space.rule(
      "(block_x * tile_x + steps * 2) * (block_y * tile_y + steps * 2) * (2 + power_in_shared) * 4"
      " <= 49152");
  return space;
}

/// 10^12 products: pairs of parameters must divide each other.
Space few_of_many() {
  Space space{"few of 10^12", {}};
  for (int p = 0; p < 12; ++p) space.add(numbered("p", p), {1, 2, 3, 5, 7, 11, 13, 17, 19, 23});
  for (int p = 0; p < 12; p += 2)
    space.rule(numbered("p", p) + " == " + numbered("p", p + 1) + " or " + numbered("p", p) +
               " * 23 == " + numbered("p", p + 1));
  space.rule("p0 + p2 + p4 + p6 + p8 + p10 <= 29");
  return space;
}

/// 10^12 products, of which about a tenth is left.
Space many_of_many() {
  Space space{"many of 10^12", {}};
  for (int p = 0; p < 12; ++p) space.add(numbered("p", p), range(1, 10));
  for (int p = 1; p < 12; ++p) space.rule(numbered("p", p - 1) + " * " + numbered("p", p) + " <= 48");
  space.rule("p0 * p5 * p11 <= 200");
  return space;
}

double median_ms(const SpaceDefinition& definition, int repeats) {
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const SearchSpace space(definition);
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    all.push_back(taken.count());
  }
  std::ranges::nth_element(all, all.begin() + repeats / 2);
  return all[static_cast<std::size_t>(repeats / 2)];
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 5;
  std::printf("| space | products | valid | ms | a sample, us |\n|---|---|---|---|---|\n");
  for (const Space& one : {gemm(), hotspot(), few_of_many(), many_of_many()}) {
    const SearchSpace space(one.definition);
    const double ms = median_ms(one.definition, repeats);
    Random random(1);
    constexpr int draws = 20'000;
    std::size_t sum = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < draws; ++i) sum += space.value_indices(space.sample(random)).size();
    const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
    std::printf("| %s | %.3g | %llu | %.1f | %.2f |\n", one.name, space.product_size(),
                static_cast<unsigned long long>(space.size()), ms, sum > 0 ? taken.count() / draws : 0.0);
  }
  return 0;
}
