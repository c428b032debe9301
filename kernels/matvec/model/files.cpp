// SPDX-License-Identifier: Apache-2.0
#include "kernels/matvec/model/files.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>

#include "kernels/matvec/model/job.hpp"
#include "kernels/matvec/model/reference.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read and written as memory lies");

using Path = std::filesystem::path;
using Header = std::array<std::uint32_t, 4>;  // rows, columns, 0, 0

struct Part {
  const char* name;
  Extents extents;
};

std::vector<Part> input_parts(const MatvecJob& job) {
  const auto rows = static_cast<std::uint64_t>(job.rows), columns = static_cast<std::uint64_t>(job.columns);
  if (job.has_n()) return {{"a", job.extents()}, {"x", {columns}}};
  return {{"a", job.extents()}, {"y", {rows}}};
}

std::vector<Part> output_parts(const MatvecJob& job) {
  std::vector<Part> parts;
  if (job.has_n()) parts.push_back({"y", {static_cast<std::uint64_t>(job.rows)}});
  if (job.has_t()) parts.push_back({"z", {static_cast<std::uint64_t>(job.columns)}});
  return parts;
}

std::uint64_t bytes_of(const std::vector<Part>& parts) {
  std::uint64_t bytes = sizeof(Header);
  for (const Part& part : parts) bytes += element_count(part.extents) * sizeof(float);
  return bytes;
}

void require_floats(const Instance& instance) {
  if (instance.setting("type").as_text() != "float")
    throw UsageError("--set: files of matvec hold 32-bit floats: leave out type=" +
                     instance.setting("type").as_text());
}

