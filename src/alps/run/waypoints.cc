#include "alps/run/waypoints.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "alps/base/progress.h"
#include "alps/base/threads.h"
#include "alps/data/way_ahead.h"
#include "alps/run/embed_rows.h"

namespace alps {
namespace {

struct Found {
  WaypointMaker waypoints;
  size_t efficient = 0, states = 0;
};

// nothing where there are too many waypoints
std::optional<Found> find_waypoints(const Model& model, const Dataset& data, double distance,
                                    const WaypointParams& params) {
  constexpr size_t kAtOnce = 65536;  // rows
  const size_t dim = model.eigenvectors();
  const size_t steps = std::max<size_t>(1, static_cast<size_t>(std::lround(distance)));
  Found found{.waypoints = WaypointMaker(dim, distance / 2)};
  for (size_t begin = 0; begin < data.episodes.size();) {
    // some episodes at once
    size_t end = begin;
    std::vector<size_t> rows, starts;
    for (; end < data.episodes.size() && rows.size() < kAtOnce; ++end) {
      starts.push_back(rows.size());
      for (size_t row = data.episodes[end].first; row <= data.episodes[end].last; ++row) rows.push_back(row);
    }
    const Array phi = embed_rows(model, data.observations, rows, params.threads);
    std::vector<std::vector<size_t>> kept(starts.size());
    parallel_for(starts.size(), params.threads, [&](size_t e) {
      const auto episode = phi.as<float>().subspan(starts[e] * dim, data.episodes[begin + e].rows() * dim);
      kept[e] = efficient_rows(episode, dim, way_ahead(episode, dim, distance), steps, params.efficiency);
    });
    std::vector<float> chosen;
    for (size_t e = 0; e < kept.size(); ++e)
      for (const size_t i : kept[e]) {
        const auto row = phi.row<float>(starts[e] + i);
        chosen.insert(chosen.end(), row.begin(), row.end());
      }
    found.waypoints.add(chosen, params.threads);
    found.efficient += chosen.size() / dim;
    found.states += rows.size();
    if (found.waypoints.size() > params.most) return {};
    begin = end;
  }
  return found;
}

}  // namespace

WaypointGraph make_waypoints(const Bundle& bundle, const Dataset& data, const WaypointParams& params) {
  const Model model = embedding_model(bundle);
  for (double distance = params.way_distance;; distance *= std::numbers::sqrt2) {
    const std::optional<Found> found = find_waypoints(model, data, distance, params);
    if (!found) continue;
    if (params.say && distance > params.way_distance)
      params.say(str("more than ", with_commas(params.most), " waypoints ", params.way_distance / 2,
                     " steps apart: they are ", distance / 2, " apart instead"));
    const WaypointGraph graph =
        join_waypoints(model.eigenvectors(), found->waypoints.means(), distance, params.threads);
    if (params.say)
      params.say(str(with_commas(graph.size()), " waypoints of ", with_commas(found->efficient),
                     " efficient states among ", with_commas(found->states)));
    return graph;
  }
}

}  // namespace alps
