// SPDX-License-Identifier: Apache-2.0
// What lies around the cells that have all their neighbours.
#pragma once

// held: cells nearer to a face than the stencil reaches along that axis keep their values. zero: all cells
// are computed, the array continues with zeros.
enum class Boundary { held, zero };
