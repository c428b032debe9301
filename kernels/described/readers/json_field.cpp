// SPDX-License-Identifier: Apache-2.0
#include "kernels/described/readers/json_field.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "kernels/described/formula.hpp"
#include "search/expressions/nearest.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/file.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::described {
namespace {

using nlohmann::ordered_json;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

constexpr std::uintmax_t largest_file = std::uintmax_t{64} << 20;

/// Returns line and column of a byte of the text, from 1.
std::pair<int, int> place_of(std::string_view text, std::size_t byte) {
  int line = 1, column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    column = text[i] == '\n' ? 1 : column + 1;
    line += text[i] == '\n' ? 1 : 0;
  }
  return {line, column};
}

std::string whole_text(const std::filesystem::path& path) {
  if (is_other_than_file(path) && !std::filesystem::is_directory(path))
    throw UsageError(format("{} is not a regular file: name a file with a definition", path.string()));
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > largest_file)
    throw UsageError(format("{} has {} bytes: a definition has at most 64 MiB", path.string(), size));
  auto text = read_text(path);
  if (!text) throw UsageError(format("cannot read {}: {}: check its name", path.string(), text.error()));
  return std::move(*text);
}

std::string kind_of(const ordered_json& value) {
  return value.is_object()   ? "an object"
         : value.is_array()  ? "a list"
         : value.is_string() ? "a text"
                             : value.dump();
}

FormulaValue value_of(const ordered_json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  FormulaValue::List all;
  for (const ordered_json& one : value) all.push_back(value_of(one));
  return all;
}

