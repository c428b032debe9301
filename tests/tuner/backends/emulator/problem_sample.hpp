// SPDX-License-Identifier: Apache-2.0
// Random configurations of the program's problems, at sizes that are small enough for the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/space/search_space.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::emulator::testing {

struct Sampled {
  Instance instance;
  Configuration configuration;
};

/// The device of whose space configurations are drawn: an sm_90, or a processor of many cores.
DeviceProperties sample_device(const Problem& problem);

/// Configurations of random settings that are meant to be right: a problem whose configurations fail on
/// purpose is restricted to the others. Besides, `where` restricts them. `of_a_space` of them have the same
/// settings and variant: making a space takes longer than drawing from it.
std::vector<Sampled> random_sample(const Problem& problem, std::size_t count, std::uint64_t seed,
                                   const std::string& where = "True", std::size_t of_a_space = 1);

/// The odd sizes of a configuration with at most that many items; the smallest where none is.
std::vector<Instance> small_sizes(const Problem& problem, const Sampled& sampled, double largest = 20'000);

}  // namespace tune::emulator::testing
