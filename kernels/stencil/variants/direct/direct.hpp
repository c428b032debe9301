// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/stencil/plan/variant.hpp"

namespace tune::kernels {

/// Adds rules of a sweep whose threads compute bricks of cells.
void add_direct_rules(FamilySpace& space, const SweptStencil& stencil);

}  // namespace tune::kernels
