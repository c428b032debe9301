// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "db/formats/text_file.hpp"

/// Reads JSON in parts: for the .cpp files of this folder only.
namespace tune::replay {

/// The tokens of a JSON text that is read in parts, and strictly.
class JsonTokens {
 public:
  enum class Kind : std::uint8_t {
    end,  ///< of the text
    open_object,
    close_object,
    open_list,
    close_list,
    colon,
    comma,
    text,
    integer,  ///< that needs a sign
    natural,  ///< that needs none
    real,
    too_large,  ///< a number beyond the range of double
    yes,
    no,
    null,
    wrong,  ///< no token: the text goes wrong or ends here
  };

  /// `file` is the name in errors.
  JsonTokens(TextSource& source, std::string file);

  /// Reads the next token. Throws UsageError for more than 4 MiB without a text or number.
  Kind next();

  /// The value of a token of that kind, until the next one.
  std::string& text() { return text_; }
  std::int64_t integer() const { return integer_; }
  std::uint64_t natural() const { return natural_; }
  double real() const { return real_; }

  /// True when nothing comes behind the last token, or behind what is none.
  bool at_end();
  /// The line of the last token's end, from 1.
  std::size_t line() const;
  /// Says what is wrong with the last token, for messages.
  std::string mistake() const;
  /// The first character that is not white space; 0 before there is one.
  char first() const { return first_; }

 private:
  bool fill();
  /// The next character, or a negative number at the end of the text.
  int peek() { return at_ < buffer_.size() || fill() ? static_cast<unsigned char>(buffer_[at_]) : -1; }
  Kind word(std::string_view word, Kind kind);
  Kind number();
  bool skip_digits();
  Kind quoted();
  bool escape();
  std::int32_t hex_digits();
  bool beyond_ascii();
  Kind wrong();

  TextSource& source_;
  std::string file_;
  std::string_view part_;                  ///< of the source, without what lies in the buffer
  std::string buffer_;                     ///< from a few characters before the token
  std::size_t at_ = 0, token_ = 0;         ///< in the buffer: the next character, the token's first
  std::size_t before_ = 0, released_ = 0;  ///< bytes: in front of the buffer, up to the last text or number
  std::size_t lines_ = 1;                  ///< in front of the buffer
  char first_ = 0;
  std::string text_;
  std::int64_t integer_ = 0;
  std::uint64_t natural_ = 0;
  double real_ = 0;
};

/// Makes one value of the parser's events, of at most a million values and 4 MiB of texts: a hostile file
/// fills no memory with it. All functions throw UsageError.
class ValueBuilder {
 public:
  /// `file` is the name in errors.
  explicit ValueBuilder(std::string file) : file_(std::move(file)) {}

  /// Begins a new value, which counts together with those since the last reset.
  void begin();
  void reset();
  void add(Json value);
  void key(std::string& name);
  void open(Json::value_t kind) { add(Json(kind)); }
  void close() { open_.pop_back(); }
  /// True when the value is whole.
  bool complete() const { return begun_ && open_.empty(); }
  /// The value so far.
  Json& value() { return value_; }

 private:
  void count(std::size_t text);

  std::string file_;
  Json value_;
  std::vector<Json*> open_;  ///< lists and objects that are not closed, the outermost first
  std::string key_;
  bool begun_ = false;
  std::size_t values_ = 0, text_ = 0;
};

}  // namespace tune::replay
