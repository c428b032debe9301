// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/expressions/terms.hpp"
#include "search/space/space_check.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search {

/// A configuration that is being made: parameters are assigned one after the other in declaration order, and
/// constraints are checked as soon as they can be. The definition must outlive it.
class Construction {
 public:
  explicit Construction(const SpaceDefinition& definition);

  const Assignment& assignment() const { return assignment_; }
  Terms& terms() { return terms_; }
  const std::vector<std::vector<Scalar>>& values() const { return values_; }

  /// Returns how many parts of constraints were computed so far.
  std::uint64_t steps() const { return terms_.evaluated(); }

  bool exists(std::size_t parameter) const { return assignment_.exists[parameter] != 0; }
  /// Assigns a value by its index. The parameters before have been assigned, and this one exists.
  void assign(std::size_t parameter, std::uint32_t index) {
    assignment_.indices[parameter] = index;
    terms_.assign(parameter, values_[parameter][index]);
  }
  /// Passes over a parameter that does not exist.
  void pass_over(std::size_t parameter) { terms_.pass_over(parameter); }

  /// Decides which parameters exist, as far as that follows from the first `depth` ones, and returns whether
  /// these break no constraint. Throws ExprError for what cannot be computed; it names the constraint and the
  /// assignment.
  bool accepts(std::size_t depth);

  /// Returns the digit of a parameter in a row of a RowGraph (see build_graph).
  std::uint32_t digit(std::size_t parameter) const;

 private:
  Lookup lookup(std::size_t depth) const;
  void decide_existence(std::size_t depth);
  [[noreturn]] void fail(std::size_t constraint, std::size_t depth) const;

  const SpaceDefinition& definition_;
  std::vector<std::vector<Scalar>> values_;  ///< of each parameter
  Terms terms_;
  CheckPlan plan_;
  Assignment assignment_;
};

}  // namespace tune::search
