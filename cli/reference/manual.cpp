// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/manual.hpp"

#include <algorithm>
#include <string_view>

#include "library/run/version.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

constexpr std::string_view what_it_is = "finds the fastest correct configuration of a CUDA kernel";

/// For roff: a backslash, a hyphen and a dot at the beginning of a line have meanings of their own.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool at_beginning = escaped.empty() || escaped.back() == '\n';
    if (at_beginning && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

/// `tune-db-info` for `db info`.
std::string page_name(std::string_view command) {
  std::string name = "tune-" + std::string(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string heading(std::string_view name, std::string_view summary) {
  return format(".TH {} 1 \"\" \"tune {}\" \"tune\"\n.SH NAME\n{} \\- {}\n", roff(name), roff(run::version()),
                roff(name), roff(summary));
}

std::string facts_in_roff(std::string_view title, std::span<const Fact> facts) {
  std::string text = format(".SH {}\n", title);
  for (const Fact& fact : facts) text += format(".TP\n.B {}\n{}\n", roff(fact.name), roff(fact.meaning));
  return text;
}

std::string command_in_roff(const CommandPage& page) {
  const Command& command = *page.command;
  std::string text = heading(page_name(command.name), command.summary);
  text += format(".SH SYNOPSIS\n.B {}\n.SH OPTIONS\n", roff(command.usage));
  for (const OptionTable::Row& row : page.table.rows()) {
    text += format(".TP\n.B {}\n{}\n", roff(row.shown()), roff(row.meaning()));
  }
  text += ".SH EXAMPLES\n.nf\n" + roff(command.example) + ".fi\n";
  text += facts_in_roff("EXIT STATUS", exit_facts());
  return text + ".SH SEE ALSO\n.BR tune (1)\n";
}

std::string program_in_roff(std::span<const CommandPage> pages) {
  std::string text = heading("tune", what_it_is);
  text +=
      ".SH SYNOPSIS\n.B tune\n\\-\\-problem \\fIP\\fR \\-\\-device \\fID\\fR [options]\n.br\n.B tune\n\\fICOMMAND\\fR [options]\n";
  text +=
      ".SH DESCRIPTION\nCompiles variants of a kernel, checks each one against a reference, measures it on the GPU and stores every result in a database. Without a command it is \\fBtune run\\fR.\n.SH COMMANDS\n";
  for (const CommandPage& page : pages)
    text += format(".TP\n.BR {} (1)\n{}\n", roff(page_name(page.command->name)), roff(page.command->summary));
  text += facts_in_roff("OPTIONS OF EVERY COMMAND", common_options());
  text += facts_in_roff("EXIT STATUS", exit_facts());
  text += facts_in_roff("ENVIRONMENT", environment_facts());
  return text + facts_in_roff("FILES", file_facts());
}

/// A cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string facts_in_markdown(std::string_view title, std::string_view name, std::span<const Fact> facts) {
  std::string text = format("\n## {}\n| {} | meaning |\n|---|---|\n", title, name);
  for (const Fact& fact : facts) text += format("| `{}` | {} |\n", fact.name, cell(fact.meaning));
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> manual_pages() {
  const std::vector<CommandPage> pages = command_pages();
  std::vector<std::pair<std::string, std::string>> files = {{"tune.1", program_in_roff(pages)}};
  for (const CommandPage& page : pages)
    files.emplace_back(page_name(page.command->name) + ".1", command_in_roff(page));
  return files;
}

std::string commands_markdown() {
  std::string text =
      "# Commands\nEvery command with its options. `tune reference markdown` prints this page; `tune help "
      "COMMAND` shows a part of it.\n";
  for (const CommandPage& page : command_pages()) {
    const Command& command = *page.command;
    std::string usage(command.usage);
    for (std::size_t at = 0; (at = usage.find('\n')) != usage.npos;)
      usage.replace(at, usage.find_first_not_of(" \n", at) - at, "`, `");
    text += format("\n## {}\n`{}` {}.\n\n| option | meaning |\n|---|---|\n", command.name, usage,
                   command.summary);
    for (const OptionTable::Row& row : page.table.rows())
      text += format("| `{}` | {} |\n", row.shown(), cell(row.meaning()));
    text += format("\n```\n{}```\n", command.example);
  }
  text += facts_in_markdown("Options of every command", "option", common_options());
  text += facts_in_markdown("Exit status", "status", exit_facts());
  text += facts_in_markdown("Environment", "variable", environment_facts());
  return text + facts_in_markdown("Files", "file", file_facts());
}

}  // namespace tune::cli
