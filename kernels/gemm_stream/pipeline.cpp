// SPDX-License-Identifier: Apache-2.0
#include "kernels/gemm_stream/pipeline.hpp"

#include <algorithm>
#include <functional>

#include "kernels/framework/family.hpp"
#include "kernels/gemm/model/variant.hpp"
#include "kernels/gemm_stream/job.hpp"

namespace tune::kernels {

using search::Configuration;
using search::Expr;
using search::Value;
using search::var;

namespace {

/// Returns the tiles of at most 512 threads: larger ones leave each thread too few registers.
std::vector<Value> tile_names(bool doubles) {
  std::vector<Value> names;
  for (const StreamTile& tile : stream_tiles())
    if (tile.block_m * tile.block_n / (doubles ? 32 : tile.thread_m * tile.thread_n) <= 512)
      names.emplace_back(std::string(tile.name));
  return names;
}

void add_parameters(const StreamJob& job, search::SpaceDefinition& space) {
  const bool doubles = job.product.type == ElementType::f64;
  space.parameters = {
      {"streams",
       "pieces under way at once, each with memory of its own on the device; 1: copies and products one "
       "after another",
       {1, 2, 3, 4, 6, 8},
       3},
      {"order",
       "pieces: a stream for each piece under way, in which its steps follow each other; stages: one stream "
       "for copies to the device, one for products, one for copies back",
       {"pieces", "stages"},
       "stages",
       var("streams") > 1},
      {"tail",
       "parts of rows in which the last product passes through the device, and the others of the last piece "
       "one by one: less is left to do when the last copy to the device has ended",
       {1, 2, 4},
       2,
       var("order") == "stages"},
      {"chunk", "products that are copied and computed as one piece", {1, 2, 4, 8, 16}, 1},
      {"memory",
       "where the matrices lie on the host: pinned, or pageable, which the driver copies through pinned "
       "memory",
       {"pinned", "pageable"},
       "pinned"},
      {"graph",
       "whether all steps are recorded as a CUDA graph once and started as a whole",
       {false, true},
       false,
       var("memory") == "pinned"},
      {"kernel", "the variant of gemm that computes a product", {"register", "async"}, "async"},
      {"tile", "rows and columns of a product that a block computes", tile_names(doubles),
       doubles ? "64x64" : "128x128"},
      {"vector", "neighbouring elements of an access to the device's memory",
       doubles ? std::vector<Value>{1, 2} : std::vector<Value>{1, 2, 4}, doubles ? 2 : 4},
      {"padded",
       "whether rows are padded to whole lines of 128 bytes on the device, so that vectors are aligned in "
       "every row; copies then go row by row",
       {false, true},
       true,
       var("k") % var("line") != 0 || var("n") % var("line") != 0},
  };
}

/// A, B or C: its matrices lie on the host without gaps, and on the device slot after slot.
struct Matrices {
  const char* host;
  const char* device;
  std::uint64_t rows = 0, columns = 0;  ///< of a matrix
  std::uint64_t pitch = 0;              ///< on the device

  std::uint64_t on_host() const { return rows * columns; }
  std::uint64_t on_device() const { return rows * pitch; }
};

Matrices matrices(const char* host, const char* device, const GemmJob& job, std::int64_t rows,
                  std::int64_t columns, bool padded) {
  const Layout layout = matrix_layout(rows, columns, job.type, padded);
  return {host, device, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
          layout.strides[1]};
}

/// Collects the steps of a plan. Pieces take turns on the slots of device memory.
class Pipeline {
 public:
  /// `rows_launch` returns the launch of this number of rows of a product.
  Pipeline(const StreamJob& job, const StreamPlan& streaming, bool padded,
           std::function<Launch(std::uint64_t)> rows_launch)
      : job_(job),
        streaming_(streaming),
        rows_launch_(std::move(rows_launch)),
        left_(matrices("a", "a_here", job.product, job.product.m, job.product.k, padded)),
        right_(matrices("b", "b_here", job.product, job.product.k, job.product.n, padded)),
        result_(matrices("c", "c_here", job.product, job.product.m, job.product.n, padded)) {}

