// Films of a run: the first episodes of each task of an evaluation once more, this time watched. RUN/map.mp4 shows from
// above what the policy thinks (draw/plan_video.h): regions, route and search where it plans, else the way it takes.
// RUN/video.mp4 shows the body, rendered by MuJoCo in OGBench's manner, or what an image run sees. A world without a
// plane has no map.mp4. Starts, goals and decisions are those of the evaluation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alps/draw/plan_video.h"
#include "alps/eval/evaluate.h"
#include "alps/eval/narration.h"
#include "alps/run/policies.h"
#include "alps/show/state_sample.h"
#include "alps/world/planar_view.h"
#include "alps/world/renderer.h"

namespace alps {

class Film {
 public:
  // Opens all that is needed, so that what is missing is said before anything is computed: without ffmpeg or the data
  // set throws Error, without OpenGL tells why there will be no video.mp4.
  Film(const Run& run, const Env& env, std::string variant, PlannerSettings settings, EvalParams eval, int episodes);

  void shoot();

 private:
  struct Take {
    PlanEpisode plan;  // its places are empty in a world without a plane
    size_t steps = 0;  // watched
    std::vector<double> goal_qpos;
    std::vector<std::vector<double>> qpos;     // of each frame
    std::vector<uint8_t> goal_image;           // of image runs
    std::vector<std::vector<uint8_t>> images;  // of each frame
    Narrator narrator;
    std::string note;  // since the last frame
  };
  void watch(Take& take, const Env& env, const Decision* decision) const;
  PlanMoment moment(const Decision& decision, const PlanarView& plane, size_t step) const;
  void write_map(const std::vector<Take>& takes);
  void write_video(const std::vector<Take>& takes);
  size_t columns(size_t takes) const;

  const Run& run_;
  const Env& env_;
  std::string variant_;
  PlannerSettings settings_;
  EvalParams eval_;
  int skip_;     // steps from frame to frame
  double rate_;  // frames a second
  StateSample sample_;
  std::vector<Point2> centers_;
  std::unique_ptr<Renderer> renderer_;
};

}  // namespace alps
