// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/http_client.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <regex>
#include <thread>

namespace tune::testing {

int connect_to(int port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  const timeval limit = {20, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  EXPECT_EQ(connect(descriptor, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  return descriptor;
}

std::string ask(int port, const std::string& bytes) {
  const int descriptor = connect_to(port);
  EXPECT_EQ(send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  std::string answer;
  char part[65'536];
  for (ssize_t count = 0; (count = recv(descriptor, part, sizeof part, 0)) > 0;)
    answer.append(part, static_cast<std::size_t>(count));
  close(descriptor);
  return answer;
}

std::string get(int port, const std::string& path, const std::string& more) {
  return ask(port,
             "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n" + more + "\r\n");
}

std::string body_of(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

int port_of(const Process& server) {
  std::smatch found;
  for (int i = 0; i < 3'000; ++i) {
    const std::string out = server.out();
    if (std::regex_search(out, found, std::regex("http://127.0.0.1:(\\d+)/"))) return std::stoi(found[1]);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return 0;
}

}  // namespace tune::testing
