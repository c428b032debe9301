// SPDX-License-Identifier: Apache-2.0
#include "tuner/cache/binary_archive.hpp"

#include "tuner/base/content_hash.hpp"
#include "tuner/serialization/archive.hpp"

namespace tune::cache {
namespace {

using process::decoded;
using process::encode;
using process::Json;

constexpr std::string_view mark = "tune binary\n";
constexpr std::size_t checksum_size = 32;

}  // namespace

std::string to_entry(std::string_view key, const Result<Binary>& result) {
  Json json = {{"key", std::string(key)}};
  if (result)
    json["binary"] = encode(*result);
  else
    json["failure"] = encode(result.error());
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
    if (json.contains("binary")) return Result<Binary>(decoded<Binary>(json["binary"]));
    return Result<Binary>(tl::unexpected(decoded<Failure>(json.at("failure"))));
  } catch (const std::exception&) {  // a sound entry of another layout
    return std::nullopt;
  }
}

}  // namespace tune::cache
