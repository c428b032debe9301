// SPDX-License-Identifier: Apache-2.0
// A problem family has several algorithms that compute the same: its variants, and their table.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/framework/family_space.hpp"
#include "search/space/configuration.hpp"
#include "tuner/problem/problem.hpp"

namespace tune::kernels {

/// One algorithm of a family. `Job` is what an instance of the family asks for, `Checked` what the sizes
/// follow from at which a configuration is checked.
template<class Job, class Checked>
struct Variant {
  std::string_view name;     ///< fused
  std::string_view summary;  ///< one clause, for the documentation of the parameter `variant`
  /// Whether it can compute the job at all.
  bool (*applies)(const Job& job);
  /// Adds its parameters and rules, which exist and hold under this variant alone.
  void (*add_to_space)(FamilySpace& space, const Job& job);
  /// Returns what a configuration of it means. Sets LaunchPlan::tolerance where the problem's is not right.
  Result<LaunchPlan> (*plan)(const Job& job, const Configuration& configuration,
                             const KernelSources& sources);
  Checked (*checked)(const Job& job, const Configuration& configuration);
};

/// All variants of a family, in the order of the values of the parameter `variant`.
template<class Job, class Checked>
class VariantTable {
 public:
  using Entry = Variant<Job, Checked>;

  VariantTable(std::string_view family, std::vector<Entry> entries)
      : family_(family), entries_(std::move(entries)) {}

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  /// Returns the variant of a configuration. Throws std::out_of_range for an unknown name.
  const Entry& of(const Configuration& configuration) const {
    const std::string& name = configuration["variant"].as_text();
    for (const Entry& entry : entries_)
      if (entry.name == name) return entry;
    throw std::out_of_range("no " + std::string(family_) + " variant '" + name + "'");
  }

  /// Adds those that apply to the job.
  void add_to(FamilySpace& space, const Job& job) const {
    for (const Entry& entry : entries_) {
      if (!entry.applies(job)) continue;
      space.begin(entry.name);
      space.offer(entry.summary);
      entry.add_to_space(space, job);
    }
  }

 private:
  std::string_view family_;
  std::vector<Entry> entries_;
};

}  // namespace tune::kernels
