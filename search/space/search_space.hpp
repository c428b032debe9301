// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/random.hpp"
#include "search/space/configuration.hpp"
#include "search/space/row_graph.hpp"
#include "search/space/space_builder.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

class FoundRows;

/// Number of a valid configuration: 0 <= id < SearchSpace::size(), in lexical order of the parameters'
/// values (of another order of the parameters where their own takes too much memory).
using ConfigurationId = std::uint64_t;

/// The costs of one parameter's values in `SearchSpace::cheapest`: not negative, infinite for a forbidden
/// value.
struct ValueCosts {
  std::vector<double> values;  ///< by index
  double absent = 0;           ///< where the parameter does not exist
};

/// The valid configurations of a problem on a device. Conditional (a parameter may exist under one variant
/// only) and constrained; built by assigning one parameter after the other and leaving a branch as soon as a
/// constraint is certainly broken, never by filtering the full product. Configurations are not listed: the
/// completions of all beginnings that leave the same choices are stored once (RowGraph), so that spaces of
/// 10^15 configurations are counted exactly and sampled uniformly.
///
/// Immutable after construction; safe to read from several threads.
class SearchSpace {
 public:
  /// Different beginnings to complete; more would take minutes and gigabytes. Their number depends on how
  /// closely constraints tie parameters together, not on how many configurations are valid.
  static constexpr std::size_t default_max_states = 5'000'000;

  /// Throws ExprError or std::invalid_argument for a definition that is wrong: names twice, a condition over
  /// a later parameter, an unknown name in an expression, a default that is not among the values, a value
  /// that cannot be told from another in text, a constraint that cannot be evaluated (division by zero); and
  /// std::length_error, which says what to do, for a space that cannot be counted with `max_states`, or has
  /// more than RowGraph::max_rows configurations.
  /// `watch` may end the counting: then throws Stopped.
  explicit SearchSpace(SpaceDefinition definition, std::size_t max_states = default_max_states,
                       const CountWatch& watch = {});

  /// Does the same, but makes a space that is not `counted` of one that cannot be: it begins with
  /// `sample_size` drawn configurations (see draw_sample), the same in every run. Other valid ones get the
  /// numbers from size() on as they are found: by `find`, and as neighbours. Throws std::length_error where
  /// no valid configuration is found.
  static SearchSpace counted_or_sampled(SpaceDefinition definition, const CountWatch& watch = {});
  static constexpr std::size_t sample_size = 10'000;

  /// Makes a space of the listed configurations instead of all that the constraints allow: a recording
  /// answers for nothing else. Repeated ones count once. Throws std::invalid_argument for one with unknown
  /// parameters or values.
  static SearchSpace of(SpaceDefinition definition, std::span<const Configuration> configurations);

  /// Makes the space of the configurations that `keep` lets through, for rules that no expression can state.
  /// `keep` is called once for each, in order; its exceptions pass through. Throws std::length_error for a
  /// space of more than 50 million, in which that would take minutes.
  SearchSpace where(const std::function<bool(const Configuration&)>& keep) const;

  const SpaceDefinition& definition() const { return definition_; }
  const std::vector<Parameter>& parameters() const { return definition_.parameters; }

  /// False: size() counts a sample of the valid configurations, whose number is not known, or so large that
  /// they cannot be numbered.
  bool counted() const { return counted_; }
  /// Returns the number of valid configurations, in digits, where it is beyond RowGraph::max_rows; otherwise
  /// an empty text.
  const std::string& large_count() const { return large_count_; }
  /// True when the configuration is valid.
  bool allows(const Configuration& configuration) const { return find(configuration).has_value(); }

  /// Returns the number of valid configurations, or of those in the sample.
  ConfigurationId size() const { return graph_.size(); }
  bool empty() const { return size() == 0; }
  /// Returns the product of the numbers of values of all parameters, existing or not; a real number, since it
  /// may be beyond 64 bits.
  double product_size() const;

  /// Returns the configuration with this number. Throws std::out_of_range.
  Configuration at(ConfigurationId id) const;
  /// Returns its number, or nothing where it is not valid here: a wrong value, a parameter missing or too
  /// many, or a broken constraint.
  std::optional<ConfigurationId> find(const Configuration& configuration) const;
  /// Returns why `find` finds nothing, in one sentence (the reason of the first broken constraint, the
  /// parameter's valid values); empty where it is valid.
  std::string explain(const Configuration& configuration) const;

