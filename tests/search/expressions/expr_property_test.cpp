// SPDX-License-Identifier: Apache-2.0
// Properties of every expression, on many random ones.
#include <gtest/gtest.h>

#include <optional>

#include "search/expressions/rewrite.hpp"
#include "search/expressions/terms.hpp"
#include "tests/search/print.hpp"
#include "tests/search/space/random_definition.hpp"

namespace tune::search::testing {
namespace {

constexpr int expression_count = 4'000;
const std::vector<std::string> number_names{"a", "b", "c"};
const std::vector<std::string> text_names{"s", "t"};

Values random_values(Random& random, bool reals = true) {
  Values values;
  for (const std::string& name : number_names) {
    const auto number = static_cast<std::int64_t>(random.below(7)) - 2;
    values[name] = reals && random.below(4) == 0 ? Value(static_cast<double>(number) / 2.0) : Value(number);
  }
  for (const std::string& name : text_names) values[name] = random_text(random);
  return values;
}

/// Nothing where evaluation fails.
std::optional<Value> outcome(const Expr& expr, const Values& values) {
  try {
    return expr.evaluate(in_map(values));
  } catch (const ExprError&) {
    return std::nullopt;
  }
}

std::string show(const Expr& expr, const Values& values) {
  std::string text = expr.to_string() + " at";
  for (const auto& [name, value] : values) text += " " + name + "=" + value.to_string();
  return text;
}

/// Calls check(expression, random) with wild and with tame expressions. Counts what did not fail, to see that
/// the property is not empty.
template<class Check>
void for_random_expressions(std::uint64_t seed, Check check) {
  Random random(seed);
  for (int i = 0; i < expression_count && !::testing::Test::HasFailure(); ++i) {
    const ExprSource source{number_names, text_names, i % 2 == 0};
    const int depth = 1 + static_cast<int>(random.below(5));
    check(i % 3 == 0 ? source.number(random, depth) : source.condition(random, depth), random);
  }
}

TEST(ExprProperty, PrintingAndParsingGivesAnEqualTree) {
  for_random_expressions(101, [](const Expr& expr, Random&) {
    const Expr again = Expr::parse(expr.to_string());
    EXPECT_TRUE(again.same_as(expr)) << expr.to_string() << "\n" << again.to_string();
  });
}

TEST(ExprProperty, TermsAreWhatEvaluationGives) {
  const std::map<std::string, std::size_t> slots{{"a", 0}, {"b", 1}, {"c", 2}, {"s", 3}, {"t", 4}};
  int values_seen = 0;
  int failures_seen = 0;
  for_random_expressions(102, [&](const Expr& expr, Random& random) {
    // Other operands may be combined first where all numbers are whole.
    const bool reals = random.below(2) == 0;
    std::vector<Values> all;
    std::vector<std::vector<Scalar>> domains(slots.size());
    for (int trial = 0; trial < 6; ++trial) all.push_back(random_values(random, reals));
    for (const Values& some : all)
      for (const auto& [name, slot] : slots) domains[slot].push_back(Scalar::of(some.at(name)));
    Terms terms(slots, domains);
    const Terms::Id id = terms.add(expr);
    Values values = all.back();
    for (std::size_t trial = 0; trial < 5; ++trial) {
      // The first parameters stay, as while a space is built.
      const Values& others = all[trial];
      const std::size_t stay = trial == 0 ? 0 : random.below(slots.size());
      for (const auto& [name, slot] : slots) {
        if (slot < stay) continue;
        values[name] = others.at(name);
        terms.assign(slot, Scalar::of(values.at(name)));
      }
      const Terms::Term& term = terms.compute(id);
      const bool is_value = !term.failed && !term.value.is_huge();  // huge: within an expression alone
      const std::optional<Value> result = is_value ? std::optional(term.value.value()) : std::nullopt;
      EXPECT_EQ(result, outcome(expr, values)) << show(expr, values);
      ++(result ? values_seen : failures_seen);
    }
  });
  EXPECT_GT(values_seen, expression_count);
  EXPECT_GT(failures_seen, expression_count / 2);
}

TEST(ExprProperty, PartialEvaluationNeverContradictsEvaluation) {
  int settled = 0;
  for_random_expressions(103, [&](const Expr& expr, Random& random) {
    Values known = random_values(random);
    std::erase_if(known, [&random](const auto&) { return random.below(3) == 0; });
    const Tribool truth = expr.partially_evaluate(in_map(known));
    if (truth != Tribool::unknown) ++settled;
    for (int trial = 0; trial < 5; ++trial) {
      Values complete = known;
      complete.merge(random_values(random));
      const auto value = outcome(expr, complete);
      if (!value) continue;
      if (truth != Tribool::unknown) {
        EXPECT_EQ(value->as_bool(), truth == Tribool::yes) << show(expr, known) << "\n"
                                                           << show(expr, complete);
      }
      const Tribool full = expr.partially_evaluate(in_map(complete));
      EXPECT_EQ(full, value->as_bool() ? Tribool::yes : Tribool::no) << show(expr, complete);
    }
  });
  EXPECT_GT(settled, expression_count / 5);
}

TEST(ExprProperty, WhatIsImpliedHoldsWhereverTheRuleHolds) {
  int useful = 0;
  for_random_expressions(104, [&](const Expr& rule, Random& random) {
    std::set<std::string> known = rule.variables();
    std::erase_if(known, [&random](const auto&) { return random.below(3) == 0; });
    const auto implied = implied_by(rule, known);
    if (!implied) return;
    for (const std::string& name : implied->variables()) EXPECT_TRUE(known.contains(name)) << name;
    for (int trial = 0; trial < 5; ++trial) {
      const Values values = random_values(random);
      const auto rule_value = outcome(rule, values);
      const auto implied_value = outcome(*implied, values);
      if (!rule_value || !implied_value) continue;
      EXPECT_TRUE(implied_value->as_bool() || !rule_value->as_bool()) << show(rule, values) << "\n"
                                                                      << implied->to_string();
      if (!implied_value->as_bool() && known.size() < rule.variables().size()) ++useful;
    }
  });
  EXPECT_GT(useful, 100);
}

}  // namespace
}  // namespace tune::search::testing
