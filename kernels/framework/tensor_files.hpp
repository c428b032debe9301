// SPDX-License-Identifier: Apache-2.0
// Files of inputs and outputs: a header of four 32-bit numbers, then tensors whose elements have four bytes;
// all little endian. Errors are those of ProblemFiles.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/tensor/tensor.hpp"

namespace tune::kernels {

using FileHeader = std::array<std::uint32_t, 4>;

struct FilePart {
  const char* name;
  ElementType type;
  Extents extents;
};

/// Reads the header.
FileHeader read_file_header(const std::filesystem::path& file);

/// Throws UsageError unless the file has the length of its header and these tensors. `what`: `a matrix and
/// vector of 3 x 4`.
void require_file_length(const std::filesystem::path& file, const std::vector<FilePart>& parts,
                         const std::string& what);

/// Reads the tensors behind the header. `largest`: what no float may exceed, infinite ones and NaN among
/// them; 0: any will do.
TensorSet read_file_parts(const std::filesystem::path& file, const std::vector<FilePart>& parts,
                          float largest = 0);

void write_file_parts(const std::filesystem::path& file, const FileHeader& header,
                      const std::vector<FilePart>& parts, const TensorSet& tensors);

}  // namespace tune::kernels
