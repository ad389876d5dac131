#include "alps/run/training.h"

#include <algorithm>

#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/names.h"
#include "alps/base/shell_quoted.h"
#include "alps/base/threads.h"
#include "alps/collect/recipe.h"
#include "alps/data/cuts.h"
#include "alps/data/factors.h"
#include "alps/run/learn_library.h"
#include "alps/run/profiles.h"
#include "alps/run/regions.h"
#include "alps/run/trust.h"
#include "alps/run/waypoints.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// words that users choose among
void check_choice(const char* flag, const std::string& word, const std::vector<std::string>& choices) {
  if (word.empty() || std::ranges::count(choices, word)) return;
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  throw UsageError(flag, " ", word, ": there is no such choice", nearest_hint(word, choices), "; there are ", list);
}

// a training that is about to begin, or to go on
struct Plan {
  fs::path folder;
  RunConfig config;
  MethodInfo method;
  std::shared_ptr<Dataset> data;
};

fs::path data_file(const TrainRequest& request) {
  const fs::path path = dataset_path(request.data, request.data_dir);
  if (!fs::exists(path))
    throw Error(path.string(), ": no such file; make it with: alps data make ", path.stem().string());
  return path;
}

fs::path run_folder(const TrainRequest& request, const fs::path& data) {
  if (!request.out.empty()) return request.out;
  return fs::path("runs") / str(data.stem().string(), "-s", request.seed.value_or(0));
}

// something that would be lost: a folder in which training failed before its first checkpoint holds nothing
bool holds_training(const fs::path& folder) {
  return has_run(folder) && (fs::exists(folder / "model.safetensors") || fs::exists(folder / "checkpoint.safetensors"));
}

// settings that only the user's words change; what they may be is checked by the profile
void take_words(Profile& profile, const std::vector<std::string>& set) {
  for (const std::string& assignment : set) profile.parse(assignment);
}

// "a run goes on with what it was started with": settings that differ are refused, not mixed
RunConfig taken_over(const TrainRequest& request, RunConfig config, const fs::path& folder) {
  const bool same_training = request.resume;
  auto refuse = [](const auto&... words) { throw UsageError(words..., "; start another one with --out"); };
  if (!request.preset.empty() && request.preset != config.preset)
    refuse("--preset ", request.preset, ": the run was started with ", config.preset);
  if (!request.method.empty() && request.method != config.method)
    refuse("--method ", request.method, ": the run was started with ", config.method);
  if (request.seed && *request.seed != config.seed && same_training)
    refuse("--seed ", *request.seed, ": the run was started with ", config.seed);
  config.seed = request.seed.value_or(config.seed);

  // the run's values in a table that knows their ranges
  Profile profile = learn_library().profile(config.method, config.preset, config.survey);
  const size_t of_training = profile.settings().size();
  add_planning(profile, config.preset, config.survey, config.planning, paper_row(find_recipe(config.data_name)));
  profile.read_json(config.profile.values_json(), config.profile.origins_json(), (folder / "config.json").string());
  const Profile before = profile;
  take_words(profile, request.set);
  for (size_t i = 0; same_training && i < of_training; ++i) {
    const Setting &then = before.settings()[i], &now = profile.settings()[i];
    if (then.text() != now.text() && learn_library().shapes_training(now))
      refuse("--set ", now.key, "=", now.text(), ": the run was started with ", then.text());
  }
  config.profile = std::move(profile);
  return config;
}

// the settings of a run that begins
void resolve(Plan& plan, const TrainRequest& request) {
  RunConfig& c = plan.config;
  c.profile = learn_library().profile(c.method, c.preset, c.survey);
  add_planning(c.profile, c.preset, c.survey, plan.method.planning, paper_row(find_recipe(c.data_name)));
  c.planning = plan.method.planning;
  take_words(c.profile, request.set);
}

// pairs of successive images for the survey, spread over the data
Array image_pairs(const Dataset& data) {
  constexpr size_t kPairs = 1024;
  std::vector<size_t> all, rows;
  for (const Episode& e : data.episodes)
    for (size_t row = e.first; row < e.last; ++row) all.push_back(row);
  const size_t n = std::min(kPairs, all.size());
  for (size_t i = 0; i < n; ++i) {
    const size_t row = all[i * all.size() / n];
    rows.insert(rows.end(), {row, row + 1});
  }
  return data.observations.chosen(rows);
}

