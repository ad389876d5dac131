#include "alps/run/training.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "alps/base/names.h"
#include "alps/base/npz.h"
#include "alps/base/own_folder.h"
#include "alps/data/dataset.h"
#include "alps/learn/run_config.h"
#include "alps/run/run.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

using TrainEntry = void (*)(const TrainOptions&, TrainReport&);

TrainEntry load_trainer() {
  // Threads that spin for long while they wait bring training to a crawl when other programs share the cores; threads
  // that sleep at once take up to four times as long on quiet ones. So: spin for a moment, then sleep.
  setenv("GOMP_SPINCOUNT", "100000", 0);
  const fs::path library = own_folder() / "libalps_learn.so";
  void* handle = dlopen(library.c_str(), RTLD_NOW);
  if (handle == nullptr) throw Error("cannot load the training library: ", dlerror());
  void* entry = dlsym(handle, "alps_train");
  if (entry == nullptr) throw Error(library.string(), ": has no alps_train; build alps again");
  return reinterpret_cast<TrainEntry>(entry);
}

// "a run goes on with what it was started with": settings that differ are refused, not mixed
void take_over(TrainRequest& request, const RunConfig& before) {
  TrainOptions& options = request.options;
  const bool same_training = options.resume;
  auto refuse = [](const auto&... words) { throw UsageError(words..., "; start another one with --out"); };
  TrainConfig wanted = before.train;
  for (const std::string& assignment : request.set) set_field(wanted, assignment);
  const auto old_fields = config_fields(before.train), new_fields = config_fields(wanted);
  for (size_t i = 0; same_training && i < old_fields.size(); ++i)
    if (old_fields[i].value != new_fields[i].value && shapes_training(old_fields[i].key))
      refuse("--set ", old_fields[i].key, "=", new_fields[i].value, ": the run was started with ", old_fields[i].value);
  if (!request.preset.empty() && request.preset != before.train.preset)
    refuse("--preset ", request.preset, ": the run was started with ", before.train.preset);
  if (!request.method.empty() && request.method != before.train.method)
    refuse("--method ", request.method, ": the run was started with ", before.train.method);
  if (request.seed && *request.seed != before.seed && same_training)
    refuse("--seed ", *request.seed, ": the run was started with ", before.seed);
  options.config = wanted;
  options.seed = request.seed.value_or(before.seed);
  options.device = request.device.value_or(before.device);
  options.precision = request.precision.value_or(before.precision);
  options.threads = request.threads.value_or(before.threads);
}

// words that users choose among
void check_choice(const char* flag, const std::string& word, const std::vector<std::string>& choices) {
  if (word.empty() || std::find(choices.begin(), choices.end(), word) != choices.end()) return;
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  throw UsageError(flag, " ", word, ": there is no such choice", nearest_hint(word, choices), "; there are ", list);
}

// fills in request.options
void settle(TrainRequest& request) {
  TrainOptions& options = request.options;
  check_choice("--preset", request.preset, {"fast", "paper"});
  check_choice("--method", request.method, {"allo", "pclast"});
  check_choice("--only", options.only, part_names());
  check_choice("--device", request.device.value_or(""), {"auto", "cpu", "cuda"});
  check_choice("--precision", request.precision.value_or(""), {"auto", "fp32", "bf16"});
  options.data = dataset_path(request.data, request.data_dir);
  if (!fs::exists(options.data))
    throw Error(options.data.string(), ": no such file; make it with: alps data make ", options.data.stem().string());
  const std::string name = options.data.stem().string();
  options.seed = request.seed.value_or(options.seed);
  options.device = request.device.value_or(options.device);
  options.precision = request.precision.value_or(options.precision);
  options.threads = request.threads.value_or(options.threads);
  options.run = request.out.empty() ? fs::path("runs") / str(name, "-s", options.seed) : fs::path(request.out);

  if (has_run(options.run)) {
    if (!options.resume && options.only.empty())
      throw UsageError(
          options.run.string(),
          " holds a run already; go on with it (--resume), train one part anew (--only), or choose another --out");
    return take_over(request, load_run_config(options.run));
  }
  const bool image = NpzReader(options.data).info("observations").dtype == DType::kUInt8;
  options.config = preset_config(request.preset.empty() ? "fast" : request.preset, name, image,
                                 request.method.empty() ? "allo" : request.method);
  for (const std::string& assignment : request.set) set_field(options.config, assignment);
}

}  // namespace

TrainedRun train_run(TrainRequest request) {
  settle(request);
  const TrainOptions& options = request.options;
  // regions belong to one representation
  if (options.only == "representation") fs::remove(options.run / "graph.npz");
  TrainedRun trained{.folder = options.run, .config = options.config, .report = {}};
  load_trainer()(options, trained.report);
  if (!trained.report.eigenvalues.empty() && !fs::exists(options.run / "graph.npz")) {
    if (options.say) options.say("cutting the map into regions");
    rebuild_graph(options.run, load_run_config(options.run), load_model(options.run), {.threads = options.threads});
  }
  return trained;
}

}  // namespace alps
