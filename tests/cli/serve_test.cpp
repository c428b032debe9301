// SPDX-License-Identifier: Apache-2.0
// `tune serve` as a process, asked over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "cli/serve/http_server.hpp"
#include "tests/cli/http_client.hpp"
#include "tests/cli/process.hpp"
#include "tests/cli/recording.hpp"
#include "tuner/base/error.hpp"

namespace tune::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string tag_of(const std::string& answer) {
  std::smatch found;
  return std::regex_search(answer, found, std::regex("ETag: (\"[^\"]+\")")) ? found[1].str() : "";
}

/// A server of an invented database, and where it listens.
class ServeTest : public ::testing::Test {
 protected:
  ServeTest() {
    add_recording(database_, {.count = 30});
    server_.emplace(sandbox_ / "",
                    std::vector<std::string>{"serve", "--db", database_.string(), "--port", "0"});
    port_ = port_of(*server_);
  }

  Sandbox sandbox_;
  std::filesystem::path database_ = sandbox_ / "served.db";
  std::optional<Process> server_;
  int port_ = 0;
};

TEST_F(ServeTest, ShowsThePageAndItsData) {
  ASSERT_NE(port_, 0);
  const std::string page = get(port_, "/");
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(page, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(page, HasSubstr("<body data-live="));
  EXPECT_THAT(page, HasSubstr("Invented H2"));
  const std::string answer = get(port_, "/data?x=1");
  const auto update = nlohmann::json::parse(body_of(answer));
  EXPECT_EQ(update["sections"].size(), 1U);
  EXPECT_EQ(update["ids"].size(), 1U);
  EXPECT_THAT(get(port_, "/other"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(port_, "HEAD / HTTP/1.1\r\nhost: localhost:" + std::to_string(port_) + "\r\n\r\n"),
              ::testing::AllOf(StartsWith("HTTP/1.1 200"), Not(HasSubstr("<body"))));
}

TEST_F(ServeTest, SendsDataAgainOnlyWhereTheyChanged) {
  ASSERT_NE(port_, 0);
  const std::string first = get(port_, "/data"), tag = tag_of(first);
  ASSERT_FALSE(tag.empty());
  const std::string known = nlohmann::json::parse(body_of(first))["ids"][0];
  EXPECT_THAT(get(port_, "/"), HasSubstr("data-live=\"" + tag.substr(1, tag.size() - 2) + "\""));
  const std::string same = get(port_, "/data", "If-None-Match: " + tag + "\r\n");
  EXPECT_THAT(same, StartsWith("HTTP/1.1 304"));
  EXPECT_EQ(body_of(same), "");
  add_recording(database_, {.n = 32, .count = 10});
  std::string changed;
  for (int i = 0; i < 100; ++i) {
    changed = get(port_, "/data", "If-None-Match: " + tag + "\r\n");
    if (changed.starts_with("HTTP/1.1 200")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ASSERT_THAT(changed, StartsWith("HTTP/1.1 200"));
  EXPECT_NE(tag_of(changed), tag);
  const auto update = nlohmann::json::parse(body_of(changed));
  EXPECT_EQ(update["ids"].size(), 2U);
  ASSERT_EQ(update["sections"].size(), 1U);  // the new one
  EXPECT_FALSE(update["sections"].contains(known));
}

TEST_F(ServeTest, AnswersOnlyToItsOwnName) {
  ASSERT_NE(port_, 0);
  const std::string port = std::to_string(port_);
  for (const std::string& host : {"evil.example:" + port, "127.0.0.1.evil.example:" + port,
                                  std::string("127.0.0.1"), "evil@127.0.0.1:" + port}) {
    const std::string answer = ask(port_, "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 403")) << host;
    EXPECT_THAT(answer, Not(HasSubstr("Invented"))) << host;
  }
  EXPECT_THAT(ask(port_, "GET / HTTP/1.1\r\n\r\n"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(ask(port_, "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nHost: evil\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
}

TEST_F(ServeTest, CannotBeWrittenToNorConfused) {
  ASSERT_NE(port_, 0);
  const std::string host = "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  EXPECT_THAT(ask(port_, "POST /data HTTP/1.1\r\n" + host + "Content-Length: 2\r\n\r\nab"),
              ::testing::AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: GET, HEAD\r\n")));
  EXPECT_THAT(ask(port_, "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(port_, "GET / HTTP/1.1\r\n" + std::string(20'000, 'x')), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(get(port_, "/../../etc/passwd"), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServeTest, ReadsARequestThatComesInPieces) {
  ASSERT_NE(port_, 0);
  const int slow = connect_to(port_);
  const std::string host = "127.0.0.1:" + std::to_string(port_);
  for (const std::string& piece :
       {std::string("HE"), "AD /data HTTP/1.1\r\nhOsT:\t" + host + " \r", std::string("\n\r\n")}) {
    EXPECT_EQ(send(slow, piece.data(), piece.size(), MSG_NOSIGNAL), static_cast<ssize_t>(piece.size()));
    const std::string whole = get(port_, "/data");  // others are answered meanwhile
    EXPECT_THAT(whole, HasSubstr("Content-Length: " + std::to_string(body_of(whole).size()) + "\r\n"));
  }
  std::string answer(4096, 0);
  const ssize_t count = recv(slow, answer.data(), answer.size(), MSG_WAITALL);
  close(slow);
  ASSERT_GT(count, 0);
  answer.resize(static_cast<std::size_t>(count));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer,
              HasSubstr("Content-Length: " + std::to_string(body_of(get(port_, "/data")).size()) + "\r\n"));
  EXPECT_EQ(body_of(answer), "");
}

TEST_F(ServeTest, RefusesHeadsThatBreakTheProtocol) {
  ASSERT_NE(port_, 0);
  const std::string host = "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  for (const std::string& head :
       {"GET / HTTP/2.0\r\n" + host, "GET /a b HTTP/1.1\r\n" + host, "G(T / HTTP/1.1\r\n" + host,
        "GET / HTTP/1.1\r\n" + host + "no colon\r\n", "GET / HTTP/1.1\r\n" + host + "a b: c\r\n",
        "GET / HTTP/1.1\r\n" + host + "a: b\n\tc\r\n", "GET / HTTP/1.1\r\n" + host + " folded: x\r\n",
        "GET  HTTP/1.1\r\n" + host})
    EXPECT_THAT(ask(port_, head + "\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n")) << head;
  EXPECT_THAT(ask(port_, "GET / HTTP/1.0\r\n" + host + "\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServeTest, ASilentConnectionHoldsNobodyUp) {
  ASSERT_NE(port_, 0);
  const int silent = connect_to(port_);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(get(port_, "/data"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  close(silent);
}

TEST_F(ServeTest, CtrlCEndsItCleanly) {
  ASSERT_NE(port_, 0);
  const int open = connect_to(port_);
  server_->send(SIGINT);
  const ProgramResult outcome = server_->wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  close(open);
}

TEST_F(ServeTest, APortInUseIsSaid) {
  ASSERT_NE(port_, 0);
  const std::string port = std::to_string(port_);
  expect_refused(sandbox_.tune({"serve", "--db", database_.string(), "--port", port}), 1, {port, "--port 0"});
}

TEST(Serve, RefusesWhatItCannotShow) {
  const Sandbox sandbox;
  expect_refused(sandbox.tune({"serve", "--db", (sandbox / "none.db").string()}), 3, {"none.db"});
  expect_refused(sandbox.tune({"serve", "--port", "70000"}), 2, {"--port", "65535"});
  expect_refused(sandbox.tune({"serve", "--port", "x"}), 2, {"--port"});
}

double seconds_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Serve, WithFewDescriptorsItWaitsAndAnswers) {
  const Sandbox sandbox;
  const std::filesystem::path database = sandbox / "few.db";
  add_recording(database, {.count = 3});
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 64;
  setrlimit(RLIMIT_NOFILE, &few);
  Process server(sandbox / "", {"serve", "--db", database.string(), "--port", "0"});
  setrlimit(RLIMIT_NOFILE, &before);
  const int port = port_of(server);
  ASSERT_GT(port, 0);
  const double used = seconds_of_children();
  std::vector<int> idle;
  for (int i = 0; i < 100; ++i) idle.push_back(connect_to(port));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  for (const int one : idle) close(one);
  EXPECT_THAT(get(port, "/"), StartsWith("HTTP/1.1 200"));
  server.send(SIGTERM);
  server.wait();
  EXPECT_LT(seconds_of_children() - used, 0.8) << "it waits in a loop";
}

TEST(HttpServer, SaysWhatTheHandlerThrows) {
  cli::HttpServer server(0);
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    server.serve([](const cli::HttpRequest&) -> cli::HttpResponse { throw Error("the disk is gone"); },
                 [&] { return stop.load(); });
  });
  const std::string answer = get(server.port(), "/");
  stop = true;
  thread.join();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_EQ(body_of(answer), "the disk is gone\n");
}

}  // namespace
}  // namespace tune::testing
