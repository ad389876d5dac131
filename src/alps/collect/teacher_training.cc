#include "alps/collect/teacher_training.h"

#include <algorithm>
#include <cmath>

#include "alps/base/error.h"
#include "alps/base/interrupt.h"
#include "alps/collect/heading_bodies.h"
#include "alps/collect/training_files.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

// streams of random numbers apart from those of the iterations 0, 1, ...
constexpr uint64_t kStarts = uint64_t{1} << 40, kWeights = uint64_t{1} << 41, kUpdates = uint64_t{1} << 42;

constexpr const char* kColumns =
    "step,command,speed,reward,falls,up,half_way,lying,rise_steps,policy_loss,value_loss,explained,divergence,"
    "clipped,lr,sigma,epochs,seconds,simulating";

// what the bodies of a group lived through
struct Tally {
  double steps = 0, up = 0, along = 0, reward = 0, falls = 0;
  // episodes that began lying and half way up, those of them that ended on their feet, and the steps of the former
  double lying = 0, risen = 0, rise_steps = 0, half_way = 0, climbed = 0;
  void add(const Tally& o) {
    steps += o.steps, up += o.up, along += o.along, reward += o.reward, falls += o.falls;
    lying += o.lying, risen += o.risen, rise_steps += o.rise_steps;
    half_way += o.half_way, climbed += o.climbed;
  }
};

class Training {
 public:
  Training(const TrainingFiles& files, const TeacherTrainingParams& params)
      : files_(files), params_(params), rng_(params.seed), bodies_(params.bodies, params.ways) {
    const HeadingEnv& first = bodies_.front();
    ppo_ = std::make_unique<Ppo>(first.observation_size(), first.action_size(), first.observation_mirror(),
                                 first.action_mirror(), params.ppo, rng_.fork(kWeights));
  }

  void begin() {
    if (!params_.from.empty()) ppo_->load(read_safetensors(params_.from));
    for (size_t b = 0; b < bodies_.size(); ++b) {
      Rng rng = rng_.fork(kStarts).fork(b);
      bodies_[b].reset(task(), rng);
      bodies_[b].set_age(static_cast<int>(rng.below(static_cast<uint64_t>(params_.task.longest))));
    }
    files_.begin_curve();
  }

  void resume() {
    const Tensors tensors = files_.read(settings());
    ppo_->load(tensors);
    bodies_.load(tensors);
    const auto counts = tensors.at("counts", DType::kFloat64, {3}).as<double>();
    iteration_ = static_cast<int64_t>(counts[0]), seconds_ = counts[1], simulating_ = counts[2];
    files_.cut_curve(step());
  }

  void run(const std::function<void(const TeacherProgress&)>& progress) {
    while (step() < params_.steps) {
      throw_if_interrupted();
      iterate();
      if (iteration_ % params_.curve_every == 0) write_line(progress);
      if (iteration_ % params_.checkpoint_every == 0) save();
    }
    save();
  }

 private:
  int64_t step() const { return iteration_ * static_cast<int64_t>(params_.bodies * params_.horizon); }

  // what must not change on the way
  std::string settings() const {
    const HeadingTask& t = params_.task;
    return str("--seed ", params_.seed, " --bodies ", params_.bodies, " --speed ", t.speed,
               t.rising_ends ? " --rise" : "");
  }

  HeadingTask task() const {
    HeadingTask task = params_.task;
    const double way =
        std::min(static_cast<double>(step()) / static_cast<double>(std::max<int64_t>(params_.spread_steps, 1)), 1.0);
    task.spread = params_.first_spread + (task.spread - params_.first_spread) * way;
    return task;
  }

  void iterate() {
    const double start = seconds_now();
    const size_t size = bodies_.front().observation_size(), actions = bodies_.front().action_size();
    PpoRollout rollout(params_.bodies, params_.horizon, size, actions);
    const GaussianPolicy policy = ppo_->policy();
    rollout.log_sigma = policy.log_sigma;
    std::vector<Tally> tallies(bodies_.groups());
    std::vector<decltype(rollout.after)> after(bodies_.groups());
    bodies_.each_group(params_.threads, [&](size_t g, size_t body, size_t count) {
      act(body, count, policy, rollout, tallies[g], after[g]);
    });
    Tally all;
    for (const Tally& t : tallies) all.add(t);
    tally_.add(all);
    for (auto& list : after) std::ranges::move(list, std::back_inserter(rollout.after));
    const double acted = seconds_now();
    const PpoStats stats =
        ppo_->update(rollout, rng_.fork(kUpdates + static_cast<uint64_t>(iteration_)), params_.threads);
    add(stats);
    ++iteration_;
    simulating_ += acted - start;
    seconds_ += seconds_now() - start;
  }

