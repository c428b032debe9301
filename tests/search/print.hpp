// SPDX-License-Identifier: Apache-2.0
// How GoogleTest shows our types; included by every test of search, so that all show them alike.
#pragma once

#include <ostream>

#include "search/expressions/expr.hpp"
#include "search/space/configuration.hpp"
#include "search/strategies/registry.hpp"

namespace tune::search {

inline void PrintTo(const Value& value, std::ostream* out) {
  *out << (value.is_text() ? "\"" + value.as_text() + "\"" : value.to_string());
}
inline void PrintTo(const Configuration& configuration, std::ostream* out) {
  *out << "(" << configuration.to_string() << ")";
}
inline void PrintTo(Tribool truth, std::ostream* out) {
  *out << (truth == Tribool::unknown ? "unknown" : truth == Tribool::yes ? "yes" : "no");
}
inline void PrintTo(const StrategyEntry& entry, std::ostream* out) {
  *out << entry.name;
}

}  // namespace tune::search
