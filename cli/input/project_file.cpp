// SPDX-License-Identifier: Apache-2.0
#include "cli/input/project_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "cli/output/printable_output.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

class ProjectReader {
 public:
  ProjectReader(ProjectFile& file, const std::function<bool(std::string_view)>& is_command)
      : file_(file), is_command_(is_command) {}

  /// `name`: of the table, such as `db export`; empty at the top.
  void read(const toml::table& table, const std::string& name) {
    const std::size_t number = file_.tables.size();
    file_.tables.push_back({name, line_of(table), {}});
    for (const auto& [key, node] : table) {
      const std::string word(key.str());
      const std::string inner = name.empty() ? word : name + " " + word;
      if (node.is_table() && is_command_(inner))
        read(*node.as_table(), inner);
      else
        file_.tables[number].options.push_back(option_of(word, node));
    }
  }

 private:
  static std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

  FileOption option_of(const std::string& name, const toml::node& node) const {
    FileOption option{.name = name, .values = {}, .truth = {}, .line = line_of(node)};
    if (const auto* const truth = node.as_boolean()) option.truth = truth->get();
    if (const auto* const list = node.as_array()) {
      for (const toml::node& one : *list) option.values.push_back(text_of(one));
    } else if (const auto* const table = node.as_table()) {
      std::vector<std::string> pairs;
      for (const auto& [key, value] : *table)
        pairs.push_back(format("{}={}", std::string(key.str()), text_of(value)));
      option.values.push_back(joined(pairs, {}, ","));
    } else {
      option.values.push_back(text_of(node));
    }
    return option;
  }

  std::string text_of(const toml::node& node) const {
    if (const auto* const text = node.as_string()) return text->get();
    if (const auto* const number = node.as_integer()) return std::to_string(number->get());
    if (const auto* const number = node.as_floating_point()) return format("{}", number->get());
    if (const auto* const truth = node.as_boolean()) return truth->get() ? "true" : "false";
    throw UsageError(format("{}:{}: a value is a text, a number, true, false, or a list or table of these",
                            file_.path.string(), line_of(node)));
  }

  ProjectFile& file_;
  const std::function<bool(std::string_view)>& is_command_;
};

/// The complaint of the reader where `db = ...` stands above `[db.export]`; empty for other complaints.
std::string table_beside_option(const std::string& text, std::string_view reason,
                                const std::filesystem::path& path,
                                const std::function<bool(std::string_view)>& is_command) {
  const std::size_t begin = reason.find('\''), end = reason.rfind('\'');
  if (!reason.ends_with("' as table") || begin == end) return {};
  const std::string name(reason.substr(begin + 1, end - begin - 1));  // db.export
  const std::size_t dot = name.find('.'), at = text.find(format("[{}]", name));
  if (dot == std::string::npos || at == std::string::npos) return {};
  const std::string option = name.substr(0, dot), command = format("{} {}", option, name.substr(dot + 1));
  if (!is_command(command)) return {};
  return format("{}:{}: '{}' is an option above: write this table as [\"{}\"]", path.string(),
                1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), option,
                command);
}

}  // namespace

ProjectFile read_project_file(const std::filesystem::path& path,
                              const std::function<bool(std::string_view)>& is_command) {
  const auto text = read_text(path);
  if (!text) throw UsageError(format("cannot read {}: {}", path.string(), text.error()));
  return read_project_text(*text, path, is_command);
}

ProjectFile read_project_text(const std::string& text, const std::filesystem::path& path,
                              const std::function<bool(std::string_view)>& is_command) {
  ProjectFile file{path, {}};
  try {
    ProjectReader(file, is_command).read(toml::parse(text, path.string()), "");
  } catch (const toml::parse_error& error) {
    const std::string reason(error.description()),
        known = table_beside_option(text, reason, path, is_command);
    throw UsageError(known.empty() ? format("{}:{}: {}", path.string(), error.source().begin.line, reason)
                                   : known);
  }
  return file;
}

std::optional<std::filesystem::path> find_project_file() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::current_path(error), prefix;
  while (!error) {
    const std::filesystem::path path = prefix / "tune.toml";
    struct stat facts = {};
    if (::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
      if (facts.st_uid == ::geteuid() || facts.st_uid == 0 || ::geteuid() == 0) return path;
      say(format("{} belongs to another user and is not read; --config-file {} reads it", path.string(),
                 shell_quoted(path.string())));
      return std::nullopt;
    }
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
    prefix /= "..";
  }
  return std::nullopt;
}

}  // namespace tune::cli