  std::vector<BufferSpec> buffers() const {
    std::vector<BufferSpec> all;
    for (const Matrices* of : {&left_, &right_, &result_}) {
      const auto role = of == &result_ ? BufferRole::output : BufferRole::input;
      all.push_back({of->host, job_.product.type,
                     Layout::dense({of->columns, of->rows, static_cast<std::uint64_t>(job_.count)}), role});
      all.back().place = streaming_.pinned ? MemoryPlace::pinned : MemoryPlace::pageable;
    }
    for (const Matrices* of : {&left_, &right_, &result_}) {
      Layout here{{of->columns, of->rows, slots() * chunk()}, {1, of->pitch, of->on_device()}, 0, 0};
      here.allocation = of->on_device() * slots() * chunk();
      all.push_back({of->device, job_.product.type, here, BufferRole::scratch, true});
    }
    return all;
  }

  std::vector<PlanStep> steps(const Launch& product) {
    for (std::uint64_t piece = 0; piece * chunk() < count(); ++piece) add_piece(piece, product);
    return std::move(steps_);
  }

 private:
  std::uint64_t count() const { return static_cast<std::uint64_t>(job_.count); }
  std::uint64_t chunk() const { return static_cast<std::uint64_t>(streaming_.chunk); }
  std::uint64_t slots() const {
    return std::min(static_cast<std::uint64_t>(streaming_.streams), (count() + chunk() - 1) / chunk());
  }

  /// Products `first` to `first + products`, or some rows of a single one, which are copied, computed and
  /// copied back together.
  struct Portion {
    std::uint64_t first, products;
    std::uint64_t row, rows;
  };

  /// Returns a piece as a whole or, if the plan has a short tail, the last piece in portions that get
  /// smaller.
  std::vector<Portion> portions(std::uint64_t first, std::uint64_t products) const {
    if (streaming_.tail == 1 || first + products < count()) return {{first, products, 0, left_.rows}};
    std::vector<Portion> all;
    for (std::uint64_t i = first; i + 1 < count(); ++i) all.push_back({i, 1, 0, left_.rows});
    const auto tile = static_cast<std::uint64_t>(streaming_.tile_rows),
               parts = static_cast<std::uint64_t>(streaming_.tail);
    const std::uint64_t rows = ((left_.rows + parts - 1) / parts + tile - 1) / tile * tile;
    for (std::uint64_t row = 0; row < left_.rows; row += rows)
      all.push_back({count() - 1, 1, row, std::min(rows, left_.rows - row)});
    return all;
  }

  void add_piece(std::uint64_t piece, const Launch& product) {
    const std::uint64_t slot = piece % slots();
    const std::uint64_t first = piece * chunk(), products = std::min(chunk(), count() - first);
    // The last steps that used the slot, by stage: stages have streams of their own.
    const Used before = piece >= slots() ? used_[slot] : Used{};
    Used now;
    for (const Portion& portion : portions(first, products)) {
      const std::uint64_t place = slot * chunk() + portion.first - first;
      add(to_device(left_, portion, place), order(0, slot, before.product));
      if (portion.row == 0)
        add(to_device(right_, {portion.first, portion.products, 0, right_.rows}, place),
            order(0, slot, before.product));
      now.copied = steps_.size() - 1;
      for (std::uint64_t i = 0; i < portion.products; ++i) {
        StepOrder when = order(1, slot, i == 0 ? std::optional(now.copied) : std::nullopt);
        if (streaming_.stages && i == 0 && before.fetched) when.after.push_back(*before.fetched);
        add(launch(product, portion, place + i), when);
      }
      now.product = steps_.size() - 1;
      add(to_host(portion, place), order(2, slot, now.product));
      now.fetched = steps_.size() - 1;
    }
    used_.resize(slots());
    used_[slot] = now;
  }

  /// Steps of one stream are in order already.
  StepOrder order(std::uint32_t stage, std::uint64_t slot, std::optional<std::size_t> after) const {
    if (!streaming_.stages) return {static_cast<std::uint32_t>(slot), {}};
    StepOrder order{stage, {}};
    if (after) order.after.push_back(*after);
    return order;
  }

  void add(auto step, StepOrder when) {
    step.order = std::move(when);
    steps_.emplace_back(std::move(step));
  }

  /// Copies rows without gaps on both sides as one.
  static Copy rows_of(CopySide from, CopySide to, const Matrices& of, const Portion& portion) {
    const std::uint64_t rows = portion.products * portion.rows;
    if (of.pitch == of.columns) return {std::move(from), std::move(to), rows * of.columns, 1, {}};
    return {std::move(from), std::move(to), of.columns, rows, {}};
  }
  static CopySide host_side(const Matrices& of, const Portion& portion) {
    return {of.host, portion.first * of.on_host() + portion.row * of.columns, of.columns};
  }
  static CopySide device_side(const Matrices& of, const Portion& portion, std::uint64_t place) {
    return {of.device, place * of.on_device() + portion.row * of.pitch, of.pitch};
  }
  /// `place`: of the first product on the device.
  static Copy to_device(const Matrices& of, const Portion& portion, std::uint64_t place) {
    return rows_of(host_side(of, portion), device_side(of, portion, place), of, portion);
  }
  Copy to_host(const Portion& portion, std::uint64_t place) const {
    return rows_of(device_side(result_, portion, place), host_side(result_, portion), result_, portion);
  }

