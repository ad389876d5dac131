// alps view: a page on this machine where one clicks a start and a goal and watches the planner think.
#include <cstdio>

#include "cli/verbs.h"
#include "viewer/server.h"

namespace alps::cli {

void add_view(CLI::App& app) {
  struct Args {
    std::string run;
    int port = 8000;
  };
  auto args = std::make_shared<Args>();
  CLI::App* verb =
      app.add_subcommand("view", "a page in the browser: click a start and a goal, watch the planner decide");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  verb->add_option("--port", args->port, "port on 127.0.0.1; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->callback([=] {
    std::fprintf(stderr, "reading %s and its data\n", args->run.c_str());
    const viewer::ViewRun view = viewer::open_view(args->run);
    viewer::Server server(view, args->port);
    std::printf("open http://127.0.0.1:%d/   (Ctrl-C stops)\n", server.port());
    std::fflush(stdout);
    server.run();
    std::fprintf(stderr, "stopped\n");
  });
}

}  // namespace alps::cli
