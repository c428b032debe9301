// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/binary_archive.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "tuner/core/content_hash.hpp"

namespace tune::cache {
namespace {

using Json = nlohmann::json;

constexpr std::string_view mark = "tune binary\n";
constexpr std::size_t checksum_size = 32;

// The bindings name every member: a new one stops the compilation here, where it must be written and read.

Json to_json(const KernelResources& resources) {
  const auto& [registers, spill_store_bytes, spill_load_bytes, local_bytes, static_shared_memory,
               dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor, occupancy, limiter] =
      resources;
  return {{"registers", registers},
          {"spill_store_bytes", spill_store_bytes},
          {"spill_load_bytes", spill_load_bytes},
          {"local_bytes", local_bytes},
          {"static_shared_memory", static_shared_memory},
          {"dynamic_shared_memory", dynamic_shared_memory},
          {"threads", threads},
          {"max_threads", max_threads},
          {"blocks_per_multiprocessor", blocks_per_multiprocessor},
          {"occupancy", occupancy},
          {"limiter", limiter}};
}

KernelResources resources_from(const Json& json) {
  KernelResources resources;
  auto& [registers, spill_store_bytes, spill_load_bytes, local_bytes, static_shared_memory,
         dynamic_shared_memory, threads, max_threads, blocks_per_multiprocessor, occupancy, limiter] =
      resources;
  json.at("registers").get_to(registers);
  json.at("spill_store_bytes").get_to(spill_store_bytes);
  json.at("spill_load_bytes").get_to(spill_load_bytes);
  json.at("local_bytes").get_to(local_bytes);
  json.at("static_shared_memory").get_to(static_shared_memory);
  json.at("dynamic_shared_memory").get_to(dynamic_shared_memory);
  json.at("threads").get_to(threads);
  json.at("max_threads").get_to(max_threads);
  json.at("blocks_per_multiprocessor").get_to(blocks_per_multiprocessor);
  json.at("occupancy").get_to(occupancy);
  json.at("limiter").get_to(limiter);
  return resources;
}

Json to_json(const Binary& binary) {
  const auto& [image, symbols, resources, log, compile_seconds, hash, cached] = binary;
  static_cast<void>(cached);  // says how this object came to be, not what it is
  std::vector<std::uint8_t> bytes(image.size());
  if (!image.empty()) std::memcpy(bytes.data(), image.data(), image.size());
  Json kernels = Json::object();
  for (const auto& [entry, needs] : resources) kernels[entry] = to_json(needs);
  return {{"image", Json::binary(std::move(bytes))}, {"symbols", symbols},
          {"resources", std::move(kernels)},         {"log", log},
          {"compile_seconds", compile_seconds},      {"hash", hash}};
}

Binary binary_from(const Json& json) {
  Binary binary;
  const auto& bytes = json.at("image").get_binary();
  binary.image.resize(bytes.size());
  if (!bytes.empty()) std::memcpy(binary.image.data(), bytes.data(), bytes.size());
  json.at("symbols").get_to(binary.symbols);
  for (const auto& [entry, needs] : json.at("resources").items())
    binary.resources[entry] = resources_from(needs);
  json.at("log").get_to(binary.log);
  json.at("compile_seconds").get_to(binary.compile_seconds);
  json.at("hash").get_to(binary.hash);
  return binary;
}

Json to_json(const Failure& failure) {
  const auto& [phase, reason, detail] = failure;
  return {{"phase", std::string(to_string(phase))}, {"reason", reason}, {"detail", detail}};
}

Failure failure_from(const Json& json) {
  return {phase_from_string(json.at("phase").get<std::string>()), json.at("reason").get<std::string>(),
          json.at("detail").get<std::string>()};
}

}  // namespace

std::string to_entry(std::string_view key, const Result<Binary>& result) {
  Json json = {{"key", std::string(key)}};
  if (result)
    json["binary"] = to_json(*result);
  else
    json["failure"] = to_json(result.error());
  std::string payload;
  Json::to_cbor(json, payload);
  return std::string(mark) + content_hash(payload) + payload;
}

std::optional<Result<Binary>> from_entry(std::string_view key, std::string_view bytes) {
  if (!bytes.starts_with(mark) || bytes.size() < mark.size() + checksum_size) return std::nullopt;
  const std::string_view checksum = bytes.substr(mark.size(), checksum_size);
  const std::string_view payload = bytes.substr(mark.size() + checksum_size);
  if (content_hash(payload) != checksum) return std::nullopt;
  try {
    const Json json = Json::from_cbor(payload.begin(), payload.end());
    if (json.at("key").get<std::string>() != key) return std::nullopt;
    if (json.contains("binary")) return Result<Binary>(binary_from(json["binary"]));
    return Result<Binary>(tl::unexpected(failure_from(json.at("failure"))));
  } catch (const std::exception&) {  // a sound entry of another layout
    return std::nullopt;
  }
}

}  // namespace tune::cache
