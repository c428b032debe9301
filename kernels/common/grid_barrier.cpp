// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/grid_barrier.hpp"

#include <utility>

namespace tune::kernels {

SourceFile grid_barrier_header(const KernelSources& sources) {
  return {"grid_barrier.cuh", sources.text(grid_barrier_file)};
}

BufferSpec grid_barrier_counter(std::string name) {
  return {std::move(name), ElementType::u32, Layout::dense({1}), BufferRole::scratch,
          false,           BufferFill::zero};
}

}  // namespace tune::kernels