// columns that are named as factors are there
void check_factors(const Profile& profile, const Dataset& data) {
  const std::string& text = std::get<std::string>(profile.at("factors").value);
  if (data.image() && text != "none")
    throw UsageError("factors=", text, ": ", data.path.string(), " holds images, which have no columns; leave it out");
  if (!data.image()) factors_named(text, data.observation_size());
}

// opens the data and settles what to train with; writes nothing
Plan prepare(const TrainRequest& request) {
  check_choice("--preset", request.preset, {"fast", "paper"});
  check_choice("--device", request.device.value_or(""), {"auto", "cpu", "cuda"});
  check_choice("--precision", request.precision.value_or(""), {"auto", "fp32", "bf16"});
  const fs::path path = data_file(request);
  Plan plan{.folder = run_folder(request, path), .config = {}, .method = {}, .data = nullptr};
  RunConfig& c = plan.config;
  const bool goes_on = holds_training(plan.folder) && !request.overwrite;
  if (goes_on) {
    if (!request.resume && request.only.empty())
      throw UsageError(plan.folder.string(),
                       " holds a run already; go on with it (--resume), train one part anew (--only), forget it "
                       "(--overwrite), or choose another --out");
    c = taken_over(request, load_run_config(plan.folder), plan.folder);
  } else {
    c.method = request.method.empty() ? "alps" : request.method;
    c.preset = request.preset.empty() ? "fast" : request.preset;
    c.seed = request.seed.value_or(0);
    c.device = c.precision = "auto";
    c.threads = 0;
  }
  plan.method = method_info(c.method);
  check_choice("--only", request.only, plan.method.parts);
  c.policy = plan.method.policy;
  c.device = learn_library().device(request.device.value_or(c.device));
  c.precision = learn_library().precision(request.precision.value_or(c.precision), c.device);
  c.threads = request.threads.value_or(c.threads);
  if (c.threads <= 0) c.threads = default_threads();

  plan.data = std::make_shared<Dataset>(load_dataset(path, {.state = false, .threads = c.threads}));
  if (goes_on && c.data_crc32 != plan.data->crc32)
    throw Error(path.string(), ": is not the file this run was trained on (crc32 ", plan.data->crc32, ", was ",
                c.data_crc32, "); start another run with --out");
  c.data_name = path.stem().string();
  c.data_path = fs::absolute(path).string();
  c.data_crc32 = plan.data->crc32;
  c.data_bytes = plan.data->bytes;
  c.versions = request.versions;
  c.versions["torch"] = learn_library().torch;
  if (!goes_on) {
    c.survey = survey(*plan.data, plan.data->image() ? image_pairs(*plan.data) : Array{});
    resolve(plan, request);
  }
  learn_library().check(c.method, c.profile);
  check_factors(c.profile, *plan.data);
  return plan;
}

std::string resume_command(const Plan& plan) {
  return str("alps train ", shell_quoted(plan.config.data_path), " --out ", shell_quoted(plan.folder.string()),
             " --resume");
}

void find_waypoints(const Plan& plan, const TrainRequest& request) {
  const Bundle bundle = load_bundle(plan.folder);
  if (!bundle.has("phi")) return;  // --only something else
  if (request.say) request.say("finding waypoints");
  const auto number = [&](const char* key) { return std::get<double>(plan.config.profile.at(key).value); };
  try {
    save_waypoints(plan.folder / "waypoints.npz", make_waypoints(bundle, *plan.data,
                                                                 {.way_distance = number("way_distance"),
                                                                  .efficiency = number("efficiency"),
                                                                  .threads = plan.config.threads,
                                                                  .say = request.say}));
  } catch (const Interrupted&) {
    throw Interrupted("interrupted while waypoints were found; the networks are saved, go on with: ",
                      resume_command(plan));
  }
}

