// SPDX-License-Identifier: Apache-2.0
// Values of a definition's file with their places, for messages with file, line and field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/described/expression.hpp"
#include "search/expressions/expr.hpp"

namespace tune::described {

/// A step into a JSON value: a member's name, or the number of an element.
struct JsonStep {
  std::string name;  ///< of a member; empty for an element
  std::size_t index = 0;
  bool is_member = false;

  static JsonStep member(std::string name) { return {std::move(name), 0, true}; }
  static JsonStep element(std::size_t index) { return {"", index, false}; }
};
using JsonPath = std::vector<JsonStep>;

/// Returns `KernelSpecification.Arguments[2].Size`.
std::string to_string(const JsonPath& path);

/// Returns the line, from 1, on which the value at `path` begins; if there is none, that of its last existing
/// step. `text` must be valid JSON; `//` and `/* */` comments are allowed.
int line_of(std::string_view text, const JsonPath& path);

/// A JSON file with comments.
struct JsonText {
  std::filesystem::path path;
  std::string text;
  nlohmann::ordered_json root;
};

/// Throws UsageError for a file that cannot be read, is larger than 64 MiB or is not JSON (with line and
/// column).
std::shared_ptr<const JsonText> read_json(const std::filesystem::path& path);
/// The same of a text in memory; messages call it `path`.
std::shared_ptr<const JsonText> parse_json(const std::filesystem::path& path, std::string text);

class JsonField {
 public:
  explicit JsonField(std::shared_ptr<const JsonText> file);

  /// Throws UsageError: `conv.json:37: KernelSpecification.Size: expected ...`.
  [[noreturn]] void fail(const std::string& message) const { place().fail(message); }
  SourceLocation place() const;

  bool is_object() const { return value_->is_object(); }
  bool is_list() const { return value_->is_array(); }
  bool is_text() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  bool is_null() const { return value_->is_null(); }
  bool is_bool() const { return value_->is_boolean(); }

  /// Returns a member; nothing if there is none or it is null. If no name matches exactly, one that differs
  /// only in upper and lower case will do: definitions are written by hand.
  std::optional<JsonField> find(std::string_view name) const;
  /// Fails if there is none.
  JsonField at(std::string_view name) const;
  /// Returns the members in the order of the file. Fails for a value that is not an object.
  std::vector<std::pair<std::string, JsonField>> members() const;
  /// Returns the elements. Fails for a value that is not a list.
  std::vector<JsonField> elements() const;
  /// Returns the elements of a list, or the value itself.
  std::vector<JsonField> one_or_more() const;
  /// Fails for a member with another name, and names the nearest.
  void allow(std::initializer_list<std::string_view> names) const;

  const std::string& text() const;
  double number() const;
  std::int64_t integer() const;
  /// Returns true or false, for a number whether it is not 0, for a text the truth of the formula: for T1,
  /// whose files have all of these.
  bool to_bool() const;
  /// Returns true or false, and fails for everything else.
  bool flag() const;
  /// Returns a number, also from a text: `"1e-3"`, `"4 * 1024"`.
  double written_number() const;
  std::int64_t written_integer() const;
  /// Returns a value as it is, lists too; objects fail.
  FormulaValue value() const;
  /// Returns the text, or a number as a text, for a formula.
  std::string formula() const;
  /// Evaluates the formula; a list of formulas becomes the list of their values.
  FormulaValue evaluated() const;
  /// Returns a rule over parameters and sizes, read once.
  search::Expr rule() const;
  /// Returns the number or formula, to be evaluated later.
  Expression expression() const { return {formula(), place()}; }
  /// The same of a kernel's scalar: a number is a constant, which a program passes itself, unlike a formula.
  Expression scalar() const;
  /// The same of a number, also from a text without names: `"4 * 1024"`.
  Expression constant() const;

  const std::filesystem::path& file() const { return file_->path; }

 private:
  JsonField(std::shared_ptr<const JsonText> file, const nlohmann::ordered_json* value, JsonPath path);
  JsonField child(JsonStep step, const nlohmann::ordered_json& value) const;

  std::shared_ptr<const JsonText> file_;
  const nlohmann::ordered_json* value_;
  JsonPath path_;
};

}  // namespace tune::described
