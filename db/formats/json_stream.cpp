// SPDX-License-Identifier: Apache-2.0
#include "db/formats/json_stream.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::replay {
namespace {

constexpr std::size_t most_text = std::size_t{4} << 20;
constexpr std::size_t most_values = 1'000'000;
/// Members of one object: looking for a name takes as long as there are names.
constexpr std::size_t most_members = 1'000;

std::size_t lines_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

JsonTokens::JsonTokens(TextSource& source, std::string file) : source_(source), file_(std::move(file)) {
  constexpr std::string_view mark = "\xef\xbb\xbf";  // of UTF-8
  while (buffer_.size() < mark.size() && fill()) {
  }
  if (buffer_.starts_with(mark)) at_ = token_ = mark.size();
}

/// Adds a part of the text to the buffer, and drops what is in front of the token, but for what a message
/// shows. Returns false at the end.
bool JsonTokens::fill() {
  constexpr std::size_t shown = 32, most = std::size_t{1} << 16;
  if (part_.empty()) part_ = source_.next();
  if (part_.empty()) return false;
  if (before_ + at_ - released_ > most_text)
    throw UsageError(
        format("{}: line {}: more than 4 MiB without a name, text or number: check that it is the right file",
               file_, line()));
  const std::size_t drop = token_ - std::min(token_, shown);
  lines_ += lines_in(std::string_view(buffer_).substr(0, drop));
  buffer_.erase(0, drop);
  before_ += drop;
  at_ -= drop;
  token_ -= drop;
  buffer_ += part_.substr(0, most);
  part_.remove_prefix(std::min(part_.size(), most));
  return true;
}

JsonTokens::Kind JsonTokens::next() {
  const auto is_space = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  do {
    while (at_ < buffer_.size() && is_space(buffer_[at_])) ++at_;
    token_ = at_;
  } while (at_ == buffer_.size() && fill());
  if (at_ == buffer_.size()) return Kind::end;
  const char c = buffer_[at_];
  if (first_ == 0) first_ = c;
  const auto single = [this](Kind kind) {
    ++at_;
    return kind;
  };
  switch (c) {
    case '{':
      return single(Kind::open_object);
    case '}':
      return single(Kind::close_object);
    case '[':
      return single(Kind::open_list);
    case ']':
      return single(Kind::close_list);
    case ':':
      return single(Kind::colon);
    case ',':
      return single(Kind::comma);
    case '"':
      return quoted();
    case 't':
      return word("true", Kind::yes);
    case 'f':
      return word("false", Kind::no);
    case 'n':
      return word("null", Kind::null);
    default:
      return c == '-' || (c >= '0' && c <= '9') ? number() : wrong();
  }
}

/// What is wrong ends with the next character, which is refused.
JsonTokens::Kind JsonTokens::wrong() {
  if (peek() >= 0) ++at_;
  return Kind::wrong;
}

JsonTokens::Kind JsonTokens::word(std::string_view word, Kind kind) {
  for (const char c : word) {
    if (peek() != c) return wrong();
    ++at_;
  }
  return kind;
}

/// Returns false where there is none.
bool JsonTokens::skip_digits() {
  const auto is_digit = [](int c) { return c >= '0' && c <= '9'; };
  if (!is_digit(peek())) return false;
  while (is_digit(peek())) ++at_;
  return true;
}

JsonTokens::Kind JsonTokens::number() {
  const bool negative = buffer_[at_] == '-';
  if (negative) ++at_;
  if (peek() == '0')
    ++at_;
  else if (!skip_digits())
    return wrong();
  bool whole = true;
  if (peek() == '.') {
    ++at_;
    whole = false;
    if (!skip_digits()) return wrong();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    whole = false;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!skip_digits()) return wrong();
  }
  released_ = before_ + at_;
  const char* const begin = buffer_.data() + token_;
  const char* const end = buffer_.data() + at_;
  if (whole && negative && std::from_chars(begin, end, integer_).ec == std::errc()) return Kind::integer;
  if (whole && !negative && std::from_chars(begin, end, natural_).ec == std::errc()) return Kind::natural;
  if (std::from_chars(begin, end, real_).ec != std::errc())
    real_ = std::strtod(std::string(begin, end).c_str(), nullptr);  // nearly 0, or too large
  return std::isfinite(real_) ? Kind::real : Kind::too_large;
}

