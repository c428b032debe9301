// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>

#include "cli/input/command.hpp"
#include "cli/new/drafting.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "tuner/base/error.hpp"
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

int run_new(const NewRequest& request) {
  if (request.kernel.empty()) throw UsageError("name the kernel's file: tune new my_kernel.cu");
  static_cast<void>(read_source(request.kernel));
  const std::filesystem::path path(request.kernel), out = definition_beside(path, request.out);
  const described::FirstDefinition definition = definition_of(path, out, request);
  if (request.out == "-") {
    std::cout << definition.json;
    return 0;
  }
  NewFiles files{out};
  if (definition.kernels.size() > 1 && request.entry.empty())
    files.notes.push_back(format("it describes the first of {} kernels; --entry describes another: {}",
                                 definition.kernels.size(), joined(definition.kernels)));
  write_definition(definition, files, request.no_check);
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
