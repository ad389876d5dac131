// Requests to the page's server, as bytes on a connection: heads above all, and what may follow them.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <thread>

#include "viewer/bounded_server.h"

namespace {

int start() {
  static alps::viewer::BoundedServer server({.most_head = 4096, .request = std::chrono::seconds(1)});
  server.set_payload_max_length(1 << 16);
  server.Get("/(.*)", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.path + request.get_param_value("x") + request.get_header_value("Host"), "text/plain");
  });
  server.Post("/(.*)", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.body, "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread([] { server.listen_after_bind(); }).detach();
  while (!server.is_running()) std::this_thread::yield();
  return port;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int port = start();
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(port));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0) {
    for (size_t sent = 0; sent < size;) {
      const ssize_t count = send(socket, data + sent, size - sent, MSG_NOSIGNAL);
      if (count <= 0) break;
      sent += static_cast<size_t>(count);
    }
    shutdown(socket, SHUT_WR);
    char answer[4096];
    while (recv(socket, answer, sizeof answer, 0) > 0) {
    }
  }
  close(socket);
  return 0;
}
