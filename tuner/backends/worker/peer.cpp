// SPDX-License-Identifier: Apache-2.0
#include "tuner/backends/worker/peer.hpp"

#include <poll.h>

#include <new>

#include "tuner/base/error.hpp"
#include "tuner/base/format.hpp"

namespace tune::process {

Result<Response> Peer::call(const Json& request, double seconds, int file) {
  if (!alive_) return fail(Phase::crash, "process", "the process has ended before");
  if (!process_.channel().send(to_bytes(request), file)) return silent(Silence::closed, seconds);
  Silence silence = Silence::closed;
  std::optional<Packet> packet = process_.channel().receive(seconds, silence);
  if (!packet) return silent(silence, seconds);
  Json reply = from_bytes(packet->bytes);
  if (reply.contains("error")) throw Error(reply["error"].get<std::string>());
  if (reply.contains("failure")) return tl::unexpected(decoded<Failure>(reply["failure"]));
  return Response{std::move(reply["value"]), std::move(packet->file)};
}

bool Peer::alive() {
  if (!alive_) return false;
  pollfd watched{process_.channel().descriptor(), 0, 0};
  if (poll(&watched, 1, 0) > 0) alive_ = false;
  return alive_;
}

tl::unexpected<Failure> Peer::silent(Silence silence, double seconds) {
  alive_ = false;
  const std::string exit_description = process_.end();
  if (silence == Silence::timeout)
    return fail(Phase::timeout, "no answer", format("nothing came within {:g} s", seconds));
  // Nobody here sends this signal to a worker that still answers: somebody else did, or memory ran out.
  const bool killed = exit_description.find("signal 9 ") != std::string::npos;
  return fail(Phase::crash, std::string(killed ? killed_from_outside : "process"),
              "the process " + exit_description);
}

void serve(Channel channel,
           const std::function<Result<Response>(const Json& request, FileDescriptor file)>& answer) {
  Silence silence = Silence::closed;
  while (std::optional<Packet> packet = channel.receive(std::nullopt, silence)) {
    Json reply = Json::object();
    FileDescriptor file;
    try {
      Result<Response> result = answer(from_bytes(packet->bytes), std::move(packet->file));
      if (result) {
        reply["value"] = std::move(result->value);
        file = std::move(result->file);
      } else {
        reply["failure"] = encode(result.error());
      }
    } catch (const Error& error) {
      reply["error"] = error.what();
    } catch (const std::bad_alloc&) {
      reply["error"] = "out of memory: choose a smaller --size";
    }
    if (!channel.send(to_bytes(reply), file.get())) return;
  }
}

}  // namespace tune::process
