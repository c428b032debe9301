// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_inputs.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include "cli/input/command.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/hostile/hostile_text.hpp"
#include "tests/hostile/sound_inputs.hpp"
#include "tuner/base/exit.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

constexpr std::array<std::string_view, 5> names = {"BLOCK", "ITEMS", "n", "mode", "max_threads"};

Dice dice_of(std::uint64_t kind, std::uint64_t number) {
  return Dice((kind << 40U) ^ number);
}

/// The commands that the options are tried with: those that end soon with these arguments.
struct Call {
  std::string_view command;
  std::vector<std::string> arguments;
};

const std::vector<Call>& calls() {
  static const std::vector<Call> all = {
      {"run",
       {"--problem", "stencil3d", "--size", "64x64x64", "--quiet", "--device", "replay", "--budget-evals",
        "3"}},
      {"best", {"stencil3d"}},
      {"list", {"results"}},
      {"show", {}},
      {"space", {"--problem", "own.json", "--arch", "sm_90"}},
      {"check", {"--problem", "own.json", "--device", "emulator", "--config", "BLOCK=1"}},
      {"devices", {}},
      {"report", {"--format", "csv"}},
      {"new", {"k.cu"}},
      {"db info", {}},
      {"db check", {}},
      {"db compact", {}},
      {"db merge", {"other.db"}},
      {"db export", {"--out", "out.t4.json"}},
      {"db import", {"in.t4.json"}},
  };
  return all;
}

const tune::cli::Command& command_of(std::string_view name) {
  const auto find = [](std::span<const tune::cli::Command> all,
                       std::string_view wanted) -> const tune::cli::Command& {
    return *std::ranges::find(all, wanted, &tune::cli::Command::name);
  };
  const std::size_t blank = name.find(' ');
  if (blank == std::string_view::npos) return find(tune::cli::commands(), name);
  return find(find(tune::cli::commands(), name.substr(0, blank)).parts(), name);
}

/// The names of a command's options, from its help.
std::vector<std::string> options_of(std::string_view name) {
  // --out, --junit, --keep-sources would write where a hostile path says; --until-gain and budgets may run
  // long.
  static const std::regex option(R"(\n  --([a-z-]+))");
  tune::cli::OptionTable table;
  command_of(name).bind(table);
  const std::string help = table.help();
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(help.begin(), help.end(), option); at != std::sregex_iterator(); ++at)
    found.push_back((*at)[1]);
  return found;
}

std::vector<std::string> words_of(std::string_view command) {
  const std::size_t blank = command.find(' ');
  if (blank == std::string_view::npos) return {std::string(command)};
  return {std::string(command.substr(0, blank)), std::string(command.substr(blank + 1))};
}

std::vector<std::pair<std::string, std::string>> own_files(const std::string& definition) {
  return {{"own.json", definition}, {"k.cu", sound::kernel}, {"more.cuh", "#pragma once\n"}};
}

HostileInput option_input(std::uint64_t number) {
  Dice dice = dice_of(1, number);
  const Call& call = calls()[dice.roll(calls().size())];
  static const std::vector<std::vector<std::string>> options = [] {
    std::vector<std::vector<std::string>> all;
    for (const Call& one : calls()) all.push_back(options_of(one.command));
    return all;
  }();
  const auto& known = options[static_cast<std::size_t>(&call - calls().data())];
  HostileInput input;
  input.arguments = words_of(call.command);
  input.arguments.insert(input.arguments.end(), call.arguments.begin(), call.arguments.end());
  for (std::size_t count = 1 + dice.roll(2); count > 0; --count) {
    const std::string option =
        known.empty() || dice.one_in(20) ? hostile_word(dice) : known[dice.roll(known.size())];
    if (dice.one_in(12)) input.arguments.push_back(hostile_word(dice));
    input.arguments.push_back("--" + option);
    if (!dice.one_in(8)) input.arguments.push_back(hostile_word(dice));
  }
  input.files = own_files(sound::native);
  input.files.emplace_back("in.t4.json", sound::t4);
  return input;
}

HostileInput expression_input(std::uint64_t number) {
  Dice dice = dice_of(2, number);
  return {{"space", "--problem", "own.json", "--arch", "sm_90", "--count", "--where",
           hostile_expression(dice, names)},
          own_files(sound::native),
          {}};
}

/// Half of them have a damaged text, the others a hostile expression in the place of one of its own.
HostileInput definition_input(Dice dice, const std::string& whole) {
  std::string text = whole;
  if (dice.one_in(2)) {
    text = damaged(dice, text);
  } else {
    static const std::regex quoted(R"re("[^"]*[*/<(][^"]*")re");
    std::vector<std::smatch> found;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), quoted); at != std::sregex_iterator(); ++at)
      found.push_back(*at);
    const std::smatch& chosen = found[dice.roll(found.size())];
    std::string expression = hostile_expression(dice, names);
    std::erase(expression, '"');
    std::erase(expression, '\\');
    text.replace(static_cast<std::size_t>(chosen.position()) + 1,
                 static_cast<std::size_t>(chosen.length()) - 2, expression);
  }
  return {{"space", "--problem", "own.json", "--arch", "sm_90", "--sample", "2"}, own_files(text), {}};
}

