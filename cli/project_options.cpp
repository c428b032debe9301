// SPDX-License-Identifier: Apache-2.0
#include "cli/project_options.hpp"

#include <algorithm>
#include <optional>

#include "cli/input/project_file.hpp"
#include "cli/output/text_layout.hpp"
#include "cli/reference/reference_facts.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

constexpr std::string_view named = "--config-file", none = "--no-config-file";

/// The file that the arguments name, else the one that is found; takes these words out.
std::optional<std::filesystem::path> chosen_file(std::vector<std::string>& arguments) {
  std::optional<std::filesystem::path> file;
  bool is_off = false;
  std::vector<std::string> rest;
  const auto end = std::ranges::find(arguments, "--");  // behind it stand the words of another program
  for (auto word = arguments.begin(); word != end; ++word) {
    if (*word == none) {
      is_off = true;
    } else if (*word == named) {
      if (++word == end) throw UsageError(format("{} needs a value: name a file", named));
      file = *word;
    } else if (word->starts_with(named) && word->size() > named.size() && (*word)[named.size()] == '=') {
      file = word->substr(named.size() + 1);
    } else {
      rest.push_back(*word);
    }
  }
  rest.insert(rest.end(), end, arguments.end());
  arguments = std::move(rest);
  if (is_off && file) throw UsageError(format("{} and {}: choose one", named, none));
  return is_off || file ? file : find_project_file();
}

/// Throws UsageError for a key that is neither an option of its command nor, at the top, of any.
void check_keys(const ProjectFile& file, const std::vector<CommandPage>& pages) {
  for (const ProjectTable& table : file.tables) {
    std::vector<std::string> known;
    for (const CommandPage& page : pages)
      if (table.command.empty() || page.command->name == table.command)
        for (const OptionTable::Row& row : page.table.rows()) known.push_back(row.name);
    if (table.command.empty())
      for (const CommandPage& page : pages) known.emplace_back(page.command->name);
    for (const FileOption& option : table.options) {
      if (std::ranges::find(known, option.name) != known.end()) continue;
      const std::string where = table.command.empty() ? "no command" : format("'tune {}'", table.command);
      throw UsageError(
          format("{}:{}: {} has {} option '{}'; {}", file.path.string(), option.line, where,
                 table.command.empty() ? "the" : "no", shortened(option.name),
                 suggestion(option.name, known, "'tune help COMMAND' lists the options of a command")));
    }
  }
}

}  // namespace

FileOptions project_options(const Command& command, std::vector<std::string>& arguments) {
  const std::optional<std::filesystem::path> path = chosen_file(arguments);
  if (!path) return {};
  const std::vector<CommandPage> pages = command_pages();
  const ProjectFile file = read_project_file(*path, [](std::string_view name) {
    return std::ranges::any_of(commands(), [&](const Command& one) {
      return one.name == name || (one.parts != nullptr &&
                                  std::ranges::find(one.parts(), name, &Command::name) != one.parts().end());
    });
  });
  check_keys(file, pages);
  FileOptions chosen{.path = *path, .options = {}};
  const auto add = [&](const std::string& name) {
    for (const ProjectTable& table : file.tables)
      if (table.command == name)
        for (const FileOption& option : table.options)
          if (std::ranges::find(chosen.options, option.name, &FileOption::name) == chosen.options.end())
            chosen.options.push_back(option);
  };
  add(std::string(command.name));
  add("");
  return chosen;
}

}  // namespace tune::cli
