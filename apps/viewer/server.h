// The server of the page: HTTP on loopback only. Serves the embedded page, what there is to know of the run, and the
// sessions; refuses hosts and origins that are not this machine's, large bodies and unknown paths.
//   GET  /                               the page and its files
//   GET  /api/run, /api/samples, /api/column?index=3
//   POST /api/sessions                   a new session: its name
//   GET  /api/sessions/NAME              its state;  /events: the same, and then what happens (server-sent events);
//                                        /picture: of an environment that can be drawn, as it is now (PNG)
//   POST /api/sessions/NAME/COMMAND      place, settings, play, pause, step, restart; answered by the state
#pragma once

#include <functional>
#include <memory>

#include "viewer/view_run.h"

namespace alps::viewer {

class Server {
 public:
  Server(const ViewRun& view, int port);  // 0: any free one; Error when it is taken
  ~Server();
  int port() const;
  // until interrupted, or until `over`, which is asked now and then
  void run(const std::function<bool()>& over = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace alps::viewer
