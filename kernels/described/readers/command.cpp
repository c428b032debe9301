// SPDX-License-Identifier: Apache-2.0
// The member `command` of a definition.
#include "kernels/described/command.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/described/braces.hpp"
#include "kernels/described/readers/definition.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/backends/host/command_result.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

using Kind = ResultSource::Kind;

const std::map<std::string, Kind> named_sources = {{"wall time", Kind::wall_time},
                                                   {"processor time", Kind::processor_time},
                                                   {"peak memory", Kind::peak_memory},
                                                   {"exit code", Kind::exit_code},
                                                   {"output", Kind::output}};
const std::map<std::string, double> time_units = {
    {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"min", 60}};

/// A number is written as it stands.
std::string word_of(const JsonField& field) {
  return field.is_text() ? field.text() : field.value().scalar().to_string();
}

void check_names(const JsonField& field, const std::string& text, const KernelDescription& definition) {
  std::vector<std::string> known;
  for (const search::Parameter& one : definition.parameters) known.push_back(one.name);
  for (const ExtentInfo& one : definition.extents) known.push_back(one.name);
  for (const SettingInfo& one : definition.settings) known.push_back(one.name);
  for_each_brace(text, [&](std::size_t, std::size_t, const std::string& name) {
    if (std::ranges::find(known, name) == known.end())
      field.fail(
          format("there is no parameter, size or setting '{}'{}", name, search::did_you_mean(name, known)));
  });
}

CommandText read_command_text(const JsonField& field, bool by_shell, const KernelDescription& definition) {
  CommandText command;
  if (by_shell) {
    command = {{field.text()}, true};
    if (field.text().find_first_not_of(" \t\n") == std::string::npos) field.fail("expected a command");
  } else if (field.is_list()) {
    for (const JsonField& word : field.elements()) command.words.push_back(word_of(word));
  } else {
    const auto words = split_words(field.text());
    if (!words) field.fail("a quote is not closed");
    command.words = *words;
    static const std::set<std::string> of_shell = {"|", "||", "&&", ";", "&", ">", ">>", "<", "2>", "2>&1"};
    for (const std::string& word : command.words)
      if (of_shell.contains(word))
        field.fail(format("'{}' is for a shell: add \"shell\": true to 'command'", word));
  }
  if (command.words.empty() || command.words.front().empty()) field.fail("expected a command");
  for (const std::string& word : command.words) check_names(field, word, definition);
  return command;
}

ResultSource read_source(const JsonField& field, bool is_time) {
  ResultSource source;
  const auto take_name = [&source](const JsonField& name) {
    const auto known = named_sources.find(name.text());
    if (known != named_sources.end()) {
      source.kind = known->second;
      return;
    }
    std::vector<std::string> names;
    for (const auto& [one, kind] : named_sources) names.push_back(one);
    name.fail(format("expected one of {}, or an object with 'regex' or 'json', found '{}'{}", joined(names),
                     name.text(), search::did_you_mean(name.text(), names)));
  };
  if (!field.is_object()) {
    take_name(field);
    return source;
  }
  field.allow({"regex", "json", "of", "unit"});
  const auto pattern = field.find("regex"), path = field.find("json"), of = field.find("of");
  if ((pattern ? 1 : 0) + (path ? 1 : 0) + (of ? 1 : 0) != 1)
    field.fail("expected one of 'regex', 'json' and 'of'");
  if (pattern) {
    source = {Kind::pattern, pattern->text()};
    const std::string mistake = host::pattern_mistake(source.text);
    if (!mistake.empty()) pattern->fail(format("this is not a regular expression: {}", mistake));
  } else if (path) {
    source = {Kind::json, path->text()};
    const std::string mistake = host::path_mistake(source.text);
    if (!mistake.empty()) path->fail(mistake);
  } else {
    take_name(*of);
  }
  if (const auto unit = field.find("unit")) {
    const auto known = time_units.find(unit->text());
    if (!is_time) unit->fail("only 'time' has a unit: other results are stored as they are");
    if (known == time_units.end())
      unit->fail(format("expected s, ms, us, ns or min, found '{}'", unit->text()));
    source.scale = known->second;
  }
  return source;
}

