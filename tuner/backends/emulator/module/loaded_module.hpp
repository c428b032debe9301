// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/backends/emulator/memory/finding.hpp"
#include "tuner/backends/emulator/memory/memory_checker.hpp"

namespace tune::emulator {

/// A compiled batch in this process. Unloaded with the object.
class LoadedModule {
 public:
  /// Throws Error where it cannot be loaded.
  explicit LoadedModule(std::filesystem::path path);
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  ~LoadedModule();

  const tune_emulator::ModuleTable& table() const { return *table_; }
  /// Null where the variant has no such entry.
  const tune_emulator::Entry* entry(std::size_t variant, const std::string& name) const;
  /// The variables of a variant: arrays of static shared memory (variables of functions), and constants and
  /// device variables. Their bounds come from the symbol table.
  std::vector<Array> variables(std::size_t variant) const;

  const std::filesystem::path& path() const { return path_; }
  const char* base() const { return base_; }

 private:
  std::filesystem::path path_;
  void* handle_ = nullptr;
  const tune_emulator::ModuleTable* table_ = nullptr;
  const char* base_ = nullptr;
};

/// Turns addresses in a module into lines of the kernel's files, by `addr2line`, which comes with g++: the
/// line of the access, then those of the functions that it was inlined into. Without `addr2line` the findings
/// have no lines.
std::vector<Finding> with_source_lines(std::vector<NotedFinding> noted, const LoadedModule& module);

}  // namespace tune::emulator
