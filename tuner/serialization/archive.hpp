// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/backends/backend.hpp"
#include "tuner/device/device_properties.hpp"

/// How plans, binaries and what comes of them travel between processes: as JSON values, in CBOR on the way.
/// Both ends are the same program, so there are no versions; what does not parse throws
/// nlohmann::json::exception. Numbers survive to the last bit, NaN and infinities too.
namespace tune::process {

/// The members of everything that travels between processes: `each` calls `field(name, member)` for all of
/// them. The bindings name every member in the order of declaration: a new one stops the compilation here.
template<class T>
struct Fields;

/// `field(name, member)` for each pair.
template<class Field, class Member, class... Rest>
void name_members(const Field& field, const char* name, Member& member, Rest&... rest) {
  field(name, member);
  if constexpr (sizeof...(rest) > 0) name_members(field, rest...);
}

template<>
struct Fields<Failure> {
  static void each(auto& t, auto field) {
    auto& [phase, reason, detail] = t;
    name_members(field, "phase", phase, "reason", reason, "detail", detail);
  }
};
template<>
struct Fields<SourceFile> {
  static void each(auto& t, auto field) {
    auto& [name, text] = t;
    name_members(field, "name", name, "text", text);
  }
};
template<>
struct Fields<CompileRequest> {
  static void each(auto& t, auto field) {
    auto& [source, headers, defines, options, entries, architecture_specific] = t;
    name_members(field, "source", source, "headers", headers, "defines", defines, "options", options,
                 "entries", entries, "architecture_specific", architecture_specific);
  }
};
template<>
struct Fields<Layout> {
  static void each(auto& t, auto field) {
    auto& [extents, strides, offset, allocation] = t;
    name_members(field, "extents", extents, "strides", strides, "offset", offset, "allocation", allocation);
  }
};
template<>
struct Fields<BufferSpec> {
  static void each(auto& t, auto field) {
    auto& [name, type, layout, role, readable_padding, fill, symbol, place] = t;
    name_members(field, "name", name, "type", type, "layout", layout, "role", role, "readable_padding",
                 readable_padding, "fill", fill, "symbol", symbol, "place", place);
  }
};
template<>
struct Fields<BufferArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, offset, count] = t;
    name_members(field, "buffer", buffer, "offset", offset, "count", count);
  }
};
template<>
struct Fields<StepOrder> {
  static void each(auto& t, auto field) {
    auto& [stream, after] = t;
    name_members(field, "stream", stream, "after", after);
  }
};
template<>
struct Fields<CopySide> {
  static void each(auto& t, auto field) {
    auto& [buffer, offset, pitch] = t;
    name_members(field, "buffer", buffer, "offset", offset, "pitch", pitch);
  }
};
template<>
struct Fields<Copy> {
  static void each(auto& t, auto field) {
    auto& [from, to, width, rows, order] = t;
    name_members(field, "from", from, "to", to, "width", width, "rows", rows, "order", order);
  }
};
template<>
struct Fields<TextureSpec> {
  static void each(auto& t, auto field) {
    auto& [memory, dimensions, channels, address, filter, read, normalized_coordinates, gather] = t;
    name_members(field, "memory", memory, "dimensions", dimensions, "channels", channels, "address", address,
                 "filter", filter, "read", read, "normalized_coordinates", normalized_coordinates, "gather",
                 gather);
  }
};
template<>
struct Fields<TextureArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, texture] = t;
    name_members(field, "buffer", buffer, "texture", texture);
  }
};
template<>
struct Fields<TensorMapSpec> {
  static void each(auto& t, auto field) {
    auto& [offset, extents, strides, box, swizzle, promotion] = t;
    name_members(field, "offset", offset, "extents", extents, "strides", strides, "box", box, "swizzle",
                 swizzle, "promotion", promotion);
  }
};
template<>
struct Fields<TensorMapArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, map] = t;
    name_members(field, "buffer", buffer, "map", map);
  }
};
template<>
struct Fields<Dim3> {
  static void each(auto& t, auto field) {
    auto& [x, y, z] = t;
    name_members(field, "x", x, "y", y, "z", z);
  }
};
template<>
struct Fields<Launch> {
  static void each(auto& t, auto field) {
    auto& [entry, grid, block, dynamic_shared_memory, cooperative, arguments, order] = t;
    name_members(field, "entry", entry, "grid", grid, "block", block, "dynamic_shared_memory",
                 dynamic_shared_memory, "cooperative", cooperative, "arguments", arguments, "order", order);
  }
};
template<>
struct Fields<FourierTransform> {
  static void each(auto& t, auto field) {
    auto& [direction, input, output, extents, axes, order] = t;
    name_members(field, "direction", direction, "input", input, "output", output, "extents", extents, "axes",
                 axes, "order", order);
  }
};
template<>
struct Fields<LaunchPlan> {
  static void each(auto& t, auto field) {
    auto& [compile, buffers, setup, launches, tolerance, graph] = t;
    name_members(field, "compile", compile, "buffers", buffers, "setup", setup, "launches", launches,
                 "tolerance", tolerance, "graph", graph);
  }
};
template<>
struct Fields<KernelResources> {
  static void each(auto& t, auto field) {
    auto& [registers, spill_store_bytes, spill_load_bytes, local_bytes, static_shared_memory,
           dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor, occupancy, limiter] = t;
    name_members(field, "registers", registers, "spill_store_bytes", spill_store_bytes, "spill_load_bytes",
                 spill_load_bytes, "local_bytes", local_bytes, "static_shared_memory", static_shared_memory,
                 "dynamic_shared_memory", dynamic_shared_memory, "threads", threads, "max_threads",
                 max_threads, "blocks_per_multiprocessor", blocks_per_multiprocessor, "occupancy", occupancy,
                 "limiter", limiter);
  }
};
template<>
struct Fields<Binary> {
  static void each(auto& t, auto field) {
    auto& [image, symbols, resources, log, compile_seconds, hash, cached] = t;
    name_members(field, "image", image, "symbols", symbols, "resources", resources, "log", log,
                 "compile_seconds", compile_seconds, "hash", hash, "cached", cached);
  }
};
template<>
struct Fields<MeasureOptions> {
  static void each(auto& t, auto field) {
    auto& [warmup, min_samples, max_samples, spread, time_cap, flush_cache, incumbent_seconds, energy] = t;
    name_members(field, "warmup", warmup, "least_samples", min_samples, "most_samples", max_samples, "spread",
                 spread, "time_cap", time_cap, "flush_cache", flush_cache, "to_beat", incumbent_seconds,
                 "energy", energy);
  }
};
template<>
struct Fields<MachineState> {
  static void each(auto& t, auto field) {
    auto& [core_clock, memory_clock, temperature, power, throttle, host] = t;
    name_members(field, "core_clock", core_clock, "memory_clock", memory_clock, "temperature", temperature,
                 "power", power, "throttle", throttle, "host", host);
  }
};
template<>
struct Fields<Timing> {
  static void each(auto& t, auto field) {
    auto& [samples, stop, executions, throttled, energy, machine] = t;
    name_members(field, "samples", samples, "stop", stop, "executions", executions, "throttled", throttled,
                 "energy", energy, "machine", machine);
  }
};
template<>
struct Fields<Tolerance> {
  static void each(auto& t, auto field) {
    auto& [absolute, derivation, relative, buffers] = t;
    name_members(field, "absolute", absolute, "derivation", derivation, "relative", relative, "buffers",
                 buffers);
  }
};
template<>
struct Fields<Bounds> {
  static void each(auto& t, auto field) {
    auto& [absolute, relative, each, sum] = t;
    name_members(field, "absolute", absolute, "relative", relative, "each", each, "sum", sum);
  }
};
template<>
struct Fields<Comparison> {
  static void each(auto& t, auto field) {
    auto& [worst_error, worst_index, worst_value, worst_reference, wrong, total_error] = t;
    name_members(field, "worst_error", worst_error, "worst_index", worst_index, "worst_value", worst_value,
                 "worst_reference", worst_reference, "wrong", wrong, "total_error", total_error);
  }
};
template<>
struct Fields<DeviceProperties> {
  static void each(auto& t, auto field) { for_each_property(t, field); }
};

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
