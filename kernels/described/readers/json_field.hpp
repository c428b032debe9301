// SPDX-License-Identifier: Apache-2.0
// Values of a definition's file that know where they stand, for messages with file, line and field.
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

/// `KernelSpecification.Arguments[2].Size`.
std::string to_string(const JsonPath& path);

/// The line, from 1, on which the value at `path` begins; that of the last step that is there, where the rest
/// is not. `text` must be valid JSON, `//` and `/* */` comments allowed.
int line_of(std::string_view text, const JsonPath& path);

/// A JSON file with comments, as it was read.
struct JsonText {
  std::filesystem::path path;
  std::string text;
  nlohmann::ordered_json root;
};

/// Throws UsageError: a file that cannot be read, is larger than 64 MiB, or is no JSON (with line and
/// column).
std::shared_ptr<const JsonText> read_json(const std::filesystem::path& path);

class JsonField {
 public:
  explicit JsonField(std::shared_ptr<const JsonText> file);

  /// Throws UsageError: `conv.json:37: KernelSpecification.Size: expected ...`.
  [[noreturn]] void fail(const std::string& message) const { place().fail(message); }
  /// Keeps the file in memory.
  SourceLocation place() const;

  bool is_object() const { return value_->is_object(); }
  bool is_list() const { return value_->is_array(); }
  bool is_text() const { return value_->is_string(); }
  bool is_number() const { return value_->is_number(); }
  bool is_null() const { return value_->is_null(); }
  bool is_bool() const { return value_->is_boolean(); }

  /// A member; nothing where there is none or it is null. Where none has the name as it stands, one that
  /// differs in upper and lower case only will do: definitions are written by hand.
  std::optional<JsonField> find(std::string_view name) const;
  /// Fails where there is none.
  JsonField at(std::string_view name) const;
  /// The members in the order of the file. Fails for what is no object.
  std::vector<std::pair<std::string, JsonField>> members() const;
  /// The elements. Fails for what is no list.
  std::vector<JsonField> elements() const;
  /// The elements of a list, or the value itself.
  std::vector<JsonField> one_or_more() const;
  /// Fails where a member has none of these names, naming the nearest.
  void allow(std::initializer_list<std::string_view> names) const;

  const std::string& text() const;
  double number() const;
  std::int64_t integer() const;
  bool to_bool() const;
  /// A number, or a text that is one: `"1e-3"`, `"4 * 1024"`.
  double written_number() const;
  std::int64_t written_integer() const;
  /// A value as it stands, lists too; objects fail.
  FormulaValue value() const;
  /// The text, or a number as a text: what may be a formula.
  std::string formula() const;
  /// What the formula is worth; a list of formulas is the list of their values.
  FormulaValue evaluated() const;
  /// As a rule over parameters and sizes, read once.
  search::Expr rule() const;
  /// The number or formula, to be evaluated later.
  Expression expression() const { return {formula(), place()}; }

  const std::filesystem::path& file() const { return file_->path; }

 private:
  JsonField(std::shared_ptr<const JsonText> file, const nlohmann::ordered_json* value, JsonPath path);
  JsonField child(JsonStep step, const nlohmann::ordered_json& value) const;

  std::shared_ptr<const JsonText> file_;
  const nlohmann::ordered_json* value_;
  JsonPath path_;
};

}  // namespace tune::described
