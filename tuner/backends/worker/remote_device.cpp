// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/remote_device.hpp"

#include <algorithm>

#include "tuner/base/content_hash.hpp"
#include "tuner/base/error.hpp"
#include "tuner/base/parallel.hpp"

namespace tune::process {
namespace {

constexpr double device_start_seconds = 120;  // a driver that wakes many devices up takes its time
constexpr double sharing_seconds = 60;
/// Inputs and references of the size that is tuned and of the small ones that check it, two seeds each.
constexpr std::size_t max_tensors = 64;

void copy(std::span<std::byte> to, std::span<const std::byte> from) {
  parallel_for(from.size(), std::uint64_t{1} << 22, [&](std::uint64_t begin, std::uint64_t end) {
    std::copy(from.data() + begin, from.data() + end, to.data() + begin);
  });
}

}  // namespace

void RemoteDevice::ready() {
  if (running()) return;
  peer_ = std::make_unique<Peer>(worker_);
  ++generation_;
  const Result<Response> answer = peer_->call({{"call", "hello"}}, device_start_seconds);
  if (answer) return;
  peer_.reset();
  throw Error("the process that runs the kernels does not start: " + answer.error().detail);
}

Result<Response> RemoteDevice::call(const Json& request, double seconds) {
  if (!peer_) return fail(Phase::crash, "process", "the process has ended");
  return peer_->call(request, seconds);
}

RemoteDevice::Shared& RemoteDevice::known(const TensorView& tensor) {
  std::string digest = sampled_hash(tensor.bytes);
  const auto found = std::ranges::find_if(shared_, [&](const Shared& other) {
    return other.data == tensor.bytes.data() && other.size == tensor.bytes.size() && other.digest == digest;
  });
  if (found != shared_.end()) {
    shared_.splice(shared_.begin(), shared_, found);
    return shared_.front();
  }
  Shared& made = shared_.emplace_front();
  made.data = tensor.bytes.data();
  made.size = tensor.bytes.size();
  made.digest = std::move(digest);
  made.number = next_number_++;
  made.memory = SharedMemory(made.size);
  copy(made.memory.bytes(), tensor.bytes);
  return made;
}

Result<void> RemoteDevice::forget_oldest() {
  const Shared oldest = std::move(shared_.back());
  shared_.pop_back();
  if (oldest.sent_to != generation_) return {};
  const Result<Response> answer = call({{"call", "forget"}, {"number", oldest.number}}, sharing_seconds);
  if (!answer) return tl::unexpected(answer.error());
  return {};
}

Result<std::uint64_t> RemoteDevice::share(const TensorView& tensor) {
  Shared& shared = known(tensor);
  if (shared.sent_to != generation_) {
    if (!peer_) return fail(Phase::crash, "process", "the process has ended");
    const Json request = {{"call", "tensor"},
                          {"number", shared.number},
                          {"type", encode(tensor.type)},
                          {"extents", encode(tensor.extents)},
                          {"size", shared.size}};
    const Result<Response> answer = peer_->call(request, sharing_seconds, shared.memory.descriptor());
    if (!answer) return tl::unexpected(answer.error());
    shared.sent_to = generation_;
  }
  const std::uint64_t number = shared.number;
  while (shared_.size() > max_tensors)
    if (const Result<void> forgotten = forget_oldest(); !forgotten) return tl::unexpected(forgotten.error());
  return number;
}

}  // namespace tune::process
