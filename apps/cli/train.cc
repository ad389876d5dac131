// alps train: from a data set to a run folder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "alps/base/interrupt.h"
#include "alps/base/progress.h"
#include "alps/nn/model.h"
#include "alps/run/learn_library.h"
#include "alps/run/profiles.h"
#include "alps/run/training.h"
#include "alps/world/version.h"
#include "cli/table.h"
#include "cli/verbs.h"

namespace alps::cli {
namespace {

std::string figure(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return std::isfinite(value) ? text : "-";
}

void print_report(const TrainedRun& trained) {
  Table table({"part", ">steps", ">seconds", ">ms/step", ">sampling", ">loss", ">validation"});
  for (const PartReport& part : trained.report.parts) {
    if (part.reused) {
      table.add({part.part, "kept", "", "", "", "", ""});
      continue;
    }
    table.add({part.part, with_commas(part.steps), figure(part.seconds + part.finish_seconds),
               figure(1e3 * part.seconds / static_cast<double>(part.steps)), figure(100 * part.sampling_share) + " %",
               figure(part.training_loss), figure(part.validation_loss)});
  }
  table.print();
  const Model model = load_model(trained.folder);
  const bool laplacian = std::ranges::any_of(model.eigenvalues, [](float value) { return value != 1; });
  if (laplacian) {
    std::string used = "eigenvalues  ", duals = "  from duals ";
    for (size_t i = 0; i < std::min<size_t>(8, model.eigenvalues.size()); ++i) {
      used += " " + figure(model.eigenvalues[i]);
      duals += " " + figure(model.eigenvalues_duals[i]);
    }
    std::printf("%s ...\n", used.c_str());
    if (model.eigenvalues_duals != model.eigenvalues) std::printf("%s ...\n", duals.c_str());
  }
  std::printf("%s: the run is ready\n", trained.folder.c_str());
}

// This process is ours: memory for batches, which come and go at every step, is kept instead of being cleared each
// time, and torch's threads spin for a moment before they sleep. Threads that spin for long bring training to a crawl
// where other programs share the cores; threads that sleep at once take up to four times as long on quiet ones.
void prepare_process() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
  setenv("GOMP_SPINCOUNT", "100000", 0);
}

struct TrainArgs : TrainRequest {
  bool explain = false;
};

void run_training(TrainArgs args) {
  prepare_process();
  if (args.explain) {
    const RunConfig config = explain_run(args);
    std::printf("%s", explain(config.profile, config.survey).c_str());
    return;
  }
  args.versions = {{"alps", ALPS_VERSION}, {"mujoco", mujoco_version()}};
  args.stop = interrupted;
  std::unique_ptr<Progress> bar;
  std::string shown;
  args.say = [&](const std::string& line) {
    bar.reset();
    shown.clear();
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  args.progress = [&](const std::string& part, int64_t step, int64_t steps, const std::string& note) {
    if (part != shown) {
      bar = std::make_unique<Progress>(part, "steps");
      shown = part;
    }
    bar->update(step, steps, note);
  };
  const TrainedRun trained = train_run(args);
  bar.reset();
  print_report(trained);
}

// every setting of every method, for --help
std::string settings_text() {
  std::string text =
      "Settings (--set key=value). The values shown are those of preset fast for an ant. Many follow from the data:\n"
      "alps train NAME --explain shows the values for yours, and why.\n";
  std::set<std::string> told;
  for (const MethodInfo& method : learn_library().methods()) {
    const Profile all = typical_profile(method.name, "fast");
    text += str("\nmethod ", method.name, ": ", method.summary, "\n");
    text += settings_help(all, told);
    for (const Setting& s : all.settings()) told.insert(s.key);
  }
  return text + "\nCtrl-C saves a checkpoint; --resume goes on from it to the same weights as an uninterrupted run.";
}

}  // namespace

void add_train(CLI::App& app) {
  auto args = std::make_shared<TrainArgs>();
  CLI::App* train = app.add_subcommand("train", "learn from a data set: representation, forward model and prior");
  train->add_option("name", args->data, "data set: an OGBench name, a file.npz, or a folder of them")
      ->required()
      ->type_name("NAME|FILE|FOLDER");
  train
      ->add_option("--preset", args->preset,
                   "fast (default): settings measured from the data, minutes; paper: the paper's settings, days")
      ->check(CLI::IsMember({"fast", "paper"}));
  train
      ->add_option("--method", args->method,
                   "what to train: alps (default), or for comparison pclast, gcbc, gcivl, gciql, qrl, crl, hiql, saw, "
                   "hilp or gas; see below")
      ->type_name("NAME");
  train->add_option("--out", args->out, "run folder (default runs/NAME-sSEED)")->type_name("RUN");
  train->add_option("--seed", args->seed, "seed of weights and batches (default 0); another one for a repetition");
  train->add_flag("--explain", args->explain, "print every setting, where it comes from and why; train nothing");
  train->add_flag("--resume", args->resume,
                  "go on with the run in the folder after an interruption; parts already trained are kept");
  train->add_flag("--overwrite", args->overwrite, "delete the run in the folder and train anew");
  train
      ->add_option("--only", args->only,
                   "train this part anew and keep the others: representation, model, prior; of gcbc: actor, "
                   "of hilp and gas: distance, agent; of other baselines: agent")
      ->type_name("PART");
  train->add_option("--device", args->device, "where to compute; auto (default): cuda where there is a GPU, else cpu")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
  train
      ->add_option(
          "--precision", args->precision,
          "number format of products (weights stay fp32); auto (default): bf16 where the processor has it, else fp32")
      ->check(CLI::IsMember({"auto", "fp32", "bf16"}));
  train->add_option("--threads", args->threads, "threads to train with; 0 (default): all cores")
      ->check(CLI::Range(0, 1024));
  train
      ->add_option(
          "--minutes", args->minutes,
          "train no longer than about this, if more would pay (default: as long as it pays); a run that was cut "
          "short differs from machine to machine")
      ->check(CLI::Range(0.01, 1e6));
  train->add_flag("--tensorboard", args->tensorboard, "write losses to RUN/tensorboard too");
  train->add_option("--set", args->set, "change a setting listed below; may be given several times")
      ->type_name("KEY=VALUE");
  train
      ->add_option_function<std::string>(
          "--factors", [args](const std::string& text) { args->set.push_back("factors=" + text); },
          "columns of things that rest while others move, such as 19-21/28-30, or none; short for --set factors= "
          "(default: found from the data)")
      ->type_name("COLUMNS");
  train->add_option("--data_dir", args->data_dir, "folder of the data sets (default ~/.ogbench/data)");
  train->footer([] { return settings_text(); });
  train->callback([=] { run_training(*args); });
}

}  // namespace alps::cli
