// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

#include "cli/input/command.hpp"
#include "cli/output/printable_output.hpp"
#include "cli/output/terminal.hpp"
#include "cli/output/text_layout.hpp"
#include "cli/project_options.hpp"
#include "kernels/registry.hpp"
#include "library/run/version.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

constexpr std::string_view program_example =
    "  tune --problem stencil3d --device 0\n"
    "  tune best stencil3d --size 512x512x512\n"
    "  tune report --out results.md\n";

std::string given_command_line;
ProjectUse from_project;

void print_overview() {
  std::string text =
      "tune finds the fastest correct configuration of a CUDA kernel\nand stores every measurement.\n\n"
      "Usage: tune --problem P --device D [options]    (the same as 'tune run')\n"
      "       tune COMMAND [P] [options]\n\nCommands:\n";
  for (const Command& command : commands()) text += format("  {:<10}{}\n", command.name, command.summary);
  text +=
      "  help      'tune help COMMAND' explains a command and its options\n"
      "  version   the version of the program; also --version, -V\n\n";
  text +=
      wrapped(
          "A file tune.toml in this folder, or in the nearest one above it, sets options: its table [run] has "
          "those of 'tune run', its top those of all commands. --config-file FILE names another file, "
          "--no-config-file none.",
          0) +
      "\n\nExamples:\n";
  std::cout << text << program_example;
}

/// With a capital letter and a full stop.
std::string sentence(std::string_view summary) {
  std::string text(summary);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

void print_parts(const Command& group) {
  std::string text = format("Usage: {}\n\n{}\n\nCommands:\n", group.usage, sentence(group.summary));
  for (const Command& part : group.parts()) text += format("  {:<10}{}\n", last_word(part), part.summary);
  std::cout << text
            << format("\n'tune help {} COMMAND' explains a command and its options.\n\nExamples:\n",
                      group.name)
            << group.example;
}

void print_help(const Command& command) {
  if (command.parts != nullptr) {
    print_parts(command);
    return;
  }
  OptionTable table;
  command.bind(table);
  const bool one = std::ranges::count(command.example, '\n') == 1;
  std::cout << "Usage: " << command.usage << "\n\n"
            << wrapped(sentence(command.summary), 0) << "\n\n"
            << table.help() << "\nExample" << (one ? "" : "s") << ":\n"
            << command.example;
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names = {"help"};
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  if (kernels::find_problem(name) != nullptr)
    throw UsageError(format("'{0}' is a problem; to tune it: tune --problem {0}", name));
  for (const Command& command : commands())
    if (command.parts != nullptr)
      for (const Command& part : command.parts())
        if (last_word(part) == name)
          throw UsageError(format("'{}' is a command of '{}': tune {}", name, command.name, part.name));
  throw UsageError(
      format("unknown command '{}'; {}", name, suggestion(name, names, "'tune help' lists the commands")));
}

const Command& find_part(const Command& group, const std::string& name) {
  std::vector<std::string> names;
  for (const Command& part : group.parts()) {
    if (last_word(part) == name) return part;
    names.emplace_back(last_word(part));
  }
  throw UsageError(format("'tune {}' has no command '{}'; {}", group.name, name,
                          suggestion(name, names, format("'tune help {}' lists its commands", group.name))));
}

int call(const Command& command, const std::vector<std::string>& arguments) {
  const auto wants_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (command.parts != nullptr) {
    if (arguments.empty() || wants_help(arguments[0])) {
      print_parts(command);
      return 0;
    }
    return call(find_part(command, arguments[0]), {arguments.begin() + 1, arguments.end()});
  }
  // Behind `--` stand the words of another program.
  if (std::any_of(arguments.begin(), std::ranges::find(arguments, "--"), wants_help)) {
    print_help(command);
    return 0;
  }
  std::vector<std::string> rest = arguments;
  const FileOptions file = project_options(command, rest);
  OptionTable table;
  const std::function<int()> run = command.bind(table);
  from_project.words = table.read(rest, command.name, command.positional, command.words, file);
  from_project.path = file.path;
  for (const std::string& word : from_project.words) given_command_line += " " + shell_quoted(word);
  return run();
}

int choose_and_run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    print_overview();
    return 0;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V" || arguments[0] == "version") {
    std::cout << "tune " << run::version() << "\n";
    return 0;
  }
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "help") {
    if (rest.empty() || rest[0] == "help" || rest[0].starts_with("-"))
      print_overview();
    else if (const Command& command = find_command(rest[0]); command.parts != nullptr && rest.size() > 1)
      print_help(find_part(command, rest[1]));
    else
      print_help(command);
    return 0;
  }
  if (arguments[0] == "worker") return run_worker(rest);
  if (arguments[0] == "complete") return run_completion(rest);
  if (arguments[0] == "reference") return run_reference(rest);
  if (arguments[0].starts_with("-")) return call(find_command("run"), arguments);
  return call(find_command(arguments[0]), rest);
}

