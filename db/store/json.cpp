// SPDX-License-Identifier: Apache-2.0
#include "db/store/json.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::db {
namespace {

using Json = nlohmann::ordered_json;
using search::Value;

UnreadableText unreadable(std::string_view text) {
  constexpr std::size_t max_shown = 60;
  std::string shown(text.substr(0, max_shown));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return UnreadableText(
      format("the database has a text that tune did not write, '{}{}': 'tune db salvage' saves the rest",
             shown, text.size() > max_shown ? "..." : ""));
}

/// Runs `read` on the parsed text.
template<class Read>
auto parsed(std::string_view text, Read read) {
  try {
    return read(Json::parse(text));
  } catch (const nlohmann::json::exception&) {
    throw unreadable(text);
  }
}

/// Takes the members of an object without lists and objects in it, one after another: reading a million
/// configurations as trees would take most of the time of a report.
template<class Take>
class FlatObject {
 public:
  explicit FlatObject(Take take) : take_(std::move(take)) {}

  bool start_object(std::size_t) { return !std::exchange(open_, true); }
  bool end_object() { return true; }
  bool key(std::string& name) {
    name_ = std::move(name);
    return true;
  }
  bool boolean(bool value) { return member(Value(value)); }
  bool number_integer(std::int64_t value) { return member(Value(value)); }
  bool number_unsigned(std::uint64_t value) { return member(Value(static_cast<std::int64_t>(value))); }
  bool number_float(double value, const std::string&) { return member(Value(value)); }
  bool string(std::string& value) { return member(Value(std::move(value))); }
  bool null() { return false; }
  bool start_array(std::size_t) { return false; }
  bool end_array() { return false; }
  bool binary(std::vector<std::uint8_t>&) { return false; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) { return false; }

 private:
  bool member(Value value) {
    if (!open_) return false;
    take_(std::move(name_), std::move(value));
    return true;
  }

  Take take_;
  bool open_ = false;
  std::string name_;
};

/// Calls `take` with each name and value of the object.
template<class Take>
void each_member(std::string_view text, Take take) {
  FlatObject<Take> object(std::move(take));
  if (!Json::sax_parse(text, &object)) throw unreadable(text);
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

std::string to_json(const Metrics& metrics) {
  Json object = Json::object();
  for (const auto& [name, value] : metrics) object[name] = value;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const DeviceProperties& properties) {
  Json object = Json::object();
  for_each_property(properties, [&object](const char* name, const auto& member) { object[name] = member; });
  // Later properties are left out where they were not measured, so that texts of older versions stay equal.
  for (const char* later : {"host_to_device_bandwidth", "device_to_host_bandwidth", "l1_cache", "l3_cache",
                            "vector_bits", "governor"})
    if (object[later] == 0.0 || object[later] == "") object.erase(later);
  return object.dump();
}

Entries entries_from_json(std::string_view text) {
  return configuration_from_json(text).entries();
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
  each_member(text, [&](std::string name, Value value) { configuration.set(name, std::move(value)); });
  return configuration;
}

Metrics metrics_from_json(std::string_view text) {
  return parsed(text, [](const Json& object) {
    Metrics metrics;
    for (const auto& [name, value] : object.items()) metrics.emplace_back(name, value.get<double>());
    return metrics;
  });
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
