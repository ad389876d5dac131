#include "alps/eval/regions.h"

#include <algorithm>
#include <cmath>

#include "alps/graph/kmeans.h"

namespace alps {

int default_clusters(std::string_view data_name, size_t rows) {
  auto has = [&](const char* word) { return data_name.find(word) != std::string_view::npos; };
  if (has("maze2d")) return 16;
  if (has("cube") || has("scene") || has("puzzle")) return 8;
  if (has("medium") || has("arena")) return 64;
  if (has("large") || has("teleport")) return 96;
  if (has("giant")) return 128;
  return std::clamp(static_cast<int>(std::cbrt(rows)), 4, 96);
}

ClusterGraph make_regions(const Model& model, const Dataset& data, const RegionParams& params) {
  const Array psi = embed(model, data.observations, params.threads);
  const int clusters = params.clusters > 0 ? params.clusters : default_clusters(data.path.stem().string(), data.rows());
  KMeansResult regions =
      kmeans(psi.as<float>(), psi.row_size(), {.clusters = clusters, .seed = params.seed, .threads = params.threads});
  std::vector<std::pair<size_t, size_t>> episodes;
  for (const Episode& e : data.episodes) episodes.emplace_back(e.first, e.last);
  return build_cluster_graph(psi.row_size(), std::move(regions.centers), regions.labels, episodes, params.top_p);
}

}  // namespace alps
