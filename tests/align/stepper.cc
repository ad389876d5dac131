// Serves the Python tests beside it: steps a native environment from a given state with given actions, or resets it
// many times, and writes what it saw. Input and output are .npz files.
#include <cstdio>
#include <string>

#include "alps/base/npz.h"
#include "alps/base/threads.h"
#include "alps/world/arm_view.h"
#include "alps/world/catalog.h"
#include "alps/world/direction_env.h"
#include "alps/world/maze.h"
#include "alps/world/maze_env.h"

using namespace alps;

namespace {

// rows of doubles that grow one by one
struct Rows {
  std::vector<double> values;
  size_t count = 0;
  void add(Observation seen) { add(std::vector<double>(seen.floats().begin(), seen.floats().end())); }
  void add(std::span<const double> row) {
    values.insert(values.end(), row.begin(), row.end());
    ++count;
  }
  void save(NpzWriter& out, const std::string& key) const {
    out.add(key, Array::of<double>({count, count ? values.size() / count : 0}, values));
  }
};

// in: actions (n, a) and, of a maze, state (MuJoCo's integration state), goal (2) and exits (k); of an arm, state
// (ArmEnv's) out: a row per step, and one before
void run_episode(const std::string& name, const NpzReader& in, const std::string& prefix, NpzWriter& out) {
  const auto env = make_env(name, {.terminate_at_goal = true});
  const Array state = in.read(prefix + "state"), actions = in.read(prefix + "actions");
  if (env->arm() != nullptr) {
    env->set_state(state.as<double>());
  } else {
    const Array goal = in.read(prefix + "goal"), exits = in.read(prefix + "exits");
    std::vector<double> full = {0, goal.as<double>()[0], goal.as<double>()[1]};
    full.insert(full.end(), state.as<double>().begin(), state.as<double>().end());
    env->set_state(full);
    static_cast<MazeEnv&>(*env).force_exits({exits.as<int64_t>().begin(), exits.as<int64_t>().end()});
  }

  Rows observations, qpos, qvel, flags, buttons;
  auto record = [&](const StepResult& r) {
    observations.add(env->observation());
    qpos.add(env->physics()->qpos());
    qvel.add(env->physics()->qvel());
    flags.add(std::vector<double>{double(r.success), double(r.terminated), double(r.truncated)});
    if (env->arm() == nullptr) return;
    const auto states = env->arm()->button_states();
    buttons.add(std::vector<double>(states.begin(), states.end()));
  };
  record({});
  for (size_t t = 0; t < actions.rows(); ++t) record(env->step(actions.row<double>(t)));
  if (env->arm() != nullptr) buttons.save(out, prefix + "buttons");
  observations.save(out, prefix + "observations");
  qpos.save(out, prefix + "qpos");
  qvel.save(out, prefix + "qvel");
  flags.save(out, prefix + "flags");
}

void run_resets(const std::string& name, int count, uint64_t seed, NpzWriter& out) {
  const auto env = make_env(name);
  Rows observations, goal_observations, places, tasks;
  for (int i = 0; i < count; ++i) {
    const int task = 1 + i % env->spec().num_tasks;
    env->reset(task, Rng(seed).fork(i));
    observations.add(env->observation());
    goal_observations.add(env->goal_observation());
    if (const PlanarView* plane = env->planar())
      places.add(std::vector<double>{plane->position().x, plane->position().y, plane->goal().x, plane->goal().y});
    tasks.add(std::vector<double>{double(task)});
  }
  observations.save(out, "observations");
  goal_observations.save(out, "goal_observations");
  places.save(out, "places");
  tasks.save(out, "tasks");
}

// scenes that data of an arm start from
void run_play_starts(const std::string& name, int count, uint64_t seed, NpzWriter& out) {
  const auto env = make_env(name);
  Rows observations;
  for (int i = 0; i < count; ++i) {
    env->play()->start_play(Rng(seed).fork(i));
    observations.add(env->observation());
  }
  observations.save(out, "observations");
}

// in: points (n, 4) of start and goal; out: the oracle's subgoals, and the cells
void run_oracle(const std::string& name, const NpzReader& in, NpzWriter& out) {
  const auto env = make_env(name);
  const Maze& maze = *env->planar()->maze();
  const Array points = in.read("points");
  Rows subgoals, free_cells, vertex_cells;
  for (size_t i = 0; i < points.rows(); ++i) {
    const auto p = points.row<double>(i);
    const Point2 s = maze.oracle_subgoal({p[0], p[1]}, {p[2], p[3]});
    subgoals.add(std::vector<double>{s.x, s.y});
  }
  for (const Cell c : maze.free_cells()) free_cells.add(std::vector<double>{double(c.i), double(c.j)});
  for (const Cell c : maze.vertex_cells()) vertex_cells.add(std::vector<double>{double(c.i), double(c.j)});
  subgoals.save(out, "subgoals");
  free_cells.save(out, "free_cells");
  vertex_cells.save(out, "vertex_cells");
}

// in: actions (n, a); out: a row per step of walking along directions on the plane, and one before
void run_directions(const NpzReader& in, uint64_t seed, NpzWriter& out) {
  const auto env = make_plane_env(ant_body(), 100);
  const Array actions = in.read("actions");
  Rows observations, places, results;
  auto record = [&](const DirectionEnv::Step& step) {
    observations.add(env->observation());
    places.add(std::vector<double>{env->position().x, env->position().y});
    results.add(std::vector<double>{step.reward, double(step.terminated)});
  };
  env->reset(Rng(seed));
  record({});
  for (size_t t = 0; t < actions.rows(); ++t) record(env->step(actions.row<double>(t)));
  observations.save(out, "observations");
  places.save(out, "places");
  results.save(out, "results");
}

}  // namespace

// stepper episodes ENV IN OUT | resets ENV COUNT SEED OUT | play_starts ENV COUNT SEED OUT | oracle ENV IN OUT |
// directions IN SEED OUT
int main(int argc, char** argv) {
  try {
    const std::vector<std::string> args(argv + 1, argv + argc);
    NpzWriter out(args.back(), {.level = 1});
    if (args.at(0) == "episodes") {
      const NpzReader in(args.at(2));
      for (int k = 0; in.has(str(k, "/state")); ++k) run_episode(args[1], in, str(k, "/"), out);
    } else if (args.at(0) == "resets") {
      run_resets(args.at(1), std::stoi(args.at(2)), std::stoull(args.at(3)), out);
    } else if (args.at(0) == "play_starts") {
      run_play_starts(args.at(1), std::stoi(args.at(2)), std::stoull(args.at(3)), out);
    } else if (args.at(0) == "directions") {
      run_directions(NpzReader(args.at(1)), std::stoull(args.at(2)), out);
    } else {
      run_oracle(args.at(1), NpzReader(args.at(2)), out);
    }
    out.finish();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
