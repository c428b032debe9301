// SPDX-License-Identifier: Apache-2.0
#include "db/formats/text_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/base/units.hpp"

namespace tune::replay {
namespace {

void check_end(gzFile file, const std::string& name) {
  int code = Z_OK;
  gzerror(file, &code);
  if (code == Z_OK || code == Z_STREAM_END) return;
  if (code == Z_BUF_ERROR)
    throw UsageError(format("{}: the compressed file is cut off: copy it again", name));
  if (code == Z_ERRNO) throw UsageError(format("cannot read '{}': check that it is a readable file", name));
  throw UsageError(format("{}: the compressed file is damaged: copy it again", name));
}

}  // namespace

void CloseText::operator()(gzFile_s* file) const {
  gzclose(file);
}

TextFile::TextFile(const std::filesystem::path& path, std::size_t max_count)
    : name_(path.string()), max_count_(max_count), part_(std::size_t{1} << 16) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw UsageError(format("there is no file '{}': check the name", name_));
  if (std::filesystem::is_directory(path, ignored))
    throw UsageError(format("'{}' is a folder: name a file", name_));
  if (is_other_than_file(path))
    throw UsageError(format("'{}' is a device, pipe or socket: name a regular file", name_));
  file_.reset(gzopen(name_.c_str(), "rb"));
  if (!file_) throw UsageError(format("cannot read '{}': check that it is a readable file", name_));
}

std::string_view TextFile::next() {
  const int count = gzread(file_.get(), part_.data(), static_cast<unsigned>(part_.size()));
  if (count <= 0) {
    check_end(file_.get(), name_);
    return {};
  }
  count_ += static_cast<std::size_t>(count);
  refuse_bombs();
  return {part_.data(), static_cast<std::size_t>(count)};
}

void TextFile::refuse_bombs() const {
  if (count_ > max_count_)
    throw UsageError(format("{}: more than {} of text: check that it is the right file", name_,
                            bytes_text(static_cast<double>(max_count_))));
  // gzip shrinks nothing below a thousandth, and the text of different configurations to a twentieth.
  constexpr std::size_t most_times = 100, harmless = std::size_t{4} << 20;
  if (count_ <= harmless || gzdirect(file_.get()) != 0) return;
  const auto packed = static_cast<std::size_t>(std::max<z_off_t>(gzoffset(file_.get()), 1));
  if (count_ / packed > most_times)
    throw UsageError(format("{}: it unpacks to more than {} times its size: check that it is the right file",
                            name_, most_times));
}

void write_new_text(const std::filesystem::path& path, const std::function<void(const TextSink&)>& write) {
  const std::string name = path.string();
  std::error_code error;
  if (std::filesystem::exists(path, error))
    throw UsageError(format("{} exists: name a new file, or remove it first", name));
  const Error no_room(format("cannot write '{}': check that the disk has room", name));
  const auto write_partial = [&](const std::filesystem::path& partial) -> std::error_code {
    OpenText file(gzopen(partial.c_str(), path.extension() == ".gz" ? "wb" : "wbT"));
    if (!file) throw Error(format("cannot write '{}': check that the folder exists and is writable", name));
    gzbuffer(file.get(), 1U << 17);
    write([&](std::string_view text) {
      constexpr std::size_t max_count = std::size_t{1} << 20;  // a call takes 32 bits
      for (; !text.empty(); text.remove_prefix(std::min(max_count, text.size()))) {
        const auto part = static_cast<unsigned>(std::min(max_count, text.size()));
        if (gzwrite(file.get(), text.data(), part) != static_cast<int>(part)) throw no_room;
      }
    });
    return gzclose(file.release()) == Z_OK ? std::error_code() : std::make_error_code(std::errc::io_error);
  };
  if (replace_file(path, write_partial)) throw no_room;
}

}  // namespace tune::replay
