// alps expert train | measure: the policies that walk where they are told, which data making needs.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/collect/expert_body.h"
#include "alps/collect/expert_check.h"
#include "alps/draw/chart.h"
#include "alps/show/expert_film.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct ExpertArgs {
  std::string body, out, expert;
  ExpertSettings training;
  ExpertCheckOptions check;
  ExpertFilmOptions film;
  std::string maze = "medium";
  bool resume = false;
};

std::vector<std::string> body_names() {
  std::vector<std::string> names;
  for (const ExpertBody& body : expert_bodies()) names.emplace_back(body.name);
  return names;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> list;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) list.push_back(cell);
  return list;
}

// the curve of a training over its steps, smoothed a little
void draw_curve(const ExpertBody& body, const std::string& out) {
  const std::string file = out + std::string(body.curve);
  if (!fs::exists(file)) return;
  std::istringstream lines(read_text(file));
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells(line);
  std::vector<Series> series;
  for (const CurveLine& l : body.lines) series.push_back({.label = l.label, .x = {}, .y = {}});
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = cells(line);
    if (values.size() != names.size()) continue;
    for (size_t k = 0; k < series.size(); ++k) {
      const auto column = std::ranges::find(names, body.lines[k].column) - names.begin();
      const double value = std::atof(values[static_cast<size_t>(column)].c_str());
      if (value == 0) continue;  // there was no such episode
      series[k].x.push_back(std::atof(values[0].c_str()));
      series[k].y.push_back(series[k].y.empty() ? value : 0.7 * series[k].y.back() + 0.3 * value);
    }
  }
  std::erase_if(series, [](const Series& s) { return s.x.empty(); });
  if (series.empty()) return;  // too short a training for a line
  draw_chart(out + ".svg", series,
             {.title = "Training the expert",
              .caption = std::string(body.curve_caption),
              .x_label = "steps",
              .y_label = std::string(body.curve_label)});
}

void train(const ExpertArgs& args) {
  const ExpertBody& body = expert_body(args.body);
  if (args.resume && fs::exists(args.out) && !fs::exists(args.out + ".checkpoint")) {
    draw_curve(body, args.out);
    std::printf("%s is trained already\n", args.out.c_str());
    return;
  }
  Progress progress("training the expert of " + args.body, "steps");
  body.train(args.out, args.training, args.resume, [&](int64_t step, int64_t total, const std::string& note) {
    progress.update(static_cast<size_t>(step), static_cast<size_t>(total), note.c_str());
  });
  draw_curve(body, args.out);
  std::printf("%s, and its curve in %s%s and %s.svg\n", args.out.c_str(), args.out.c_str(),
              std::string(body.curve).c_str(), args.out.c_str());
}

void measure(const ExpertArgs& args) {
  const ExpertBody& body = expert_body(args.body);
  const Expert expert = expert_for(args.body, args.expert);
  std::vector<ExpertFigures> figures;
  const auto watched = [](const std::string& where) {
    return [progress = std::make_shared<Progress>(where, "episodes")](size_t done, size_t total) {
      throw_if_interrupted();
      progress->update(done, total);
    };
  };
  if (body.plane != nullptr) figures.push_back(check_on_plane(body, expert, args.check, watched("plane")));
  for (const char* maze : {"medium", "large", "giant", "teleport"}) {
    const std::string env = str(args.body, "maze-", maze, "-v0");
    figures.push_back(check_in_maze(body, expert, env, args.check, watched(env)));
  }
  Table table({"where", ">episodes", ">reached", ">steps", ">speed", ">m/s", str(">", body.down_words), ">ended",
               ">up in 150", ">falls/2,000", ">up again"});
  const auto fixed = [](const char* format, double value) {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  const auto share = [&](int64_t count, int64_t all) {
    return all > 0 ? fixed("%.1f %%", 100.0 * static_cast<double>(count) / static_cast<double>(all)) : std::string("-");
  };
  for (const ExpertFigures& f : figures) {
    const bool plane = f.where == "plane";
    table.add({f.where, str(f.episodes), plane ? "-" : share(f.reached, f.episodes),
               plane ? "-" : fixed("%.0f", f.steps), fixed("%.4f", f.speed), fixed("%.2f", f.metres),
               share(f.down, f.episodes), plane ? share(f.ended, f.episodes) : "-", share(f.up_soon, f.episodes),
               fixed("%.2f", f.falls_in_2000()), share(f.up_again, f.falls)});
  }
  table.print();
}

void film(const ExpertArgs& args) {
  const ExpertBody& body = expert_body(args.body);
  const std::string env = str(args.body, "maze-", args.maze, "-v0");
  Progress progress("filming", "steps");
  film_expert(body, expert_for(args.body, args.expert), env, args.out, args.film, [&](size_t done, size_t total) {
    throw_if_interrupted();
    progress.update(done, total);
  });
  std::printf("%s\n", args.out.c_str());
}

}  // namespace

