// SPDX-License-Identifier: Apache-2.0
// The field's exchange format for definitions (T1 of the FAIR benchmark suite of the autotuning community),
// with the fields that published definitions have in addition: Default, GridDivX, ProblemSize, MemType,
// Output.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "kernels/described/formula.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace t1 {
namespace {

/// Reads `[1, 2]`, a formula for it, `1, 2` without brackets, or a single value.
FormulaValue::List read_list(const JsonField& field) {
  FormulaValue all;
  if (field.is_text() && field.text().find(',') != std::string::npos) {
    try {
      all = evaluate(field.text(), nullptr);
    } catch (const search::ExprError&) {
      try {
        all = evaluate("[" + field.text() + "]", nullptr);
      } catch (const search::ExprError&) {
        all = field.evaluated();  // its own error, with the place
      }
    }
  } else if (field.is_list()) {
    FormulaValue::List values;  // texts as they stand: names of choices, or numbers
    for (const JsonField& one : field.elements()) values.push_back(one.value());
    all = std::move(values);
  } else {
    all = field.evaluated();
  }
  if (!all.is_list()) all = FormulaValue::List{all};
  if (all.list().empty()) field.fail("expected a list of at least one value");
  return all.list();
}

bool is_number_text(const FormulaValue& value) {
  if (!value.is_text()) return true;
  try {
    return evaluate(value.text(), nullptr).is_number();
  } catch (const search::ExprError&) {
    return false;
  }
}

/// Returns a number from a text.
FormulaValue as_number(const JsonField& field, const FormulaValue& value, const std::string& type) {
  if (!value.is_text()) return value;
  try {
    FormulaValue number = evaluate(value.text(), nullptr);
    if (number.is_number()) return number;
  } catch (const search::ExprError&) {
  }
  field.fail(format("expected values of type {}, found '{}'", type, value.text()));
}

Value typed(const JsonField& field, const FormulaValue& given, const std::string& type) {
  if (given.is_list()) field.fail("expected values, found a list in the list");
  if (type == "string") return given.is_text() ? given.text() : given.scalar().to_string();
  const FormulaValue value = as_number(field, given, type);
  if (type == "bool") return value.to_bool();
  if (type == "float") return value.real();
  if (type == "uint" && value.real() < 0) field.fail("expected values that are not negative");
  // An int with a fraction keeps it; a whole number in any spelling is whole.
  if (value.is_real() && value.real() != static_cast<double>(static_cast<std::int64_t>(value.real())))
    return value.real();
  return value.integer();
}

std::string type_of(const JsonField& field, const std::vector<FormulaValue>& values) {
  const auto given = field.is_object() ? field.find("Type") : std::nullopt;
  if (!given) return std::ranges::all_of(values, is_number_text) ? "int" : "string";
  static const std::map<std::string, std::string> known = {
      {"int", "int"},       {"integer", "int"},   {"int32", "int"},         {"int64", "int"},
      {"long", "int"},      {"uint", "uint"},     {"unsigned", "uint"},     {"uint32", "uint"},
      {"uint64", "uint"},   {"size_t", "uint"},   {"float", "float"},       {"double", "float"},
      {"float32", "float"}, {"float64", "float"}, {"real", "float"},        {"bool", "bool"},
      {"boolean", "bool"},  {"string", "string"}, {"str", "string"},        {"enum", "string"},
      {"text", "string"},   {"number", "int"},    {"categorical", "string"}};
  const auto found = known.find(word(*given));
  if (found != known.end()) return found->second;
  given->fail(
      format("no parameter has the type '{}'; there are int, uint, float, bool, string", given->text()));
}

/// `field`: an object with Values, or the values themselves.
search::Parameter read_parameter(const std::string& name, const JsonField& field) {
  search::Parameter parameter;
  parameter.name = name;
  const JsonField values = field.is_object() ? field.at("Values") : field;
  const FormulaValue::List all = read_list(values);
  const std::string type = type_of(field, all);
  DistinctValues distinct;
  for (const FormulaValue& value : all) distinct.add(typed(values, value, type));
  parameter.values = distinct.take();
  parameter.default_value = parameter.values.front();
  const auto chosen = field.is_object() ? field.find("Default") : std::nullopt;
  if (!chosen) return parameter;
  FormulaValue value = chosen->is_text() && type != "string" ? chosen->evaluated() : chosen->value();
  if (value.is_list() && !value.list().empty()) value = FormulaValue(value.list().front());
  const Value wanted = typed(*chosen, value, type);
  // Published definitions have defaults outside of their parameter's values: then the first value is the
  // default.
  if (std::ranges::find(parameter.values, wanted) != parameter.values.end()) parameter.default_value = wanted;
  return parameter;
}

void add_condition(const JsonField& rule, KernelDescription& definition) {
  for (const std::string& name : rule.rule().variables())
    if (std::ranges::count(definition.parameters, name, &search::Parameter::name) == 0)
      rule.fail(format("'{}' is not a parameter", name));
  add_constraint(rule, "", definition);
}

void read_space(const JsonField& root, KernelDescription& definition) {
  const JsonField space = root.at("ConfigurationSpace");
  const JsonField parameters = space.at("TuningParameters");
  if (parameters.is_object())
    for (const auto& [name, field] : parameters.members())
      add_parameter(read_parameter(name, field), field, definition);
  else
    for (const JsonField& field : parameters.elements()) {
      const JsonField name = field.at("Name");
      add_parameter(read_parameter(name.text(), field), name, definition);
    }
  if (definition.parameters.empty()) parameters.fail("expected a parameter");
  const auto conditions = space.find("Conditions");
  if (!conditions) return;
  for (const JsonField& field : conditions->one_or_more()) {
    if (field.is_text() && field.text().empty()) continue;
    if (!field.is_object()) {
      add_condition(field, definition);
      continue;
    }
    for (const JsonField& rule : field.at("Expression").one_or_more()) add_condition(rule, definition);
  }
}

void read_budget(const JsonField& field, KernelDescription& definition) {
  const JsonField type = field.at("Type");
  const JsonField value = field.at("BudgetValue");
  const double number = value.written_number();
  if (!(number > 0)) value.fail("expected a positive number");
  const std::string kind = word(type);
  if (kind == "configurationcount") {
    definition.budget_evaluations = value.written_integer();
  } else if (kind == "tuningduration") {
    definition.budget_seconds = number;
  } else if (kind == "configurationfraction") {
    if (number > 1) value.fail("expected a share, at most 1");
    definition.budget_share = number;
  } else {
    type.fail(format("expected ConfigurationCount, TuningDuration or ConfigurationFraction, found '{}'",
                     type.text()));
  }
}

void read_search(const JsonField& search, KernelDescription& definition) {
  if (const auto name = search.find("Name")) {
    definition.strategy = strategy_named(word(*name));
    if (definition.strategy.empty())
      definition.notes.push_back(
          format("Search: there is no '{}' here; the default strategy is taken (--strategy)", name->text()));
  }
  const auto attributes = search.find("Attributes");
  if (!attributes || !attributes->is_list()) return;
  std::vector<std::string> others;
  for (const JsonField& attribute : attributes->elements()) {
    const auto name = attribute.find("Name");
    const auto value = attribute.find("Value");
    if (name && value && word(*name) == "seed")
      definition.seed = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value->written_integer()));
    else if (name)
      others.push_back(name->text());
  }
  if (!others.empty())
    definition.notes.push_back(
        format("Search: strategies have no attributes here: {} not used", joined(others)));
}

