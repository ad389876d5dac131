#include "viewer/server.h"

#include <charconv>
#include <semaphore>
#include <thread>

#include "alps/base/interrupt.h"
#include "viewer/bounded_server.h"
#include "viewer/page.h"
#include "viewer/sessions.h"

namespace alps::viewer {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::json;

constexpr size_t kMostBody = 16 * 1024;
constexpr int kConnections = 96, kWaiting = 64;  // served at once, and waiting for it
constexpr auto kPulse = std::chrono::seconds(5);

// as many connections as there are threads, and some that wait; more are not accepted until one ends
class Workers : public httplib::ThreadPool {
 public:
  Workers() : ThreadPool(kConnections) {}
  void enqueue(std::function<void()> job) override {
    room_.acquire();
    ThreadPool::enqueue([this, job = std::move(job)] {
      job();
      room_.release();
    });
  }

 private:
  std::counting_semaphore<> room_{kConnections + kWaiting};
};

void answer(Response& response, int status, const json& body) {
  response.status = status;
  response.set_content(body.dump(), "application/json");
}

void refuse(Response& response, int status, const std::string& why) { answer(response, status, {{"error", why}}); }

// "localhost:8000" -> "localhost"
std::string host_name(const std::string& host) {
  const size_t colon = host.rfind(':');
  const bool digits =
      colon != std::string::npos && host.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  return digits ? host.substr(0, colon) : host;
}

// Another site must not speak to us through the user's browser: neither under a name of its own that leads here (DNS
// rebinding), nor by a request of its pages. A forwarded port may have another number.
std::string stranger(const Request& request) {
  const std::string host = request.get_header_value("Host"), name = host_name(host);
  if (name != "127.0.0.1" && name != "localhost") return "this page is served to 127.0.0.1 and localhost only";
  if (request.method == "GET" || request.method == "HEAD") return {};
  if (request.has_header("Origin") && request.get_header_value("Origin") != "http://" + host)
    return "requests of other pages are refused";
  return {};
}

const char* content_type(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return name.ends_with(".svg") ? "image/svg+xml" : "application/octet-stream";
}

json parse_body(const Request& request) {
  if (request.body.empty()) return json::object();
  json body = json::parse(request.body, nullptr, false);
  if (!body.is_object()) throw UsageError("the body is not a JSON object");
  return body;
}

}  // namespace

struct Server::Impl {
  Impl(const ViewRun& view) : view(view), sessions(view), about(view.about().dump()), samples(view.samples()) {}

  void routes();
  void guard();
  void command(const Request& request, Response& response);
  void events(const Request& request, Response& response);
  void picture(const Request& request, Response& response);

  const ViewRun& view;
  Sessions sessions;
  const std::string about, samples;
  BoundedServer http;
  int port = 0;
};

// before anything is read or done
void Server::Impl::guard() {
  http.set_pre_routing_handler([](const Request& request, Response& response) {
    const auto handled = httplib::Server::HandlerResponse::Handled;
    if (const std::string why = stranger(request); !why.empty()) {
      refuse(response, 403, why);
      return handled;
    }
    if (request.method == "GET") return httplib::Server::HandlerResponse::Unhandled;
    if (request.method != "POST") {
      refuse(response, 405, "only GET and POST are served");
      return handled;
    }
    // a length that is told beforehand, and small
    const std::string length = request.get_header_value("Content-Length");
    size_t bytes = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
    if (length.empty() || request.has_header("Transfer-Encoding")) {
      refuse(response, 411, "a request needs a Content-Length");
    } else if (error != std::errc() || end != length.data() + length.size() || bytes > kMostBody) {
      refuse(response, 413, "a body of at most 16 kB is taken");
    } else if (!request.get_header_value("Content-Type").starts_with("application/json")) {
      refuse(response, 415, "a body is application/json");
    } else {
      return httplib::Server::HandlerResponse::Unhandled;
    }
    return handled;
  });
  http.set_payload_max_length(kMostBody);
  http.set_default_headers({{"Content-Security-Policy",
                             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                            {"X-Content-Type-Options", "nosniff"},
                            {"Referrer-Policy", "no-referrer"},
                            {"Cross-Origin-Resource-Policy", "same-origin"},
                            {"Cache-Control", "no-store"}});
  http.set_error_handler([](const Request&, Response& response) {
    if (response.body.empty())
      refuse(response, response.status, response.status == 404 ? "there is nothing here" : "a bad request");
  });
  http.set_exception_handler([](const Request&, Response& response, std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const UsageError& e) {
      refuse(response, 400, e.what());
    } catch (const std::exception& e) {
      refuse(response, 500, e.what());
    }
  });
}