HostileInput native_input(std::uint64_t number) {
  return definition_input(dice_of(3, number), sound::native);
}

HostileInput t1_input(std::uint64_t number) {
  return definition_input(dice_of(4, number), sound::t1);
}

HostileInput foreign_input(std::uint64_t number) {
  Dice dice = dice_of(5, number);
  const std::array<const std::string*, 3> texts = {&sound::t4, &sound::kernel_tuner, &sound::ktt};
  HostileInput input;
  input.files = {{"in.json", damaged(dice, *texts[dice.roll(texts.size())])}};
  switch (dice.roll(3)) {
    case 0:
      input.arguments = {"db", "import", "in.json", "--db", "new.db"};
      break;
    case 1:
      input.arguments = {"replay",   "--space", "in.json",   "--strategy", "random",
                         "--budget", "2",       "--repeats", "1"};
      break;
    default:
      input.arguments = {"--device", "replay:in.json", "--budget-evals", "2",     "--strategy",
                         "random",   "--quiet",        "--db",           "new.db"};
  }
  return input;
}

HostileInput stencil_input(std::uint64_t number) {
  Dice dice = dice_of(6, number);
  return {{"space", "stencil3d", "--stencil", "in.stencil", "--arch", "sm_90", "--fix",
           "variant=direct,block_x=32", "--count"},
          {{"in.stencil", damaged(dice, sound::stencil)}},
          {}};
}

HostileInput matrix_input(std::uint64_t number) {
  Dice dice = dice_of(7, number);
  std::string inputs = sound::matvec_file(8, 4, 8 * 4 + 4), results = sound::matvec_file(8, 4, 8 + 4);
  std::string& wrong = dice.one_in(2) ? inputs : results;
  wrong = damaged(dice, wrong);
  return {{"data", "check", "--problem", "matvec", "--input", "in.bin", "--output", "out.bin"},
          {{"in.bin", inputs}, {"out.bin", results}},
          {}};
}

HostileInput http_input(std::uint64_t number) {
  Dice dice = dice_of(8, number);
  HostileInput input;
  input.request = sound::request;
  if (!dice.one_in(10)) input.request = damaged(dice, input.request);
  return input;
}

bool is_library_message(const std::string& text) {
  static constexpr std::string_view marks[] = {"json.exception",
                                               "terminate called",
                                               "what():",
                                               "tune: unexpected",
                                               "std::",
                                               "basic_string",
                                               "_M_",
                                               "boost",
                                               "bad_alloc",
                                               "out of memory",
                                               "regex_error",
                                               "error in tune",
                                               "unordered_map",
                                               "filesystem error",
                                               "syntax error while",
                                               "last read",
                                               "required argument",
                                               "disk image",
                                               "unable to open",
                                               "logic error"};
  return std::ranges::any_of(marks,
                             [&](std::string_view mark) { return text.find(mark) != std::string::npos; });
}

}  // namespace

std::span<const HostileKind> hostile_kinds() {
  static constexpr std::array<HostileKind, 8> kinds = {{{"options", 5000, option_input},
                                                        {"expressions", 4000, expression_input},
                                                        {"native definitions", 4000, native_input},
                                                        {"T1 definitions", 2000, t1_input},
                                                        {"foreign files", 3000, foreign_input},
                                                        {"stencil files", 1000, stencil_input},
                                                        {"matrix files", 500, matrix_input},
                                                        {"HTTP requests", 500, http_input}}};
  return kinds;
}

std::string complaint(const HostileInput& input, int status, const std::string& out, const std::string& err) {
  constexpr std::size_t longest_message = 4000, longest_line = 2100, most_output = std::size_t{1} << 20;
  if (status < 0 || status > static_cast<int>(Exit::no_device))
    return "exit status " + std::to_string(status);
  if (status > 0 && err.find("tune: ") == std::string::npos && out.empty()) return "no message";
  if (is_library_message(err)) return "a library's message: " + err.substr(0, 300);
  if (err.size() > longest_message) return "a message of " + std::to_string(err.size()) + " bytes";
  if (out.size() > most_output) return "an output of " + std::to_string(out.size()) + " bytes";
  if (!input.request.empty()) return {};
  if (std::ranges::any_of(err, [](unsigned char c) { return c < 0x20 && c != '\n'; }))
    return "control characters in a message";
  if (printable(out) != out) return "control characters in the output";
  if (std::ranges::any_of(lines_of(err), [](const std::string& line) { return line.size() > longest_line; }))
    return "a line of more than " + std::to_string(longest_line) + " bytes";
  return {};
}

}  // namespace tune::testing
