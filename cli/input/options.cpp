// SPDX-License-Identifier: Apache-2.0
#include "cli/input/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <stdexcept>

#include "cli/output/text_layout.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::cli {
namespace {

namespace po = boost::program_options;

constexpr std::size_t description_column = 26;

/// Refuses a repeated name: the last one would win silently.
void add_once(Assignments& all, std::string name, search::Value value, const std::string& option) {
  if (std::ranges::find(all, name, &Assignments::value_type::first) != all.end())
    throw UsageError(format("--{}: '{}' is given twice", option, name));
  all.emplace_back(std::move(name), std::move(value));
}

po::options_description described(const std::vector<OptionTable::Row>& rows) {
  po::options_description options;
  for (const OptionTable::Row& row : rows) {
    const po::value_semantic* value = nullptr;
    if (row.kind == OptionTable::Kind::flag)
      value = po::bool_switch();
    else if (row.kind == OptionTable::Kind::list)
      value = po::value<std::vector<std::string>>()->multitoken();
    else
      value = po::value<std::string>();
    std::string names = row.name;
    for (const std::string& alias : row.aliases) names += "," + alias;
    if (const char letter = letter_of(row.name)) names += std::string(",") + letter;
    options.add_options()(names.c_str(), value);
  }
  return options;
}

constexpr const char* any_word = "a word without an option";

/// The values of each option, one for each time that it is given; an empty text for a flag.
using Texts = std::map<std::string, std::vector<std::string>, std::less<>>;

std::vector<std::string> split(std::string_view names, char separator) {
  std::vector<std::string> all;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(separator), names.size());
    all.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return all;
}

[[noreturn]] void refuse_stray(const std::string& stray, std::string reason,
                               const std::vector<std::string>& arguments, std::string_view command) {
  const auto at = std::find(arguments.rbegin(), arguments.rend(), stray);
  if (arguments.rend() - at > 2 && at[2].starts_with("-") && at[2].find('=') == std::string::npos &&
      !at[1].starts_with("-"))
    reason += format("; a value has no blanks: {0} {1}{2}, or {0} '{1} {2}'", at[2], at[1], stray);
  throw UsageError(format("the word '{}' belongs to no option ({}); 'tune help {}' shows the usage", stray,
                          reason, command));
}

/// Gives the words without `--` to their options. Throws UsageError for one that belongs to none: one beyond
/// those that the command takes, or beside the option that it would stand for.
void place_words(const std::vector<std::string>& plain, const std::vector<std::string>& arguments,
                 std::string_view command, std::string_view positional, int words, Texts& texts) {
  if (plain.empty()) return;
  const std::vector<std::string> names = split(positional, ' ');
  if (names.empty()) {
    refuse_stray(plain.back(), format("'tune {}' takes no word without '--'", command), arguments, command);
  }
  std::vector<std::string> open;
  for (const std::string& name : names)
    if (!texts.contains(name)) open.push_back(name);
  if (open.empty())
    refuse_stray(plain.back(), format("--{} is given too", joined(names, {}, " and --")), arguments, command);
  const std::size_t most =
      words < 0 ? plain.size()
                : std::min(open.size(), names.size()) + static_cast<std::size_t>(words) - names.size();
  if (plain.size() > most)
    refuse_stray(plain[most],
                 format("'tune {}' takes {} word{}", command, words == 1 ? "one" : std::to_string(words),
                        words == 1 ? "" : "s"),
                 arguments, command);
  for (std::size_t i = 0; i < plain.size(); ++i)
    texts[open[std::min(i, open.size() - 1)]].push_back(plain[i]);
}

/// A value that names a file is relative to the folder of the project file.
std::string resolved(const OptionTable::Row& row, const std::string& text, const FileOptions& file) {
  const std::filesystem::path folder = file.path.parent_path(), path = text;
  const bool names_file = std::ranges::any_of(std::initializer_list<std::string_view>{"FILE", "PATH", "DIR"},
                                              [&](auto word) { return row.value_name.starts_with(word); });
  std::error_code ignored;
  const bool is_definition =
      row.name == "problem" && std::filesystem::is_regular_file(folder / path, ignored);
  if (folder.empty() || text.empty() || path.is_absolute() || !(names_file || is_definition)) return text;
  return (folder / path).string();
}

