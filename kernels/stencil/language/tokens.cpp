// SPDX-License-Identifier: Apache-2.0
#include "kernels/stencil/language/tokens.hpp"

#include "kernels/stencil/language/expression.hpp"
#include "tuner/base/format.hpp"

namespace tune::kernels {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}

/// Return the end of a word.
class Scanner {
 public:
  Scanner(std::string_view source, std::size_t at) : source_(source), at_(at) {}

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  std::size_t at() const { return at_; }

  void word() {
    while (is_word(peek())) ++at_;
  }

  /// Reads 12, 1.5, .5 or 1e-3; `0..4` begins with the number 0.
  void number() {
    digits();
    if (peek() == '.' && peek(1) != '.') {
      ++at_;
      digits();
    }
    const bool exponent = peek() == 'e' || peek() == 'E';
    if (exponent && (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2))) at_ += 2;
    word();
  }

 private:
  void digits() {
    while (is_digit(peek())) ++at_;
  }

  std::string_view source_;
  std::size_t at_;
};

}  // namespace

std::string EquationToken::described() const {
  constexpr std::size_t max = 40;
  if (kind == Kind::end) return "the end";
  if (kind == Kind::unknown && (text[0] < ' ' || text[0] > '~'))
    return format("the byte 0x{:02x}", static_cast<unsigned char>(text[0]));
  return format("'{}{}'", text.substr(0, max), text.size() > max ? "..." : "");
}

EquationToken TokenReader::read(std::size_t from) const {
  while (from < source_.size() && (is_space(source_[from]) || source_[from] == '#')) {
    if (source_[from] == '#')
      from = std::min(source_.find('\n', from), source_.size());
    else
      ++from;
  }
  if (from == source_.size()) return {EquationToken::Kind::end, {}, from};
  Scanner scanner(source_, from);
  const char first = scanner.peek();
  EquationToken::Kind kind = EquationToken::Kind::symbol;
  std::size_t length = 1;
  if (is_letter(first)) {
    kind = EquationToken::Kind::name;
    scanner.word();
    length = scanner.at() - from;
  } else if (is_digit(first) || (first == '.' && is_digit(scanner.peek(1)))) {
    kind = EquationToken::Kind::number;
    scanner.number();
    length = scanner.at() - from;
  } else if (first == '.' && scanner.peek(1) == '.') {
    length = 2;
  } else if (first == '\0' || std::string_view("+-*/^()[],=").find(first) == std::string_view::npos) {
    kind = EquationToken::Kind::unknown;
  }
  return {kind, source_.substr(from, length), from};
}

void TokenReader::expect(std::string_view symbol, std::string_view expected) {
  if (!accept(symbol)) fail(std::string(expected));
}

void TokenReader::fail(std::string expected) const {
  throw SourceFault{token_.offset, token_.described(), std::move(expected)};
}

std::string_view TokenReader::rest_of_line(const EquationToken& line_of) {
  const std::size_t end = std::min(source_.find('\n', line_of.offset), source_.size());
  if (token_.kind == EquationToken::Kind::end || token_.offset >= end) return {};
  std::string_view text = source_.substr(token_.offset, end - token_.offset);
  text = text.substr(0, text.find('#'));
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  token_ = read(end);
  return text;
}

}  // namespace tune::kernels
