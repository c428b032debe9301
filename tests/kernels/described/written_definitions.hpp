// SPDX-License-Identifier: Apache-2.0
// Small definitions, written to a folder, that the emulator and a GPU are both held against: one for each
// type of elements, one for each way to read through a texture.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tune::described::testing {

/// y = `sum` of x and a scalar s.
struct TypedKernel {
  std::string type;      ///< as definitions name it
  std::string word;      ///< the type in CUDA
  std::string sum;       ///< how y[i] is computed: x[i] is i, s is 3
  std::string expected;  ///< what y must be, as a fill

  /// Writes k.cu and k.json; returns the latter.
  std::filesystem::path write(const std::filesystem::path& folder) const;
};

/// 2 x + s for every type.
std::vector<TypedKernel> typed_kernels();

/// out = what is fetched from an image, beside a kernel that is right.
struct TexturedKernel {
  std::string fetch;      ///< by the kernel under test, at (x, y) of nx x ny
  std::string input;      ///< the argument's description
  std::string reference;  ///< the same from an ordinary array, at (i, y)

  /// Writes k.cu, right.cu and k.json; returns the last.
  std::filesystem::path write(const std::filesystem::path& folder) const;
};

/// Every memory, address and filter mode that definitions have.
std::vector<TexturedKernel> textured_kernels();

/// Writes a definition with structs by value, an input that the kernel destroys, and launches that swap
/// arrays. `factor`: 3 is right. Returns its file.
std::filesystem::path write_values_and_launches(const std::filesystem::path& folder, int factor = 3);

}  // namespace tune::described::testing