JsonTokens::Kind JsonTokens::quoted() {
  const auto is_plain = [](unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; };
  text_.clear();
  ++at_;
  for (;;) {
    std::size_t end = at_;
    while (end < buffer_.size() && is_plain(buffer_[end])) ++end;
    text_.append(buffer_, at_, end - at_);
    at_ = end;
    const int c = peek();
    if (c == '"') {
      ++at_;
      released_ = before_ + at_;
      return Kind::text;
    }
    if (c >= 0x80) {
      if (!beyond_ascii()) return wrong();
    } else if (c == '\\') {
      ++at_;
      if (!escape()) return wrong();
    } else if (c < 0x20) {
      return wrong();  // also at the end
    }
  }
}

/// Reads the four digits of a code; returns a negative number where there are fewer.
std::int32_t JsonTokens::hex_digits() {
  std::int32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const int c = peek();
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

/// Reads what is behind a backslash.
bool JsonTokens::escape() {
  constexpr std::string_view names = "\"\\/bfnrt", characters = "\"\\/\b\f\n\r\t";
  const int c = peek();
  const std::size_t found = c < 0 ? std::string_view::npos : names.find(static_cast<char>(c));
  if (found != std::string_view::npos) {
    text_ += characters[found];
    ++at_;
    return true;
  }
  if (c != 'u') return false;
  ++at_;
  std::int32_t code = hex_digits();
  if (code < 0 || (code >= 0xdc00 && code < 0xe000)) return false;
  if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
    for (const char expected : {'\\', 'u'}) {
      if (peek() != expected) return false;
      ++at_;
    }
    const std::int32_t second = hex_digits();
    if (second < 0xdc00 || second >= 0xe000) return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }
  const auto add = [this](std::int32_t byte) { text_ += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | (code >> 6));
    add(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    add(0xe0 | (code >> 12));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  } else {
    add(0xf0 | (code >> 18));
    add(0x80 | ((code >> 12) & 0x3f));
    add(0x80 | ((code >> 6) & 0x3f));
    add(0x80 | (code & 0x3f));
  }
  return true;
}

/// Reads one character of several bytes. RFC 3629, section 4: no longer forms, no halves of pairs, nothing
/// beyond U+10FFFF.
bool JsonTokens::beyond_ascii() {
  const int first = peek();
  const int more = first >= 0xc2 && first <= 0xdf   ? 1
                   : first >= 0xe0 && first <= 0xef ? 2
                   : first >= 0xf0 && first <= 0xf4 ? 3
                                                    : 0;
  if (more == 0) return false;
  int low = 0x80, high = 0xbf;  // of the second byte
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  text_ += static_cast<char>(first);
  ++at_;
  for (int i = 0; i < more; ++i, ++at_) {
    const int c = peek();
    if (c < low || c > high) return false;
    text_ += static_cast<char>(c);
    low = 0x80;
    high = 0xbf;
  }
  return true;
}

bool JsonTokens::at_end() {
  return peek() < 0;
}

std::size_t JsonTokens::line() const {
  return lines_ + lines_in(std::string_view(buffer_).substr(0, at_));
}

std::string JsonTokens::mistake() const {
  return json_mistake(buffer_, at_);
}

void ValueBuilder::begin() {
  value_ = nullptr;
  open_.clear();
  begun_ = false;
}

void ValueBuilder::reset() {
  values_ = text_ = 0;
}

void ValueBuilder::count(std::size_t text) {
  text_ += text;
  if (++values_ > most_values || text_ > most_text)
    throw UsageError(
        format("{}: more than {} values or 4 MiB of text in one entry: check that it is the right file",
               file_, most_values));
}

void ValueBuilder::key(std::string& name) {
  count(name.size());
  if (open_.back()->size() >= most_members)
    throw UsageError(format("{}: more than {} members in one object: check that it is the right file", file_,
                            most_members));
  key_ = std::move(name);
}

void ValueBuilder::add(Json value) {
  count(value.is_string() ? value.get_ref<const std::string&>().size() : 0);
  const bool opens = value.is_structured();
  Json* place = &value_;
  if (!open_.empty() && open_.back()->is_array()) {
    open_.back()->push_back(std::move(value));
    place = &open_.back()->back();
  } else {
    if (!open_.empty()) place = &(*open_.back())[key_];
    *place = std::move(value);
  }
  begun_ = true;
  if (opens) open_.push_back(place);
}

}  // namespace tune::replay
