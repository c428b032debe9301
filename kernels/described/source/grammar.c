// SPDX-License-Identifier: Apache-2.0
// The grammar that npm installed, or none.
#if __has_include("tree_sitter/parser.h") && __has_include("parser.c")
#include "parser.c"
#include "scanner.c"
#else
const void* tree_sitter_cuda(void) {
  return 0;
}
#endif
