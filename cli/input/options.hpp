// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expressions/value.hpp"
#include "search/strategies/registry.hpp"
#include "tuner/evaluation/evaluation.hpp"
#include "tuner/measurement/timing.hpp"

namespace tune::cli {

using Assignments = std::vector<std::pair<std::string, search::Value>>;

// These turn the texts of options into values. All throw UsageError that names the option.

/// The index of `text` in `names`; the message names the nearest.
std::size_t index_of_name(const std::string& text, const std::string& option,
                          const std::vector<std::string>& names);
/// Reads a whole number of at least `min`.
std::uint64_t parse_count(const std::string& text, const std::string& option, std::uint64_t min);
/// Reads `1%` or `0.01`.
double parse_share(const std::string& text, const std::string& option);
/// Reads `90s` or `5m`; returns seconds.
double parse_seconds(const std::string& text, const std::string& option);
/// Reads `name=value,name=value`; a repeated name is refused. With `lists`, `name=1,2` is the text `1,2`.
Assignments parse_assignments(const std::string& text, const std::string& option, bool lists = false);
/// `a`, `b` and `c` of `a,b,c`. Throws UsageError for an empty one.
std::vector<std::string> parse_list(const std::string& text, const std::string& option);
/// Reads a strategy's name, with options if there are some (`model:start=10`); `auto` is the default
/// strategy.
search::StrategyChoice parse_strategy(const std::string& text, const std::string& option);

/// The letter of an option that has the same short form in all commands: `p` for `problem`; 0 for none.
char letter_of(std::string_view option);

/// An option in a project file.
struct FileOption {
  std::string name;                 ///< without dashes
  std::vector<std::string> values;  ///< as on the command line; several of a list
  std::optional<bool> truth;        ///< where the value is true or false
  std::size_t line = 0;
};

/// The options that a project file has for a command.
struct FileOptions {
  std::filesystem::path path = {};
  std::vector<FileOption> options = {};
};

/// The options of a command, in the order of its help, each bound to a member of a structure: they are parsed
/// once and never looked up by name. The structure must outlive the table.
class OptionTable {
 public:
  /// Takes the value of an option as text. Throws UsageError.
  using Set = std::function<void(const std::string& text)>;

  /// How often an option may be given, and with how many words.
  enum class Kind { flag, once, repeated, list };

  struct Row {
    std::string name, value_name, description;
    Kind kind;
    Set set;
    std::string default_text = {};
    bool* given = nullptr;
    std::vector<std::string> words = {};  ///< the only values that it takes; empty where others are possible
    std::vector<std::string> aliases = {};  ///< older names
    std::vector<std::string> parts = {};    ///< what a list with commas may have, besides parameters

    /// The value where the option is not given; the help shows it.
    Row& by_default(std::string text) {
      default_text = std::move(text);
      return *this;
    }
    /// Sets `whether` to true where the option is given.
    Row& tells(bool& whether) {
      given = &whether;
      return *this;
    }
    /// An older name of the option.
    Row& also(std::string alias) {
      aliases.push_back(std::move(alias));
      return *this;
    }
    /// `--problem, -p P`.
    std::string shown() const;
    /// The description with the default and the older names.
    std::string meaning() const;
  };

  Row& add(std::string name, std::string value_name, std::string description, Set set,
           Kind kind = Kind::once);

  Row& flag(std::string name, std::string description, bool& target) {
    return add(
        std::move(name), "", std::move(description), [&target](const std::string&) { target = true; },
        Kind::flag);
  }
  template<class T>
  Row& text(std::string name, std::string value_name, std::string description, T& target) {
    return add(std::move(name), std::move(value_name), std::move(description),
               [&target](const std::string& text) { target = text; });
  }
  /// `kind`: repeated, with one word each time; or list, with several words.
  Row& texts(std::string name, std::string value_name, std::string description,
             std::vector<std::string>& target, Kind kind = Kind::repeated) {
    return add(
        std::move(name), std::move(value_name), std::move(description),
        [&target](const std::string& text) { target.push_back(text); }, kind);
  }
  template<class T>
  Row& count(const std::string& name, std::string value_name, std::string description, T& target,
             std::uint64_t min) {
    return add(name, std::move(value_name), std::move(description),
               [name, min, &target](const std::string& text) { target = parse_count(text, name, min); });
  }
  template<class T>
  Row& share(const std::string& name, std::string description, T& target) {
    return add(name, "S", std::move(description),
               [name, &target](const std::string& text) { target = parse_share(text, name); });
  }
  template<class T>
  Row& seconds(const std::string& name, std::string description, T& target) {
    return add(name, "T", std::move(description),
               [name, &target](const std::string& text) { target = parse_seconds(text, name); });
  }
  /// One of a few words, each with its meaning.
  template<class Meaning, class T>
  Row& choice(const std::string& name, std::string value_name, std::string description,
              const std::vector<std::pair<std::string, Meaning>>& meanings, T& target) {
    std::vector<std::string> names;
    for (const auto& meaning : meanings) names.push_back(meaning.first);
    Row& row = add(name, std::move(value_name), std::move(description),
                   [name, names, meanings, &target](const std::string& text) {
                     target = meanings[index_of_name(text, name, names)].second;
                   });
    row.words = std::move(names);
    return row;
  }
  /// May be repeated; a name that is given twice is refused.
  Row& assignments(const std::string& name, std::string description, Assignments& target, bool lists = false);

  /// The help: name and value of each option, then its description in a second column.
  std::string help() const;
  const std::vector<Row>& rows() const { return rows_; }
  /// Reads a command's arguments into the bound members. Words without `--` belong to the options that
  /// `positional` names, separated by blanks (empty: such words are refused): one to each that is not given
  /// by its name, the rest to the last, at most `words` together (-1: any number). An option that is not
  /// among the arguments has its value in `file`, if there is one. Returns what was taken from the file, as
  /// words of a command line. Throws UsageError.
  std::vector<std::string> read(const std::vector<std::string>& arguments, std::string_view command,
                                std::string_view positional, int words, const FileOptions& file = {}) const;

 private:
  std::string unknown(std::string_view command, std::string name) const;

  std::vector<Row> rows_;
};

enum class Format { text, json };

/// `--columns`: names separated by commas. `known`: those that do not depend on the problem.
void add_columns_option(OptionTable& table, std::vector<std::string> known,
                        std::vector<std::string>& columns);
void add_database_option(OptionTable& table, std::string& path);
void add_format_option(OptionTable& table, Format& format);

/// `--objective`; `what` is its description.
void add_objective_option(OptionTable& table, const std::string& what, std::optional<Objective>& objective);
/// `--cache`; `what` is its description.
void add_cache_state_option(OptionTable& table, const std::string& what, CacheState& cache);

}  // namespace tune::cli
