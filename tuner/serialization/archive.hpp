// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/serialization/fields.hpp"

/// How plans, binaries and what comes of them travel between processes: as JSON values, in CBOR on the way.
/// Both ends are the same program, so there are no versions; what does not parse throws
/// nlohmann::json::exception. Numbers survive to the last bit, NaN and infinities too.
namespace tune::process {

using Json = nlohmann::json;

inline std::vector<std::byte> to_bytes(const Json& json) {
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

inline Json from_bytes(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::from_cbor(first, first + bytes.size());
}

template<class T>
concept HasFields = requires {
  sizeof(Fields<T>);
};

template<class T>
Json encode(const T& value);
template<class T>
void decode(const Json& json, T& value);

/// Overloads for what is no struct of ours.
namespace parts {

inline Json encode(const std::vector<std::byte>& bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary({first, first + bytes.size()});
}
inline void decode(const Json& json, std::vector<std::byte>& bytes) {
  const auto& binary = json.get_binary();
  const auto* first = reinterpret_cast<const std::byte*>(binary.data());
  bytes.assign(first, first + binary.size());
}

template<class T>
Json encode(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(process::encode(value));
  return json;
}
template<class T>
void decode(const Json& json, std::vector<T>& values) {
  values.clear();
  for (const Json& element : json) process::decode(element, values.emplace_back());
}

template<class T>
Json encode(const std::map<std::string, T>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = process::encode(value);
  return json;
}
template<class T>
void decode(const Json& json, std::map<std::string, T>& values) {
  values.clear();
  for (const auto& [name, value] : json.items()) process::decode(value, values[name]);
}

template<class T>
Json encode(const std::optional<T>& value) {
  return value ? process::encode(*value) : Json();
}
template<class T>
void decode(const Json& json, std::optional<T>& value) {
  value.reset();
  if (!json.is_null()) process::decode(json, value.emplace());
}

template<class A, class B>
Json encode(const std::pair<A, B>& pair) {
  return Json::array({process::encode(pair.first), process::encode(pair.second)});
}
template<class A, class B>
void decode(const Json& json, std::pair<A, B>& pair) {
  process::decode(json.at(0), pair.first);
  process::decode(json.at(1), pair.second);
}

template<class... Ts>
Json encode(const std::variant<Ts...>& variant) {
  return Json::array(
      {variant.index(), std::visit([](const auto& value) { return process::encode(value); }, variant)});
}
template<class... Ts>
void decode(const Json& json, std::variant<Ts...>& variant) {
  const auto wanted = json.at(0).get<std::size_t>();
  std::size_t index = 0;
  const auto take = [&]<class T>(T value) {
    if (index++ != wanted) return;
    process::decode(json.at(1), value);
    variant = std::move(value);
  };
  (take(Ts{}), ...);
}

}  // namespace parts

template<class T>
Json encode(const T& value) {
  if constexpr (HasFields<T>) {
    Json json = Json::object();
    Fields<T>::each(value,
                    [&json](const char* name, const auto& member) { json[name] = process::encode(member); });
    return json;
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<int>(value);
  } else if constexpr (requires { parts::encode(value); }) {
    return parts::encode(value);
  } else {
    return value;
  }
}

template<class T>
void decode(const Json& json, T& value) {
  if constexpr (HasFields<T>)
    Fields<T>::each(value,
                    [&json](const char* name, auto& member) { process::decode(json.at(name), member); });
  else if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(json.get<int>());
  else if constexpr (requires { parts::decode(json, value); })
    parts::decode(json, value);
  else
    json.get_to(value);
}

template<class T>
T decoded(const Json& json) {
  T value{};
  decode(json, value);
  return value;
}

}  // namespace tune::process
