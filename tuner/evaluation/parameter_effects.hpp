// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/space/configuration.hpp"
#include "tuner/plan/launch_plan.hpp"

namespace tune {

/// Finds parameters that change nothing: configurations that differ in one of them alone have the same
/// machine code and launches. Such a parameter is mostly a name that the kernel does not use as its author
/// meant.
class ParameterEffects {
 public:
  struct WithoutEffect {
    std::string parameter;
    std::uint64_t pairs = 0;  ///< of configurations that differ in it alone
  };

  ParameterEffects() = default;
  /// `told`: parameters that are passed over.
  explicit ParameterEffects(std::vector<std::string> told) : told_(std::move(told)) {}

  /// `code`: of machine code and launches (executed_code). Takes time for each parameter.
  void add(const search::Configuration& configuration, const std::string& code);
  /// Returns the parameters that changed nothing in so many pairs, and something in none.
  std::vector<WithoutEffect> without_effect(std::uint64_t min_pairs = few_pairs) const;

  /// Two unrolled loops may be equal by chance.
  static constexpr std::uint64_t few_pairs = 3;

 private:
  struct Pairs {
    std::uint64_t equal = 0;
    bool differ = false;
    std::map<std::string, std::string> code_of = {};  ///< by the values of all other parameters
  };
  std::vector<std::string> told_;
  std::map<std::string, Pairs> by_parameter_;
};

/// Returns one line for the user, or nothing: `BLOCK changed nothing in 4 pairs of configurations that differ
/// in it alone (first named in k.cu:12)`. `request`: whose sources are searched for the names.
std::string to_text(const std::vector<ParameterEffects::WithoutEffect>& all, const CompileRequest& request);

}  // namespace tune
