// SPDX-License-Identifier: Apache-2.0
#include "search/space/space_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "search/space/space_check.hpp"

namespace tune::search {

namespace {

/// Whether the parameter exists. Throws ExprError where its condition fails although nothing in it is
/// missing.
bool certainly_holds(const Parameter& parameter, const Lookup& lookup) {
  const Expr& condition = *parameter.exists_if;
  const Truth truth = condition.partially_evaluate(lookup);
  if (truth != Truth::unknown) return truth == Truth::yes;
  const auto names = condition.variables();
  if (!std::ranges::all_of(names, [&](const std::string& name) { return lookup(name) != nullptr; }))
    return false;
  try {
    return condition.evaluate(lookup).as_bool();
  } catch (const ExprError& error) {
    throw ExprError("the condition of parameter '" + parameter.name + "', '" + condition.to_string() +
                    "': " + error.what());
  }
}

class Builder {
 public:
  Builder(const SpaceDefinition& definition, std::uint64_t limit)
      : definition_(definition),
        limit_(limit),
        plan_(plan_checks(definition)),
        rows_(radices_of(definition)) {
    const std::size_t count = definition.parameters.size();
    assignment_ = {std::vector<std::uint32_t>(count), std::vector<Scalar>(count),
                   std::vector<char>(count, 1)};
    digits_.resize(count);
    for (const Parameter& parameter : definition.parameters) {
      auto& scalars = scalars_.emplace_back();
      for (const Value& value : parameter.values) scalars.push_back(Scalar::of(value));
    }
  }

  PackedRows build() {
    decide_existence(0);
    if (passes(0)) assign(0);
    return std::move(rows_);
  }

 private:
  /// Tries all values of parameter `p`, all before it being assigned.
  void assign(std::size_t p) {
    if (p == digits_.size()) {
      if (rows_.size() == limit_) {
        throw std::length_error("more than " + std::to_string(limit_) +
                                " configurations are valid; fix a parameter or add a constraint");
      }
      rows_.append(digits_);
      return;
    }
    if (assignment_.exists[p] == 0) {
      digits_[p] = 0;
      descend(p);
      return;
    }
    const PackedRows::Digit first = definition_.parameters[p].exists_if ? 1 : 0;
    for (std::uint32_t index = 0; index < scalars_[p].size(); ++index) {
      assignment_.indices[p] = index;
      assignment_.values[p] = scalars_[p][index];
      digits_[p] = first + index;
      descend(p);
    }
  }

  void descend(std::size_t p) {
    decide_existence(p + 1);
    if (passes(p + 1)) assign(p + 1);
  }

  bool passes(std::size_t depth) {
    return std::ranges::all_of(plan_.checks[depth], [&](CheckPlan::Entry& entry) {
      try {
        return entry.check.passes(assignment_);
      } catch (const ExprError& error) {
        if (!entry.complete) return true;
        fail(entry.constraint, depth, error);
      }
    });
  }

  /// Looks up what is assigned at `depth` and exists, and constants.
  Lookup lookup(std::size_t depth) const {
    return [this, depth](std::string_view name) -> const Value* {
      const auto& parameters = definition_.parameters;
      for (std::size_t p = 0; p < depth; ++p) {
        if (parameters[p].name != name) continue;
        return assignment_.exists[p] != 0 ? &parameters[p].values[assignment_.indices[p]] : nullptr;
      }
      const auto constant = definition_.constants.find(name);
      return constant == definition_.constants.end() ? nullptr : &constant->second;
    };
  }

  void decide_existence(std::size_t depth) {
    for (const std::size_t p : plan_.decided[depth]) {
      assignment_.exists[p] = certainly_holds(definition_.parameters[p], lookup(depth)) ? 1 : 0;
    }
  }

  [[noreturn]] void fail(std::size_t constraint, std::size_t depth, const ExprError& error) const {
    const Expr& rule = definition_.constraints[constraint].rule;
    std::string where;
    for (const std::string& name : rule.variables()) {
      const Value* value = lookup(depth)(name);
      if (value != nullptr) where += (where.empty() ? "" : ", ") + name + "=" + value->to_string();
    }
    throw ExprError("constraint '" + rule.to_string() + "' at (" + where + "): " + error.what());
  }

  const SpaceDefinition& definition_;
  std::uint64_t limit_;
  CheckPlan plan_;
  PackedRows rows_;
  std::vector<std::vector<Scalar>> scalars_;  // of the parameters' values
  Assignment assignment_;
  std::vector<PackedRows::Digit> digits_;
};

}  // namespace

std::vector<PackedRows::Digit> radices_of(const SpaceDefinition& definition) {
  std::vector<PackedRows::Digit> radices;
  for (const Parameter& parameter : definition.parameters)
    radices.push_back(static_cast<PackedRows::Digit>(parameter.values.size()) +
                      (parameter.exists_if ? 1 : 0));
  return radices;
}

PackedRows build_rows(const SpaceDefinition& definition, std::uint64_t limit) {
  return Builder(definition, limit).build();
}

}  // namespace tune::search