/// Names, by object, of fields that are read or do not concern a run.
const std::set<std::string>& known_fields(const std::string& object) {
  static const std::map<std::string, std::set<std::string>> all = {
      {"",
       {"configurationspace", "kernelspecification", "search", "budget", "general", "$schema", "comment",
        "description"}},
      {"ConfigurationSpace", {"tuningparameters", "conditions", "description"}},
      {"General", {"benchmarkname", "formatversion", "description"}},
      {"KernelSpecification",
       {"language", "compiler", "compileroptions", "kernelname", "kernelfile", "globalsizetype",
        "sharedmemory", "globalsize", "localsize", "arguments", "referencearguments", "griddivx", "griddivy",
        "griddivz", "problemsize", "benchmarkname", "description"}}};
  return all.at(object);
}

void collect(const JsonField& object, const std::string& name, std::string& unread) {
  const std::set<std::string>& known = known_fields(name);
  for (const auto& [field, value] : object.members()) {
    std::string lower = field;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (known.contains(lower) || value.is_null()) continue;
    unread += (unread.empty() ? "" : ", ") + (name.empty() ? field : name + "." + field);
  }
}

void read_run(const JsonField& root, KernelDescription& definition) {
  if (const auto budgets = root.find("Budget"))
    for (const JsonField& field : budgets->one_or_more()) read_budget(field, definition);
  if (const auto search = root.find("Search"); search && search->is_object())
    read_search(*search, definition);
}

/// Adds one note that names the fields without meaning here.
void note_unread(const JsonField& root, KernelDescription& definition) {
  std::string unread;
  collect(root, "", unread);
  for (const char* const object : {"General", "ConfigurationSpace", "KernelSpecification"})
    if (const auto field = root.find(object); field && field->is_object()) collect(*field, object, unread);
  if (!unread.empty()) definition.notes.push_back(format("not used here: {}", unread));
}

}  // namespace

std::string word(const JsonField& field) {
  std::string text;
  for (const char c : field.text())
    if (std::isspace(static_cast<unsigned char>(c)) == 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string strategy_named(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || c == '-' || c == ' '; });
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.ends_with("searcher")) name.erase(name.size() - 8);
  if (name.ends_with("search") && name.size() > 6) name.erase(name.size() - 6);
  static const std::pair<const char*, std::set<std::string>> known[] = {
      {"random", {"random", "randomsample"}},
      {"grid", {"deterministic", "full", "exhaustive", "bruteforce", "grid"}},
      {"annealing", {"mcmc", "annealing", "simulatedannealing", "dualannealing"}},
      {"genetic", {"genetic", "geneticalgorithm", "ga"}},
      {"pso", {"pso", "particleswarm"}},
      {"ils", {"greedyils", "ils", "iteratedlocal", "mls", "greedymls"}},
      {"model", {"bayesian", "bayesopt", "bo", "bayesianoptimization", "profilebased", "model"}}};
  for (const auto& [strategy, names] : known)
    if (names.contains(name)) return strategy;
  return "";
}

}  // namespace t1

KernelDescription read_t1(const JsonField& root) {
  KernelDescription definition;
  t1::read_space(root, definition);
  const auto kernel = root.find("KernelSpecification");
  const auto general = root.find("General");
  auto name = general ? general->find("BenchmarkName") : std::nullopt;
  if (!name && kernel) name = kernel->at("KernelName");
  definition.name = name ? name->text() : root.file().stem().string();
  definition.summary = format("{} of {}", definition.name, root.file().filename().string());
  if (kernel)
    t1::read_kernel(*kernel, definition);
  else
    definition.unusable =
        format("{}: there is no KernelSpecification: no kernel can be run", root.file().string());
  t1::read_run(root, definition);
  t1::note_unread(root, definition);
  return definition;
}

}  // namespace tune::described
