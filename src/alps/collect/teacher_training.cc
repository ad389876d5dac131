#include "alps/collect/teacher_training.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>

#include "alps/base/error.h"
#include "alps/base/file.h"
#include "alps/base/interrupt.h"
#include "alps/base/threads.h"

namespace fs = std::filesystem;

namespace alps {
namespace {

constexpr double kLeastHelp = 0.02;
constexpr int kLate = 100;
constexpr size_t kGroup = 12;  // bodies that act together; a multiple of the kernels' rows
// streams of random numbers apart from those of the iterations 0, 1, ...
constexpr uint64_t kStarts = uint64_t{1} << 40, kWeights = uint64_t{1} << 41, kUpdates = uint64_t{1} << 42;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// what the bodies of a group lived through
struct Tally {
  double steps = 0, up = 0, along = 0, reward = 0, falls = 0, drops = 0, risen = 0, rise_steps = 0, late = 0,
         late_up = 0;
  void add(const Tally& o) {
    steps += o.steps, up += o.up, along += o.along, reward += o.reward, falls += o.falls;
    drops += o.drops, risen += o.risen, rise_steps += o.rise_steps;
    late += o.late, late_up += o.late_up;
  }
};

class Training {
 public:
  Training(fs::path path, const TeacherTrainingParams& params)
      : path_(std::move(path)), params_(params), rng_(params.seed), help_(params.task.help) {
    const ModelPtr model = load_plane_model("humanoid");
    for (size_t b = 0; b < params.bodies; ++b) bodies_.push_back(std::make_unique<HeadingEnv>(model));
    const HeadingEnv& first = *bodies_.front();
    ppo_ = std::make_unique<Ppo>(first.observation_size(), first.action_size(), first.observation_mirror(),
                                 first.action_mirror(), params.ppo, rng_.fork(kWeights));
    if (!params.helper.empty()) helper_ = GaussianPolicy::load(read_safetensors(params.helper), "teacher");
  }

  fs::path checkpoint() const { return path_.string() + ".checkpoint"; }
  fs::path curve() const { return path_.string() + ".csv"; }

  void begin() {
    if (!params_.from.empty()) ppo_->load(read_safetensors(params_.from));
    for (size_t b = 0; b < bodies_.size(); ++b) {
      Rng rng = rng_.fork(kStarts).fork(b);
      bodies_[b]->reset(task(), rng);
      bodies_[b]->set_age(static_cast<int>(rng.below(static_cast<uint64_t>(params_.task.longest))));
    }
    write_text(
        curve(),
        "step,command,speed,reward,falls,up,help,risen,rise_steps,policy_loss,value_loss,explained,divergence,clipped,"
        "lr,sigma,epochs,seconds,simulating\n");
  }

