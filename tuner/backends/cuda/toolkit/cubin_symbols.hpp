// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tune::cuda {

/// A function or variable of a cubin.
struct CubinSymbol {
  std::string name;  ///< mangled
  std::uint64_t bytes = 0;
  bool is_function = false;
};

/// Returns the functions and variables that a cubin defines; nothing for what is no ELF file of 64 bits.
std::vector<CubinSymbol> symbols_in(std::span<const std::byte> image);

}  // namespace tune::cuda
