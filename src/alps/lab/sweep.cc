#include "alps/lab/sweep.h"

#include <algorithm>
#include <tuple>

#include "alps/base/error.h"
#include "alps/base/profile.h"
#include "alps/collect/expert.h"
#include "alps/collect/recipe.h"
#include "alps/data/dataset.h"
#include "alps/lab/toml_block.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/learn_library.h"
#include "alps/run/training.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

std::vector<EvalSpec> evals_of(TomlBlock& block, const MethodInfo& method, const SweepOverrides& overrides) {
  EvalSpec base;
  base.episodes = static_cast<int>(block.whole("episodes", 10, 1, 100000));
  if (overrides.episodes) base.episodes = *overrides.episodes;
  base.threads = static_cast<int>(block.whole("threads", 1, 1, 1024));
  for (const int64_t task : block.numbers("tasks", {}, 1, 1000)) base.tasks.push_back(static_cast<int>(task));
  const std::vector<std::string> backends = block.words("backend", {"native"});
  const bool plans = method.policy == "planner";
  std::vector<std::string> variants = block.words("variant", {"alps"}), planners = block.words("planner", {"run"});
  for (const std::string& v : variants) block.check_at("variant", [&] { variant_named(v); });
  for (const std::string& p : planners)
    if (p != "run" && p != "fast" && p != "paper")
      block.refuse(block.at("planner"), "there is no planner '", p, "'; there are run, fast, paper");
  for (const std::string& b : backends)
    if (b != "native" && b != "ogbench")
      block.refuse(block.at("backend"), "there is no backend '", b, "'; there are native, ogbench");
  std::vector<int64_t> clusters = block.numbers("clusters", {0}, 1, 100000);
  const auto seeds = block.numbers("eval_seed", {-1}, 0, INT64_MAX);  // -1: that of training
  auto settings = block.settings("set");
  for (const auto& set : settings)
    block.check_at("set", [&] {
      Profile profile = planner_profile();
      for (const std::string& assignment : set) profile.parse(assignment);
    });
  block.refuse_unknown_keys();
  if (!plans) {  // its policy has no variants, regions or search
    variants = planners = {""};
    clusters = {0};
    settings = {{}};
  }

  std::vector<EvalSpec> specs;
  for (const std::string& backend : backends)
    for (const std::string& planner : planners)
      for (const std::string& variant : variants)
        for (const int64_t count : clusters)
          for (const auto& set : settings)
            for (const int64_t seed : seeds) {
              EvalSpec s = base;
              s.backend = backend;
              s.planner = planner;
              s.variant = variant;
              s.clusters = static_cast<int>(count);
              s.set = set;
              s.seed = static_cast<uint64_t>(seed);
              specs.push_back(std::move(s));
            }
  return specs;
}

// the steps of every part of a method, as settings
std::vector<std::string> steps_of(const MethodInfo& method, int64_t steps) {
  std::vector<std::string> set;
  for (const std::string& part : method.parts) set.push_back(str(part, "_steps=", steps));
  return set;
}

// whether a data set can be had; where it cannot, it is noted or refused
bool can_have(const TomlBlock& block, const std::string& data, const SweepOverrides& overrides, Sweep& sweep) {
  const Recipe* found = nullptr;
  block.check_at("data", [&] { found = &recipe(data); });
  const std::string missing = missing_for(*found);
  if (missing.empty() || fs::exists(dataset_path(data, overrides.data_dir.string()))) return true;
  const std::string reason = str("needs ", missing);
  if (!overrides.leave_out_missing)
    block.refuse(block.at("data"), data, " cannot be made here: it ", reason,
                 "; leave it out, or fetch the official file with: alps data get ", data);
  const bool told = std::ranges::any_of(sweep.left_out, [&](const LeftOut& l) { return l.data == data; });
  if (!told) sweep.left_out.push_back({data, reason});
  return false;
}

void add_run(Sweep& sweep, RunSpec run) {
  const auto same = [&](const RunSpec& other) {
    const auto tie = [](const RunSpec& r) {
      return std::tie(r.data, r.data_seed, r.data_episodes, r.method, r.preset, r.seed, r.set);
    };
    return tie(other) == tie(run);
  };
  // a run that another block names too is trained once; tasks of the same evaluation are one by their keys
  if (const auto found = std::ranges::find_if(sweep.runs, same); found != sweep.runs.end()) {
    found->evals.insert(found->evals.end(), run.evals.begin(), run.evals.end());
    found->report = found->report || run.report;
    return;
  }
  sweep.runs.push_back(std::move(run));
}

