// SPDX-License-Identifier: Apache-2.0
#include "kernels/triangle_count/model/files.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/triangle_count/model/graph.hpp"
#include "kernels/triangle_count/model/reference.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

using Path = std::filesystem::path;

constexpr std::uint64_t max_vertices = 0x7ffffffe;
/// Vertices for an edge, beyond which a few lines would take all memory.
constexpr std::uint64_t max_gap = 1000;

std::string text_of(const Path& file) {
  auto text = read_text(file);
  if (!text) throw UsageError(format("{}: {}", file.string(), text.error()));
  return std::move(*text);
}

/// Takes the lines of a text one by one.
class Lines {
 public:
  Lines(const Path& file, std::string_view text) : file_(file), rest_(text) {}

  /// False at the end. Comments and empty lines are left out.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      const std::size_t first = line_.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line_[first] == '#' || line_[first] == '%') continue;
      at_ = line_.data() + first;
      return true;
    }
    return false;
  }

  /// Takes a whole number of the line.
  std::uint64_t number(const char* what) {
    const char* const end = line_.data() + line_.size();
    while (at_ != end && (*at_ == ' ' || *at_ == '\t' || *at_ == ',')) ++at_;
    std::uint64_t value = 0;
    const auto [after, error] = std::from_chars(at_, end, value);
    const bool whole = after == end || *after == ' ' || *after == '\t' || *after == ',' || *after == '\r';
    if (error != std::errc() || !whole) refuse(format("{} is expected, not '{}'", what, line_.substr(0, 60)));
    at_ = after;
    return value;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError(format("{}:{}: {}", file_.string(), number_, why));
  }

 private:
  const Path& file_;
  std::string_view rest_, line_;
  const char* at_ = nullptr;
  std::size_t number_ = 0;
};

struct ReadGraph {
  std::int64_t vertices = 0;
  EdgeKeys edges;
  std::uint64_t loops = 0, repeats = 0;
};

/// Returns whether the text is a Matrix Market file; refuses those that are no lists of coordinates.
bool is_matrix_market(const Path& file, std::string_view text) {
  if (!text.starts_with("%%MatrixMarket")) return false;
  const std::string_view header = text.substr(0, text.find('\n'));
  if (header.find("matrix coordinate") == std::string_view::npos)
    throw UsageError(format("{}: '{}' is not a list of coordinates: take a file of 'matrix coordinate'",
                            file.string(), header.substr(0, 60)));
  return true;
}

ReadGraph parsed(const Path& file, std::string_view text) {
  const bool market = is_matrix_market(file, text);
  ReadGraph graph;
  EdgeKeys& edges = graph.edges;
  Lines lines(file, text);
  std::uint64_t vertices = 0, entries = 0;
  if (market) {
    if (!lines.next()) lines.refuse("the line of sizes is missing");
    vertices = lines.number("a number of rows");
    if (lines.number("a number of columns") != vertices)
      lines.refuse("the matrix is not square: a graph's is");
    entries = lines.number("a number of entries");
    if (vertices > max_vertices) lines.refuse("a graph has at most 2147483646 vertices");
    edges.reserve(std::min<std::uint64_t>(entries, text.size() / 4));
  }
  while (lines.next()) {
    std::uint64_t ends[2];
    for (std::uint64_t& end : ends) {
      end = lines.number("a line of two vertices");
      if (market && (end == 0 || end > vertices))
        lines.refuse(format("{} is no vertex: they are 1 to {}", end, vertices));
      if (market) --end;
      if (end >= max_vertices) lines.refuse(format("{}: vertices are 0 to 2147483645", end));
      if (!market) vertices = std::max(vertices, end + 1);
    }
    if (ends[0] == ends[1]) ++graph.loops;
    edges.push_back(edge_key(static_cast<std::uint32_t>(ends[0]), static_cast<std::uint32_t>(ends[1])));
  }
  if (market && edges.size() != entries)
    throw UsageError(
        format("{}: has {} entries, but its line of sizes says {}", file.string(), edges.size(), entries));
  if (vertices == 0)
    throw UsageError(format("{}: has no vertices: write a line 'u v' for each edge", file.string()));
  if (vertices > max_gap * (edges.size() + 1024))
    throw UsageError(format("{}: has {} vertices for {} edges: number those that have edges without gaps",
                            file.string(), vertices, edges.size()));
  graph.vertices = static_cast<std::int64_t>(vertices);
  graph.repeats = edges.size() - graph.loops;
  make_unique(edges, vertices);
  graph.repeats -= edges.size();
  if (graph.edges.size() > 0x7fffffff)
    throw UsageError(format("{}: a graph has at most 2147483647 edges", file.string()));
  return graph;
}

