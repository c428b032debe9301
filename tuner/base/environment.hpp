// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

/// This process's environment for another program, but for what is given. With LC_ALL, it alone chooses the
/// language. Made before a fork, after which a program with threads may not take memory.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string, std::less<>>& given) {
    for (char** one = environ; *one != nullptr; ++one) {
      const std::string_view entry = *one;
      const bool replaced =
          (given.contains("LC_ALL") && (entry.starts_with("LC_") || entry.starts_with("LANG"))) ||
          given.contains(entry.substr(0, entry.find('=')));
      if (!replaced) texts_.emplace_back(entry);
    }
    for (const auto& [name, value] : given) texts_.push_back(name + "=" + value);
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  char* const* pointers() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

}  // namespace tune
