// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/job.hpp"

#include <stdexcept>
#include <string>

#include "kernels/framework/family.hpp"

namespace tune::kernels {

using search::Configuration;

namespace {

constexpr StreamTile tiles[] = {
    {"64x64", 64, 64}, {"128x64", 128, 64}, {"128x128", 128, 128}, {"128x256", 128, 256, 16, 8, false}};

double elements(std::int64_t count, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(count) * static_cast<double>(rows) * static_cast<double>(columns);
}

bool flag(const Configuration& configuration, const char* name) {
  return configuration.has(name) && configuration[name].as_bool();
}

}  // namespace

std::span<const StreamTile> stream_tiles() {
  return tiles;
}

const StreamTile& stream_tile(std::string_view name) {
  for (const StreamTile& tile : tiles)
    if (tile.name == name) return tile;
  throw std::out_of_range("no tile '" + std::string(name) + "'");
}

search::Expr stream_tile_rows() {
  search::Expr rows(0);
  for (const StreamTile& tile : tiles)
    rows = rows + (search::var("tile") == std::string(tile.name)) * tile.block_m;
  return rows;
}

double StreamJob::left_elements() const {
  return elements(count, product.m, product.k);
}
double StreamJob::right_elements() const {
  return elements(count, product.k, product.n);
}
double StreamJob::result_elements() const {
  return elements(count, product.m, product.n);
}

StreamJob stream_job(const Instance& instance) {
  StreamJob job;
  job.product.m = instance.extent("m");
  job.product.n = instance.extent("n");
  job.product.k = instance.extent("k");
  job.product.type = instance.setting("type").as_text() == "double" ? ElementType::f64 : ElementType::f32;
  job.count = instance.setting("count").as_int();
  return job;
}

StreamPlan stream_plan(const Configuration& configuration) {
  StreamPlan plan;
  plan.streams = configuration["streams"].as_int();
  plan.chunk = configuration["chunk"].as_int();
  plan.stages = configuration.has("order") && configuration["order"].as_text() == "stages";
  plan.pinned = configuration["memory"].as_text() == "pinned";
  plan.graph = flag(configuration, "graph");
  plan.tile_rows = evaluated(stream_tile_rows(), configuration, {});
  if (configuration.has("tail")) plan.tail = configuration["tail"].as_int();
  return plan;
}

Configuration product_configuration(const StreamJob& job, const Configuration& configuration) {
  const bool doubles = job.product.type == ElementType::f64;
  const bool async = configuration["kernel"].as_text() == "async";
  // Without the parameter, rows are whole lines already.
  const bool padded = !configuration.has("padded") || configuration["padded"].as_bool();
  const StreamTile& tile = stream_tile(configuration["tile"].as_text());
  Configuration product;
  product.set("variant", async ? "async" : "register");
  product.set("block_m", tile.block_m);
  product.set("block_n", tile.block_n);
  product.set("slab", 8);
  product.set("thread_m", doubles ? 8 : tile.thread_m);
  product.set("thread_n", doubles ? 4 : tile.thread_n);
  product.set("slices", 1);
  product.set("lanes_m", 4);
  product.set("lane_pairs", doubles || tile.lane_pairs);
  product.set("vector", configuration["vector"].as_int());
  product.set("group", 8);
  product.set("split", 1);
  product.set("padded", padded);
  product.set("min_blocks", 1);
  if (!async) return product;
  product.set("stages", 3);
  product.set("transposed", true);
  return product;
}

}  // namespace tune::kernels