void Server::Impl::routes() {
  for (const PageFile& file : page_files()) {
    const auto give = [file](const Request&, Response& response) {
      response.set_content(file.bytes.data(), file.bytes.size(), content_type(file.name));
    };
    std::string path = "/" + std::string(file.name);
    for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 2)) path.insert(dot, "\\");
    http.Get(path, give);
    if (file.name == "index.html") http.Get("/", give);
  }
  http.Get("/api/run", [this](const Request&, Response& response) { response.set_content(about, "application/json"); });
  http.Get("/api/samples",
           [this](const Request&, Response& response) { response.set_content(samples, "application/octet-stream"); });
  http.Get("/api/meshes", [this](const Request&, Response& response) {
    response.set_content(view.meshes(), "application/octet-stream");
  });
  http.Get("/api/column", [this](const Request& request, Response& response) {
    const Axis axis = Axis::parse(view, "observation:" + request.get_param_value("index"));
    response.set_content(view.column(axis.index), "application/octet-stream");
  });
  http.Get("/api/value", [this](const Request& request, Response& response) {
    const std::string goal = request.get_param_value("goal");
    if (goal.empty() || goal.size() > 9 || goal.find_first_not_of("0123456789") != std::string::npos)
      return refuse(response, 400, "goal is the number of a state");
    response.set_content(view.value(std::stoul(goal)), "application/octet-stream");
  });
  http.Post("/api/sessions", [this](const Request&, Response& response) {
    const std::string name = sessions.open();
    if (name.empty())
      return refuse(response, 503,
                    str("all ", sessions.params().most, " sessions are in use; close a page and try again"));
    answer(response, 200, {{"session", name}});
  });
  http.Get("/api/sessions/([0-9a-f]{32})/events", [this](auto& request, auto& response) { events(request, response); });
  http.Get("/api/sessions/([0-9a-f]{32})/picture",
           [this](auto& request, auto& response) { picture(request, response); });
  http.Get("/api/sessions/([0-9a-f]{32})", [this](auto& request, auto& response) { command(request, response); });
  http.Post("/api/sessions/([0-9a-f]{32})/([a-z]{1,16})",
            [this](auto& request, auto& response) { command(request, response); });
}

void Server::Impl::command(const Request& request, Response& response) {
  const auto session = sessions.find(request.matches[1]);
  if (!session) return refuse(response, 404, "this session has ended; reload the page");
  if (request.method == "GET") return answer(response, 200, session->state());
  const std::string name = request.matches[2];
  const json body = parse_body(request);
  if (name == "place") return answer(response, 200, session->place(body));
  if (name == "settings") return answer(response, 200, session->change(body));
  if (name == "play") return answer(response, 200, session->play(body));
  if (name == "pause") return answer(response, 200, session->pause());
  if (name == "step") return answer(response, 200, session->step());
  if (name == "restart") return answer(response, 200, session->restart());
  refuse(response, 404, "no command '" + name + "'");
}

void Server::Impl::picture(const Request& request, Response& response) {
  const auto session = sessions.find(request.matches[1]);
  if (!session) return refuse(response, 404, "this session has ended; reload the page");
  response.set_content(session->picture(), "image/png");
}

void Server::Impl::events(const Request& request, Response& response) {
  const auto session = sessions.find(request.matches[1]);
  if (!session) return refuse(response, 404, "this session has ended; reload the page");
  const auto queue = session->listen();
  response.set_chunked_content_provider(
      "text/event-stream",
      [queue](size_t, httplib::DataSink& sink) {
        const auto event = queue->pop(kPulse);
        if (!event && queue->closed()) {
          sink.done();
          return true;
        }
        // a comment now and then finds out whether the page is still there
        const std::string text = event.value_or(": still here\n\n");
        return sink.write(text.data(), text.size());
      },
      [queue](bool) { queue->close(); });
}

Server::Server(const ViewRun& view, int port) : impl_(std::make_unique<Impl>(view)) {
  httplib::Server& http = impl_->http;
  http.new_task_queue = [] { return new Workers; };
  http.set_tcp_nodelay(true);
  // a port that another program serves is taken: the default options would share it
  http.set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  impl_->guard();
  impl_->routes();
  if (port == 0)
    impl_->port = http.bind_to_any_port("127.0.0.1");
  else
    impl_->port = http.bind_to_port("127.0.0.1", port) ? port : -1;
  if (impl_->port <= 0)
    throw Error("port ", port, " of 127.0.0.1 can not be opened: another program uses it, or it needs other rights; ",
                "choose one with --port, or --port 0 for any free one");
}

Server::~Server() = default;

int Server::port() const { return impl_->port; }

void Server::run(const std::function<bool()>& over) {
  std::thread listening([this] { impl_->http.listen_after_bind(); });
  auto swept = std::chrono::steady_clock::now();
  while (!interrupted() && !(over && over())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (std::chrono::steady_clock::now() - swept < std::chrono::seconds(10)) continue;
    impl_->sessions.sweep();
    swept = std::chrono::steady_clock::now();
  }
  // open streams end first, then the server has nothing to wait for
  impl_->sessions.close();
  impl_->http.stop();
  listening.join();
}

}  // namespace alps::viewer