ClusterGraph cut_into_regions(const Plan& plan, const Model& model, const RegionSettings& settings,
                              const TrainRequest& request) {
  try {
    return make_regions(model, *plan.data,
                        {.settings = settings,
                         .top_p = std::get<double>(plan.config.profile.at("top_p").value),
                         .threads = plan.config.threads,
                         .say = request.say});
  } catch (const Interrupted&) {
    throw Interrupted("interrupted while the map was cut into regions; the networks are saved, go on with: ",
                      resume_command(plan));
  }
}

}  // namespace

TrainedRun train_run(const TrainRequest& request) {
  Plan plan = prepare(request);
  RunConfig& c = plan.config;
  const FolderLock lock(plan.folder);
  if (request.overwrite || !holds_training(plan.folder))
    for (const char* file :
         {"model.safetensors", "checkpoint.safetensors", "graph.npz", "waypoints.npz", "train.csv", "config.json"})
      fs::remove(plan.folder / file);
  // regions and waypoints belong to one representation
  if (!request.only.empty() && request.only == plan.method.parts.front())
    for (const char* file : {"graph.npz", "waypoints.npz"}) fs::remove(plan.folder / file);
  save_run_config(plan.folder, c);

  cut_episodes(*plan.data, c.settings<CutSettings>().cuts());
  TrainOptions options{.run = plan.folder,
                       .profile = c.profile,
                       .seed = c.seed,
                       .device = c.device,
                       .precision = c.precision,
                       .threads = c.threads,
                       .resume = request.resume,
                       .only = request.only,
                       .minutes = request.minutes,
                       .tensorboard = request.tensorboard,
                       .metadata = c.versions,
                       .resume_command = resume_command(plan),
                       .measured =
                           [&](const std::string& part, Profile& profile) {
                             if (part != plan.method.parts.front() || c.policy != "planner") return;
                             const Model map = load_model(plan.folder);
                             measure_detail(profile, map, *plan.data, c.threads);
                             measure_map(profile, c.preset, map, *plan.data, c.threads);
                             c.profile = profile;
                             save_run_config(plan.folder, c);
                           },
                       .progress = request.progress,
                       .stop = request.stop,
                       .say = request.say};
  options.metadata.insert({{"method", c.method}, {"data", c.data_name}, {"data_crc32", c.data_crc32}});
  if (!options.metadata.contains("alps")) options.metadata["alps"] = "unknown";
  TrainedRun trained{.folder = plan.folder, .config = c, .report = learn_library().train(c.method, plan.data, options)};

  // what only the networks tell, then the regions
  if (c.policy == "waypoints" && !fs::exists(plan.folder / "waypoints.npz")) find_waypoints(plan, request);
  const Model model = load_model(plan.folder);
  if (c.policy == "planner") c.trust = measure_trust(model, *plan.data, c.threads);
  measure_networks(c.profile, c.preset, model, c.trust);
  if (c.policy == "planner" && !model.representation.empty()) {
    const fs::path file = plan.folder / "graph.npz";
    RegionSettings settings = c.settings<RegionSettings>();
    if (c.profile.at("clusters").origin == Origin::kMeasured) settings.clusters = 0;  // of the map before
    if (!fs::exists(file)) {
      if (request.say) request.say("cutting the map into regions");
      save_graph(file, cut_into_regions(plan, model, settings, request));
    }
    // after a kill the graph may be there, and config.json does not know its regions yet
    if (settings.clusters == 0)
      c.profile.set("clusters", static_cast<int>(load_graph(file).clusters()), Origin::kMeasured,
                    str("the way that the data cover in ", settings.reach_steps, " steps"));
  }
  save_run_config(plan.folder, c);
  trained.config = c;
  return trained;
}

RunConfig explain_run(const TrainRequest& request) { return prepare(request).config; }

Profile typical_profile(const std::string& method, const std::string& preset) {
  // an ant's: 29 columns, joints, no leaps
  const Survey survey{.rows = 1'000'000,
                      .episodes = 1000,
                      .longest_episode = 1000,
                      .columns = 29,
                      .actions = 8,
                      .range = {std::vector<float>(8, 1.0f), {}},
                      .pace = 0.02,
                      .directness = 0.05,
                      .at_limit = 0.15};
  Profile profile = learn_library().profile(method, preset, survey);
  add_planning(profile, preset, survey, method_info(method).planning, {});
  return profile;
}

}  // namespace alps
