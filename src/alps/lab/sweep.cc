#include "alps/lab/sweep.h"

#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "alps/base/error.h"
#include "alps/base/names.h"
#include "alps/base/profile.h"
#include "alps/collect/recipe.h"
#include "alps/data/dataset.h"
#include "alps/plan/planner_settings.h"
#include "alps/run/learn_library.h"
#include "alps/run/training.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// A table of the file, read key by key. What is wrong is told with file and line; keys that nobody asked for are wrong.
class Block {
 public:
  Block(const fs::path& file, const toml::table& table, std::string name)
      : file_(file), table_(table), name_(std::move(name)) {}

  template <class... Words>
  [[noreturn]] void refuse(const toml::node& at, const Words&... words) const {
    throw UsageError(file_.string(), ":", at.source().begin.line, ": ", words...);
  }

  const toml::node* find(const char* key) {
    known_.insert(key);
    return table_.get(key);
  }

  std::string word(const char* key, std::string otherwise) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    if (!node->is_string()) refuse(*node, key, " takes a word in quotes");
    return node->ref<std::string>();
  }
  int64_t whole(const char* key, int64_t otherwise, int64_t least, int64_t most) {
    const toml::node* node = find(key);
    return node != nullptr ? whole(*node, key, least, most) : otherwise;
  }
  int64_t whole(const toml::node& node, const char* key, int64_t least, int64_t most) const {
    if (!node.is_integer() || node.ref<int64_t>() < least || node.ref<int64_t>() > most)
      refuse(node, key, " takes a whole number from ", least, " to ", most);
    return node.ref<int64_t>();
  }
  double number(const char* key, double otherwise) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    const std::optional<double> value = node->value<double>();
    if (!value || !(*value > 0)) refuse(*node, key, " takes a number of seconds above 0");
    return *value;
  }
  bool flag(const char* key, bool otherwise) {
    const toml::node* node = find(key);
    if (node == nullptr) return otherwise;
    if (!node->is_boolean()) refuse(*node, key, " takes true or false");
    return node->ref<bool>();
  }

  // the nodes of a list, or the one that stands alone
  std::vector<const toml::node*> list(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr) return {};
    if (!node->is_array()) return {node};
    if (node->as_array()->empty()) refuse(*node, key, " is an empty list; leave it out, or name something");
    std::vector<const toml::node*> nodes;
    for (const toml::node& one : *node->as_array()) nodes.push_back(&one);
    return nodes;
  }
  std::vector<std::string> words(const char* key, std::vector<std::string> otherwise) {
    std::vector<std::string> all;
    for (const toml::node* node : list(key)) {
      if (!node->is_string()) refuse(*node, key, " takes words in quotes");
      all.push_back(node->ref<std::string>());
    }
    return all.empty() ? otherwise : all;
  }
  std::vector<int64_t> numbers(const char* key, std::vector<int64_t> otherwise, int64_t least, int64_t most) {
    std::vector<int64_t> all;
    for (const toml::node* node : list(key)) all.push_back(whole(*node, key, least, most));
    return all.empty() ? otherwise : all;
  }
  // `seeds = 3` is 0, 1, 2
  std::vector<int64_t> seeds(const char* key) {
    const toml::node* node = find(key);
    if (node == nullptr || node->is_array()) return numbers(key, {0}, 0, INT64_MAX);
    std::vector<int64_t> all;
    for (int64_t i = 0; i < whole(*node, key, 1, 10000); ++i) all.push_back(i);
    return all;
  }

  // every combination of the values of a table of settings, each as a list of key=value in alphabetical order
  std::vector<std::vector<std::string>> settings(const char* key) {
    std::vector<std::vector<std::string>> product = {{}};
    const toml::node* node = find(key);
    if (node == nullptr) return product;
    if (!node->is_table()) refuse(*node, key, " takes a table: ", key, " = { key = value, other = [1, 2] }");
    for (const auto& [name, value] : *node->as_table()) {
      std::vector<std::string> texts;
      if (const toml::array* array = value.as_array())
        for (const toml::node& one : *array) texts.push_back(text(one));
      else
        texts.push_back(text(value));
      if (texts.empty()) refuse(value, key, ".", std::string(name.str()), " is an empty list");
      std::vector<std::vector<std::string>> more;
      for (const auto& before : product)
        for (const std::string& t : texts) {
          more.push_back(before);
          more.back().push_back(str(name.str(), "=", t));
        }
      product = std::move(more);
    }
    return product;
  }

  void refuse_unknown_keys() const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (known_.contains(name)) continue;
      const std::vector<std::string> names(known_.begin(), known_.end());
      std::string all;
      for (const std::string& n : names) all += (all.empty() ? "" : ", ") + n;
      refuse(node, "there is no key '", name, "' in ", name_, nearest_hint(name, names), "; keys are ", all);
    }
  }

  const toml::table& table() const { return table_; }
  const fs::path& file() const { return file_; }

 private:
  std::string text(const toml::node& node) const {
    if (node.is_string()) return node.ref<std::string>();
    if (node.is_integer()) return str(node.ref<int64_t>());
    if (node.is_floating_point()) return number_text(node.ref<double>());
    if (node.is_boolean()) return node.ref<bool>() ? "true" : "false";
    refuse(node, "a setting takes a number, a word in quotes, true or false, or a list of these");
  }

  const fs::path& file_;
  const toml::table& table_;
  std::string name_;
  std::set<std::string> known_;
};

