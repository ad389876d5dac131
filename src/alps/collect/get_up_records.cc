#include "alps/collect/get_up_records.h"

#include <algorithm>
#include <atomic>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/threads.h"
#include "alps/collect/gaussian_policy.h"
#include "alps/world/heading_env.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr uint64_t kSearches = uint64_t{1} << 40, kFollows = uint64_t{1} << 41, kRises = uint64_t{1} << 42;
constexpr double kRiserNoise = 0.2;

bool begins_on_back(const ModelPtr& model, std::span<const double> state) {
  const DataPtr data = make_data(model);
  put(*model, state, *data);
  return on_its_back(*data);
}

}  // namespace

GetUps record_get_ups(const fs::path& path, const GetUpRecordParams& params,
                      const std::function<void(size_t done, size_t total, const std::string& note)>& progress) {
  const ModelPtr model = load_plane_model("humanoid");
  if (fs::exists(path)) return GetUps::load(read_safetensors(path), *model);
  const Rng rng(params.seed);

  // where drops come to lie
  std::vector<std::vector<double>> lying(params.drops);
  parallel_for(lying.size(), params.threads, [&](size_t i) { lying[i] = find_lying(model, rng.fork(i)); });
  GetUps out;
  std::array<std::vector<std::span<const double>>, 2> starts;
  for (const std::vector<double>& state : lying) {
    if (state.empty()) continue;
    out.lying.insert(out.lying.end(), state.begin(), state.end());
    starts[begins_on_back(model, state)].push_back(state);
  }
  for (const auto& list : starts)
    if (list.empty()) throw Error("none of ", params.drops, " dropped bodies came to lie on ", "each side; drop more");

  // ways up, and where they lead without a planner
  std::vector<GetUp> ways(2 * params.searches);
  std::vector<double> least(ways.size());
  std::atomic<size_t> done = 0, found = 0;
  parallel_for(ways.size(), params.threads, [&](size_t i) {
    throw_if_interrupted();
    const auto& list = starts[i % 2];
    ways[i] = find_get_up(model, list[i / 2 % list.size()], params.planner, rng.fork(kSearches + i));
    for (size_t k = 0; k < params.follows && ways[i].steps > 0; ++k)
      least[i] += follow(model, ways[i], list[k % list.size()], params.noise, rng.fork(kFollows + k)) /
                  static_cast<double>(params.follows);
    found += ways[i].steps > 0;
    if (progress) progress(++done, ways.size(), str("planner: ", found, " ways up"));
  });
  for (size_t i = 0; i < ways.size(); ++i) {
    GetUp& best = out.ways[i % 2];
    const bool better = best.steps == 0 || least[i] < least[i % 2];
    if (ways[i].steps == 0 || !better) continue;
    best = ways[i];
    least[i % 2] = least[i];
  }
  for (const GetUp& way : out.ways)
    if (way.steps == 0) throw Error("the planner found no way up in ", params.searches, " searches; search more often");
  Tensors tensors;
  out.store(tensors);
  write_safetensors(path, tensors);
  return out;
}

void record_risen(const fs::path& path, const fs::path& riser, const GetUpRecordParams& params, GetUps& ways) {
  if (!ways.risen.empty()) return;
  const GaussianPolicy policy = GaussianPolicy::load(read_safetensors(riser), "teacher");
  const ModelPtr model = load_plane_model("humanoid");
  const auto led = std::make_shared<const GetUps>(ways);
  const HeadingTask task{.lying = 1, .rising_ends = true, .torque_noise = kRiserNoise};
  std::vector<std::vector<double>> ends(params.rises);
  parallel_for(ends.size(), params.threads, [&](size_t i) {
    HeadingEnv body(model, led);
    Rng rng = Rng(params.seed).fork(kRises + i);
    body.reset(task, rng);
    std::vector<float> said(body.action_size()), targets(said.size());
    HeadingEnv::Step step;
    while (!step.done()) {
      policy.means(body.observation(), said);
      body.lead(said, targets);
      step = body.step(task, targets, rng);
    }
    if (!step.rose) return;
    ends[i].assign(body.data().qpos, body.data().qpos + model->nq);
    ends[i].insert(ends[i].end(), body.data().qvel, body.data().qvel + model->nv);
  });
  for (const std::vector<double>& end : ends) ways.risen.insert(ways.risen.end(), end.begin(), end.end());
  if (ways.risen.empty()) throw Error(riser.string(), ": this riser never stood up; train it for longer");
  Tensors tensors;
  ways.store(tensors);
  write_safetensors(path, tensors);
}

}  // namespace alps
