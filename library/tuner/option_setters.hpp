// SPDX-License-Identifier: Apache-2.0
// Options that are set by name with a text, from a table over the members of a structure.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tune/tuner.hpp>
#include <type_traits>
#include <vector>

#include "library/tuner/tuner_c.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/format.hpp"

namespace tune::api::in_c {

template<class T>
T number_of(const std::string& option, const std::string& text, const char* expected) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw Error(tune::format("{}: '{}' is not {}", option, text, expected));
  return number;
}

inline bool truth_of(const std::string& option, const std::string& text) {
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  throw Error(tune::format("{}: '{}' is neither true nor false", option, text));
}

/// Sets a member from a text, by the member's type; an empty text stands for the default.
template<auto member, class Options>
void set_member(Options& options, const std::string& option, const std::string& text) {
  auto& target = options.*member;
  using Member = std::remove_reference_t<decltype(target)>;
  if (text.empty())
    target = Options{}.*member;
  else if constexpr (std::is_same_v<Member, std::string>)
    target = text;
  else if constexpr (std::is_same_v<Member, bool>)
    target = truth_of(option, text);
  else if constexpr (std::is_same_v<Member, double>)
    target = number_of<double>(option, text, "a number");
  else if constexpr (std::is_same_v<Member, std::optional<double>>)
    target = number_of<double>(option, text, "a number");
  else if constexpr (std::is_unsigned_v<Member>)
    target = number_of<Member>(option, text, "a whole number of 0 or more");
  else
    target = number_of<typename Member::value_type>(option, text, "a whole number of 0 or more");
}

template<class Options>
struct OptionEntry {
  const char* name;
  void (*set)(Options&, const std::string& option, const std::string& text);
};

/// Sets the option of this name; a null value stands for the default. Throws Error with the nearest name for
/// an unknown one.
template<class Options>
void set_option(std::span<const OptionEntry<Options>> table, Options& options, const char* option,
                const char* value, const char* function) {
  require(option, function);
  std::vector<std::string> known;
  for (const OptionEntry<Options>& entry : table) {
    if (std::string_view(entry.name) == option)
      return entry.set(options, option, value == nullptr ? "" : value);
    known.emplace_back(entry.name);
  }
  throw Error(format("{}: there is no option '{}'{}", function, option, search::did_you_mean(option, known)));
}

}  // namespace tune::api::in_c
