// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/command.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "kernels/described/braces.hpp"
#include "tuner/base/content_hash.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::described {
namespace {

/// Larger files, such as data, count by their size and time.
constexpr std::uintmax_t largest_hashed = 64 << 20;

std::string value_of(const std::string& name, const ExpressionScope& scope) {
  const auto found = scope.words().find(name);
  return found == scope.words().end() ? std::string() : found->second;
}

/// True for a word that is nothing but names in braces.
bool is_only_names(const std::string& word) {
  return !word.empty() && with_values(word, [](const std::string&) { return std::string(); }).empty();
}

CommandPlan::Words command_of(const CommandText& command, const ExpressionScope& scope) {
  CommandPlan::Words words;
  if (command.by_shell) {
    const std::string text = with_values(command.words.front(), [&](const std::string& name) {
      const std::string value = value_of(name, scope);
      return value.empty() ? value : shell_quoted(value);
    });
    return {"/bin/sh", "-c", text};
  }
  for (const std::string& word : command.words) {
    std::string replaced = scope.with_values_in(word);
    if (!replaced.empty() || !is_only_names(word)) words.push_back(std::move(replaced));
  }
  return words;
}

SourceFile source_of(const std::filesystem::path& path, const std::string& name,
                     const SourceLocation& place) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > largest_hashed)
    return {name, format("{} bytes, {}", size,
                         std::filesystem::last_write_time(path, error).time_since_epoch().count())};
  const auto text = read_text(path);
  if (!text) place.fail(format("cannot read {}: {}", path.string(), text.error()));
  return {name, content_hash(*text)};
}

/// The words between spaces and the signs of a shell.
std::vector<std::string> words_of_shell(std::string text) {
  for (char& c : text)
    if (std::string_view(";&|()<>\"'`\n\t").find(c) != std::string_view::npos) c = ' ';
  std::vector<std::string> words;
  std::istringstream rest(text);
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

/// True for an executable file, and for a script by its first line or the ending of its name.
bool is_program(const std::filesystem::path& file) {
  static const std::set<std::string> endings = {".sh", ".py", ".pl", ".rb", ".R", ".jl", ".lua"};
  if (access(file.c_str(), X_OK) == 0 || endings.contains(file.extension().string())) return true;
  std::ifstream in(file);
  return in.get() == '#' && in.get() == '!';
}

}  // namespace

std::optional<std::vector<std::string>> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      has_word = true;
    } else if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      has_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (quote != '\0') return std::nullopt;
  if (has_word) words.push_back(std::move(word));
  return words;
}

std::vector<std::string> texts_of(const CommandDescription& command) {
  std::vector<std::string> all;
  for (const CommandText* const one : {&command.build, &command.run, &command.check})
    all.insert(all.end(), one->words.begin(), one->words.end());
  for (const auto& [name, value] : command.environment) all.push_back(value);
  return all;
}

CommandPlan plan_of(const CommandDescription& command, const ExpressionScope& scope) {
  CommandPlan plan = command.plan;
  plan.build = command_of(command.build, scope);
  plan.run = command_of(command.run, scope);
  plan.check = command_of(command.check, scope);
  for (const auto& [name, value] : command.environment)
    plan.environment.emplace_back(name, scope.with_values_in(value));
  return plan;
}

std::vector<SourceFile> sources_of(const CommandDescription& command) {
  std::vector<SourceFile> all;
  const std::filesystem::path& folder = command.plan.folder;
  std::error_code error;
  const auto add = [&](const std::filesystem::path& file) {
    const std::string name = file.lexically_normal().generic_string();
    if (std::ranges::find(all, name, &SourceFile::name) == all.end())
      all.push_back(source_of(folder / file, name, command.place));
  };
  for (const std::filesystem::path& file : command.plan.files) {
    if (!std::filesystem::exists(folder / file, error))
      command.place.fail(format("there is no file or folder {}", (folder / file).string()));
    if (!std::filesystem::is_directory(folder / file, error)) {
      add(file);
      continue;
    }
    using Entries = std::filesystem::recursive_directory_iterator;
    for (auto at = Entries(folder / file, std::filesystem::directory_options::skip_permission_denied, error);
         at != Entries() && !error; at.increment(error))
      if (at->is_regular_file(error)) add(at->path().lexically_relative(folder));
  }
  // The program or script; what is behind it may be a file that the command writes. What a build makes is not
  // a source. A shell may be told to begin with a file that it writes.
  const auto is_file = [&](const std::string& word) {
    return !word.empty() && std::filesystem::is_regular_file(folder / word, error);
  };
  if (command.build.words.empty() && command.run.by_shell) {
    for (const std::string& word : words_of_shell(command.run.words.front()))
      if (is_file(word) && is_program(folder / word)) add(word);
  } else if (command.build.words.empty()) {
    const auto named = std::ranges::find_if(command.run.words, is_file);
    if (named != command.run.words.end()) add(*named);
  }
  if (command.plan.expected)
    all.push_back(source_of(command.plan.expected->file, "(expected)", command.place));
  std::ranges::sort(all, {}, &SourceFile::name);
  return all;
}

}  // namespace tune::described
