// SPDX-License-Identifier: Apache-2.0
#include "tuner/cli/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>

#include "tuner/core/error.hpp"
#include "tuner/core/format.hpp"

namespace tune::cli {

/// One that has not sent its whole request yet.
struct HttpServer::Connection {
  int socket = -1;
  std::string received;
  std::chrono::steady_clock::time_point deadline;
};

namespace {

constexpr std::size_t most_header_bytes = 16'384;
constexpr std::size_t most_connections = 64;
constexpr std::chrono::seconds patience{5};
constexpr int wake_up_milliseconds = 200;

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return std::string(text);
}

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

/// The lines before the empty one. Nothing for what is no request.
std::optional<HttpRequest> parse(std::string_view text) {
  HttpRequest request;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    if (first) {
      const std::size_t space = line.find(' '), last = line.rfind(' ');
      if (space == std::string_view::npos || last == space || !line.substr(last + 1).starts_with("HTTP/1."))
        return std::nullopt;
      request.method = line.substr(0, space);
      request.path = line.substr(space + 1, last - space - 1);
      request.path = request.path.substr(0, request.path.find('?'));
      first = false;
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == 0 || colon == std::string_view::npos) return std::nullopt;
    const std::string name = lower(std::string(line.substr(0, colon)));
    // Two hosts are a trick.
    if (!request.headers.try_emplace(name, trimmed(line.substr(colon + 1))).second && name == "host")
      return std::nullopt;
  }
  return first ? std::nullopt : std::optional(request);
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 431:
      return "Request Header Fields Too Large";
    default:
      return "Service Unavailable";
  }
}

std::string written(const HttpResponse& response, bool with_body) {
  std::string text = format("HTTP/1.1 {} {}\r\n", response.status, reason(response.status));
  if (response.status != 304)
    text += format("Content-Type: {}\r\nContent-Length: {}\r\n", response.type, response.body.size());
  for (const auto& [name, value] : response.headers) text += format("{}: {}\r\n", name, value);
  text +=
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n";
  if (with_body && response.status != 304) text += response.body;
  return text;
}

void send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the browser went away, or does not read
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Ends the sending first: a close with unread bytes would take back what was sent.
void hang_up(int socket) {
  shutdown(socket, SHUT_WR);
  char rest[1024];
  for (int i = 0; i < 16 && recv(socket, rest, sizeof rest, MSG_DONTWAIT) > 0; ++i) {
  }
  close(socket);
}

HttpResponse refusal(int status, const std::string& why) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = why + "\n", .headers = {}};
}

}  // namespace

HttpServer::HttpServer(int port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener_ < 0) throw Error(format("cannot open a socket: {}", std::strerror(errno)));
  const int yes = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);  // not while another one listens
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof place;
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&place), size) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size) != 0) {
    const int error = errno;
    close(listener_);
    if (error == EADDRINUSE)
      throw Error(format(
          "port {} is in use, perhaps by another 'tune serve': choose another with --port, or --port 0 "
          "for any free one",
          port));
    throw Error(
        format("cannot listen on port {}: {}; choose another with --port", port, std::strerror(error)));
  }
  port_ = ntohs(place.sin_port);
}

HttpServer::~HttpServer() {
  close(listener_);
}

std::string HttpServer::address() const {
  return format("http://127.0.0.1:{}/", port_);
}

bool HttpServer::names_this_host(const HttpRequest& request) const {
  const auto host = request.headers.find("host");
  if (host == request.headers.end()) return false;
  const std::string name = lower(host->second);
  return name == format("127.0.0.1:{}", port_) || name == format("localhost:{}", port_) ||
         (port_ == 80 && (name == "127.0.0.1" || name == "localhost"));
}

HttpResponse HttpServer::respond(const HttpRequest& request, const Handler& handler) const {
  if (!names_this_host(request)) return refusal(403, format("only {} is answered here", address()));
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = refusal(405, "this page can only be read");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  try {
    return handler(request);
  } catch (const std::exception& error) {
    return refusal(503, error.what());
  }
}

void HttpServer::accept_one(std::vector<Connection>& connections) const {
  const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (accepted < 0) return;
  const timeval limit = {patience.count(), 0};
  setsockopt(accepted, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connections.size() >= most_connections) {  // the oldest has had its time
    close(connections.front().socket);
    connections.erase(connections.begin());
  }
  connections.push_back({accepted, "", std::chrono::steady_clock::now() + patience});
}

void HttpServer::serve(const Handler& handler, const std::function<bool()>& stop) {
  std::vector<Connection> connections;
  /// True where the connection is done with.
  const auto advance = [&](Connection& connection) {
    char bytes[4096];
    const ssize_t count = recv(connection.socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (count < 0) return errno != EAGAIN && errno != EINTR;
    if (count == 0) return true;
    connection.received.append(bytes, static_cast<std::size_t>(count));
    const std::size_t end = connection.received.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (connection.received.size() <= most_header_bytes) return false;
      send_all(connection.socket, written(refusal(431, "the request is too long"), true));
      return true;
    }
    const auto request = parse(std::string_view(connection.received).substr(0, end));
    const HttpResponse response =
        request ? respond(*request, handler) : refusal(400, "this is no request that can be read");
    send_all(connection.socket, written(response, !request || request->method != "HEAD"));
    return true;
  };
  while (!stop()) {
    std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
    for (const Connection& connection : connections) watched.push_back({connection.socket, POLLIN, 0});
    if (poll(watched.data(), watched.size(), wake_up_milliseconds) < 0 && errno != EINTR)
      throw Error(format("cannot wait for connections: {}", std::strerror(errno)));
    const auto now = std::chrono::steady_clock::now();
    std::vector<Connection> left;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      const bool done = watched[i + 1].revents != 0 ? advance(connections[i]) : now > connections[i].deadline;
      if (done)
        hang_up(connections[i].socket);
      else
        left.push_back(std::move(connections[i]));
    }
    connections = std::move(left);
    if (watched[0].revents != 0) accept_one(connections);
  }
  for (const Connection& connection : connections) close(connection.socket);
}

}  // namespace tune::cli