void add_expert(CLI::App& app) {
  auto args = std::make_shared<ExpertArgs>();
  CLI::App* expert = app.add_subcommand("expert", "train or measure the walking policies that data are made with");
  expert->require_subcommand(1);

  CLI::App* train_verb = expert->add_subcommand("train", "train an expert to walk along commanded directions");
  train_verb
      ->add_option("body", args->body,
                   "the body: ant (by SAC) or humanoid (a planner, two teachers by PPO, a student by DAgger)")
      ->required()
      ->check(CLI::IsMember(body_names()));
  train_verb->add_option("--out", args->out, "the weights, a safetensors file (default: BODY.safetensors)");
  train_verb->add_flag("--resume", args->resume, "go on from the checkpoint beside OUT");
  train_verb
      ->add_option(
          "--steps", args->training.steps,
          "steps of the environment (default: 400,000 for the ant; for the humanoid 5, 12 and 6 million of its "
          "three parts)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32));
  train_verb
      ->add_option("--checkpoint_every", args->training.checkpoint_every,
                   "steps between two checkpoints, from which a training that was killed goes on (default: 20,000 for "
                   "the ant, 384,000 for the humanoid)")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 32));
  train_verb->add_option("--lr", args->training.lr,
                         "learning rate of all networks (default: 3e-4 for the ant, 1e-3 at most for the humanoid)");
  train_verb
      ->add_option("--walls", args->training.walls,
                   "share of the episodes in a maze, where the ant learns to walk beside walls (default: 0.5)")
      ->check(CLI::Range(0.0, 1.0));
  train_verb->add_option("--from", args->training.from,
                         "weights that the humanoid's student begins with, for example those in experts/, instead of "
                         "random ones");
  train_verb->add_option("--seed", args->training.seed, "seed of everything random")->capture_default_str();
  train_verb->add_option("--threads", args->training.threads, "threads; 0: all cores")->capture_default_str();
  train_verb->callback([args] {
    if (args->out.empty()) args->out = args->body + ".safetensors";
    train(*args);
  });

  CLI::App* measure_verb = expert->add_subcommand("measure", "speed, falls, and how often it gets to random cells");
  measure_verb->add_option("body", args->body, "ant or humanoid")->required()->check(CLI::IsMember(body_names()));
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

  CLI::App* film_verb = expert->add_subcommand("film", "film an expert on its way through a maze");
  film_verb->add_option("body", args->body, "ant or humanoid")->required()->check(CLI::IsMember(body_names()));
  film_verb->add_option("--out", args->out, "the film, an .mp4 file (default: BODY.mp4)");
  film_verb->add_option("--expert", args->expert, "weights (default: those in experts/)");
  film_verb->add_option("--maze", args->maze, "medium, large, giant or teleport")
      ->check(CLI::IsMember({"medium", "large", "giant", "teleport"}))
      ->capture_default_str();
  film_verb->add_option("--seconds", args->film.seconds, "length of the film")
      ->check(CLI::Range(0.1, 600.0))
      ->capture_default_str();
  film_verb->add_option("--noise", args->film.noise, "standard deviation of the noise on actions")
      ->capture_default_str();
  film_verb->add_option("--width", args->film.width, "pixels across")
      ->check(CLI::Range(16, 4096))
      ->capture_default_str();
  film_verb->add_option("--seed", args->film.seed, "seed of everything random")->capture_default_str();
  film_verb->callback([args] {
    if (args->out.empty()) args->out = args->body + ".mp4";
    film(*args);
  });
}

}  // namespace alps::cli
