// SPDX-License-Identifier: Apache-2.0
// The grammar that npm installed, or none.
#if __has_include("tree-sitter-python/src/parser.c")
#include "tree-sitter-python/src/parser.c"
#include "tree-sitter-python/src/scanner.c"
#else
const void* tree_sitter_python(void) {
  return 0;
}
#endif
