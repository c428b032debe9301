// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/emulator/jobs/wire.hpp"

namespace tune::emulator {
namespace {

/// One description of the fields serves both directions.
class Packer {
 public:
  std::string bytes;

  template<class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      std::size_t size = value.size();
      (*this)(size);
      bytes += value;
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  template<class T>
  void list(std::vector<T>& values) {
    std::size_t size = values.size();
    (*this)(size);
    for (T& value : values) fields(*this, value);
  }
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template<class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      std::size_t size = 0;
      (*this)(size);
      value = bytes_.substr(0, size);
      bytes_.remove_prefix(value.size());
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      std::memcpy(&value, bytes_.data(), sizeof value);
      bytes_.remove_prefix(sizeof value);
    }
  }
  template<class T>
  void list(std::vector<T>& values) {
    std::size_t size = 0;
    (*this)(size);
    values.resize(size);
    for (T& value : values) fields(*this, value);
  }

 private:
  std::string_view bytes_;
};

template<class Form>
void fields(Form& form, Finding& finding) {
  form(finding.kind);
  form(finding.kernel);
  form(finding.size);
  form(finding.array);
  form(finding.offset);
  form(finding.has_thread);
  form(finding.block);
  form(finding.thread);
  form(finding.source);
  form(finding.detail);
}

template<class Form>
void fields(Form& form, Message& message) {
  form(message.type);
  form(message.job);
  form(message.text);
  form(message.verdict.not_emulated);
  form(message.verdict.error);
  form(message.verdict.tolerance);
  form(message.verdict.seconds);
  form.list(message.verdict.findings);
}

}  // namespace

std::string packed(const Message& message) {
  Packer packer;
  Message copy = message;
  fields(packer, copy);
  Packer whole;
  whole(packer.bytes);
  return whole.bytes;
}

std::optional<Message> take_message(std::string& bytes) {
  std::size_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size) return std::nullopt;
  Unpacker unpacker(std::string_view(bytes).substr(sizeof size, size));
  Message message;
  fields(unpacker, message);
  bytes.erase(0, sizeof size + size);
  return message;
}

}  // namespace tune::emulator
