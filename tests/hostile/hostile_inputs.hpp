// SPDX-License-Identifier: Apache-2.0
// Inputs that nobody means well, or that a careless hand makes: reproducible by kind and number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tune::testing {

/// A call of the program, and the files that it finds in its folder.
struct HostileInput {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> files;  ///< names and contents
  std::string request;  ///< instead of a call: the bytes of an HTTP request
};

/// One kind of inputs; `count` of them make up the long run.
struct HostileKind {
  std::string_view name;
  std::size_t count;
  HostileInput (*make)(std::uint64_t number);
};

std::span<const HostileKind> hostile_kinds();

/// Returns what is left to be said against an outcome, in a few words; empty where nothing is.
std::string complaint(const HostileInput& input, int status, const std::string& out, const std::string& err);

}  // namespace tune::testing
