#include "alps/collect/get_up_records.h"

#include <algorithm>
#include <atomic>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/base/threads.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr uint64_t kSearches = uint64_t{1} << 40, kFollows = uint64_t{1} << 41;

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
    ++out.rows;
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

}  // namespace alps
