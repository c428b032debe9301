// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/input/command.hpp"
#include "kernels/described/readers/first_definition.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

struct NewRequest {
  std::string kernel, entry, out;

  void add_to(OptionTable& table) {
    table.text("kernel", "FILE", "the .cu file", kernel);
    table.text("entry", "NAME", "the kernel to describe; default: the first in the file", entry);
    table.text("out", "FILE.json",
               "the file to write; default: beside the kernel, with the ending .json; '-': standard output",
               out);
  }
};

/// The definition names the kernel's file without its folder; messages name it as the user did.
std::string first_definition(const std::filesystem::path& path, const std::string& text,
                             const std::string& entry) {
  const std::string name = path.filename().string();
  try {
    return described::first_definition(name, text, entry);
  } catch (const UsageError& error) {
    const std::string what = error.what();
    if (!what.starts_with(name + ":")) throw;
    throw UsageError(path.string() + what.substr(name.size()));
  }
}

int run_new(const NewRequest& request) {
  const std::string& kernel = request.kernel;
  if (kernel.empty()) throw UsageError("name the kernel's file: tune new my_kernel.cu");
  const std::filesystem::path path(kernel);
  const auto text = read_text(path);
  if (!text) throw UsageError(format("cannot read {}: {}", kernel, text.error()));
  const std::string json = first_definition(path, *text, request.entry);
  std::filesystem::path out = request.out;
  if (out == "-") {
    std::cout << json;
    return 0;
  }
  if (out.empty()) out = std::filesystem::path(path).replace_extension(".json");
  if (std::filesystem::exists(out))
    throw UsageError(format("{} exists already; name another file with --out", out.string()));
  std::ofstream file(out, std::ios::binary);
  file << json;
  file.close();
  if (!file) throw Error(format("cannot write {}: {}", out.string(), std::strerror(errno)));
  std::cout << format(
      "wrote {0}: replace every TODO in it, then\n  tune space --problem {0}\n"
      "  tune check --problem {0} --device emulator --sample 5\n  tune --problem {0} --device 0\n",
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
