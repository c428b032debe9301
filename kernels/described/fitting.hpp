// SPDX-License-Identifier: Apache-2.0
// Numbers of formulas as the types of kernels hold them, exactly or not at all.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "kernels/described/description.hpp"
#include "tuner/tensor/tensor.hpp"

namespace tune::described {

template<class T>
std::optional<T> fitting_whole(WholeNumber number) {
  const bool fits = number >= WholeNumber{std::numeric_limits<T>::lowest()} &&
                    number <= WholeNumber{std::numeric_limits<T>::max()};
  return fits ? std::optional(static_cast<T>(number)) : std::nullopt;
}

/// Returns nothing for a finite number beyond the type. Infinity and NaN stay what they are.
template<class T>
std::optional<T> fitting_real(double number) {
  if constexpr (std::is_same_v<T, double>) {
    return number;
  } else if constexpr (std::is_same_v<T, float>) {
    constexpr double first_beyond = 0x1.ffffffp127;  // half a unit of the last place above the largest float
    if (std::isfinite(number) && std::abs(number) >= first_beyond) return std::nullopt;
    return static_cast<float>(number);
  } else {
    const T made(number);
    if (std::isfinite(number) && !std::isfinite(static_cast<double>(made))) return std::nullopt;
    return made;
  }
}

/// Returns the number as an element of this host type; nothing if the type cannot hold it. Throws
/// search::ExprError for a value that is not a number, and for one that is not whole where the type needs
/// one.
template<class T>
std::optional<T> fitting(const FormulaValue& value) {
  if constexpr (is_floating<T>)
    return fitting_real<T>(value.real());
  else
    return fitting_whole<T>(value.whole());
}

/// Returns why a type does not hold the number: `1023 is beyond int8 (-128 to 127)`. Empty if it does.
std::string misfit_of(const TypeName& type, const FormulaValue& value);

/// Throws UsageError, with the name of the argument and the bound, where constant bounds or values of a fill
/// are beyond the type of the elements. Formulas are checked when they are computed.
void check_contents(const Argument& argument, const Contents& contents);

}  // namespace tune::described
