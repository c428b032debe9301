// SPDX-License-Identifier: Apache-2.0
#include "kernels/framework/tensor_files.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <span>

#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read and written as memory lies");

std::ifstream opened(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    throw UsageError(format("{}: {}", file.string(), error ? error.message() : "there is no such file"));
  if (!std::filesystem::is_regular_file(file, error))
    throw UsageError(format("{}: not a file", file.string()));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw UsageError(format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  return stream;
}

}  // namespace

FileHeader read_file_header(const std::filesystem::path& file) {
  FileHeader header;
  if (!opened(file).read(reinterpret_cast<char*>(header.data()), sizeof header))
    throw UsageError(format("{}: shorter than a header of {} bytes", file.string(), sizeof header));
  return header;
}

void require_file_length(const std::filesystem::path& file, const std::vector<FilePart>& parts,
                         const std::string& what) {
  std::uint64_t wanted = sizeof(FileHeader);
  for (const FilePart& part : parts) wanted += element_count(part.extents) * element_size(part.type);
  const std::uint64_t there = std::filesystem::file_size(file);
  if (there != wanted)
    throw UsageError(format("{}: {} bytes long, but {} take {}", file.string(), there, what, wanted));
}

TensorSet read_file_parts(const std::filesystem::path& file, const std::vector<FilePart>& parts,
                          float largest) {
  std::ifstream stream = opened(file);
  stream.seekg(sizeof(FileHeader));
  TensorSet set;
  for (const FilePart& part : parts) {
    HostTensor tensor(part.type, part.extents);
    const std::span<std::byte> bytes = tensor.bytes();
    if (!stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      throw UsageError(format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    if (largest > 0 && part.type == ElementType::f32) {
      const auto elements = tensor.as<float>();
      const auto bad =
          std::ranges::find_if(elements, [&](float value) { return !(std::abs(value) <= largest); });
      if (bad != elements.end())
        throw UsageError(std::isfinite(*bad)
                             ? format("{}: element {} of {} is {}: at most {} will do", file.string(),
                                      bad - elements.begin(), part.name, *bad, largest)
                             : format("{}: element {} of {} is not a finite number", file.string(),
                                      bad - elements.begin(), part.name));
    }
    set.emplace(part.name, std::move(tensor));
  }
  return set;
}

void write_file_parts(const std::filesystem::path& file, const FileHeader& header,
                      const std::vector<FilePart>& parts, const TensorSet& tensors) {
  const auto write = [&](const std::filesystem::path& written) -> std::error_code {
    errno = 0;
    std::ofstream stream(written, std::ios::binary | std::ios::trunc);
    stream.write(reinterpret_cast<const char*>(header.data()), sizeof header);
    for (const FilePart& part : parts) {
      const std::span<const std::byte> bytes = tensors.find(part.name)->second.bytes();
      stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    stream.close();
    return {stream ? 0 : errno != 0 ? errno : EIO, std::generic_category()};
  };
  if (const std::error_code error = replace_file(file, write))
    throw Error(format("{} cannot be written: {}", file.string(), error.message()));
}

}  // namespace tune::kernels
