// SPDX-License-Identifier: Apache-2.0
#include "cli/input/project_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

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

std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1 && text.find('\n') != text.npos; --number) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

/// `db export` and `db` for the line `[db.export]`; empty for lines that are no such header.
std::pair<std::string, std::string> command_of_header(std::string_view line) {
  const std::size_t begin = line.find('['), dot = line.find('.'), end = line.find(']');
  if (begin != 0 || dot == line.npos || end == line.npos || dot > end) return {};
  const std::string option(line.substr(1, dot - 1));
  return {format("{} {}", option, line.substr(dot + 1, end - dot - 1)), option};
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
    const std::size_t line = error.source().begin.line;
    std::string reason(error.description());
    const auto [command, option] = command_of_header(line_of(text, line));
    if (reason.ends_with(" as table") && is_command(command))
      reason = format("'{}' is an option above: write this table as [\"{}\"]", option, command);
    throw UsageError(format("{}:{}: {}", path.string(), line, reason));
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