  /// Returns the launch of the portion's rows of a product on the matrices at this place of the device's
  /// memory.
  Launch launch(const Launch& whole, const Portion& portion, std::uint64_t place) const {
    Launch made = portion.rows == left_.rows ? whole : rows_launch_(portion.rows);
    for (KernelArgument& argument : made.arguments) {
      auto* const given = std::get_if<BufferArgument>(&argument);
      if (given == nullptr) continue;
      for (const Matrices* of : {&left_, &right_, &result_}) {
        if (given->buffer != of->host) continue;
        const Portion part = of == &right_ ? Portion{0, 1, 0, right_.rows} : portion;
        *given = {of->device, place * of->on_device() + part.row * of->pitch, part.rows * of->pitch};
        break;
      }
    }
    return made;
  }

  struct Used {
    std::size_t copied = 0;
    std::optional<std::size_t> product, fetched;
  };

  const StreamJob& job_;
  const StreamPlan& streaming_;
  std::function<Launch(std::uint64_t)> rows_launch_;
  Matrices left_, right_, result_;
  std::vector<Used> used_;
  std::vector<PlanStep> steps_;
};

}  // namespace

search::SpaceDefinition gemm_stream_space(const StreamJob& job, const DeviceProperties& device) {
  search::SpaceDefinition space;
  const double bytes = (job.left_elements() + job.right_elements() + job.result_elements()) *
                       job.product.element_bytes() / static_cast<double>(job.count);
  space.constants = {
      {"m", job.product.m},
      {"n", job.product.n},
      {"k", job.product.k},
      {"count", job.count},
      {"line", 128 / job.product.element_bytes()},
      {"product_bytes", bytes},
      // The properties of an architecture have no memory size.
      {"device_bytes", device.global_memory > 0 ? static_cast<double>(device.global_memory) : 1e300},
  };
  add_parameters(job, space);
  const bool async_copies = device.compute_major == 0 || device.compute_major >= 8;
  space.constraints = {
      {search::Expr(async_copies) || var("kernel") != "async", no_async_copies},
      {var("padded") || (var("n") % var("vector") == 0 && var("k") % var("vector") == 0),
       "vectors of unpadded matrices need rows that are whole vectors: else they are not aligned"},
      {(var("streams") - 1) * var("chunk") < var("count"), "fewer pieces under way hold all products"},
      {var("tail") == 1 || (var("tail") - 1) * stream_tile_rows() < var("m"),
       "the last product has fewer rows of tiles"},
      {var("chunk") <= var("count"), "there are fewer products"},
      {var("product_bytes") * var("chunk") * var("streams") <= var("device_bytes"),
       "the pieces under way do not fit the memory of the device"},
  };
  return space;
}

Result<LaunchPlan> plan_gemm_stream(const StreamJob& job, const Configuration& configuration,
                                    const KernelSources& sources) {
  constexpr double max_elements = 0x1.0p58;
  if (job.left_elements() + job.right_elements() + job.result_elements() > max_elements)
    return fail(Phase::constraint, "extent", "more elements than 64-bit addresses reach");
  const Configuration one = product_configuration(job, configuration);
  Result<LaunchPlan> plan = plan_gemm(job.product, one, sources);
  if (!plan) return plan;
  const StreamPlan streaming = stream_plan(configuration);
  const auto product = std::get<Launch>(plan->launches.at(0));
  const auto rows_launch = [&](std::uint64_t rows) {
    GemmJob part = job.product;
    part.m = static_cast<std::int64_t>(rows);
    return std::get<Launch>(plan_gemm(part, one, sources).value().launches.at(0));
  };
  Pipeline pipeline(job, streaming, is_padded(one), rows_launch);
  plan->buffers = pipeline.buffers();
  plan->launches = pipeline.steps(product);
  plan->graph = streaming.graph ? GraphUse::always : GraphUse::never;
  return plan;
}

}  // namespace tune::kernels
