// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_head_bytes = 16'384;
constexpr std::size_t max_connections = 256;
constexpr std::chrono::seconds patience{5};
constexpr int wake_up = 200;  // milliseconds
constexpr std::string_view head_end = "\r\n\r\n";

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

HttpResponse refusal(int status, const std::string& reason) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = reason + "\n", .headers = {}};
}

/// A method or the name of a field (RFC 9110, 5.6.2).
bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(letter)) != std::string_view::npos;
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || last == first) return false;
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  request.method = line.substr(0, first);
  request.path = target.substr(0, target.find('?'));
  return is_token(request.method) && !target.empty() && target.find(' ') == std::string_view::npos &&
         (version == "HTTP/1.1" || version == "HTTP/1.0");
}

std::string_view reason_phrase(int status) {
  static constexpr std::pair<int, std::string_view> phrases[] = {{200, "OK"},
                                                                 {304, "Not Modified"},
                                                                 {400, "Bad Request"},
                                                                 {403, "Forbidden"},
                                                                 {404, "Not Found"},
                                                                 {405, "Method Not Allowed"},
                                                                 {431, "Request Header Fields Too Large"},
                                                                 {503, "Service Unavailable"}};
  const auto* const known = std::ranges::find(phrases, status, &std::pair<int, std::string_view>::first);
  return known == std::end(phrases) ? "Unknown" : known->second;
}

/// The bytes of an answer. Without a body, its length is that of the answer to GET.
std::string to_bytes(const HttpResponse& response, bool with_body) {
  std::string text = format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  for (const auto& [name, value] : response.headers) text += format("{}: {}\r\n", name, value);
  text +=
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nConnection: close\r\n";
  if (response.status == 304) return text + "\r\n";
  text += format("Content-Type: {}\r\nContent-Length: {}\r\n\r\n", response.type, response.body.size());
  return with_body ? text + response.body : text;
}

/// True when the last call failed only because it would have to wait.
bool would_wait() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// One connection: it reads a request, sends an answer, and reads until the other side closes too, because
/// closing with unread bytes would discard what was sent.
class Connection {
 public:
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  explicit Connection(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// The event to wait for.
  pollfd interest() const {
    return {socket_.get(), static_cast<short>(state_ == State::sending ? POLLOUT : POLLIN), 0};
  }

  /// Continues as far as it can without waiting. Returns false when the connection is over.
  bool proceed(bool ready, const Answer& answer) {
    const bool late = Clock::now() >= deadline_;
    if (!ready || (late && state_ == State::ending)) return !late;
    if (state_ == State::reading && !read(answer)) return false;
    if (state_ == State::sending && !send()) return false;
    return state_ != State::ending || drain();
  }

 private:
  enum class State { reading, sending, ending };

  bool read(const Answer& answer) {
    char part[4096];
    const ssize_t count = recv(socket_.get(), part, sizeof part, 0);
    if (count < 0) return would_wait();
    if (count == 0) return false;  // the other side closed
    head_.append(part, static_cast<std::size_t>(count));
    const std::size_t end = head_.find(head_end);
    if (std::min(end, head_.size()) > max_head_bytes) {
      begin_answer(to_bytes(refusal(431, "the request is too long"), true));
    } else if (end != std::string::npos) {
      const auto request = read_request(std::string_view(head_).substr(0, end));
      begin_answer(request ? to_bytes(answer(*request), request->method != "HEAD")
                           : to_bytes(refusal(400, "this request cannot be read"), true));
    }
    return true;
  }

  void begin_answer(std::string bytes) {
    state_ = State::sending;
    bytes_ = std::move(bytes);
    deadline_ = Clock::now() + patience;
  }

  bool send() {
    while (sent_ < bytes_.size()) {
      const ssize_t count = ::send(socket_.get(), bytes_.data() + sent_, bytes_.size() - sent_, MSG_NOSIGNAL);
      if (count < 0) return would_wait();
      sent_ += static_cast<std::size_t>(count);
      deadline_ = Clock::now() + patience;
    }
    shutdown(socket_.get(), SHUT_WR);
    state_ = State::ending;
    return true;
  }

  bool drain() const {
    char part[4096];
    const ssize_t count = recv(socket_.get(), part, sizeof part, 0);
    return count > 0 || (count < 0 && would_wait());
  }

  FileDescriptor socket_;
  State state_ = State::reading;
  std::string head_, bytes_;
  std::size_t sent_ = 0;
  Clock::time_point deadline_ = Clock::now() + patience;
};

/// Returns false where nothing can be accepted for now although somebody waits: descriptors have run out.
bool accept_all(int listener, std::vector<Connection>& connections, std::size_t most) {
  while (connections.size() < most) {
    FileDescriptor socket(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    connections.emplace_back(std::move(socket));
  }
  return true;
}

/// Half of the descriptors that this process may have are left for what answers read.
std::size_t most_connections() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return max_connections;
  return std::clamp<std::size_t>(limit.rlim_cur / 2, 1, max_connections);
}

}  // namespace

std::optional<HttpRequest> read_request(std::string_view head) {
  const auto is_control = [](unsigned char letter) {
    return (letter < 0x20 && letter != '\t') || letter == 0x7f;
  };
  HttpRequest request;
  for (bool first = true;; first = false) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    if (std::ranges::any_of(line, is_control)) return std::nullopt;
    if (first) {
      if (!read_request_line(line, request)) return std::nullopt;
    } else {
      const std::size_t colon = std::min(line.find(':'), line.size());
      if (colon == line.size() || !is_token(line.substr(0, colon))) return std::nullopt;
      const std::string name = lower(std::string(line.substr(0, colon)));
      const bool added = request.headers.try_emplace(name, trimmed(line.substr(colon + 1))).second;
      if (!added && name == "host") return std::nullopt;
    }
    if (end == head.size()) return request;
    head.remove_prefix(end + 2);
  }
}

HttpServer::HttpServer(int port) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof place;
  auto* const address = reinterpret_cast<sockaddr*>(&place);
  const int on = 1;  // allows a port that was just closed, but not one where another program listens
  if (!listener_ || setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener_.get(), address, size) != 0 || listen(listener_.get(), SOMAXCONN) != 0 ||
      getsockname(listener_.get(), address, &size) != 0) {
    if (errno == EADDRINUSE)
      throw Error(format(
          "port {} is in use, perhaps by another 'tune serve': choose another with --port, or --port 0 for any free one",
          port));
    throw Error(format("cannot listen on port {}: {}; choose another with --port", port,
                       std::generic_category().message(errno)));
  }
  port_ = ntohs(place.sin_port);
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
  if (!names_this_host(request)) return refusal(403, format("this server answers only at {}", address()));
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

void HttpServer::serve(const Handler& handler, const std::function<bool()>& stop) {
  const Connection::Answer answer = [&](const HttpRequest& request) { return respond(request, handler); };
  const std::size_t most = most_connections();
  std::vector<Connection> connections;
  bool accepting = true;
  while (!stop()) {
    std::vector<pollfd> waiting;
    for (const Connection& connection : connections) waiting.push_back(connection.interest());
    if (connections.size() < most && accepting) waiting.push_back({listener_.get(), POLLIN, 0});
    if (poll(waiting.data(), waiting.size(), wake_up) < 0) continue;  // a signal: `stop` tells
    std::size_t number = 0;
    std::erase_if(connections, [&](Connection& connection) {
      return !connection.proceed(waiting[number++].revents != 0, answer);
    });
    accepting = accept_all(listener_.get(), connections, most);
  }
  listener_.close();
}

}  // namespace tune::cli
