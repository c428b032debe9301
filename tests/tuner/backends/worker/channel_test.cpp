// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/channel.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

namespace tune::process {
namespace {

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7);
  return bytes;
}

TEST(Channel, PacketsArriveWholeAndInOrder) {
  auto [one, other] = Channel::pair();
  // Larger than any socket's buffer: sender and receiver have to take turns.
  const std::vector<std::size_t> sizes = {0, 1, 1000, 5'000'000, 3};
  std::thread sender([&one = one, &sizes] {
    for (const std::size_t size : sizes) EXPECT_TRUE(one.send(counting(size)));
  });
  for (const std::size_t size : sizes) {
    Silence silence = Silence::closed;
    const auto packet = other.receive(10, silence);
    ASSERT_TRUE(packet.has_value());
    EXPECT_EQ(packet->bytes, counting(size));
  }
  sender.join();
}

TEST(Channel, AFileComesWithItsPacket) {
  auto [one, other] = Channel::pair();
  SharedMemory memory(4096);
  std::strcpy(reinterpret_cast<char*>(memory.bytes().data()), "hello");
  ASSERT_TRUE(one.send(counting(10)));
  ASSERT_TRUE(one.send(counting(20), memory.descriptor()));
  Silence silence = Silence::closed;
  EXPECT_FALSE(other.receive(1, silence)->file);
  auto second = other.receive(1, silence);
  ASSERT_TRUE(second && second->file);
  const SharedMemory seen(std::move(second->file), 4096);
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.bytes().data()), "hello");
  memory.bytes()[0] = std::byte{'j'};
  EXPECT_STREQ(reinterpret_cast<const char*>(seen.bytes().data()), "jello");
}

TEST(Channel, TellsATimeoutFromAnEnd) {
  auto [one, other] = Channel::pair();
  Silence silence = Silence::closed;
  EXPECT_FALSE(other.receive(0.02, silence).has_value());
  EXPECT_EQ(silence, Silence::timeout);
  one.close();
  EXPECT_FALSE(other.receive(10, silence).has_value());
  EXPECT_EQ(silence, Silence::closed);
  EXPECT_FALSE(other.send(counting(10)));
}

TEST(Channel, APacketThatStopsHalfWayIsATimeout) {
  auto [one, other] = Channel::pair();
  const std::uint64_t promised = 100;
  ASSERT_EQ(write(one.descriptor(), &promised, sizeof(promised)), static_cast<ssize_t>(sizeof(promised)));
  Silence silence = Silence::closed;
  EXPECT_FALSE(other.receive(0.05, silence).has_value());
  EXPECT_EQ(silence, Silence::timeout);
}

}  // namespace
}  // namespace tune::process
