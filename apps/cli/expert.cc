// alps expert train | measure: the policies that walk where they are told, which data making needs.
#include <filesystem>
#include <sstream>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/collect/expert_check.h"
#include "alps/collect/expert_training.h"
#include "alps/draw/chart.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct ExpertArgs {
  std::string body = "ant", out, expert;
  ExpertTrainingParams training;
  ExpertCheckOptions check;
  bool resume = false;
};

// the curve of a training: reward of a step over the steps, smoothed a little
void draw_curve(const std::string& out) {
  Series plane{.label = "on the plane", .x = {}, .y = {}}, maze{.label = "between walls", .x = {}, .y = {}};
  std::istringstream lines(read_text(out + ".csv"));
  std::string line;
  std::getline(lines, line);  // the names of the columns
  while (std::getline(lines, line)) {
    double step, on_plane, in_maze;
    if (std::sscanf(line.c_str(), "%lf,%lf,%lf", &step, &on_plane, &in_maze) != 3) continue;
    for (const auto& [series, value] : {std::pair(&plane, on_plane), {&maze, in_maze}}) {
      if (value == 0) continue;  // there was no such episode
      series->x.push_back(step);
      series->y.push_back(series->y.empty() ? value : 0.7 * series->y.back() + 0.3 * value);
    }
  }
  if (plane.x.empty() && maze.x.empty()) return;  // too short a training for a line
  draw_chart(
      out + ".svg", std::vector{plane, maze},
      {.title = "Training the expert",
       .caption =
           "With the policy's own noise, averages of the last few thousand steps; between walls it waits at goals.",
       .x_label = "steps",
       .y_label = "along the commanded direction, a step"});
}

void train(const ExpertArgs& args) {
  if (args.resume && fs::exists(args.out) && !fs::exists(args.out + ".checkpoint")) {
    if (fs::exists(args.out + ".csv")) draw_curve(args.out);
    std::printf("%s is trained already\n", args.out.c_str());
    return;
  }
  Progress progress("training the expert of " + args.body, "steps");
  train_expert(args.out, args.training, args.resume, [&](const ExpertProgress& p) {
    char note[128];
    std::snprintf(note, sizeof note, "speed %.3f plane %.3f maze, on its back %.0f %% %.0f %%, alpha %.4f",
                  p.speed_plane, p.speed_maze, 100 * p.back_plane, 100 * p.back_maze, p.sac.alpha);
    progress.update(static_cast<size_t>(p.step), static_cast<size_t>(p.total), note);
  });
  draw_curve(args.out);
  std::printf("%s, and its curve in %s.csv and .svg\n", args.out.c_str(), args.out.c_str());
}

void measure(const ExpertArgs& args) {
  const Expert expert = expert_for(args.body, args.expert);
  std::vector<ExpertFigures> figures;
  const auto watched = [](const std::string& where) {
    return [progress = std::make_shared<Progress>(where, "episodes")](size_t done, size_t total) {
      throw_if_interrupted();
      progress->update(done, total);
    };
  };
  figures.push_back(check_on_plane(expert, args.check, watched("plane")));
  for (const char* maze : {"medium", "large", "giant", "teleport"}) {
    const std::string env = str(args.body, "maze-", maze, "-v0");
    figures.push_back(check_in_maze(expert, env, args.check, watched(env)));
  }
  Table table({"where", ">episodes", ">reached", ">steps", ">speed", ">on its back", ">fell"});
  const auto fixed = [](const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  const auto share = [&](int count, int all) { return fixed("%.1f %%", 100.0 * count / all); };
  for (const ExpertFigures& f : figures) {
    const bool plane = f.where == "plane";
    table.add({f.where, str(f.episodes), plane ? "-" : share(f.reached, f.episodes),
               plane ? "-" : fixed("%.0f", f.steps), fixed("%.4f", f.speed), share(f.on_back, f.episodes),
               plane ? share(f.fell, f.episodes) : "-"});
  }
  table.print();
}

}  // namespace

void add_expert(CLI::App& app) {
  auto args = std::make_shared<ExpertArgs>();
  CLI::App* expert = app.add_subcommand("expert", "train or measure the walking policy that ant data are made with");
  expert->require_subcommand(1);

  CLI::App* train_verb = expert->add_subcommand("train", "train an expert by SAC to walk along commanded directions");
  train_verb->add_option("body", args->body, "ant")->required()->check(CLI::IsMember({"ant"}));
  train_verb->add_option("--out", args->out, "the weights, a safetensors file (default: BODY.safetensors)");
  train_verb->add_flag("--resume", args->resume, "go on from OUT.checkpoint");
  train_verb->add_option("--steps", args->training.steps, "steps of the environment, one update each")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32))
      ->capture_default_str();
  train_verb->add_option("--lr", args->training.sac.lr, "learning rate of all networks")->capture_default_str();
  train_verb
      ->add_option("--walls", args->training.walls,
                   "share of the episodes in a maze, where the expert learns to walk beside walls")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  train_verb->add_option("--seed", args->training.seed, "seed of everything random")->capture_default_str();
  train_verb->add_option("--threads", args->training.threads, "threads; 0: all cores")->capture_default_str();
  train_verb->callback([args] {
    if (args->out.empty()) args->out = args->body + ".safetensors";
    train(*args);
  });

  CLI::App* measure_verb = expert->add_subcommand("measure", "speed, falls, and how often it gets to random cells");
  measure_verb->add_option("body", args->body, "ant")->required()->check(CLI::IsMember({"ant"}));
  measure_verb->add_option("--expert", args->expert, "weights (default: those in experts/)");
  measure_verb->add_option("--episodes", args->check.episodes, "episodes on the plane, and in each maze")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  measure_verb
      ->add_option("--noise", args->check.noise, "standard deviation of the noise on actions, as data making adds it")
      ->capture_default_str();
  measure_verb->add_option("--seed", args->check.seed, "seed of everything random")->capture_default_str();
  measure_verb->add_option("--threads", args->check.threads, "threads; 0: all cores")->capture_default_str();
  measure_verb->callback([args] { measure(*args); });
}

}  // namespace alps::cli
