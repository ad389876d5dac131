// Some states of a run's data set, spread evenly over its rows, as a map shows them: where each is, what psi says of
// it, which region it belongs to; and the leaps of the data (teleports), which are no motion. What pictures, films and
// the page are made from. Places are taken only from data that show a plane; other states are shown on the plane of
// psi's first two columns. Runs of methods that learn no representation have no psi, those that do not plan have no
// regions. Immutable.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "alps/base/geometry.h"
#include "alps/data/dataset.h"
#include "alps/graph/cluster_graph.h"
#include "alps/nn/model.h"

namespace alps {

class Env;

struct StateSample {
  std::vector<size_t> rows;
  Array observations;           // of these rows, float32 or uint8; empty unless they were to be kept
  Array psi;                    // (n, eigenvectors) float32; empty for runs without a representation
  std::vector<int32_t> labels;  // regions; empty for runs without them
  std::vector<Point2> places;   // empty where the data have none
  std::string plane;            // what these are: "columns 1 and 2 of the observation", "... of qpos", "... of psi"
  // the two columns of an observation that are the place, where they are, so that imagined states have one too
  std::optional<std::array<size_t, 2>> place_columns;
  Point2 leap = kNoLeaps;  // steps of a path of places beyond it are leaps (is_leap, data/jumps.h)

  // a door of the data: steps that lead from one place to another by a leap
  struct Leap {
    Point2 from, to;                         // means
    int from_cluster = -1, to_cluster = -1;  // of the states on both sides; -1 without regions
    size_t count = 0;
    double psi = 0;               // mean distance of both ends in psi
    std::vector<float> from_psi;  // before it, the mean
  };
  std::vector<Leap> leaps;     // doors, most frequent first
  size_t leap_count = 0;       // of all of them
  std::vector<Episode> walks;  // the data's episodes, cut at leaps

  size_t size() const { return rows.size(); }
  bool embedded() const { return psi.size() > 0; }
  std::vector<float> observation(size_t i) const;  // as a planner takes it
  size_t nearest(Point2 place) const;              // state
  size_t nearest(std::span<const float> z) const;  // state, in psi
  std::vector<size_t> nodes(
      const ClusterGraph& graph) const;  // for each cluster the state in its middle; size() if none
};

// what is known of the world that the data come from
enum class WorldPlane {
  kUnknown,  // there is no environment: columns that move slowly and on and on, as a position does, are the place
  kPlanar,   // seen from above: the first two columns of qpos are the place
  kNone,     // arms and the like have no plane, whatever their columns look like
};

WorldPlane plane_of(const Env* env);  // null: there is none

struct StateSampleParams {
  size_t states = 12000;
  bool keep_observations = true;
  bool psi_plane = false;  // where the data have no places, the first two numbers of psi are
  WorldPlane world = WorldPlane::kUnknown;
  size_t most_leaps = 60;
  int threads = 0;
};

// of a data set whose observations need not be open if they are images: the chosen ones are then read in one pass;
// `graph`: null for runs without regions
StateSample sample_states(const Dataset& data, const Model& model, const ClusterGraph* graph,
                          const StateSampleParams& params = {});
// the data set as a sample needs it
Dataset load_for_sample(const std::filesystem::path& data, const Model& model, int threads = 0);

}  // namespace alps
