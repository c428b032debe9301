// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tuner/core/backend.hpp"
#include "tuner/core/device_fields.hpp"
#include "tuner/core/runner.hpp"

namespace tune::process {

/// The members of everything that travels between processes: `each` calls `field(name, member)` for all of
/// them. T is const or not.
template<class T>
struct Fields;

template<>
struct Fields<Failure> {
  static void each(auto& t, auto field) {
    field("phase", t.phase);
    field("reason", t.reason);
    field("detail", t.detail);
  }
};
template<>
struct Fields<SourceFile> {
  static void each(auto& t, auto field) {
    field("name", t.name);
    field("text", t.text);
  }
};
template<>
struct Fields<CompileRequest> {
  static void each(auto& t, auto field) {
    field("source", t.source);
    field("headers", t.headers);
    field("defines", t.defines);
    field("options", t.options);
    field("entries", t.entries);
  }
};
template<>
struct Fields<Layout> {
  static void each(auto& t, auto field) {
    field("extents", t.extents);
    field("strides", t.strides);
    field("offset", t.offset);
    field("allocation", t.allocation);
  }
};
template<>
struct Fields<BufferSpec> {
  static void each(auto& t, auto field) {
    field("name", t.name);
    field("type", t.type);
    field("layout", t.layout);
    field("role", t.role);
  }
};
template<>
struct Fields<BufferArgument> {
  static void each(auto& t, auto field) { field("buffer", t.buffer); }
};
template<>
struct Fields<Dim3> {
  static void each(auto& t, auto field) {
    field("x", t.x);
    field("y", t.y);
    field("z", t.z);
  }
};
template<>
struct Fields<Launch> {
  static void each(auto& t, auto field) {
    field("entry", t.entry);
    field("grid", t.grid);
    field("block", t.block);
    field("dynamic_shared_memory", t.dynamic_shared_memory);
    field("cooperative", t.cooperative);
    field("arguments", t.arguments);
  }
};
template<>
struct Fields<LaunchPlan> {
  static void each(auto& t, auto field) {
    field("compile", t.compile);
    field("buffers", t.buffers);
    field("launches", t.launches);
  }
};
template<>
struct Fields<KernelResources> {
  static void each(auto& t, auto field) {
    field("registers", t.registers);
    field("spill_store_bytes", t.spill_store_bytes);
    field("spill_load_bytes", t.spill_load_bytes);
    field("local_bytes", t.local_bytes);
    field("static_shared_memory", t.static_shared_memory);
    field("dynamic_shared_memory", t.dynamic_shared_memory);
    field("threads", t.threads);
    field("max_threads", t.max_threads);
    field("blocks_per_multiprocessor", t.blocks_per_multiprocessor);
    field("occupancy", t.occupancy);
    field("limiter", t.limiter);
  }
};
template<>
struct Fields<Binary> {
  static void each(auto& t, auto field) {
    field("image", t.image);
    field("symbols", t.symbols);
    field("resources", t.resources);
    field("log", t.log);
    field("compile_seconds", t.compile_seconds);
    field("cached", t.cached);
    field("hash", t.hash);
  }
};
template<>
struct Fields<MeasureOptions> {
  static void each(auto& t, auto field) {
    field("warmup", t.warmup);
    field("least_samples", t.least_samples);
    field("most_samples", t.most_samples);
    field("spread", t.spread);
    field("time_cap", t.time_cap);
    field("flush_cache", t.flush_cache);
    field("to_beat", t.to_beat);
    field("energy", t.energy);
  }
};
template<>
struct Fields<MachineState> {
  static void each(auto& t, auto field) {
    field("core_clock", t.core_clock);
    field("memory_clock", t.memory_clock);
    field("temperature", t.temperature);
    field("power", t.power);
    field("throttle", t.throttle);
    field("host", t.host);
  }
};
template<>
struct Fields<Timing> {
  static void each(auto& t, auto field) {
    field("samples", t.samples);
    field("stop", t.stop);
    field("executions", t.executions);
    field("throttled", t.throttled);
    field("energy", t.energy);
    field("machine", t.machine);
  }
};
template<>
struct Fields<Tolerance> {
  static void each(auto& t, auto field) {
    field("absolute", t.absolute);
    field("derivation", t.derivation);
  }
};
template<>
struct Fields<Comparison> {
  static void each(auto& t, auto field) {
    field("worst_error", t.worst_error);
    field("worst_index", t.worst_index);
    field("worst_value", t.worst_value);
    field("worst_reference", t.worst_reference);
    field("wrong", t.wrong);
  }
};
template<>
struct Fields<DeviceFacts> {
  static void each(auto& t, auto field) { for_each_fact(t, field); }
};

}  // namespace tune::process
