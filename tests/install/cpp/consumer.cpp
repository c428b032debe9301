// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <tune/lookup.hpp>

int main() {
  const auto lookup = tune::lookup::Lookup::open();
  if (!lookup) {
    std::printf("%s\n", lookup.error().message.c_str());
    return 1;
  }
  tune::lookup::Query query;
  query.problem = "stencil3d";
  query.size = {512, 512, 512};
  query.device.name = "NVIDIA H200";
  const auto best = lookup->best(query);
  if (!best) {
    std::printf("%s\n", best.error().message.c_str());
    return 1;
  }
  std::printf("%s: variant=%s, block_x=%lld, %.1f us\n", tune::lookup::to_string(best->match),
              best->text("variant").c_str(), best->integer("block_x", 0), 1e6 * best->seconds);
  return 0;
}
