// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/formats/json_fields.hpp"
#include "db/formats/text_file.hpp"

/// Reads JSON in parts: for the .cpp files of this folder only.
namespace tune::replay {

/// The characters of a text, for the parser, which does not see where its parts end.
class Characters {
 public:
  /// `file` is the name in errors.
  Characters(TextSource& source, std::string file) : source_(source), file_(std::move(file)) { advance(); }

  bool at_end() const { return at_ == part_.size(); }
  char current() const { return part_[at_]; }
  void step() {
    if (++at_ == part_.size()) advance();
  }
  /// Tells that the parser holds no text. Between two calls it may read 4 MiB; then `step` throws UsageError.
  void release() { released_ = before_ + at_; }
  /// The line of the current character, from 1.
  std::size_t line() const;
  /// Says what is wrong where the parser stopped, for messages.
  std::string mistake() const;
  /// The first character that is not white space; 0 before there is one.
  char first() const { return first_; }

  /// What the parser takes for an iterator of the library.
  class Iterator;
  Iterator begin();
  static Iterator end();

 private:
  void advance();

  TextSource& source_;
  std::string file_;
  std::string_view part_;
  std::size_t at_ = 0;
  std::size_t before_ = 0, released_ = 0;  ///< bytes: in front of the part, at the last release
  std::size_t lines_ = 1;                  ///< in front of the part
  char first_ = 0;
};

class Characters::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Iterator() = default;
  explicit Iterator(Characters& text) : text_(&text) {}
  char operator*() const { return text_->current(); }
  Iterator& operator++() {
    text_->step();
    return *this;
  }
  void operator++(int) { text_->step(); }
  /// For comparisons with the end alone.
  friend bool operator==(const Iterator& a, const Iterator& b) {
    return (a.text_ == nullptr || a.text_->at_end()) && (b.text_ == nullptr || b.text_->at_end());
  }

 private:
  Characters* text_ = nullptr;
};

inline Characters::Iterator Characters::begin() {
  return Iterator(*this);
}
inline Characters::Iterator Characters::end() {
  return {};
}

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
