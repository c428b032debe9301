// SPDX-License-Identifier: Apache-2.0
#include "tuner/serialization/archive.hpp"

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"
#include "tuner/serialization/json.hpp"

namespace tune::process {
namespace {

/// Stops a reader at a list or an object that lies too deep. Ignores all else, mistakes too.
class DepthLimit : public nlohmann::json_sax<Json> {
 public:
  bool exceeded() const { return depth_ > max_json_depth; }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

 private:
  bool open() { return ++depth_ <= max_json_depth; }
  bool close() {
    --depth_;
    return true;
  }

  std::size_t depth_ = 0;
};

}  // namespace

std::vector<std::byte> to_bytes(const Json& json) {
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  const auto* first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

Json from_bytes(std::span<const std::byte> bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto* last = first + bytes.size();
  DepthLimit limit;
  Json::sax_parse(first, last, &limit, Json::input_format_t::cbor);
  if (limit.exceeded())
    throw Error(format("a message has more than {} lists or objects in each other", max_json_depth));
  return Json::from_cbor(first, last);
}

}  // namespace tune::process
