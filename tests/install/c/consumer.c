/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <tune/lookup.h>

int main(void) {
  tune_lookup *lookup;
  tune_lookup_candidate *best;
  const int64_t size[] = {512, 512, 512};
  tune_lookup_query query = {0};
  if (tune_lookup_open(NULL, NULL, &lookup) != TUNE_LOOKUP_OK) {
    printf("%s\n", tune_lookup_message());
    return 1;
  }
  query.problem = "stencil3d";
  query.size = size;
  query.extents = 3;
  query.device.name = "NVIDIA H200";
  if (tune_lookup_best(lookup, &query, &best) != TUNE_LOOKUP_OK) {
    printf("%s\n", tune_lookup_message());
    tune_lookup_close(lookup);
    return 1;
  }
  printf("%s: variant=%s, block_x=%lld, %.1f us\n",
         tune_lookup_match_of(best) == TUNE_LOOKUP_EXACT ? "exact" : "no exact match",
         tune_lookup_text(best, "variant", "?"), tune_lookup_integer(best, "block_x", 0),
         1e6 * tune_lookup_seconds(best));
  tune_lookup_free(best);
  tune_lookup_close(lookup);
  return 0;
}
