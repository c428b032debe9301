// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/base/file.hpp"

namespace tune::cli {

/// A browser's request. Bodies are not read.
struct HttpRequest {
  std::string method;                          ///< GET
  std::string path;                            ///< `/data`, without what follows a `?`
  std::map<std::string, std::string> headers;  ///< names in lower case
};

/// Reads the request from a head without its empty line. Nothing where it breaks the protocol, or names two
/// hosts, which is a known attack.
std::optional<HttpRequest> read_request(std::string_view head);

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Answers browsers on this machine only: it listens on 127.0.0.1 and refuses requests that name another
/// host, so that no web page can read from it through a host name of its own that leads here (DNS rebinding).
/// It answers GET and HEAD, one request a connection, in one thread; a connection that sends nothing does not
/// delay others. `serve` may be called once.
class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  /// Listens at once; port 0 takes a free one. Throws Error where the port is taken or may not be used.
  explicit HttpServer(int port);

  int port() const { return port_; }
  /// `http://127.0.0.1:8420/`
  std::string address() const;
  /// Serves until `stop` returns true, which is called a few times a second. An exception of the handler is
  /// answered with status 503 and its text.
  void serve(const Handler& handler, const std::function<bool()>& stop);

 private:
  HttpResponse respond(const HttpRequest& request, const Handler& handler) const;
  bool names_this_host(const HttpRequest& request) const;

  FileDescriptor listener_;
  int port_ = 0;
};

}  // namespace tune::cli