class TriangleFiles : public ProblemFiles {
 public:
  std::vector<std::pair<std::string, std::int64_t>> extents(const Path& file,
                                                            const Instance&) const override {
    const auto graph = read(file);
    return {{"vertices", graph->vertices}, {"edges", static_cast<std::int64_t>(graph->edges.size())}};
  }

  TensorSet read_inputs(const Path& file, const Instance& instance) const override {
    const auto graph = read(file);
    const TriangleJob job = triangle_job(instance);
    if (job.vertices != graph->vertices || static_cast<std::size_t>(job.edges) != graph->edges.size())
      throw UsageError(format("{}: has {} vertices and {} edges, not {}", file.string(), graph->vertices,
                              graph->edges.size(), instance.size()));
    return undirected(job, graph->edges);
  }

  std::string remark(const Path& file) const override {
    const auto graph = read(file);
    if (graph->loops == 0 && graph->repeats == 0) return {};
    return format("{}: {} loops and {} repeated edges are left out", file.string(), graph->loops,
                  graph->repeats);
  }

  TensorSet read_outputs(const Path& file, const Instance&) const override {
    const std::string text = text_of(file);
    Lines lines(file, text);
    HostTensor count(ElementType::u64, {1});
    if (!lines.next()) lines.refuse("a count is expected");
    count.as<std::uint64_t>()[0] = lines.number("a count");
    return tensor_set(std::move(count));
  }

  void write_inputs(const Path& file, const Instance& instance, const TensorSet& inputs) const override {
    const TriangleJob job = triangle_job(instance);
    const auto offsets = inputs.find("offsets")->second.as<std::uint32_t>();
    const auto neighbours = inputs.find("neighbours")->second.as<std::int32_t>();
    std::string text = format("%%MatrixMarket matrix coordinate pattern symmetric\n{} {} {}\n", job.vertices,
                              job.vertices, job.edges);
    for (std::size_t u = 0; u + 1 < offsets.size(); ++u)
      for (std::size_t e = offsets[u]; e < offsets[u + 1]; ++e)
        if (static_cast<std::size_t>(neighbours[e]) < u) {
          append(text, u + 1, ' ');
          append(text, static_cast<std::uint64_t>(neighbours[e]) + 1, '\n');
        }
    write(file, text);
  }
  void write_outputs(const Path& file, const Instance&, const TensorSet& outputs) const override {
    write(file, format("{}\n", outputs.find("count")->second.as<std::uint64_t>()[0]));
  }

  Tolerance tolerance(const Instance& instance, const TensorSet&) const override {
    return triangle_tolerance(triangle_job(instance));
  }

 private:
  static TensorSet tensor_set(HostTensor count) {
    TensorSet set;
    set.emplace("count", std::move(count));
    return set;
  }

  static void append(std::string& text, std::uint64_t number, char after) {
    char digits[24];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
    text += after;
  }

  static void write(const Path& file, std::string_view text) {
    const std::error_code error = replace_file(file, [&](const Path& to) { return write_bytes(to, text); });
    if (error) throw Error(format("{} cannot be written: {}", file.string(), error.message()));
  }

  /// Reads a file once for the calls that follow each other; a changed file is read again.
  static std::shared_ptr<const ReadGraph> read(const Path& file) {
    struct Known {
      Path file;
      std::filesystem::file_time_type changed;
      std::uintmax_t size = 0;
      std::shared_ptr<const ReadGraph> graph;
    };
    static std::mutex mutex;
    static Known known;
    const std::scoped_lock lock(mutex);
    std::error_code error;
    const auto changed = std::filesystem::last_write_time(file, error);
    const auto size = std::filesystem::file_size(file, error);
    if (known.graph == nullptr || known.file != file || known.changed != changed || known.size != size) {
      known = {};
      known = {file, changed, size, std::make_shared<const ReadGraph>(parsed(file, text_of(file)))};
    }
    return known.graph;
  }
};

}  // namespace

const ProblemFiles& triangle_files() {
  static const TriangleFiles files;
  return files;
}

}  // namespace tune::kernels
