// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "search/random.hpp"
#include "search/space/space_definition.hpp"

namespace tune::search::testing {

using Values = std::map<std::string, Value, std::less<>>;

/// Looks up in the map, which must outlive the result.
Lookup in_map(const Values& values);

/// Random expressions over variables of known kinds.
struct ExprSource {
  std::vector<std::string> numbers;
  std::vector<std::string> texts;
  /// Allows evaluations that fail: division by zero, overflow, texts as numbers.
  bool may_fail = false;

  Expr number(Random& random, int depth) const;
  Expr condition(Random& random, int depth) const;
};

/// A text that text parameters take.
Value random_text(Random& random);

/// One to five parameters with one to four values, conditional ones among them, a constant and up to three
/// constraints that never fail. Small enough for brute force.
SpaceDefinition random_definition(Random& random);

/// For messages of failing tests.
std::string describe(const SpaceDefinition& definition);

/// The valid configurations as the definition means it: the full product, in lexical order, filtered. Written
/// to be obviously right.
std::vector<std::map<std::string, Value, std::less<>>> brute_force(const SpaceDefinition& definition);

}  // namespace tune::search::testing