// refuses what `alps train` or `alps eval` would refuse, before hours of work
template <class Check>
void check_at(const Block& block, const toml::node& node, Check&& check) {
  try {
    check();
  } catch (const Error& e) {
    block.refuse(node, e.what());
  }
}

const toml::node& node_of(const Block& block, const char* key) {
  const toml::node* node = block.table().get(key);
  return node != nullptr ? *node : static_cast<const toml::node&>(block.table());
}

std::vector<EvalSpec> evals_of(Block& block, const MethodInfo& method, const SweepOverrides& overrides) {
  EvalSpec base;
  base.episodes = static_cast<int>(block.whole("episodes", 10, 1, 100000));
  if (overrides.episodes) base.episodes = *overrides.episodes;
  base.threads = static_cast<int>(block.whole("threads", 1, 1, 1024));
  for (const int64_t task : block.numbers("tasks", {}, 1, 1000)) base.tasks.push_back(static_cast<int>(task));
  const std::vector<std::string> backends = block.words("backend", {"native"});
  const bool plans = method.policy == "planner";
  std::vector<std::string> variants = block.words("variant", {"alps"}), planners = block.words("planner", {"run"});
  for (const std::string& v : variants) check_at(block, node_of(block, "variant"), [&] { variant_named(v); });
  for (const std::string& p : planners)
    if (p != "run" && p != "fast" && p != "paper")
      block.refuse(node_of(block, "planner"), "there is no planner '", p, "'; there are run, fast, paper");
  for (const std::string& b : backends)
    if (b != "native" && b != "ogbench")
      block.refuse(node_of(block, "backend"), "there is no backend '", b, "'; there are native, ogbench");
  std::vector<int64_t> clusters = block.numbers("clusters", {0}, 1, 100000);
  const auto seeds = block.numbers("eval_seed", {-1}, 0, INT64_MAX);  // -1: that of training
  auto settings = block.settings("set");
  for (const auto& set : settings)
    check_at(block, node_of(block, "set"), [&] {
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
bool can_have(const Block& block, const std::string& data, const SweepOverrides& overrides, Sweep& sweep) {
  const Recipe* found = nullptr;
  check_at(block, node_of(block, "data"), [&] { found = &recipe(data); });
  if (found->missing.empty() || fs::exists(dataset_path(data, overrides.data_dir.string()))) return true;
  const std::string reason = str("needs ", found->missing);
  if (!overrides.leave_out_missing)
    block.refuse(node_of(block, "data"), data, " cannot be made here yet: it ", reason,
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

void add_runs(Sweep& sweep, Block& block, const SweepOverrides& overrides) {
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
  const auto eval_blocks = block.list("eval");
  block.refuse_unknown_keys();

  for (const std::string& name : data) {
    if (!can_have(block, name, overrides, sweep)) continue;
    for (const std::string& method_name : methods) {
      MethodInfo method;
      check_at(block, node_of(block, "method"), [&] { method = method_info(method_name); });
      for (const std::string& preset : presets) {
        if (preset != "fast" && preset != "paper")
          block.refuse(node_of(block, "preset"), "there is no preset '", preset, "'; there are fast, paper");
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
              check_at(block, node_of(block, "set"), [&] {
                Profile profile = typical_profile(method_name, preset);
                for (const std::string& assignment : run.set) profile.parse(assignment);
              });
              for (const toml::node* node : eval_blocks) {
                if (!node->is_table()) block.refuse(*node, "write an evaluation as [[runs.eval]]");
                Block eval(block.file(), *node->as_table(), "[[runs.eval]]");
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

EngineSettings engine_of(Block block) {
  EngineSettings e;
  e.heartbeat = block.number("heartbeat", e.heartbeat);
  e.stale = block.number("stale", e.stale);
  e.grace = block.number("grace", e.grace);
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
  toml::table root;
  try {
    root = toml::parse_file(file.string());
  } catch (const toml::parse_error& e) {
    throw UsageError(file.string(), ":", e.source().begin.line, ": is not TOML: ", e.description());
  }
  Sweep sweep{.name = file.stem().string(), .file = file, .runs = {}, .left_out = {}, .engine = {}};
  Block top(file, root, "the file");
  const std::vector<const toml::node*> blocks = top.list("runs");
  if (blocks.empty()) throw UsageError(file.string(), ": has no [[runs]]; docs/lab.md shows what a sweep is");
  for (const toml::node* node : blocks) {
    if (!node->is_table()) top.refuse(*node, "write a block of runs as [[runs]]");
    Block block(file, *node->as_table(), "[[runs]]");
    add_runs(sweep, block, overrides);
  }
  if (const toml::node* node = top.find("engine")) {
    if (!node->is_table()) top.refuse(*node, "write the engine's settings as [engine]");
    sweep.engine = engine_of(Block(file, *node->as_table(), "[engine]"));
  }
  return sweep;
}

}  // namespace alps
