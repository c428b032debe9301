// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/input/command.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "library/run/gpu.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

struct NewRequest {
  std::string kernel, entry, out;
  std::vector<std::string> include;
  bool no_check = false;

  void add_to(OptionTable& table) {
    table.text("kernel", "FILE", "the .cu file", kernel);
    table.text("entry", "NAME", "the kernel to describe; default: the first in the file", entry);
    table.texts("include", "DIR", "folders of headers; default: folders above the file's that have them",
                include);
    table.text("out", "FILE.json",
               "the file to write; default: beside the kernel, with the ending .json; '-': standard output",
               out);
    table.flag("no-check", "do not run the new definition on the emulator", no_check);
  }
};

/// Returns the names in `identifier "X" is undefined` of NVRTC's log.
std::vector<std::string> undefined_in(const std::string& log) {
  constexpr std::string_view before = "identifier \"", behind = "\" is undefined";
  std::vector<std::string> names;
  for (std::size_t at = log.find(before); at != std::string::npos; at = log.find(before, at + 1)) {
    const std::size_t begin = at + before.size(), end = log.find('"', begin);
    if (end != std::string::npos && log.compare(end, behind.size(), behind) == 0)
      names.push_back(log.substr(begin, end - begin));
  }
  return names;
}

/// Asks NVRTC where it can be loaded. A log ends after a hundred errors: names that are found are defined,
/// and the rest is asked for again, until the text compiles.
described::UndefinedNames ask_compiler(const described::KernelText& text) {
  std::shared_ptr<Compiler> compiler;
  try {
    compiler = run::open_compiler("sm_90", false);
  } catch (const Error&) {
    return {};
  }
  return [compiler, text](const described::MacroValues& defines) -> std::optional<std::vector<std::string>> {
    CompileRequest request{text.source, text.headers, {}, {}, {}};
    for (const auto& [name, value] : defines) request.defines.emplace_back(name, value);
    std::vector<std::string> all;
    constexpr int max_rounds = 5;
    for (int round = 0; round < max_rounds; ++round) {
      const Result<Binary> binary = compiler->compile(request);
      if (binary) return all;
      const std::size_t known = all.size();
      for (const std::string& name : undefined_in(binary.error().detail))
        if (std::ranges::find(all, name) == all.end()) {
          all.push_back(name);
          request.defines.emplace_back(name, "1");
        }
      if (known == all.size()) break;
    }
    return std::nullopt;  // other errors hide names
  };
}

/// A file or folder as a definition in `folder` names it.
std::string name_from(const std::filesystem::path& folder, const std::filesystem::path& kernel) {
  std::error_code error;
  const std::filesystem::path relative =
      std::filesystem::proximate(kernel, folder.empty() ? "." : folder, error);
  return error ? std::filesystem::absolute(kernel).string() : relative.string();
}

/// Messages name the kernel's file as the user did.
described::FirstDefinition definition_of(const std::filesystem::path& path, const std::filesystem::path& out,
                                         const NewRequest& request) {
  for (const std::string& folder : request.include)
    if (!std::filesystem::is_directory(folder))
      throw UsageError(format("--include: there is no folder {}", folder));
  const auto folders =
      described::folders_with_headers(path, {request.include.begin(), request.include.end()});
  const auto text = described::read_kernel_text(path, folders, {});
  const auto name_of = [&](const std::filesystem::path& file) {
    return request.out == "-" ? file.string() : name_from(out.parent_path(), file);
  };
  const std::string name = name_of(path);
  std::vector<std::string> names;
  for (const std::filesystem::path& folder : folders) names.push_back(name_of(folder));
  try {
    return described::first_definition(name, text, request.entry, ask_compiler(text), names);
  } catch (const UsageError& error) {
    const std::string what = error.what();
    if (!what.starts_with(name + ":")) throw;
    throw UsageError(path.string() + what.substr(name.size()));
  }
}

/// Runs some configurations of the definition as `tune check` does. What it finds is no failure of `tune
/// new`.
void check_on_emulator(const std::string& definition) {
  std::cout << "check of some configurations on the emulator:\n" << std::flush;
  try {
    OptionTable table;
    const Command check = check_command();
    const std::function<int()> run = check.bind(table);
    // A kernel with guessed sizes may go on for long.
    table.read({"--problem", definition, "--device", "emulator", "--sample", "4", "--timeout", "5s"},
               check.name, check.positional, check.words);
    run();
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  } catch (const std::invalid_argument& error) {  // of an expression or a space
    std::cout << error.what() << '\n';
  }
}

int run_new(const NewRequest& request) {
  const std::string& kernel = request.kernel;
  if (kernel.empty()) throw UsageError("name the kernel's file: tune new my_kernel.cu");
  const std::filesystem::path path(kernel);
  if (const auto text = read_text(path); !text)
    throw UsageError(format("cannot read {}: {}", kernel, text.error()));
  std::filesystem::path out = request.out;
  if (out.empty()) out = std::filesystem::path(path).replace_extension(".json");
  if (request.out != "-" && std::filesystem::exists(out))
    throw UsageError(format("{} exists already; name another file with --out", out.string()));
  const described::FirstDefinition definition = definition_of(path, out, request);
  if (request.out == "-") {
    std::cout << definition.json;
    return 0;
  }
  std::ofstream file(out, std::ios::binary);
  file << definition.json;
  file.close();
  if (!file) throw Error(format("cannot write {}: {}", out.string(), std::strerror(errno)));
  std::cout << format("wrote {}\n", out.string());
  if (definition.kernels.size() > 1 && request.entry.empty())
    std::cout << format("it describes the first of {} kernels; --entry describes another: {}\n",
                        definition.kernels.size(), joined(definition.kernels));
  if (!definition.missing.empty())
    std::cout << format("it cannot be checked yet: {}\n", joined(definition.missing, {}, "; "));
  else if (!request.no_check)
    check_on_emulator(out.string());
  std::cout << format("left to look at, each marked TODO in {}:\n", out.string());
  for (const described::Guess& guess : definition.guesses)
    std::cout << format("  line {}, {}: {}\n", guess.line, guess.name, guess.text);
  std::cout << format(
      "then:\n  tune check --problem {0} --device emulator --sample 5\n  tune --problem {0} --device 0\n",
      out.string());
  return 0;
}

}  // namespace

Command new_command() {
  return {"new",
          "writes a first definition for your own kernel",
          "tune new FILE.cu [options]",
          "  tune new my_kernel.cu\n  tune new my_kernel.cu --entry second --out -\n",
          "kernel",
          bind_request<NewRequest, run_new>};
}

}  // namespace tune::cli
