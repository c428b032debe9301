// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "kernels/described/readers/t1.hpp"
#include "tuner/base/format.hpp"

namespace tune::definition::t1 {
namespace {

void read_budget(const JsonField& field, Definition& definition) {
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

/// Our strategy of the same meaning; empty for one that we have none for.
std::string strategy_named(std::string name) {
  std::erase_if(name, [](char c) { return c == '_' || c == '-' || c == ' '; });
  if (name.ends_with("searcher")) name.erase(name.size() - 8);
  if (name.ends_with("search") && name.size() > 6) name.erase(name.size() - 6);
  static const std::map<std::string, std::string> known = {{"random", "random"},
                                                           {"randomsample", "random"},
                                                           {"deterministic", "grid"},
                                                           {"full", "grid"},
                                                           {"exhaustive", "grid"},
                                                           {"bruteforce", "grid"},
                                                           {"grid", "grid"},
                                                           {"mcmc", "annealing"},
                                                           {"annealing", "annealing"},
                                                           {"simulatedannealing", "annealing"},
                                                           {"dualannealing", "annealing"},
                                                           {"genetic", "genetic"},
                                                           {"geneticalgorithm", "genetic"},
                                                           {"ga", "genetic"},
                                                           {"pso", "pso"},
                                                           {"particleswarm", "pso"},
                                                           {"greedyils", "ils"},
                                                           {"ils", "ils"},
                                                           {"iteratedlocal", "ils"},
                                                           {"mls", "ils"},
                                                           {"greedymls", "ils"},
                                                           {"bayesian", "model"},
                                                           {"bayesopt", "model"},
                                                           {"bo", "model"},
                                                           {"bayesianoptimization", "model"},
                                                           {"profilebased", "model"},
                                                           {"model", "model"}};
  const auto found = known.find(name);
  return found == known.end() ? "" : found->second;
}

void read_search(const JsonField& search, Definition& definition) {
  if (const auto name = search.find("Name")) {
    definition.strategy = strategy_named(word(*name));
    if (definition.strategy.empty())
      definition.notes.push_back(
          format("Search: there is no '{}' here; the default strategy is taken (--strategy)", name->text()));
  }
  const auto attributes = search.find("Attributes");
  if (!attributes || !attributes->is_list()) return;
  std::string others;
  for (const JsonField& attribute : attributes->elements()) {
    const auto name = attribute.find("Name");
    const auto value = attribute.find("Value");
    if (name && value && word(*name) == "seed")
      definition.seed = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value->written_integer()));
    else if (name)
      others += (others.empty() ? "" : ", ") + name->text();
  }
  if (!others.empty())
    definition.notes.push_back(format("Search: strategies have no attributes here: {} not used", others));
}

/// Of what is read or says nothing about a run, by object.
const std::set<std::string>& known_fields(const std::string& object) {
  static const std::map<std::string, std::set<std::string>> all = {
      {"",
       {"configurationspace", "kernelspecification", "search", "budget", "general", "$schema", "comment",
        "description"}},
      {"ConfigurationSpace", {"tuningparameters", "conditions", "description"}},
      {"General", {"benchmarkname", "formatversion", "description"}},
      {"KernelSpecification",
       {"language", "compileroptions", "kernelname", "kernelfile", "globalsizetype", "sharedmemory",
        "globalsize", "localsize", "arguments", "referencearguments", "griddivx", "griddivy", "griddivz",
        "problemsize", "benchmarkname", "description"}}};
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

}  // namespace

void read_run(const JsonField& root, Definition& definition) {
  if (const auto budgets = root.find("Budget"))
    for (const JsonField& field : budgets->one_or_more()) read_budget(field, definition);
  if (const auto search = root.find("Search"); search && search->is_object())
    read_search(*search, definition);
}

void note_unread(const JsonField& root, Definition& definition) {
  std::string unread;
  collect(root, "", unread);
  for (const char* const object : {"General", "ConfigurationSpace", "KernelSpecification"})
    if (const auto field = root.find(object); field && field->is_object()) collect(*field, object, unread);
  if (!unread.empty()) definition.notes.push_back(format("not used here: {}", unread));
}

}  // namespace tune::definition::t1