void add_runs(Sweep& sweep, TomlBlock& block, const SweepOverrides& overrides) {
  RunSpec base;
  const std::vector<std::string> data = block.words("data", {});
  if (data.empty()) block.refuse(block.table(), "[[runs]] lacks data = [\"NAME\", ...]; alps data list has the names");
  base.data_seed = static_cast<uint64_t>(block.whole("data_seed", 0, 0, INT64_MAX));
  base.data_episodes = static_cast<int>(block.whole("data_episodes", 0, 0, 1000000000));
  base.data_parts = static_cast<int>(block.whole("data_parts", 1, 1, 10000));
  base.threads = static_cast<int>(block.whole("threads", 1, 1, 1024));
  base.report = block.flag("report", false);
  const auto methods = block.words("method", {"alps"});
  auto presets = block.words("preset", {"fast"});
  if (!overrides.preset.empty()) presets = {overrides.preset};
  std::vector<int64_t> seeds = block.seeds("seeds");
  if (overrides.seeds) {
    seeds.clear();
    for (int i = 0; i < *overrides.seeds; ++i) seeds.push_back(i);
  }
  std::vector<int64_t> steps = block.numbers("steps", {0}, 1, 1000000000);  // 0: the preset's
  if (!overrides.steps.empty()) steps = overrides.steps;
  const auto settings = block.settings("set");
  const std::vector<TomlBlock> eval_blocks = block.blocks("eval", "[[runs.eval]]");
  block.refuse_unknown_keys();

  for (const std::string& name : data) {
    if (!can_have(block, name, overrides, sweep)) continue;
    for (const std::string& method_name : methods) {
      MethodInfo method;
      block.check_at("method", [&] { method = method_info(method_name); });
      for (const std::string& preset : presets) {
        if (preset != "fast" && preset != "paper")
          block.refuse(block.at("preset"), "there is no preset '", preset, "'; there are fast, paper");
        for (const int64_t count : steps)
          for (const auto& set : settings)
            for (const int64_t seed : seeds) {
              RunSpec run = base;
              run.data = name;
              run.method = method_name;
              run.preset = preset;
              run.seed = static_cast<uint64_t>(seed);
              if (count > 0) run.set = steps_of(method, count);
              run.set.insert(run.set.end(), set.begin(), set.end());
              std::ranges::sort(run.set);
              block.check_at("set", [&] {
                Profile profile = typical_profile(method_name, preset);
                for (const std::string& assignment : run.set) profile.parse(assignment);
              });
              for (TomlBlock eval : eval_blocks) {
                for (EvalSpec e : evals_of(eval, method, overrides)) {
                  if (e.seed == static_cast<uint64_t>(-1)) e.seed = run.seed;
                  run.evals.push_back(std::move(e));
                }
              }
              add_run(sweep, std::move(run));
            }
      }
    }
  }
}

EngineSettings engine_of(TomlBlock block) {
  EngineSettings e;
  e.heartbeat = block.seconds("heartbeat", e.heartbeat);
  e.stale = block.seconds("stale", e.stale);
  e.grace = block.seconds("grace", e.grace);
  e.memory_mb = static_cast<int>(block.whole("memory_mb", 0, 1, 100000000));
  e.time = block.word("time", e.time);
  e.sbatch_options = block.words("sbatch_options", {});
  block.refuse_unknown_keys();
  if (e.stale < 3 * e.heartbeat)
    block.refuse(block.table(), "stale must be at least three times heartbeat, or tasks that work count as dead");
  return e;
}

}  // namespace

Sweep load_sweep(const fs::path& file, const SweepOverrides& overrides) {
  if (!fs::is_regular_file(file)) throw UsageError(file.string(), ": no such file; docs/lab.md shows what a sweep is");
  const toml::table root = parse_toml(file);
  Sweep sweep{.name = file.stem().string(), .file = file, .runs = {}, .left_out = {}, .engine = {}};
  TomlBlock top(file, root, "the file");
  std::vector<TomlBlock> blocks = top.blocks("runs", "[[runs]]");
  if (blocks.empty()) throw UsageError(file.string(), ": has no [[runs]]; docs/lab.md shows what a sweep is");
  for (TomlBlock& block : blocks) add_runs(sweep, block, overrides);
  for (TomlBlock& block : top.blocks("engine", "[engine]")) sweep.engine = engine_of(block);
  return sweep;
}

}  // namespace alps