  // the steps of the bodies of a group, which see nothing of the climbs
  void act(size_t first, size_t count, const GaussianPolicy& policy, PpoRollout& rollout, Tally& tally,
           decltype(PpoRollout::after)& after) {
    const size_t size = bodies_[first].observation_size(), actions = bodies_[first].action_size();
    const HeadingTask task = this->task();
    std::vector<Rng> rngs;
    for (size_t k = 0; k < count; ++k) rngs.push_back(rng_.fork(static_cast<uint64_t>(iteration_)).fork(first + k));
    std::vector<float> seen(count * size), means(count * actions), targets(actions);
    for (size_t t = 0; t < params_.horizon; ++t) {
      for (size_t k = 0; k < count; ++k) std::ranges::copy(bodies_[first + k].observation(), &seen[k * size]);
      policy.means(seen, means);
      for (size_t k = 0; k < count; ++k) {
        HeadingEnv& body = bodies_[first + k];
        const size_t row = (first + k) * params_.horizon + t;
        const std::span<const float> mean = std::span(means).subspan(k * actions, actions);
        const std::span<float> action = std::span(rollout.actions).subspan(row * actions, actions);
        for (size_t j = 0; j < actions; ++j)
          action[j] = mean[j] + std::exp(policy.log_sigma[j]) * static_cast<float>(rngs[k].normal());
        std::ranges::copy(body.observation(), &rollout.observations[row * size]);
        std::ranges::copy(mean, &rollout.means[row * actions]);
        rollout.log_probs[row] = static_cast<float>(log_density(action, mean, policy.log_sigma));

        body.lead(action, targets);
        const HeadingEnv::Step step = body.step(task, targets, rngs[k]);
        rollout.rewards[row] = static_cast<float>(step.reward);
        count_step(body, step, tally);
        rollout.ends[row] = step.terminated ? PpoRollout::kTerminated
                            : step.cut      ? PpoRollout::kCut
                                            : PpoRollout::kGoesOn;
        if (!step.terminated && (step.cut || t + 1 == params_.horizon))
          after.emplace_back(row, std::vector<float>(body.observation().begin(), body.observation().end()));
        if (step.done()) body.reset(task, rngs[k]);
      }
    }
  }

  static void count_step(const HeadingEnv& body, const HeadingEnv::Step& step, Tally& tally) {
    ++tally.steps;
    tally.reward += step.reward;
    tally.falls += step.fell;
    if (body.is_up()) ++tally.up, tally.along += step.along;
    using enum HeadingEnv::Start;
    if (step.done() && body.start() == kHalfWay) ++tally.half_way, tally.climbed += step.rose;
    if (step.done() && body.start() == kLying) ++tally.lying, tally.risen += step.rose;
    if (step.rose && body.start() == kLying) tally.rise_steps += body.age();
  }

  void add(const PpoStats& s) {
    sums_.policy_loss += s.policy_loss, sums_.value_loss += s.value_loss, sums_.divergence += s.divergence;
    sums_.clipped += s.clipped, sums_.lr += s.lr, sums_.sigma += s.sigma, sums_.epochs += s.epochs;
    sums_.explained += s.explained;
    ++updates_;
  }

  void write_line(const std::function<void(const TeacherProgress&)>& progress) {
    const double n = std::max(updates_, 1.0), up = std::max(tally_.up, 1.0);
    const TeacherProgress p{
        .step = step(),
        .total = params_.steps,
        .command = task().speed,
        .speed = tally_.along / up,
        .reward = tally_.reward / std::max(tally_.steps, 1.0),
        .falls = 1000 * tally_.falls / up,
        .up = tally_.up / std::max(tally_.steps, 1.0),
        .half_way = tally_.climbed / std::max(tally_.half_way, 1.0),
        .lying = tally_.risen / std::max(tally_.lying, 1.0),
        .rise_steps = tally_.rise_steps / std::max(tally_.risen, 1.0),
        .ppo = {sums_.policy_loss / n, sums_.value_loss / n, sums_.divergence / n, sums_.clipped / n, sums_.lr / n,
                sums_.sigma / n, sums_.epochs / n, sums_.explained / n},
        .seconds = seconds_,
        .simulating = simulating_ / std::max(seconds_, 1e-9)};
    tally_ = {}, sums_ = {}, updates_ = 0;
    files_.add_line(std::array{static_cast<double>(p.step), p.command, p.speed, p.reward, p.falls, p.up, p.half_way,
                               p.lying, p.rise_steps, p.ppo.policy_loss, p.ppo.value_loss, p.ppo.explained,
                               p.ppo.divergence, p.ppo.clipped, p.ppo.lr, p.ppo.sigma, p.ppo.epochs, p.seconds,
                               p.simulating});
    if (progress) progress(p);
  }

  void save() const {
    Tensors tensors;
    ppo_->store(tensors);
    bodies_.store(tensors);
    const double counts[] = {static_cast<double>(iteration_), seconds_, simulating_};
    tensors.arrays["counts"] = Array::of<double>({3}, counts);
    files_.write(std::move(tensors), settings());

    Tensors teacher;
    ppo_->policy().store(teacher, "teacher");
    teacher.metadata = {{"body", "humanoid"}, {"steps", str(step())}, {"seed", str(params_.seed)}};
    write_safetensors(files_.path(), teacher);
  }

  const TrainingFiles& files_;
  TeacherTrainingParams params_;
  Rng rng_;
  HeadingBodies bodies_;
  std::unique_ptr<Ppo> ppo_;
  int64_t iteration_ = 0;
  double seconds_ = 0, simulating_ = 0, updates_ = 0;
  Tally tally_;
  PpoStats sums_;
};

}  // namespace

void train_teacher(const fs::path& path, const TeacherTrainingParams& params, bool resume,
                   const std::function<void(const TeacherProgress&)>& progress) {
  const TrainingFiles files(path, kColumns);
  const bool goes_on = files.goes_on(resume);
  Training training(files, params);
  goes_on ? training.resume() : training.begin();
  training.run(progress);
}

}  // namespace alps
