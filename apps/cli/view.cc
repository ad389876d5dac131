// alps view: a page on this machine where one clicks a start and a goal and watches the planner think. The Python
// package starts it too, with a socket to its own process, which may have an environment to act in.
#include <cstdio>

#include "cli/run.h"
#include "cli/verbs.h"
#include "guest/guest_env.h"
#include "viewer/server.h"

namespace alps::cli {

void add_view(CLI::App& app) {
  struct Args {
    std::string run;
    int port = 8000;
    int guest = -1;
    PlannerArgs planner;
  };
  auto args = std::make_shared<Args>();
  CLI::App* verb =
      app.add_subcommand("view", "a page in the browser: click a start and a goal, watch the planner decide");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  verb->add_option("--port", args->port, "port on 127.0.0.1; 0: any free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  verb->add_option("--guest", args->guest, "socket of the Python process that called us")->group("");
  args->planner.add_to(*verb);
  verb->callback([=] {
    const auto guest = args->guest >= 0 ? std::make_shared<guest::Guest>(args->guest) : nullptr;
    std::fprintf(stderr, "reading %s and its data\n", args->run.c_str());
    viewer::ViewRun view = viewer::open_view(args->run, guest);
    // what makes no sense is told before anybody opens the page
    const PlannerSettings settings = args->planner.resolve(view.run);
    if (view.plans()) variant_named(args->planner.variant);
    // without a prior, the page begins with the parts that are there
    if (view.plans() && view.run.model->prior.empty() && args->planner.variant == "alps")
      args->planner.variant = "dijkstra+cem";
    make_policy(view.run, args->planner.variant, settings);
    view.choice = args->planner;
    if (args->planner.budget_ms > 0) view.choice.set.push_back("budget_ms=" + number_text(args->planner.budget_ms));
    viewer::Server server(view, args->port);
    std::printf("open http://127.0.0.1:%d/   (Ctrl-C stops)\n", server.port());
    std::fflush(stdout);
    server.run([&] { return guest && guest->gone(); });
    std::fprintf(stderr, "stopped\n");
  });
}

}  // namespace alps::cli
