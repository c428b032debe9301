// SPDX-License-Identifier: Apache-2.0
#include "reports/json_text.hpp"

#include <algorithm>

namespace tune::reports {
namespace {

constexpr std::size_t indent_columns = 2;

std::string dumped(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void JsonText::indent(std::size_t depth) {
  text_.append(indent_columns * depth, ' ');
}

void JsonText::append_quoted(std::string_view text) {
  const bool plain =
      std::ranges::all_of(text, [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
  if (!plain) {
    text_ += dumped(std::string(text), -1);
    return;
  }
  text_ += '"';
  text_ += text;
  text_ += '"';
}

void JsonText::add_name(std::string_view name) {
  if (empty_)
    text_ += "{\n";
  else
    text_ += ",\n";
  empty_ = false;
  indent(depth_ + 1);
  append_quoted(name);
  text_ += ": ";
}

void JsonText::add_plain(std::string_view name, std::string_view value) {
  add_name(name);
  text_ += value;
}

void JsonText::begin(std::string_view name) {
  add_name(name);
  ++depth_;
  empty_ = true;
}

void JsonText::end() {
  if (empty_) {
    text_ += "{}";
  } else {
    text_ += '\n';
    indent(depth_);
    text_ += '}';
  }
  --depth_;
  empty_ = false;
}

void JsonText::add(std::string_view name, std::nullptr_t) {
  add_plain(name, "null");
}

void JsonText::add(std::string_view name, double value) {
  add_plain(name, dumped(value, -1));
}

void JsonText::add(std::string_view name, std::string_view value) {
  add_name(name);
  append_quoted(value);
}

void JsonText::add(std::string_view name, const search::Value& value) {
  if (value.is_text())
    add(name, value.as_text());
  else if (value.is_real())
    add(name, value.as_real());
  else
    add_plain(name, value.to_string());
}

void JsonText::add(std::string_view name, const nlohmann::ordered_json& value) {
  add_name(name);
  for (const char c : dumped(value, indent_columns)) {
    text_ += c;
    if (c == '\n') indent(depth_ + 1);
  }
}

std::string JsonText::finish() {
  end();
  return std::move(text_);
}

}  // namespace tune::reports
