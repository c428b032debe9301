// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tune::cli {

/// A file that an option names.
struct NamedFile {
  std::string option;  ///< without dashes
  std::string path;    ///< empty: not given
};

/// Refuses, before the work begins, outputs that would destroy something (a file that is read, a database,
/// the same file twice) or cannot be written. Throws UsageError and Error.
void check_outputs(std::span<const NamedFile> outputs, const std::vector<std::string>& inputs);

/// Writes the whole text or nothing: where that fails, a file of this name stays as it was. A path that is
/// not a file (a pipe, /dev/stdout) is written to directly. Throws Error, also for a database of this name.
void write_whole_file(const std::filesystem::path& path, const std::string& text);
/// The same, of a text that is written in parts.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

/// One test as a service for continuous integration shows it.
struct TestCase {
  std::string group;  ///< JUnit's class name
  std::string name;
  double seconds = 0;                                 ///< its duration
  std::optional<std::string> failure = std::nullopt;  ///< why it failed: one line
  std::optional<std::string> skipped = std::nullopt;  ///< why it was not run
  std::string note = {};                              ///< for its output; empty for none
};

/// The tests as JUnit's XML, which GitLab, Jenkins and others read.
std::string junit_xml(const std::string& suite, const std::vector<TestCase>& cases);

}  // namespace tune::cli
