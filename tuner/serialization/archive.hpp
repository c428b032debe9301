// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/base/error.hpp"
#include "tuner/device/device_properties.hpp"

/// Encodes plans, binaries and results as JSON values (CBOR between processes). Both ends are the same
/// program, so there are no versions. Throws nlohmann::json::exception for other data. Numbers survive to the
/// last bit, NaN and infinities too.
namespace tune::process {

/// The names of a struct's members, in the order of declaration, for everything that travels between
/// processes. A struct with another number of members does not compile.
template<class T>
inline constexpr std::array<const char*, 0> member_names{};
template<>
inline constexpr std::array member_names<Failure>{"phase", "reason", "detail", "time_limit"};
template<>
inline constexpr std::array member_names<SourceFile>{"name", "text"};
template<>
inline constexpr std::array member_names<CompileRequest>{
    "source", "headers", "defines", "options", "entries", "architecture_specific", "compiler"};
template<>
inline constexpr std::array member_names<Layout>{"extents", "strides", "offset", "allocation"};
template<>
inline constexpr std::array member_names<BufferSpec>{
    "name", "type",   "layout", "role",         "readable_padding",
    "fill", "symbol", "place",  "reference_of", "symbol_is_hidden",
    "part", "device"};
template<>
inline constexpr std::array member_names<BufferArgument>{"buffer", "offset", "count", "read_only"};
template<>
inline constexpr std::array member_names<TensorPart>{"tensor", "first", "begin", "end"};
template<>
inline constexpr std::array member_names<StepOrder>{"stream", "after", "device"};
template<>
inline constexpr std::array member_names<CopySide>{"buffer", "offset", "pitch"};
template<>
inline constexpr std::array member_names<Copy>{"from", "to", "width", "rows", "order"};
template<>
inline constexpr std::array member_names<TextureSpec>{
    "memory", "dimensions", "channels", "address", "filter", "read", "normalized_coordinates", "gather"};
template<>
inline constexpr std::array member_names<TextureArgument>{"buffer", "texture"};
template<>
inline constexpr std::array member_names<TensorMapSpec>{"offset",  "extents",   "strides", "box",
                                                        "swizzle", "promotion", "group"};
template<>
inline constexpr std::array member_names<TensorMapArgument>{"buffer", "map"};
template<>
inline constexpr std::array member_names<StructPointer>{"place", "target"};
template<>
inline constexpr std::array member_names<StructArgument>{"bytes", "pointers"};
template<>
inline constexpr std::array member_names<Dim3>{"x", "y", "z"};
template<>
inline constexpr std::array member_names<Launch>{"entry",       "grid",      "block", "dynamic_shared_memory",
                                                 "cooperative", "arguments", "order"};
template<>
inline constexpr std::array member_names<FourierTransform>{"direction", "input", "output",
                                                           "extents",   "axes",  "order"};
template<>
inline constexpr std::array member_names<Zero>{"buffer", "order"};
template<>
inline constexpr std::array member_names<HostStep>{"name", "code", "again", "order"};
template<>
inline constexpr std::array member_names<LaunchPlan>{"compile",   "buffers",    "setup", "launches",
                                                     "checks",    "tolerance",  "graph", "work_per_execution",
                                                     "judgement", "environment"};
template<>
inline constexpr std::array member_names<KernelResources>{"registers",
                                                          "spill_store_bytes",
                                                          "spill_load_bytes",
                                                          "local_bytes",
                                                          "static_shared_memory",
                                                          "dynamic_shared_memory",
                                                          "threads",
                                                          "max_threads",
                                                          "blocks_per_multiprocessor",
                                                          "occupancy",
                                                          "limiter"};
template<>
inline constexpr std::array member_names<Binary>{"image",  "symbols",         "resources",
                                                 "log",    "compile_seconds", "hash",
                                                 "cached", "compiler",        "chosen_because"};
template<>
inline constexpr std::array member_names<MeasureOptions>{"warmup",  "least_samples", "most_samples",
                                                         "spread",  "time_cap",      "flush_cache",
                                                         "to_beat", "checked",       "energy"};
template<>
inline constexpr std::array member_names<MachineState>{"core_clock", "memory_clock", "temperature",
                                                       "power",      "throttle",     "host"};
template<>
inline constexpr std::array member_names<Timing>{"samples", "stop",    "executions", "throttled",
                                                 "energy",  "machine", "metrics"};
template<>
inline constexpr std::array member_names<Tolerance>{
    "absolute", "derivation", "relative", "buffers", "cause", "cure", "values_along", "share_of_values"};
template<>
inline constexpr std::array member_names<Bounds>{"absolute", "relative", "each", "sum", "limits_along"};
template<>
inline constexpr std::array member_names<Comparison>{"worst_error",     "worst_index", "worst_value",
                                                     "worst_reference", "wrong",       "total_error",
                                                     "unwritten",       "no_reference"};

template<std::size_t count, class T>
auto members(T& value) {
  if constexpr (count == 2) {
    auto& [a, b] = value;
    return std::tie(a, b);
  } else if constexpr (count == 3) {
    auto& [a, b, c] = value;
    return std::tie(a, b, c);
  } else if constexpr (count == 4) {
    auto& [a, b, c, d] = value;
    return std::tie(a, b, c, d);
  } else if constexpr (count == 5) {
    auto& [a, b, c, d, e] = value;
    return std::tie(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto& [a, b, c, d, e, f] = value;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto& [a, b, c, d, e, f, g] = value;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto& [a, b, c, d, e, f, g, h] = value;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = value;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = value;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

/// Calls `use(name, member)` for each member.
template<class T, class Use>
void each_member(T& value, const Use& use) {
  using Struct = std::remove_const_t<T>;
  if constexpr (std::is_same_v<Struct, DeviceProperties>) {
    for_each_property(value, use);
  } else {
    constexpr const auto& names = member_names<Struct>;
    const auto all = members<names.size()>(value);
    const auto each = [&]<std::size_t... i>(std::index_sequence<i...>) {
      (use(names[i], std::get<i>(all)), ...);
    };
    each(std::make_index_sequence<names.size()>());
  }
}

using Json = nlohmann::json;

/// Writes CBOR.
std::vector<std::byte> to_bytes(const Json& json);
/// Reads it back. Throws Error for more than max_json_depth lists and objects in each other: the reader calls
/// itself for each.
Json from_bytes(std::span<const std::byte> bytes);

template<class T>
concept HasMembers = std::is_same_v<T, DeviceProperties> || !member_names<T>.empty();

template<class T>
Json encode(const T& value);
template<class T>
void decode(const Json& json, T& value);

/// Overloads for types other than our structs.
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

[[noreturn]] inline Json encode(const HostCode&) {
  throw Error(
      "host code between launches runs in the process that launches: set Options::in_process, or use the "
      "emulator");
}
inline void decode(const Json&, HostCode& code) {
  code = {};
}

/// Outputs are judged in the process of the caller.
inline Json encode(const SharedJudgement&) {
  return {};
}
inline void decode(const Json&, SharedJudgement& judgement) {
  judgement = nullptr;
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
  if constexpr (HasMembers<T>) {
    Json json = Json::object();
    each_member(value,
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
  if constexpr (HasMembers<T>)
    each_member(value, [&json](const char* name, auto& member) { process::decode(json.at(name), member); });
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
