// cpp-httplib's server with connections of our own. Version 0.11 reads a header line without an end on and on; here the
// head of a request has a largest size, and a request has to be complete within some seconds, however slowly it comes.
#pragma once

#include <httplib.h>

#include <chrono>

namespace alps::viewer {

struct ConnectionBounds {
  size_t most_head = 32 * 1024;      // bytes of the first line and the headers
  std::chrono::seconds request{10};  // from its first byte to its last
  std::chrono::seconds idle{1};      // without a request, the connection is closed
  std::chrono::seconds write{5};     // until some of an answer is taken
};

class BoundedServer : public httplib::Server {
 public:
  explicit BoundedServer(ConnectionBounds bounds = {}) : bounds_(bounds) {}

 private:
  bool process_and_close_socket(socket_t socket) override;

  ConnectionBounds bounds_;
};

}  // namespace alps::viewer
