// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/imports/python_value.hpp"

namespace tune::described {

/// A number of a script that becomes a size of the definition.
struct ScriptSize {
  std::string name;
  std::int64_t value = 0, check = 0;
  bool is_given = true;     ///< the script has the value; else its caller gives it
  bool is_of_grid = false;  ///< the grid follows from it
};

/// Which names of a script's formulas a definition has: sizes and parameters. Numbers become sizes when they
/// are needed.
class ScriptNames {
 public:
  using Numbers = std::map<std::string, std::optional<std::int64_t>, std::less<>>;

  /// The smallest and the largest value of each parameter; equal ones for what has no order.
  using Parameters = std::map<std::string, std::pair<std::int64_t, std::int64_t>, std::less<>>;

  ScriptNames(Numbers numbers, Parameters parameters)
      : numbers_(std::move(numbers)), parameters_(std::move(parameters)) {}

  /// What its numbers become.
  enum class Use {
    grid,    ///< sizes
    extent,  ///< sizes, but small ones stay numbers
    number   ///< only what is a size already
  };

  /// The value as a formula of the definition; empty where it is not known.
  std::string formula(const python::Value& value, Use use);
  /// Likewise, for `least` binding as an operand.
  std::string operand(const python::Value& value, Use use, search::Binding least);
  /// The size of a number without a name in the script; one of the same value later means it, too.
  std::string size_for(const std::string& name, std::int64_t value);

  std::vector<ScriptSize>& sizes() { return sizes_; }
  /// A name that is neither, but stays as it is: of what is measured.
  void allow(const std::string& name) { parameters_.try_emplace(name); }
  bool is_size(std::string_view name) const;
  bool is_parameter(std::string_view name) const { return parameters_.contains(name); }

 private:
  std::optional<std::string> known_word(std::string_view word, Use use);

  Numbers numbers_;
  Parameters parameters_;
  std::vector<ScriptSize> sizes_ = {};
  std::map<std::int64_t, std::string> unnamed_ = {};
};

/// Sets sizes for checks: odd ones, or multiples of all values of what divides them where the kernel needs
/// whole blocks. `multiple`: 0 where it does not. `are_equal`: sizes that are equal stay so.
void choose_check_sizes(std::vector<ScriptSize>& sizes, std::int64_t multiple, bool are_equal);

}  // namespace tune::described
