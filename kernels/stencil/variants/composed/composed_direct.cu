// SPDX-License-Identifier: Apache-2.0
// Several time steps at once: the stencil convolved with itself, applied as direct.cu applies any stencil.
// Its boundary is held, so that it leaves out all cells whose steps a face has a say in; these are the rim's.

#include "direct.cu"
#include "rim.cuh"
