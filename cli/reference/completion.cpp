// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/input/command.hpp"
#include "cli/input/device_choice.hpp"
#include "cli/input/problem_selection.hpp"
#include "cli/reference/reference_facts.hpp"
#include "kernels/registry.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Words = std::vector<std::string>;

Words names_of_commands(std::span<const Command> all) {
  Words names;
  for (const Command& command : all) names.emplace_back(last_word(command));
  return names;
}

/// The command that the words name, with the number of words that do; run for words that begin with an option
/// or a problem; null for none.
std::pair<const Command*, std::size_t> named_command(const Words& words) {
  const auto find = [](std::span<const Command> all, const std::string& name) {
    const auto found = std::ranges::find(all, std::string_view(name), &last_word);
    return found == all.end() ? nullptr : &*found;
  };
  const Command* const run = find(commands(), "run");
  if (words.size() < 2) return {words[0].starts_with("-") ? run : nullptr, 0};
  if (words[0].starts_with("-")) return {run, 0};
  const Command* command = find(commands(), words[0]);
  if (command == nullptr || command->parts == nullptr) return {command, 1};
  if (words.size() < 3) return {command, 1};
  return {find(command->parts(), words[1]), 2};
}

/// `-p` for problem; empty where the option has no letter.
std::string short_name(std::string_view option) {
  const char letter = letter_of(option);
  return letter == 0 ? std::string() : std::string("-") + letter;
}

/// True where the word is the option's name or letter.
bool is_option(const std::string& word, const std::string& option) {
  return word == "--" + option || (!word.empty() && word == short_name(option));
}

/// The value of an option that stands on the line, else empty.
std::string given(const Words& words, const std::string& option) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_option(words[i], option) && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with("--" + option + "=")) return words[i].substr(option.size() + 3);
  }
  return {};
}

/// The problem that the line names; null for none, and for files.
std::unique_ptr<Problem> named_problem(const Words& words) {
  for (const std::string& word : words)
    if (kernels::find_problem(word) != nullptr) return kernels::make_problem(word);
  const std::string value = given(words, "problem");
  return kernels::find_problem(value) != nullptr ? kernels::make_problem(value) : nullptr;
}

/// Names with their values, for --set and --fix.
using Assignable = std::vector<std::pair<std::string, Words>>;

Assignable settings_of(const Problem& problem) {
  Assignable all;
  for (const SettingInfo& setting : problem.info().settings) {
    Words values;
    for (const Value& value : setting.values) values.push_back(value.to_string());
    all.emplace_back(setting.name, std::move(values));
  }
  return all;
}

/// At the settings that the line has so far: they decide which variants there are.
Instance instance_on_line(const Problem& problem, const Words& words) {
  try {
    return make_instance(problem.info(), given(words, "size"), parse_assignments(given(words, "set"), "set"));
  } catch (const Error&) {
    return make_instance(problem.info(), "", {});
  }
}

Assignable parameters_of(const Problem& problem, const Words& words) {
  std::string notice;
  Assignable all;
  const search::SpaceDefinition space =
      problem.space(instance_on_line(problem, words), properties_or_architecture("", "sm_90", notice));
  for (const search::Parameter& parameter : space.parameters) {
    Words values;
    for (const Value& value : parameter.values) values.push_back(value.to_string());
    all.emplace_back(parameter.name, std::move(values));
  }
  return all;
}

/// `radius=1,sh` becomes `radius=1,shape=`; `shape=b` becomes `shape=box`.
Words completed_assignments(const Assignable& all, const std::string& word) {
  const std::size_t begin = word.rfind(',') == std::string::npos ? 0 : word.rfind(',') + 1;
  const std::string before = word.substr(0, begin), last = word.substr(begin);
  Words candidates;
  if (const std::size_t equals = last.find('='); equals != std::string::npos) {
    for (const auto& [name, values] : all)
      if (name == last.substr(0, equals))
        for (const std::string& value : values) candidates.push_back(before + name + "=" + value);
  } else {
    for (const auto& one : all)
      if (before.find(one.first + "=") == std::string::npos) candidates.push_back(before + one.first + "=");
  }
  return candidates;
}