void read_results(const JsonField& field, CommandPlan& plan) {
  if (field.is_text()) {
    plan.results.emplace_back("time", read_source(field, true));
    return;
  }
  for (const auto& [name, source] : field.members()) {
    if (name.empty()) source.fail("expected a name");
    if (name != "time" && std::ranges::find(fact_names, name) != fact_names.end())
      source.fail(format("'{}' has another meaning: expected another name", name));
    plan.results.emplace_back(name, read_source(source, name == "time"));
  }
  if (plan.results.empty()) field.fail("expected a result");
}

void read_check(const JsonField& field, bool by_shell, const KernelDescription& definition,
                CommandDescription& command) {
  if (!field.is_object()) {
    command.check = read_command_text(field, by_shell, definition);
    return;
  }
  field.allow({"expected", "of", "absolute", "relative"});
  ExpectedOutput expected;
  const JsonField file = field.at("expected");
  expected.file = command.plan.folder / file.text();
  if (const auto of = field.find("of")) expected.written = of->text();
  for (const auto& [name, bound] :
       {std::pair("absolute", &expected.absolute), std::pair("relative", &expected.relative)})
    if (const auto given = field.find(name)) {
      *bound = given->number();
      if (!(*bound >= 0)) given->fail("a tolerance cannot be negative");
    }
  std::error_code error;
  if (!std::filesystem::is_regular_file(expected.file, error))
    file.fail(format("there is no file {}", expected.file.string()));
  command.plan.expected = std::move(expected);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> read_environment(const JsonField& field,
                                                                  const KernelDescription& definition) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto environment = field.find("environment");
  if (!environment) return all;
  for (const auto& [name, value] : environment->members()) {
    if (name.empty() || name.find('=') != std::string::npos) value.fail("this is not a variable's name");
    all.emplace_back(name, word_of(value));
    check_names(value, all.back().second, definition);
  }
  return all;
}

void read_command(const JsonField& field, KernelDescription& definition) {
  field.allow(
      {"build", "run", "check", "result", "files", "directory", "environment", "timeout", "warmup", "shell"});
  CommandDescription command{.place = field.place()};
  CommandPlan& plan = command.plan;
  const auto directory = field.find("directory");
  std::error_code error;
  plan.folder =
      std::filesystem::absolute(field.file().parent_path() / (directory ? directory->text() : "."), error)
          .lexically_normal();
  if (directory && !std::filesystem::is_directory(plan.folder, error))
    directory->fail(format("there is no folder {}", plan.folder.string()));
  const auto shell = field.find("shell");
  const bool by_shell = shell && shell->flag();
  command.run = read_command_text(field.at("run"), by_shell, definition);
  if (const auto build = field.find("build")) command.build = read_command_text(*build, by_shell, definition);
  if (const auto check = field.find("check")) read_check(*check, by_shell, definition, command);
  if (const auto result = field.find("result")) read_results(*result, plan);
  if (const auto files = field.find("files"))
    for (const JsonField& one : files->one_or_more()) {
      const std::filesystem::path file = std::filesystem::path(one.text()).lexically_normal();
      if (one.text().empty() || file.is_absolute() || *file.begin() == "..")
        one.fail("expected a file or folder in the directory of the commands");
      if (!std::filesystem::exists(plan.folder / file, error))
        one.fail(format("there is no file or folder {}", (plan.folder / file).string()));
      plan.files.push_back(file);
    }
  command.environment = read_environment(field, definition);
  if (const auto timeout = field.find("timeout")) {
    plan.timeout = timeout->number();
    if (!(*plan.timeout > 0)) timeout->fail("expected seconds above 0");
  }
  if (const auto warmup = field.find("warmup")) {
    const std::int64_t count = warmup->integer();
    if (count < 0 || count > 1000) warmup->fail("expected a number of executions from 0 to 1,000");
    plan.warmup = static_cast<int>(count);
  }
  definition.command = std::make_shared<const CommandDescription>(std::move(command));
}

}  // namespace tune::described
