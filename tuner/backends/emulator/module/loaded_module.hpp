// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/memory/memory_checker.hpp"
#include "tuner/base/failure.hpp"

namespace tune::emulator {

/// A compiled batch, loaded into this process.
class LoadedModule {
 public:
  /// Fails with `does not compile` where a function or variable is not defined. Throws Error where the module
  /// cannot be loaded for another reason.
  static Result<std::unique_ptr<LoadedModule>> load(const std::filesystem::path& path);
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule();

  const tune_emulator::ModuleTable& table() const { return *table_; }
  /// Null where the variant lacks the entry.
  const tune_emulator::Entry* entry(std::size_t variant, const std::string& name) const;
  /// Returns the variables of a variant (static shared memory, constants and device variables) with bounds
  /// from the symbol table.
  std::vector<Array> variables(std::size_t variant) const;

  const std::filesystem::path& path() const { return path_; }
  const char* base() const { return base_; }

 private:
  LoadedModule(std::filesystem::path path, void* handle);

  std::filesystem::path path_;
  void* handle_ = nullptr;
  const tune_emulator::ModuleTable* table_ = nullptr;
  const char* base_ = nullptr;
};

/// Adds the lines of the kernel's files for addresses in a module, by `addr2line`, which comes with g++: the
/// line of the access, then those of the functions that it was inlined into. Without `addr2line` findings
/// have no lines.
std::vector<Finding> with_source_lines(std::vector<NotedFinding> noted, const LoadedModule& module);

}  // namespace tune::emulator
