// SPDX-License-Identifier: Apache-2.0
// The grammar that npm installed, or none.
#if __has_include("tree-sitter-cuda/src/parser.c")
#include "tree-sitter-cuda/src/parser.c"
#include "tree-sitter-cuda/src/scanner.c"
#else
const void* tree_sitter_cuda(void) {
  return 0;
}
#endif
