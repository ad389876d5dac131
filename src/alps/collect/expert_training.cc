#include "alps/collect/expert_training.h"

#include <array>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/collect/training_files.h"
#include "alps/world/direction_env.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// streams of random numbers apart from those of the episodes 0, 1, ...
constexpr uint64_t kUpdates = uint64_t{1} << 40, kWeights = uint64_t{1} << 41;

// all transitions so far
class Replay {
 public:
  Replay(size_t observation_size, size_t action_size) : width_(2 * observation_size + action_size + 2) {
    sizes_ = {observation_size, action_size, 1, observation_size, 1};
  }
  size_t size() const { return values_.size() / width_; }

  void add(std::span<const double> observation, std::span<const double> action, double reward,
           std::span<const double> next, bool more) {
    values_.insert(values_.end(), observation.begin(), observation.end());
    values_.insert(values_.end(), action.begin(), action.end());
    values_.push_back(static_cast<float>(reward));
    values_.insert(values_.end(), next.begin(), next.end());
    values_.push_back(more ? 1.0f : 0.0f);
  }

  void sample(size_t rows, Rng& rng, SacBatch& out) const {
    std::vector<float>* columns[] = {&out.observations, &out.actions, &out.rewards, &out.next_observations, &out.masks};
    for (auto* column : columns) column->clear();
    for (size_t r = 0; r < rows; ++r) {
      const float* at = &values_[rng.below(size()) * width_];
      for (size_t c = 0; c < 5; at += sizes_[c++]) columns[c]->insert(columns[c]->end(), at, at + sizes_[c]);
    }
  }

  void store(Tensors& tensors) const { tensors.arrays["replay"] = Array::of<float>({size(), width_}, values_); }
  void load(const Tensors& tensors) {
    const Array& rows = tensors.at("replay");
    if (rows.dtype() != DType::kFloat32 || rows.shape().size() != 2 || rows.shape()[1] != width_)
      throw Error(tensors.path.string(), ": tensor 'replay' is ", shape_text(rows.shape()), ", expected (rows, ",
                  width_, ")");
    values_.assign(rows.as<float>().begin(), rows.as<float>().end());
  }

 private:
  size_t width_;
  std::array<size_t, 5> sizes_;
  std::vector<float> values_;
};

struct Counter {
  double reward = 0, steps = 0, episodes = 0, backs = 0;
  double speed() const { return steps > 0 ? reward / steps : 0; }
  double back() const { return episodes > 0 ? backs / episodes : 0; }
};

// what one line of the curve sums up
struct Summary {
  Counter plane, maze;
  SacStats sums;
  double updates = 0;
  void add(const SacStats& s) {
    sums.critic_loss += s.critic_loss, sums.actor_loss += s.actor_loss, sums.alpha += s.alpha;
    sums.entropy += s.entropy, sums.q += s.q;
    ++updates;
  }
  SacStats mean() const {
    const double n = std::max(updates, 1.0);
    return {sums.critic_loss / n, sums.actor_loss / n, sums.alpha / n, sums.entropy / n, sums.q / n};
  }
};

struct State {
  int64_t step = 0, episode = 0;
  double seconds = 0;
};

class Training {
 public:
  Training(const TrainingFiles& files, const ExpertTrainingParams& params)
      : files_(files),
        params_(params),
        rng_(params.seed),
        plane_(make_plane_env(ant_body(), params.interval)),
        maze_(make_maze_direction_env(params.maze)),
        sac_(size_with_reset(), plane_->action_size(), params.sac, rng_.fork(kWeights)),
        replay_(plane_->observation().size(), plane_->action_size()) {}

  void resume() {
    const Tensors tensors = files_.read(settings());
    sac_.load(tensors);
    policy_ = sac_.policy();
    replay_.load(tensors);
    const auto counts = tensors.at("counts", DType::kFloat64, {3}).as<double>();
    state_ = {static_cast<int64_t>(counts[0]), static_cast<int64_t>(counts[1]), counts[2]};
    files_.cut_curve(state_.step);
  }

