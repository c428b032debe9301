// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/hostile_inputs.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include "cli/input/command.hpp"
#include "tests/cli/sandbox.hpp"
#include "tests/hostile/hostile_text.hpp"
#include "tuner/base/format.hpp"

namespace tune::testing {
namespace {

constexpr std::array<std::string_view, 5> names = {"BLOCK", "ITEMS", "n", "mode", "max_threads"};

const std::string kernel =
    "#include \"more.cuh\"\nextern \"C\" __global__ void k(const float* in, float* out, int n) {\n"
    "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n  if (i < n) out[i] = in[i] * ITEMS;\n}\n";

const std::string native =
    R"json({"problem": "own", "summary": "a kernel", "kernel": "k.cu", "sizes": {"n": 4096},
 "settings": {"real": {"values": ["float", "double"]}},
 "parameters": {"BLOCK": [32, 64, 128], "ITEMS": {"values": "range(1, 5)", "default": 2}, "mode": ["a", "b"]},
 "constraints": ["BLOCK * ITEMS <= 256", {"rule": "BLOCK <= max_threads", "why": "threads"}],
 "arguments": {"in": {"type": "real", "size": "n", "fill": {"random": [0, 1]}},
  "out": {"type": "real", "size": "n", "access": "write"}, "n": {"type": "int", "value": "n"}},
 "launches": {"entry": "k", "grid": "(n + BLOCK - 1) // BLOCK", "block": "BLOCK", "shared": "4 * BLOCK"},
 "check": [{"n": 100}], "tolerance": {"relative": 1e-5}, "work": {"flops": "2 * n", "item": "element"}})json";

const std::string t1 = R"json({"General": {"FormatVersion": 1, "BenchmarkName": "own"},
 "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[32, 64, 128]", "Default": 64},
  {"Name": "ITEMS", "Type": "int", "Values": "list(range(1, 5))", "Default": 1}],
  "Conditions": [{"Expression": "BLOCK * ITEMS <= 256", "Parameters": ["BLOCK", "ITEMS"]}]},
 "KernelSpecification": {"Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "ProblemSize": [4096],
  "LocalSize": {"X": "BLOCK"}, "GlobalSize": {"X": "(4096 + BLOCK - 1) // BLOCK"}, "GlobalSizeType": "CUDA",
  "Arguments": [{"Name": "in", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Random",
    "FillValue": 1, "AccessType": "ReadOnly"},
   {"Name": "out", "Type": "float", "MemoryType": "Vector", "Size": 4096, "FillType": "Constant", "FillValue": 0,
    "AccessType": "WriteOnly", "Output": 1},
   {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4096}]}})json";

const std::string t4 =
    R"json({"schema_version": "1.0.0", "metadata": {"kernel_name": "k", "problem_size": "64x64",
 "device": "Some GPU", "timeunit": "milliseconds"}, "results": [
 {"timestamp": "2026-01-02T03:04:05Z", "configuration": {"BLOCK": 32, "mode": "a"}, "objectives": ["time"],
  "times": {"compilation_time": 5, "benchmark": 3, "runtimes": [1.5, 1.6, 1.4]}, "invalidity": "correct",
  "correctness": 1, "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}]},
 {"configuration": {"BLOCK": 64, "mode": "b"}, "times": {"runtimes": []}, "invalidity": "compile", "correctness": 0,
  "measurements": [{"name": "time", "value": null, "unit": ""}]}]})json";

const std::string kernel_tuner =
    R"json({"device_name": "Some GPU", "kernel_name": "k", "problem_size": [64, 64],
 "tune_params_keys": ["BLOCK", "mode"], "tune_params": {"BLOCK": [32, 64], "mode": [1, 2]}, "objective": "time",
 "cache": {"32,1": {"BLOCK": 32, "mode": 1, "time": 1.5, "times": [1.5, 1.6], "compile_time": 5.0},
  "64,2": {"BLOCK": 64, "mode": 2, "time": "CompilationFailedConfig"}}})json";

const std::string ktt = R"json({"Metadata": {"TimeUnit": "Milliseconds", "Device": "Some GPU"}, "Results": [
 {"Configuration": [{"Name": "BLOCK", "Value": 32}, {"Name": "mode", "Value": 1}], "KernelName": "k", "Status": "Ok",
  "TotalDuration": 1.5, "TotalOverhead": 0.1, "ComputationResults": [{"KernelFunction": "k", "Duration": 1.4}]},
 {"Configuration": [{"Name": "BLOCK", "Value": 64}, {"Name": "mode", "Value": 2}], "KernelName": "k",
  "Status": "CompilationFailed"}]})json";

const std::string stencil =
    "name = mine\nout[z][y][x] = 0.4 * in[z][y][x] + 0.1 * (in[z-1][y][x] + in[z+1][y][x] + in[z][y-1][x]\n"
    "  + in[z][y+1][x] + in[z][y][x-1] + in[z][y][x+1])\n";

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
  return {{"own.json", definition}, {"k.cu", kernel}, {"more.cuh", "#pragma once\n"}};
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
  input.files = own_files(native);
  input.files.emplace_back("in.t4.json", t4);
  return input;
}

HostileInput expression_input(std::uint64_t number) {
  Dice dice = dice_of(2, number);
  return {{"space", "--problem", "own.json", "--arch", "sm_90", "--count", "--where",
           hostile_expression(dice, names)},
          own_files(native),
          {}};
}

/// Half of them have a damaged text, the others a hostile expression in the place of one of its own.
HostileInput definition_input(Dice dice, const std::string& sound) {
  std::string text = sound;
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
  return definition_input(dice_of(3, number), native);
}

HostileInput t1_input(std::uint64_t number) {
  return definition_input(dice_of(4, number), t1);
}

HostileInput foreign_input(std::uint64_t number) {
  Dice dice = dice_of(5, number);
  const std::array<const std::string*, 3> sound = {&t4, &kernel_tuner, &ktt};
  HostileInput input;
  input.files = {{"in.json", damaged(dice, *sound[dice.roll(sound.size())])}};
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
          {{"in.stencil", damaged(dice, stencil)}},
          {}};
}

/// Files of `matvec`: a header of four numbers, then floats.
HostileInput matrix_input(std::uint64_t number) {
  Dice dice = dice_of(7, number);
  const auto file = [](std::size_t floats) {
    std::string bytes;
    for (const unsigned number_of : {8U, 4U, 0U, 0U})
      for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(number_of >> (8 * i) & 0xffU);
    return bytes + std::string(4 * floats, '\x3f');
  };
  std::string inputs = file(8 * 4 + 4), results = file(8 + 4);
  std::string& wrong = dice.one_in(2) ? inputs : results;
  wrong = damaged(dice, wrong);
  return {{"data", "check", "--problem", "matvec", "--input", "in.bin", "--output", "out.bin"},
          {{"in.bin", inputs}, {"out.bin", results}},
          {}};
}

HostileInput http_input(std::uint64_t number) {
  Dice dice = dice_of(8, number);
  HostileInput input;
  input.request =
      "GET /data?x=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nIf-None-Match: \"abc\"\r\n\r\n";
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
  if (status < 0 || status > 3) return "exit status " + std::to_string(status);
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
