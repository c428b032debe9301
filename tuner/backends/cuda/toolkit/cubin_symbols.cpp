// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/toolkit/cubin_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <optional>

namespace tune::cuda {
namespace {

/// Reads a structure from a place of the bytes; nothing beyond their end.
template<class T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t place) {
  if (place > bytes.size() || bytes.size() - place < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

}  // namespace

std::vector<CubinSymbol> symbols_in(std::span<const std::byte> image) {
  std::vector<CubinSymbol> found;
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    return found;
  const auto section = [&](std::size_t number) {
    return read_at<Elf64_Shdr>(image, header->e_shoff + number * header->e_shentsize);
  };
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto symbols = section(i);
    if (!symbols || symbols->sh_type != SHT_SYMTAB || symbols->sh_offset > image.size()) continue;
    const auto texts = section(symbols->sh_link);
    if (!texts || texts->sh_offset > image.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(image, symbols->sh_offset + at);
      if (!symbol) break;
      const auto type = ELF64_ST_TYPE(symbol->st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || symbol->st_shndx == SHN_UNDEF) continue;
      CubinSymbol one{{}, symbol->st_size, type == STT_FUNC};
      for (std::uint64_t place = texts->sh_offset + symbol->st_name;
           place < image.size() && image[place] != std::byte{0}; ++place)
        one.name += static_cast<char>(image[place]);
      found.push_back(std::move(one));
    }
  }
  return found;
}

}  // namespace tune::cuda