/// What a library refuses in the user's input, without the library's own words; empty for anything else.
std::string refused_input(const nlohmann::json::exception& error) {
  constexpr int invalid_text = 316, beyond_numbers = 406;
  if (error.id == invalid_text)
    return "a name or text is not valid UTF-8: correct it in the file or argument";
  if (error.id == beyond_numbers) return "a number in the file is beyond the range of double: correct it";
  return {};
}

/// Prints one line, whatever control characters a compiler's log or an argument contains.
int report_error(const std::string& message, Exit exit) {
  const std::string what = one_line(message);
  std::cout.flush();
  std::cerr << "tune: " << what << "\n";
  return static_cast<int>(exit);
}

}  // namespace

std::span<const Command> commands() {
  static const auto table = std::to_array<Command>(
      {run_command(), best_command(), list_command(), show_command(), space_command(), check_command(),
       devices_command(), diff_command(), report_command(), serve_command(), rm_command(), db_command(),
       data_command(), replay_command(), new_command(), capture_command(), import_command(), plan_command()});
  return table;
}

std::string_view last_word(const Command& part) {
  return part.name.substr(part.name.rfind(' ') + 1);
}

std::string command_line() {
  return given_command_line;
}

const ProjectUse& project_use() {
  return from_project;
}

int dispatch(const std::vector<std::string>& arguments) {
  const PrintableOutput printable(std::cout, output_style().colours);
  given_command_line = "tune";
  from_project = {};
  for (const std::string& argument : arguments) given_command_line += " " + shell_quoted(argument);
  try {
    const int status = choose_and_run(arguments);
    std::cout.flush();
    if (!std::cout)
      return report_error("the output could not be written: check the free disk space", Exit::failure);
    return status;
  } catch (const ListedError& error) {
    const int status = report_error(error.what(), error.exit());
    for (const std::string& line : error.lines()) std::cerr << "  " << one_line(line) << "\n";
    return status;
  } catch (const Error& error) {
    const bool of_project = error.exit() == Exit::usage && !from_project.words.empty();
    return report_error(error.what() + (of_project ? format(" ({} adds {})", from_project.path.string(),
                                                            joined(from_project.words, {}, " "))
                                                   : std::string()),
                        error.exit());
  } catch (const std::bad_alloc&) {
    const bool has_size = std::ranges::any_of(arguments, [](const std::string& word) {
      return word == "--size" || word == "-s" || word.starts_with("--size=");
    });
    return report_error(has_size ? "out of memory: choose a smaller --size"
                                 : "out of memory: end other programs, or take a smaller input",
                        Exit::failure);
  } catch (const std::invalid_argument& error) {  // of an expression or a space
    return report_error(error.what(), Exit::usage);
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string path = shortened(error.path1().string());
    if (error.code() == std::errc::filename_too_long)
      return report_error(format("'{}' is too long for the name of a file: name another one", path),
                          Exit::usage);
    return report_error(
        format("cannot use '{}' ({}): name another file or folder", path, error.code().message()),
        Exit::failure);
  } catch (const std::system_error& error) {  // of a thread
    return report_error(format("the system refuses what tune needs ({}): end other programs, or raise the "
                               "limits of this shell ('ulimit -a' lists them)",
                               error.code().message()),
                        Exit::failure);
  } catch (const std::length_error& error) {
    // The space's message; the library's own names its function.
    const std::string_view what = error.what();
    return report_error(what.find("::") == what.npos ? std::string(what) : "a number is too large",
                        Exit::usage);
  } catch (const nlohmann::json::exception& error) {
    const std::string refused = refused_input(error);
    return refused.empty()
               ? report_error(
                     "a file or a row of the database is not valid JSON; 'tune db check' examines a database",
                     Exit::failure)
               : report_error(refused, Exit::usage);
  } catch (const std::exception& error) {
    return report_error(format("unexpected: {}", error.what()), Exit::failure);
  }
}

}  // namespace tune::cli
