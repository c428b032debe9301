// SPDX-License-Identifier: Apache-2.0
// What a problem takes and offers, for programs that show it or choose values. See docs/reference/library.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tune/values.hpp>
#include <utility>
#include <vector>

namespace tune::api {

/// A problem at one size, with its space on one device. A text `help` may be empty.
struct Description {
  struct Size {
    std::string name, help;
    std::int64_t value = 0;  ///< at this size
    std::int64_t default_value = 0;
  };
  struct Setting {
    std::string name, help;
    Value value, default_value;
    std::vector<Value> values;                                        ///< empty if a range is given
    std::optional<std::pair<std::int64_t, std::int64_t>> range = {};  ///< whole numbers, both included
  };
  struct Parameter {
    std::string name, help;
    std::vector<Value> values;  ///< in their order
    Value default_value;
    std::string condition;  ///< under which it exists, as an expression; empty: always
  };
  struct Constraint {
    std::string rule;  ///< an expression; empty for a function
    std::string why;
  };
  struct Argument {
    std::string name;
    std::string kind;  ///< `input`, `output`, `inout`, `scratch`, `scalar`, `struct` or `symbol`
    std::string type;  ///< of an element or a scalar: `float`, `int32`; empty for a struct
    std::vector<std::int64_t> extents;  ///< in elements, the fastest one first; empty for no array
    std::string value;                  ///< of a scalar: a number or a formula; empty for a function
    bool passed = false;                ///< a call of a dispatcher passes it
  };

  std::string name, summary;
  std::string item;  ///< what a rate counts: `cell update`
  std::vector<Size> sizes;
  std::vector<Setting> settings;
  std::vector<Parameter> parameters;
  std::vector<Constraint> constraints;
  std::vector<Argument> arguments;      ///< in their order; empty for a problem that the program has
  Configuration default_configuration;  ///< the valid one nearest to all defaults
  std::uint64_t space_size = 0;         ///< valid configurations
  bool counted = true;                  ///< false: there are more, and `space_size` is that of a sample
};

}  // namespace tune::api