/// Adds the options of the file that were not given. Returns their names. What belongs to the problem of the
/// file does not apply to another one.
std::set<std::string> add_file_options(const std::vector<OptionTable::Row>& rows, const FileOptions& file,
                                       Texts& texts) {
  static constexpr std::string_view of_problem[] = {"size", "set", "fix", "where", "reference"};
  const auto option_of = [&](const std::string& name) {
    return std::ranges::find(file.options, name, &FileOption::name);
  };
  bool other_problem = false;
  for (const std::string name : {"problem", "stencil"})
    if (const auto option = option_of(name); option != file.options.end()) {
      const auto given = texts.find(name);
      other_problem = other_problem || texts.contains(name == "problem" ? "stencil" : "problem") ||
                      (given != texts.end() && given->second != option->values);
    }
  std::set<std::string> added;
  for (const OptionTable::Row& row : rows) {
    const auto option = option_of(row.name);
    if (option == file.options.end() || texts.contains(row.name)) continue;
    if (other_problem && std::ranges::find(of_problem, row.name) != std::end(of_problem)) continue;
    if ((row.name == "problem" && texts.contains("stencil")) ||
        (row.name == "stencil" && texts.contains("problem")))
      continue;
    if (row.kind == OptionTable::Kind::flag) {
      if (!option->truth)
        throw UsageError(
            format("{}:{}: {} is true or false", file.path.string(), option->line, option->name));
      if (!*option->truth) continue;
      texts[row.name] = {""};
    } else {
      std::vector<std::string> values;
      for (const std::string& value : option->values) values.push_back(resolved(row, value, file));
      if (row.kind == OptionTable::Kind::once) values = {joined(values, {}, ",")};
      texts[row.name] = std::move(values);
    }
    added.insert(row.name);
  }
  return added;
}

}  // namespace

char letter_of(std::string_view option) {
  static constexpr std::pair<std::string_view, char> letters[] = {
      {"problem", 'p'}, {"device", 'd'}, {"size", 's'},    {"out", 'o'},
      {"top", 'n'},     {"sample", 'n'}, {"verbose", 'v'}, {"quiet", 'q'}};
  const auto* const found = std::ranges::find(letters, option, &std::pair<std::string_view, char>::first);
  return found == std::end(letters) ? '\0' : found->second;
}

std::size_t index_of_name(const std::string& text, const std::string& option,
                          const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw UsageError(format("--{}: unknown '{}'; {}", option, text,
                          suggestion(text, names, "it is one of: " + joined(names))));
}

std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t min) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < min)
    throw UsageError(format("--{}: '{}' is not a whole number of at least {}", option, text, min));
  return number;
}

double parse_share(const std::string& text, const std::string& option) {
  const bool percent = text.ends_with('%');
  const char* const last = text.data() + text.size() - (percent ? 1 : 0);
  double share = 0;
  const auto [end, error] = std::from_chars(text.data(), last, share);
  if (percent) share *= 0.01;
  if (error != std::errc{} || end != last || !(share > 0 && share < 1))
    throw UsageError(format("--{}: '{}' is not a share between 0 and 1, such as 1% or 0.01", option, text));
  return share;
}

double parse_seconds(const std::string& text, const std::string& option) {
  return parse_duration(text, "--" + option);
}

Assignments parse_assignments(const std::string& text, const std::string& option, bool lists) {
  Assignments pairs;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (lists && equals == std::string::npos && !part.empty() && !pairs.empty())
      pairs.back().second = search::Value(pairs.back().second.to_string() + "," + part);
    else if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      throw UsageError(format("--{}: '{}' is not of the form name=value[,name=value...]", option, part));
    else
      add_once(pairs, part.substr(0, equals), search::Value::parse(part.substr(equals + 1)), option);
    begin = end + 1;
  }
  return pairs;
}

std::vector<std::string> parse_list(const std::string& text, const std::string& option) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (end == begin) throw UsageError(format("--{}: '{}' has an empty part", option, text));
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

search::StrategyChoice parse_strategy(const std::string& text, const std::string& option) {
  try {
    return search::choose_strategy(text);
  } catch (const std::invalid_argument& wrong) {
    throw UsageError(format("--{}: {}", option, wrong.what()));
  }
}

OptionTable::Row& OptionTable::add(std::string name, std::string value_name, std::string description, Set set,
                                   Kind kind) {
  return rows_.emplace_back(
      Row{std::move(name), std::move(value_name), std::move(description), kind, std::move(set)});
}

OptionTable::Row& OptionTable::assignments(const std::string& name, std::string description,
                                           Assignments& target, bool lists) {
  return add(
      name, "NAME=VALUE,...", std::move(description),
      [name, lists, &target](const std::string& text) {
        for (auto& pair : parse_assignments(text, name, lists))
          add_once(target, std::move(pair.first), std::move(pair.second), name);
      },
      Kind::repeated);
}

std::string OptionTable::Row::shown() const {
  const char letter = letter_of(name);
  return "--" + name + (letter == 0 ? "" : std::string(", -") + letter) +
         (value_name.empty() ? "" : " " + value_name);
}

std::string OptionTable::Row::meaning() const {
  std::string text = description + (default_text.empty() ? "" : "; default: " + default_text);
  if (!aliases.empty()) text += "; also --" + joined(aliases, {}, ", --");
  return text;
}

std::string OptionTable::help() const {
  std::string text = "Options:\n";
  for (const Row& row : rows_) {
    std::string line = "  " + row.shown();
    line += line.size() + 2 > description_column ? "\n" + std::string(description_column, ' ')
                                                 : std::string(description_column - line.size(), ' ');
    text += line + wrapped(row.meaning(), description_column) + "\n";
  }
  return text;
}