  /// Returns the number of the valid configuration with these values, as `value_indices` returns them: -1
  /// where a parameter does not exist. Returns nothing where it is not valid. O(parameters).
  std::optional<ConfigurationId> find_indices(std::span<const int> indices) const;
  /// Returns the valid configuration whose values cost least in sum, among those that `allowed` lets through
  /// (all where it is empty); one of equals at random, each with the same chance. Returns nothing where there
  /// is none. `costs` has one entry a parameter. Stops after some thousand steps with the best so far, so
  /// that in large spaces it now and then misses the cheapest, or finds none where hardly any is allowed.
  std::optional<ConfigurationId> cheapest(std::span<const ValueCosts> costs, Random& random,
                                          const std::function<bool(ConfigurationId)>& allowed = {}) const;

  /// Draws uniformly from all valid configurations. The space must not be empty.
  ConfigurationId sample(Random& random) const { return random.below(size()); }

  /// Returns the valid configurations that differ from `id` in exactly one of the parameters that exist in
  /// both. Where the change lets other parameters exist (a change of the variant), these take their defaults,
  /// or, where that is not valid, the valid values of which the fewest differ from the defaults, the first of
  /// these. That search stops after some thousand steps, so that a value now and then has no neighbour
  /// although there is one. Where the space is not counted and few are found (a sum of all parameters is
  /// given), some that differ in two parameters are added. In increasing order, without repetition, without
  /// `id`. Not always mutual. O(values * parameters). Throws std::out_of_range.
  std::vector<ConfigurationId> neighbours(ConfigurationId id) const;
  /// Does the same where the parameters have at most `most` values together. Else tries about so many values,
  /// an equal share for each parameter: half of it the values that are declared next to the present one, half
  /// at random. O(most * parameters).
  std::vector<ConfigurationId> some_neighbours(ConfigurationId id, std::size_t most, Random& random) const;

  /// Returns the default configuration: the default of every parameter that exists, or, where that is not
  /// valid, the valid one with the fewest parameters that are not at their default, the first of these.
  /// Returns nothing where the space is empty.
  std::optional<ConfigurationId> default_configuration() const { return default_; }

  /// Returns the index of each parameter's value, in declaration order; -1 where the parameter does not
  /// exist.
  std::vector<int> value_indices(ConfigurationId id) const;

 private:
  using Digit = RowGraph::Digit;
  using Digits = std::vector<Digit>;  ///< of all columns
  struct Unbuilt {};

  /// Makes a space without rows, of an unchecked definition.
  SearchSpace(Unbuilt, SpaceDefinition definition);

  void build(std::size_t max_states, const CountWatch& watch);
  /// Returns the constraint that it breaks or the value that is wrong, in one sentence; empty for none.
  std::string broken_by(const Configuration& configuration) const;
  void order_columns(std::vector<std::size_t> parameters);
  void check(ConfigurationId id) const;
  /// A digit of a row is the value's index, one more where the parameter is conditional, 0 where it is
  /// absent.
  Digit first_digit(std::size_t parameter) const { return parameters()[parameter].exists_if ? 1 : 0; }
  bool absent(std::size_t parameter, Digit digit) const { return digit < first_digit(parameter); }
  /// Returns the digit of this value, or nothing where it is not one of the parameter's.
  std::optional<Digit> digit_of(std::size_t parameter, const Value& value) const;
  /// Returns the digits of a configuration of these parameters' values, valid or not, or nothing for others.
  std::optional<Digits> digits_of(const Configuration& configuration) const;
  Digits digits_of(ConfigurationId id) const;
  Digits default_digits() const;
  std::optional<ConfigurationId> nearest_to_defaults() const;
  /// The digits that a neighbour may have instead of `current`, which is left out or not.
  Digits digits_beside(std::size_t parameter, Digit current, std::size_t most, Random& random) const;
  void add_neighbours(Digits& digits, std::size_t column, const Digits& others,
                      std::vector<ConfigurationId>& found) const;
  std::size_t share_of_each(const Digits& digits, std::size_t most) const;
  /// The same for a space that is not counted.
  std::vector<ConfigurationId> found_neighbours(ConfigurationId id, std::size_t most, Random& random) const;
  std::vector<ConfigurationId> found_pairs(const Digits& row, Random& random) const;
  /// Returns the number of a row in the sample or beside it.
  std::optional<ConfigurationId> number_of(const Digits& digits) const;
  void add_completions(const Digits& digits, std::size_t column, const Digits& others,
                       std::vector<ConfigurationId>& found) const;

  SpaceDefinition definition_;
  RowGraph graph_;
  std::vector<std::size_t> parameter_of_;  ///< by column
  std::vector<std::size_t> column_of_;     ///< by parameter
  std::vector<bool> deciding_;             ///< true when another's condition mentions the parameter
  std::optional<ConfigurationId> default_;
  bool counted_ = true;
  std::string large_count_;
  std::shared_ptr<FoundRows> found_;  ///< of a sampled space; its columns are in declaration order
};

}  // namespace tune::search
