#include "alps/learn/agent.h"

#include "alps/data/many_joints.h"

namespace alps {
namespace {

// Humanoids and giant mazes take a thousand steps to cross.
constexpr double kSlow = 0.0095;
// Trajectories that cover less than the world: 200 steps of a body, against 500 and more.
constexpr double kShortWay = 4;
// About 0.15 to 0.28 for experts with moderate noise, 0.42 where noise is as large as the actions.
constexpr double kMuchClipped = 0.35;
constexpr double kDirect = 0.5;

}  // namespace

bool moves_directly(const Survey& survey) { return survey.directness > kDirect; }
bool explores(const Survey& survey) { return survey.at_limit > kMuchClipped; }
bool many_joints(const Survey& survey) { return survey.actions >= kManyJoints; }

void agent_preset(Profile& profile, std::string_view preset, const Survey& survey) {
  if (preset == "paper") {
    auto s = profile.get<AgentSettings>();
    s.value_width = s.actor_width = 512;
    s.agent_steps = 1'000'000;
    s.agent_batch = 1024;
    s.agent_lr = 3e-4;
    s.raw_states = true;
    profile.put(s, Origin::kPreset);
  } else {
    profile.set("lr_schedule", std::string("cosine"), Origin::kPreset);
  }
  if (survey.pace < kSlow && !explores(survey))
    profile.set("discount", 0.995, Origin::kMeasured, str("pace ", survey.pace, ": many steps to cross the world"));
  const double way = survey.pace * static_cast<double>(survey.longest_episode);
  if (explores(survey))
    profile.set("actor_random", 1.0, Origin::kMeasured,
                str("a share of ", survey.at_limit, " of the actions lies at the limits: behaviour without goals"));
  else if (way < kShortWay)
    profile.set("actor_random", 0.5, Origin::kMeasured,
                str("trajectories of ", survey.longest_episode, " steps at a pace of ", survey.pace, " are short"));
}

std::vector<NamedTensor> Twins::parameters(const std::string& prefix) const {
  return joined({one.parameters(prefix + "_one"), two.parameters(prefix + "_two")});
}

std::vector<NamedTensor> joined(std::initializer_list<std::vector<NamedTensor>> lists) {
  std::vector<NamedTensor> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

AgentPart::AgentPart(const PartContext& c) : LossPart(c), settings_(c.profile.get<AgentSettings>()) {
  if (c.data.image())
    throw Error(c.data.train->data().path.string(),
                ": holds images, and this method learns from states; use --method alps");
}

Schedule AgentPart::schedule() const {
  return {settings_.agent_steps, settings_.agent_lr, context_.profile.get<LoopSettings>().lr_schedule};
}

Compute AgentPart::exact() const {
  Compute compute = context_.compute;
  compute.precision = Precision::kFp32;
  return compute;
}

NetworkShape AgentPart::value_shape(int64_t inputs, int64_t outputs) const {
  return {.inputs = static_cast<size_t>(inputs),
          .outputs = static_cast<size_t>(outputs),
          .layers = settings_.value_layers,
          .width = settings_.value_width,
          .norm = true,
          .gelu = true};
}

NetworkShape AgentPart::actor_shape(int64_t inputs, int64_t outputs) const {
  return {.inputs = static_cast<size_t>(inputs),
          .outputs = static_cast<size_t>(outputs),
          .layers = settings_.actor_layers,
          .width = settings_.actor_width,
          .gelu = true,
          .last = 0.01};
}

GoalBatch AgentPart::draw(const Split& split, Rng rng, double value_gamma) {
  const Stopwatch watch(sampling_seconds);
  const Sampler& sampler = split.sampler();
  const auto positions = sampler.positions(rng, settings_.agent_batch);
  const auto for_value =
      mixed_goals(rng, sampler, positions, {settings_.value_current, settings_.value_random, value_gamma});
  const auto for_actor = mixed_goals(rng, sampler, positions, {0, settings_.actor_random, 0});
  std::vector<size_t> from, to;
  std::vector<float> reached;
  for (size_t i = 0; i < positions.size(); ++i) {
    from.push_back(positions[i].row);
    to.push_back(positions[i].row + 1);
    reached.push_back(positions[i].row == for_value[i] ? 1.0f : 0.0f);
  }
  const at::Device device = context_.compute.device;
  return {.states = split.states(from).to(device),
          .next = split.states(to).to(device),
          .actions = split.actions(from).to(device),
          .value_goals = split.states(for_value).to(device),
          .actor_goals = split.states(for_actor).to(device),
          .reached = to_tensor(reached, {static_cast<int64_t>(reached.size())}, device)};
}

void AgentPart::leave_twins(const std::string& name, const Twins& twins, const std::string& meaning) {
  context_.bundle.leave(name + "_one", twins.one.to_mlp(), meaning);
  context_.bundle.leave(name + "_two", twins.two.to_mlp(), meaning);
}

at::Tensor expectile_loss(const at::Tensor& advantage, const at::Tensor& diff, double expectile) {
  const at::Tensor weight = (advantage.detach() >= 0).to(at::kFloat) * (2 * expectile - 1) + (1 - expectile);
  return (weight * diff.square()).mean();
}

ValueTarget value_target(const at::Tensor& reward, const at::Tensor& go_on, const at::Tensor& next_one,
                         const at::Tensor& next_two, const at::Tensor& here_one, const at::Tensor& here_two) {
  return {.advantage = reward + go_on * at::minimum(next_one, next_two) - (here_one + here_two) / 2,
          .one = reward + go_on * next_one,
          .two = reward + go_on * next_two};
}

at::Tensor value_loss(const ValueTarget& target, const at::Tensor& one, const at::Tensor& two, double expectile) {
  return expectile_loss(target.advantage, target.one - one, expectile) +
         expectile_loss(target.advantage, target.two - two, expectile);
}

at::Tensor half_square(const at::Tensor& wishes, const at::Tensor& done) {
  return 0.5 * (wishes - done).square().sum(1);
}

at::Tensor awr_loss(const at::Tensor& wishes, const at::Tensor& done, const at::Tensor& advantage, double temperature) {
  constexpr double kMost = 100;
  const at::Tensor weight = (temperature * advantage.detach()).exp().clamp_max(kMost);
  return (weight * half_square(wishes, done)).mean();
}

at::Tensor ddpg_bc_loss(const at::Tensor& q, const at::Tensor& wishes, const at::Tensor& done, double weight) {
  const at::Tensor size = q.detach().abs().mean() + 1e-6;
  return -q.mean() / size + weight * half_square(wishes, done).mean();
}

}  // namespace alps
