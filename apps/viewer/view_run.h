// A run as the page sees it: the networks and, where it plans, the graph; the environment it acts in (if there is one:
// the native one of its data set, or one that a Python process brings along) and a sample of its data. Loaded once,
// immutable, shared by all sessions; writes itself as JSON and as plain floats for the page.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "alps/run/policies.h"
#include "alps/run/run.h"
#include "alps/show/state_sample.h"
#include "alps/world/env.h"
#include "guest/guest_env.h"

namespace alps::viewer {

struct ViewRun {
  Run run;
  // cloned by each session; none for data of the user's own, unless Python has brought one
  std::unique_ptr<const Env> env;
  StateSample sample;
  std::vector<size_t> nodes;  // the state that stands for each cluster; empty for runs that do not plan
  PolicyChoice choice;        // what sessions begin with
  bool scene = false;         // the environment has one in three dimensions

  bool plans() const { return run.graph != nullptr; }
  bool mapped() const { return env != nullptr && env->planar() != nullptr; }  // has a floor plan

  nlohmann::json about() const;
  // float32: psi (n, dim), places (n, 2) and labels (n), each where there are some
  std::string samples() const;
  std::string meshes() const;              // of the scene, float32: place and normal of each corner
  std::string column(size_t index) const;  // of the observations, float32 (n)
  // what a baseline's networks say of the way from every state to one of them (plan/goal_value.h), float32 (n); none
  // where value_name is empty
  std::string value(size_t goal) const;
  std::string value_name() const;
  size_t columns() const;  // of an observation that may be chosen as an axis; 0 for images
};

// Error where there is nothing to look at: neither psi nor places nor numbers; or where the guest's environment shows
// other observations than the data. `guest`: null, or the process that may bring an environment.
ViewRun open_view(const std::filesystem::path& folder, std::shared_ptr<guest::Guest> guest = nullptr);

// what one looks along: a coordinate of the place, of psi or of the observation
struct Axis {
  enum class Kind { kPlace, kPsi, kObservation } kind = Kind::kPlace;
  size_t index = 0;
  static Axis parse(const ViewRun& view, const std::string& text);  // "place:0", "psi:3", "observation:5"
  std::string text() const;
};
using Axes = std::array<Axis, 2>;
Axes default_axes(const ViewRun& view);

// where normalized states (n, state_size) lie along the axes; `places` of the states where they are known, or empty
std::vector<Point2> project(const ViewRun& view, const Axes& axes, std::span<const float> states,
                            std::vector<Point2> places = {});

}  // namespace alps::viewer
