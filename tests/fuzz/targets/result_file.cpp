// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "db/formats/file_format.hpp"
#include "db/formats/text_file.hpp"
#include "tests/db/formats/written_text.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tuner/base/error.hpp"

namespace {

using namespace tune::replay;

/// A text in parts of a few bytes.
class TextInParts : public TextSource {
 public:
  explicit TextInParts(std::string_view text) : text_(text) {}
  std::string_view next() override {
    const std::string_view part = text_.substr(0, 7);
    text_.remove_prefix(part.size());
    return part;
  }

 private:
  std::string_view text_;
};

std::optional<ThirdPartyRecord> record_in(TextSource&& text, Samples samples) {
  try {
    return read_recorded_json(text, "record", "in.json", samples);
  } catch (const tune::Error&) {
    return std::nullopt;
  }
}

}  // namespace

// Results of other tuners: whole, in parts, from a file, and written again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = tune::testing::bytes_of(data, size);
  for (const Samples samples : {Samples::skip, Samples::keep}) {
    std::optional<ThirdPartyRecord> record = record_in(TextInMemory(text), samples);
    const std::optional<ThirdPartyRecord> same = record_in(TextInParts(text), samples);
    tune::testing::require(record.has_value() == same.has_value(), "parts of a text are read as the whole");
    if (!record) continue;
    tune::testing::require(record->evaluations.size() == same->evaluations.size(), "parts have all entries");
    for (const FileFormat& format : file_formats())
      if (format.write != nullptr)
        record_in(TextInMemory(tune::testing::written_text(format, *record).text), samples);
  }
  try {
    const RecordedFile file(tune::testing::written("in.json", text), "record", "in.json");
    std::size_t count = 0;
    file.each([&](const auto&) { ++count; });
    tune::testing::require(count == file.count(), "a file has as many entries each time");
  } catch (const tune::Error&) {
  }
  return 0;
}
