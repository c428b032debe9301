// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/random.hpp"
#include "search/space/configuration.hpp"
#include "search/space/parameter.hpp"

namespace tune::search {

/// Number of a valid configuration: 0 <= id < SearchSpace::size(), in lexical order of the parameters'
/// values.
using ConfigurationId = std::uint64_t;

/// The valid configurations of a problem on a device. Conditional (a parameter may exist under one variant
/// only) and constrained; built by assigning one parameter after the other and leaving a branch as soon as a
/// constraint is certainly broken, never by filtering the full product.
///
/// Immutable after construction; safe to read from several threads.
class SearchSpace {
 public:
  /// Throws ExprError or std::invalid_argument for a definition that is wrong: names twice, a condition over
  /// a later parameter, an unknown name in an expression, a default that is not among the values.
  explicit SearchSpace(SpaceDefinition definition);

  const SpaceDefinition& definition() const { return definition_; }
  const std::vector<Parameter>& parameters() const { return definition_.parameters; }

  /// How many configurations are valid.
  ConfigurationId size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Product of the numbers of values of all parameters, existing or not; a real number, since it may be
  /// beyond 64 bits.
  double product_size() const;

  /// The configuration with this number. Throws std::out_of_range.
  Configuration at(ConfigurationId id) const;
  /// Its number, or nothing where it is not valid here: a wrong value, a parameter missing or too many, or a
  /// broken constraint.
  std::optional<ConfigurationId> find(const Configuration& configuration) const;
  /// Why `find` finds nothing, in one sentence for people (the reason of the first broken constraint, the
  /// parameter's valid values); empty where it is valid.
  std::string explain(const Configuration& configuration) const;

  /// Uniform over all valid configurations. The space must not be empty.
  ConfigurationId sample(Random& random) const { return random.below(size_); }

  /// Valid configurations that differ from `id` in exactly one parameter that exists in both; a change of a
  /// parameter that decides which others exist takes those others' defaults (the nearest valid completion).
  /// In increasing order, without repetition, without `id`.
  std::vector<ConfigurationId> neighbours(ConfigurationId id) const;

  /// The default configuration: every parameter's default, or, where that is not valid, the valid one that
  /// differs from it in the fewest parameters, the first of these. Nothing where the space is empty.
  std::optional<ConfigurationId> default_configuration() const;

  /// Index of each parameter's value, in declaration order; -1 where the parameter does not exist. For
  /// models.
  std::vector<int> value_indices(ConfigurationId id) const;

 private:
  SpaceDefinition definition_;
  ConfigurationId size_ = 0;
  std::vector<std::int16_t> rows_;  ///< size_ x parameters: value index, -1 where absent
  std::unordered_map<std::uint64_t, std::vector<ConfigurationId>> by_hash_;
};

}  // namespace tune::search