std::string OptionTable::unknown(std::string_view command, std::string name) const {
  name.erase(std::min(name.size(), name.find('=')));
  const std::string plain = name.substr(std::min(name.size(), name.find_first_not_of('-')));
  std::vector<std::string> names;
  for (const Row& row : rows_) {
    names.push_back("--" + row.name);
    for (const std::string& alias : row.aliases) names.push_back("--" + alias);
  }
  return format("'tune {}' has no option '{}'; {}", command, name,
                suggestion("--" + plain, names, format("'tune help {}' lists its options", command)));
}

std::vector<std::string> OptionTable::read(const std::vector<std::string>& arguments,
                                           std::string_view command, std::string_view positional, int words,
                                           const FileOptions& file) const {
  po::options_description options = described(rows_);
  options.add_options()(any_word, po::value<std::vector<std::string>>());
  po::positional_options_description plain_words;
  plain_words.add(any_word, -1);
  Texts texts;
  std::vector<std::string> plain;
  try {
    using Style = po::command_line_style::style_t;
    // Abbreviations are refused: a script that uses one would break when an option is added.
    const int style = Style::unix_style & ~Style::allow_guessing;
    const po::parsed_options parsed =
        po::command_line_parser(arguments).options(options).positional(plain_words).style(style).run();
    for (const auto& option : parsed.options) {
      std::vector<std::string>& all = option.string_key == any_word ? plain : texts[option.string_key];
      all.insert(all.end(), option.value.begin(), option.value.end());
      if (option.value.empty()) all.emplace_back();
    }
  } catch (const po::unknown_option& error) {
    throw UsageError(unknown(command, error.get_option_name()));
  } catch (const po::invalid_command_line_syntax& error) {
    const std::string name = error.get_option_name();
    const bool extra = error.kind() == po::invalid_command_line_syntax::extra_parameter;
    throw UsageError(format("{} {}; 'tune help {}' shows the options", name.empty() ? "an option" : name,
                            extra ? "takes no value" : "needs a value", command));
  } catch (const po::error&) {
    throw UsageError(format("the options cannot be read; 'tune help {}' shows them", command));
  }
  place_words(plain, arguments, command, positional, words, texts);
  const std::set<std::string> of_file = add_file_options(rows_, file, texts);
  for (const Row& row : rows_) {
    const std::vector<std::string>& values = texts[row.name];
    const bool once = row.kind == Kind::flag || row.kind == Kind::once;
    if (once && values.size() > 1) throw UsageError(format("--{} is given twice: give it once", row.name));
    // An empty value is usually a script's unset variable: it must not pass for an option that was left out.
    if (row.kind != Kind::flag && std::ranges::count(values, "") > 0)
      throw UsageError(format("--{}: the value is empty", row.name));
  }
  std::vector<std::string> taken;
  for (const Row& row : rows_) {
    const std::vector<std::string>& values = texts[row.name];
    if (row.given != nullptr) *row.given = !values.empty();
    for (const std::string& text : values) {
      if (!of_file.contains(row.name)) {
        row.set(text);
        continue;
      }
      try {
        row.set(text);
      } catch (const UsageError& error) {
        const auto option = std::ranges::find(file.options, row.name, &FileOption::name);
        throw UsageError(format("{}:{}: {}", file.path.string(), option->line, error.what()));
      }
      taken.push_back("--" + row.name);
      if (row.kind != Kind::flag) taken.push_back(text);
    }
    if (values.empty() && !row.default_text.empty()) row.set(row.default_text);
  }
  return taken;
}

void add_columns_option(OptionTable& table, std::vector<std::string> known,
                        std::vector<std::string>& columns) {
  OptionTable::Row& row =
      table.add("columns", "NAME,...",
                format("show these columns alone: {}, and the parameters of the problem", joined(known)),
                [&columns](const std::string& text) { columns = split(text, ','); });
  row.parts = std::move(known);
}

void add_database_option(OptionTable& table, std::string& path) {
  table.text("db", "PATH",
             "the database; default: $TUNE_DB, else $XDG_DATA_HOME/tune/results.db, else "
             "~/.local/share/tune/results.db",
             path);
}

void add_format_option(OptionTable& table, Format& format) {
  table
      .choice<Format>("format", "FORMAT", "text or json", {{"text", Format::text}, {"json", Format::json}},
                      format)
      .by_default("text");
}

void add_objective_option(OptionTable& table, const std::string& what, std::optional<Objective>& objective) {
  table.add("objective", "O", what, [&objective](const std::string& text) {
    try {
      objective = objective_from_string(text);
    } catch (const std::invalid_argument& error) {
      const auto nearest = search::nearest_name(text, {"time", "energy", "edp"});
      throw UsageError(
          format("--objective: {}{}", error.what(), nearest ? format("; did you mean '{}'?", *nearest) : ""));
    }
  });
}

void add_cache_state_option(OptionTable& table, const std::string& what, CacheState& cache) {
  table
      .choice<CacheState>("cache", "C", what, {{"cold", CacheState::cold}, {"warm", CacheState::warm}}, cache)
      .by_default("cold");
}

}  // namespace tune::cli
