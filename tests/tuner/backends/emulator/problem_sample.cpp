// SPDX-License-Identifier: Apache-2.0
#include "tests/tuner/backends/emulator/problem_sample.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "search/random.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

namespace tune::emulator::testing {
namespace {

/// Which configurations of a problem are meant to be right, where not all of them are.
const std::map<std::string, std::string> right = {{"fault_injection", "behaviour == 'right'"}};

/// Settings of which any value is emulated, since sizes of checks do not grow with them.
const std::set<std::string> any_value = {"angle", "bins"};

/// Values of other settings that are emulated: small ones.
constexpr std::uint64_t max_values = 9;
constexpr std::int64_t largest_value = 3;  ///< where any number will do

/// Extents at which arrays fit shared memory.
constexpr int small_extent = 48;

/// The problem's settings drawn at random, its extents as they are by default or small.
Instance random_instance(const ProblemInfo& info, search::Random& random) {
  std::vector<std::pair<std::string, Value>> settings;
  for (const SettingInfo& setting : info.settings) {
    if (setting.name == "gpus" && random.below(8) != 0)  // slabs have tests of their own
      settings.emplace_back(setting.name, 1);
    else if (setting.range && any_value.contains(setting.name))
      settings.emplace_back(setting.name, setting.range->second >> random.below(20));
    else if (setting.range)
      settings.emplace_back(
          setting.name, setting.range->first + static_cast<std::int64_t>(
                                                   random.below(static_cast<std::uint64_t>(largest_value))));
    else
      settings.emplace_back(
          setting.name,
          setting.values[random.below(std::min<std::uint64_t>(max_values, setting.values.size()))]);
  }
  std::string size;
  if (random.below(3) != 0)
    for (std::size_t i = 0; i < info.extents.size(); ++i)
      size += (i == 0 ? "" : "x") + std::to_string(small_extent);
  return make_instance(info, size, settings);
}

/// Leaves one of the problem's variants, and one of its kernels where it has several: some have very few
/// configurations.
void choose_variant(search::SpaceDefinition& definition, search::Random& random) {
  for (const char* name : {"variant", "kept"}) {
    const auto choice = std::ranges::find(definition.parameters, name, &search::Parameter::name);
    if (choice == definition.parameters.end()) continue;
    const Value& chosen = choice->values[random.below(choice->values.size())];
    definition.constraints.push_back({search::var(name) == search::Expr(chosen), "chosen"});
  }
}

/// Nothing where the settings do not go together, such as a shape and a radius that it does not have.
std::optional<search::SpaceDefinition> space_of(const Problem& problem, const Instance& instance) {
  try {
    return problem.space(instance, sample_device(problem));
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

DeviceProperties sample_device(const Problem& problem) {
  if (problem.info().target == Target::gpu) return architecture_properties("sm_90");
  DeviceProperties cpu;
  cpu.name = "invented processor";
  cpu.warp_size = cpu.max_threads_per_block = cpu.max_threads_per_multiprocessor = 1;
  cpu.multiprocessors = 256;
  cpu.vector_bits = 512;
  cpu.global_memory = std::int64_t{64} << 30;
  return cpu;
}

std::vector<Sampled> random_sample(const Problem& problem, std::size_t count, std::uint64_t seed,
                                   const std::string& where, std::size_t of_a_space) {
  search::Random random(seed);
  std::vector<Sampled> sample;
  while (sample.size() < count) {
    const Instance instance = random_instance(problem.info(), random);
    const std::optional<search::SpaceDefinition> drawn = space_of(problem, instance);
    if (!drawn) continue;
    for (int i = 0; i < 4 && sample.size() < count; ++i) {
      search::SpaceDefinition definition = *drawn;
      choose_variant(definition, random);
      const auto restricted = right.find(problem.info().name);
      if (restricted != right.end())
        definition.constraints.push_back({search::Expr::parse(restricted->second), "meant to be right"});
      if (where != "True") definition.constraints.push_back({search::Expr::parse(where), "asked for"});
      const search::SearchSpace space(std::move(definition));
      if (space.empty()) continue;
      for (std::size_t j = 0; j < of_a_space && sample.size() < count; ++j)
        sample.push_back({instance, space.at(space.sample(random))});
    }
  }
  return sample;
}

std::vector<Instance> small_sizes(const Problem& problem, const Sampled& sampled, double largest) {
  std::vector<Instance> all = problem.check_instances(sampled.instance, sampled.configuration);
  const auto items = [&](const Instance& one) { return problem.cost(one).items; };
  std::ranges::sort(all, {}, items);
  const auto first_large =
      std::ranges::find_if(all, [&](const Instance& one) { return items(one) > largest; });
  all.erase(std::max(all.begin() + 1, first_large), all.end());
  return all;
}

}  // namespace tune::emulator::testing
