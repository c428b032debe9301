// SPDX-License-Identifier: Apache-2.0
#include "db/store/json.hpp"

#include <nlohmann/json.hpp>

#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::db {
namespace {

using Json = nlohmann::ordered_json;
using search::Value;

Value value_of(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  if (json.is_number()) return Value(json.get<double>());
  return Value(json.get<std::string>());
}

/// Runs `read` on the parsed text.
template<class Read>
auto parsed(std::string_view text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception&) {
    constexpr std::size_t max_shown = 60;
    std::string shown(text.substr(0, max_shown));
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
    throw UnreadableText(
        format("the database has a text that tune did not write, '{}{}': 'tune db salvage' saves the rest",
               shown, text.size() > max_shown ? "..." : ""));
  }
}

}  // namespace

UnreadableText UnreadableText::in(const std::filesystem::path& file) const {
  UnreadableText named = *this;
  if (!has_file_) named = UnreadableText(format("{}: {}", file.string(), what()));
  named.has_file_ = true;
  return named;
}

std::string to_json(const Entries& entries) {
  Json object = Json::object();
  for (const auto& [name, value] : entries) object[name] = json_value(value);
  return object.dump();
}

std::string to_json(const NamedExtents& extents) {
  Json object = Json::object();
  for (const auto& [name, extent] : extents) object[name] = extent;
  return object.dump();
}

std::string to_json(const DeviceProperties& properties) {
  Json object = Json::object();
  for_each_property(properties, [&object](const char* name, const auto& member) { object[name] = member; });
  // Later properties are left out where they were not measured, so that texts of older versions stay equal.
  for (const char* later : {"host_to_device_bandwidth", "device_to_host_bandwidth"})
    if (object[later] == 0.0) object.erase(later);
  return object.dump();
}

Entries entries_from_json(std::string_view text) {
  return parsed(text, [](const Json& object) {
    Entries entries;
    for (const auto& [name, value] : object.items()) entries.emplace_back(name, value_of(value));
    return entries;
  });
}

NamedExtents extents_from_json(std::string_view text) {
  return parsed(text, [](const Json& object) {
    NamedExtents extents;
    for (const auto& [name, value] : object.items()) extents.emplace_back(name, value.get<std::int64_t>());
    return extents;
  });
}

search::Configuration configuration_from_json(std::string_view text) {
  search::Configuration configuration;
  for (auto& [name, value] : entries_from_json(text)) configuration.set(name, std::move(value));
  return configuration;
}

DeviceProperties properties_from_json(std::string_view text) {
  return parsed(text, [](const Json& object) {
    DeviceProperties properties;
    // A property that an older version did not have keeps its default.
    for_each_property(properties, [&object](const char* name, auto& member) {
      if (object.contains(name)) object[name].get_to(member);
    });
    return properties;
  });
}

}  // namespace tune::db
