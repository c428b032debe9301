// SPDX-License-Identifier: Apache-2.0
#include "cli/input/options.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "cli/output/text_layout.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Assignments = std::vector<std::pair<std::string, search::Value>>;

/// The last of two would win without a word.
void add_once(Assignments& all, std::string name, search::Value value, const std::string& option) {
  if (std::ranges::find(all, name, &Assignments::value_type::first) != all.end())
    throw UsageError(format("--{}: '{}' is there twice", option, name));
  all.emplace_back(std::move(name), std::move(value));
}

constexpr std::size_t description_column = 26;

/// `--size NXxNYxNZ`; the default value that program_options puts behind it goes to `otherwise`.
std::string name_of(const po::option_description& option, std::string& otherwise) {
  std::string value = option.format_parameter();
  if (const std::size_t begin = value.find(" (="); begin != std::string::npos) {
    otherwise = value.substr(begin + 3, value.size() - begin - 4);
    value.erase(begin);
  }
  return "--" + option.long_name() + (value.empty() ? "" : " " + value);
}

}  // namespace

void add_database_option(po::options_description& options) {
  options.add_options()("db", po::value<std::string>()->value_name("PATH"),
                        "the database; default: $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else "
                        "~/.local/share/tune/results.db");
}

void add_format_option(po::options_description& options, const std::string& formats) {
  options.add_options()("format", po::value<std::string>()->default_value("text")->value_name("FORMAT"),
                        formats.c_str());
}

void check_name(const std::string& name, const std::string& option, const std::vector<std::string>& names) {
  if (std::ranges::find(names, name) != names.end()) return;
  const auto nearest = search::nearest_name(name, names);
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  throw UsageError(
      format("--{}: unknown '{}'; {}", option, name,
             nearest ? format("did you mean '{}'?", *nearest) : format("it is one of: {}", all)));
}

std::string chosen_name(const po::variables_map& values, const std::string& option,
                        const std::vector<std::string>& names) {
  std::string name = option_text(values, option);
  check_name(name, option, names);
  return name;
}

search::StrategyChoice strategy_named(const std::string& name, const std::string& option) {
  std::vector<std::string> names = {"auto"};
  for (const search::StrategyEntry& entry : search::strategies()) names.emplace_back(entry.name);
  check_name(name.substr(0, name.find(':')), option, names);
  try {
    return *search::choose_strategy(name);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(format("--{}: {}", option, wrong.what()));
  }
}

Format chosen_format(const po::variables_map& values) {
  return chosen_name(values, "format", {"text", "json"}) == "json" ? Format::json : Format::text;
}

std::vector<std::pair<std::string, search::Value>> parse_assignments(const std::string& text,
                                                                     const std::string& option) {
  std::vector<std::pair<std::string, search::Value>> pairs;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      throw UsageError(format("--{}: '{}' is not of the form name=value[,name=value...]", option, part));
    add_once(pairs, part.substr(0, equals), search::Value::parse(part.substr(equals + 1)), option);
    begin = end + 1;
  }
  return pairs;
}

std::vector<std::pair<std::string, search::Value>> assignments(const po::variables_map& values,
                                                               const std::string& option) {
  std::vector<std::pair<std::string, search::Value>> all;
  if (!values.count(option)) return all;
  for (const std::string& text : values[option].as<std::vector<std::string>>())
    for (auto& pair : parse_assignments(text, option))
      add_once(all, std::move(pair.first), std::move(pair.second), option);
  return all;
}

std::string option_text(const po::variables_map& values, const std::string& option) {
  return values.count(option) ? values[option].as<std::string>() : std::string();
}

std::uint64_t option_count(const po::variables_map& values, const std::string& option,
                           std::uint64_t otherwise, std::uint64_t min) {
  return values.count(option) ? parse_count(values[option].as<std::string>(), option, min) : otherwise;
}

std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t min) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < min)
    throw UsageError(format("--{}: '{}' is not a whole number of at least {}", option, text, min));
  return number;
}

std::string options_text(const po::options_description& options) {
  std::string text = "Options:\n";
  for (const auto& option : options.options()) {
    std::string otherwise;
    std::string line = "  " + name_of(*option, otherwise);
    std::string description = option->description();
    if (!otherwise.empty()) description += "; default: " + otherwise;
    line += line.size() + 2 > description_column ? "\n" + std::string(description_column, ' ')
                                                 : std::string(description_column - line.size(), ' ');
    text += line + wrapped(description, description_column) + "\n";
  }
  return text;
}

}  // namespace tune::cli
