// alps train: from a data set to a run folder.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/run/training.h"
#include "alps/world/version.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::isfinite(value) ? text : "-";
}

void print_report(const TrainReport& report, const fs::path& run, bool eigenvalues) {
  Table table({"part", ">steps", ">seconds", ">ms/step", ">sampling", ">loss", ">validation"});
  for (const PartReport& part : report.parts) {
    if (part.reused) {
      table.add({part.part, "kept", "", "", "", "", ""});
      continue;
    }
    table.add({part.part, with_commas(part.steps), figure(part.seconds + part.finish_seconds),
               figure(1e3 * part.seconds / static_cast<double>(part.steps)), figure(100 * part.sampling_share) + " %",
               figure(part.training_loss), figure(part.validation_loss)});
  }
  table.print();
  if (eigenvalues && !report.eigenvalues.empty()) {
    std::string used = "eigenvalues  ", duals = "  from duals ";
    for (size_t i = 0; i < std::min<size_t>(8, report.eigenvalues.size()); ++i) {
      used += " " + figure(report.eigenvalues[i]);
      duals += " " + figure(report.eigenvalues_duals[i]);
    }
    std::printf("%s ...\n", used.c_str());
    if (report.eigenvalues_duals != report.eigenvalues) std::printf("%s ...\n", duals.c_str());
  }
  std::printf("%s: the run is ready\n", run.c_str());
}

void run_training(TrainRequest request) {
  TrainOptions& options = request.options;
  options.versions = {{"alps", ALPS_VERSION}, {"mujoco", mujoco_version()}};
  options.stop = interrupted;
  std::unique_ptr<Progress> bar;
  std::string shown;
  options.say = [&](const std::string& line) {
    bar.reset();
    shown.clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  options.progress = [&](const std::string& part, int64_t step, int64_t steps, const std::string& note) {
    if (part != shown) {
      bar = std::make_unique<Progress>(part, "steps");
      shown = part;
    }
    bar->update(step, steps, note);
  };
  const TrainedRun trained = train_run(request);
  bar.reset();
  print_report(trained.report, trained.folder, trained.config.method == "allo");
}

// what each preset sets, for --help
std::string preset_table() {
  const auto fast = config_fields(preset_config("fast", "", false)),
             paper = config_fields(preset_config("paper", "", false));
  std::string text =
      "Settings (--set key=value), as the presets give them for states; gamma is 0.2 for maze2d, cube,\n"
      "scene and puzzle; model_horizon is 3 for maze2d; images: see docs/training.md\n";
  char line[200];
  std::snprintf(line, sizeof line, "  %-22s %10s %10s  %s\n", "key", "fast", "paper", "");
  text += line;
  for (size_t i = 0; i < fast.size(); ++i) {
    std::snprintf(line, sizeof line, "  %-22s %10s %10s  %s\n", fast[i].key.c_str(), fast[i].value.c_str(),
                  paper[i].value.c_str(), fast[i].help.c_str());
    text += line;
  }
  return text + "\nCtrl-C saves a checkpoint; --resume goes on from it to the same weights as an uninterrupted run.";
}

}  // namespace

void add_train(CLI::App& app) {
  auto args = std::make_shared<TrainRequest>();
  TrainOptions& options = args->options;
  CLI::App* train = app.add_subcommand("train", "learn representation, forward model and prior from a data set");
  train->add_option("name", args->data, "data set: an OGBench name, or a file.npz")->required()->type_name("NAME|FILE");
  train->add_option("--preset", args->preset, "fast (default): minutes; paper: the paper's table, days")
      ->check(CLI::IsMember({"fast", "paper"}));
  train->add_option("--method", args->method, "of the representation: allo (default), or pclast for comparison")
      ->check(CLI::IsMember({"allo", "pclast"}));
  train->add_option("--out", args->out, "run folder (default runs/NAME-sSEED)")->type_name("RUN");
  train->add_option("--seed", args->seed, "of weights and batches (default 0)");
  train->add_flag("--resume", options.resume, "go on with the run in the folder; parts already trained are kept");
  train->add_option("--only", options.only, "train this part (anew), keep the others")
      ->check(CLI::IsMember(part_names()));
  train->add_option("--device", args->device, "auto (default), cpu, cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  train
      ->add_option("--precision", args->precision,
                   "fp32, bf16 (with fp32 weights), auto (default): bf16 where the processor has it")
      ->check(CLI::IsMember({"auto", "fp32", "bf16"}));
  train->add_option("--threads", args->threads, "0 (default): all cores")->check(CLI::Range(0, 1024));
  train->add_flag("--tensorboard", options.tensorboard, "write events to RUN/tensorboard too");
  train->add_option("--set", args->set, "override a setting below; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  train->add_option("--data_dir", args->data_dir, "where data sets are (default ~/.ogbench/data)");
  train->footer(preset_table());
  train->callback([=] { run_training(*args); });
}

}  // namespace alps::cli