/// True for whole numbers beyond 64 bits with a sign, alone or in a list.
bool has_large_number(const ordered_json& value) {
  if (value.is_structured()) return std::ranges::any_of(value, has_large_number);
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

/// Walks over valid JSON: the library that reads the values does not report their places.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) { space(); }

  int line() const { return line_; }

  /// Goes to the value of that member or element; returns false, at the end of the value, if there is none.
  bool enter(const JsonStep& step) {
    if (peek() != (step.is_member ? '{' : '[')) return false;
    const char close = step.is_member ? '}' : ']';
    next();
    space();
    for (std::size_t i = 0; peek() != close && at_ < text_.size(); ++i) {
      bool found = i == step.index && !step.is_member;
      if (step.is_member) {
        found = string() == step.name;
        space();
        next();  // the colon
        space();
      }
      if (found) return true;
      value();
      if (peek() == ',') {
        next();
        space();
      }
    }
    return false;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  char next() {
    const char c = peek();
    if (c == '\n') ++line_;
    ++at_;
    return c;
  }
  void space() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        next();
      } else if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && peek() != '\n') next();
      } else if (text_.substr(at_, 2) == "/*") {
        while (at_ < text_.size() && text_.substr(at_, 2) != "*/") next();
        next();
        next();
      } else {
        return;
      }
    }
  }
  /// Keeps escapes: names of fields have none.
  std::string string() {
    std::string text;
    next();
    while (at_ < text_.size() && peek() != '"') {
      if (peek() == '\\') text += next();
      text += next();
    }
    next();
    return text;
  }
  void value() {
    int depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        string();
      } else {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        next();
        while (depth == 0 && at_ < text_.size() && is_literal(c) && is_literal(peek())) next();
      }
      space();
    } while (depth > 0 && at_ < text_.size());
  }
  static bool is_literal(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::string to_string(const JsonPath& path) {
  std::string text;
  for (const JsonStep& step : path) {
    if (step.is_member)
      text += (text.empty() ? "" : ".") + step.name;
    else
      text += format("[{}]", step.index);
  }
  return text;
}

int line_of(std::string_view text, const JsonPath& path) {
  Walker walker(text);
  int line = walker.line();
  for (const JsonStep& step : path) {
    if (!walker.enter(step)) return line;
    line = walker.line();
  }
  return line;
}

std::shared_ptr<const JsonText> read_json(const std::filesystem::path& path) {
  return parse_json(path, whole_text(path));
}

std::shared_ptr<const JsonText> parse_json(const std::filesystem::path& path, std::string text) {
  auto file = std::make_shared<JsonText>();
  file->path = path;
  file->text = std::move(text);
  try {
    const auto bounded = [&](int depth, ordered_json::parse_event_t, ordered_json&) {
      if (static_cast<std::size_t>(depth) > max_json_depth)
        throw UsageError(
            format("{}: more than {} lists or objects in each other: check that it is the right file",
                   path.string(), max_json_depth));
      return true;
    };
    file->root = ordered_json::parse(file->text, bounded, true, true);
  } catch (const ordered_json::parse_error& error) {
    const auto [line, column] = place_of(file->text, error.byte);
    throw UsageError(format("{}:{}:{}: this is not JSON: {}", path.string(), line, column,
                            json_mistake(file->text, error.byte)));
  } catch (const ordered_json::out_of_range&) {
    throw UsageError(format("{}: a number is beyond the range of double: correct it", path.string()));
  }
  return file;
}

JsonField::JsonField(std::shared_ptr<const JsonText> file) : file_(std::move(file)), value_(&file_->root) {}

JsonField::JsonField(std::shared_ptr<const JsonText> file, const ordered_json* value, JsonPath path)
    : file_(std::move(file)), value_(value), path_(std::move(path)) {}

JsonField JsonField::child(JsonStep step, const ordered_json& value) const {
  JsonPath path = path_;
  path.push_back(std::move(step));
  return {file_, &value, std::move(path)};
}

SourceLocation JsonField::place() const {
  return SourceLocation::in_file([file = file_, path = path_] {
    const std::string field = path.empty() ? "" : ": " + to_string(path);
    return format("{}:{}{}", file->path.string(), line_of(file->text, path), field);
  });
}

std::optional<JsonField> JsonField::find(std::string_view name) const {
  if (!is_object()) fail(format("expected an object, found {}", kind_of(*value_)));
  auto found = value_->find(std::string(name));
  if (found == value_->end())
    for (found = value_->begin(); found != value_->end(); ++found)
      if (std::ranges::equal(found.key(), name, {}, lower, lower)) break;
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return child(JsonStep::member(found.key()), *found);
}

JsonField JsonField::at(std::string_view name) const {
  std::optional<JsonField> found = find(name);
  if (!found) fail(format("expected a field '{}'", name));
  return std::move(*found);
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  if (!is_object()) fail(format("expected an object, found {}", kind_of(*value_)));
  std::vector<std::pair<std::string, JsonField>> all;
  for (const auto& [name, value] : value_->items())
    all.emplace_back(name, child(JsonStep::member(name), value));
  return all;
}

std::vector<JsonField> JsonField::elements() const {
  if (!is_list()) fail(format("expected a list, found {}", kind_of(*value_)));
  std::vector<JsonField> all;
  for (std::size_t i = 0; i < value_->size(); ++i) all.push_back(child(JsonStep::element(i), (*value_)[i]));
  return all;
}

std::vector<JsonField> JsonField::one_or_more() const {
  return is_list() ? elements() : std::vector<JsonField>{*this};
}

void JsonField::allow(std::initializer_list<std::string_view> names) const {
  const std::vector<std::string> known(names.begin(), names.end());
  for (const auto& [name, field] : members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto nearest = search::nearest_name(name, known);
    field.fail(nearest ? format("no such field; did you mean '{}'?", *nearest)
                       : format("no such field; there are: {}", joined(known)));
  }
}

const std::string& JsonField::text() const {
  if (!is_text()) fail(format("expected a text, found {}", kind_of(*value_)));
  return value_->get_ref<const std::string&>();
}

double JsonField::number() const {
  if (!is_number()) fail(format("expected a number, found {}", kind_of(*value_)));
  return value_->get<double>();
}

std::int64_t JsonField::integer() const {
  const double real = number();
  if (has_large_number(*value_)) fail("expected a number of at most 64 bits");
  if (value_->is_number_integer()) return value_->get<std::int64_t>();
  if (std::nearbyint(real) != real) fail(format("expected a whole number, found {}", kind_of(*value_)));
  if (!(std::abs(real) < 9.2e18)) fail("expected a number of at most 64 bits");
  return static_cast<std::int64_t>(real);
}

double JsonField::written_number() const {
  if (!is_text()) return number();
  const FormulaValue value = evaluated();
  if (!value.is_number()) fail(format("expected a number, found '{}'", text()));
  return value.real();
}

std::int64_t JsonField::written_integer() const {
  if (!is_text()) return integer();
  try {
    return evaluated().integer();
  } catch (const search::ExprError&) {
    fail(format("expected a whole number, found '{}'", text()));
  }
}

bool JsonField::to_bool() const {
  if (value_->is_boolean()) return value_->get<bool>();
  if (is_text()) return evaluated().to_bool();
  if (value_->is_number_integer()) return value_->get<std::int64_t>() != 0;
  fail(format("expected true or false, found {}", kind_of(*value_)));
}

bool JsonField::flag() const {
  if (value_->is_boolean()) return value_->get<bool>();
  const std::string given = is_text() ? format("\"{}\"", text()) : value_->dump();
  const bool is_yes = given == "1" || given == "\"true\"" || given == "\"True\"";
  const bool is_no = given == "0" || given == "\"false\"" || given == "\"False\"";
  if (is_yes || is_no) fail(format("expected true or false, found {}: write {}", given, is_yes));
  fail(format("expected true or false, found {}", shortened(given)));
}

FormulaValue JsonField::value() const {
  if (is_object() || is_null()) fail(format("expected a value or a list, found {}", kind_of(*value_)));
  if (has_large_number(*value_)) fail("expected numbers of at most 64 bits");
  return value_of(*value_);
}

std::string JsonField::formula() const {
  if (is_text()) return text();
  if (has_large_number(*value_)) return value_->dump();
  if (is_number() || is_bool()) return value().scalar().to_string();
  fail(format("expected a number or a formula, found {}", kind_of(*value_)));
}

Expression JsonField::scalar() const {
  if (has_large_number(*value_)) return {value_->get<std::uint64_t>(), place()};
  if (value_->is_number_integer()) return {value_->get<std::int64_t>(), place()};
  if (is_number()) return {number(), place()};
  return expression();
}

Expression JsonField::constant() const {
  if (!is_text()) {
    static_cast<void>(number());
    return scalar();
  }
  const FormulaValue value = evaluated();
  if (!value.is_number()) fail(format("expected a number, found '{}'", text()));
  if (value.is_wide()) return expression();
  if (value.is_real()) return {value.real(), place()};
  return {value.integer(), place()};
}

FormulaValue JsonField::evaluated() const {
  if (is_number() || is_bool()) return value();
  if (is_list()) {
    FormulaValue::List all;
    for (const JsonField& one : elements()) all.push_back(one.evaluated());
    return all;
  }
  try {
    return evaluate(text(), nullptr);
  } catch (const search::ExprError& error) {
    fail(format("'{}', column {}: {}", shortened(text()), error.column(), mistake_of(error)));
  }
}

search::Expr JsonField::rule() const {
  const std::string text = formula();
  try {
    return search::Expr::parse(text);
  } catch (const search::ExprError& error) {
    fail(format("'{}': {}", shortened(text), error.what()));
  }
}

}  // namespace tune::described
