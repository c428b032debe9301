// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tuner/core/instance.hpp"
#include "tuner/core/tensor.hpp"

namespace tune::kernels {

/// An instance of stencil3d with its parts by name.
struct StencilSize {
  std::int64_t nx = 0, ny = 0, nz = 0;
  ElementType type = ElementType::f32;
  std::string shape;  ///< star or box
  int radius = 1;

  explicit StencilSize(const Instance& instance)
      : nx(instance.extent("nx")),
        ny(instance.extent("ny")),
        nz(instance.extent("nz")),
        type(instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32),
        shape(instance.setting("shape").as_text()),
        radius(static_cast<int>(instance.setting("radius").as_int())) {}

  bool star() const { return shape == "star"; }
  int element_bytes() const { return static_cast<int>(size_of(type)); }
  double cells() const { return static_cast<double>(nx) * static_cast<double>(ny) * static_cast<double>(nz); }
  Extents extents() const {
    return {static_cast<std::uint64_t>(nx), static_cast<std::uint64_t>(ny), static_cast<std::uint64_t>(nz)};
  }
};

}  // namespace tune::kernels
