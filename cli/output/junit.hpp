// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tune::cli {

/// One test as a service for continuous integration shows it.
struct TestCase {
  std::string group;  ///< JUnit's class name
  std::string name;
  double seconds = 0;                                 ///< that it took
  std::optional<std::string> failure = std::nullopt;  ///< why it failed: one line
  std::optional<std::string> skipped = std::nullopt;  ///< why it was not made
};

/// The tests as JUnit's XML, which GitLab, Jenkins and others read.
std::string junit_xml(const std::string& suite, const std::vector<TestCase>& cases);

}  // namespace tune::cli
