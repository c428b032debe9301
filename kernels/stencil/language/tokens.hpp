// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tune::kernels {

/// A word of a definition. The text belongs to the source.
struct EquationToken {
  enum class Kind { name, number, symbol, unknown, end };

  Kind kind = Kind::end;
  std::string_view text;
  std::size_t offset = 0;  ///< of the text in the source

  bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
  bool is_name(std::string_view name) const { return kind == Kind::name && text == name; }
  /// Returns a text for messages: `'c0'`, `the end`.
  std::string described() const;
};

/// Reads a text word by word. White space, line ends and comments from # to the end of the line are skipped.
/// Every text can be read: an invalid byte becomes an `unknown` word. Numbers include letters and digits that
/// follow them (`5.1f`), so that a message shows all of it. Symbols: + - * / ^ ( ) [ ] , = ..
class TokenReader {
 public:
  explicit TokenReader(std::string_view source) : source_(source) { token_ = read(0); }

  const EquationToken& token() const { return token_; }
  void next() { token_ = read(token_.offset + token_.text.size()); }
  /// Continues from a token that was read before.
  void go_to(const EquationToken& token) { token_ = token; }

  /// Skips the next token if it is `symbol`; returns whether it did.
  bool accept(std::string_view symbol) {
    if (!token_.is(symbol)) return false;
    next();
    return true;
  }
  /// Skips the symbol, or throws a SourceFault with `expected`.
  void expect(std::string_view symbol, std::string_view expected);
  [[noreturn]] void fail(std::string expected) const;

  /// Skips and returns the rest of the line from the current token, without comment and spaces around; empty
  /// if there is no token on the line of `line_of`.
  std::string_view rest_of_line(const EquationToken& line_of);

  std::string_view source() const { return source_; }

 private:
  EquationToken read(std::size_t from) const;

  std::string_view source_;
  EquationToken token_;
};

}  // namespace tune::kernels
