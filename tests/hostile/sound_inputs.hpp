// SPDX-License-Identifier: Apache-2.0
// Small inputs of every kind that the program reads without complaint. Generators damage them.
#pragma once

#include <cstddef>
#include <string>

namespace tune::testing::sound {

extern const std::string kernel;  ///< the file `k.cu` of the definitions; it includes `more.cuh`
extern const std::string native;  ///< a definition in our own format
extern const std::string t1;      ///< the same in the exchange format
extern const std::string t4, kernel_tuner, ktt;  ///< files of results
extern const std::string stencil;
extern const std::string request;  ///< of HTTP

/// A file of `matvec`: a header of four numbers, then so many floats.
std::string matvec_file(unsigned rows, unsigned columns, std::size_t floats);

}  // namespace tune::testing::sound