std::ifstream opened(const Path& file, Header& header) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw UsageError(format("{}: {}", file.string(), error ? error.message() : "there is no such file"));
  if (!std::filesystem::is_regular_file(file, error))
    throw UsageError(format("{}: not a file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UsageError(format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  if (!stream.read(reinterpret_cast<char*>(header.data()), sizeof header))
    throw UsageError(format("{}: shorter than a header of {} bytes", file.string(), sizeof header));
  constexpr std::uint32_t max = std::numeric_limits<std::int32_t>::max();
  if (header[2] != 0 || header[3] != 0)
    throw UsageError(format("{}: not a file of matvec: bytes 8 to 15 are not zero", file.string()));
  if (header[0] == 0 || header[1] == 0 || header[0] > max || header[1] > max)
    throw UsageError(
        format("{}: {} x {}: extents are from 1 to 2147483647", file.string(), header[0], header[1]));
  return stream;
}

MatvecJob job_of(const Header& header, Instance instance) {
  instance.extents = {{"rows", header[0]}, {"columns", header[1]}};
  return matvec_job(instance);
}

void require_length(const Path& file, const Header& header, const std::vector<Part>& parts,
                    const char* what) {
  const std::uint64_t wanted = bytes_of(parts), there = std::filesystem::file_size(file);
  if (there != wanted)
    throw UsageError(format("{}: {} bytes long, but {} of {} x {} {} {}", file.string(), there, what,
                            header[0], header[1], "take", wanted));
}

TensorSet read_parts(const Path& file, std::ifstream& stream, const std::vector<Part>& parts, bool finite) {
  TensorSet set;
  for (const Part& part : parts) {
    HostTensor tensor(ElementType::f32, part.extents);
    const std::span<std::byte> bytes = tensor.bytes();
    if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      throw UsageError(format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    if (finite) {
      const auto elements = tensor.as<float>();
      const auto bad = std::ranges::find_if(elements, [](float value) { return !std::isfinite(value); });
      if (bad != elements.end())
        throw UsageError(format("{}: element {} of {} is not a finite number", file.string(),
                                bad - elements.begin(), part.name));
    }
    set.emplace(part.name, std::move(tensor));
  }
  return set;
}

void write_parts(const Path& file, const Instance& instance, const std::vector<Part>& parts,
                 const TensorSet& tensors) {
  const Header header{static_cast<std::uint32_t>(instance.extent("rows")),
                      static_cast<std::uint32_t>(instance.extent("columns")), 0, 0};
  const auto write = [&](const Path& written) -> std::error_code {
    errno = 0;
    std::ofstream stream(written, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(header.data()), sizeof header);
    for (const Part& part : parts) {
      const std::span<const std::byte> bytes = tensors.find(part.name)->second.bytes();
      stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    stream.close();
    return {stream ? 0 : errno != 0 ? errno : EIO, std::generic_category()};
  };
  if (const std::error_code error = replace_file(file, write))
    throw Error(format("{} cannot be written: {}", file.string(), error.message()));
}

HostTensor absolute(const HostTensor& tensor) {
  HostTensor all = tensor;
  for (float& value : all.as<float>()) value = std::abs(value);
  return all;
}

class MatvecFiles : public ProblemFiles {
 public:
  std::vector<std::pair<std::string, std::int64_t>> extents(const Path& file,
                                                            const Instance& instance) const override {
    require_floats(instance);
    Header header;
    opened(file, header);
    require_length(file, header, input_parts(job_of(header, instance)), "a matrix and vector");
    return {{"rows", header[0]}, {"columns", header[1]}};
  }

  TensorSet read_inputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, input_parts(matvec_job(instance)), "a matrix and vector", true);
  }
  TensorSet read_outputs(const Path& file, const Instance& instance) const override {
    return read(file, instance, output_parts(matvec_job(instance)), "results", false);
  }
  void write_inputs(const Path& file, const Instance& instance, const TensorSet& inputs) const override {
    require_floats(instance);
    write_parts(file, instance, input_parts(matvec_job(instance)), inputs);
  }
  void write_outputs(const Path& file, const Instance& instance, const TensorSet& outputs) const override {
    require_floats(instance);
    write_parts(file, instance, output_parts(matvec_job(instance)), outputs);
  }

  // Roundings of a sum of n terms walk randomly: at most a few sqrt(n) units of the sum of |terms|. The
  // errors of y add to z as much as the sum of their |products|.
  Tolerance tolerance(const Instance& instance, const TensorSet& inputs) const override {
    constexpr double unit = 0x1.0p-24, spare = 2;
    const MatvecJob job = matvec_job(instance);
    TensorSet magnitudes;
    for (const auto& [name, tensor] : inputs) magnitudes.emplace(name, absolute(tensor));
    const TensorSet sums = matvec_reference(job, magnitudes);
    const auto bound = [&](const char* name, double terms) {
      double max = std::numeric_limits<float>::denorm_min();
      for (const double sum : sums.at(name).as<double>()) max = std::max(max, sum);
      return Bounds{.absolute = spare * unit * terms * max};
    };
    const double in_row = std::sqrt(static_cast<double>(job.columns)) + 1;
    const double in_column = std::sqrt(static_cast<double>(job.rows)) + 1;
    Tolerance tolerance;
    tolerance.derivation =
        "two units of roundoff of the largest sum of |terms|, times the root of their number";
    if (job.has_n()) tolerance.buffers.emplace("y", bound("y", in_row));
    if (job.has_t()) tolerance.buffers.emplace("z", bound("z", in_column + (job.has_n() ? in_row : 0)));
    for (const auto& [name, bounds] : tolerance.buffers)
      tolerance.absolute = std::max(tolerance.absolute, bounds.absolute);
    return tolerance;
  }

 private:
  static TensorSet read(const Path& file, const Instance& instance, const std::vector<Part>& parts,
                        const char* what, bool finite) {
    require_floats(instance);
    Header header;
    std::ifstream stream = opened(file, header);
    if (header[0] != instance.extent("rows") || header[1] != instance.extent("columns"))
      throw UsageError(
          format("{}: of a matrix of {} x {}, not {}", file.string(), header[0], header[1], instance.size()));
    require_length(file, header, parts, what);
    return read_parts(file, stream, parts, finite);
  }
};

}  // namespace

const ProblemFiles& matvec_files() {
  static const MatvecFiles files;
  return files;
}

}  // namespace tune::kernels
