// alps train: from a data set to a run folder. Torch takes a third of a second to load, so it lives in a library of its
// own that is opened here, when training really starts.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "alps/base/interrupt.h"
#include "alps/base/npz.h"
#include "alps/base/progress.h"
#include "alps/data/dataset.h"
#include "alps/learn/run_config.h"
#include "alps/learn/trainer.h"
#include "alps/world/version.h"
#include "cli/run.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace fs = std::filesystem;

namespace alps::cli {
namespace {

struct TrainArgs {
  std::string name, data_dir, out, preset, method;
  std::vector<std::string> set;
  TrainOptions options;
  bool seed_given = false, device_given = false, precision_given = false, threads_given = false;
};

using TrainEntry = void (*)(const TrainOptions&, TrainReport&);

// the library stands beside the program
TrainEntry load_trainer() {
  // Threads that spin for long while they wait bring training to a crawl when other programs share the cores; threads
  // that sleep at once take up to four times as long on quiet ones. So: spin for a moment, then sleep.
  setenv("GOMP_SPINCOUNT", "100000", 0);
  const fs::path library = fs::read_symlink("/proc/self/exe").parent_path() / "libalps_learn.so";
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  if (handle == nullptr) throw Error("cannot load the training library: ", dlerror());
  void* entry = dlsym(handle, "alps_train");
  if (entry == nullptr) throw Error(library.string(), ": has no alps_train; build alps again");
  return reinterpret_cast<TrainEntry>(entry);
}

// "a run goes on with what it was started with": settings that differ are refused, not mixed
void take_over(TrainArgs& args, const RunConfig& before, bool same_training) {
  TrainOptions& options = args.options;
  TrainConfig wanted = before.train;
  for (const std::string& assignment : args.set) set_field(wanted, assignment);
  const auto old_fields = config_fields(before.train), new_fields = config_fields(wanted);
  for (size_t i = 0; same_training && i < old_fields.size(); ++i)
    if (old_fields[i].value != new_fields[i].value && shapes_training(old_fields[i].key))
      throw UsageError("--set ", old_fields[i].key, "=", new_fields[i].value, ": the run was started with ",
                       old_fields[i].value, "; start another one with --out");
  if (!args.preset.empty() && args.preset != before.train.preset)
    throw UsageError("--preset ", args.preset, ": the run was started with ", before.train.preset,
                     "; start another one with --out");
  if (!args.method.empty() && args.method != before.train.method)
    throw UsageError("--method ", args.method, ": the run was started with ", before.train.method,
                     "; start another one with --out");
  if (args.seed_given && options.seed != before.seed && same_training)
    throw UsageError("--seed ", options.seed, ": the run was started with ", before.seed,
                     "; start another one with --out");
  options.config = wanted;
  if (!args.seed_given) options.seed = before.seed;
  if (!args.device_given) options.device = before.device;
  if (!args.precision_given) options.precision = before.precision;
  if (!args.threads_given) options.threads = before.threads;
}

void settle(TrainArgs& args) {
  TrainOptions& options = args.options;
  options.data = dataset_path(args.name, args.data_dir);
  if (!fs::exists(options.data))
    throw Error(options.data.string(), ": no such file; make it with: alps data make ", options.data.stem().string());
  const std::string name = options.data.stem().string();
  options.run = args.out.empty() ? fs::path("runs") / str(name, "-s", options.seed) : fs::path(args.out);

  if (has_run(options.run)) {
    if (!options.resume && options.only.empty())
      throw UsageError(
          options.run.string(),
          " holds a run already; go on with it (--resume), train one part anew (--only), or choose another --out");
    return take_over(args, load_run_config(options.run), options.resume);
  }
  const bool image = NpzReader(options.data).info("observations").dtype == DType::kUInt8;
  options.config = preset_config(args.preset.empty() ? "fast" : args.preset, name, image,
                                 args.method.empty() ? "allo" : args.method);
  for (const std::string& assignment : args.set) set_field(options.config, assignment);
}

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

void run_training(TrainArgs& args) {
  settle(args);
  TrainOptions& options = args.options;
  options.versions = {{"alps", ALPS_VERSION}, {"mujoco", mujoco_version()}};
  options.stop = interrupted;
  options.say = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  std::unique_ptr<Progress> bar;
  std::string shown;
  options.progress = [&](const std::string& part, int64_t step, int64_t steps, const std::string& note) {
    if (part != shown) {
      bar = std::make_unique<Progress>(part, "steps");
      shown = part;
    }
    bar->update(step, steps, note);
  };
  // regions belong to one representation
  if (options.only == "representation") fs::remove(options.run / "graph.npz");
  TrainReport report;
  load_trainer()(options, report);
  bar.reset();
  if (!report.eigenvalues.empty() && !fs::exists(options.run / "graph.npz")) {
    options.say("cutting the map into regions");
    rebuild_graph(options.run, load_run_config(options.run), load_model(options.run), {.threads = options.threads});
  }
  print_report(report, options.run, options.config.method == "allo");
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
  auto args = std::make_shared<TrainArgs>();
  TrainOptions& options = args->options;
  CLI::App* train = app.add_subcommand("train", "learn representation, forward model and prior from a data set");
  train->add_option("name", args->name, "data set: an OGBench name, or a file.npz")->required()->type_name("NAME|FILE");
  train->add_option("--preset", args->preset, "fast (default): minutes; paper: the paper's table, days")
      ->check(CLI::IsMember({"fast", "paper"}));
  train->add_option("--method", args->method, "of the representation: allo (default), or pclast for comparison")
      ->check(CLI::IsMember({"allo", "pclast"}));
  train->add_option("--out", args->out, "run folder (default runs/NAME-sSEED)")->type_name("RUN");
  CLI::Option* seed = train->add_option("--seed", options.seed, "of weights and batches (default 0)");
  train->add_flag("--resume", options.resume, "go on with the run in the folder; parts already trained are kept");
  train->add_option("--only", options.only, "train this part (anew), keep the others")
      ->check(CLI::IsMember(part_names()));
  CLI::Option* device = train->add_option("--device", options.device, "auto (default), cpu, cuda")
                            ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  CLI::Option* precision = train->add_option("--precision", options.precision, "fp32 (default), bf16")
                               ->check(CLI::IsMember({"fp32", "bf16"}));
  CLI::Option* threads =
      train->add_option("--threads", options.threads, "0 (default): all cores")->check(CLI::Range(0, 1024));
  train->add_flag("--tensorboard", options.tensorboard, "write events to RUN/tensorboard too");
  train->add_option("--set", args->set, "override a setting below; may be given several times")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  train->add_option("--data_dir", args->data_dir, "where data sets are (default ~/.ogbench/data)");
  train->footer(preset_table());
  train->callback([=] {
    args->seed_given = seed->count() > 0;
    args->device_given = device->count() > 0;
    args->precision_given = precision->count() > 0;
    args->threads_given = threads->count() > 0;
    run_training(*args);
  });
}

}  // namespace alps::cli
