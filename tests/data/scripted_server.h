// A web server on 127.0.0.1 that answers exactly what a test tells it to, byte by byte: real HTTP servers are too
// well-behaved to cut connections or to lie about lengths.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "alps/base/error.h"

namespace alps {

// Sends what `answer` makes of each request, then closes the connection.
class ScriptedServer {
 public:
  using Answer = std::function<std::string(const std::string& request)>;

  ScriptedServer() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(socket_, 16), 0);
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  explicit ScriptedServer(Answer answer) : ScriptedServer() { start(std::move(answer)); }
  ~ScriptedServer() {
    shutdown(socket_, SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    close(socket_);
  }

  void start(Answer answer) {
    thread_ = std::thread([this, answer = std::move(answer)] {
      for (int client; (client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0; close(client))
        serve(client, answer);
    });
  }

  std::string url(const std::string& path = "/a.npz") const { return str("http://127.0.0.1:", port_, path); }
  size_t requests() const {
    std::lock_guard lock(mutex_);
    return requests_.size();
  }
  std::string request(size_t i) const {
    std::lock_guard lock(mutex_);
    return requests_.at(i);
  }
  std::atomic<int> pause_ms = 0;  // the connection stays open after the answer, unless the client goes

 private:
  void serve(int client, const Answer& answer) {
    std::string request;
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = recv(client, buffer, sizeof buffer, 0);
      if (got <= 0) return;
      request.append(buffer, got);
    }
    {
      std::lock_guard lock(mutex_);
      requests_.push_back(request);
    }
    const std::string bytes = answer(request);
    for (size_t sent = 0; sent < bytes.size();) {
      const ssize_t now = send(client, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (now <= 0) return;
      sent += now;
    }
    pollfd gone{client, POLLIN, 0};
    poll(&gone, 1, pause_ms);
  }

  int socket_;
  int port_ = 0;
  std::thread thread_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline std::string head(const std::string& status, size_t length, const std::string& more = "") {
  return str("HTTP/1.1 ", status, "\r\nContent-Length: ", length, "\r\nConnection: close\r\n", more, "\r\n");
}

inline size_t asked_from(const std::string& request) {
  const size_t at = request.find("Range: bytes=");
  return at == std::string::npos ? 0 : std::stoul(request.substr(at + 13));
}

// answers as a good server does: ranges, and If-Range by ETag
inline std::string good_answer(const std::string& request, const std::string& content, const std::string& etag) {
  const size_t from = asked_from(request);
  const std::string tag = "ETag: " + etag + "\r\n";
  if (from == 0 || !contains(request, "If-Range: " + etag + "\r\n"))
    return head("200 OK", content.size(), tag) + content;
  if (from >= content.size()) return head("416 Range Not Satisfiable", 0);
  const std::string range = str("Content-Range: bytes ", from, "-", content.size() - 1, "/", content.size(), "\r\n");
  return head("206 Partial Content", content.size() - from, tag + range) + content.substr(from);
}

// a full answer of which the connection carries only `bytes` of the content
inline std::string cut_answer(const std::string& content, const std::string& etag, size_t bytes) {
  return head("200 OK", content.size(), "ETag: " + etag + "\r\n") + content.substr(0, bytes);
}

}  // namespace alps
