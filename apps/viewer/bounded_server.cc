#include "viewer/bounded_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace alps::viewer {
namespace {

using Clock = std::chrono::steady_clock;

// whether a socket is ready for `events` before `until`
bool ready(socket_t socket, short events, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd one{.fd = socket, .events = events, .revents = 0};
    const int found = poll(&one, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 60'000)));
    if (found > 0) return (one.revents & events) != 0;
    if (found == 0 || errno != EINTR) return false;
  }
}

class Connection : public httplib::Stream {
 public:
  Connection(socket_t socket, const ConnectionBounds& bounds) : socket_(socket), bounds_(bounds) {}

  // whether another request begins to come; `goes_on` is asked now and then
  template <class GoesOn>
  bool begins(GoesOn&& goes_on) {
    const auto until = Clock::now() + bounds_.idle;
    while (goes_on() && Clock::now() < until)
      if (first_ < last_ || ready(socket_, POLLIN, std::min(until, Clock::now() + std::chrono::milliseconds(100)))) {
        until_ = Clock::now() + bounds_.request;
        head_ = matched_ = 0;
        return true;
      }
    return false;
  }

  ssize_t read(char* out, size_t size) override {
    if (first_ == last_ && !fill()) return -1;
    const size_t count = std::min(size, last_ - first_);
    for (size_t i = 0; i < count; ++i)
      if (!in_bounds(out[i] = buffer_[first_++])) return -1;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* data, size_t size) override {
    return is_writable() ? send(socket_, data, size, MSG_NOSIGNAL) : -1;
  }

  bool is_readable() const override { return first_ < last_ || ready(socket_, POLLIN, until_); }
  bool is_writable() const override { return ready(socket_, POLLOUT, Clock::now() + bounds_.write); }
  socket_t socket() const override { return socket_; }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { address(getpeername, ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { address(getsockname, ip, port); }

 private:
  bool fill() {
    if (!ready(socket_, POLLIN, until_)) return false;
    const ssize_t count = recv(socket_, buffer_.data(), buffer_.size(), 0);
    first_ = 0;
    last_ = static_cast<size_t>(std::max<ssize_t>(count, 0));
    return count > 0;
  }

  // counts the bytes of the head, which ends with an empty line
  bool in_bounds(char byte) {
    constexpr std::string_view kEnd = "\r\n\r\n";
    if (matched_ == kEnd.size()) return true;
    matched_ = byte == kEnd[matched_] ? matched_ + 1 : byte == kEnd[0] ? 1 : 0;
    return ++head_ <= bounds_.most_head;
  }

  template <class Ask>
  void address(Ask ask, std::string& ip, int& port) const {
    sockaddr_in at{};
    socklen_t size = sizeof at;
    char text[INET_ADDRSTRLEN];
    if (ask(socket_, reinterpret_cast<sockaddr*>(&at), &size) != 0 || at.sin_family != AF_INET) return;
    if (inet_ntop(AF_INET, &at.sin_addr, text, sizeof text) != nullptr) ip = text;
    port = ntohs(at.sin_port);
  }

  socket_t socket_;
  const ConnectionBounds& bounds_;
  std::array<char, 4096> buffer_;
  size_t first_ = 0, last_ = 0;  // what is left in the buffer
  size_t head_ = 0, matched_ = 0;
  Clock::time_point until_;
};

}  // namespace

bool BoundedServer::process_and_close_socket(socket_t socket) {
  Connection connection(socket, bounds_);
  const auto serving = [&] { return svr_sock_ != INVALID_SOCKET; };
  bool fine = true;
  for (size_t left = keep_alive_max_count_; left > 0 && fine && connection.begins(serving); --left) {
    bool closed = false;
    fine = process_request(connection, left == 1, closed, nullptr) && !closed;
  }
  shutdown(socket, SHUT_RDWR);
  close(socket);
  return fine;
}

}  // namespace alps::viewer