  void resume() {
    const Tensors tensors = read_safetensors(checkpoint());
    if (tensors.text("settings") != settings())
      throw Error(checkpoint().string(), ": was begun with ", tensors.text("settings"), ", not with ", settings(),
                  "; resume it with those, or remove it");
    ppo_->load(tensors);
    const size_t width = bodies_.front()->state().size();
    const auto states = tensors.at("bodies", DType::kFloat64, {bodies_.size(), width}).as<double>();
    for (size_t b = 0; b < bodies_.size(); ++b) bodies_[b]->set_state(states.subspan(b * width, width));
    const auto counts = tensors.at("counts", DType::kFloat64, {5}).as<double>();
    iteration_ = static_cast<int64_t>(counts[0]), seconds_ = counts[1], simulating_ = counts[2];
    step_ = static_cast<int64_t>(counts[3]), help_ = counts[4];
    // lines past the checkpoint will come again
    std::ifstream in(curve());
    std::string kept, line;
    while (std::getline(in, line))
      if (line.starts_with("step") || std::atoll(line.c_str()) <= step()) kept += line + "\n";
    in.close();
    write_text(curve(), kept);
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
  int64_t step() const { return step_; }

  // what must not change on the way
  std::string settings() const {
    const HeadingTask& t = params_.task;
    return str("--seed ", params_.seed, " --bodies ", params_.bodies, " --speed ", t.speed, " --drops ", t.drops,
               t.falls_end ? "" : " --go-on", t.lesson == Lesson::kRise ? " --rise" : "");
  }

  HeadingTask task() const {
    HeadingTask task = params_.task;
    const double way =
        std::min(static_cast<double>(step()) / static_cast<double>(std::max<int64_t>(params_.spread_steps, 1)), 1.0);
    task.spread = params_.first_spread + (task.spread - params_.first_spread) * way;
    task.help = help_;
    return task;
  }

  void iterate() {
    const double start = now();
    const size_t size = bodies_.front()->observation_size(), actions = bodies_.front()->action_size();
    PpoRollout rollout(params_.bodies, params_.horizon, size, actions);
    const GaussianPolicy policy = ppo_->policy();
    rollout.log_sigma = policy.log_sigma;
    const size_t groups = (bodies_.size() + kGroup - 1) / kGroup;
    std::vector<Tally> tallies(groups);
    std::vector<decltype(rollout.after)> after(groups);
    parallel_for(groups, params_.threads, [&](size_t g) { act(g, policy, rollout, tallies[g], after[g]); });
    Tally all;
    for (size_t g = 0; g < groups; ++g) {
      all.add(tallies[g]);
      std::move(after[g].begin(), after[g].end(), std::back_inserter(rollout.after));
    }
    tally_.add(all);
    move_help(all);
    const double acted = now();
    const PpoStats stats =
        ppo_->update(rollout, rng_.fork(kUpdates + static_cast<uint64_t>(iteration_)), params_.threads);
    add(stats);
    ++iteration_;
    step_ += static_cast<int64_t>(params_.bodies * params_.horizon);
    simulating_ += acted - start;
    seconds_ += now() - start;
  }

  // less where it was enough, more again where it was not half of that
  void move_help(const Tally& all) {
    if (all.late_up > params_.enough * all.late) help_ = help_ < kLeastHelp ? 0 : help_ * params_.less_help;
    if (all.late_up < 0.5 * params_.enough * all.late) help_ = std::min(help_ / params_.less_help, params_.task.help);
  }

  // the steps of the bodies of a group, which see nothing of the others
  void act(size_t group, const GaussianPolicy& policy, PpoRollout& rollout, Tally& tally,
           decltype(PpoRollout::after)& after) {
    const size_t first = group * kGroup, count = std::min(kGroup, bodies_.size() - first);
    const size_t size = bodies_[first]->observation_size(), actions = bodies_[first]->action_size();
    const HeadingTask task = this->task();
    std::vector<Rng> rngs;
    for (size_t k = 0; k < count; ++k) rngs.push_back(rng_.fork(static_cast<uint64_t>(iteration_)).fork(first + k));
    std::vector<float> seen(count * size), means(count * actions), helps(count * actions), targets(actions);
    for (size_t t = 0; t < params_.horizon; ++t) {
      for (size_t k = 0; k < count; ++k) std::ranges::copy(bodies_[first + k]->observation(), &seen[k * size]);
      policy.means(seen, means);
      if (helper_) helper_->means(seen, helps);
      for (size_t k = 0; k < count; ++k) {
        HeadingEnv& body = *bodies_[first + k];
        const size_t row = (first + k) * params_.horizon + t;
        const std::span<const float> mean = std::span(means).subspan(k * actions, actions);
        const std::span<float> action = std::span(rollout.actions).subspan(row * actions, actions);
        for (size_t j = 0; j < actions; ++j)
          action[j] = mean[j] + std::exp(policy.log_sigma[j]) * static_cast<float>(rngs[k].normal());
        std::ranges::copy(body.observation(), &rollout.observations[row * size]);
        std::ranges::copy(mean, &rollout.means[row * actions]);
        rollout.log_probs[row] = static_cast<float>(log_density(action, mean, policy.log_sigma));

        const bool helped = helper_ && !body.is_up();
        rollout.skipped[row] = helped;
        body.lead(helped ? Lesson::kRise : task.lesson,
                  helped ? std::span<const float>(helps).subspan(k * actions, actions) : action, targets);
        const HeadingEnv::Step step = body.step(task, targets, rngs[k]);
        rollout.rewards[row] = static_cast<float>(step.reward);
        if (!helped) count_step(body, step, tally);
        // to who is helped up, a fall is the end
        const bool over = step.terminated || (helper_ && !body.is_up());
        rollout.ends[row] = over ? PpoRollout::kTerminated : step.cut ? PpoRollout::kCut : PpoRollout::kGoesOn;
        if (!over && (step.cut || t + 1 == params_.horizon))
          after.emplace_back(row, std::vector<float>(body.observation().begin(), body.observation().end()));
        if (step.done()) body.reset(task, rngs[k]);
      }
    }
  }

  static void count_step(const HeadingEnv& body, const HeadingEnv::Step& step, Tally& tally) {
    ++tally.steps;
    tally.reward += step.reward;
    tally.falls += step.fell;
    if (body.age() > kLate) ++tally.late, tally.late_up += body.is_up();
    if (body.is_up()) ++tally.up, tally.along += step.along;
    if (body.dropped() && step.done()) ++tally.drops;
    if (step.rose && body.dropped()) ++tally.risen, tally.rise_steps += body.age();
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
        .help = help_,
        .risen = tally_.risen / std::max(tally_.drops + (params_.task.falls_end ? 0.0 : tally_.falls), 1.0),
        .rise_steps = tally_.rise_steps / std::max(tally_.risen, 1.0),
        .ppo = {sums_.policy_loss / n, sums_.value_loss / n, sums_.divergence / n, sums_.clipped / n, sums_.lr / n,
                sums_.sigma / n, sums_.epochs / n, sums_.explained / n},
        .seconds = seconds_,
        .simulating = simulating_ / std::max(seconds_, 1e-9)};
    tally_ = {}, sums_ = {}, updates_ = 0;
    std::ofstream out(curve(), std::ios::app);
    out << p.step << ',' << p.command << ',' << p.speed << ',' << p.reward << ',' << p.falls << ',' << p.up << ','
        << p.help << ',' << p.risen << ',' << p.rise_steps << ',' << p.ppo.policy_loss << ',' << p.ppo.value_loss << ','
        << p.ppo.explained << ',' << p.ppo.divergence << ',' << p.ppo.clipped << ',' << p.ppo.lr << ',' << p.ppo.sigma
        << ',' << p.ppo.epochs << ',' << p.seconds << ',' << p.simulating << '\n';
    if (progress) progress(p);
  }

