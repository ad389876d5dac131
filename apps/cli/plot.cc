// alps plot: pictures, a report of one page and, if asked for, films of a run (src/alps/show).
#include "alps/show/film.h"
#include "alps/show/run_report.h"
#include "alps/world/catalog.h"
#include "cli/run.h"

namespace alps::cli {
namespace {

struct PlotArgs {
  std::string run;
  int video = 0;
  EvalParams eval;
  PolicyChoice policy;
};

void film(const PlotArgs& args) {
  const Run run = open_run(args.run);
  const std::unique_ptr<Env> env = make_env(run.env_name());
  Film(run, *env, args.policy.variant, planner_settings(run, args.policy), args.eval, args.video).shoot();
}

}  // namespace

void add_plot(CLI::App& app) {
  auto args = std::make_shared<PlotArgs>();
  CLI::App* verb =
      app.add_subcommand("plot", "pictures of a run (RUN/plots) and a report of one page (RUN/report.html)");
  verb->add_option("run", args->run, "run folder")->required()->type_name("RUN");
  CLI::Option* video = verb->add_option("--video", args->video,
                                        "also film this many episodes of each task: RUN/map.mp4 from above, "
                                        "RUN/video.mp4 rendered by MuJoCo; nothing is added to eval.csv")
                           ->type_name("N")
                           ->check(CLI::Range(1, 8));
  verb->add_option("--tasks", args->eval.tasks, "tasks to film, for example 1,3 (default: all)")
      ->delimiter(',')
      ->needs(video);
  verb->add_option("--seed", args->eval.seed, "seed of starts, goals and search in the films")->needs(video);
  verb->add_option("--variant", args->policy.variant, "variant of the planner to film, see alps eval --help")
      ->needs(video);
  verb->callback([=] {
    if (args->video > 0) film(*args);
    std::printf("%s\n", write_run_report(args->run).c_str());
  });
}

}  // namespace alps::cli
