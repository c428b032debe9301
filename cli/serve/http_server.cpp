// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/http_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cctype>
#include <chrono>
#include <optional>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::cli {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Code = boost::system::error_code;
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

constexpr std::uint32_t max_header_bytes = 16'384;
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds wake_up{200};

std::string lower(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return text;
}

HttpResponse refusal(int status, const std::string& reason) {
  return {.status = status, .type = "text/plain; charset=utf-8", .body = reason + "\n", .headers = {}};
}

HttpRequest plain(const http::request<http::empty_body>& read) {
  HttpRequest request;
  request.method = std::string(read.method_string());
  request.path = std::string(read.target());
  request.path = request.path.substr(0, request.path.find('?'));
  for (const auto& field : read)
    request.headers.try_emplace(lower(std::string(field.name_string())), std::string(field.value()));
  return request;
}

http::response<http::string_body> written(HttpResponse response, bool with_body) {
  http::response<http::string_body> message;
  message.version(11);
  message.result(static_cast<unsigned>(response.status));
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("X-Frame-Options", "DENY");
  message.set("Referrer-Policy", "no-referrer");
  message.keep_alive(false);
  if (response.status == 304) return message;
  message.set(http::field::content_type, response.type);
  message.content_length(response.body.size());
  if (with_body) message.body() = std::move(response.body);
  return message;
}

/// One connection: a request, an answer, the end.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const HttpHandler& answer) : stream_(std::move(socket)), answer_(answer) {
    parser_.header_limit(max_header_bytes);
  }

  void start() {
    stream_.expires_after(patience);
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](Code error, std::size_t) { self->answer(error); });
  }

 private:
  void answer(const Code& error) {
    if (error == http::error::header_limit) return send(refusal(431, "the request is too long"), true);
    const bool unreadable = error.category() == make_error_code(http::error::bad_version).category();
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        (error && !unreadable))
      return;  // it went away, or sent nothing in time
    // Two hosts are a trick.
    if (error || parser_.get().count(http::field::host) > 1)
      return send(refusal(400, "this is no request that can be read"), true);
    const HttpRequest request = plain(parser_.get());
    send(answer_(request), request.method != "HEAD");
  }

  void send(HttpResponse response, bool with_body) {
    message_ = written(std::move(response), with_body);
    // The length is that of what GET would bring.
    serializer_.emplace(*message_);
    serializer_->split(!with_body);
    stream_.expires_after(patience);
    const auto end = [self = shared_from_this()](Code, std::size_t) { self->hang_up(); };
    if (with_body)
      http::async_write(stream_, *serializer_, end);
    else
      http::async_write_header(stream_, *serializer_, end);
  }

  /// Ends the sending first: a close with unread bytes would take back what was sent.
  void hang_up() {
    Code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(patience);
    stream_.async_read_some(asio::buffer(rest_), [self = shared_from_this()](Code error, std::size_t) {
      if (!error) self->hang_up();
    });
  }

  beast::tcp_stream stream_;
  const HttpHandler& answer_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  std::optional<http::response<http::string_body>> message_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  char rest_[1024] = {};
};

void accept_next(tcp::acceptor& acceptor, const HttpHandler& answer) {
  acceptor.async_accept([&acceptor, &answer](Code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) std::make_shared<Session>(std::move(socket), answer)->start();
    accept_next(acceptor, answer);
  });
}

}  // namespace

struct HttpServer::Listener {
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
};

HttpServer::HttpServer(int port) : listener_(std::make_unique<Listener>()) {
  const tcp::endpoint place(asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port));
  tcp::acceptor& acceptor = listener_->acceptor;
  Code error;
  acceptor.open(place.protocol(), error);
  if (!error)
    acceptor.set_option(asio::socket_base::reuse_address(true), error);  // not while another listens
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error == asio::error::address_in_use)
    throw Error(
        format("port {} is in use, perhaps by another 'tune serve': choose another with --port, or --port 0 "
               "for any free one",
               port));
  if (error)
    throw Error(format("cannot listen on port {}: {}; choose another with --port", port, error.message()));
  port_ = acceptor.local_endpoint().port();
}

HttpServer::~HttpServer() = default;

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

void HttpServer::serve(const Handler& handler, const std::function<bool()>& stop) {
  const HttpHandler answer = [&](const HttpRequest& request) { return respond(request, handler); };
  accept_next(listener_->acceptor, answer);
  while (!stop()) listener_->context.run_for(wake_up);
  // Connections refer to what ends with this function.
  listener_ = std::make_unique<Listener>();
}

}  // namespace tune::cli