/// `time,bl` becomes `time,block_x`: names that are not in the list yet, those of parameters too.
Words completed_list(Words names, const Words& words, const std::string& word) {
  if (const auto problem = named_problem(words))
    for (auto& [name, values] : parameters_of(*problem, words)) names.push_back(std::move(name));
  const std::size_t begin = word.rfind(',') == std::string::npos ? 0 : word.rfind(',') + 1;
  const std::string before = word.substr(0, begin);
  Words candidates;
  for (const std::string& name : names)
    if (("," + before).find("," + name + ",") == std::string::npos) candidates.push_back(before + name);
  return candidates;
}

Words values_of(const OptionTable::Row& row, const Words& words, const std::string& word) {
  if (!row.words.empty()) return row.words;
  if (row.name == "problem") {
    Words names;
    for (const kernels::ProblemEntry& entry : kernels::problems()) names.emplace_back(entry.name);
    return names;
  }
  if (row.name == "strategy") {
    Words names = {"auto"};
    for (const search::StrategyEntry& entry : search::strategies()) names.emplace_back(entry.name);
    return names;
  }
  if (!row.parts.empty()) return completed_list(row.parts, words, word);
  if (row.name == "device") return {"0", "cuda:0", "emulator", "replay"};
  if (row.name == "objective") return {"time", "energy", "edp"};
  const std::unique_ptr<Problem> problem =
      row.name == "set" || row.name == "fix" ? named_problem(words) : nullptr;
  if (problem == nullptr) return {};
  return completed_assignments(row.name == "set" ? settings_of(*problem) : parameters_of(*problem, words),
                               word);
}

Words options_of(const OptionTable& table, const Words& words) {
  Words names;
  for (const OptionTable::Row& row : table.rows()) {
    const bool again = row.kind == OptionTable::Kind::repeated || row.kind == OptionTable::Kind::list;
    const bool given = std::any_of(words.begin(), words.end() - 1,
                                   [&](const std::string& word) { return is_option(word, row.name); });
    if (given && !again) continue;
    names.push_back("--" + row.name);
    if (std::string letter = short_name(row.name); !letter.empty()) names.push_back(std::move(letter));
  }
  names.insert(names.end(), {"--help", "--config-file", "--no-config-file"});
  return names;
}

Words candidates_for(const Words& words) {
  const std::string& word = words.back();
  const auto [command, used] = named_command(words);
  if (command == nullptr) {
    if (words.size() > 1 && used < 2 && words[0] != "help") return {};
    Words names = names_of_commands(commands());
    if (words.size() == 1) names.emplace_back("help");
    return names;
  }
  if (command->parts != nullptr) return names_of_commands(command->parts());
  const CommandPage page = page_of(*command);
  const auto row_named = [&](std::string_view name) {
    const auto& rows = page.table.rows();
    const auto found = std::ranges::find(rows, name, &OptionTable::Row::name);
    return found == rows.end() ? nullptr : &*found;
  };
  if (word.starts_with("--") && word.find('=') != std::string::npos) {
    const std::size_t equals = word.find('=');
    const OptionTable::Row* const row = row_named(word.substr(2, equals - 2));
    Words values = row == nullptr ? Words() : values_of(*row, words, word.substr(equals + 1));
    for (std::string& value : values) value = word.substr(0, equals + 1) + value;
    return values;
  }
  if (word.starts_with("-")) return options_of(page.table, words);
  if (words.size() >= 2 && words[words.size() - 2] == "--config-file") return {};  // a file
  if (words.size() >= 2) {
    const auto& rows = page.table.rows();
    const auto row = std::ranges::find_if(
        rows, [&](const OptionTable::Row& one) { return is_option(words[words.size() - 2], one.name); });
    if (row != rows.end() && row->kind != OptionTable::Kind::flag) return values_of(*row, words, word);
  }
  const OptionTable::Row* const positional = row_named(command->positional);
  return positional == nullptr ? options_of(page.table, words) : values_of(*positional, words, word);
}

}  // namespace

int run_completion(const std::vector<std::string>& words) {
  Words all = words;
  if (!all.empty() && all.front() == "--") all.erase(all.begin());
  if (all.empty()) all.emplace_back();
  std::set<std::string> shown;
  for (const std::string& candidate : candidates_for(all))
    if (candidate.starts_with(all.back()) && shown.insert(candidate).second) std::cout << candidate << "\n";
  return 0;
}

}  // namespace tune::cli
