// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <optional>
#include <set>

#include "cli/input/command.hpp"
#include "cli/new/drafting.hpp"
#include "kernels/described/source/first_definition.hpp"
#include "kernels/described/source/kernel_source.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

struct NewRequest {
  std::string kernel, entry, out;
  std::vector<std::string> include;
  bool no_check = false;
  Format format = Format::text;

  void add_to(OptionTable& table) {
    table.text("kernel", "FILE", "the .cu file, or a folder to search for the kernel of --entry", kernel);
    table.text("entry", "NAME",
               "name (also with namespaces) or line of the kernel; default: the first kernel in the file",
               entry);
    table.texts("include", "DIR", "folders of headers; default: those found in the folders above the file",
                include);
    table.text("out", "FILE.json",
               "the file to write; default: beside the kernel, with the ending .json; '-': standard output",
               out);
    table.flag("no-check", "do not run the new definition on the emulator", no_check);
    add_format_option(table, format);
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

/// The first file beside this one that includes it.
std::optional<std::filesystem::path> including_file(const std::filesystem::path& path) {
  constexpr std::size_t most = 200;
  constexpr std::uintmax_t largest = 1 << 20;
  const std::string line = "\"" + path.filename().string() + "\"";
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".cu" && entry.path().filename() != path.filename() && entry.is_regular_file(error) &&
        entry.file_size(error) <= largest && files.size() < most)
      files.insert(path.has_parent_path() ? entry.path() : entry.path().filename());
  }
  for (const std::filesystem::path& file : files) {
    const auto text = read_text(file);
    if (!text) continue;
    for (std::size_t at = text->find(line); at != std::string::npos; at = text->find(line, at + 1)) {
      const std::size_t begin = text->rfind('\n', at) + 1;
      const std::string before = text->substr(begin, at - begin);
      const std::size_t hash = before.find_first_not_of(" \t");
      if (hash != std::string::npos && before[hash] == '#' && before.find("include") != std::string::npos)
        return file;
    }
  }
  return std::nullopt;
}

/// The file below a folder that has the kernel of this name.
std::string file_with(const std::string& folder, const std::string& entry) {
  constexpr std::size_t most_files = 5000, most_shown = 20;
  constexpr std::uintmax_t largest = 1 << 20;
  const std::set<std::string> endings = {".cu", ".cuh"};
  std::error_code error;
  std::set<std::filesystem::path> files;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  for (std::filesystem::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error))
    if (endings.contains(at->path().extension().string()) && at->is_regular_file(error) &&
        at->file_size(error) <= largest && files.size() < most_files)
      files.insert(at->path());
  std::vector<std::string> found, shown;
  for (const std::filesystem::path& file : files) {
    const auto text = read_text(file);
    const std::string last = entry.substr(entry.rfind(':') + 1);
    if (!text || text->find("__global__") == std::string::npos || text->find(last) == std::string::npos)
      continue;
    for (const auto& [line, name] : described::kernels_in(*text)) {
      const bool is_it = entry.empty() || name == entry || name.ends_with("::" + entry);
      if (!is_it) continue;
      if (found.empty() || found.back() != file.string()) found.push_back(file.string());
      if (shown.size() < most_shown)
        shown.push_back(format("{}:{} {}", file.string(), line, name));
      else if (shown.size() == most_shown)
        shown.emplace_back("...");
    }
  }
  if (found.size() == 1 && !entry.empty()) return found.front();
  if (found.empty())
    throw UsageError(entry.empty() ? format("{}: no .cu file below it has a kernel", folder)
                                   : format("{}: no .cu file below it has a kernel '{}'", folder, entry));
  throw UsageError(format("{}: {}: {}; name the file: tune new FILE --entry {}", folder,
                          entry.empty() ? "which kernel" : format("several files have a kernel '{}'", entry),
                          joined(shown), entry.empty() ? "NAME" : entry));
}

int run_new(const NewRequest& asked) {
  NewRequest request = asked;
  if (request.kernel.empty()) throw UsageError("name the kernel's file: tune new my_kernel.cu");
  if (request.kernel.ends_with(".stencil"))
    throw UsageError(
        format("a stencil needs no definition: tune --stencil {}", shell_quoted(request.kernel)));
  if (std::filesystem::is_directory(request.kernel))
    request.kernel = file_with(request.kernel, request.entry);
  static_cast<void>(read_source(request.kernel));
  const std::filesystem::path path(request.kernel), out = definition_beside(path, request.out);
  const described::FirstDefinition definition = definition_of(path, out, request);
  if (request.out == "-") {
    std::cout << definition.json;
    return 0;
  }
  NewFiles files{out};
  files.format = request.format;
  if (definition.kernels.size() > 1 && request.entry.empty())
    files.notes.push_back(format("it describes the first of {} kernels; choose another with --entry: {}",
                                 definition.kernels.size(), joined(definition.kernels)));
  if (const auto other = including_file(path))
    files.notes.push_back(
        format("if it does not compile alone, describe the file that includes it: tune new {0} --entry {1}",
               other->string(), request.entry.empty() ? definition.kernels.front() : request.entry));
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
