// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tune {

/// Returns the C++ name of a symbol of a binary; the symbol itself where it has none.
std::string demangled(const std::string& symbol);

/// Returns the name of a variable as source code writes it, `filters::weights`: without the namespaces that
/// compilers add to those of unnamed namespaces and static ones.
std::string variable_name(const std::string& symbol);

}  // namespace tune
