// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct gzFile_s;

namespace tune::replay {

/// A larger text is not a recording, or a compressed file that was made to fill the memory.
constexpr std::size_t max_bytes = std::size_t{2} << 30;

/// A text that is read once, from its beginning to its end.
class TextSource {
 public:
  virtual ~TextSource() = default;
  /// Returns the next part, which is valid until the next call; empty at the end.
  virtual std::string_view next() = 0;
};

/// A text in memory, in one part.
class TextInMemory : public TextSource {
 public:
  explicit TextInMemory(std::string_view text) : text_(text) {}
  std::string_view next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

struct CloseText {
  void operator()(gzFile_s* file) const;
};
/// A file of zlib.
using OpenText = std::unique_ptr<gzFile_s, CloseText>;

/// A file's bytes, unpacked where it is compressed with gzip, whatever its name.
class TextFile : public TextSource {
 public:
  /// Throws Error for a file that is missing or cannot be read.
  explicit TextFile(const std::filesystem::path& path, std::size_t max_count = max_bytes);

  /// Throws Error for a compressed file that is cut off or damaged, for more than `max_count` bytes, and for
  /// one that unpacks to so many times its size as no recording does.
  std::string_view next() override;

 private:
  void refuse_bombs() const;

  std::string name_;
  std::size_t max_count_, count_ = 0;
  OpenText file_;
  std::vector<char> part_;
};

/// Takes the next part of a text that is written.
using TextSink = std::function<void(std::string_view part)>;

/// Writes a new file with the parts that `write` passes, compressed with gzip where its name ends with `.gz`.
/// It gets its name when it is complete. Throws Error where the file exists already or cannot be written, and
/// what `write` throws; no file is left then.
void write_new_text(const std::filesystem::path& path, const std::function<void(const TextSink&)>& write);

}  // namespace tune::replay
