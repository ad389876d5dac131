// One end of a socket to a Python process that has an environment. A message is one byte (what it is), four bytes (the
// length of its body) and the body; the bytes of this machine, because both ends are on it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace alps::guest {

class Channel {
 public:
  struct Message {
    char kind = 0;
    std::string body;
  };

  Channel() = default;
  explicit Channel(int socket) : socket_(socket) {}  // closed by us
  ~Channel();
  Channel(Channel&& other) noexcept;
  Channel& operator=(Channel&& other) noexcept;

  bool open() const { return socket_ >= 0; }
  bool gone() const;  // the other end has been closed
  // false and nothing: the other end is gone, or speaks another language
  bool send(char kind, std::string_view body) const;
  std::optional<Message> receive() const;

 private:
  int socket_ = -1;
};

}  // namespace alps::guest