  void run(const std::function<void(const ExpertProgress&)>& progress) {
    if (state_.step == 0) files_.begin_curve();
    int64_t saved = state_.step;
    while (state_.step < params_.steps) {
      one_episode(progress);
      if (state_.step - saved < params_.checkpoint_every && state_.step < params_.steps) continue;
      save_checkpoint();
      saved = state_.step;
    }
    Tensors tensors;
    sac_.policy().store(tensors, "policy");
    tensors.metadata = {{"body", "ant"}, {"steps", str(params_.steps)}, {"seed", str(params_.seed)}};
    write_safetensors(files_.path(), tensors);
    files_.remove_checkpoint();
  }

 private:
  // what must not change on the way
  std::string settings() const {
    return str("--seed ", params_.seed, " --walls ", params_.walls, " --lr ", params_.sac.lr);
  }

  size_t size_with_reset() {
    plane_->reset(rng_.fork(0));
    return plane_->observation().size();
  }

  void one_episode(const std::function<void(const ExpertProgress&)>& progress) {
    Rng rng = rng_.fork(static_cast<uint64_t>(state_.episode));
    const bool walls = rng.uniform() < params_.walls;
    DirectionEnv& env = walls ? *maze_ : *plane_;
    Counter& counter = walls ? summary_.maze : summary_.plane;
    env.reset(rng.fork(1));
    std::vector<double> action(env.action_size()), before;
    for (DirectionEnv::Step result; !result.done() && state_.step < params_.steps;) {
      throw_if_interrupted();
      const double start = seconds_now();
      before.assign(env.observation().begin(), env.observation().end());
      if (state_.step < params_.random_steps)
        for (double& a : action) a = rng.uniform(-1, 1);
      else
        Sac::act(policy_, before, &rng, action);
      result = env.step(action);
      replay_.add(before, action, result.reward, env.observation(), !result.terminated);
      counter.reward += result.reward;
      ++counter.steps;
      if (result.done()) {
        ++counter.episodes;
        counter.backs += env.on_back() || result.terminated;
      }

      if (++state_.step >= params_.random_steps) {
        Rng update_rng = rng_.fork(kUpdates + static_cast<uint64_t>(state_.step));
        replay_.sample(params_.sac.batch, update_rng, batch_);
        summary_.add(sac_.update(batch_, update_rng.fork(0), params_.threads));
        policy_ = sac_.policy();
      }
      state_.seconds += seconds_now() - start;
      if (state_.step % params_.curve_every == 0) write_line(progress);
    }
    ++state_.episode;
  }

  void write_line(const std::function<void(const ExpertProgress&)>& progress) {
    const ExpertProgress p{.step = state_.step,
                           .total = params_.steps,
                           .speed_plane = summary_.plane.speed(),
                           .speed_maze = summary_.maze.speed(),
                           .back_plane = summary_.plane.back(),
                           .back_maze = summary_.maze.back(),
                           .sac = summary_.mean(),
                           .seconds = state_.seconds};
    summary_ = {};
    files_.add_line(std::array{static_cast<double>(p.step), p.speed_plane, p.speed_maze, p.back_plane, p.back_maze,
                               p.sac.critic_loss, p.sac.actor_loss, p.sac.alpha, p.sac.entropy, p.sac.q, p.seconds});
    if (progress) progress(p);
  }

  void save_checkpoint() const {
    Tensors tensors;
    sac_.store(tensors);
    replay_.store(tensors);
    const double counts[] = {static_cast<double>(state_.step), static_cast<double>(state_.episode), state_.seconds};
    tensors.arrays["counts"] = Array::of<double>({3}, counts);
    files_.write(std::move(tensors), settings());
  }

  const TrainingFiles& files_;
  ExpertTrainingParams params_;
  Rng rng_;
  std::unique_ptr<DirectionEnv> plane_, maze_;
  Sac sac_;
  Mlp policy_;
  Replay replay_;
  SacBatch batch_;
  State state_;
  Summary summary_;
};

}  // namespace

void train_expert(const fs::path& path, const ExpertTrainingParams& params, bool resume,
                  const std::function<void(const ExpertProgress&)>& progress) {
  const TrainingFiles files(
      path, "step,speed_plane,speed_maze,back_plane,back_maze,critic_loss,actor_loss,alpha,entropy,q,seconds");
  const bool goes_on = files.goes_on(resume);
  Training training(files, params);
  if (goes_on) training.resume();
  training.run(progress);
}

}  // namespace alps
