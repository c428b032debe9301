// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/input/command.hpp"
#include "cli/new/drafting.hpp"
#include "kernels/described/imports/import.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

struct ImportOptions {
  std::string file, kernel, out;
  bool no_check = false;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    table.text("file", "FILE",
               "a script of Kernel Tuner (.py), a definition in T1 (.json), or a benchmark of nvbench (.cu)",
               file);
    table.text("kernel", "NAME", "if the file has several kernels: name of one, or line of its call", kernel);
    table.text("out", "FILE.json",
               "the file to write; default: beside FILE, with the ending .json; '-': standard output", out);
    table.flag("no-check", "do not run the new definition on the emulator", no_check);
    add_format_option(table, format);
  }
};

/// What a script reads: ordinary files of a few megabytes.
std::optional<std::string> read_for_script(const std::filesystem::path& folder, const std::string& name) {
  constexpr std::uintmax_t largest = 4 << 20;
  std::error_code error;
  const std::filesystem::path path = folder / name;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > largest ||
      error)
    return std::nullopt;
  auto text = read_text(path);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

described::Import import_file(const described::ImportRequest& request) {
  const std::string ending = request.path.extension().string();
  if (ending == ".py") return described::import_kernel_tuner(request);
  if (ending == ".json") return described::import_t1(request);
  if (request.text.find("NVBENCH_BENCH") != std::string::npos) return described::import_nvbench(request);
  throw UsageError(
      format("{}: expected a script of Kernel Tuner (.py), a definition in T1 (.json) or a benchmark with "
             "NVBENCH_BENCH (.cu); for a kernel's file: 'tune new', for results: 'tune db import'",
             request.path.string()));
}

int run_import(const ImportOptions& options) {
  if (options.file.empty()) throw UsageError("name the file: tune import tune_my_kernel.py");
  described::ImportRequest request{options.file, read_source(options.file), options.kernel};
  const std::filesystem::path out = definition_beside(request.path, options.out);
  const std::filesystem::path folder = options.out == "-" ? std::filesystem::path() : out.parent_path();
  // `out` is where a kernel goes that stands in the file itself.
  std::filesystem::path kernel = options.out == "-" ? request.path : out;
  kernel.replace_extension(".cu");
  request.own_kernel = kernel.filename().string();
  request.name_of = [&](const std::filesystem::path& path) { return name_from(folder, path); };
  request.read = [&](const std::string& name) { return read_for_script(request.path.parent_path(), name); };
  request.compiler = ask_compiler;
  described::Import import = import_file(request);
  const described::FirstDefinition definition = described::write_draft(import.draft);
  if (options.out == "-") {
    std::cout << definition.json;
    return 0;
  }
  NewFiles files{out, std::nullopt, import.notes, "20s", options.format};
  if (import.kernel) {
    refuse_existing(kernel);
    files.kernel = SourceFile{kernel.string(), import.kernel->text};
  }
  write_definition(definition, files, options.no_check);
  return 0;
}

}  // namespace

Command import_command() {
  return {
      "import",
      "writes a definition from a file of another tuner: Kernel Tuner, T1, nvbench",
      "tune import FILE [options]",
      "  tune import tune_my_kernel.py\n  tune import tune_my_kernel.py --kernel second --out second.json\n  tune import convolution-T1.json --out convolution.json\n",
      "file",
      bind_request<ImportOptions, run_import>};
}

}  // namespace tune::cli
