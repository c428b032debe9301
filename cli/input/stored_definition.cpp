// SPDX-License-Identifier: Apache-2.0
#include "cli/input/stored_definition.hpp"

#include <algorithm>
#include <filesystem>

#include "db/read/queries.hpp"
#include "db/read/run_details.hpp"
#include "kernels/described/problem.hpp"
#include "kernels/described/readers/definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

bool is_definition(const std::string& word) {
  return word.ends_with(".json") || word.ends_with(".jsonc");
}

}  // namespace

std::vector<std::string> words_of(const std::string& command_line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < command_line.size(); ++i) {
    const char c = command_line[i];
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (c == '\\' && !quoted && i + 1 < command_line.size()) {
      word += command_line[++i];
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::vector<std::string> named_definitions(const db::Database& database, const std::string& problem) {
  std::vector<db::RunSummary> runs = db::list_runs(database);
  std::erase_if(runs, [&](const db::RunSummary& run) { return run.workload.problem != problem; });
  std::ranges::stable_sort(runs, std::ranges::greater(), &db::RunSummary::started);
  std::vector<std::string> files;
  for (const db::RunSummary& run : runs) {
    const std::string line = db::run_details(database, run.run, false).record.options.command_line;
    for (std::string word : words_of(line)) {
      if (word.starts_with("--problem=")) word.erase(0, std::string_view("--problem=").size());
      if (is_definition(word) && std::ranges::find(files, word) == files.end()) files.push_back(word);
    }
  }
  return files;
}

std::shared_ptr<const Problem> defined_problem(const std::string& problem,
                                               const std::vector<std::string>& files,
                                               std::string& failure_reason) {
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    try {
      auto made = std::make_shared<definition::DescribedProblem>(definition::read_definition(file));
      if (made->info().name == problem) return made;
    } catch (const UsageError&) {
      continue;  // another file of that name, or one that was changed
    }
  }
  failure_reason =
      files.empty()
          ? format("'{}' is no problem of this program: name the file of its definition with --problem",
                   problem)
          : format("its definition {} is not here: name the file with --problem", files.front());
  return nullptr;
}

}  // namespace tune::cli
