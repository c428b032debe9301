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

#include "tuner/backends/backend.hpp"
#include "tuner/backends/runner.hpp"
#include "tuner/device/device_fields.hpp"

/// How plans, binaries and what comes of them travel between processes: as JSON values, in CBOR on the way.
/// Both ends are the same program, so there are no versions; what does not parse throws
/// nlohmann::json::exception. Numbers survive to the last bit, NaN and infinities too.
namespace tune::process {

/// The members of everything that travels between processes: `each` calls `field(name, member)` for all of
/// them. The bindings name every member in the order of declaration: a new one stops the compilation here.
template<class T>
struct Fields;

template<>
struct Fields<Failure> {
  static void each(auto& t, auto field) {
    auto& [phase, reason, detail] = t;
    field("phase", phase);
    field("reason", reason);
    field("detail", detail);
  }
};
template<>
struct Fields<SourceFile> {
  static void each(auto& t, auto field) {
    auto& [name, text] = t;
    field("name", name);
    field("text", text);
  }
};
template<>
struct Fields<CompileRequest> {
  static void each(auto& t, auto field) {
    auto& [source, headers, defines, options, entries, architecture_specific] = t;
    field("source", source);
    field("headers", headers);
    field("defines", defines);
    field("options", options);
    field("entries", entries);
    field("architecture_specific", architecture_specific);
  }
};
template<>
struct Fields<Layout> {
  static void each(auto& t, auto field) {
    auto& [extents, strides, offset, allocation] = t;
    field("extents", extents);
    field("strides", strides);
    field("offset", offset);
    field("allocation", allocation);
  }
};
template<>
struct Fields<BufferSpec> {
  static void each(auto& t, auto field) {
    auto& [name, type, layout, role, readable_padding, fill, symbol, place] = t;
    field("name", name);
    field("type", type);
    field("layout", layout);
    field("role", role);
    field("readable_padding", readable_padding);
    field("fill", fill);
    field("symbol", symbol);
    field("place", place);
  }
};
template<>
struct Fields<BufferArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, offset, count] = t;
    field("buffer", buffer);
    field("offset", offset);
    field("count", count);
  }
};
template<>
struct Fields<StepOrder> {
  static void each(auto& t, auto field) {
    auto& [stream, after] = t;
    field("stream", stream);
    field("after", after);
  }
};
template<>
struct Fields<CopySide> {
  static void each(auto& t, auto field) {
    auto& [buffer, offset, pitch] = t;
    field("buffer", buffer);
    field("offset", offset);
    field("pitch", pitch);
  }
};
template<>
struct Fields<Copy> {
  static void each(auto& t, auto field) {
    auto& [from, to, width, rows, order] = t;
    field("from", from);
    field("to", to);
    field("width", width);
    field("rows", rows);
    field("order", order);
  }
};
template<>
struct Fields<TextureSpec> {
  static void each(auto& t, auto field) {
    auto& [memory, dimensions, channels, address, filter, read, normalized_coordinates, gather] = t;
    field("memory", memory);
    field("dimensions", dimensions);
    field("channels", channels);
    field("address", address);
    field("filter", filter);
    field("read", read);
    field("normalized_coordinates", normalized_coordinates);
    field("gather", gather);
  }
};
template<>
struct Fields<TextureArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, texture] = t;
    field("buffer", buffer);
    field("texture", texture);
  }
};
template<>
struct Fields<TensorMapSpec> {
  static void each(auto& t, auto field) {
    auto& [offset, extents, strides, box, swizzle, promotion] = t;
    field("offset", offset);
    field("extents", extents);
    field("strides", strides);
    field("box", box);
    field("swizzle", swizzle);
    field("promotion", promotion);
  }
};
template<>
struct Fields<TensorMapArgument> {
  static void each(auto& t, auto field) {
    auto& [buffer, map] = t;
    field("buffer", buffer);
    field("map", map);
  }
};
template<>
struct Fields<Dim3> {
  static void each(auto& t, auto field) {
    auto& [x, y, z] = t;
    field("x", x);
    field("y", y);
    field("z", z);
  }
};
template<>
struct Fields<Launch> {
  static void each(auto& t, auto field) {
    auto& [entry, grid, block, dynamic_shared_memory, cooperative, arguments, order] = t;
    field("entry", entry);
    field("grid", grid);
    field("block", block);
    field("dynamic_shared_memory", dynamic_shared_memory);
    field("cooperative", cooperative);
    field("arguments", arguments);
    field("order", order);
  }
};
template<>
struct Fields<FourierTransform> {
  static void each(auto& t, auto field) {
    auto& [direction, input, output, extents, axes, order] = t;
    field("direction", direction);
    field("input", input);
    field("output", output);
    field("extents", extents);
    field("axes", axes);
    field("order", order);
  }
};
template<>
struct Fields<LaunchPlan> {
  static void each(auto& t, auto field) {
    auto& [compile, buffers, setup, launches, tolerance, graph] = t;
    field("compile", compile);
    field("buffers", buffers);
    field("setup", setup);
    field("launches", launches);
    field("tolerance", tolerance);
    field("graph", graph);
  }
};
template<>
struct Fields<KernelResources> {
  static void each(auto& t, auto field) {
    auto& [registers, spill_store_bytes, spill_load_bytes, local_bytes, static_shared_memory,
           dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor, occupancy, limiter] = t;
    field("registers", registers);
    field("spill_store_bytes", spill_store_bytes);
    field("spill_load_bytes", spill_load_bytes);
    field("local_bytes", local_bytes);
    field("static_shared_memory", static_shared_memory);
    field("dynamic_shared_memory", dynamic_shared_memory);
    field("threads", threads);
    field("max_threads", max_threads);
    field("blocks_per_multiprocessor", blocks_per_multiprocessor);
    field("occupancy", occupancy);
    field("limiter", limiter);
  }
};
template<>
struct Fields<Binary> {
  static void each(auto& t, auto field) {
    auto& [image, symbols, resources, log, compile_seconds, hash, cached] = t;
    field("image", image);
    field("symbols", symbols);
    field("resources", resources);
    field("log", log);
    field("compile_seconds", compile_seconds);
    field("hash", hash);
    field("cached", cached);
  }
};
template<>
struct Fields<MeasureOptions> {
  static void each(auto& t, auto field) {
    auto& [warmup, min_samples, max_samples, spread, time_cap, flush_cache, incumbent_seconds, energy] = t;
    field("warmup", warmup);
    field("least_samples", min_samples);
    field("most_samples", max_samples);
    field("spread", spread);
    field("time_cap", time_cap);
    field("flush_cache", flush_cache);
    field("to_beat", incumbent_seconds);
    field("energy", energy);
  }
};
template<>
struct Fields<MachineState> {
  static void each(auto& t, auto field) {
    auto& [core_clock, memory_clock, temperature, power, throttle, host] = t;
    field("core_clock", core_clock);
    field("memory_clock", memory_clock);
    field("temperature", temperature);
    field("power", power);
    field("throttle", throttle);
    field("host", host);
  }
};
template<>
struct Fields<Timing> {
  static void each(auto& t, auto field) {
    auto& [samples, stop, executions, throttled, energy, machine] = t;
    field("samples", samples);
    field("stop", stop);
    field("executions", executions);
    field("throttled", throttled);
    field("energy", energy);
    field("machine", machine);
  }
};
template<>
struct Fields<Tolerance> {
  static void each(auto& t, auto field) {
    auto& [absolute, derivation, relative, buffers] = t;
    field("absolute", absolute);
    field("derivation", derivation);
    field("relative", relative);
    field("buffers", buffers);
  }
};
template<>
struct Fields<Bounds> {
  static void each(auto& t, auto field) {
    auto& [absolute, relative, each, sum] = t;
    field("absolute", absolute);
    field("relative", relative);
    field("each", each);
    field("sum", sum);
  }
};
template<>
struct Fields<Comparison> {
  static void each(auto& t, auto field) {
    auto& [worst_error, worst_index, worst_value, worst_reference, wrong, total_error] = t;
    field("worst_error", worst_error);
    field("worst_index", worst_index);
    field("worst_value", worst_value);
    field("worst_reference", worst_reference);
    field("wrong", wrong);
    field("total_error", total_error);
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
