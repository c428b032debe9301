// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/cuda/plan/kernel_parameters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "tuner/backends/cuda/toolkit/cubin_symbols.hpp"
#include "tuner/base/demangle.hpp"
#include "tuner/base/format.hpp"
#include "tuner/plan/argument_sizes.hpp"

namespace tune::cuda {
namespace {

using Bytes = std::span<const std::byte>;

/// Returns nothing beyond the end.
template<class T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::optional<Bytes> part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return std::nullopt;
  return bytes.subspan(offset, size);
}

// The ELF format, 64 bits, little endian.
struct FileHeader {
  std::uint8_t identification[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, program_headers, section_headers;
  std::uint32_t flags;
  std::uint16_t header_size, program_header_size, program_header_count;
  std::uint16_t section_header_size, section_header_count, section_of_names;
};
struct SectionHeader {
  std::uint32_t name, type;
  std::uint64_t flags, address, offset, size;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_size;
};

bool is_named(Bytes names, std::uint32_t offset, std::string_view wanted) {
  const auto found = part(names, offset, wanted.size() + 1);
  return found && std::memcmp(found->data(), wanted.data(), wanted.size()) == 0 &&
         found->back() == std::byte{0};
}

std::optional<Bytes> section(Bytes elf, std::string_view wanted) {
  const auto file = read<FileHeader>(elf, 0);
  constexpr std::uint8_t elf64[] = {0x7f, 'E', 'L', 'F', 2, 1};
  if (!file || std::memcmp(file->identification, elf64, sizeof(elf64)) != 0 ||
      file->section_header_size != sizeof(SectionHeader))
    return std::nullopt;
  const auto header = [&](std::uint16_t i) {
    return read<SectionHeader>(elf, file->section_headers + i * sizeof(SectionHeader));
  };
  const auto of_names = header(file->section_of_names);
  const auto names = of_names ? part(elf, of_names->offset, of_names->size) : std::nullopt;
  if (!names) return std::nullopt;
  for (std::uint16_t i = 0; i < file->section_header_count; ++i) {
    const auto one = header(i);
    if (one && is_named(*names, one->name, wanted)) return part(elf, one->offset, one->size);
  }
  return std::nullopt;
}

struct Parameter {
  std::uint16_t offset;
  std::uint32_t size;
};

/// Parameters by ordinal, and the bytes of all together.
struct Parameters {
  std::map<std::uint16_t, Parameter> all;
  std::uint16_t bytes = 0;
};

/// Reads records of a format kind, an attribute and 16 bits: a value, or the size of the data that follows.
std::optional<Parameters> parameters(Bytes info) {
  constexpr std::uint8_t sized = 4;
  constexpr std::uint8_t parameter_bytes = 0x19;
  constexpr std::uint8_t parameter = 0x17;
  Parameters found;
  for (std::uint64_t place = 0; place < info.size();) {
    const auto kind = read<std::uint8_t>(info, place);
    const auto attribute = read<std::uint8_t>(info, place + 1);
    const auto value = read<std::uint16_t>(info, place + 2);
    if (!kind || !attribute || !value || *kind == 0 || *kind > sized) return std::nullopt;
    place += 4;
    if (*attribute == parameter_bytes) found.bytes = *value;
    if (*kind != sized) continue;
    if (*attribute == parameter) {
      const auto ordinal = read<std::uint16_t>(info, place + 4);
      const auto offset = read<std::uint16_t>(info, place + 6);
      const auto flags = read<std::uint32_t>(info, place + 8);
      if (*value != 12 || !ordinal || !offset || !flags) return std::nullopt;
      found.all[*ordinal] = {*offset, *flags >> 18};
    }
    place += *value;
  }
  return found;
}

}  // namespace

std::optional<std::vector<std::size_t>> parameter_sizes(std::span<const std::byte> cubin,
                                                        std::string_view symbol) {
  const auto info = section(cubin, ".nv.info." + std::string(symbol));
  const auto found = info ? parameters(*info) : std::nullopt;
  if (!found) return std::nullopt;
  // Parameters must follow each other without an overlap up to the end: otherwise the format was misread.
  std::vector<std::size_t> sizes;
  std::uint32_t end = 0;
  for (const auto& [ordinal, parameter] : found->all) {
    if (ordinal != sizes.size() || parameter.offset < end) return std::nullopt;
    sizes.push_back(parameter.size);
    end = parameter.offset + parameter.size;
  }
  if (end != found->bytes) return std::nullopt;
  return sizes;
}

std::string unfit_arguments(const Launch& launch, const Binary& binary) {
  const auto symbol = binary.symbols.find(launch.entry);
  if (symbol == binary.symbols.end()) return {};
  const auto sizes = parameter_sizes(binary.image, symbol->second);
  // An empty list may also mean that the cubin has the sizes elsewhere.
  if (!sizes || (sizes->empty() && !launch.arguments.empty())) return {};
  return tune::unfit_arguments(launch, *sizes);
}

namespace {

/// Calls `use` with each buffer that is copied to a variable of the cubin, and that variable.
template<class Use>
void each_variable(const LaunchPlan& plan, const Binary& binary, const Use& use) {
  if (std::ranges::all_of(plan.buffers, [](const BufferSpec& one) { return one.symbol.empty(); })) return;
  for (const CubinSymbol& symbol : symbols_in(binary.image)) {
    if (symbol.is_function) continue;
    const std::string name = variable_name(symbol.name);
    for (const BufferSpec& buffer : plan.buffers)
      if (buffer.symbol == name) use(buffer, symbol);
  }
}

}  // namespace

std::map<std::string, std::string> variables_of(const LaunchPlan& plan, const Binary& binary) {
  std::map<std::string, std::string> names;
  each_variable(plan, binary, [&](const BufferSpec& buffer, const CubinSymbol& symbol) {
    names.emplace(buffer.symbol, symbol.name);
  });
  return names;
}

std::string unfit_variables(const LaunchPlan& plan, const Binary& binary) {
  std::string unfit;
  each_variable(plan, binary, [&](const BufferSpec& buffer, const CubinSymbol& symbol) {
    if (unfit.empty()) unfit = unfit_variable(buffer, symbol.bytes);
  });
  if (!unfit.empty() || std::ranges::none_of(plan.buffers, &BufferSpec::symbol_is_hidden)) return unfit;
  std::vector<std::string> variables;
  for (const CubinSymbol& symbol : symbols_in(binary.image))
    if (!symbol.is_function) variables.push_back(variable_name(symbol.name));
  return missing_variable(plan.buffers, variables);
}

std::string unfit_plan(const LaunchPlan& plan, const Binary& binary) {
  for (const Launch* const launch : kernel_launches(plan))
    if (std::string unfit = unfit_arguments(*launch, binary); !unfit.empty()) return unfit;
  return unfit_variables(plan, binary);
}

}  // namespace tune::cuda