  void save() const {
    Tensors tensors;
    ppo_->store(tensors);
    std::vector<double> states;
    for (const auto& body : bodies_) {
      const std::vector<double> state = body->state();
      states.insert(states.end(), state.begin(), state.end());
    }
    tensors.arrays["bodies"] = Array::of<double>({bodies_.size(), states.size() / bodies_.size()}, states);
    const double counts[] = {static_cast<double>(iteration_), seconds_, simulating_, static_cast<double>(step_), help_};
    tensors.arrays["counts"] = Array::of<double>({5}, counts);
    tensors.metadata["settings"] = settings();
    write_safetensors(checkpoint(), tensors);

    Tensors teacher;
    ppo_->policy().store(teacher, "teacher");
    teacher.metadata = {{"body", "humanoid"}, {"steps", str(step())}, {"seed", str(params_.seed)}};
    write_safetensors(path_, teacher);
  }

  fs::path path_;
  TeacherTrainingParams params_;
  Rng rng_;
  std::vector<std::unique_ptr<HeadingEnv>> bodies_;
  std::unique_ptr<Ppo> ppo_;
  std::optional<GaussianPolicy> helper_;
  int64_t iteration_ = 0, step_ = 0;
  double seconds_ = 0, simulating_ = 0, updates_ = 0;
  double help_ = 0;  // of the task, now
  Tally tally_;
  PpoStats sums_;
};

}  // namespace

void train_teacher(const fs::path& path, const TeacherTrainingParams& params, bool resume,
                   const std::function<void(const TeacherProgress&)>& progress) {
  Training training(path, params);
  const bool begun = fs::exists(training.checkpoint());
  if (begun && !resume)
    throw Error(training.checkpoint().string(),
                " holds an unfinished training; --resume goes on with it, or remove it");
  if (resume && !begun) throw Error("there is no ", training.checkpoint().string(), " to resume");
  if (resume)
    training.resume();
  else
    training.begin();
  training.run(progress);
}

}  // namespace alps
