// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/module/loaded_module.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <sstream>
#include <string>

#include "tuner/backends/emulator/module/module_compiler.hpp"
#include "tuner/backends/emulator/module/variant_text.hpp"
#include "tuner/base/demangle.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/program.hpp"

namespace tune::emulator {
namespace {

/// The namespace of tables that all variants share, of curand.cuh.
constexpr const char* of_all_variants = "tune_common";

/// Returns `tile` for `tune_variant_3_::(anonymous namespace)::stencil3d(float const*, int)::tile`, which is
/// local, and `filters::weights` for `tune_variant_3_::(anonymous namespace)::filters::weights`.
std::string name_of(const char* mangled, bool local, const std::string& variant) {
  const std::string name = local ? demangled(mangled) : variable_name(mangled);
  if (!local) return name.starts_with(variant + "::") ? name.substr(variant.size() + 2) : name;
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

bool of_prelude(const std::string& file) {
  return std::ranges::any_of(prelude_files(), [&](const SourceFile& known) {
    return file == known.name || file.ends_with("/" + known.name);
  });
}

/// Shortens `/tmp/x/stencil/direct.cu:44 (discriminator 2)` to `stencil/direct.cu:44`: compilers put the
/// folder of the compilation before relative names.
std::string line_of(std::string place, const std::string& folder) {
  place.erase(std::min(place.size(), place.find(" (")));
  if (place.starts_with(folder + "/")) place.erase(0, folder.size() + 1);
  return place;
}

/// Returns the kernel's lines for one address, innermost first: `vectors.cuh:60 < direct.cu:99`.
std::string chain(const std::vector<std::string>& places) {
  std::vector<std::string> lines;
  for (const std::string& place : places) {
    const std::string file = place.substr(0, place.rfind(':'));
    if (!of_prelude(file) && file != "??" && file != "entries") lines.push_back(place);
  }
  return joined(lines, {}, " < ");
}

}  // namespace

Result<std::unique_ptr<LoadedModule>> LoadedModule::load(const std::filesystem::path& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return std::unique_ptr<LoadedModule>(new LoadedModule(path, handle));
  const std::string_view reason = dlerror();
  constexpr std::string_view undefined = "undefined symbol: ";
  const std::size_t found = reason.find(undefined);
  if (found == std::string_view::npos) throw Error(format("cannot load a compiled batch: {}", reason));
  const std::string_view rest = reason.substr(found + undefined.size());
  const std::string symbol = demangled(std::string(rest.substr(0, rest.find_first_of(" ,\n"))));
  static const std::regex space(R"((tune_variant_\d+_|\(anonymous namespace\))::)");
  return fail(Phase::compile, "does not compile",
              format("'{}' is declared and used, but not defined", std::regex_replace(symbol, space, "")));
}

LoadedModule::LoadedModule(std::filesystem::path path, void* handle)
    : path_(std::move(path)), handle_(handle) {
  table_ = static_cast<const tune_emulator::ModuleTable*>(dlsym(handle_, "tune_module"));
  Dl_info info{};
  if (table_ == nullptr || dladdr(table_, &info) == 0) {
    dlclose(handle_);
    throw Error(format("'{}' is not a module of the emulator", path_.string()));
  }
  base_ = static_cast<const char*>(info.dli_fbase);
}

LoadedModule::~LoadedModule() {
  dlclose(handle_);
}

const tune_emulator::Entry* LoadedModule::entry(std::size_t variant, const std::string& name) const {
  const tune_emulator::Variant& entries = table_->variants[variant];
  for (int i = 0; i < entries.count; ++i)
    if (name == entries.entries[i].name) return &entries.entries[i];
  return nullptr;
}

std::vector<Array> LoadedModule::variables(std::size_t variant) const {
  std::ifstream file(path_, std::ios::binary);
  const std::vector<char> image{std::istreambuf_iterator<char>(file), {}};
  ElfW(Ehdr) header{};
  if (image.size() < sizeof header) return {};
  std::memcpy(&header, image.data(), sizeof header);
  const auto section = [&](std::size_t number) {
    ElfW(Shdr) found{};
    std::memcpy(&found, image.data() + header.e_shoff + number * sizeof found, sizeof found);
    return found;
  };
  const std::string mark = variant_namespace(variant);
  std::vector<Array> arrays;
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    const auto symbols = section(s);
    if (symbols.sh_type != SHT_SYMTAB) continue;
    const char* const names = image.data() + section(symbols.sh_link).sh_offset;
    for (std::size_t i = 0; i < symbols.sh_size / sizeof(ElfW(Sym)); ++i) {
      ElfW(Sym) symbol{};
      std::memcpy(&symbol, image.data() + symbols.sh_offset + i * sizeof symbol, sizeof symbol);
      const char* const name = names + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
          (std::strstr(name, mark.c_str()) == nullptr && std::strstr(name, of_all_variants) == nullptr))
        continue;
      Array array;
      // A writable variable of a function (_ZZ) is shared memory: device code has no other.
      const bool local = std::strncmp(name, "_ZZ", 3) == 0;
      array.name = name_of(name, local, mark);
      array.begin = const_cast<char*>(base_) + symbol.st_value;
      array.bytes = symbol.st_size;
      array.element_bytes = symbol.st_size % 4 == 0 ? 4 : 1;  // a guess: symbols have no element size
      const bool writable = (section(symbol.st_shndx).sh_flags & SHF_WRITE) != 0;
      array.space = !writable ? Array::Space::input : local ? Array::Space::shared : Array::Space::variable;
      array.initialised = array.space == Array::Space::variable;
      if (array.name != "tune_entries" && !array.name.starts_with("tune_emulator::") &&
          !array.name.starts_with("tune_gap_"))
        arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

std::vector<Finding> with_source_lines(std::vector<NotedFinding> noted, const LoadedModule& module) {
  std::vector<std::string> command = {"addr2line", "-i", "-a", "-e", module.path().string()};
  for (const NotedFinding& one : noted) {
    // The address of the call, before the return address.
    if (one.code != nullptr)
      command.push_back(format("{:#x}", static_cast<const char*>(one.code) - module.base() - 1));
  }
  std::vector<std::string> chains;
  if (command.size() > 5 && !find_program(command.front()).empty()) {
    std::istringstream lines(run_program(command).output);
    const std::string folder = std::filesystem::current_path().string();
    std::vector<std::string> places;
    bool begun = false;
    const auto finish = [&] {
      if (begun) chains.push_back(chain(places));
      places.clear();
      begun = true;
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("0x"))
        finish();
      else
        places.push_back(line_of(line, folder));
    }
    finish();
  }
  std::vector<Finding> findings;
  std::size_t next = 0;
  for (NotedFinding& one : noted) {
    if (one.code != nullptr && next < chains.size()) one.finding.source = chains[next++];
    findings.push_back(std::move(one.finding));
  }
  return findings;
}

}  // namespace tune::emulator
