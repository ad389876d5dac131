#include "guest/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace alps::guest {
namespace {

constexpr size_t kHead = 5;
constexpr uint32_t kMostBytes = 1 << 26;  // of one message

bool read_all(int socket, char* at, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, at, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

Channel::~Channel() {
  if (socket_ >= 0) ::close(socket_);
}

Channel::Channel(Channel&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Channel& Channel::operator=(Channel&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

bool Channel::gone() const {
  pollfd end{socket_, POLLRDHUP, 0};
  return ::poll(&end, 1, 0) > 0 && (end.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0;
}

bool Channel::send(char kind, std::string_view body) const {
  const auto length = static_cast<uint32_t>(body.size());
  std::string message(kHead, kind);
  std::memcpy(message.data() + 1, &length, sizeof length);
  message += body;
  for (size_t sent = 0; sent < message.size();) {
    const ssize_t n = ::send(socket_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

std::optional<Channel::Message> Channel::receive() const {
  char head[kHead];
  uint32_t length = 0;
  if (!read_all(socket_, head, sizeof head)) return std::nullopt;
  std::memcpy(&length, head + 1, sizeof length);
  if (length > kMostBytes) return std::nullopt;
  Message message{head[0], std::string(length, '\0')};
  if (!read_all(socket_, message.body.data(), length)) return std::nullopt;
  return message;
}

}  // namespace alps::guest
